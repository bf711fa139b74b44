/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of solver/lp.h, for nobody else. Errors as there. */
#ifndef HSIM_SOLVER_LP_PARTS_H
#define HSIM_SOLVER_LP_PARTS_H

#include <glpk.h>

#include "solver/lp.h"

enum solution { BASIC, INTEGRAL, INTERIOR };

struct lp {
  glp_prob *problem;  /* NULL after GLPK gave up */
  glp_prob *interior; /* what the interior-point method solved last, or NULL */
  /* Coefficients until they are loaded; GLPK counts from 1, so element 0 is unused. */
  int *rows, *columns;
  double *values;
  size_t n_entries, rows_capacity, columns_capacity, values_capacity;
  bool loaded;
  bool optimal;           /* of the last lp_solve, as long as nothing changed */
  enum solution solution; /* the last one */
  bool cuts;
  /* For branch and bound; both count from 1. */
  bool *first;   /* [columns] split on before the others */
  double *known; /* [columns] a solution */
  size_t first_capacity, known_capacity;
  bool any_first, any_known;
  double shift;    /* what the last search took off the objective */
  char fault[160]; /* the first wrong call since lp_begin; reported by lp_solve */
  struct lp_counters counters;
};

/* One of them. */
struct lp_walk {
  const glp_smcp *simplex;
  const glp_iocp *search; /* branch and bound from an optimum found before */
  const glp_iptcp *interior;
};

/* Loads what is not loaded yet, then walks. Returns GLPK's code; `gave_up`: GLPK refused, and all
 * that it held is gone. */
int lp_run(struct lp *lp, const struct lp_walk *method, bool *gave_up);

/* There is a program, without a fault. */
enum hsim_status lp_check(const struct lp *lp, struct hsim_error *error);

/* Remembers the first wrong call. */
HSIM_PRINTF(2, 3) void lp_fault(struct lp *lp, const char *format, ...);

/* Whether to go on: the column exists, else that is the fault. The last optimum is forgotten. */
bool lp_column_exists(struct lp *lp, int column);

const char *lp_return_text(int code);
const char *lp_status_text(int status);
double lp_seconds(void);

#endif
