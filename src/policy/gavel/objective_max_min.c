/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Max-min fairness (least attained service) that knows of rates, OSDI'20 section 4.1: maximise the
 * smallest normalised throughput
 *
 *   t_i = sum over g of c_ig x_ig,   c_ig = rate_ig s_i / (w_i r_i),
 *
 * s_i the job's workers, w_i its weight, r_i its rate on the cluster's average GPU, subject to
 * x >= 0, sum_g x_ig <= 1 for each job, sum_i s_i x_ig <= N_g for each type.
 *
 * Jobs with the same coefficients are one *class* with one set of variables: the program is
 * convex and unchanged when two of them swap, so some optimum gives them equal shares, and the
 * smaller program finds it.
 *
 * Most such programs have many optima. The one taken: among the shares that give everyone the
 * largest minimum t, those with the largest sum of t_i, in which the coefficient of the j-th
 * variable counts 1 + PREFERENCE u_j with u_j fixed numbers in [0, 1), so that no two optima are
 * equal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "policy/gavel/objective.h"

/* Far above the simplex method's tolerance on reduced costs (1e-9), far below what would matter. */
static const double PREFERENCE = 1e-5;
/* Gives the second step room for rounding in the first. */
static const double SLACK = 1e-12;
/* Shares are multiples of this, 2^-30: far above the solver's rounding noise, which would otherwise
 * decide between combinations that want the same, far below what a round could show. */
static const double GRAIN = 1.0 / 1073741824.0;

struct job_class {
  int workers;
  int members;
  double *coefficients; /* [n_types], 0: no variable */
  int column;           /* of its first variable */
};

struct program {
  const struct shares_problem *problem;
  struct job_class *classes;
  int n_classes;
  double *coefficients; /* [n_jobs][n_types]: those of the classes first */
  int *class_of;        /* [n_jobs], -1: it can run nowhere now */
  int n_columns;        /* without t */
};

/* False when the job can run nowhere. */
static bool coefficients_of(const struct shares_problem *problem, int job, double *coefficients) {
  const double *rates = rates_of(problem, job);
  double average = shares_proportional_rate(problem, job);
  if (!(average > 0.0))
    return false;
  double factor = (1.0 / problem->weights[job]) * (1.0 / average);
  for (int g = 0; g < problem->n_types; g++)
    coefficients[g] =
        problem->type_gpus[g] > 0 ? factor * rates[g] * (double)problem->workers[job] : 0.0;
  return true;
}

static int class_with(const struct program *program, int workers, const double *coefficients) {
  size_t bytes = (size_t)program->problem->n_types * sizeof *coefficients;
  for (int k = 0; k < program->n_classes; k++)
    if (program->classes[k].workers == workers &&
        memcmp(program->classes[k].coefficients, coefficients, bytes) == 0)
      return k;
  return -1;
}

static void program_init(struct program *program, const struct shares_problem *problem) {
  size_t jobs = (size_t)problem->n_jobs, types = (size_t)problem->n_types;
  *program = (struct program){.problem = problem};
  program->classes = mem_alloc(jobs, sizeof *program->classes);
  program->coefficients = mem_alloc(jobs * types, sizeof *program->coefficients);
  program->class_of = mem_alloc(jobs, sizeof *program->class_of);
  for (int i = 0; i < problem->n_jobs; i++) {
    double *mine = program->coefficients + (size_t)program->n_classes * types;
    program->class_of[i] = -1;
    if (!coefficients_of(problem, i, mine))
      continue;
    int k = class_with(program, problem->workers[i], mine);
    if (k < 0) {
      k = program->n_classes++;
      program->classes[k] = (struct job_class){
          .workers = problem->workers[i], .coefficients = mine, .column = program->n_columns};
      for (size_t g = 0; g < types; g++)
        program->n_columns += mine[g] > 0.0;
    }
    program->classes[k].members++;
    program->class_of[i] = k;
  }
}

static void program_free(struct program *program) {
  free(program->classes);
  free(program->coefficients);
  free(program->class_of);
}

