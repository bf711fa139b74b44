/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The objectives that are linear programs: optima of Gavel's own runs, and proofs on random jobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gavel_fixture.h"

/* A new memory a moment. */
static enum hsim_status try_allocate(struct moment *moment, const struct objective *objective,
                                     double *worth, struct hsim_error *error) {
  struct lp *lp = lp_create();
  void *memory = calloc(1, objective->state_size + 1);
  assert_non_null(memory);
  if (objective->init)
    objective->init(memory, &(struct objective_setup){
                                .n_jobs = JOBS, .n_types = TYPES, .coded = moment->problem.coded});
  moment->report = (struct shares_report){.optimum = (double)NAN};
  memset(moment->shares, 0, sizeof moment->shares);
  enum hsim_status status =
      objective->allocate(memory, &moment->problem, lp, moment->shares, &moment->report, error);
  if (status == HSIM_OK)
    *worth = objective->value(memory, &moment->problem, moment->shares);
  if (objective->free)
    objective->free(memory);
  free(memory);
  lp_destroy(lp);
  return status;
}

static double allocate(struct moment *moment, const struct objective *objective) {
  struct hsim_error error = {0};
  double worth = (double)NAN;
  if (try_allocate(moment, objective, &worth, &error) != HSIM_OK)
    fail_msg("%s: %s", objective->name, error.text);
  return worth;
}

static bool close_to(double a, double b, double relative) {
  return fabs(a - b) <= relative * fmax(1e-9, fabs(b));
}

static bool anyone_runs(const struct moment *moment) {
  for (int i = 0; i < moment->problem.n_jobs; i++)
    if (can_run(&moment->problem, i))
      return true;
  return false;
}

/* As coded, shares are the middle of the optima, which the interior-point method reaches to within
 * 1e-8 of the sizes in the program, and objectives here are down to 1e-3 of those. */
static double tolerance(const struct moment *moment) {
  return moment->problem.coded ? 3e-6 : 1e-7;
}

enum { MOMENTS = 200 };

/* `prove`: called with the moment's shares in place; `worth` is what they are worth. */
static void on_random_moments(const struct objective *objective, uint64_t seed,
                              void (*prove)(const struct moment *, double worth)) {
  print_message("%s: seed %llu\n", objective->name, (unsigned long long)seed);
  int proven = 0;
  static struct moment moment;
  for (int coded = 0; coded <= 1; coded++)
    for (int i = 0; i < MOMENTS; i++) {
      random_moment(&moment, &seed, objective, coded);
      bool all_run = true;
      for (int j = 0; j < moment.problem.n_jobs; j++)
        all_run = all_run && can_run(&moment.problem, j);
      if (!all_run && coded)
        continue;
      double worth = allocate(&moment, objective);
      if (!shares_are_possible(&moment, coded ? 1e-6 : 1e-7))
        fail_msg("%s: coded %d, moment %d: impossible shares", objective->name, coded, i);
      if (!anyone_runs(&moment)) {
        assert_true(isnan(moment.report.optimum));
        continue;
      }
      prove(&moment, worth);
      proven++;
    }
  print_message("%s: %d proofs\n", objective->name, proven);
  assert_true(proven >= MOMENTS);
}

static double normaliser(const struct moment *moment, int i) {
  return moment->workers[i] / (moment->weights[i] * shares_proportional_rate(&moment->problem, i));
}

static void prove_max_min(const struct moment *moment, double worth) {
  struct question question = {0};
  for (int i = 0; i < moment->problem.n_jobs; i++)
    if (can_run(&moment->problem, i))
      question.demands[i] = 1.0 / normaliser(moment, i);
  double bound = proven_bound(moment, &question);
  assert_true(close_to(bound, moment->report.optimum, 1e-7));
  assert_true(close_to(worth, bound, tolerance(moment)));
}

static double bisected(double least) { /* design of Gavel's search, from its description */
  double low = 100, high = 1e6;
  while (low * 1.05 < high) {
    double middle = (low + high) / 2;
    *(middle < least ? &low : &high) = middle;
  }
  return high;
}

/* How much the rounding of its shares can cost a job, in parts of demands / t, which it is to have.
 */
static double rounding(const struct moment *moment, const struct question *question, double t) {
  double rates[JOBS] = {0}, worst = 0, of_a, of_b;
  int a, b;
  for (int c = 0; c < moment->problem.n_jobs + moment->problem.n_pairs; c++)
    for (int g = 0; g < TYPES; g++)
      if (combination(&moment->problem, c, g, &a, &b, &of_a, &of_b)) {
        rates[a] += of_a;
        if (b >= 0)
          rates[b] += of_b;
      }
  for (int i = 0; i < moment->problem.n_jobs; i++)
    if (question->demands[i] > 0.0)
      worst = fmax(worst, ldexp(rates[i], -31) * t / question->demands[i]);
  return worst;
}

