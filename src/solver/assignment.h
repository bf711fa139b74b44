/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rectangular linear assignment problem: each row gets a column of its own so that the sum of
 * the costs is smallest. Shortest augmenting paths, one row after the other (Crouse, "On
 * implementing 2D rectangular assignment algorithms", 2016). O(rows^2 * columns).
 *
 * Which of several optima is found is part of the contract, since published AlloX schedules hang on
 * it: the one of SciPy 1.10's linear_sum_assignment, which walks the columns in the same order and
 * adds in the same order.
 */
#ifndef HSIM_SOLVER_ASSIGNMENT_H
#define HSIM_SOLVER_ASSIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the row's costs, one a column: finite, or INFINITY where the row must not go. The same at
 * every call. Costs are asked for and not stored: a matrix may be larger than memory. */
typedef void lap_costs(const void *context, int row, double *costs);

/* Scratch, kept from problem to problem. Zero-initialise it. */
struct lap {
  size_t row_capacity, column_capacity;
  double *row_dual;               /* [rows] */
  int *column_of, *visited_rows;  /* [rows] */
  double *column_dual, *shortest; /* [columns] */
  int *row_of, *from, *unvisited; /* [columns] */
  double *costs;                  /* [columns] of one row */
};

/* rows <= columns. column_of: [rows]. False: no assignment of finite cost exists. */
bool lap_solve(struct lap *lap, int rows, int columns, lap_costs *costs, const void *context,
               int *column_of);
void lap_free(struct lap *lap);

#endif
