/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the baselines that serve ranked jobs one by one have in common. Their state begins with a
 * struct baseline, so that the callbacks below can stand in their tables as they are.
 */
#ifndef HSIM_POLICY_BASELINES_BASELINE_H
#define HSIM_POLICY_BASELINES_BASELINE_H

#include "policy/baselines/place.h"
#include "policy/baselines/ranked.h"

struct baseline {
  struct placer placer;
  struct ranked ranked;
  bool some_stopped; /* by the engine, since the last decision */
};

/* `type` and `consolidate`, and nothing else. */
enum { BASELINE_TYPE, BASELINE_CONSOLIDATE, BASELINE_N_OPTIONS };
extern const struct hsim_option baseline_options[BASELINE_N_OPTIONS];

/* The first two values are those of `type` and `consolidate`. */
void baseline_create(struct baseline *baseline, const struct hsim_view *view,
                     const struct hsim_value *values);
void baseline_destroy(struct baseline *baseline);

/* A job arrives and waits with this rank. */
void baseline_add(struct baseline *baseline, const struct hsim_active *job, int level, double key);

/* Attained GPU-seconds, to the microsecond: service that is equal stays equal although it was added
 * up over other rounds. */
double baseline_service(const struct hsim_view *view, const struct hsim_active *active);

/* Callbacks */
void baseline_job_finished(void *state, const struct hsim_view *view,
                           const struct hsim_active *job);
void baseline_node_changed(void *state, const struct hsim_view *view, int node, bool up);
void baseline_job_stopped(void *state, const struct hsim_view *view, const struct hsim_active *job);

#endif
