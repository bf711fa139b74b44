/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/baselines/work.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

void work_create(struct work *work, const struct hsim_view *view) {
  work->jobs = mem_zero((size_t)view->n_jobs, sizeof *work->jobs);
}

void work_destroy(struct work *work) {
  free(work->jobs);
}

void work_meet(struct work *work, const struct hsim_view *view, const struct hsim_active *active) {
  struct work_job *job = &work->jobs[active->index];
  job->rate = hsim_best_rate(view->oracle, active, active->job->workers, &job->type);
  job->model = active->model;
}

double work_remaining(struct work *work, const struct placer *placer, const struct hsim_view *view,
                      const struct hsim_active *active) {
  struct work_job *job = &work->jobs[active->index];
  if (job->model != active->model)
    work_meet(work, view, active);
  if (!(job->rate > 0))
    return INFINITY;
  if (active->job->n_phases == 0)
    return hsim_remaining_steps(view, active) / job->rate;
  int workers = active->job->workers;
  return hsim_remaining_s(view, active, job->type, workers,
                          placer_span(placer, job->type, workers));
}
