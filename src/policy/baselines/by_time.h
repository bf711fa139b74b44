/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sjf and srtf share: a baseline whose jobs are ranked by time on their fastest GPU type. */
#ifndef HSIM_POLICY_BASELINES_BY_TIME_H
#define HSIM_POLICY_BASELINES_BY_TIME_H

#include "policy/baselines/baseline.h"
#include "policy/baselines/work.h"

struct by_time {
  struct baseline base; /* first: the callbacks of baseline.h take the same state */
  struct work work;
};

/* Callbacks */
enum hsim_status by_time_create(void *state, const struct hsim_view *view,
                                const struct hsim_value *values, struct hsim_error *error);
void by_time_destroy(void *state);
void by_time_job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job);

/* Seconds of work that the job has left. */
double by_time_left(struct by_time *by_time, const struct hsim_view *view,
                    const struct hsim_active *job);

#endif
