/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linear and mixed-integer programs: a thin layer over GLPK's simplex method and branch and bound.
 *
 *   lp_begin      sizes and direction; forgets the program before
 *   lp_row/lp_column/lp_integer, lp_entry   bounds, costs, coefficients, in any order
 *   lp_solve      from the basis of all slacks; again after lp_row/lp_column/lp_cost/lp_replace:
 *                 from the last basis, and if that finds no optimum from the first one
 *   lp_solve_integer   after that: branch and bound
 *   lp_solve_interior  instead: of all optima the one in the middle
 *   lp_value      the optimum's coordinates
 *
 * Rows and columns are numbered from 0. A bound may be infinite, a coefficient not. What GLPK
 * would abort the process over is checked here first and makes lp_solve fail instead.
 */
#ifndef HSIM_SOLVER_LP_H
#define HSIM_SOLVER_LP_H

#include <stdbool.h>
#include <stdint.h>

#include "hsim/types.h"

struct lp; /* opaque */

enum lp_direction { LP_MINIMISE, LP_MAXIMISE };

/* How lp_solve walks; the optimum's value does not depend on it. */
enum lp_method { LP_PRIMAL, LP_DUAL };

/* What branch and bound found. */
struct lp_integer_result {
  bool proven;  /* optimal within GLPK's tolerances; else the node limit ended the search */
  double bound; /* no solution is better than this: its own value when proven, else the
                   relaxation's */
  int nodes;    /* of the tree, looked into */
};

struct lp_counters {
  uint64_t solves;     /* calls of lp_solve that reached the simplex method */
  uint64_t iterations; /* simplex iterations over all of them */
  uint64_t searches;   /* calls of lp_solve_integer that reached branch and bound */
  uint64_t interior;   /* calls of lp_solve_interior that reached the interior-point method */
  double seconds;      /* wall clock inside all of them: differs from run to run */
};

struct lp *lp_create(void);
void lp_destroy(struct lp *lp); /* NULL is fine */

void lp_begin(struct lp *lp, int rows, int columns, enum lp_direction direction);
void lp_row(struct lp *lp, int row, double low, double high);
void lp_column(struct lp *lp, int column, double low, double high);
void lp_cost(struct lp *lp, int column, double cost);
/* The column takes whole numbers only; matters to lp_solve_integer alone. */
void lp_integer(struct lp *lp, int column);
/* From now on branch and bound looks for clique cuts and mixed-integer rounding cuts: fewer nodes
 * where columns exclude each other or share what there is little of. Off at first; stays over
 * lp_begin. */
void lp_cuts(struct lp *lp, bool on);
/* Branch and bound splits on this column, while it is not whole, before any that is not marked.
 * Before lp_solve. */
void lp_split_first(struct lp *lp, int column);
/* After lp_solve, for the next lp_solve_integer: [columns] of a solution, whose value it then only
 * has to beat by more than 1e-7. The search fails if it is none. */
void lp_known(struct lp *lp, const double *values);
/* One coefficient, not 0, at most once a place, before the first lp_solve. */
void lp_entry(struct lp *lp, int row, int column, double coefficient);
/* After lp_solve: the column's n coefficients become these, all others 0. */
void lp_replace(struct lp *lp, int column, int n, const int *rows, const double *coefficients);

/* HSIM_FAILED with GLPK's verdict (infeasible, unbounded, ...) when there is no optimum. */
enum hsim_status lp_solve(struct lp *lp, enum lp_method method, struct hsim_error *error);
/* The last lp_solve failed because nothing satisfies all bounds. */
bool lp_infeasible(const struct lp *lp);

/* After lp_solve returned HSIM_OK: branch and bound from its optimum. `max_nodes` 0: no limit. With
 * a limit the best solution so far counts, and HSIM_FAILED only means that there is none. No limit
 * in seconds: the answer would depend on the machine. */
enum hsim_status lp_solve_integer(struct lp *lp, int max_nodes, struct lp_integer_result *result,
                                  struct hsim_error *error);

/* GLPK's interior-point method, which needs no lp_solve before. Where lp_solve ends in a corner of
 * the set of optima, this ends near its analytic centre, within about 1e-8 of the optimum. Integer
 * columns count as others. HSIM_FAILED when it does not converge. */
enum hsim_status lp_solve_interior(struct lp *lp, struct hsim_error *error);

/* Of the last of the three lp_solve..., when it returned HSIM_OK. */
double lp_value(const struct lp *lp, int column);
double lp_objective(const struct lp *lp);
/* Of the last lp_solve: what one unit more of the row's active bound adds to the objective. */
double lp_dual(const struct lp *lp, int row);
/* Of the last lp_solve: what one unit more of a column at its bound adds to the objective. */
double lp_reduced_cost(const struct lp *lp, int column);

const struct lp_counters *lp_counters(const struct lp *lp);

#endif
