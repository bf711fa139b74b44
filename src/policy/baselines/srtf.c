/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shortest remaining time first: the classical rule for a low mean completion time (Schrage 1968),
 * with gangs that are passed over while they do not fit. Remaining time is that on the job's
 * fastest GPU type at its size, wherever it runs.
 */
#include "policy/baselines/baseline.h"
#include "policy/baselines/work.h"
#include "policy/policies.h"

struct srtf {
  struct baseline base;
  struct work work;
};

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  (void)error;
  struct srtf *srtf = state;
  baseline_create(&srtf->base, view, values);
  work_create(&srtf->work, view);
  return HSIM_OK;
}

static void destroy(void *state) {
  struct srtf *srtf = state;
  baseline_destroy(&srtf->base);
  work_destroy(&srtf->work);
}

static void job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  struct srtf *srtf = state;
  placer_meet(&srtf->base.placer, job);
  work_meet(&srtf->work, view, job);
  baseline_add(&srtf->base, job, 0, work_remaining(&srtf->work, &srtf->base.placer, view, job));
}

static void rerank(void *owner, const struct hsim_view *view, const struct hsim_active *active,
                   struct rank *rank) {
  struct srtf *srtf = owner;
  rank->key = work_remaining(&srtf->work, &srtf->base.placer, view, active);
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct srtf *srtf = state;
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
    .state_size = sizeof(struct srtf),
    .options = baseline_options,
    .n_options = BASELINE_N_OPTIONS,
    .create = create,
    .destroy = destroy,
    .job_arrived = job_arrived,
    .job_finished = baseline_job_finished,
    .node_changed = baseline_node_changed,
    .schedule = schedule,
};
