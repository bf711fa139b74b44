/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JCT, queueing and slowdown over some of the jobs: the finished ones. A job that no single GPU
 * type can run at its size has no slowdown.
 */
#ifndef HSIM_OUTPUT_JOB_FIGURES_H
#define HSIM_OUTPUT_JOB_FIGURES_H

#include "model/trace.h"
#include "output/ideal.h"
#include "output/quantiles.h"

/* How a job came through a run; NaN where something did not happen. */
struct job_fate {
  double first_start, end;
  bool finished;
};
typedef struct job_fate job_fate_of(const void *state, int job);

struct job_figures {
  struct quantiles jct, queueing, slowdown;
};

/* `values` has room for one a job. */
struct job_figures job_figures_of(const struct trace *trace, struct ideal *ideal, const int *jobs,
                                  size_t n, job_fate_of *fate, const void *state, double *values);

#endif
