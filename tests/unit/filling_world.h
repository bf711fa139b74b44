/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random problems for water filling, and the base constraints of Gavel's programs written down
 * again, one column a combination and type, for tests to compare with. */
#ifndef HSIM_TESTS_FILLING_WORLD_H
#define HSIM_TESTS_FILLING_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "policy/gavel/entities.h"
#include "policy/gavel/filling.h"

enum { N_TYPES = 3, MAX_JOBS = 20, MAX_PAIRS = MAX_JOBS * (MAX_JOBS - 1) / 2 };

static const double EQUAL_PRICES[N_TYPES] = {1, 1, 1};

struct setup {
  struct shares_problem problem;
  int order[N_TYPES], gpus[N_TYPES], ids[MAX_JOBS], workers[MAX_JOBS], of[MAX_JOBS];
  double weights[MAX_JOBS], rates[MAX_JOBS * N_TYPES], pair_rates[MAX_PAIRS * N_TYPES * 2];
  struct shares_pair pairs[MAX_PAIRS];
  struct entity entity[4];
  struct entities entities;
  double shares[(MAX_JOBS + MAX_PAIRS) * N_TYPES];
  struct shares_report report;
};

static inline void begin(struct setup *setup, int a, int b, int c) {
  memset(setup, 0, sizeof *setup);
  memcpy(setup->order, (int[]){2, 1, 0}, sizeof setup->order);
  memcpy(setup->gpus, (int[]){a, b, c}, sizeof setup->gpus);
  setup->problem = (struct shares_problem){.n_types = N_TYPES,
                                           .type_order = setup->order,
                                           .type_gpus = setup->gpus,
                                           .prices = EQUAL_PRICES,
                                           .ids = setup->ids,
                                           .workers = setup->workers,
                                           .weights = setup->weights,
                                           .entities = setup->of,
                                           .rates = setup->rates};
}

static inline int add_job(struct setup *setup, int workers, double weight, const double *rates) {
  int i = setup->problem.n_jobs++;
  setup->ids[i] = i;
  setup->workers[i] = workers;
  setup->weights[i] = weight;
  memcpy(setup->rates + i * N_TYPES, rates, N_TYPES * sizeof *rates);
  return i;
}

static inline void add_entity(struct setup *setup, double weight, enum entity_mode mode) {
  setup->entity[setup->entities.n++] = (struct entity){weight, mode};
  setup->entities.at = setup->entity;
  setup->problem.by_entity = &setup->entities;
}

