/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prices of a GPU-second by type and time: in each interval of a grid linear from `begin` to `end`,
 * 0 after the grid. Any prices >= 0 prove a bound; good ones prove a good one.
 */
#ifndef HSIM_BOUND_PRICES_H
#define HSIM_BOUND_PRICES_H

#include "bound/problem.h"

struct bound_grid {
  int n;      /* intervals */
  double *at; /* [n + 1] ascending */
};

struct bound_prices {
  const struct bound_grid *grid;
  int n_types;
  double *begin, *end; /* [n_types][n] */
};

/* From `first` to `last`, which may be the same, divided at the `times` that lie in between: sorts
 * them, and leaves out those that hardly differ from others. */
void grid_make(struct bound_grid *grid, double first, double last, double *times, int n);
void grid_free(struct bound_grid *grid);
/* The interval that contains t (begin <= t < end); n when it lies after the grid, 0 when before. */
int grid_find(const struct bound_grid *grid, double t);

void prices_init(struct bound_prices *prices, const struct bound_grid *grid, int n_types);
void prices_free(struct bound_prices *prices);

/* What all GPUs are worth at these prices. */
double prices_total(const struct bound_problem *problem, const struct bound_prices *prices);

/* The least that the job's work costs between its arrival and `until`, when a mode and a time are
 * chosen: GPU-seconds at their price, `waiting` a second from the arrival to then, `running` a
 * second of running. */
double prices_cheapest(const struct bound_problem *problem, const struct bound_prices *prices,
                       const struct bound_job *job, double until, double waiting, double running);

#endif