static void prove_duration(const struct moment *moment, double worth) {
  struct question question = {0};
  for (int i = 0; i < moment->problem.n_jobs; i++)
    if (can_run(&moment->problem, i))
      question.demands[i] = moment->remaining[i];
  double least = 1.0 / proven_bound(moment, &question);
  if (moment->problem.coded) {
    assert_true(close_to(moment->report.optimum, bisected(least), 1e-12));
    double more = tolerance(moment) + rounding(moment, &question, moment->report.optimum);
    assert_true(worth <= moment->report.optimum * (1 + more));
    return;
  }
  assert_true(close_to(moment->report.optimum, least, 1e-7));
  assert_true(close_to(worth, least, tolerance(moment) + rounding(moment, &question, least)));
}

static double isolated(const struct moment *moment, int i) {
  double shares[TYPES], rate = 0;
  shares_isolated(&moment->problem, moment->problem.n_jobs, moment->workers[i], shares);
  for (int g = 0; g < TYPES; g++)
    rate += shares[g] * rates_of(&moment->problem, i)[g];
  return rate;
}

/* The shares are worth rho; a slightly smaller one asks for more than there can be. */
static void prove_finish_time(const struct moment *moment, double worth) {
  struct question question = {0};
  double rho = moment->report.optimum;
  for (int i = 0; i < moment->problem.n_jobs; i++) {
    if (!can_run(&moment->problem, i))
      continue;
    bool weighs = moment->problem.coded && moment->problem.pairs;
    double ideal = moment->remaining[i] / isolated(moment, i);
    double left = rho * (1 - 1e-7) * ideal - moment->age[i];
    if (left <= 0.0)
      return; /* the job is too old for less */
    question.demands[i] = moment->remaining[i] * (weighs ? moment->weights[i] : 1.0) / left;
  }
  assert_true(proven_bound(moment, &question) < 1.0);
  assert_true(close_to(worth, rho, tolerance(moment) + rounding(moment, &question, 1.0)));
}

static void prove_sum(const struct moment *moment, double worth) {
  struct question question = {.sum = true};
  double bound = proven_bound(moment, &question);
  assert_true(close_to(bound, moment->report.optimum, 1e-7));
  assert_true(close_to(worth, bound, tolerance(moment)));
}

/* The largest part of what the deadlines ask for, then the largest sum with that. */
static void prove_deadlines(const struct moment *moment, double worth) {
  struct question parts = {0}, question = {.sum = true};
  bool any = false;
  for (int i = 0; i < moment->problem.n_jobs; i++) {
    double best = 0;
    for (int g = 0; g < TYPES; g++)
      if (moment->gpus[g] > 0)
        best = fmax(best, rates_of(&moment->problem, i)[g]);
    double need = moment->remaining[i] / moment->deadline[i];
    if (need > 0 && need <= best) { /* false without a deadline */
      parts.demands[i] = need;
      any = true;
    }
  }
  double part = any ? fmin(1.0, proven_bound(moment, &parts)) : 1.0;
  if (moment->problem.coded && part < 1.0 - 1e-9)
    part = 0.0;
  for (int i = 0; i < moment->problem.n_jobs; i++)
    question.floors[i] = parts.demands[i] * part * (1 - 1e-9);
  double bound = proven_bound(moment, &question);
  assert_true(close_to(bound, moment->report.optimum, 1e-6));
  assert_true(close_to(worth, bound, 3e-6));
  double kept[JOBS] = {0}, of_a, of_b;
  int a, b;
  for (int c = 0; c < moment->problem.n_jobs + moment->problem.n_pairs; c++)
    for (int g = 0; g < TYPES; g++)
      if (combination(&moment->problem, c, g, &a, &b, &of_a, &of_b)) {
        kept[a] += of_a * moment->shares[c * TYPES + g];
        if (b >= 0)
          kept[b] += of_b * moment->shares[c * TYPES + g];
      }
  for (int i = 0; i < moment->problem.n_jobs; i++)
    assert_true(kept[i] >= question.floors[i] * (1 - tolerance(moment)) - 1e-6);
}

static void max_min_is_optimal(void **state) {
  (void)state;
  on_random_moments(&objective_max_min_fairness, 11, prove_max_min);
  on_random_moments(&objective_max_min_fairness_perf, 12, prove_max_min);
  on_random_moments(&objective_max_min_fairness_packed, 13, prove_max_min);
}

