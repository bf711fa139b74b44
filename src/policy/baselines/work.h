/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a job has still to run on the GPU type that is fastest for it, at its size: what the
 * shortest-first baselines sort by.
 */
#ifndef HSIM_POLICY_BASELINES_WORK_H
#define HSIM_POLICY_BASELINES_WORK_H

#include "policy/baselines/place.h"

/* The fastest type of a job in its present phase, by job index. */
struct work_job {
  double rate; /* 0: it runs nowhere */
  int type;
  int model; /* the phase for which they hold */
};

struct work {
  struct work_job *jobs; /* [n_jobs] */
};

void work_create(struct work *work, const struct hsim_view *view);
void work_destroy(struct work *work);

/* A job arrives: to be called before work_remaining. */
void work_meet(struct work *work, const struct hsim_view *view, const struct hsim_active *active);

/* Seconds of uninterrupted progress; infinity when it cannot run there. */
double work_remaining(struct work *work, const struct placer *placer, const struct hsim_view *view,
                      const struct hsim_active *active);

#endif
