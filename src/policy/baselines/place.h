/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the baselines choose a GPU type and GPUs for a rigid gang: one rule for all of them, so that
 * they differ in the order in which they serve jobs and in nothing else.
 *
 * A gang stands on GPUs of one type. Among the types that the job accepts, that can run its model
 * and that have room for the whole gang now, `type` picks one by the rate of the gang as it would
 * be placed; ties go to the lower type. `consolidate` says how GPUs of a type are looked for.
 */
#ifndef HSIM_POLICY_BASELINES_PLACE_H
#define HSIM_POLICY_BASELINES_PLACE_H

#include "hsim/policy.h"

enum place_type {
  PLACE_FASTEST,    /* the highest rate */
  PLACE_SLOWEST_OK, /* the lowest rate above 0 */
  PLACE_FIRST       /* the first in the cluster's order: what a manager blind to types does */
};

#define PLACE_TYPE_OPTION                                                                          \
  {                                                                                                \
    .name = "type", .kind = HSIM_OPTION_CHOICE, .fallback = "fastest",                             \
    .choices = "fastest|slowest_ok|first",                                                         \
    .help = "which GPU type with room: highest rate, lowest rate, cluster's order"                 \
  }

#define PLACE_CONSOLIDATE_OPTION                                                                   \
  {                                                                                                \
    .name = "consolidate", .kind = HSIM_OPTION_CHOICE, .fallback = "prefer",                       \
    .choices = "prefer|require|any",                                                               \
    .help =                                                                                        \
        "prefer: one node, else spread at once; require: wait for one node; any: lowest free GPUs" \
  }

/* What is remembered of a job, by job index. */
struct placer_job {
  uint64_t types; /* accepted by the job, and its model runs there at its size */
  int model;      /* the phase for which `types` holds */
  int on;         /* type that it was last placed on */
};

/* The most GPUs of a type inside one slot, node and rack of the whole cluster. */
struct reach {
  int slot, node, rack;
};

struct placer {
  enum place_type choice;
  enum hsim_pack pack;
  const struct hsim_cluster *cluster;
  const struct hsim_oracle *oracle;
  struct placer_job *jobs;   /* [n_jobs] */
  struct hsim_share *chosen; /* [n_bays] the best placement while others are looked at */
  struct reach reach[HSIM_MAX_TYPES];
  int largest_up[HSIM_MAX_TYPES];   /* most GPUs of a type on one node that is up */
  int free[HSIM_MAX_TYPES];         /* under the plan that was looked at */
  int free_on_node[HSIM_MAX_TYPES]; /* the same, most on one node; only kept up to date when a gang
                                       may have to wait for one node */
  int widest;                       /* most free GPUs of a type: nothing larger fits */
};

/* `type` and `consolidate` are the options' values as choice indices. */
void placer_create(struct placer *placer, const struct hsim_view *view, enum place_type type,
                   enum hsim_pack consolidate);
void placer_destroy(struct placer *placer);

/* A job arrives. */
void placer_meet(struct placer *placer, const struct hsim_active *active);

/* A job that ran may have come to a phase whose model runs on other types. */
static inline void placer_renew(struct placer *placer, const struct hsim_active *active) {
  if (placer->jobs[active->index].model != active->model)
    placer_meet(placer, active);
}

/* Nodes went down or came up. */
void placer_survey(struct placer *placer, const struct hsim_view *view);

/* Takes over what is free under the plan; then placer_place and placer_took keep it up to date. */
void placer_look(struct placer *placer, const struct hsim_plan *plan);

/* False when a gang of this job surely cannot be placed now. O(types). */
bool placer_fits(const struct placer *placer, int job, int workers);

/* Adds a gang of `workers` to the plan, on one of `types` (bit set); false when there is no room
 * or no rate. */
bool placer_place(struct placer *placer, struct hsim_plan *plan, const struct hsim_active *active,
                  uint64_t types);

/* The plan gave away `workers` GPUs of a type by other means. */
void placer_took(struct placer *placer, const struct hsim_plan *plan, int type, int workers);

/* Why the job cannot be placed under the plan that was looked at. */
enum hsim_reason placer_reason(const struct placer *placer, int job, int workers);

/* The narrowest span of a gang of one type on the empty cluster. */
enum hsim_span placer_span(const struct placer *placer, int type, int workers);

#endif
