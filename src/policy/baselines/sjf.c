/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shortest job first: as srtf, but a job that runs is never stopped. The order is by total time on
 * the job's fastest GPU type at its size; a job whose node went down starts again in its old place.
 */
#include "policy/baselines/by_time.h"
#include "policy/policies.h"

/* Total time does not change. */
static void same_rank(void *owner, const struct hsim_view *view, const struct hsim_active *active,
                      struct rank *rank) {
  (void)owner;
  (void)view;
  (void)active;
  (void)rank;
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct by_time *sjf = state;
  if (sjf->base.some_stopped) /* some that ran may hold nothing */
    ranked_refresh(&sjf->base.ranked, &sjf->base.placer, view, same_rank, NULL);
  sjf->base.some_stopped = false;
  ranked_start(&sjf->base.ranked, &sjf->base.placer, view, plan);
  return HSIM_OK;
}

const struct hsim_policy policy_sjf = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "sjf",
    .summary = "Shortest job first by total time; a running job is never stopped",
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
    .job_stopped = baseline_job_stopped,
    .node_changed = baseline_node_changed,
    .schedule = schedule,
};