static void least_duration_is_optimal(void **state) {
  (void)state;
  on_random_moments(&objective_min_total_duration, 21, prove_duration);
  on_random_moments(&objective_min_total_duration_perf, 22, prove_duration);
  on_random_moments(&objective_min_total_duration_packed, 23, prove_duration);
}

static void finish_time_is_optimal(void **state) {
  (void)state;
  on_random_moments(&objective_finish_time_fairness, 31, prove_finish_time);
  on_random_moments(&objective_finish_time_fairness_perf, 32, prove_finish_time);
  on_random_moments(&objective_finish_time_fairness_packed, 33, prove_finish_time);
}

static void sums_are_optimal(void **state) {
  (void)state;
  on_random_moments(&objective_max_sum_throughput_normalized_by_cost_perf, 42, prove_sum);
  on_random_moments(&objective_max_sum_throughput_normalized_by_cost_perf_slos, 43,
                    prove_deadlines);
  on_random_moments(&objective_max_sum_throughput_normalized_by_cost_packed_slos, 44,
                    prove_deadlines);
}

/* Gavel's artifact_evaluation trace: rates of its simulation table, steps of its trace. */
static const struct {
  int workers;
  double steps, rates[TYPES];
} ARTIFACT[15] = {
    {1, 2931, {4.394774823323071, 2.6194694075770055, 0.6190282202246573}},
    {2, 11005, {14.153819944879553, 14.305256582711568, 7.047480389257892}},
    {1, 36030, {17.994906225052176, 11.675499943575447, 1.8065297880422846}},
    {1, 12452, {2.841510364354536, 5.548440840558535, 2.698783123478088}},
    {1, 5345, {5.44610521981264, 3.0735350560514787, 0.9815827061299781}},
    {1, 73486, {81.65163491883021, 77.0846780814848, 23.794428965833195}},
    {1, 13018, {10.300256501360458, 7.72278472419796, 0.8855799947494726}},
    {1, 42226, {24.093231895382736, 22.30494387033663, 7.052080666695425}},
    {1, 38802, {24.093231895382736, 22.30494387033663, 7.052080666695425}},
    {2, 15975, {100.14206200421837, 60.91063005118197, 8.758230831811566}},
    {1, 7750, {5.44610521981264, 3.0735350560514787, 0.9815827061299781}},
    {2, 15044, {91.59265730806288, 48.04183588734964, 16.069669774246478}},
    {1, 14150, {11.06408721300405, 9.537249191611776, 5.467379291465242}},
    {1, 7626, {4.426088263367452, 2.4026681703106223, 0.5047705689725351}},
    {1, 8857, {7.175767179667988, 5.681346110543853, 3.4387678290723933}},
};

static void artifact(struct moment *moment, bool coded) {
  moment_begin(moment, (int[]){2, 2, 2});
  moment->problem.coded = coded;
  for (int i = 0; i < 15; i++)
    moment_job(moment, ARTIFACT[i].workers, 1.0, ARTIFACT[i].rates, ARTIFACT[i].steps);
}

static void published_optima_are_met(void **state) {
  (void)state;
  struct moment moment;
  artifact(&moment, true);
  allocate(&moment, &objective_max_min_fairness_perf);
  assert_true(fabs(moment.report.optimum - 0.487095607) < 1e-9);
  double duration = allocate(&moment, &objective_min_total_duration_perf);
  assert_true(moment.report.optimum == 4005.859375);
  assert_true(duration <= 4005.859375 * (1 + 1e-7));
  allocate(&moment, &objective_finish_time_fairness_perf);
  assert_true(fabs(moment.report.optimum - 0.82119405) < 1e-7); /* Gavel's shares: ...0506 */
  artifact(&moment, false);
  allocate(&moment, &objective_min_total_duration_perf);
  assert_true(moment.report.optimum > 3883.80126953125 && moment.report.optimum < 4005.859375);
}

/* Shares that Gavel's solver, an interior-point method as well, returned at the first call. The
 * optimum of this trace is one point. */
static void coded_shares_are_those_of_the_original(void **state) {
  (void)state;
  struct moment moment;
  artifact(&moment, true);
  allocate(&moment, &objective_max_min_fairness_perf);
  static const struct {
    int job, type;
    double share;
  } gavel[] = {{0, 0, 0.28201167903233665},  {1, 2, 0.22820365830047337},
               {1, 1, 0.089075916750423867}, {6, 1, 0.33472269041187208},
               {6, 0, 0.047096966188019666}, {12, 2, 0.77416474621373721},
               {14, 2, 0.76942793714637525}, {4, 0, 0.28326077641638292}};
  for (size_t i = 0; i < sizeof gavel / sizeof *gavel; i++)
    assert_true(fabs(moment.shares[gavel[i].job * TYPES + gavel[i].type] - gavel[i].share) < 1e-6);
}

