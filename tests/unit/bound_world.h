/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of a test world, and what a run of it came to. */
#ifndef HSIM_TESTS_BOUND_WORLD_H
#define HSIM_TESTS_BOUND_WORLD_H

#include <math.h>
#include <stdlib.h>

#include "bound/bound.h"
#include "output/ideal.h"
#include "world.h"

struct bound_figures {
  double makespan_s, jct_mean_s, slowdown_max;
};

static inline struct bounds bounds_of_trace(const struct trace *trace, const struct rates *rates,
                                            const struct hsim_cluster *cluster,
                                            const struct semantics *semantics,
                                            struct bound_rules rules) {
  struct hsim_oracle oracle;
  oracle_init(&oracle, rates, cluster, semantics);
  struct ideal ideal;
  ideal_init(&ideal, &oracle);
  double *alone = mem_alloc((size_t)trace->n_jobs, sizeof *alone);
  for (int j = 0; j < trace->n_jobs; j++)
    alone[j] = ideal_s(&ideal, &trace->jobs[j]);
  struct bound_input input = {.trace = trace, .oracle = &oracle, .rules = rules, .ideal_s = alone};
  struct bounds bounds;
  bound_compute(&input, &bounds);
  ideal_free(&ideal);
  free(alone);
  return bounds;
}

/* Of all jobs of a world that need not have run. */
static inline struct bounds bounds_of_world(struct world *w, struct bound_rules rules) {
  if (!w->rates_ready)
    assert_int_equal(rates_finish(&w->rates, &w->error), HSIM_OK);
  w->rates_ready = true;
  return bounds_of_trace(&w->trace, &w->rates, &w->cluster.view, &w->config.semantics, rules);
}

/* Figures over the jobs that finished in the last run, and the bounds over just these: whatever
 * else ran only took GPUs from them. False when none finished. */
static inline bool finished_and_bounds(const struct world *w, const struct semantics *semantics,
                                       struct bound_rules rules, struct bound_figures *figures,
                                       struct bounds *bounds) {
  struct trace part = {.jobs = mem_alloc((size_t)w->trace.n_jobs, sizeof(struct hsim_job))};
  struct hsim_oracle oracle;
  oracle_init(&oracle, &w->rates, &w->cluster.view, semantics);
  struct ideal ideal;
  ideal_init(&ideal, &oracle);
  double *finish = mem_alloc((size_t)w->trace.n_jobs, sizeof *finish);
  for (int j = 0; j < w->trace.n_jobs; j++)
    finish[j] = NAN;
  for (size_t i = 0; i < w->n_events; i++)
    if (w->events[i].kind == RECORD_FINISH)
      finish[w->events[i].job] = w->events[i].time;
  *figures = (struct bound_figures){.slowdown_max = NAN};
  double last = -INFINITY, sum = 0;
  for (int j = 0; j < w->trace.n_jobs; j++) {
    if (isnan(finish[j]))
      continue;
    const struct hsim_job *job = &w->trace.jobs[j];
    part.jobs[part.n_jobs++] = *job;
    last = fmax(last, finish[j]);
    sum += finish[j] - job->arrival_s;
    figures->slowdown_max =
        fmax(figures->slowdown_max, (finish[j] - job->arrival_s) / ideal_s(&ideal, job));
  }
  bool any = part.n_jobs > 0;
  if (any) {
    figures->makespan_s = last - part.jobs[0].arrival_s;
    figures->jct_mean_s = sum / part.n_jobs;
    *bounds = bounds_of_trace(&part, &w->rates, &w->cluster.view, semantics, rules);
    assert_int_equal(bounds->jobs, part.n_jobs);
  }
  ideal_free(&ideal);
  free(finish);
  free(part.jobs);
  return any;
}

/* The name of a bound that the figures beat, NULL when they beat none. */
static inline const char *beaten(const struct bound_figures *figures, const struct bounds *bounds) {
  if (figures->makespan_s < bounds->makespan_s || figures->makespan_s < bounds->longest_s ||
      figures->makespan_s < bounds->work_s)
    return "makespan";
  if (figures->jct_mean_s < bounds->jct_mean_s)
    return "mean JCT";
  return figures->slowdown_max < bounds->slowdown_max ? "maximum slowdown" : NULL;
}

#endif
