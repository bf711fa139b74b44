/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three bounds, each of a problem with at least one job. *size grows to the largest program. */
#ifndef HSIM_BOUND_PARTS_H
#define HSIM_BOUND_PARTS_H

#include "bound/classes.h"
#include "solver/lp.h"

struct bound_size {
  int intervals, classes;
  int unsolved; /* programs that GLPK gave up: a bound stays what it was without them */
};

/* Seconds from the trace's first arrival to the last finish. */
void bound_makespan(const struct bound_problem *problem, struct lp *lp, double *makespan_s,
                    struct bound_size *size);

/* Mean of finish - arrival. `horizon_s`: about how long a good schedule takes. */
void bound_jct(const struct bound_problem *problem, struct lp *lp, double horizon_s,
               double *jct_mean_s, struct bound_size *size);

/* Maximum of JCT / ideal_s over the jobs that have one; NaN when none has. */
void bound_slowdown(const struct bound_problem *problem, struct lp *lp, double horizon_s,
                    double *slowdown_max, struct bound_size *size);

/* All programs have an optimum; where rounding hides it from one method, the other may see it. */
static inline bool bound_solved(struct lp *lp, struct bound_size *size) {
  if (lp_solve(lp, LP_PRIMAL, NULL) == HSIM_OK || lp_solve(lp, LP_DUAL, NULL) == HSIM_OK)
    return true;
  size->unsolved++;
  return false;
}

/* An entry of a program. Work that is so small that it would only trouble the solver is left out.
 */
static inline void bound_entry(struct lp *lp, int row, int column, double coefficient) {
  if (coefficient > 1e-9 || coefficient < 0)
    lp_entry(lp, row, column, coefficient);
}

/* Remembers the sizes of a program. */
static inline void bound_size_take(struct bound_size *size, int intervals, int classes) {
  size->intervals = intervals > size->intervals ? intervals : size->intervals;
  size->classes = classes > size->classes ? classes : size->classes;
}

#endif
