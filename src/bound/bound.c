/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/bound.h"

#include <math.h>

#include "bound/parts.h"

/* Mean JCT and slowdown look at this much more than the shortest makespan: a schedule that is good
 * for them may be longer. What it does after that costs nothing in the certificates. */
#define HORIZON 1.25

struct bound_rules bound_rules_of(const struct hsim_policy *table) {
  return (struct bound_rules){.elastic = table->elastic,
                              .mixes_types = table->mixes_types,
                              .pairs = !table->never_pairs,
                              .forks = table->forks};
}

bool bound_rules_same(const struct bound_rules *a, const struct bound_rules *b) {
  return a->elastic == b->elastic && a->mixes_types == b->mixes_types && a->pairs == b->pairs &&
         a->forks == b->forks;
}

static void simple_bounds(const struct bound_problem *problem, struct bounds *bounds) {
  double longest = 0, work = 0;
  for (int j = 0; j < problem->n_jobs; j++) {
    const struct bound_job *job = &problem->jobs[j];
    const struct bound_kind *kind = &problem->kinds[job->kind];
    double least = INFINITY;
    for (int m = 0; m < kind->n_modes; m++)
      least = fmin(least, mode_work(&kind->modes[m], job->steps));
    work += least;
    longest = fmax(longest, job->arrival_s - problem->first_arrival_s + job->shortest_s);
    bounds->jct_mean_s += job->shortest_s / problem->n_jobs;
  }
  bounds->longest_s = longest;
  bounds->work_s = work / problem->gpus;
}

static void compute(const struct bound_problem *problem, struct lp *lp, struct bounds *bounds) {
  struct bound_size size = {0};
  simple_bounds(problem, bounds);
  bounds->makespan_s = fmax(bounds->longest_s, bounds->work_s);
  bound_makespan(problem, lp, &bounds->makespan_s, &size);
  double horizon = HORIZON * bounds->makespan_s;
  bound_jct(problem, lp, horizon, &bounds->jct_mean_s, &size);
  bound_slowdown(problem, lp, horizon, &bounds->slowdown_max, &size);
  bounds->intervals = size.intervals;
  bounds->classes = size.classes;
  bounds->unsolved = size.unsolved;
}

static void round_down(const struct bound_problem *problem, double latest_s, double *figure) {
  *figure = fmax(0, *figure - problem_rounding(problem, *figure, latest_s));
}

void bound_compute(const struct bound_input *input, struct bounds *bounds) {
  struct bound_problem problem;
  problem_init(&problem, input);
  *bounds = (struct bounds){.jobs = problem.n_jobs};
  if (problem.n_jobs > 0) {
    struct lp *lp = lp_create();
    compute(&problem, lp, bounds);
    lp_destroy(lp);
    double latest = problem.first_arrival_s + 2 * bounds->makespan_s;
    round_down(&problem, latest, &bounds->longest_s);
    round_down(&problem, latest, &bounds->work_s);
    round_down(&problem, latest, &bounds->makespan_s);
    round_down(&problem, latest, &bounds->jct_mean_s);
  } else {
    bounds->longest_s = bounds->work_s = bounds->makespan_s = (double)NAN;
    bounds->jct_mean_s = bounds->slowdown_max = (double)NAN;
  }
  problem_free(&problem);
}
