/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finish-time fairness, OSDI'20 section 4.2 after Themis: minimise the largest
 *
 *   rho_i = (a_i + n_i / v_i) / D_i,   v_i = sum over c, g of rate_i(c, g) x_cg,
 *   D_i = u_i + n_i / q_i,
 *
 * a_i the job's age, n_i its remaining steps, q_i its rate if each job had the same part of every
 * type, u_i the seconds that its steps so far would have taken at the rates q of their times. As in
 * Gavel's code weights do not count (but see below).
 *
 * A bound rho can be kept to when v_i >= n_i / (rho D_i - a_i) for all i. At a given rho the linear
 * program finds the largest t with v_i >= t n_i / (rho D_i - a_i). Its solution is worth some rho
 * itself, which is an upper bound; its multipliers y give a lower bound: as sum y_i v_i <= t for
 * all shares, no rho with sum y_i n_i / (rho D_i - a_i) > t can be kept to. The next rho is the
 * lower bound: Newton's method for the largest of these sums.
 *
 * As coded, with pairs: v_i is divided by the job's weight.
 */
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/gavel/program.h"

/* Of each job by its id; NaN before the first call. */
struct memory {
  double *alone_s;   /* u */
  double *remaining; /* at the call before */
  double *rate;      /* q at the call before */
};

struct facts { /* of a job; doubles only: they tell classes apart */
  double age, steps, ideal;
};

struct goal {
  const struct facts *facts; /* [n_jobs] */
  double rho;
};

struct search {
  const struct program *program;
  struct goal goal;
  double *throughputs; /* [n_classes] e under the last solution */
  double *demands;     /* [n_classes] e_k >= demands_k t */
  double *multipliers; /* [n_classes] */
  int *rows;           /* [n_classes] */
};

static void init(void *state, const struct objective_setup *setup) {
  struct memory *memory = state;
  size_t jobs = (size_t)setup->n_jobs;
  memory->alone_s = mem_zero(jobs, sizeof *memory->alone_s);
  memory->remaining = mem_alloc(jobs, sizeof *memory->remaining);
  memory->rate = mem_zero(jobs, sizeof *memory->rate);
  for (size_t i = 0; i < jobs; i++)
    memory->remaining[i] = (double)NAN;
}

static void discard(void *state) {
  struct memory *memory = state;
  free(memory->alone_s);
  free(memory->remaining);
  free(memory->rate);
}

/* Steps that v has to do: as coded, pairs divide it by the weight. */
static double steps_of(const struct shares_problem *problem, int job) {
  bool weighs = problem->coded && problem->pairs;
  return problem->remaining[job] * (weighs ? problem->weights[job] : 1.0);
}

static double isolated_rate(const struct shares_problem *problem, int job) {
  double shares[HSIM_MAX_TYPES], rate = 0.0;
  shares_isolated(problem, problem->n_jobs, problem->workers[job], shares);
  for (int i = 0; i < problem->n_types; i++) {
    int g = problem->type_order[i];
    rate += rates_of(problem, job)[g] * shares[g];
  }
  return rate;
}

/* D of each job, from what is remembered. */
static double ideal_time(const struct memory *memory, const struct shares_problem *problem,
                         int job) {
  int id = problem->ids[job];
  return memory->alone_s[id] + problem->remaining[job] / memory->rate[id];
}

static void remember(struct memory *memory, const struct shares_problem *problem) {
  for (int i = 0; i < problem->n_jobs; i++) {
    int id = problem->ids[i];
    if (memory->rate[id] > 0.0) { /* there was a call before, and it could run */
      memory->alone_s[id] += (memory->remaining[id] - problem->remaining[i]) / memory->rate[id];
      memory->alone_s[id] = fmax(memory->alone_s[id], 0.0); /* work may be lost at another rate */
    }
    memory->remaining[id] = problem->remaining[i];
    memory->rate[id] = isolated_rate(problem, i);
  }
}

