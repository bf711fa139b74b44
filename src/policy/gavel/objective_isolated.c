/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cluster cut into equal parts: each job gets the same part of every type (Gavel's baseline
 * policy "isolated").
 */
#include "policy/gavel/objective.h"

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)state;
  (void)lp;
  (void)report;
  (void)error;
  for (int i = 0; i < problem->n_jobs; i++) {
    double *own = shares_of(problem, shares, i);
    shares_isolated(problem, problem->n_jobs, problem->workers[i], own);
    for (int g = 0; g < problem->n_types && !problem->coded; g++)
      if (rates_of(problem, i)[g] <= 0.0)
        own[g] = 0.0;
  }
  return HSIM_OK;
}

const struct objective objective_isolated = {.name = "isolated", .allocate = allocate};
