/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/baselines/by_time.h"

enum hsim_status by_time_create(void *state, const struct hsim_view *view,
                                const struct hsim_value *values, struct hsim_error *error) {
  (void)error;
  struct by_time *by_time = state;
  baseline_create(&by_time->base, view, values);
  work_create(&by_time->work, view);
  return HSIM_OK;
}

void by_time_destroy(void *state) {
  struct by_time *by_time = state;
  baseline_destroy(&by_time->base);
  work_destroy(&by_time->work);
}

double by_time_left(struct by_time *by_time, const struct hsim_view *view,
                    const struct hsim_active *job) {
  return work_remaining(&by_time->work, &by_time->base.placer, view, job);
}

void by_time_job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  struct by_time *by_time = state;
  placer_meet(&by_time->base.placer, job);
  work_meet(&by_time->work, view, job);
  baseline_add(&by_time->base, job, 0, by_time_left(by_time, view, job));
}