/* rho of class k at the normalised throughput e. */
static double rho_at(const struct search *search, int k, double e) {
  const struct job_class *class = &search->program->classes[k];
  const struct facts *facts = &search->goal.facts[class->job];
  return (facts->age + class->factor * facts->steps / e) / facts->ideal;
}

/* The normalised throughput that class k needs for rho; not above 0 when none is enough. */
static double demand_at(const struct goal *goal, const struct program *program, int k, double rho) {
  const struct job_class *class = &program->classes[k];
  const struct facts *facts = &goal->facts[class->job];
  return class->factor * facts->steps / (rho * facts->ideal - facts->age);
}

/* Under the shares of everyone's same part of every type, which are always possible. */
static double first_rho(const struct search *search) {
  double worst = 0.0;
  for (int k = 0; k < search->program->n_classes; k++) {
    const struct job_class *class = &search->program->classes[k];
    double rate = isolated_rate(search->program->problem, class->job);
    worst = fmax(worst, rho_at(search, k, class->factor * rate));
  }
  return worst;
}

/* The program at goal->rho. */
static void load(const void *objective, const struct program *program, struct lp *lp) {
  const struct goal *goal = objective;
  int t = program_extra_column(program);
  program_load(program, lp, 0, 1);
  lp_column(lp, t, 0.0, INFINITY);
  lp_cost(lp, t, 1.0);
  for (int k = 0; k < program->n_classes; k++) {
    lp_row(lp, program_throughput_row(k), 0.0, INFINITY);
    lp_entry(lp, program_throughput_row(k), t, -demand_at(goal, program, k, goal->rho));
  }
}

/* The loaded program moves to another rho. */
static void reload(struct search *search, struct lp *lp) {
  int n = search->program->n_classes;
  for (int k = 0; k < n; k++)
    search->demands[k] = -demand_at(&search->goal, search->program, k, search->goal.rho);
  lp_replace(lp, program_extra_column(search->program), n, search->rows, search->demands);
}

static double worst_rho(const struct search *search, const struct lp *lp) {
  double worst = 0.0;
  program_throughputs(search->program, lp, search->throughputs);
  for (int k = 0; k < search->program->n_classes; k++)
    worst = fmax(worst, rho_at(search, k, search->throughputs[k]));
  return worst;
}

/* The rho if all jobs had all of the time on their best GPUs: there is no smaller one, and from
 * here on no job needs more than it could have. */
static double least_rho(const struct search *search) {
  const struct program *program = search->program;
  double *best = search->throughputs, least = 0.0;
  for (int k = 0; k < program->n_classes; k++)
    best[k] = 0.0;
  for (int j = 0; j < program->n_columns; j++) {
    const struct share_column *column = &program->columns[j];
    int a = column->a, b = column->b;
    best[a] = fmax(best[a], program->classes[a].factor * column->rate_a);
    if (b >= 0)
      best[b] = fmax(best[b], program->classes[b].factor * column->rate_b);
  }
  for (int k = 0; k < program->n_classes; k++)
    least = fmax(least, rho_at(search, k, best[k]));
  return least;
}

/* What the multipliers ask for at a rho; falls with it. */
static double asked_at(const struct search *search, double rho) {
  double asked = 0.0;
  for (int k = 0; k < search->program->n_classes; k++)
    if (search->multipliers[k] > 0.0)
      asked += search->multipliers[k] * demand_at(&search->goal, search->program, k, rho);
  return asked;
}

/* The rho between `low` and `high` at which the multipliers ask for just what there is, t. By
 * bisection to the last bit: no step of it costs more than one pass over the classes. */
static double bound_by_multipliers(const struct search *search, const struct lp *lp, double low,
                                   double high) {
  double t = lp_objective(lp);
  for (int k = 0; k < search->program->n_classes; k++)
    search->multipliers[k] = fmax(0.0, -lp_dual(lp, search->rows[k]));
  for (;;) {
    double middle = low + (high - low) / 2.0;
    if (!(middle > low && middle < high))
      return low;
    if (asked_at(search, middle) > t)
      low = middle;
    else
      high = middle;
  }
}

