/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moments for tests of Gavel's objectives that remember: jobs are described, shares computed, then
 * the next moment. Types are v100, p100, k80.
 */
#ifndef HSIM_TESTS_GAVEL_MOMENT_H
#define HSIM_TESTS_GAVEL_MOMENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "policy/gavel/objective.h"

enum { V100, P100, K80, N_TYPES };
enum { MOMENT_JOBS = 64, MOMENT_PAIRS = MOMENT_JOBS * MOMENT_JOBS / 2 };

struct moment {
  const struct objective *objective;
  void *memory;
  struct shares_problem problem;
  int gpus[N_TYPES], ids[MOMENT_JOBS], workers[MOMENT_JOBS];
  double weights[MOMENT_JOBS], rates[MOMENT_JOBS * N_TYPES];
  double remaining[MOMENT_JOBS], age_s[MOMENT_JOBS];
  struct shares_pair pairs[MOMENT_PAIRS];
  double pair_rates[MOMENT_PAIRS * N_TYPES * 2];
  double shares[(MOMENT_JOBS + MOMENT_PAIRS) * N_TYPES];
  struct hsim_error error;
};

static inline void moment_open(struct moment *moment, const struct objective *objective, bool coded,
                               uint64_t seed) {
  static const int ORDER[N_TYPES] = {K80, P100, V100};
  *moment = (struct moment){.objective = objective};
  moment->problem = (struct shares_problem){.n_types = N_TYPES,
                                            .type_order = ORDER,
                                            .type_gpus = moment->gpus,
                                            .ids = moment->ids,
                                            .workers = moment->workers,
                                            .weights = moment->weights,
                                            .rates = moment->rates,
                                            .remaining = moment->remaining,
                                            .age_s = moment->age_s,
                                            .pairs = moment->pairs,
                                            .pair_rates = moment->pair_rates,
                                            .coded = coded};
  moment->memory = calloc(1, objective->state_size + 1);
  assert_non_null(moment->memory);
  if (objective->init)
    objective->init(moment->memory,
                    &(struct objective_setup){
                        .n_jobs = MOMENT_JOBS, .n_types = N_TYPES, .seed = seed, .coded = coded});
}

static inline void moment_close(struct moment *moment) {
  if (moment->objective->free)
    moment->objective->free(moment->memory);
  free(moment->memory);
}

/* The next moment, which has no jobs yet. */
static inline void moment_next(struct moment *moment, int v100, int p100, int k80) {
  moment->problem.n_jobs = moment->problem.n_pairs = 0;
  moment->gpus[V100] = v100;
  moment->gpus[P100] = p100;
  moment->gpus[K80] = k80;
}

/* Ids ascend within a moment. Returns the position. */
static inline int moment_job(struct moment *moment, int id, int workers, double v100, double p100,
                             double k80) {
  int i = moment->problem.n_jobs++;
  double rates[N_TYPES] = {v100, p100, k80};
  moment->ids[i] = id;
  moment->workers[i] = workers;
  moment->weights[i] = 1;
  moment->remaining[i] = 1000;
  moment->age_s[i] = 1000 - id;
  memcpy(moment->rates + i * N_TYPES, rates, sizeof rates);
  return i;
}

/* Positions a < b, ascending b, then a. Each does `part` of its rate alone on every type. */
static inline void moment_pair(struct moment *moment, int a, int b, double part) {
  int n = moment->problem.n_pairs++;
  moment->pairs[n] = (struct shares_pair){a, b};
  for (int g = 0; g < N_TYPES; g++) {
    moment->pair_rates[(n * N_TYPES + g) * 2] = part * moment->rates[a * N_TYPES + g];
    moment->pair_rates[(n * N_TYPES + g) * 2 + 1] = part * moment->rates[b * N_TYPES + g];
  }
}

/* Every two jobs, each pair on all types. */
static inline void moment_all_pairs(struct moment *moment, double part) {
  for (int b = 0; b < moment->problem.n_jobs; b++)
    for (int a = 0; a < b; a++)
      moment_pair(moment, a, b, part);
}

static inline enum hsim_status moment_allocate(struct moment *moment) {
  struct shares_report report = {.optimum = NAN};
  size_t n = (size_t)(moment->problem.n_jobs + moment->problem.n_pairs) * N_TYPES;
  memset(moment->shares, 0, n * sizeof *moment->shares);
  return moment->objective->allocate(moment->memory, &moment->problem, NULL, moment->shares,
                                     &report, &moment->error);
}

static inline double moment_share(const struct moment *moment, int combination, int type) {
  return moment->shares[combination * N_TYPES + type];
}

/* The type of which the combination has a whole share and nothing else, -1: nothing at all. */
static inline int moment_type(const struct moment *moment, int combination) {
  int type = -1;
  for (int g = 0; g < N_TYPES; g++) {
    double share = moment_share(moment, combination, g);
    assert_true(share == 0 || (share == 1 && type < 0));
    if (share > 0)
      type = g;
  }
  return type;
}

static inline void moment_expect_types(struct moment *moment, const int *types) {
  assert_int_equal(moment_allocate(moment), HSIM_OK);
  for (int i = 0; i < moment->problem.n_jobs + moment->problem.n_pairs; i++)
    assert_int_equal(moment_type(moment, i), types[i]);
}

#endif
