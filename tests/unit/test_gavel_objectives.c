/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policy/gavel/objective.h"

enum { V100, P100, K80, N_TYPES, MAX_JOBS = 40 };

struct row {
  int workers;
  double rates[N_TYPES];
};

/* Gavel's artifact_evaluation trace: rates from its simulation table. */
static const struct row ARTIFACT[15] = {
    {1,
     {4.394774823323071, 2.6194694075770055, 0.6190282202246573}}, /* ResNet-50 (batch size 64) */
    {2,
     {14.153819944879553, 14.305256582711568, 7.047480389257892}}, /* Transformer (batch size 16) */
    {1,
     {17.994906225052176, 11.675499943575447, 1.8065297880422846}}, /* ResNet-18 (batch size 128) */
    {1,
     {2.841510364354536, 5.548440840558535,
      2.698783123478088}}, /* Recommendation (batch size 8192) */
    {1,
     {5.44610521981264, 3.0735350560514787, 0.9815827061299781}}, /* Transformer (batch size 128) */
    {1, {81.65163491883021, 77.0846780814848, 23.794428965833195}}, /* LM (batch size 10) */
    {1,
     {10.300256501360458, 7.72278472419796, 0.8855799947494726}}, /* ResNet-18 (batch size 256) */
    {1, {24.093231895382736, 22.30494387033663, 7.052080666695425}}, /* ResNet-18 (batch size 64) */
    {1, {24.093231895382736, 22.30494387033663, 7.052080666695425}}, /* ResNet-18 (batch size 64) */
    {2, {100.14206200421837, 60.91063005118197, 8.758230831811566}}, /* ResNet-18 (batch size 16) */
    {1,
     {5.44610521981264, 3.0735350560514787, 0.9815827061299781}}, /* Transformer (batch size 128) */
    {2, {91.59265730806288, 48.04183588734964, 16.069669774246478}}, /* LM (batch size 40) */
    {1,
     {11.06408721300405, 9.537249191611776, 5.467379291465242}}, /* Transformer (batch size 16) */
    {1, {4.426088263367452, 2.4026681703106223, 0.5047705689725351}}, /* CycleGAN */
    {1, {7.175767179667988, 5.681346110543853, 3.4387678290723933}},  /* A3C */
};

static const double EQUAL_PRICES[N_TYPES] = {1, 1, 1};

struct setup {
  struct shares_problem problem;
  int order[N_TYPES], gpus[N_TYPES], workers[MAX_JOBS];
  double weights[MAX_JOBS], rates[MAX_JOBS * N_TYPES], shares[MAX_JOBS * N_TYPES];
  struct shares_report report;
};

static void begin(struct setup *setup, int v100, int p100, int k80) {
  *setup = (struct setup){.order = {K80, P100, V100}, .gpus = {v100, p100, k80}};
  setup->problem = (struct shares_problem){.n_types = N_TYPES,
                                           .type_order = setup->order,
                                           .type_gpus = setup->gpus,
                                           .prices = EQUAL_PRICES,
                                           .workers = setup->workers,
                                           .weights = setup->weights,
                                           .rates = setup->rates};
}

static void add_job(struct setup *setup, int workers, double weight, const double *rates) {
  int i = setup->problem.n_jobs++;
  setup->workers[i] = workers;
  setup->weights[i] = weight;
  memcpy(setup->rates + i * N_TYPES, rates, N_TYPES * sizeof *rates);
}

static double share(const struct setup *setup, int job, int type) {
  return setup->shares[job * N_TYPES + type];
}

static void allocate(struct setup *setup, const struct objective *objective) {
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  setup->report = (struct shares_report){.optimum = NAN};
  memset(setup->shares, 0, sizeof setup->shares);
  assert_int_equal(
      objective->allocate(NULL, &setup->problem, lp, setup->shares, &setup->report, &error),
      HSIM_OK);
  lp_destroy(lp);
}

/* Within the constraints; returns the smallest normalised throughput. */
static double check_max_min(const struct setup *setup) {
  const struct shares_problem *problem = &setup->problem;
  double used[N_TYPES] = {0}, least = INFINITY;
  for (int i = 0; i < problem->n_jobs; i++) {
    double time = 0, throughput = 0;
    for (int g = 0; g < N_TYPES; g++) {
      double x = share(setup, i, g);
      assert_true(x >= 0 && x <= 1);
      time += x;
      throughput += x * rates_of(problem, i)[g];
      used[g] += x * setup->workers[i];
    }
    assert_true(time <= 1 + 1e-8); /* shares are rounded */
    double average = shares_proportional_rate(problem, i);
    if (average > 0)
      least = fmin(least, throughput * setup->workers[i] / (setup->weights[i] * average));
  }
  for (int g = 0; g < N_TYPES; g++)
    assert_true(used[g] <= setup->gpus[g] + 1e-6);
  return least;
}