/* Leaves the program solved at the smallest rho. */
static enum hsim_status find_rho(struct search *search, struct lp *lp, struct shares_report *report,
                                 struct hsim_error *error) {
  enum { MAX_STEPS = 100 }; /* seen: up to 8 */
  static const double PRECISION = 1e-10;
  double lower = least_rho(search), upper = first_rho(search);
  search->goal.rho = upper;
  load(&search->goal, search->program, lp);
  for (int step = 0; step < MAX_STEPS; step++) {
    enum hsim_status status = lp_solve(lp, LP_PRIMAL, error);
    if (status != HSIM_OK)
      return status;
    upper = fmin(upper, worst_rho(search, lp));
    lower = bound_by_multipliers(search, lp, lower, upper);
    if (upper - lower <= PRECISION * upper || lower == search->goal.rho)
      break;
    search->goal.rho = lower;
    reload(search, lp);
  }
  report->optimum = upper;
  return HSIM_OK;
}

static enum hsim_status solve(const struct program *program, const struct facts *facts,
                              struct lp *lp, double *shares, struct shares_report *report,
                              struct hsim_error *error) {
  size_t n = (size_t)program->n_classes;
  double *room = mem_alloc(3 * n, sizeof *room);
  struct search search = {.program = program,
                          .goal = {.facts = facts},
                          .throughputs = room,
                          .demands = room + n,
                          .multipliers = room + 2 * n,
                          .rows = mem_alloc(n, sizeof *search.rows)};
  for (int k = 0; k < program->n_classes; k++)
    search.rows[k] = program_throughput_row(k);
  enum hsim_status status = find_rho(&search, lp, report, error);
  if (status == HSIM_OK)
    status = program_take(program, lp, lp_objective(lp), load, &search.goal, CHOOSE_CENTRE, shares,
                          error);
  free(search.rows);
  free(room);
  return status;
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  struct memory *memory = state;
  remember(memory, problem);
  struct facts *facts = mem_alloc((size_t)problem->n_jobs, sizeof *facts);
  for (int i = 0; i < problem->n_jobs; i++)
    facts[i] =
        (struct facts){problem->age_s[i], steps_of(problem, i), ideal_time(memory, problem, i)};
  struct program program;
  program_init(&program, problem, CLASSES_OF_EQUALS, (const double *)facts,
               sizeof *facts / sizeof(double));
  report->classes = program.n_classes;
  enum hsim_status status =
      program.n_classes > 0 ? solve(&program, facts, lp, shares, report, error) : HSIM_OK;
  program_free(&program);
  free(facts);
  return status;
}

static double value(const void *state, const struct shares_problem *problem, const double *shares) {
  const struct memory *memory = state;
  double worst = 0.0, *rates = mem_alloc((size_t)problem->n_jobs, sizeof *rates);
  shares_rates(problem, shares, rates);
  for (int i = 0; i < problem->n_jobs; i++)
    if (memory->rate[problem->ids[i]] > 0.0)
      worst = fmax(worst, (problem->age_s[i] + steps_of(problem, i) / rates[i]) /
                              ideal_time(memory, problem, i));
  free(rates);
  return worst;
}

const struct objective objective_finish_time_fairness = {.name = "finish_time_fairness",
                                                         .rates = RATES_REFERENCE,
                                                         .remaining = true,
                                                         .state_size = sizeof(struct memory),
                                                         .init = init,
                                                         .free = discard,
                                                         .allocate = allocate,
                                                         .value = value};

const struct objective objective_finish_time_fairness_perf = {.name = "finish_time_fairness_perf",
                                                              .aware = true,
                                                              .remaining = true,
                                                              .state_size = sizeof(struct memory),
                                                              .init = init,
                                                              .free = discard,
                                                              .allocate = allocate,
                                                              .value = value};

const struct objective objective_finish_time_fairness_packed = {.name =
                                                                    "finish_time_fairness_packed",
                                                                .aware = true,
                                                                .pairs = true,
                                                                .remaining = true,
                                                                .state_size = sizeof(struct memory),
                                                                .init = init,
                                                                .free = discard,
                                                                .allocate = allocate,
                                                                .value = value};