/* Rows: for each class its t and its time, then each type's GPUs. Columns: the shares of one
 * member of each class, then t. */
static void load(const struct program *program, struct lp *lp) {
  const struct shares_problem *problem = program->problem;
  int n = program->n_classes, t = program->n_columns;
  lp_begin(lp, 2 * n + problem->n_types, t + 1, LP_MAXIMISE);
  for (int k = 0; k < n; k++) {
    const struct job_class *class = &program->classes[k];
    int column = class->column;
    lp_row(lp, 2 * k, 0.0, INFINITY);
    lp_entry(lp, 2 * k, t, -1.0);
    lp_row(lp, 2 * k + 1, -INFINITY, 1.0);
    for (int g = 0; g < problem->n_types; g++) {
      if (!(class->coefficients[g] > 0.0))
        continue;
      lp_column(lp, column, 0.0, INFINITY);
      lp_entry(lp, 2 * k, column, class->coefficients[g]);
      lp_entry(lp, 2 * k + 1, column, 1.0);
      lp_entry(lp, 2 * n + g, column, (double)class->workers * (double)class->members);
      column++;
    }
  }
  for (int g = 0; g < problem->n_types; g++)
    lp_row(lp, 2 * n + g, -INFINITY, (double)problem->type_gpus[g]);
  lp_column(lp, t, 0.0, INFINITY);
  lp_cost(lp, t, 1.0);
}

/* Fractional part of the golden ratio times j squared: no small sum and difference of these
 * vanishes, as it would for numbers that grow evenly. */
static double preference(int j) {
  double x = ((double)j + 1.0) * ((double)j + 1.0) * 0.61803398874989485;
  return x - floor(x);
}

static void set_second_goal(const struct program *program, struct lp *lp, double minimum) {
  const struct shares_problem *problem = program->problem;
  int t = program->n_columns;
  for (int k = 0; k < program->n_classes; k++) {
    const struct job_class *class = &program->classes[k];
    int column = class->column;
    for (int g = 0; g < problem->n_types; g++) {
      if (!(class->coefficients[g] > 0.0))
        continue;
      double weight = 1.0 + PREFERENCE * preference(column);
      lp_cost(lp, column++, class->coefficients[g] * (double)class->members * weight);
    }
  }
  lp_cost(lp, t, 0.0);
  lp_column(lp, t, minimum * (1.0 - SLACK), INFINITY);
}

static double cleaned(double share) {
  double rounded = rint(share / GRAIN) * GRAIN;
  return rounded <= 0.0 ? 0.0 : rounded > 1.0 ? 1.0 : rounded; /* never -0.0 */
}

static void read_shares(const struct program *program, const struct lp *lp, double *shares) {
  const struct shares_problem *problem = program->problem;
  for (int i = 0; i < problem->n_jobs; i++) {
    if (program->class_of[i] < 0)
      continue;
    const struct job_class *class = &program->classes[program->class_of[i]];
    double *mine = shares + (size_t)i * (size_t)problem->n_types;
    int column = class->column;
    for (int g = 0; g < problem->n_types; g++)
      if (class->coefficients[g] > 0.0)
        mine[g] = cleaned(lp_value(lp, column++));
  }
}

static enum hsim_status solve(const struct program *program, struct lp *lp, double *shares,
                              struct shares_report *report, struct hsim_error *error) {
  load(program, lp);
  enum hsim_status status = lp_solve(lp, LP_PRIMAL, error);
  if (status != HSIM_OK)
    return status;
  report->optimum = lp_objective(lp);
  set_second_goal(program, lp, report->optimum);
  status = lp_solve(lp, LP_PRIMAL, error);
  if (status == HSIM_OK)
    read_shares(program, lp, shares);
  return status;
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)state;
  struct program program;
  program_init(&program, problem);
  report->classes = program.n_classes;
  enum hsim_status status =
      program.n_classes > 0 ? solve(&program, lp, shares, report, error) : HSIM_OK;
  program_free(&program);
  return status;
}

const struct objective objective_max_min_fairness_perf = {
    .name = "max_min_fairness_perf", .aware = true, .allocate = allocate};
