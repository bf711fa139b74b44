/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linear programs: a thin layer over GLPK's simplex method.
 *
 *   lp_begin      sizes and direction; forgets the program before
 *   lp_row/lp_column, lp_entry   bounds, costs, coefficients, in any order
 *   lp_solve      from the basis of all slacks; again after lp_cost/lp_column: from the last basis
 *   lp_value      the optimum's coordinates
 *
 * Rows and columns are numbered from 0. A bound may be infinite, a coefficient not. What GLPK
 * would abort the process over is checked here first and makes lp_solve fail instead.
 */
#ifndef HSIM_SOLVER_LP_H
#define HSIM_SOLVER_LP_H

#include <stdint.h>

#include "hsim/types.h"

struct lp; /* opaque */

enum lp_direction { LP_MINIMISE, LP_MAXIMISE };

/* How lp_solve walks; the optimum's value does not depend on it. */
enum lp_method { LP_PRIMAL, LP_DUAL };

struct lp_counters {
  uint64_t solves;     /* calls of lp_solve that reached the simplex method */
  uint64_t iterations; /* simplex iterations over all of them */
  double seconds;      /* wall clock inside lp_solve: differs from run to run */
};

struct lp *lp_create(void);
void lp_destroy(struct lp *lp); /* NULL is fine */

void lp_begin(struct lp *lp, int rows, int columns, enum lp_direction direction);
void lp_row(struct lp *lp, int row, double low, double high);
void lp_column(struct lp *lp, int column, double low, double high);
void lp_cost(struct lp *lp, int column, double cost);
/* One coefficient, not 0, at most once a place, before the first lp_solve. */
void lp_entry(struct lp *lp, int row, int column, double coefficient);

/* HSIM_FAILED with GLPK's verdict (infeasible, unbounded, ...) when there is no optimum. */
enum hsim_status lp_solve(struct lp *lp, enum lp_method method, struct hsim_error *error);

/* After lp_solve returned HSIM_OK. */
double lp_value(const struct lp *lp, int column);
double lp_objective(const struct lp *lp);

const struct lp_counters *lp_counters(const struct lp *lp);

#endif
