/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Water filling as coded in Gavel: which jobs could rise further? Whole numbers z_i in {0, 1},
 * as many 1 as possible, such that some shares keep every level L_i and
 *
 *   z_i = 1: net_i >= 1.0001 L_i,   z_i = 0: net_i <= 1.0001 L_i - 0.00001,
 *
 * where z_i = 0 is given for jobs that are final or wait for their turn. (Gavel writes both with
 * M z_i; the solutions are the same.) Below L_i = 0.1 the second cannot hold, so a job that stays
 * there leaves the search without a solution, and then all z are 0.
 *
 * Three steps, each exact; the search itself is rarely needed. (1) Who limits the step cannot rise:
 * its multiplier is positive. (2) The relaxation in which z_i is a fraction of the rise wanted, and
 * is free of the upper bound: if its optimum is whole and keeps the upper bounds, it is the answer.
 * (3) Branch and bound, in which equal jobs may fare differently: from there on each is a class.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "policy/gavel/filling.h"

static const double RISE = 1.0001; /* Gavel's slack */
static const double MARGIN = 1e-5; /* and its epsilon */
static const double BLAMED = 1e-9; /* of the largest blame: more than the simplex's rounding */
static const double WHOLE = 1e-3;  /* z is known this well: 1e-9 against 1e-4 of a level */
enum { MOST_NODES = 100000 };      /* of the tree; far more than was ever seen */

enum fate { STAYS, RISES, OPEN };

static double wanted(const struct filling_class *class) {
  return class->level * RISE - class->level;
}

/* How far the net of a job that stays may be above its level; negative: it cannot stay. */
static double room(const struct filling_class *class) {
  return class->level * RISE - MARGIN - class->level;
}

/* Returns how many are open, -1 when somebody can neither stay nor rise. */
static int sort_out(const struct filling *filling, const double *blame, enum fate *fates) {
  double largest = 0.0;
  int open = 0;
  for (int k = 0; k < filling->n_classes; k++)
    largest = fmax(largest, blame[k]);
  for (int k = 0; k < filling->n_classes; k++) {
    const struct filling_class *class = &filling->classes[k];
    bool stays = class->final || !(class->pull > 0.0) || blame[k] > BLAMED * largest;
    if (stays && room(class) < 0.0)
      return -1;
    fates[k] = stays ? STAYS : class->level > 0.0 ? OPEN : RISES;
    open += fates[k] == OPEN;
  }
  return open;
}

static void relax(const struct filling *filling, struct lp *lp, const enum fate *fates) {
  for (int k = 0; k < filling->n_classes; k++) {
    const struct filling_class *class = &filling->classes[k];
    int extra = filling_extra_column(filling, k);
    if (fates[k] == STAYS)
      lp_row(lp, filling_level_row(k), filling->base[k], filling->base[k] + room(class));
    if (fates[k] != OPEN)
      continue;
    lp_column(lp, extra, 0.0, wanted(class));
    lp_cost(lp, extra, (double)class->members / wanted(class));
  }
}

static void tighten(const struct filling *filling, struct lp *lp) {
  for (int k = 0; k < filling->n_classes; k++) {
    int extra = filling_extra_column(filling, k);
    lp_row(lp, filling_level_row(k), filling->base[k], INFINITY);
    lp_column(lp, extra, 0.0, 0.0);
    lp_cost(lp, extra, 0.0);
  }
}

/* Reads the relaxation's fates; false when they are not whole. */
static bool read_relaxation(const struct filling *filling, const struct lp *lp, enum fate *fates) {
  double *nets = mem_alloc((size_t)filling->n_classes, sizeof *nets);
  bool whole = true;
  filling_nets(filling, lp, nets);
  for (int k = 0; k < filling->n_classes && whole; k++) {
    const struct filling_class *class = &filling->classes[k];
    if (fates[k] != OPEN)
      continue;
    double z = lp_value(lp, filling_extra_column(filling, k)) / wanted(class);
    bool rises = z >= 1.0 - WHOLE;
    whole = rises || (z <= WHOLE && nets[k] - class->level <= room(class));
    fates[k] = rises ? RISES : STAYS;
  }
  free(nets);
  return whole;
}

