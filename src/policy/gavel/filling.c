/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/gavel/filling.h"

#include <math.h>

/* Room for rounding: levels are kept but for this part of them. */
static const double SLACK = 1e-12;
/* The simplex method keeps bounds within 1e-9, so that a program can start from levels that are a
 * little too high, and then seem to have no solution. It is loaded anew with ever more room. */
static const double MORE_ROOM = 100.0, MOST_ROOM = 1e-6;

static int time_row(int k) {
  return 2 * k + 1;
}

static int step_column(const struct filling *filling, int step) {
  return filling->n_columns + step;
}

void filling_load_base(const struct filling *filling, struct lp *lp) {
  const struct shares_problem *problem = filling->problem;
  for (int j = 0; j < filling->n_columns; j++) {
    const struct filling_column *column = &filling->columns[j];
    bool both = column->b >= 0 && column->b != column->a;
    lp_column(lp, j, 0.0, INFINITY);
    lp_entry(lp, filling_level_row(column->a), j, column->net_a);
    lp_entry(lp, time_row(column->a), j, column->time_a);
    if (both) {
      lp_entry(lp, filling_level_row(column->b), j, column->net_b);
      lp_entry(lp, time_row(column->b), j, column->time_b);
    }
    lp_entry(lp, 2 * filling->n_classes + column->type, j, column->gpus);
  }
  for (int k = 0; k < filling->n_classes; k++)
    lp_row(lp, time_row(k), -INFINITY, 1.0);
  for (int g = 0; g < problem->n_types; g++)
    lp_row(lp, 2 * filling->n_classes + g, -INFINITY, filling->kinds.gpus[g]);
}

/* Columns: the shares, one t for each step (each makes a class final, the last may make none), and
 * as coded what filling_find_raised adds to each level. */
void filling_load(struct filling *filling, struct lp *lp) {
  if (filling->ready)
    return;
  int n = filling->n_classes, extra = filling->problem->coded ? n : 0;
  lp_begin(lp, 2 * n + filling->problem->n_types, filling->n_columns + n + 1 + extra, LP_MAXIMISE);
  filling_load_base(filling, lp);
  for (int k = 0; k < n; k++) {
    filling->base[k] = filling->classes[k].level * (1.0 - filling->room);
    lp_row(lp, filling_level_row(k), filling->base[k], INFINITY);
  }
  for (int step = 0; step <= n; step++)
    lp_column(lp, step_column(filling, step), 0.0, 0.0);
  for (int k = 0; k < extra; k++) {
    lp_column(lp, filling_extra_column(filling, k), 0.0, 0.0);
    lp_entry(lp, filling_level_row(k), filling_extra_column(filling, k), -1.0);
  }
  filling->step = 0;
}

static double pull_of(const struct filling_class *class) {
  return class->pull / (double)class->workers;
}

/* t of this step, at most `most`, is the objective. */
static void set_first_goal(struct filling *filling, struct lp *lp, double most) {
  int t = step_column(filling, filling->step), n = 0;
  for (int k = 0; k < filling->n_classes; k++) {
    if (!(filling->classes[k].pull > 0.0))
      continue;
    filling->rows[n] = filling_level_row(k);
    filling->values[n++] = -pull_of(&filling->classes[k]);
  }
  if (filling->ready)
    lp_replace(lp, t, n, filling->rows, filling->values);
  for (int i = 0; !filling->ready && i < n; i++)
    lp_entry(lp, filling->rows[i], t, filling->values[i]);
  lp_column(lp, t, 0.0, most);
  lp_cost(lp, t, 1.0);
}

double filling_gain(const struct filling *filling, const struct lp *lp) {
  return fmax(lp_value(lp, step_column(filling, filling->step)), 0.0);
}

double filling_blame(const struct filling *filling, const struct lp *lp, int k) {
  return -lp_dual(lp, filling_level_row(k)) * pull_of(&filling->classes[k]);
}

void filling_keep(struct filling *filling, struct lp *lp) {
  double gain = filling_gain(filling, lp);
  int t = step_column(filling, filling->step++);
  lp_cost(lp, t, 0.0);
  lp_column(lp, t, gain * (1.0 - SLACK), gain * (1.0 - SLACK));
  for (int k = 0; k < filling->n_classes; k++)
    filling->classes[k].level += pull_of(&filling->classes[k]) * gain;
}

void filling_nets(const struct filling *filling, const struct lp *lp, double *nets) {
  for (int k = 0; k < filling->n_classes; k++)
    nets[k] = 0.0;
  for (int j = 0; j < filling->n_columns; j++) {
    const struct filling_column *column = &filling->columns[j];
    double x = lp_value(lp, j);
    nets[column->a] += column->net_a * x;
    if (column->b >= 0 && column->b != column->a)
      nets[column->b] += column->net_b * x;
  }
}

/* What a net of one for each member adds to the sum of normalised throughputs. */
static double worth(const struct filling *filling, int k) {
  const struct filling_class *class = &filling->classes[k];
  return (double)class->members * (double)class->workers / class->weight;
}

static void set_second_goal(const struct filling *filling, struct lp *lp) {
  for (int j = 0; j < filling->n_columns; j++) {
    const struct filling_column *column = &filling->columns[j];
    double cost = column->net_a * worth(filling, column->a);
    if (column->b >= 0 && column->b != column->a)
      cost += column->net_b * worth(filling, column->b);
    lp_cost(lp, j, cost * (1.0 + SHARE_PREFERENCE * share_preference(j)));
  }
}

/* Solves for t when it may be positive, else for the shares. */
static enum hsim_status solve(struct filling *filling, struct lp *lp, double most_t,
                              struct hsim_error *error) {
  enum hsim_status status = HSIM_FAILED;
  filling->room = SLACK;
  while (status != HSIM_OK && filling->room <= MOST_ROOM) {
    filling_load(filling, lp);
    if (most_t > 0.0)
      set_first_goal(filling, lp, most_t);
    else
      set_second_goal(filling, lp);
    status = lp_solve(lp, LP_PRIMAL, error);
    filling->ready = status == HSIM_OK;
    filling->room *= MORE_ROOM;
  }
  return status;
}

enum hsim_status filling_raise(struct filling *filling, struct lp *lp, double most,
                               struct hsim_error *error) {
  return solve(filling, lp, most, error);
}

static void store_column(const struct filling *filling, const struct filling_column *column,
                         double share, double *shares) {
  const struct shares_problem *problem = filling->problem;
  const int *next = filling->next_member;
  for (int i = filling->classes[column->a].first; i >= 0; i = next[i]) {
    if (column->b < 0) {
      type_kinds_divide(problem, &filling->kinds, column->type, share,
                        shares_of(problem, shares, i));
      continue;
    }
    for (int j = column->b == column->a ? next[i] : filling->classes[column->b].first; j >= 0;
         j = next[j]) {
      int pair = shares_find_pair(problem, i < j ? i : j, i < j ? j : i);
      type_kinds_divide(problem, &filling->kinds, column->type, share,
                        shares_of(problem, shares, problem->n_jobs + pair));
    }
  }
}

enum hsim_status filling_shares(struct filling *filling, struct lp *lp, double *shares,
                                struct hsim_error *error) {
  enum hsim_status status = solve(filling, lp, 0.0, error);
  for (int j = 0; status == HSIM_OK && j < filling->n_columns; j++)
    store_column(filling, &filling->columns[j], lp_value(lp, j), shares);
  return status;
}
