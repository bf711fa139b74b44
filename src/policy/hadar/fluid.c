/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/fluid.h"

#include <math.h>

#include "solver/lp.h"

#define HOUR 3600.0

/* Steps per second of the whole gang on the type; where jobs fork, of one GPU. */
static double best_rate(const struct hadar_kind *kind, int type) {
  if (kind->copy == NULL)
    return kind->workers > 1 ? fmax(kind->one_node[type], kind->spread[type])
                             : kind->one_node[type];
  double best = 0;
  for (int gpus = 1; gpus <= kind->largest_copy; gpus++)
    best = fmax(best, hadar_copy_rate(kind, type, gpus) / gpus);
  return best;
}

/* Rows: a job's work, a type's GPUs, a job's time; columns: T, then the shares of a job's work that
 * each type does, which are better scaled than seconds. Times are hours. */
static void load_job(struct lp *lp, const struct hadar_classes *classes,
                     const struct hadar_job *job, int at, int n) {
  const struct hadar_kind *kind = job->kind;
  bool forks = kind->copy != NULL, runs = false;
  for (int type = 0; type < HSIM_MAX_TYPES; type++) {
    int column = 1 + at * HSIM_MAX_TYPES + type;
    double rate =
        classes->type_gpus[type] > 0 && (kind->types >> type & 1) ? best_rate(kind, type) : 0;
    lp_column(lp, column, 0, rate > 0 ? INFINITY : 0);
    if (rate <= 0)
      continue;
    runs = true;
    double hours = job->remaining / rate / HOUR;
    lp_entry(lp, at, column, 1);
    lp_entry(lp, n + type, column, forks ? hours : kind->workers * hours);
    if (!forks)
      lp_entry(lp, n + HSIM_MAX_TYPES + at, column, hours);
  }
  lp_row(lp, at, runs ? 1 : -INFINITY, INFINITY);
  lp_row(lp, n + HSIM_MAX_TYPES + at, -INFINITY, 0);
  lp_entry(lp, n + HSIM_MAX_TYPES + at, 0, -1);
}

enum hsim_status hadar_fluid_bound(const struct hadar_classes *classes,
                                   const struct hadar_job *jobs, int n, double *seconds,
                                   struct hsim_error *error) {
  struct lp *lp = lp_create();
  lp_begin(lp, 2 * n + HSIM_MAX_TYPES, 1 + n * HSIM_MAX_TYPES, LP_MINIMISE);
  lp_column(lp, 0, 0, INFINITY);
  lp_cost(lp, 0, 1);
  for (int type = 0; type < HSIM_MAX_TYPES; type++) {
    lp_row(lp, n + type, -INFINITY, 0);
    if (classes->type_gpus[type] > 0)
      lp_entry(lp, n + type, 0, -classes->type_gpus[type]);
  }
  for (int i = 0; i < n; i++)
    load_job(lp, classes, &jobs[i], i, n);
  enum hsim_status status = lp_solve(lp, LP_DUAL, error);
  *seconds = status == HSIM_OK ? lp_objective(lp) * HOUR : 0;
  lp_destroy(lp);
  return status;
}
