/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moments for Gavel's objectives, and a proof of how good shares can be: the explicit linear
 * program of all jobs and pairs without classes, whose multipliers are checked here and not taken
 * on trust from the solver.
 */
#ifndef HSIM_TESTS_GAVEL_FIXTURE_H
#define HSIM_TESTS_GAVEL_FIXTURE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/gavel/objective.h"

enum {
  TYPES = 3,
  JOBS = 16,
  PAIRS = JOBS * (JOBS - 1) / 2,
  MODELS = 5,
  COLUMNS = (JOBS + PAIRS) * TYPES
};

struct moment {
  struct shares_problem problem;
  int order[TYPES], gpus[TYPES], ids[JOBS], workers[JOBS], entities[JOBS], model[JOBS];
  double prices[TYPES], weights[JOBS], rates[JOBS * TYPES], remaining[JOBS], age[JOBS],
      deadline[JOBS];
  struct shares_pair pairs[PAIRS];
  double pair_rates[PAIRS * TYPES * 2];
  double shares[COLUMNS];
  struct shares_report report;
};

static void moment_begin(struct moment *moment, const int gpus[TYPES]) {
  *moment = (struct moment){.order = {2, 1, 0}, .prices = {1, 1, 1}};
  memcpy(moment->gpus, gpus, sizeof moment->gpus);
  moment->problem = (struct shares_problem){.n_types = TYPES,
                                            .type_order = moment->order,
                                            .type_gpus = moment->gpus,
                                            .prices = moment->prices,
                                            .ids = moment->ids,
                                            .workers = moment->workers,
                                            .weights = moment->weights,
                                            .entities = moment->entities,
                                            .rates = moment->rates,
                                            .remaining = moment->remaining,
                                            .age_s = moment->age,
                                            .deadline_s = moment->deadline};
}

static void moment_with_pairs(struct moment *moment) {
  moment->problem.pairs = moment->pairs;
  moment->problem.pair_rates = moment->pair_rates;
}

static int moment_job(struct moment *moment, int workers, double weight, const double *rates,
                      double remaining) {
  int i = moment->problem.n_jobs++;
  moment->ids[i] = i;
  moment->workers[i] = workers;
  moment->weights[i] = weight;
  moment->remaining[i] = remaining;
  moment->deadline[i] = (double)NAN;
  memcpy(moment->rates + (ptrdiff_t)i * TYPES, rates, TYPES * sizeof *rates);
  return i;
}

