/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Least attained service first: each round, jobs in order of the GPU-seconds that they have held so
 * far, while they fit. Needs to know nothing about a job's length (Nuyens and Wierman 2008; for
 * GPU clusters Gu et al., Tiresias, NSDI'19).
 */
#include <math.h>

#include "policy/baselines/baseline.h"
#include "policy/policies.h"

struct las {
  struct baseline base;
};

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  (void)error;
  struct las *las = state;
  baseline_create(&las->base, view, values);
  return HSIM_OK;
}

static void destroy(void *state) {
  struct las *las = state;
  baseline_destroy(&las->base);
}

static void job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)view;
  struct las *las = state;
  placer_meet(&las->base.placer, job);
  baseline_add(&las->base, job, 0, 0);
}

static void rerank(void *owner, const struct hsim_view *view, const struct hsim_active *active,
                   struct rank *rank) {
  (void)owner;
  rank->key = baseline_service(view, active);
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct las *las = state;
  if (view->n_running == view->n_active) {
    /* With nobody waiting any order gives the same answer. */
    hsim_plan_valid_until(plan, INFINITY);
    return HSIM_OK;
  }
  ranked_refresh(&las->base.ranked, &las->base.placer, view, rerank, las);
  ranked_decide(&las->base.ranked, &las->base.placer, view, plan);
  return HSIM_OK;
}

const struct hsim_policy policy_las = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "las",
    .summary = "Least attained service (GPU-seconds) first, preemptive",
    .mode = HSIM_MODE_ROUND,
    .oracle = HSIM_KNOWS_RATES,
    .never_pairs = true,
    .state_size = sizeof(struct las),
    .options = baseline_options,
    .n_options = BASELINE_N_OPTIONS,
    .create = create,
    .destroy = destroy,
    .job_arrived = job_arrived,
    .job_finished = baseline_job_finished,
    .node_changed = baseline_node_changed,
    .schedule = schedule,
};
