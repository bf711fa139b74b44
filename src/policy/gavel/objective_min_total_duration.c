/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Least makespan, OSDI'20 section 4.2: the smallest H in which the jobs could do their remaining
 * steps n_i at constant shares. One linear program: maximise 1/H with
 *
 *   sum over c, g of rate_i(c, g) x_cg >= n_i / H  for each job i.
 *
 * As coded: an H up to 5 % larger, found by bisection. It asks whether some H can be kept to, which
 * is so exactly for those that are not below the smallest one.
 */
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/gavel/program.h"

/* Gavel's bisection: between `low`, `high` first, then in decades above. Its results are kept to
 * the last bit by keeping to its operations. */
static double coded_duration(double least) {
  double low = 100.0, high = 1e6, decade = 1e6, found = 0.0;
  while (found == 0.0) {
    while (1.05 * low < high) {
      double middle = (low + high) / 2.0;
      if (middle >= least)
        found = high = middle;
      else
        low = middle;
    }
    low = decade;
    high = decade = 10.0 * decade;
  }
  return found;
}

/* Remaining time of a class on the cluster's average GPU, by which rows are scaled. */
static double time_left(const struct program *program, int k) {
  const struct job_class *class = &program->classes[k];
  return class->factor * program->problem->remaining[class->job];
}

struct goal {
  double longest;  /* of time_left */
  double duration; /* to keep to; NaN: as short as can be */
};

/* The objective's column is longest / H. */
static void load(const void *objective, const struct program *program, struct lp *lp) {
  const struct goal *goal = objective;
  int speed = program_extra_column(program);
  program_load(program, lp, 0, 1);
  if (isnan(goal->duration)) {
    lp_column(lp, speed, 0.0, INFINITY);
    lp_cost(lp, speed, 1.0);
  } else {
    lp_column(lp, speed, goal->longest / goal->duration, goal->longest / goal->duration);
  }
  for (int k = 0; k < program->n_classes; k++) {
    lp_row(lp, program_throughput_row(k), 0.0, INFINITY);
    lp_entry(lp, program_throughput_row(k), speed, -time_left(program, k) / goal->longest);
  }
}

static bool all_alike(const struct program *program) {
  for (int g = 0; g < program->problem->n_types; g++)
    if (program->kinds.of[g] != 0)
      return false;
  return true;
}

static enum hsim_status solve(const struct program *program, struct lp *lp, double *shares,
                              struct shares_report *report, struct hsim_error *error) {
  struct goal goal = {.duration = (double)NAN};
  for (int k = 0; k < program->n_classes; k++)
    goal.longest = fmax(goal.longest, time_left(program, k));
  load(&goal, program, lp);
  enum hsim_status status = lp_solve(lp, LP_PRIMAL, error);
  if (status != HSIM_OK)
    return status;
  report->optimum = goal.longest / lp_objective(lp);
  if (program->problem->coded)
    report->optimum = goal.duration = coded_duration(report->optimum);
  /* Among types that are all alike a vertex would only say who gets more time than it needs. */
  enum program_choice choice = all_alike(program) ? CHOOSE_CENTRE : CHOOSE_VERTEX;
  return program_take(program, lp, goal.longest / report->optimum, load, &goal, choice, shares,
                      error);
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)state;
  struct program program;
  program_init(&program, problem, CLASSES_OF_EQUALS, problem->remaining, 1);
  report->classes = program.n_classes;
  enum hsim_status status = HSIM_OK;
  for (int i = 0; i < problem->n_jobs && problem->coded && status == HSIM_OK; i++)
    if (program.class_of[i] < 0)
      status = hsim_fail(error, HSIM_FAILED,
                         "least makespan: job %d can run on no type of GPU, so that no duration is "
                         "long enough; Gavel's code would search for ever (compat=fixed leaves "
                         "such jobs out)",
                         problem->ids[i]);
  if (status == HSIM_OK && program.n_classes > 0)
    status = solve(&program, lp, shares, report, error);
  program_free(&program);
  return status;
}

static double value(const void *state, const struct shares_problem *problem, const double *shares) {
  (void)state;
  double longest = 0.0, *rates = mem_alloc((size_t)problem->n_jobs, sizeof *rates);
  shares_rates(problem, shares, rates);
  for (int i = 0; i < problem->n_jobs; i++)
    if (shares_proportional_rate(problem, i) > 0.0)
      longest = fmax(longest, problem->remaining[i] / rates[i]);
  free(rates);
  return longest;
}

const struct objective objective_min_total_duration = {.name = "min_total_duration",
                                                       .rates = RATES_REFERENCE,
                                                       .remaining = true,
                                                       .allocate = allocate,
                                                       .value = value};

const struct objective objective_min_total_duration_perf = {.name = "min_total_duration_perf",
                                                            .aware = true,
                                                            .remaining = true,
                                                            .allocate = allocate,
                                                            .value = value};

const struct objective objective_min_total_duration_packed = {.name = "min_total_duration_packed",
                                                              .aware = true,
                                                              .pairs = true,
                                                              .remaining = true,
                                                              .allocate = allocate,
                                                              .value = value};
