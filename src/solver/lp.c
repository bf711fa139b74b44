/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/lp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/memory.h"
#include "solver/lp_parts.h"

#define LP_MAX_SIZE 100000000 /* GLPK's own limit on rows, columns and entries is near 5e8 */

/* Columns with more coefficients than DENSE are split into pieces for the interior-point method. */
enum { DENSE = 16, PIECE = 4 };

/* Outside lp_run GLPK has no reason to give up but want of memory, and nobody to come back to. */
static int tell_why(void *info, const char *text) {
  (void)info;
  fprintf(stderr, "hsim: GLPK: %s", text);
  return 1;
}

static void give_up(void *info) {
  (void)info;
  exit(HSIM_FAILED);
}

static void watch_glpk(void) {
  if (glp_init_env() > 1) /* 1: it was there */
    mem_fail();
  glp_error_hook(give_up, NULL);
  glp_term_hook(tell_why, NULL);
  glp_term_out(GLP_OFF); /* but for its last words */
}

struct lp *lp_create(void) {
  struct lp *lp = mem_zero(1, sizeof *lp);
  watch_glpk();
  lp->problem = glp_create_prob();
  return lp;
}

static void drop_interior(struct lp *lp) {
  if (lp->interior)
    glp_delete_prob(lp->interior);
  lp->interior = NULL;
}

void lp_destroy(struct lp *lp) {
  if (!lp)
    return;
  if (lp->problem)
    glp_delete_prob(lp->problem);
  drop_interior(lp);
  free(lp->rows);
  free(lp->columns);
  free(lp->values);
  free(lp->first);
  free(lp->known);
  free(lp);
  /* GLPK keeps an environment a thread, which other programs of this thread may still use. */
  int blocks = 0;
  glp_mem_usage(&blocks, NULL, NULL, NULL);
  if (blocks == 0)
    glp_free_env();
}

void lp_fault(struct lp *lp, const char *format, ...) {
  if (lp->fault[0])
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(lp->fault, sizeof lp->fault, format, args);
  va_end(args);
}

void lp_begin(struct lp *lp, int rows, int columns, enum lp_direction direction) {
  lp->n_entries = 0;
  lp->loaded = lp->optimal = false;
  lp->solution = BASIC;
  lp->fault[0] = '\0';
  lp->any_first = lp->any_known = false;
  if (rows < 1 || columns < 1 || rows > LP_MAX_SIZE || columns > LP_MAX_SIZE) {
    lp_fault(lp, "a program of %d rows and %d columns", rows, columns);
    return;
  }
  if (!lp->problem) {
    watch_glpk();
    lp->problem = glp_create_prob();
  }
  glp_erase_prob(lp->problem);
  glp_set_obj_dir(lp->problem, direction == LP_MAXIMISE ? GLP_MAX : GLP_MIN);
  glp_add_rows(lp->problem, rows);
  glp_add_cols(lp->problem, columns);
}

static bool row_exists(struct lp *lp, int row) {
  lp->optimal = false; /* whoever asks is about to change it */
  if (lp->fault[0])
    return false;
  if (row >= 0 && row < glp_get_num_rows(lp->problem))
    return true;
  lp_fault(lp, "row %d does not exist", row);
  return false;
}

bool lp_column_exists(struct lp *lp, int column) {
  lp->optimal = false;
  if (lp->fault[0])
    return false;
  if (column >= 0 && column < glp_get_num_cols(lp->problem))
    return true;
  lp_fault(lp, "column %d does not exist", column);
  return false;
}

/* GLPK's name for a pair of bounds. */
static int bound_kind(double low, double high) {
  if (isinf(low))
    return isinf(high) ? GLP_FR : GLP_UP;
  if (isinf(high))
    return GLP_LO;
  return low < high ? GLP_DB : GLP_FX;
}

static bool bounds_make_sense(double low, double high) {
  return low <= high && low < INFINITY && high > -INFINITY; /* false for NaN as well */
}

