/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Policy `gavel`: state and the two ways to schedule. See docs/gavel.md.
 */
#ifndef HSIM_POLICY_GAVEL_GAVEL_H
#define HSIM_POLICY_GAVEL_GAVEL_H

#include "hsim/policy.h"
#include "model/mt19937.h"
#include "policy/gavel/assignment.h"
#include "policy/gavel/entities.h"
#include "policy/gavel/objective.h"
#include "policy/gavel/replay.h"
#include "policy/gavel/rounds.h"

/* What one reallocation needs beside the mechanism's own tables. */
struct problem_buffers {
  size_t room_jobs, room_pairs;
  int *ids, *workers, *entities; /* [room_jobs], as in struct shares_problem */
  double *weights, *rates, *remaining, *age_s, *deadline_s;
  struct shares_pair *pairs; /* [room_pairs] */
  double *pair_rates;
  int *position; /* [n_jobs of the trace] where an active job stands in the problem */
  double *shares;
  size_t shares_capacity;
};

struct gavel {
  const struct objective *objective;
  void *memory; /* the objective's own */
  struct rounds rounds;
  struct lp *lp;
  double prices[HSIM_MAX_TYPES]; /* per GPU and hour */
  double interval;               /* least seconds between two reallocations */
  struct entities entities;      /* n is 0 when all jobs are of one */
  struct replay *replay;         /* NULL: shares are computed */
  int *model; /* [n_jobs] that the rates of an active job belong to: phases may change it */
  struct problem_buffers buffers; /* of one reallocation */
  struct rounds_pick *placed;     /* scratch of one plan */
  size_t placed_capacity;

  /* compat=code */
  struct assigner assigner;
  double busy_gpu_s;
  struct mt19937 shuffler;
  int queue_order[HSIM_MAX_TYPES]; /* in which types choose */

  int by_name[HSIM_MAX_TYPES]; /* types in ascending order of their names */
  int reference;               /* the type whose rate stands for all (RATES_REFERENCE), -1 */
  bool coded;                  /* compat=code */
  bool carry;                  /* deficits=carried */
  bool compare;                /* replay_compare: computed as well, and only logged */
  bool need;                   /* something happened since the last reallocation */
  bool allocated;              /* there has been one */
  bool ran;                    /* compat=code: something ran since the last call of schedule */
  bool arrivals_left;          /* compat=code: after the last call of schedule */
  bool admitted;               /* compat=code: a job arrived since then */
};

/* Steps per second of the job on each type, as the chosen flavour sees them. */
void gavel_rates(const struct gavel *gavel, const struct hsim_view *view,
                 const struct hsim_active *active, double rates[HSIM_MAX_TYPES]);

/* The job enters the mechanism, with the pairs that it may be in. */
void gavel_admit(struct gavel *gavel, const struct hsim_view *view,
                 const struct hsim_active *active);
/* A job in its next phase is another model, with other rates. */
void gavel_follow_phases(struct gavel *gavel, const struct hsim_view *view);

/* The present moment as the objective is to see it; in gavel->buffers, until the next call. */
enum hsim_status gavel_problem(struct gavel *gavel, const struct hsim_view *view,
                               struct shares_problem *problem, struct hsim_error *error);
void problem_buffers_free(struct problem_buffers *buffers);

/* "none": 1 for each type; "gcp": Google's prices of 2020 as Gavel has them; else a CSV file that
 * names each type of the cluster. */
enum hsim_status gavel_read_prices(const char *text, const struct hsim_cluster *cluster,
                                   double prices[HSIM_MAX_TYPES], struct hsim_error *error);

/* Restarts the mechanism's accounts and computes the shares anew. */
enum hsim_status gavel_reallocate(struct gavel *gavel, const struct hsim_view *view,
                                  struct hsim_error *error);

/* compat=code: Gavel's simulator. */
void gavel_coded_init(struct gavel *gavel, const struct hsim_view *view);
void gavel_coded_ran(struct gavel *gavel, const struct hsim_view *view, const struct hsim_ran *ran,
                     size_t n_ran);
enum hsim_status gavel_coded_schedule(struct gavel *gavel, const struct hsim_view *view,
                                      struct hsim_plan *plan, struct hsim_error *error);

/* compat=fixed: the paper. */
enum hsim_status gavel_published_schedule(struct gavel *gavel, const struct hsim_view *view,
                                          struct hsim_plan *plan, struct hsim_error *error);

#endif