static void max_min_reaches_the_published_optimum(void **state) {
  (void)state;
  struct setup setup;
  begin(&setup, 2, 2, 2);
  for (int i = 0; i < 15; i++)
    add_job(&setup, ARTIFACT[i].workers, 1.0, ARTIFACT[i].rates);
  allocate(&setup, &objective_max_min_fairness_perf);
  assert_true(fabs(setup.report.optimum - 0.487095607) < 1e-9);
  assert_true(fabs(check_max_min(&setup) - setup.report.optimum) < 1e-8);
  assert_int_equal(setup.report.classes, 13); /* jobs 4 and 10, 7 and 8 are equal */
  /* Gavel's own shares of the same moment, from its interior-point solver. */
  static const struct {
    int job, type;
    double share;
  } gavel[] = {{0, V100, 0.28201167903233665},  {1, K80, 0.22820365830047337},
               {1, P100, 0.089075916750423867}, {6, P100, 0.33472269041187208},
               {6, V100, 0.047096966188019666}, {12, K80, 0.77416474621373721},
               {14, K80, 0.76942793714637525},  {4, V100, 0.28326077641638292}};
  for (size_t i = 0; i < sizeof gavel / sizeof *gavel; i++)
    assert_true(fabs(share(&setup, gavel[i].job, gavel[i].type) - gavel[i].share) < 1e-8);
  for (int g = 0; g < N_TYPES; g++) {
    assert_true(share(&setup, 4, g) == share(&setup, 10, g));
    assert_true(share(&setup, 7, g) == share(&setup, 8, g));
  }

  begin(&setup, 2, 2, 2);
  for (int i = 0; i < 15; i++)
    if (i != 11)
      add_job(&setup, ARTIFACT[i].workers, 1.0, ARTIFACT[i].rates);
  allocate(&setup, &objective_max_min_fairness_perf);
  assert_true(fabs(setup.report.optimum - 0.521027147) < 1e-9);
}

static void max_min_follows_weights(void **state) {
  (void)state;
  struct setup setup;
  begin(&setup, 1, 0, 0);
  add_job(&setup, 1, 1.0, (double[]){2, 1, 1});
  add_job(&setup, 1, 3.0, (double[]){5, 1, 1});
  allocate(&setup, &objective_max_min_fairness_perf);
  assert_true(fabs(share(&setup, 0, V100) - 0.25) < 1e-9);
  assert_true(fabs(share(&setup, 1, V100) - 0.75) < 1e-9);
  assert_true(fabs(setup.report.optimum - 0.25) < 1e-9);
}

/* The first job cannot do better than all of its time on the k80; the second job's rest is not
 * wasted for that. */
static void max_min_gives_away_what_is_left(void **state) {
  (void)state;
  struct setup setup;
  begin(&setup, 1, 0, 1);
  add_job(&setup, 1, 1.0, (double[]){0, 0, 1});
  add_job(&setup, 1, 1.0, (double[]){10, 0, 1});
  allocate(&setup, &objective_max_min_fairness_perf);
  assert_true(fabs(share(&setup, 0, K80) - 1) < 1e-9);
  assert_true(fabs(share(&setup, 1, V100) - 1) < 1e-9);
  assert_true(share(&setup, 1, K80) == 0.0);
}

static void max_min_leaves_out_what_cannot_run(void **state) {
  (void)state;
  struct setup setup;
  begin(&setup, 2, 0, 0);
  add_job(&setup, 1, 1.0, (double[]){0, 3, 0}); /* its type has no GPUs now */
  add_job(&setup, 1, 1.0, (double[]){4, 3, 2});
  allocate(&setup, &objective_max_min_fairness_perf);
  for (int g = 0; g < N_TYPES; g++)
    assert_true(share(&setup, 0, g) == 0.0);
  assert_true(fabs(share(&setup, 1, V100) - 1) < 1e-9);
  setup.problem.n_jobs = 1;
  allocate(&setup, &objective_max_min_fairness_perf);
  assert_true(isnan(setup.report.optimum));
}

