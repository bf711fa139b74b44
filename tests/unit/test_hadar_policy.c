/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hadar under the engine, with the auditor on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "policy/hadar/settings.h"
#include "world.h"

static void run(struct world *w, const char *policy) {
  if (world_run(w, policy) != HSIM_OK)
    fail_msg("%s: %s", policy, w->error.text);
}

/* Rates that are linear in the gang size; spread gangs run at 0.9 of them, the default. */
static void linear_rates(struct world *w, const char *type, const char *model, double pace) {
  for (int k = 1; k <= 8; k++)
    world_rate(w, type, model, k, pace * k);
}

static void hadar_costs(struct world *w) {
  struct hsim_error error = {0};
  assert_int_equal(costs_preset("hadar", &w->config.costs, &error), HSIM_OK);
}

static double stat(const struct world *w, const char *name) {
  for (size_t i = 0; i < w->result.n_stats; i++)
    if (strcmp(w->result.stats[i].name, name) == 0)
      return w->result.stats[i].value;
  fail_msg("no figure %s", name);
  return 0;
}

/* Three workers on two V100 and one P100: no policy of one type a job could run it. */
static void test_mixed_gang(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=1x2,p100=1x2");
  hadar_costs(&w);
  linear_rates(&w, "v100", "m1", 5);
  linear_rates(&w, "p100", "m1", 4.5);
  linear_rates(&w, "v100", "m2", 6);
  linear_rates(&w, "p100", "m2", 3);
  world_job(&w, "1", 0, "m1", 3, 54000);
  world_job(&w, "2", 0, "m2", 1, 21600);
  w.config.until = 720;
  run(&w, "hadar:order=densr:beam=1000000");
  /* 10 s once, then 12.15 and 6 steps a second: the second round costs nothing. */
  const struct world_event *mixed = world_find(&w, RECORD_SEGMENT, "1", 0);
  assert_true(fabs(mixed->rate - 12.15) < 1e-12);
  assert_true(fabs(mixed->steps - (4252.5 + 4374)) < 1e-9);
  assert_true(fabs(world_find(&w, RECORD_SEGMENT, "2", 0)->steps - (2100 + 2160)) < 1e-9);
  assert_int_equal(world_count(&w, RECORD_GANG_BEGIN, NULL), 2);
  w.config.until = (double)INFINITY;
  run(&w, "hadar:order=densr:beam=1000000");
  double first = world_finish(&w, "1"), second = world_finish(&w, "2");
  assert_true(isfinite(first) && isfinite(second));
  run(&w, "hadar:order=densr:dual=exact");
  assert_true(world_finish(&w, "1") == first && world_finish(&w, "2") == second);
  world_free(&w);
}

static void test_types_and_mixed_nodes(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100+k80=2x2");
  hadar_costs(&w);
  linear_rates(&w, "v100", "m", 4);
  linear_rates(&w, "k80", "m", 1);
  world_job(&w, "slow", 0, "m", 2, 3600)->gpu_types = 2;
  world_job(&w, "whole", 0, "m", 4, 3600);
  world_job(&w, "any", 0, "m", 2, 3600);
  run(&w, "hadar:order=arrival");
  /* GPUs 0, 1 and 4, 5 are V100. */
  const struct world_event *slow = world_find(&w, RECORD_GANG_BEGIN, "slow", 0);
  assert_int_equal(slow->gpus[0] % 4, 2);
  assert_int_equal(slow->gpus[1] % 4, 3);
  const struct world_event *whole = world_find(&w, RECORD_GANG_BEGIN, "whole", 0);
  assert_true(whole->rate > 0);
  for (int i = 0; i < 3; i++)
    assert_true(isfinite(world_finish(&w, w.trace.jobs[i].id)));
  world_free(&w);
}

static void test_node_down(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=2x2,k80=1x2");
  hadar_costs(&w);
  linear_rates(&w, "v100", "m", 4);
  linear_rates(&w, "k80", "m", 1);
  world_job(&w, "a", 0, "m", 2, 40000);
  world_job(&w, "b", 0, "m", 2, 40000);
  world_job(&w, "c", 0, "m", 4, 4000);
  struct node_event events[] = {{700, 0, false}, {3000, 0, true}, {5000, 2, false}};
  w.config.node_events = events;
  w.config.n_node_events = 3;
  run(&w, "hadar");
  for (int i = 0; i < 3; i++)
    assert_true(isfinite(world_finish(&w, w.trace.jobs[i].id)));
  assert_int_equal(world_count(&w, RECORD_NODE_DOWN, NULL), 2);
  /* Everything down for a while: jobs wait and go on. */
  struct node_event dark[] = {{700, 0, false}, {700, 1, false}, {700, 2, false}, {9000, 1, true}};
  w.config.node_events = dark;
  w.config.n_node_events = 4;
  w.trace.n_jobs = 2;
  run(&w, "hadar");
  assert_true(isfinite(world_finish(&w, "a")) && world_finish(&w, "a") > 9000);
  assert_true(isfinite(world_finish(&w, "b")));
  world_free(&w);
}

