/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gavel's objectives: each turns the jobs of the moment into time shares. One file each; the list
 * is in gavel.c.
 */
#ifndef HSIM_POLICY_GAVEL_OBJECTIVE_H
#define HSIM_POLICY_GAVEL_OBJECTIVE_H

#include "hsim/types.h"
#include "solver/lp.h"

/* What an objective may look at. Jobs stand in arrival order, types in `type_order`: the one of
 * Gavel's matrices, in which the names ascend. */
struct shares_problem {
  int n_jobs, n_types;
  const int *type_order; /* [n_types] */
  const int *type_gpus;  /* [n_types] GPUs of each type */
  const int *workers;    /* [n_jobs] */
  const double *weights; /* [n_jobs] */
  const double *rates;   /* [n_jobs][n_types] steps per second; 0: cannot run there */
};

/* For the policy log. */
struct shares_report {
  double optimum; /* of the objective; NaN when it has none */
  int classes;    /* groups of equal jobs in the linear program, 0 when there is none */
};

struct objective {
  const char *name;
  bool strict; /* combinations without a priority wait even if GPUs are left over */
  bool aware;  /* of performance: as coded, the order of the types is not shuffled */
  /* shares: [n_jobs][n_types], all 0 on entry. n_jobs >= 1. */
  enum hsim_status (*allocate)(const struct shares_problem *problem, struct lp *lp, double *shares,
                               struct shares_report *report, struct hsim_error *error);
};

extern const struct objective objective_fifo_perf;
extern const struct objective objective_max_min_fairness_perf;

static inline const double *rates_of(const struct shares_problem *problem, int job) {
  return problem->rates + (size_t)job * (size_t)problem->n_types;
}

/* The job's rate on the cluster's average GPU: on each type its part of all GPUs. */
double shares_proportional_rate(const struct shares_problem *problem, int job);

#endif
