/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances whose optimum is worked out by hand, for each of the three bounds and each permission.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bound_world.h"

static void close_to(double value, double expected, int line) {
  if (!(fabs(value - expected) <= 1e-6 * expected))
    fail_msg("line %d: %.17g, expected %.17g", line, value, expected);
}
#define CLOSE(value, expected) close_to(value, expected, __LINE__)

static const struct bound_rules rigid;

/* One job: all three are what it needs alone. */
static void test_one_job(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "fast=1x2,slow=1x2");
  world_rate(&w, "fast", "m", 2, 4);
  world_rate(&w, "slow", "m", 2, 1);
  world_job(&w, "a", 50, "m", 2, 400);
  struct bounds b = bounds_of_world(&w, rigid);
  assert_int_equal(b.jobs, 1);
  CLOSE(b.makespan_s, 100);
  CLOSE(b.longest_s, 100);
  CLOSE(b.work_s, 50); /* 200 GPU-seconds on 4 GPUs */
  CLOSE(b.jct_mean_s, 100);
  CLOSE(b.slowdown_max, 1);
  world_free(&w);
}

/* Ten equal jobs on one GPU: they end at 10, 20, ... 100. */
static void test_queue(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "g=1x1");
  world_rate(&w, "g", "m", 1, 1);
  for (int i = 0; i < 10; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    world_job(&w, id, 0, "m", 1, 10);
  }
  struct bounds b = bounds_of_world(&w, rigid);
  CLOSE(b.makespan_s, 100);
  assert_true(b.jct_mean_s <= 55 && b.jct_mean_s > 0.97 * 55);
  /* Someone is last: 100 s instead of 10 s. */
  assert_true(b.slowdown_max <= 10 && b.slowdown_max > 9.9);
  world_free(&w);
}

/* A GPU that is busy with one job when the next comes: the makespan counts from the first arrival,
 * idle time before the last arrival is lost. */
static void test_arrivals(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "g=1x1");
  world_rate(&w, "g", "m", 1, 1);
  world_job(&w, "a", 100, "m", 1, 10);
  world_job(&w, "b", 130, "m", 1, 50);
  world_job(&w, "c", 140, "m", 1, 60);
  struct bounds b = bounds_of_world(&w, rigid);
  CLOSE(b.makespan_s, 140); /* 130 + 110 - 100 */
  CLOSE(b.longest_s, 100);
  world_free(&w);
}

/* Two jobs, each fast on another type: both at once take 10 s; both on their slow types 40 s. */
static void test_types(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "a=1x1,b=1x1");
  world_rate(&w, "a", "m", 1, 4);
  world_rate(&w, "b", "m", 1, 1);
  world_rate(&w, "a", "n", 1, 1);
  world_rate(&w, "b", "n", 1, 4);
  world_job(&w, "1", 0, "m", 1, 40);
  world_job(&w, "2", 0, "n", 1, 40);
  struct bounds b = bounds_of_world(&w, rigid);
  CLOSE(b.makespan_s, 10);
  CLOSE(b.jct_mean_s, 10);
  /* Both like a: T seconds there and T on b, 80 = 4 T + T. */
  w.trace.jobs[1].model = w.trace.jobs[0].model;
  b = bounds_of_world(&w, rigid);
  CLOSE(b.makespan_s, 16);
  world_free(&w);
}

/* 3 GPUs, two jobs of 2 workers and a long one of 1: the long job's own time is what is short. */
static void test_own_time(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "fast=1x1,slow=1x2");
  world_rate(&w, "fast", "m", 1, 2);
  world_rate(&w, "slow", "m", 1, 1);
  /* Of the GPUs' 4 steps a second two jobs can use 3: at 100 s each has done 150. */
  world_job(&w, "1", 0, "m", 1, 150);
  world_job(&w, "2", 0, "m", 1, 150);
  CLOSE(bounds_of_world(&w, rigid).makespan_s, 100);
  world_free(&w);
}

static struct bounds one_job_under(struct bound_rules rules) {
  struct world w;
  world_init(&w, "a=2x2,b=1x2");
  w.config.semantics.spread = SPREAD_IGNORE;
  world_rate(&w, "a", "m", 1, 10);
  world_rate(&w, "a", "m", 2, 18);
  world_rate(&w, "a", "m", 4, 24);
  world_rate(&w, "b", "m", 1, 5);
  world_rate(&w, "b", "m", 2, 9);
  world_rate(&w, "b", "m", 4, 12);
  world_job(&w, "j", 0, "m", 2, 3600)->max_workers = 4;
  struct bounds b = bounds_of_world(&w, rules);
  world_free(&w);
  return b;
}