static double random_real(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static int random_int(uint64_t *seed, int n) {
  return (int)(random_real(seed) * n);
}

/* Rates of all pairs of the same gang size; those of equal models are equal when `by_model`. */
static void random_pairs(struct moment *moment, uint64_t *seed, bool by_model) {
  double part[MODELS][MODELS][TYPES];
  for (int a = 0; a < MODELS; a++)
    for (int b = 0; b < MODELS; b++)
      for (int g = 0; g < TYPES; g++)
        part[a][b][g] = random_int(seed, 5) == 0 ? 0.0 : 0.3 + 0.7 * random_real(seed);
  struct shares_problem *problem = &moment->problem;
  moment_with_pairs(moment);
  for (int b = 0; b < problem->n_jobs; b++)
    for (int a = 0; a < b; a++) {
      if (moment->workers[a] != moment->workers[b])
        continue;
      double *rates = moment->pair_rates + (ptrdiff_t)2 * TYPES * problem->n_pairs;
      moment->pairs[problem->n_pairs++] = (struct shares_pair){a, b};
      for (int g = 0; g < TYPES; g++) {
        double of_a = part[moment->model[a]][moment->model[b]][g];
        double of_b = part[moment->model[b]][moment->model[a]][g];
        double luck = by_model ? 1.0 : 0.5 + random_real(seed);
        bool runs = of_a > 0 && of_b > 0;
        rates[2 * g] = runs ? luck * of_a * rates_of(problem, a)[g] : 0.0;
        rates[2 * g + 1] = runs ? luck * of_b * rates_of(problem, b)[g] : 0.0;
        if (!(rates[2 * g] > 0 && rates[2 * g + 1] > 0))
          rates[2 * g] = rates[2 * g + 1] = 0.0;
      }
    }
}

/* Few models, so that some jobs are equal; some rates are 0, some types have no GPUs. */
static void random_moment(struct moment *moment, uint64_t *seed, const struct objective *objective,
                          bool coded) {
  double rates[MODELS][TYPES];
  for (int m = 0; m < MODELS; m++)
    for (int g = 0; g < TYPES; g++)
      rates[m][g] = random_int(seed, 6) == 0 ? 0.0 : exp(4.0 * random_real(seed) - 1.0);
  moment_begin(moment, (int[]){1 + random_int(seed, 4), random_int(seed, 4), random_int(seed, 5)});
  moment->problem.coded = coded;
  for (int g = 0; g < TYPES; g++)
    moment->prices[g] = 0.1 + random_real(seed);
  int n = 1 + random_int(seed, JOBS);
  for (int i = 0; i < n; i++) {
    int model = random_int(seed, MODELS);
    double seen[TYPES], same = fmax(rates[model][0], 0.1);
    for (int g = 0; g < TYPES; g++)
      seen[g] = objective->rates == RATES_TRUE || !(rates[model][g] > 0.0) ? rates[model][g]
                : objective->rates == RATES_EQUAL                          ? 1.0
                                                                           : same;
    double steps = exp(6.0 * (objective->pairs && i % 2 ? 0.5 : random_real(seed)) + 3.0);
    moment_job(moment, 1 << random_int(seed, 2), 1.0 + random_int(seed, 3), seen, steps);
    moment->model[i] = model;
    moment->age[i] = random_int(seed, 3) == 0 ? 0.0 : 500.0 * random_real(seed);
    if (random_int(seed, 3) == 0)
      moment->deadline[i] = steps / 20.0 * exp(3.0 * random_real(seed)) - 1.0;
  }
  if (objective->pairs)
    random_pairs(moment, seed, random_int(seed, 3) > 0);
}

static bool can_run(const struct shares_problem *problem, int job) {
  return shares_proportional_rate(problem, job) > 0.0;
}

/* Rates of the combination on a type, of its two members; b is -1 when alone. False: not there. */
static bool combination(const struct shares_problem *problem, int c, int g, int *a, int *b,
                        double *of_a, double *of_b) {
  bool alone = c < problem->n_jobs;
  *a = alone ? c : problem->pairs[c - problem->n_jobs].a;
  *b = alone ? -1 : problem->pairs[c - problem->n_jobs].b;
  *of_a = alone ? rates_of(problem, c)[g] : pair_rates_of(problem, c - problem->n_jobs)[2 * g];
  *of_b = alone ? 0.0 : pair_rates_of(problem, c - problem->n_jobs)[2 * g + 1];
  return problem->type_gpus[g] > 0 && *of_a > 0.0 && (alone || *of_b > 0.0) &&
         can_run(problem, *a) && (alone || can_run(problem, *b));
}

/* What the proof is about: the largest t with v_i >= demands_i t + floors_i, or with `gains` the
 * largest sum of rates divided by prices, with v_i >= floors_i; v_i the steps per second. */
struct question {
  double demands[JOBS], floors[JOBS];
  bool sum;
};

/* Of the sum, of one unit of time. */
static double gain_of(const struct moment *moment, const struct question *question, int g,
                      double rates) {
  return question->sum ? rates / moment->prices[g] : 0.0;
}

static void load_question(const struct moment *moment, const struct question *question,
                          struct lp *lp) {
  const struct shares_problem *problem = &moment->problem;
  int n = problem->n_jobs, all = n + problem->n_pairs, t = all * TYPES, a, b;
  double of_a, of_b;
  lp_begin(lp, 2 * n + TYPES, t + 1, LP_MAXIMISE);
  for (int c = 0; c < all; c++)
    for (int g = 0; g < TYPES; g++) {
      int column = c * TYPES + g;
      if (!combination(problem, c, g, &a, &b, &of_a, &of_b)) {
        lp_column(lp, column, 0.0, 0.0);
        continue;
      }
      lp_column(lp, column, 0.0, INFINITY);
      lp_cost(lp, column, gain_of(moment, question, g, of_a + of_b));
      lp_entry(lp, 2 * a, column, of_a);
      lp_entry(lp, 2 * a + 1, column, 1.0);
      if (b >= 0) {
        lp_entry(lp, 2 * b, column, of_b);
        lp_entry(lp, 2 * b + 1, column, 1.0);
      }
      lp_entry(lp, 2 * n + g, column, (double)moment->workers[a]);
    }
  lp_column(lp, t, 0.0, question->sum ? 0.0 : INFINITY);
  lp_cost(lp, t, 1.0);
  for (int i = 0; i < n; i++) {
    bool counts = can_run(problem, i);
    if (counts && question->demands[i] > 0.0)
      lp_entry(lp, 2 * i, t, -question->demands[i]);
    lp_row(lp, 2 * i, counts ? question->floors[i] : 0.0, INFINITY);
    lp_row(lp, 2 * i + 1, -INFINITY, 1.0);
  }
  for (int g = 0; g < TYPES; g++)
    lp_row(lp, 2 * n + g, -INFINITY, (double)moment->gpus[g]);
}

/* An upper bound that holds whatever the solver did: multipliers of the wrong sign are dropped,
 * those of the demands brought to sum y_i demands_i = 1, and what a variable is still worth too
 * much is added for all the time there is. */
static double proven_bound(const struct moment *moment, const struct question *question) {
  const struct shares_problem *problem = &moment->problem;
  int n = problem->n_jobs, all = n + problem->n_pairs, a, b;
  double y[JOBS], u[JOBS], v[TYPES], of_a, of_b, sum = 0.0, bound = 0.0, excess = 0.0;
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  load_question(moment, question, lp);
  if (lp_solve(lp, LP_DUAL, &error) != HSIM_OK) {
    lp_destroy(lp);
    return (double)NAN;
  }
  for (int i = 0; i < n; i++) {
    y[i] = can_run(problem, i) ? fmax(0.0, -lp_dual(lp, 2 * i)) : 0.0;
    u[i] = fmax(0.0, lp_dual(lp, 2 * i + 1));
    sum += y[i] * question->demands[i];
  }
  for (int g = 0; g < TYPES; g++)
    v[g] = fmax(0.0, lp_dual(lp, 2 * n + g));
  lp_destroy(lp);
  double scale = question->sum ? 1.0 : 1.0 / sum;
  for (int i = 0; i < n; i++)
    bound += scale * (u[i] - y[i] * question->floors[i]);
  for (int g = 0; g < TYPES; g++)
    bound += scale * v[g] * moment->gpus[g];
  for (int c = 0; c < all; c++)
    for (int g = 0; g < TYPES; g++)
      if (combination(problem, c, g, &a, &b, &of_a, &of_b)) {
        double worth = gain_of(moment, question, g, of_a + of_b) + scale * y[a] * of_a -
                       scale * (u[a] + v[g] * moment->workers[a]);
        if (b >= 0)
          worth += scale * (y[b] * of_b - u[b]);
        excess = fmax(excess, worth);
      }
  return bound + excess * n;
}

/* Within the constraints, up to the rounding of shares; nothing where nothing can run. */
static bool shares_are_possible(const struct moment *moment, double tolerance) {
  const struct shares_problem *problem = &moment->problem;
  double time[JOBS] = {0}, used[TYPES] = {0}, of_a, of_b;
  int a, b;
  for (int c = 0; c < problem->n_jobs + problem->n_pairs; c++)
    for (int g = 0; g < TYPES; g++) {
      double x = moment->shares[c * TYPES + g];
      if (!(x >= 0.0 && x <= 1.0) || (x > 0.0 && !combination(problem, c, g, &a, &b, &of_a, &of_b)))
        return false;
      if (!(x > 0.0))
        continue;
      time[a] += x;
      if (b >= 0)
        time[b] += x;
      used[g] += x * moment->workers[a];
    }
  for (int i = 0; i < problem->n_jobs; i++)
    if (time[i] > 1.0 + tolerance)
      return false;
  for (int g = 0; g < TYPES; g++)
    if (used[g] > moment->gpus[g] + tolerance * 10)
      return false;
  return true;
}

#endif
