/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/baselines/baseline.h"

#include <math.h>

const struct hsim_option baseline_options[BASELINE_N_OPTIONS] = {
    [BASELINE_TYPE] = PLACE_TYPE_OPTION,
    [BASELINE_CONSOLIDATE] = PLACE_CONSOLIDATE_OPTION,
};

void baseline_create(struct baseline *baseline, const struct hsim_view *view,
                     const struct hsim_value *values) {
  placer_create(&baseline->placer, view, (enum place_type)values[BASELINE_TYPE].as.i,
                (enum hsim_pack)values[BASELINE_CONSOLIDATE].as.i);
  ranked_create(&baseline->ranked, view);
}

void baseline_destroy(struct baseline *baseline) {
  placer_destroy(&baseline->placer);
  ranked_destroy(&baseline->ranked);
}

void baseline_add(struct baseline *baseline, const struct hsim_active *job, int level, double key) {
  ranked_add(
      &baseline->ranked,
      (struct rank){.level = level, .key = key, .job = job->index, .workers = job->job->workers});
}

void baseline_job_finished(void *state, const struct hsim_view *view,
                           const struct hsim_active *job) {
  (void)view;
  struct baseline *baseline = state;
  ranked_remove(&baseline->ranked, job->index);
}

void baseline_node_changed(void *state, const struct hsim_view *view, int node, bool up) {
  (void)node;
  (void)up;
  struct baseline *baseline = state;
  placer_survey(&baseline->placer, view);
}

void baseline_job_stopped(void *state, const struct hsim_view *view,
                          const struct hsim_active *job) {
  (void)view;
  (void)job;
  struct baseline *baseline = state;
  baseline->some_stopped = true;
}

double baseline_service(const struct hsim_view *view, const struct hsim_active *active) {
  return nearbyint(hsim_attained_gpu_s(view, active) * 1e6) / 1e6;
}
