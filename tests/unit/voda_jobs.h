/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs for tests of Voda's algorithms: the two fixtures of the worked examples, and random ones. */
#ifndef HSIM_TESTS_VODA_JOBS_H
#define HSIM_TESTS_VODA_JOBS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "policy/voda/allocate.h"

enum { JOBS_MAX = 1024, TABLE_MAX = 40 };

struct jobs {
  struct voda_job at[JOBS_MAX];
  double tables[JOBS_MAX][TABLE_MAX];
  int n;
  struct voda_allocator allocator;
  struct voda_rules rules;
  bool panicked;
};

/* Speedups of the fixtures for 1, 2, ... workers, ended by 0. The last one holds for all beyond. */
static const double SP_A[] = {1, 1.9, 2.7, 3.4, 0};
static const double SP_B[] = {1, 1.8, 2.4, 2.8, 0};
static const double SP_C[] = {1, 1.6, 2.0, 2.2, 0};
static const double SP_D[] = {1, 1.5, 1.7, 1.8, 0};
static const double SP_C6[] = {1, 1.6, 2.0, 2.2, 2.3, 2.35, 0};

static inline struct voda_job *add_job(struct jobs *jobs, int min, int np, int max, double left_s,
                                       const double *speedups) {
  struct voda_job *job = &jobs->at[jobs->n];
  double *table = jobs->tables[jobs->n];
  int known = 0;
  while (speedups && speedups[known] > 0)
    known++;
  for (int k = 1; k <= max + 1; k++)
    table[k] = !speedups ? k : speedups[(k < known ? k : known) - 1];
  table[0] = 0;
  table[max + 1] = table[max];
  *job = (struct voda_job){.id = jobs->n,
                           .min = min,
                           .np = np,
                           .max = max,
                           .first_start_s = (double)INFINITY,
                           .left_s = left_s,
                           .speedup = table};
  jobs->n++;
  return job;
}

static inline void clear_jobs(struct jobs *jobs) {
  jobs->n = 0;
}

static inline void load_f8(struct jobs *jobs) {
  clear_jobs(jobs);
  add_job(jobs, 1, 4, 4, 4000, SP_A);
  add_job(jobs, 1, 2, 4, 1000, SP_B);
  add_job(jobs, 1, 2, 4, 600, SP_C);
  add_job(jobs, 1, 4, 4, 2400, SP_D);
}

static inline void load_g8(struct jobs *jobs) {
  clear_jobs(jobs);
  add_job(jobs, 2, 2, 4, 2000, SP_A);
  add_job(jobs, 4, 4, 4, 3000, SP_B);
  add_job(jobs, 3, 3, 6, 600, SP_C6);
  add_job(jobs, 1, 1, 2, 900, SP_D);
}

static inline void allocate(struct jobs *jobs, enum voda_algorithm algorithm, int gpus) {
  jobs->rules.algorithm = algorithm;
  jobs->panicked = voda_allocate(&jobs->allocator, &jobs->rules, jobs->at, jobs->n, gpus);
}

#define expect_got(jobs, ...)                                                                      \
  expect_got_at(__LINE__, jobs, (int[]){__VA_ARGS__},                                              \
                (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)))
static inline void expect_got_at(int line, const struct jobs *jobs, const int *wanted, int n) {
  assert_int_equal(jobs->n, n);
  for (int i = 0; i < n; i++) {
    int at = 0;
    while (jobs->at[at].id != i) /* the input may stand in any order */
      at++;
    if (jobs->at[at].got != wanted[i])
      fail_msg("line %d: job %c got %d, expected %d", line, 'A' + i, jobs->at[at].got, wanted[i]);
  }
}

static inline void free_jobs(struct jobs *jobs) {
  voda_allocator_free(&jobs->allocator);
}

#endif