static void max_min_holds_on_random_jobs(void **state) {
  (void)state;
  unsigned seed = 7;
  print_message("seed %u\n", seed);
  for (int round = 0; round < 60; round++) {
    struct setup setup, again;
    begin(&setup, 1 + round % 5, 1 + round % 3, round % 4);
    int n = 1 + round % MAX_JOBS;
    for (int i = 0; i < n; i++) {
      double rates[N_TYPES];
      for (int g = 0; g < N_TYPES; g++) {
        seed = seed * 1664525u + 1013904223u;
        rates[g] = seed % 7 ? 0.01 + (double)(seed >> 16) : 0.0;
      }
      add_job(&setup, 1 << (i % 3), 1.0 + i % 2, rates);
    }
    allocate(&setup, &objective_max_min_fairness_perf);
    double least = check_max_min(&setup);
    if (!isnan(setup.report.optimum))
      assert_true(fabs(least - setup.report.optimum) <= 1e-6 * (1 + least));
    again = setup; /* whose problem still points into the first one */
    allocate(&again, &objective_max_min_fairness_perf);
    assert_memory_equal(setup.shares, again.shares, sizeof setup.shares);
  }
}

/* Whichever way the jobs stand, equal jobs get the same, and each job gets what it got before: the
 * optimum is one point. */
static void max_min_does_not_depend_on_the_order(void **state) {
  (void)state;
  struct setup one, other;
  begin(&one, 2, 2, 2);
  begin(&other, 2, 2, 2);
  for (int i = 0; i < 15; i++) {
    add_job(&one, ARTIFACT[i].workers, 1.0, ARTIFACT[i].rates);
    add_job(&other, ARTIFACT[14 - i].workers, 1.0, ARTIFACT[14 - i].rates);
  }
  allocate(&one, &objective_max_min_fairness_perf);
  allocate(&other, &objective_max_min_fairness_perf);
  for (int i = 0; i < 15; i++)
    for (int g = 0; g < N_TYPES; g++)
      assert_true(fabs(share(&one, i, g) - share(&other, 14 - i, g)) < 1e-9);
}

static void fifo_takes_the_fastest_type_with_room(void **state) {
  (void)state;
  struct setup setup;
  begin(&setup, 1, 1, 2);
  add_job(&setup, 1, 1.0, (double[]){3, 5, 1});
  add_job(&setup, 1, 1.0, (double[]){9, 9, 1}); /* the p100 is taken */
  add_job(&setup, 2, 1.0, (double[]){9, 9, 2});
  add_job(&setup, 1, 1.0, (double[]){9, 9, 9});
  allocate(&setup, &objective_fifo_perf);
  assert_true(share(&setup, 0, P100) == 1.0);
  assert_true(share(&setup, 1, V100) == 1.0);
  assert_true(share(&setup, 2, K80) == 1.0);
  double given = 0;
  for (int i = 0; i < MAX_JOBS * N_TYPES; i++)
    given += setup.shares[i];
  assert_true(given == 3.0);
}

static void fifo_breaks_ties_by_name_and_blocks_behind_a_large_job(void **state) {
  (void)state;
  struct setup setup;
  begin(&setup, 2, 2, 2);
  add_job(&setup, 1, 1.0, (double[]){4, 4, 4});
  add_job(&setup, 1, 1.0, (double[]){0, 0, 0}); /* gets nothing, blocks nobody */
  add_job(&setup, 2, 1.0, (double[]){1, 2, 3});
  add_job(&setup, 4, 1.0, (double[]){9, 9, 9}); /* too large: blocks */
  add_job(&setup, 1, 1.0, (double[]){9, 9, 9});
  allocate(&setup, &objective_fifo_perf);
  assert_true(share(&setup, 0, K80) == 1.0);
  assert_true(share(&setup, 2, P100) == 1.0); /* one k80 is not enough for two workers */
  for (int g = 0; g < N_TYPES; g++) {
    assert_true(share(&setup, 1, g) == 0.0);
    assert_true(share(&setup, 3, g) == 0.0);
    assert_true(share(&setup, 4, g) == 0.0);
  }
}

/* The option's choices count as the list does. */
static void the_choices_are_the_list(void **state) {
  (void)state;
  char names[1024] = "";
  size_t length = 0;
  for (int i = 0; objective_at(i); i++) {
    int n = snprintf(names + length, sizeof names - length, "%s%s", i ? "|" : "",
                     objective_at(i)->name);
    assert_true(n > 0 && (size_t)n < sizeof names - length);
    length += (size_t)n;
  }
  assert_string_equal(names, OBJECTIVE_CHOICES);
  assert_null(objective_at(-1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_choices_are_the_list),
      cmocka_unit_test(max_min_reaches_the_published_optimum),
      cmocka_unit_test(max_min_follows_weights),
      cmocka_unit_test(max_min_gives_away_what_is_left),
      cmocka_unit_test(max_min_leaves_out_what_cannot_run),
      cmocka_unit_test(max_min_holds_on_random_jobs),
      cmocka_unit_test(max_min_does_not_depend_on_the_order),
      cmocka_unit_test(fifo_takes_the_fastest_type_with_room),
      cmocka_unit_test(fifo_breaks_ties_by_name_and_blocks_behind_a_large_job),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
