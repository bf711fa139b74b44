/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Largest sum of throughputs, OSDI'20 section 4.2: maximise
 *
 *   sum over i, c, g of rate_i(c, g) / price_g x_cg
 *
 * in steps per second, or steps per unit of money; jobs with large steps per second dominate, as in
 * Gavel's code. With deadlines (service level objectives) a job with remaining steps n_i and d_i
 * seconds left is to get the throughput n_i / d_i at least. A deadline that has passed, or that the
 * job could not meet with all of the time on its fastest type, counts no more. When the others
 * cannot all be met, each gets the same largest part of what it needs; as coded, none counts then.
 */
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/gavel/program.h"

struct goal {
  const double *needs; /* [n_jobs] steps per second, 0: none */
  bool costs;
  double unit; /* of the sum */
  double part; /* of the needs that is kept to; NaN: as much as can be, and nothing else matters */
};

/* What one unit of the variable adds to the sum. */
static double gain(const struct goal *goal, const struct program *program, int column) {
  const struct share_column *share = &program->columns[column];
  double price = goal->costs ? program->problem->prices[share->type] : 1.0;
  return (share->rate_a / price + share->rate_b / price) * share->total;
}

static double need_of(const struct goal *goal, const struct program *program, int k) {
  const struct job_class *class = &program->classes[k];
  return class->factor * goal->needs[class->job];
}

/* Columns: the sum, then the part of the needs. */
static void load(const void *objective, const struct program *program, struct lp *lp) {
  const struct goal *goal = objective;
  int total = program_extra_column(program), part = total + 1, row = program_extra_row(program);
  program_load(program, lp, 1, 2);
  for (int j = 0; j < program->n_columns; j++)
    lp_entry(lp, row, j, gain(goal, program, j) / goal->unit);
  lp_entry(lp, row, total, -1.0);
  lp_row(lp, row, 0.0, INFINITY);
  lp_column(lp, total, 0.0, INFINITY);
  for (int k = 0; k < program->n_classes; k++) {
    if (!(need_of(goal, program, k) > 0.0))
      continue;
    lp_row(lp, program_throughput_row(k), 0.0, INFINITY);
    lp_entry(lp, program_throughput_row(k), part, -need_of(goal, program, k));
  }
  bool parts = isnan(goal->part);
  lp_column(lp, part, parts ? 0.0 : goal->part, parts ? 1.0 : goal->part);
  lp_cost(lp, parts ? part : total, 1.0);
}

/* Finds how much of the deadlines can be kept to; the program then asks for the sum. */
static enum hsim_status find_part(struct goal *goal, const struct program *program, struct lp *lp,
                                  struct hsim_error *error) {
  int total = program_extra_column(program), part = total + 1;
  enum hsim_status status = lp_solve(lp, LP_PRIMAL, error);
  if (status != HSIM_OK)
    return status;
  double kept = lp_value(lp, part);
  bool all = kept >= 1.0 - 1e-9;
  goal->part = program->problem->coded && !all ? 0.0 : kept * (1.0 - 1e-12); /* rounding */
  lp_column(lp, part, goal->part, goal->part);
  lp_cost(lp, part, 0.0);
  lp_cost(lp, total, 1.0);
  return HSIM_OK;
}

static enum hsim_status solve(struct goal *goal, const struct program *program, struct lp *lp,
                              double *shares, struct shares_report *report,
                              struct hsim_error *error) {
  for (int j = 0; j < program->n_columns; j++)
    goal->unit = fmax(goal->unit, gain(goal, program, j));
  for (int k = 0; k < program->n_classes; k++)
    if (need_of(goal, program, k) > 0.0)
      goal->part = (double)NAN;
  load(goal, program, lp);
  enum hsim_status status = isnan(goal->part) ? find_part(goal, program, lp, error) : HSIM_OK;
  if (status == HSIM_OK)
    status = lp_solve(lp, LP_PRIMAL, error);
  if (status != HSIM_OK)
    return status;
  double total = lp_objective(lp);
  report->optimum = total * goal->unit;
  return program_take(program, lp, total, load, goal, CHOOSE_CENTRE, shares, error);
}