/* Each job becomes a class of its own, with what its class has. */
static void split(struct filling *filling, enum fate *fates) {
  struct filling apart;
  filling_init(&apart, filling->problem, true, NULL);
  enum fate *of_jobs = mem_alloc((size_t)apart.n_classes, sizeof *of_jobs);
  for (int k = 0; k < apart.n_classes; k++) {
    int was = filling->class_of[apart.classes[k].first];
    apart.classes[k].level = filling->classes[was].level;
    apart.classes[k].pull = filling->classes[was].pull;
    apart.classes[k].final = filling->classes[was].final;
    of_jobs[k] = fates[was];
  }
  memcpy(fates, of_jobs, (size_t)apart.n_classes * sizeof *fates);
  free(of_jobs);
  filling_free(filling);
  *filling = apart;
}

/* Rows: those of the base, then the upper bounds of the open ones. Columns: shares, then z. */
static void load_search(const struct filling *filling, struct lp *lp, const enum fate *fates) {
  int n = filling->n_classes, above = 2 * n + filling->problem->n_types;
  lp_begin(lp, above + n, filling->n_columns + n, LP_MAXIMISE);
  filling_load_base(filling, lp);
  for (int j = 0; j < filling->n_columns; j++) {
    const struct filling_column *column = &filling->columns[j];
    lp_entry(lp, above + column->a, j, column->net_a);
    if (column->b >= 0 && column->b != column->a)
      lp_entry(lp, above + column->b, j, column->net_b);
  }
  for (int k = 0; k < n; k++) {
    const struct filling_class *class = &filling->classes[k];
    int z = filling->n_columns + k;
    double low = class->level * (1.0 - 1e-12), most = class->level + room(class);
    lp_integer(lp, z);
    lp_row(lp, filling_level_row(k), low, INFINITY);
    lp_column(lp, z, fates[k] == RISES ? 1.0 : 0.0, fates[k] == STAYS ? 0.0 : 1.0);
    lp_cost(lp, z, 1.0);
    lp_row(lp, above + k, -INFINITY, most);
    if (fates[k] == STAYS)
      continue;
    if (wanted(class) > 0.0)
      lp_entry(lp, filling_level_row(k), z, -wanted(class));
    if (class->largest > most)
      lp_entry(lp, above + k, z, most - class->largest);
  }
}

/* False when there is no solution. */
static bool search(struct filling *filling, struct lp *lp, enum fate *fates,
                   struct hsim_error *error) {
  struct lp_integer_result result;
  split(filling, fates);
  load_search(filling, lp, fates);
  if (lp_solve(lp, LP_PRIMAL, error) != HSIM_OK ||
      lp_solve_integer(lp, MOST_NODES, &result, error) != HSIM_OK)
    return false;
  for (int k = 0; k < filling->n_classes; k++)
    if (fates[k] == OPEN)
      fates[k] = lp_value(lp, filling->n_columns + k) > 0.5 ? RISES : STAYS;
  return true;
}

static bool decide(struct filling *filling, struct lp *lp, const double *blame, enum fate *fates,
                   struct hsim_error *error) {
  int open = sort_out(filling, blame, fates);
  if (open <= 0)
    return open == 0;
  relax(filling, lp, fates);
  bool solved = lp_solve(lp, LP_PRIMAL, error) == HSIM_OK;
  bool impossible = !solved && lp_infeasible(lp);
  enum fate *relaxed = mem_alloc((size_t)filling->n_classes, sizeof *relaxed);
  for (int k = 0; k < filling->n_classes; k++)
    relaxed[k] = fates[k];
  bool whole = solved && read_relaxation(filling, lp, relaxed);
  tighten(filling, lp);
  if (whole)
    for (int k = 0; k < filling->n_classes; k++)
      fates[k] = relaxed[k];
  free(relaxed);
  filling->ready = solved;
  return whole || (!impossible && search(filling, lp, fates, error));
}

void filling_find_raised(struct filling *filling, struct lp *lp, const double *blame,
                         bool *raised) {
  enum fate *fates = mem_alloc((size_t)filling->problem->n_jobs, sizeof *fates);
  struct hsim_error unused;
  bool any = decide(filling, lp, blame, fates, &unused);
  for (int k = 0; k < filling->n_classes; k++)
    raised[k] = any && fates[k] == RISES;
  free(fates);
}