void lp_row(struct lp *lp, int row, double low, double high) {
  if (!row_exists(lp, row))
    return;
  if (!bounds_make_sense(low, high))
    lp_fault(lp, "row %d has the bounds %g and %g", row, low, high);
  else
    glp_set_row_bnds(lp->problem, row + 1, bound_kind(low, high), low, high);
}

void lp_column(struct lp *lp, int column, double low, double high) {
  if (!lp_column_exists(lp, column))
    return;
  if (!bounds_make_sense(low, high))
    lp_fault(lp, "column %d has the bounds %g and %g", column, low, high);
  else
    glp_set_col_bnds(lp->problem, column + 1, bound_kind(low, high), low, high);
}

void lp_cost(struct lp *lp, int column, double cost) {
  if (!lp_column_exists(lp, column))
    return;
  if (!isfinite(cost))
    lp_fault(lp, "column %d has the cost %g", column, cost);
  else
    glp_set_obj_coef(lp->problem, column + 1, cost);
}

void lp_entry(struct lp *lp, int row, int column, double coefficient) {
  if (!row_exists(lp, row) || !lp_column_exists(lp, column))
    return;
  if (!isfinite(coefficient) || coefficient == 0.0) {
    lp_fault(lp, "row %d, column %d has the coefficient %g", row, column, coefficient);
    return;
  }
  if (lp->loaded || lp->n_entries >= LP_MAX_SIZE) {
    lp_fault(lp, "row %d, column %d comes too late or is one too many", row, column);
    return;
  }
  size_t at = ++lp->n_entries;
  lp->rows = mem_grow(lp->rows, at + 1, &lp->rows_capacity, sizeof *lp->rows);
  lp->columns = mem_grow(lp->columns, at + 1, &lp->columns_capacity, sizeof *lp->columns);
  lp->values = mem_grow(lp->values, at + 1, &lp->values_capacity, sizeof *lp->values);
  lp->rows[at] = row + 1;
  lp->columns[at] = column + 1;
  lp->values[at] = coefficient;
}

void lp_replace(struct lp *lp, int column, int n, const int *rows, const double *coefficients) {
  if (!lp_column_exists(lp, column))
    return;
  if (!lp->loaded) {
    lp_fault(lp, "column %d is replaced before it is solved with", column);
    return;
  }
  size_t size = (size_t)(n > 0 ? n : 0) + 1;
  lp->rows = mem_grow(lp->rows, size, &lp->rows_capacity, sizeof *lp->rows);
  lp->values = mem_grow(lp->values, size, &lp->values_capacity, sizeof *lp->values);
  for (int i = 0; i < n; i++) {
    if (!row_exists(lp, rows[i]))
      return;
    if (!isfinite(coefficients[i])) {
      lp_fault(lp, "row %d, column %d has the coefficient %g", rows[i], column, coefficients[i]);
      return;
    }
    lp->rows[i + 1] = rows[i] + 1;
    lp->values[i + 1] = coefficients[i];
  }
  glp_set_mat_col(lp->problem, column + 1, n, lp->rows, lp->values);
}

const char *lp_return_text(int code) {
  switch (code) {
  case GLP_EBADB:
    return "invalid basis";
  case GLP_ESING:
    return "singular basis";
  case GLP_ECOND:
    return "ill-conditioned basis";
  case GLP_EBOUND:
    return "incorrect bounds";
  case GLP_EOBJLL:
  case GLP_EOBJUL:
    return "objective limit reached";
  case GLP_EITLIM:
    return "iteration limit reached";
  case GLP_ETMLIM:
    return "time limit reached";
  default:
    return "solver failure";
  }
}

const char *lp_status_text(int status) {
  switch (status) {
  case GLP_FEAS:
    return "feasible, not optimal";
  case GLP_INFEAS:
    return "infeasible point";
  case GLP_NOFEAS:
    return "no feasible solution";
  case GLP_UNBND:
    return "unbounded";
  default:
    return "undefined";
  }
}