static void find_needs(const struct shares_problem *problem, double *needs) {
  for (int i = 0; i < problem->n_jobs; i++) {
    double best = 0.0, need = problem->remaining[i] / problem->deadline_s[i];
    for (int g = 0; g < problem->n_types; g++)
      if (problem->type_gpus[g] > 0)
        best = fmax(best, rates_of(problem, i)[g]);
    needs[i] = problem->deadline_s[i] > 0.0 && need <= best ? need : 0.0;
  }
}

static enum hsim_status allocate(const struct shares_problem *problem, bool costs, bool deadlines,
                                 struct lp *lp, double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  double *needs = mem_zero((size_t)problem->n_jobs, sizeof *needs);
  if (deadlines)
    find_needs(problem, needs);
  struct program program;
  program_init(&program, problem, CLASSES_OF_EQUALS, needs, 1);
  report->classes = program.n_classes;
  struct goal goal = {.needs = needs, .costs = costs};
  enum hsim_status status =
      program.n_classes > 0 ? solve(&goal, &program, lp, shares, report, error) : HSIM_OK;
  program_free(&program);
  free(needs);
  return status;
}

static enum hsim_status allocate_plain(void *state, const struct shares_problem *problem,
                                       struct lp *lp, double *shares, struct shares_report *report,
                                       struct hsim_error *error) {
  (void)state;
  return allocate(problem, false, false, lp, shares, report, error);
}

static enum hsim_status allocate_by_cost(void *state, const struct shares_problem *problem,
                                         struct lp *lp, double *shares,
                                         struct shares_report *report, struct hsim_error *error) {
  (void)state;
  return allocate(problem, true, false, lp, shares, report, error);
}

static enum hsim_status allocate_in_time(void *state, const struct shares_problem *problem,
                                         struct lp *lp, double *shares,
                                         struct shares_report *report, struct hsim_error *error) {
  (void)state;
  return allocate(problem, true, true, lp, shares, report, error);
}

static double total_of(const struct shares_problem *problem, const double *shares, bool costs) {
  double total = 0.0;
  for (int c = 0; c < problem->n_jobs + problem->n_pairs; c++)
    for (int g = 0; g < problem->n_types; g++, shares++) {
      bool alone = c < problem->n_jobs;
      const double *both =
          alone ? NULL : pair_rates_of(problem, c - problem->n_jobs) + (ptrdiff_t)2 * g;
      double rate = alone ? rates_of(problem, c)[g] : both[0] + both[1];
      total += rate / (costs ? problem->prices[g] : 1.0) * *shares;
    }
  return total;
}

static double worth(const void *state, const struct shares_problem *problem, const double *shares) {
  (void)state;
  return total_of(problem, shares, false);
}

static double worth_by_cost(const void *state, const struct shares_problem *problem,
                            const double *shares) {
  (void)state;
  return total_of(problem, shares, true);
}

const struct objective objective_max_sum_throughput_perf = {
    .name = "max_sum_throughput_perf", .aware = true, .allocate = allocate_plain, .value = worth};

const struct objective objective_max_sum_throughput_normalized_by_cost_perf = {
    .name = "max_sum_throughput_normalized_by_cost_perf",
    .aware = true,
    .allocate = allocate_by_cost,
    .value = worth_by_cost};

const struct objective objective_max_sum_throughput_normalized_by_cost_perf_slos = {
    .name = "max_sum_throughput_normalized_by_cost_perf_SLOs",
    .aware = true,
    .remaining = true,
    .allocate = allocate_in_time,
    .value = worth_by_cost};

const struct objective objective_max_sum_throughput_normalized_by_cost_packed_slos = {
    .name = "max_sum_throughput_normalized_by_cost_packed_SLOs",
    .aware = true,
    .pairs = true,
    .remaining = true,
    .allocate = allocate_in_time,
    .value = worth_by_cost};
