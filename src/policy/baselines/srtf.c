/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shortest remaining time first: the classical rule for a low mean completion time (Schrage 1968),
 * with gangs that are passed over while they do not fit. Remaining time is that on the job's
 * fastest GPU type at its size, wherever it runs.
 */
#include "policy/baselines/by_time.h"
#include "policy/policies.h"

static void rerank(void *owner, const struct hsim_view *view, const struct hsim_active *active,
                   struct rank *rank) {
  struct by_time *srtf = owner;
  rank->key = by_time_left(srtf, view, active);
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct by_time *srtf = state;
  if (view->n_running == view->n_active)
    return HSIM_OK;
  ranked_refresh(&srtf->base.ranked, &srtf->base.placer, view, rerank, srtf);
  ranked_decide(&srtf->base.ranked, &srtf->base.placer, view, plan);
  return HSIM_OK;
}

const struct hsim_policy policy_srtf = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "srtf",
    .summary = "Shortest remaining time first, preemptive, at each arrival and finish",
    .mode = HSIM_MODE_EVENT,
    .oracle = HSIM_KNOWS_RATES | HSIM_KNOWS_REMAINING,
    .never_pairs = true,
    .state_size = sizeof(struct by_time),
    .options = baseline_options,
    .n_options = BASELINE_N_OPTIONS,
    .create = by_time_create,
    .destroy = by_time_destroy,
    .job_arrived = by_time_job_arrived,
    .job_finished = baseline_job_finished,
    .node_changed = baseline_node_changed,
    .schedule = schedule,
};