static void leave_glpk(void *info) {
  longjmp(*(jmp_buf *)info, 1);
}

/* GLPK says why before it gives up: the first line becomes the fault, nothing is printed. */
static int hear_glpk(void *info, const char *text) {
  lp_fault(info, "GLPK: %.*s", (int)strcspn(text, "\n"), text);
  return 1;
}

/* Splits a column into a chain of columns with `PIECE` coefficients each, all equal. `rows` and
 * `values`: its n coefficients, from element 1. */
static void split_column(glp_prob *problem, int column, int n, const int *rows,
                         const double *values) {
  glp_set_mat_col(problem, column, PIECE, rows, values);
  double low = glp_get_col_lb(problem, column), high = glp_get_col_ub(problem, column);
  int kind = glp_get_col_type(problem, column), before = column;
  for (int done = PIECE; done < n; done += PIECE) {
    int piece = glp_add_cols(problem, 1), same = glp_add_rows(problem, 1);
    int length = n - done < PIECE ? n - done : PIECE;
    glp_set_col_bnds(problem, piece, kind, low, high);
    glp_set_mat_col(problem, piece, length, rows + done, values + done);
    glp_set_row_bnds(problem, same, GLP_FX, 0.0, 0.0);
    glp_set_mat_row(problem, same, 2, (int[]){0, before, piece}, (double[]){0.0, 1.0, -1.0});
    before = piece;
  }
}

/* A column with many coefficients makes the normal equations dense, which are then solved in cubic
 * time; a chain of equal ones does not, and the solutions are the same. */
static void split_dense_columns(glp_prob *problem) {
  int n_columns = glp_get_num_cols(problem), n_rows = glp_get_num_rows(problem);
  int *rows = mem_alloc((size_t)n_rows + 1, sizeof *rows);
  double *values = mem_alloc((size_t)n_rows + 1, sizeof *values);
  for (int j = 1; j <= n_columns; j++) {
    int n = glp_get_mat_col(problem, j, NULL, NULL);
    if (n <= DENSE || glp_get_col_type(problem, j) == GLP_FX)
      continue;
    glp_get_mat_col(problem, j, rows, values);
    split_column(problem, j, n, rows, values);
  }
  free(rows);
  free(values);
}

static int walk(struct lp *lp, const struct lp_walk *method) {
  if (method->search)
    return glp_intopt(lp->problem, method->search);
  if (!method->interior)
    return glp_simplex(lp->problem, method->simplex);
  drop_interior(lp);
  lp->interior = glp_create_prob();
  glp_copy_prob(lp->interior, lp->problem, GLP_OFF);
  split_dense_columns(lp->interior);
  return glp_interior(lp->interior, method->interior);
}

/* Loads, then walks. GLPK ends the process on what it takes for a fault (a place named twice);
 * the hook comes back here instead, after which all that GLPK holds is gone. */
int lp_run(struct lp *lp, const struct lp_walk *method, bool *gave_up) {
  jmp_buf back;
  *gave_up = false;
  if (setjmp(back)) {
    glp_free_env();
    lp->problem = lp->interior = NULL;
    *gave_up = true;
    if (strstr(lp->fault, "memory"))
      mem_fail();
    lp_fault(lp, "GLPK refused it");
    return 0;
  }
  glp_error_hook(leave_glpk, &back);
  glp_term_hook(hear_glpk, lp);
  glp_term_out(GLP_OFF);
  if (!lp->loaded)
    glp_load_matrix(lp->problem, (int)lp->n_entries, lp->rows, lp->columns, lp->values);
  lp->loaded = true;
  int code = walk(lp, method);
  watch_glpk();
  return code;
}

double lp_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum hsim_status lp_check(const struct lp *lp, struct hsim_error *error) {
  if (lp->fault[0])
    return hsim_fail(error, HSIM_FAILED, "linear program: %s", lp->fault);
  if (!lp->problem || glp_get_num_cols(lp->problem) == 0)
    return hsim_fail(error, HSIM_FAILED, "linear program: there is none to solve");
  return HSIM_OK;
}