/* The middle of the optima does not prefer one of two equal jobs or leave out a type. */
static void coded_agnostic_shares_are_even(void **state) {
  (void)state;
  struct moment moment;
  moment_begin(&moment, (int[]){2, 3, 1});
  moment.problem.coded = true;
  for (int i = 0; i < 8; i++)
    moment_job(&moment, 1 + i % 2, 1.0, (double[]){1, 1, 1}, 1);
  allocate(&moment, &objective_max_min_fairness);
  for (int i = 0; i < 8; i++) {
    double gpus = 0;
    for (int g = 0; g < TYPES; g++) {
      double share = moment.shares[i * TYPES + g];
      assert_true(share == moment.shares[i % 2 * TYPES + g]);
      assert_true(share > 0.8 * moment.gpus[g] / 8.0 / (1 + i % 2));
      gpus += share * (1 + i % 2);
    }
    assert_true(fabs(gpus - 6.0 / 8) < 1e-6);
  }
}

static void a_job_that_runs_nowhere_is_an_error_as_coded_for_the_duration(void **state) {
  (void)state;
  struct moment moment;
  moment_begin(&moment, (int[]){1, 0, 0});
  moment_job(&moment, 1, 1.0, (double[]){2, 1, 1}, 100);
  moment_job(&moment, 1, 1.0, (double[]){0, 1, 1}, 100);
  double worth = 0;
  struct hsim_error error = {0};
  assert_int_equal(try_allocate(&moment, &objective_min_total_duration_perf, &worth, &error),
                   HSIM_OK);
  assert_true(fabs(worth - 50) < 1e-6);
  moment.problem.coded = true;
  moment.ids[1] = 7;
  assert_int_equal(try_allocate(&moment, &objective_min_total_duration_perf, &worth, &error),
                   HSIM_FAILED);
  assert_non_null(strstr(error.text, "job 7 can run on no type of GPU"));
}

/* Two calls: what a job has done so far counts at the rate it would have had alone then. */
static void finish_time_remembers(void **state) {
  (void)state;
  const struct objective *objective = &objective_finish_time_fairness_perf;
  struct moment moment;
  struct hsim_error error = {0};
  struct lp *lp = lp_create();
  void *memory = calloc(1, objective->state_size);
  assert_non_null(memory);
  objective->init(memory, &(struct objective_setup){.n_jobs = JOBS, .n_types = TYPES});
  moment_begin(&moment, (int[]){1, 0, 0});
  moment_job(&moment, 1, 1.0, (double[]){2, 0, 0}, 100);
  assert_int_equal(
      objective->allocate(memory, &moment.problem, lp, moment.shares, &moment.report, &error),
      HSIM_OK);
  assert_true(close_to(moment.report.optimum, 1.0, 1e-9));

  /* 40 steps at 2 a second alone: 20 s of its ideal time. Now there are two, each alone at 1 a
   * second: D = 20 + 60 and 30. At shares x and 1-x, (30 + 30/x) / 80 = (15/(1-x)) / 30. */
  moment.remaining[0] = 60;
  moment.age[0] = 30;
  moment_job(&moment, 1, 5.0, (double[]){2, 0, 0}, 30); /* weights do not count */
  assert_int_equal(
      objective->allocate(memory, &moment.problem, lp, moment.shares, &moment.report, &error),
      HSIM_OK);
  /* 3 (x + 1)(1 - x) = 4 x, so 3 x^2 + 4 x - 3 = 0. */
  double x = (-4 + sqrt(16 + 36)) / 6;
  assert_true(fabs(moment.shares[0] - x) < 1e-8);
  assert_true(fabs(moment.shares[TYPES] - (1 - x)) < 1e-8);
  assert_true(close_to(moment.report.optimum, 0.5 / (1 - x), 1e-9));
  assert_true(
      close_to(objective->value(memory, &moment.problem, moment.shares), 0.5 / (1 - x), 1e-7));
  objective->free(memory);
  free(memory);
  lp_destroy(lp);
}

