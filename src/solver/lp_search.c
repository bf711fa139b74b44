/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branch and bound. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "solver/lp_parts.h"

void lp_integer(struct lp *lp, int column) {
  if (lp_column_exists(lp, column))
    glp_set_col_kind(lp->problem, column + 1, GLP_IV);
}

void lp_cuts(struct lp *lp, bool on) {
  lp->cuts = on;
}

void lp_split_first(struct lp *lp, int column) {
  if (!lp_column_exists(lp, column))
    return;
  size_t n = (size_t)glp_get_num_cols(lp->problem);
  lp->first = mem_grow(lp->first, n + 1, &lp->first_capacity, sizeof *lp->first);
  if (!lp->any_first)
    memset(lp->first, 0, (n + 1) * sizeof *lp->first);
  lp->any_first = true;
  lp->first[column + 1] = true;
}

void lp_known(struct lp *lp, const double *values) {
  if (lp->fault[0])
    return;
  size_t n = (size_t)glp_get_num_cols(lp->problem);
  lp->known = mem_grow(lp->known, n + 1, &lp->known_capacity, sizeof *lp->known);
  memcpy(lp->known + 1, values, n * sizeof *values);
  lp->any_known = true;
}

/* ---- The search ---- */

struct search {
  struct lp *lp;
  int nodes, max_nodes;
  bool tell; /* the known solution, still */
};

/* Of the marked columns that are not whole, the one nearest to a half; none: GLPK's choice. */
static void split(const struct lp *lp, glp_tree *tree) {
  glp_prob *problem = glp_ios_get_prob(tree); /* has further rows, not columns */
  int column = 0;
  double nearest = 1;
  for (int j = glp_get_num_cols(problem); j > 0; j--) {
    if (!lp->first[j] || !glp_ios_can_branch(tree, j))
      continue;
    double value = glp_get_col_prim(problem, j), distance = fabs(value - floor(value) - 0.5);
    if (distance < nearest + 1e-9) {
      nearest = distance;
      column = j;
    }
  }
  if (column > 0)
    glp_ios_branch_upon(tree, column, GLP_UP_BRNCH);
}

/* Called by GLPK at each step of its search. */
static void step(glp_tree *tree, void *info) {
  struct search *search = info;
  switch (glp_ios_reason(tree)) {
  case GLP_ISELECT:
    if (search->max_nodes > 0 && search->nodes == search->max_nodes)
      glp_ios_terminate(tree);
    else
      search->nodes++;
    break;
  case GLP_IHEUR:
    if (search->tell)
      glp_ios_heur_sol(tree, search->lp->known);
    search->tell = false;
    break;
  case GLP_IBRANCH:
    if (search->lp->any_first)
      split(search->lp, tree);
    break;
  default:
    break;
  }
}

static bool within(double value, int kind, double low, double high) {
  double slack = 1e-9 * (1 + fabs(value));
  bool above = kind == GLP_FR || kind == GLP_UP || value >= low - slack;
  return above && (kind == GLP_FR || kind == GLP_LO || value <= high + slack);
}

/* GLPK would take anything. */
static bool satisfies_bounds(const struct lp *lp, const double *values) {
  glp_prob *problem = lp->problem;
  int n_columns = glp_get_num_cols(problem), n_rows = glp_get_num_rows(problem);
  int *columns = mem_alloc((size_t)n_columns + 1, sizeof *columns);
  double *entries = mem_alloc((size_t)n_columns + 1, sizeof *entries);
  bool fits = true;
  for (int j = 1; j <= n_columns && fits; j++)
    fits = within(values[j], glp_get_col_type(problem, j), glp_get_col_lb(problem, j),
                  glp_get_col_ub(problem, j)) &&
           (glp_get_col_kind(problem, j) == GLP_CV || values[j] == floor(values[j]));
  for (int i = 1; i <= n_rows && fits; i++) {
    int n = glp_get_mat_row(problem, i, columns, entries);
    double sum = 0;
    for (int e = 1; e <= n; e++)
      sum += entries[e] * values[columns[e]];
    fits = within(sum, glp_get_row_type(problem, i), glp_get_row_lb(problem, i),
                  glp_get_row_ub(problem, i));
  }
  free(columns);
  free(entries);
  return fits;
}

/* GLPK's tolerance on the objective grows with it; measured from the known solution it is an
 * absolute one of 1e-7. */
static double shift_of(const struct lp *lp) {
  double sum = 0;
  for (int j = 1; lp->any_known && j <= glp_get_num_cols(lp->problem); j++)
    sum += glp_get_obj_coef(lp->problem, j) * lp->known[j];
  return sum;
}

static int walk_tree(struct lp *lp, struct search *search, bool *gave_up) {
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.cb_func = step;
  parameters.cb_info = search;
  parameters.clq_cuts = parameters.mir_cuts = lp->cuts ? GLP_ON : GLP_OFF;
  double began = lp_seconds();
  lp->shift = shift_of(lp);
  glp_set_obj_coef(lp->problem, 0, -lp->shift);
  int code = lp_run(lp, &(struct lp_walk){.search = &parameters}, gave_up);
  if (*gave_up)
    return code;
  glp_set_obj_coef(lp->problem, 0, 0);
  lp->any_known = false;
  lp->counters.searches++;
  lp->counters.seconds += lp_seconds() - began;
  return code;
}

enum hsim_status lp_solve_integer(struct lp *lp, int max_nodes, struct lp_integer_result *result,
                                  struct hsim_error *error) {
  *result = (struct lp_integer_result){0};
  enum hsim_status checked = lp_check(lp, error);
  if (checked != HSIM_OK)
    return checked;
  if (!lp->optimal)
    return hsim_fail(error, HSIM_FAILED, "integer program: its relaxation is not solved");
  if (lp->any_known && !satisfies_bounds(lp, lp->known))
    return hsim_fail(error, HSIM_FAILED, "integer program: the known solution is none");
  struct search search = {.lp = lp, .max_nodes = max_nodes, .tell = lp->any_known};
  double relaxed = glp_get_obj_val(lp->problem);
  bool gave_up;
  int code = walk_tree(lp, &search, &gave_up);
  if (gave_up)
    return hsim_fail(error, HSIM_FAILED, "integer program: %s", lp->fault);
  if (code != 0 && code != GLP_ESTOP)
    return hsim_fail(error, HSIM_FAILED, "integer program: GLPK stopped: %s", lp_return_text(code));
  int status = glp_mip_status(lp->problem);
  if (status != GLP_OPT && status != GLP_FEAS)
    return hsim_fail(error, HSIM_FAILED, "integer program: %s",
                     code == GLP_ESTOP ? "node limit reached without a solution"
                                       : lp_status_text(status));
  lp->solution = INTEGRAL;
  *result = (struct lp_integer_result){.proven = status == GLP_OPT, .nodes = search.nodes};
  /* GLPK tells what is left open only while its tree stands. */
  result->bound = result->proven ? lp_objective(lp) : relaxed;
  return HSIM_OK;
}