static enum hsim_status walk_simplex(struct lp *lp, const glp_smcp *parameters,
                                     struct hsim_error *error) {
  double began = lp_seconds();
  int before = glp_get_it_cnt(lp->problem);
  bool gave_up;
  int code = lp_run(lp, &(struct lp_walk){.simplex = parameters}, &gave_up);
  if (gave_up)
    return hsim_fail(error, HSIM_FAILED, "linear program: %s", lp->fault);
  lp->counters.solves++;
  lp->counters.iterations += (uint64_t)(glp_get_it_cnt(lp->problem) - before);
  lp->counters.seconds += lp_seconds() - began;
  if (code != 0)
    return hsim_fail(error, HSIM_FAILED, "linear program: GLPK stopped: %s", lp_return_text(code));
  int status = glp_get_status(lp->problem);
  if (status != GLP_OPT)
    return hsim_fail(error, HSIM_FAILED, "linear program: %s", lp_status_text(status));
  lp->optimal = true;
  return HSIM_OK;
}

enum hsim_status lp_solve(struct lp *lp, enum lp_method method, struct hsim_error *error) {
  enum hsim_status checked = lp_check(lp, error);
  if (checked != HSIM_OK)
    return checked;
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.meth = method == LP_DUAL ? GLP_DUALP : GLP_PRIMAL;
  parameters.tol_bnd = 1e-9;
  parameters.tol_dj = 1e-9;
  lp->optimal = false;
  lp->solution = BASIC;

  bool again = lp->loaded;
  enum hsim_status status = walk_simplex(lp, &parameters, error);
  if (status == HSIM_OK || !again || lp->fault[0])
    return status;
  /* Rounding in the last basis can look like an infeasible program. */
  glp_std_basis(lp->problem);
  return walk_simplex(lp, &parameters, error);
}

bool lp_infeasible(const struct lp *lp) {
  return lp->problem && !lp->fault[0] && glp_get_status(lp->problem) == GLP_NOFEAS;
}

enum hsim_status lp_solve_interior(struct lp *lp, struct hsim_error *error) {
  enum hsim_status checked = lp_check(lp, error);
  if (checked != HSIM_OK)
    return checked;
  glp_iptcp parameters;
  glp_init_iptcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  double began = lp_seconds();
  bool gave_up;
  int code = lp_run(lp, &(struct lp_walk){.interior = &parameters}, &gave_up);
  if (gave_up)
    return hsim_fail(error, HSIM_FAILED, "linear program: %s", lp->fault);
  lp->counters.interior++;
  lp->counters.seconds += lp_seconds() - began;
  if (code != 0 || glp_ipt_status(lp->interior) != GLP_OPT)
    return hsim_fail(error, HSIM_FAILED,
                     "linear program: GLPK's interior-point method did not converge");
  lp->solution = INTERIOR;
  return HSIM_OK;
}

double lp_value(const struct lp *lp, int column) {
  switch (lp->solution) {
  case INTEGRAL:
    return glp_mip_col_val(lp->problem, column + 1);
  case INTERIOR:
    return glp_ipt_col_prim(lp->interior, column + 1);
  default:
    return glp_get_col_prim(lp->problem, column + 1);
  }
}

double lp_objective(const struct lp *lp) {
  switch (lp->solution) {
  case INTEGRAL:
    return glp_mip_obj_val(lp->problem) + lp->shift;
  case INTERIOR:
    return glp_ipt_obj_val(lp->interior);
  default:
    return glp_get_obj_val(lp->problem);
  }
}

double lp_dual(const struct lp *lp, int row) {
  return glp_get_row_dual(lp->problem, row + 1);
}

double lp_reduced_cost(const struct lp *lp, int column) {
  return glp_get_col_dual(lp->problem, column + 1);
}

const struct lp_counters *lp_counters(const struct lp *lp) {
  return &lp->counters;
}
