/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/prices.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *left, const void *right) {
  const double *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

void grid_make(struct bound_grid *grid, double first, double last, double *times, int n) {
  double least = (last - first) * 1e-9; /* thinner intervals only trouble the solver */
  if (n > 1)
    qsort(times, (size_t)n, sizeof *times, by_value);
  *grid = (struct bound_grid){.at = mem_alloc((size_t)n + 2, sizeof *grid->at)};
  grid->at[0] = first;
  for (int i = 0; i < n; i++)
    if (times[i] - grid->at[grid->n] > least && last - times[i] > least)
      grid->at[++grid->n] = times[i];
  if (last > first)
    grid->at[++grid->n] = last;
}

void grid_free(struct bound_grid *grid) {
  free(grid->at);
  *grid = (struct bound_grid){0};
}

int grid_find(const struct bound_grid *grid, double t) {
  int low = 0, high = grid->n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (grid->at[middle + 1] <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void prices_init(struct bound_prices *prices, const struct bound_grid *grid, int n_types) {
  size_t n = (size_t)n_types * (size_t)grid->n;
  *prices = (struct bound_prices){.grid = grid,
                                  .n_types = n_types,
                                  .begin = mem_zero(n, sizeof(double)),
                                  .end = mem_zero(n, sizeof(double))};
}

void prices_free(struct bound_prices *prices) {
  free(prices->begin);
  free(prices->end);
  *prices = (struct bound_prices){0};
}

double prices_total(const struct bound_problem *problem, const struct bound_prices *prices) {
  double total = 0;
  int n = prices->grid->n;
  for (int type = 0; type < prices->n_types; type++)
    for (int i = 0; i < n; i++) {
      double seconds = prices->grid->at[i + 1] - prices->grid->at[i];
      double mean = (prices->begin[type * n + i] + prices->end[type * n + i]) / 2;
      total += problem->cluster->type_gpus[type] * seconds * mean;
    }
  return total;
}

static double price_at(const struct bound_prices *prices, int type, int i, double t) {
  const double *at = prices->grid->at;
  double begin = prices->begin[type * prices->grid->n + i];
  double end = prices->end[type * prices->grid->n + i];
  double part = (t - at[i]) / (at[i + 1] - at[i]);
  return begin + (end - begin) * part;
}

/* One mode: a linear function in each interval, so one end of what is left of it is cheapest. */
static double cheapest_of(const struct bound_prices *prices, const struct bound_job *job, int type,
                          double work, double until, double waiting, double below) {
  const struct bound_grid *grid = prices->grid;
  double from = job->arrival_s, best = below;
  int i = grid_find(grid, from);
  for (; i < grid->n && grid->at[i] < until; i++) {
    double begin = fmax(grid->at[i], from), end = fmin(grid->at[i + 1], until);
    if (waiting * (begin - from) >= best)
      return best;
    best = fmin(best, waiting * (begin - from) + work * price_at(prices, type, i, begin));
    best = fmin(best, waiting * (end - from) + work * price_at(prices, type, i, end));
  }
  if (until > grid->at[grid->n])
    best = fmin(best, waiting * fmax(0, grid->at[grid->n] - from));
  return best;
}

double prices_cheapest(const struct bound_problem *problem, const struct bound_prices *prices,
                       const struct bound_job *job, double until, double waiting, double running) {
  const struct bound_kind *kind = &problem->kinds[job->kind];
  double best = INFINITY;
  for (int m = 0; m < kind->n_modes; m++) {
    const struct bound_mode *mode = &kind->modes[m];
    double fixed = running * mode_seconds(problem, mode, job->steps);
    if (fixed < best)
      best = fixed + cheapest_of(prices, job, mode->type, mode_work(mode, job->steps), until,
                                 waiting, best - fixed);
  }
  return best;
}
