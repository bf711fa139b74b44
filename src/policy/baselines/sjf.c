/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shortest job first: as srtf, but a job that runs is never stopped. The order is by total time on
 * the job's fastest GPU type at its size; a job whose node went down starts again in its old place.
 */
#include "policy/baselines/baseline.h"
#include "policy/baselines/work.h"
#include "policy/policies.h"

struct sjf {
  struct baseline base;
  struct work work;
};

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  (void)error;
  struct sjf *sjf = state;
  baseline_create(&sjf->base, view, values);
  work_create(&sjf->work, view);
  return HSIM_OK;
}

static void destroy(void *state) {
  struct sjf *sjf = state;
  baseline_destroy(&sjf->base);
  work_destroy(&sjf->work);
}

static void job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  struct sjf *sjf = state;
  placer_meet(&sjf->base.placer, job);
  work_meet(&sjf->work, view, job);
  baseline_add(&sjf->base, job, 0, work_remaining(&sjf->work, &sjf->base.placer, view, job));
}

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
  struct sjf *sjf = state;
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
    .state_size = sizeof(struct sjf),
    .options = baseline_options,
    .n_options = BASELINE_N_OPTIONS,
    .create = create,
    .destroy = destroy,
    .job_arrived = job_arrived,
    .job_finished = baseline_job_finished,
    .job_stopped = baseline_job_stopped,
    .node_changed = baseline_node_changed,
    .schedule = schedule,
};