/* Deterministic, the same everywhere. */
static inline unsigned draw(unsigned *seed, unsigned below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

static inline double draw_real(unsigned *seed, double low, double high) {
  return low + (high - low) * (double)draw(seed, 10000) / 10000.0;
}

/* Pairs of the same size, which run at a part of their own rates together. */
static inline void add_pairs(struct setup *setup, unsigned *seed) {
  struct shares_problem *problem = &setup->problem;
  for (int b = 0; b < problem->n_jobs; b++)
    for (int a = 0; a < b; a++) {
      if (problem->workers[a] != problem->workers[b])
        continue;
      double *both = setup->pair_rates + problem->n_pairs * N_TYPES * 2;
      setup->pairs[problem->n_pairs++] = (struct shares_pair){a, b};
      for (int g = 0; g < N_TYPES; g++) {
        bool can = rates_of(problem, a)[g] > 0 && rates_of(problem, b)[g] > 0 && draw(seed, 6);
        both[2 * g] = can ? rates_of(problem, a)[g] * draw_real(seed, 0.3, 1) : 0;
        both[2 * g + 1] = can ? rates_of(problem, b)[g] * draw_real(seed, 0.3, 1) : 0;
      }
    }
  problem->pairs = setup->pairs;
  problem->pair_rates = setup->pair_rates;
}

static inline void make_random(struct setup *setup, unsigned *seed, bool pairs, int most_gpus) {
  begin(setup, 1 + (int)draw(seed, (unsigned)most_gpus), (int)draw(seed, (unsigned)most_gpus),
        (int)draw(seed, (unsigned)most_gpus));
  int n = 1 + (int)draw(seed, 10), workers[] = {1, 1, 1, 2, 4};
  for (int i = 0; i < n; i++) {
    double rates[N_TYPES];
    for (int g = 0; g < N_TYPES; g++)
      rates[g] = draw(seed, 8) ? draw_real(seed, 0.5, 20) : 0.0;
    if (i > 0 && draw(seed, 3) == 0) /* like the one before */
      memcpy(rates, setup->rates + (i - 1) * N_TYPES, sizeof rates);
    add_job(setup, workers[draw(seed, 5)], 1.0 + draw(seed, 2), rates);
  }
  if (pairs)
    add_pairs(setup, seed);
}

/* Calls back for each combination and type: of whom (b < 0: alone), steps per second of both. */
typedef void (*visitor)(void *context, int column, int a, int b, int type, double of_a,
                        double of_b);

static inline void each_column(const struct shares_problem *problem, visitor visit, void *context) {
  for (int i = 0; i < problem->n_jobs; i++)
    for (int g = 0; g < N_TYPES; g++)
      visit(context, i * N_TYPES + g, i, -1, g, rates_of(problem, i)[g], 0);
  for (int p = 0; p < problem->n_pairs; p++)
    for (int g = 0; g < N_TYPES; g++) {
      const double *both = pair_rates_of(problem, p) + 2 * g;
      visit(context, (problem->n_jobs + p) * N_TYPES + g, problem->pairs[p].a, problem->pairs[p].b,
            g, both[0], both[1]);
    }
}

struct sums {
  const struct setup *setup;
  double net[MAX_JOBS], time[MAX_JOBS], used[N_TYPES];
};

static inline void add_to_sums(void *context, int column, int a, int b, int type, double of_a,
                               double of_b) {
  struct sums *sums = context;
  double x = sums->setup->shares[column];
  assert_true(x >= 0 && x <= 1);
  assert_true(x == 0 || of_a > 0);
  sums->used[type] += x * sums->setup->workers[a];
  sums->time[a] += x;
  if (x > 0)
    sums->net[a] += x * of_a / shares_proportional_rate(&sums->setup->problem, a);
  if (b < 0)
    return;
  sums->time[b] += x;
  if (x > 0)
    sums->net[b] += x * of_b / shares_proportional_rate(&sums->setup->problem, b);
}

/* Checks the base constraints and tells the nets. */
static inline void check_feasible(const struct setup *setup, double *net) {
  struct sums sums = {.setup = setup};
  each_column(&setup->problem, add_to_sums, &sums);
  for (int i = 0; i < setup->problem.n_jobs; i++)
    assert_true(sums.time[i] <= 1 + 1e-7); /* shares are rounded */
  for (int g = 0; g < N_TYPES; g++)
    assert_true(sums.used[g] <= setup->gpus[g] + 1e-6);
  memcpy(net, sums.net, sizeof sums.net);
}

/* Rows: net of each job, time of each, GPUs; columns as in the shares. */
struct literal {
  const struct setup *setup;
  struct lp *lp;
  int copies; /* of the rows of the nets */
};

static inline void add_to_literal(void *context, int column, int a, int b, int type, double of_a,
                                  double of_b) {
  struct literal *literal = context;
  const struct shares_problem *problem = &literal->setup->problem;
  int n = problem->n_jobs, copies = literal->copies;
  bool nowhere = of_a <= 0 || problem->type_gpus[type] == 0 ||
                 !(shares_proportional_rate(problem, a) > 0) ||
                 (b >= 0 && !(shares_proportional_rate(problem, b) > 0));
  lp_column(literal->lp, column, 0, nowhere ? 0 : INFINITY);
  for (int side = 0; side < (b < 0 ? 1 : 2); side++) {
    int job = side ? b : a;
    double rate = side ? of_b : of_a;
    if (problem->coded && problem->pairs)
      rate = (float)rate; /* as Gavel keeps it */
    for (int c = 0; c < copies && !nowhere; c++)
      lp_entry(literal->lp, c * n + job, column, rate / shares_proportional_rate(problem, job));
    lp_entry(literal->lp, copies * n + job, column, 1);
  }
  lp_entry(literal->lp, (copies + 1) * n + type, column, literal->setup->workers[a]);
}

static inline int n_shares(const struct shares_problem *problem) {
  return (problem->n_jobs + problem->n_pairs) * N_TYPES;
}

static inline void load_literal(const struct setup *setup, struct lp *lp, int copies, int more) {
  const struct shares_problem *problem = &setup->problem;
  struct literal literal = {setup, lp, copies};
  int n = problem->n_jobs;
  lp_begin(lp, (copies + 1) * n + N_TYPES, n_shares(problem) + more, LP_MAXIMISE);
  each_column(problem, add_to_literal, &literal);
  for (int i = 0; i < copies * n; i++)
    lp_row(lp, i, -INFINITY, INFINITY);
  for (int i = 0; i < n; i++)
    lp_row(lp, copies * n + i, -INFINITY, 1);
  for (int g = 0; g < N_TYPES; g++)
    lp_row(lp, (copies + 1) * n + g, -INFINITY, setup->gpus[g]);
}

#endif