static void test_permissions(void **state) {
  (void)state;
  CLOSE(one_job_under(rigid).makespan_s, 200);
  CLOSE(one_job_under((struct bound_rules){.mixes_types = true}).makespan_s, 200);
  CLOSE(one_job_under((struct bound_rules){.elastic = true}).makespan_s, 150);
  /* Six copies of one GPU: 4 * 10 + 2 * 5 steps a second. */
  struct bounds forks = one_job_under((struct bound_rules){.forks = true});
  CLOSE(forks.makespan_s, 72);
  CLOSE(forks.jct_mean_s, 72);
  /* Slowdown counts from the rigid job alone: 72 s of 200 s. */
  CLOSE(forks.slowdown_max, 0.36);
}

/* Two jobs on one GPU, together each at 3/4 of its rate alone. */
static void test_pairs(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "g=1x1");
  world_rate(&w, "g", "m", 1, 4);
  assert_int_equal(rates_add_pair(&w.rates, "g", "m", "m", 1, 3, 3, &w.error), HSIM_OK);
  world_job(&w, "1", 0, "m", 1, 120);
  world_job(&w, "2", 0, "m", 1, 120);
  CLOSE(bounds_of_world(&w, rigid).makespan_s, 60);
  CLOSE(bounds_of_world(&w, (struct bound_rules){.pairs = true}).makespan_s, 40);
  world_free(&w);
}

/* A gang that only fits on two types together is one that only a policy that mixes them runs. */
static void test_who_can_run(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "a=1x2,b=1x2");
  w.config.semantics.spread = SPREAD_IGNORE;
  world_rate(&w, "a", "m", 4, 8);
  world_rate(&w, "b", "m", 4, 2);
  world_job(&w, "1", 0, "m", 4, 80);
  struct bounds b = bounds_of_world(&w, rigid);
  assert_int_equal(b.jobs, 0);
  assert_true(isnan(b.makespan_s) && isnan(b.jct_mean_s) && isnan(b.slowdown_max));
  b = bounds_of_world(&w, (struct bound_rules){.mixes_types = true});
  assert_int_equal(b.jobs, 1);
  CLOSE(b.makespan_s, 40); /* at the pace of b, which it needs */
  assert_true(isnan(b.slowdown_max));
  /* A job that accepts one of the types only. */
  w.trace.jobs[0].gpu_types = 1;
  assert_int_equal(bounds_of_world(&w, (struct bound_rules){.mixes_types = true}).jobs, 0);
  world_free(&w);
}

/* The later phase is faster: its rate may hold from the start. */
static void test_phases(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "g=1x1");
  world_rate(&w, "g", "m", 1, 1);
  world_rate(&w, "g", "n", 1, 2);
  struct hsim_job *job = world_job(&w, "1", 0, "m", 1, 100);
  struct hsim_phase phase = {50, job->model + 1};
  job->phases = &phase;
  job->n_phases = 1;
  CLOSE(bounds_of_world(&w, rigid).makespan_s, 50); /* really 75 */
  phase.from_step = 100;                            /* never reached */
  CLOSE(bounds_of_world(&w, rigid).makespan_s, 100);
  world_free(&w);
}

/* Merged jobs and intervals: many jobs of all sizes, the bound stays what it is for one GPU. */
static void test_many_jobs(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "g=1x1");
  world_rate(&w, "g", "m", 1, 1);
  double work = 0;
  for (int i = 0; i < 3000; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    double steps = 1 + i * 7919 % 1000;
    work += steps;
    world_job(&w, id, i, "m", 1, steps);
  }
  struct bounds b = bounds_of_world(&w, rigid);
  CLOSE(b.makespan_s, work);
  assert_true(b.intervals > 0 && b.intervals < 100 && b.classes < 1000);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_job),  cmocka_unit_test(test_queue),
      cmocka_unit_test(test_arrivals), cmocka_unit_test(test_types),
      cmocka_unit_test(test_own_time), cmocka_unit_test(test_permissions),
      cmocka_unit_test(test_pairs),    cmocka_unit_test(test_who_can_run),
      cmocka_unit_test(test_phases),   cmocka_unit_test(test_many_jobs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
