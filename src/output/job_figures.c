/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/job_figures.h"

#include <math.h>

/* Each of the three in the same array, one after the other. */
struct job_figures job_figures_of(const struct trace *trace, struct ideal *ideal, const int *jobs,
                                  size_t n, job_fate_of *fate, const void *state, double *values) {
  struct job_figures figures;
  size_t n_jct = 0, n_queueing = 0, n_slowdown = 0;
  for (size_t i = 0; i < n; i++) {
    struct job_fate job = fate(state, jobs[i]);
    if (job.finished)
      values[n_jct++] = job.end - trace->jobs[jobs[i]].arrival_s;
  }
  figures.jct = quantiles_of(values, n_jct);
  for (size_t i = 0; i < n; i++) {
    struct job_fate job = fate(state, jobs[i]);
    if (job.finished && !isnan(job.first_start))
      values[n_queueing++] = job.first_start - trace->jobs[jobs[i]].arrival_s;
  }
  figures.queueing = quantiles_of(values, n_queueing);
  for (size_t i = 0; i < n; i++) {
    struct job_fate job = fate(state, jobs[i]);
    const struct hsim_job *fact = &trace->jobs[jobs[i]];
    double alone = job.finished ? ideal_s(ideal, fact) : NAN;
    if (!isnan(alone))
      values[n_slowdown++] = (job.end - fact->arrival_s) / alone;
  }
  figures.slowdown = quantiles_of(values, n_slowdown);
  return figures;
}