/* Paying for the whole schedule, the second job finds the last V100 too dear. */
static void price_world(struct world *w) {
  world_init(w, "v100=1x4,k80=1x1");
  hadar_costs(w);
  linear_rates(w, "v100", "m1", 5);
  linear_rates(w, "k80", "m1", 1);
  linear_rates(w, "v100", "m2", 4);
  linear_rates(w, "k80", "m2", 1);
  world_job(w, "big", 0, "m1", 3, 54000);
  world_job(w, "small", 0, "m2", 1, 14400)->gpu_types = 1;
}

static void test_price_backfill_age(void **state) {
  (void)state;
  struct world w;
  price_world(&w);
  run(&w, "hadar:order=arrival:beam=1:horizon=sched:backfill=0:upgrade=0");
  assert_true(world_start(&w, "small") > 3600);
  const struct world_event *wait = world_find(&w, RECORD_WAIT, "small", 0);
  assert_int_equal(wait->reason, HSIM_PRICE);
  assert_true(stat(&w, "price_waits") >= 10);
  assert_true(stat(&w, "backfilled") == 0);
  /* Alone and still too poor for the lowest price: served all the same. */
  assert_true(stat(&w, "rescued") > 0);
  run(&w, "hadar:order=arrival:beam=1:horizon=sched:upgrade=0");
  assert_true(world_start(&w, "small") == 0);
  assert_true(stat(&w, "backfilled") > 0);
  run(&w, "hadar:order=arrival:beam=1:horizon=sched:backfill=0:upgrade=0:age_rounds=2");
  assert_true(world_start(&w, "small") == 720);
  assert_true(stat(&w, "aged") > 0);
  world_free(&w);
}

/* ---- Random runs ---- */

static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void random_world(struct world *w, uint64_t *seed, int n) {
  static const char *const clusters[] = {"v100=2x4,p100=2x4,k80=1x4", "v100+p100=2x2,k80=2x2",
                                         "v100=3x2,k80=4x1,p100=1x8"};
  static const char *const types[] = {"v100", "p100", "k80"};
  static const char *const models[] = {"x", "y", "z"};
  world_init(w, clusters[next(seed) % 3]);
  hadar_costs(w);
  for (int m = 0; m < 3; m++)
    for (int t = 0; t < 3; t++) {
      double pace = (double)(1 + next(seed) % 40) / 4;
      linear_rates(w, types[t], models[m], m == 2 && t == 1 ? 0 : pace);
    }
  double arrival = 0;
  for (int i = 0; i < n; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    arrival += next(seed) % 3 ? (double)(next(seed) % 3000) : 0;
    int workers = 1 << next(seed) % 4;
    struct hsim_job *job = world_job(w, id, arrival, models[next(seed) % 3], workers,
                                     (double)(100 + next(seed) % 60000));
    if (next(seed) % 6 == 0)
      job->gpu_types = 1 + next(seed) % 7;
  }
}

/* Every option runs to the end, and what ends there is a legal schedule (the auditor sees it). */
static void test_options_run(void **state) {
  (void)state;
  static const char *const policies[] = {
      "hadar",
      "hadar:beam=1",
      "hadar:goal=makespan",
      "hadar:goal=ftf",
      "hadar:goal=makespan:order=pay:utility=norm",
      "hadar:profile=paper",
      "hadar:profile=paper:beam=1:backfill=1",
      "hadar:order=densr",
      "hadar:order=dens:cap=global",
      "hadar:order=payr:eta=T",
      "hadar:order=srpt:utility=raw",
      "hadar:order=lpt:horizon=sched",
      "hadar:order=arrival:branch=1:beam=4",
      "hadar:age_rounds=3:beam=4",
      "hadar:estimate=noisy:noise=0.5:beam=2",
      "hadar:diagnostics=/dev/null",
  };
  uint64_t seed = 2503;
  print_message("seed %llu\n", (unsigned long long)seed);
  for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
    struct world w;
    random_world(&w, &seed, 25);
    run(&w, policies[p]);
    int ended = world_count(&w, RECORD_FINISH, NULL) + world_count(&w, RECORD_REJECT, NULL);
    assert_int_equal(ended, w.trace.n_jobs);
    world_free(&w);
  }
}

static void finishes(const struct world *w, double *out) {
  for (int i = 0; i < w->trace.n_jobs; i++)
    out[i] = world_finish(w, w->trace.jobs[i].id);
}

static void expect_same(const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
      fail_msg("job %d: %.17g and %.17g", i, a[i], b[i]);
}