static void deadlines_come_first_if_they_can_be_met(void **state) {
  (void)state;
  const struct objective *objective = &objective_max_sum_throughput_normalized_by_cost_perf_slos;
  struct moment moment;
  moment_begin(&moment, (int[]){1, 0, 0});
  moment_job(&moment, 1, 1.0, (double[]){1, 0, 0}, 60); /* slow, due */
  moment_job(&moment, 1, 1.0, (double[]){9, 0, 0}, 100);
  moment.deadline[0] = 100;
  for (int coded = 0; coded <= 1; coded++) {
    moment.problem.coded = coded;
    allocate(&moment, objective);
    assert_true(fabs(moment.shares[0] - 0.6) < 1e-6);
    assert_true(fabs(moment.shares[TYPES] - 0.4) < 1e-6);
  }
  moment.deadline[0] = 50; /* could not be met alone: does not count */
  allocate(&moment, objective);
  assert_true(moment.shares[0] < 1e-6);
  moment.deadline[0] = -1; /* is over */
  allocate(&moment, objective);
  assert_true(moment.shares[0] < 1e-6);
  moment.deadline[0] = 75;
  moment.deadline[1] = 100.0 / 9 / 0.8; /* 0.8 of the GPU each: both get half of what they need */
  moment.problem.coded = false;
  allocate(&moment, objective);
  assert_true(fabs(moment.shares[0] - 0.5) < 1e-6);
  assert_true(fabs(moment.shares[TYPES] - 0.5) < 1e-6);
  moment.problem.coded = true; /* none counts */
  allocate(&moment, objective);
  assert_true(moment.shares[0] < 1e-6);
}

static void prices_decide_where_the_sum_grows(void **state) {
  (void)state;
  struct moment moment;
  moment_begin(&moment, (int[]){1, 1, 0});
  moment_job(&moment, 1, 1.0, (double[]){3, 2, 0}, 60);
  allocate(&moment, &objective_max_sum_throughput_perf);
  assert_true(moment.shares[0] == 1.0 && moment.report.optimum == 3.0);
  moment.prices[0] = 2.0; /* 1.5 a unit of money against 2 */
  allocate(&moment, &objective_max_sum_throughput_perf);
  assert_true(moment.shares[0] == 1.0 && moment.report.optimum == 3.0);
  allocate(&moment, &objective_max_sum_throughput_normalized_by_cost_perf);
  assert_true(moment.shares[1] == 1.0 && moment.report.optimum == 2.0);
}

/* Two models in pairs: the program has columns of classes only, and spreads them evenly. */
static void pairs_of_equal_jobs_get_equal_shares(void **state) {
  (void)state;
  struct moment moment;
  moment_begin(&moment, (int[]){2, 0, 0});
  moment_with_pairs(&moment);
  for (int i = 0; i < 5; i++)
    moment_job(&moment, 1, 1.0, i < 3 ? (double[]){2, 0, 0} : (double[]){5, 0, 0}, 100);
  for (int b = 0; b < 5; b++)
    for (int a = 0; a < b; a++) {
      double *rates = moment.pair_rates + (ptrdiff_t)2 * TYPES * moment.problem.n_pairs;
      moment.pairs[moment.problem.n_pairs++] = (struct shares_pair){a, b};
      rates[0] = 0.75 * moment.rates[a * TYPES];
      rates[1] = 0.75 * moment.rates[b * TYPES];
    }
  allocate(&moment, &objective_max_min_fairness_packed);
  assert_int_equal(moment.report.classes, 2);
  assert_true(close_to(moment.report.optimum, 0.75 * 2 * 2 / 5, 1e-9));
  for (int p = 0; p < moment.problem.n_pairs; p++)
    for (int q = 0; q < p; q++) {
      const struct shares_pair *one = &moment.pairs[p], *other = &moment.pairs[q];
      if ((one->a < 3) == (other->a < 3) && (one->b < 3) == (other->b < 3))
        assert_true(moment.shares[(5 + p) * TYPES] == moment.shares[(5 + q) * TYPES]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(max_min_is_optimal),
      cmocka_unit_test(least_duration_is_optimal),
      cmocka_unit_test(finish_time_is_optimal),
      cmocka_unit_test(sums_are_optimal),
      cmocka_unit_test(published_optima_are_met),
      cmocka_unit_test(coded_shares_are_those_of_the_original),
      cmocka_unit_test(coded_agnostic_shares_are_even),
      cmocka_unit_test(a_job_that_runs_nowhere_is_an_error_as_coded_for_the_duration),
      cmocka_unit_test(finish_time_remembers),
      cmocka_unit_test(deadlines_come_first_if_they_can_be_met),
      cmocka_unit_test(prices_decide_where_the_sum_grows),
      cmocka_unit_test(pairs_of_equal_jobs_get_equal_shares),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
