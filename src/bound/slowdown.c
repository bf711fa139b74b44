/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maximum slowdown. A slowdown of S at most gives each job the deadline arrival + S * ideal. Prices
 * of GPU time prove that no schedule keeps them all when even the cheapest way to do each job's
 * work between its arrival and its deadline costs more, in sum, than all GPU time is worth. A
 * linear program for one S proposes prices; the largest S that they disprove is found with them
 * alone.
 */
#include <math.h>
#include <stdlib.h>

#include "bound/parts.h"

#define PRECISION 1.01
enum { INTERVALS = 24, PROGRAMS = 12, HALVINGS = 24 };

struct slowdown {
  const struct bound_problem *problem;
  struct bound_grid grid;
  struct bound_classes classes;
  struct bound_prices prices; /* one an interval: begin = end */
  double unit;                /* seconds, of the program's times */
  double rounding_s;          /* by which rounding may make a JCT too short */
};

static double deadline(const struct slowdown *s, const struct bound_job *job, double slowdown) {
  return job->arrival_s + slowdown * job->ideal_s + s->rounding_s;
}

static int by_value(const void *left, const void *right) {
  const double *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* ---- the program: the least overload with which all deadlines hold ---- */

static int capacity_row(const struct slowdown *s, int type, int i) {
  return s->classes.n + type * s->grid.n + i;
}

/* Intervals that the class's time has a part of. */
static int first_interval(const struct slowdown *s, const struct bound_job *mean) {
  return grid_find(&s->grid, mean->arrival_s);
}

/* Jobs without a deadline, or with one after the grid, find room there. */
static bool counts(const struct slowdown *s, const struct bound_job *mean, double slowdown) {
  return deadline(s, mean, slowdown) <= s->grid.at[s->grid.n]; /* false for NaN */
}

/* Returns the next free column; with `lp` NULL it only counts. */
static int load_class(const struct slowdown *s, struct lp *lp, int c, double slowdown, int column) {
  const struct bound_class *class = &s->classes.at[c];
  const struct bound_kind *kind = &s->problem->kinds[class->mean.kind];
  if (!counts(s, &class->mean, slowdown))
    return column;
  if (lp)
    lp_row(lp, c, 1, INFINITY);
  double end = deadline(s, &class->mean, slowdown);
  int i = first_interval(s, &class->mean);
  for (; i < s->grid.n && s->grid.at[i] < end; i++)
    for (int m = 0; m < kind->n_modes; m++, column++) {
      if (!lp)
        continue;
      const struct bound_mode *mode = &kind->modes[m];
      lp_column(lp, column, 0, INFINITY);
      bound_entry(lp, c, column, 1);
      bound_entry(lp, capacity_row(s, mode->type, i), column,
                  class->n * mode_work(mode, class->mean.steps) / s->unit);
    }
  return column;
}

static void load(const struct slowdown *s, struct lp *lp, double slowdown) {
  const struct hsim_cluster *cluster = s->problem->cluster;
  int columns = 1;
  for (int c = 0; c < s->classes.n; c++)
    columns = load_class(s, NULL, c, slowdown, columns);
  lp_begin(lp, capacity_row(s, cluster->n_types, 0), columns, LP_MINIMISE);
  lp_column(lp, 0, 0, INFINITY);
  lp_cost(lp, 0, 1);
  for (int type = 0; type < cluster->n_types; type++)
    for (int i = 0; i < s->grid.n; i++) {
      double seconds = (s->grid.at[i + 1] - s->grid.at[i]) / s->unit;
      lp_row(lp, capacity_row(s, type, i), -INFINITY, 0);
      if (cluster->type_gpus[type] > 0)
        bound_entry(lp, capacity_row(s, type, i), 0, -cluster->type_gpus[type] * seconds);
    }
  columns = 1;
  for (int c = 0; c < s->classes.n; c++) {
    lp_row(lp, c, -INFINITY, INFINITY);
    columns = load_class(s, lp, c, slowdown, columns);
  }
}

static void take_prices(struct slowdown *s, const struct lp *lp) {
  int n = s->grid.n;
  for (int type = 0; type < s->problem->cluster->n_types; type++)
    for (int i = 0; i < n; i++)
      s->prices.begin[type * n + i] = s->prices.end[type * n + i] =
          fmax(0, -lp_dual(lp, capacity_row(s, type, i)));
}

/* ---- the certificate ---- */

/* Whether the prices prove that some job's slowdown is above this one. */
static bool disproved(const struct slowdown *s, double slowdown) {
  double costs = 0, total = prices_total(s->problem, &s->prices);
  for (int j = 0; j < s->problem->n_jobs; j++) {
    const struct bound_job *job = &s->problem->jobs[j];
    if (!isnan(job->ideal_s))
      costs += prices_cheapest(s->problem, &s->prices, job, deadline(s, job, slowdown), 0, 0);
  }
  return costs > total + 1e-9 * (costs + total);
}

/* The largest slowdown in [proved, ...) that the prices disprove, `proved` being one. */
static double push(const struct slowdown *s, double proved) {
  double low = proved, high = 2 * proved;
  while (disproved(s, high) && high < 1e15) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < HALVINGS; i++) {
    double middle = low + (high - low) / 2;
    if (disproved(s, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Half of the ends are quantiles of the arrivals, half of the deadlines. */
static void make_grid(struct slowdown *s, double slowdown) {
  const struct bound_problem *problem = s->problem;
  int n = 0, half = INTERVALS / 2;
  double first = problem->first_arrival_s, times[INTERVALS];
  double *deadlines = mem_alloc((size_t)problem->n_jobs, sizeof *deadlines);
  for (int j = 0; j < problem->n_jobs; j++)
    if (!isnan(problem->jobs[j].ideal_s))
      deadlines[n++] = deadline(s, &problem->jobs[j], slowdown);
  qsort(deadlines, (size_t)n, sizeof *deadlines, by_value);
  for (int i = 0; i < half; i++) {
    double part = (i + 1.0) / half;
    times[i] = problem->jobs[(int)(part * (problem->n_jobs - 1))].arrival_s;
    times[half + i] = deadlines[(int)(part * (n - 1))];
  }
  double last = fmin(deadlines[n - 1], first + s->unit);
  free(deadlines);
  grid_make(&s->grid, first, last, times, INTERVALS);
  prices_init(&s->prices, &s->grid, problem->cluster->n_types);
}

/* Whether this slowdown is disproved; then *bound grows to what the same prices disprove. */
static bool try(struct slowdown *s, struct lp *lp, double slowdown, double *bound,
                struct bound_size *size) {
  bool above = false;
  make_grid(s, slowdown);
  load(s, lp, slowdown);
  if (bound_solved(lp, size)) {
    take_prices(s, lp);
    above = disproved(s, slowdown);
    if (above)
      *bound = push(s, slowdown);
  }
  prices_free(&s->prices);
  grid_free(&s->grid);
  return above;
}

/* Bisection between what is disproved and what is not. */
static void search(struct slowdown *s, struct lp *lp, double *bound, struct bound_size *size) {
  double high = INFINITY;
  for (int i = 0; i < PROGRAMS && *bound * PRECISION < high; i++) {
    double slowdown = isinf(high) ? *bound * 2 : sqrt(*bound * high);
    if (!try(s, lp, slowdown, bound, size))
      high = slowdown;
  }
}

/* Each job alone. */
static double alone(const struct slowdown *s) {
  double most = (double)NAN;
  for (int j = 0; j < s->problem->n_jobs; j++) {
    const struct bound_job *job = &s->problem->jobs[j];
    double shortest = fmax(0, job->shortest_s - s->rounding_s);
    if (!isnan(job->ideal_s))
      most = fmax(most, shortest / job->ideal_s);
  }
  return most;
}

void bound_slowdown(const struct bound_problem *problem, struct lp *lp, double horizon_s,
                    double *slowdown_max, struct bound_size *size) {
  double latest = problem->first_arrival_s + 2 * horizon_s;
  struct slowdown s = {
      .problem = problem, .unit = horizon_s, .rounding_s = problem_rounding(problem, 0, latest)};
  *slowdown_max = alone(&s);
  if (*slowdown_max > 0) {
    classes_init(&s.classes, problem, classes_affordable(problem, INTERVALS), NULL);
    search(&s, lp, slowdown_max, size);
    bound_size_take(size, INTERVALS, s.classes.n);
    classes_free(&s.classes);
  }
  *slowdown_max -= problem_rounding(problem, *slowdown_max, 0);
}
