/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Max-min fairness (least attained service), OSDI'20 section 4.1: maximise the smallest normalised
 * throughput e_i (program.h).
 */
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/gavel/program.h"

static void load(const void *objective, const struct program *program, struct lp *lp) {
  (void)objective;
  int least = program_extra_column(program);
  program_load(program, lp, 0, 1);
  lp_column(lp, least, 0.0, INFINITY);
  lp_cost(lp, least, 1.0);
  for (int k = 0; k < program->n_classes; k++) {
    lp_row(lp, program_throughput_row(k), 0.0, INFINITY);
    lp_entry(lp, program_throughput_row(k), least, -1.0);
  }
}

static enum hsim_status solve(const struct program *program, struct lp *lp, double *shares,
                              struct shares_report *report, struct hsim_error *error) {
  load(NULL, program, lp);
  enum hsim_status status = lp_solve(lp, LP_PRIMAL, error);
  if (status != HSIM_OK)
    return status;
  report->optimum = lp_objective(lp);
  return program_take(program, lp, report->optimum, load, NULL, CHOOSE_CENTRE, shares, error);
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)state;
  struct program program;
  program_init(&program, problem, CLASSES_OF_EQUALS, NULL, 0);
  report->classes = program.n_classes;
  enum hsim_status status =
      program.n_classes > 0 ? solve(&program, lp, shares, report, error) : HSIM_OK;
  program_free(&program);
  return status;
}

static double value(const void *state, const struct shares_problem *problem, const double *shares) {
  (void)state;
  double least = INFINITY, *rates = mem_alloc((size_t)problem->n_jobs, sizeof *rates);
  shares_rates(problem, shares, rates);
  for (int i = 0; i < problem->n_jobs; i++) {
    double average = shares_proportional_rate(problem, i);
    if (average > 0.0)
      least = fmin(least, rates[i] * (double)problem->workers[i] / (problem->weights[i] * average));
  }
  free(rates);
  return least;
}

const struct objective objective_max_min_fairness = {
    .name = "max_min_fairness", .rates = RATES_EQUAL, .allocate = allocate, .value = value};

const struct objective objective_max_min_fairness_perf = {
    .name = "max_min_fairness_perf", .aware = true, .allocate = allocate, .value = value};

const struct objective objective_max_min_fairness_packed = {.name = "max_min_fairness_packed",
                                                            .aware = true,
                                                            .pairs = true,
                                                            .allocate = allocate,
                                                            .value = value};
