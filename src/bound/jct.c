/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mean JCT. With x_j(t) the part of job j's work that is done at time t, M_j = integral of t x_j(t)
 * its mean busy time, p_j its shortest time and P_j its seconds of running,
 *   JCT_j >= M_j + p_j / 2 - r_j   and   JCT_j >= P_j,
 * so also any mixture of the two. Under prices of GPU time the least of a mixture's cost is found
 * for each job alone; what all GPUs are worth comes off.
 *
 * The linear programs that propose the prices, one for each of two mixtures, have a column for each
 * class, mode and grid point, at which the class takes GPU-seconds from the two intervals beside
 * it: its duals are prices that are linear between the grid points.
 */
#include <math.h>
#include <stdlib.h>

#include "bound/parts.h"

enum { INTERVALS = 36 };

struct jct {
  const struct bound_problem *problem;
  struct bound_grid grid;
  struct bound_classes classes;
  struct bound_prices prices;
  double unit;    /* seconds, of the program's times */
  double waiting; /* of the program's mixture: the part of M_j + p_j / 2 - r_j */
};

/* First grid point that is not before t; n + 1 when there is none. */
static int point_after(const struct bound_grid *grid, double t) {
  int i = grid_find(grid, t);
  if (i < grid->n)
    return grid->at[i] >= t ? i : i + 1;
  return grid->at[grid->n] >= t ? grid->n : grid->n + 1;
}

static int capacity_row(const struct jct *s, int type, int point) {
  return s->classes.n + type * s->grid.n + point;
}

static void load_capacity(const struct jct *s, struct lp *lp) {
  const double *at = s->grid.at;
  for (int type = 0; type < s->problem->cluster->n_types; type++)
    for (int i = 0; i < s->grid.n; i++) {
      double seconds = (at[i + 1] - at[i > 0 ? i - 1 : 0]) / 2;
      lp_row(lp, capacity_row(s, type, i), -INFINITY,
             s->problem->cluster->type_gpus[type] * seconds / s->unit);
    }
}

/* The class's work at time t in a mode, `part` of the way from grid point i to the next. */
static void load_column(const struct jct *s, struct lp *lp, int column, int c,
                        const struct bound_mode *mode, double t, int i, double part) {
  const struct bound_class *class = &s->classes.at[c];
  double work = class->n * mode_work(mode, class->mean.steps) / s->unit;
  double waits = fmax(0, t - class->mean.arrival_s);
  double runs = mode_seconds(s->problem, mode, class->mean.steps);
  lp_column(lp, column, 0, INFINITY);
  lp_cost(lp, column, class->n * (s->waiting * waits + (1 - s->waiting) * runs) / s->unit);
  bound_entry(lp, c, column, 1);
  if (i < s->grid.n && part < 1)
    bound_entry(lp, capacity_row(s, mode->type, i), column, work * (1 - part));
  if (i + 1 < s->grid.n && part > 0)
    bound_entry(lp, capacity_row(s, mode->type, i + 1), column, work * part);
}

/* At its arrival, then at each later grid point. Returns the next free column. */
static int load_class(const struct jct *s, struct lp *lp, int c, int column) {
  const struct bound_job *mean = &s->classes.at[c].mean;
  const struct bound_kind *kind = &s->problem->kinds[mean->kind];
  const struct bound_grid *grid = &s->grid;
  int before = grid_find(grid, mean->arrival_s);
  double part = 0;
  if (before < grid->n)
    part =
        fmax(0, (mean->arrival_s - grid->at[before]) / (grid->at[before + 1] - grid->at[before]));
  for (int m = 0; m < kind->n_modes; m++) {
    const struct bound_mode *mode = &kind->modes[m];
    if (lp)
      load_column(s, lp, column, c, mode, mean->arrival_s, before, part);
    column++;
    for (int i = point_after(grid, mean->arrival_s); i <= grid->n; i++, column++)
      if (lp && (i > before || part > 0))
        load_column(s, lp, column, c, mode, grid->at[i], i, 0);
  }
  return column;
}

static void load(const struct jct *s, struct lp *lp) {
  int columns = 0;
  for (int c = 0; c < s->classes.n; c++)
    columns = load_class(s, NULL, c, columns);
  lp_begin(lp, capacity_row(s, s->problem->cluster->n_types, 0), columns, LP_MINIMISE);
  for (int c = 0; c < s->classes.n; c++)
    lp_row(lp, c, 1, INFINITY);
  load_capacity(s, lp);
  columns = 0;
  for (int c = 0; c < s->classes.n; c++)
    columns = load_class(s, lp, c, columns);
}

static void take_prices(struct jct *s, const struct lp *lp) {
  int n = s->grid.n;
  for (int type = 0; type < s->problem->cluster->n_types; type++)
    for (int i = 0; i < n; i++) {
      double price = fmax(0, -lp_dual(lp, capacity_row(s, type, i)));
      s->prices.begin[type * n + i] = price;
      if (i > 0)
        s->prices.end[type * n + i - 1] = price;
    }
}

/* The best mixture for the job: the least over all ways to run it of what it waits, runs and pays.
 * A job that forks has no seconds of running. */
static double job_least(const struct jct *s, const struct bound_job *job) {
  static const double mixtures[] = {1, 0.75, 0.5, 0.25, 0};
  double best = 0;
  for (int i = 0; i < (s->problem->input->rules.forks ? 1 : 5); i++) {
    double waiting = mixtures[i];
    double cost = prices_cheapest(s->problem, &s->prices, job, INFINITY, waiting, 1 - waiting);
    best = fmax(best, cost + waiting * job->shortest_s / 2);
  }
  return best;
}

static double prove(const struct jct *s) {
  double sum = 0, total = prices_total(s->problem, &s->prices);
  for (int j = 0; j < s->problem->n_jobs; j++)
    sum += job_least(s, &s->problem->jobs[j]);
  return (sum - total - 1e-11 * (sum + total)) / s->problem->n_jobs;
}

/* Half of the points are quantiles of the arrivals; the others are the denser the earlier, where
 * the queue is longest and prices change most. */
static void make_grid(struct jct *s) {
  const struct bound_problem *problem = s->problem;
  double first = problem->first_arrival_s, last = first + s->unit, times[INTERVALS];
  int half = INTERVALS / 2;
  for (int i = 0; i < INTERVALS; i++) {
    double part = (i % half + 1.0) / (half + 1.0);
    times[i] = i < half ? problem->jobs[(int)(part * problem->n_jobs)].arrival_s
                        : first + (last - first) * part * part;
  }
  grid_make(&s->grid, first, last, times, INTERVALS);
}

void bound_jct(const struct bound_problem *problem, struct lp *lp, double horizon_s,
               double *jct_mean_s, struct bound_size *size) {
  static const double mixtures[] = {1, 0.5};
  struct jct s = {.problem = problem, .unit = horizon_s};
  make_grid(&s);
  classes_init(&s.classes, problem, classes_affordable(problem, s.grid.n), NULL);
  prices_init(&s.prices, &s.grid, problem->cluster->n_types);
  int n = problem->input->rules.forks ? 1 : 2;
  for (int i = 0; i < n; i++) {
    s.waiting = mixtures[i];
    load(&s, lp);
    if (bound_solved(lp, size)) {
      take_prices(&s, lp);
      *jct_mean_s = fmax(*jct_mean_s, prove(&s));
    }
  }
  bound_size_take(size, s.grid.n, s.classes.n);
  prices_free(&s.prices);
  classes_free(&s.classes);
  grid_free(&s.grid);
}