/* Quiet rounds are skipped when nothing is logged. Asking in each of them changes nothing. */
static void test_quiet_is_exact(void **state) {
  (void)state;
  static const char *const policies[] = {"hadar",
                                         "hadar:beam=1",
                                         "hadar:goal=makespan",
                                         "hadar:horizon=sched:utility=raw",
                                         "hadar:order=densr:backfill=0",
                                         "hadar:branch=1:eta=T"};
  uint64_t seed = 360;
  print_message("seed %llu\n", (unsigned long long)seed);
  uint64_t skipped = 0;
  for (int r = 0; r < 60; r++) {
    struct world w;
    double loud[16], quiet[16];
    int n = 1 + (int)(next(&seed) % 12);
    random_world(&w, &seed, n);
    const char *policy = policies[r % 6];
    w.config.logging = true;
    run(&w, policy);
    finishes(&w, loud);
    int migrations = world_count(&w, RECORD_MIGRATE, NULL);
    uint64_t rounds = w.result.rounds;
    double backfilled = stat(&w, "backfilled"), upgraded = stat(&w, "upgraded");
    w.config.logging = false;
    run(&w, policy);
    finishes(&w, quiet);
    expect_same(loud, quiet, n);
    assert_int_equal(world_count(&w, RECORD_MIGRATE, NULL), migrations);
    assert_int_equal(w.result.rounds, rounds);
    assert_true(stat(&w, "backfilled") == backfilled && stat(&w, "upgraded") == upgraded);
    skipped += w.result.rounds - w.result.policy_calls;
    world_free(&w);
  }
  assert_true(skipped > 100);
}

static void test_same_again(void **state) {
  (void)state;
  uint64_t seed = 99;
  struct world w;
  random_world(&w, &seed, 20);
  double first[20], second[20];
  run(&w, "hadar:beam=8");
  finishes(&w, first);
  run(&w, "hadar:beam=8");
  finishes(&w, second);
  expect_same(first, second, 20);
  /* Estimates come from the run's seed and nothing else, and errors matter. */
  run(&w, "hadar:beam=8:estimate=noisy:noise=0.9");
  finishes(&w, first);
  run(&w, "hadar:beam=8:estimate=noisy:noise=0.9");
  finishes(&w, second);
  expect_same(first, second, 20);
  w.config.seed = 1;
  run(&w, "hadar:beam=8:estimate=noisy:noise=0.9");
  finishes(&w, second);
  bool differs = false;
  for (int i = 0; i < 20; i++)
    differs |= first[i] != second[i];
  assert_true(differs);
  /* No error, no difference. */
  run(&w, "hadar:beam=8:estimate=noisy:noise=0");
  finishes(&w, first);
  run(&w, "hadar:beam=8");
  finishes(&w, second);
  expect_same(first, second, 20);
  world_free(&w);
}

/* ---- Options ---- */

static struct hadar_settings settings_of(const char *typed) {
  struct policy_specs specs = {0};
  struct policy_values values;
  struct hsim_error error = {0};
  struct hsim_policy table = {.name = "hadar", .options = hadar_options};
  table.n_options = N_HADAR_OPTIONS;
  assert_int_equal(policy_specs_parse(&specs, typed, &error), HSIM_OK);
  if (policy_values_make(&table, &specs.at[0], &values, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  struct hadar_settings settings;
  hadar_settings_read(&settings, values.at, false);
  policy_values_free(&values);
  policy_specs_free(&specs);
  return settings;
}

static void test_settings(void **state) {
  (void)state;
  struct hadar_settings s = settings_of("hadar");
  assert_int_equal(s.order, HADAR_AREA);
  assert_int_equal(s.utility, HADAR_NORM);
  assert_int_equal(s.beam, 16);
  assert_true(s.backfill && s.upgrade && !s.best_only && !s.whole_schedule && s.noise == 0);
  assert_int_equal(settings_of("hadar:order=densr").beam, 1);
  assert_int_equal(settings_of("hadar:order=densr:beam=4").beam, 4);
  assert_int_equal(settings_of("hadar:goal=makespan").order, HADAR_LPTC);
  s = settings_of("hadar:goal=ftf");
  assert_true(s.order == HADAR_AREA && s.utility == HADAR_FTF);
  s = settings_of("hadar:profile=paper");
  assert_true(s.order == HADAR_ARRIVAL && s.utility == HADAR_RAW && s.best_only);
  assert_false(s.backfill || s.upgrade);
  s = settings_of("hadar:profile=paper:goal=makespan:upgrade=1:branch=0:utility=norm");
  assert_true(s.order == HADAR_LPTC && s.utility == HADAR_NORM && s.upgrade && !s.best_only);
  assert_int_equal(settings_of("hadar:goal=makespan:order=lpt").order, HADAR_LPT);
  assert_true(settings_of("hadar:horizon=sched").whole_schedule);
  assert_true(settings_of("hadar:eta=T:cap=global").eta_over_rounds);
  assert_true(settings_of("hadar:estimate=noisy").noise == 0.1);
  assert_true(settings_of("hadar:noise=0.5").noise == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mixed_gang),  cmocka_unit_test(test_types_and_mixed_nodes),
      cmocka_unit_test(test_node_down),   cmocka_unit_test(test_price_backfill_age),
      cmocka_unit_test(test_options_run), cmocka_unit_test(test_quiet_is_exact),
      cmocka_unit_test(test_same_again),  cmocka_unit_test(test_settings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
