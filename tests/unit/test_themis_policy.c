/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Themis under the engine, with the auditor on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "policy/policies.h"
#include "world.h"

static void run(struct world *w, const char *policy) {
  if (world_run(w, policy) != HSIM_OK)
    fail_msg("%s: %s", policy, w->error.text);
}

static void linear_rates(struct world *w, const char *type, const char *model, double pace) {
  for (int k = 1; k <= 8; k++)
    world_rate(w, type, model, k, pace * k);
}

static double stat(const struct world *w, const char *name) {
  for (size_t i = 0; i < w->result.n_stats; i++)
    if (strcmp(w->result.stats[i].name, name) == 0)
      return w->result.stats[i].value;
  fail_msg("no figure %s", name);
  return 0;
}

static void assert_close(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
    fail_msg("%.17g, expected %.17g", value, expected);
}

/* Alone, on one node: exactly as fast as its ideal. */
static void test_alone(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=1x4");
  linear_rates(&w, "gpu", "m", 1);
  world_job(&w, "a", 5, "m", 4, 40000);
  run(&w, "themis");
  assert_close(world_finish(&w, "a"), 10005);
  assert_close(stat(&w, "rho_share_max"), 1);
  assert_close(stat(&w, "rho_paper_max"), 1);
  assert_close(stat(&w, "rho_contention_max"), 1);
  assert_close(stat(&w, "placement_score"), 1);
  assert_int_equal(world_count(&w, RECORD_GANG_BEGIN, "a"), 1); /* renewed leases cost nothing */
  assert_close(stat(&w, "lease_s"), 1440);                      /* 20 minutes in rounds of 6 */
  world_free(&w);
}

/* Two equal apps, half of the cluster each. */
static void test_halves(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=1x4");
  linear_rates(&w, "gpu", "m", 1);
  world_job(&w, "a", 0, "m", 4, 40000);
  world_job(&w, "b", 0, "m", 4, 40000);
  run(&w, "themis:f=0:payment=none");
  assert_close(world_finish(&w, "a"), 20000);
  assert_close(world_finish(&w, "b"), 20000);
  assert_close(stat(&w, "rho_share_max"), 1);
  assert_close(stat(&w, "rho_share_jain"), 1);
  world_free(&w);
}

/* Jobs of one app share its GPUs: the longer ones first. */
static void test_app(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=1x2");
  linear_rates(&w, "gpu", "m", 1);
  world_job(&w, "short", 0, "m", 1, 3600)->app = 0;
  world_job(&w, "long", 0, "m", 1, 7200)->app = 0;
  world_job(&w, "middle", 0, "m", 1, 3960)->app = 0;
  run(&w, "themis");
  assert_true(world_start(&w, "long") == 0);
  assert_true(world_start(&w, "middle") == 0);
  assert_true(world_start(&w, "short") > 0);
  assert_close(stat(&w, "apps"), 1);
  assert_close(
      stat(&w, "rho_share_max"),
      fmax(fmax(world_finish(&w, "long"), world_finish(&w, "short")), world_finish(&w, "middle")) /
          (14760.0 / 2));
  world_free(&w);
}

/* How long the job went without GPUs at a time, at most. */
static double longest_wait(const struct world *w, const char *id) {
  double longest = 0;
  const struct world_event *wait;
  double from = 0, last = -1;
  for (int i = 0; (wait = world_find(w, RECORD_WAIT, id, i)) != NULL; i++) {
    from = last == wait->from ? from : wait->from; /* one wait may have several reasons */
    last = wait->time;
    longest = fmax(longest, wait->time - from);
  }
  return longest;
}

/* With 60 jobs more must be served than take part in an auction. */
static void test_starvation(void **state) {
  (void)state;
  static const char *const policies[] = {"themis:lease_s=1200", "themis:lease_s=1200:payment=none",
                                         "themis:lease_s=1200:payment=lease:f=0",
                                         "themis:lease_s=1200:valuation=speedup:f=0"};
  const double lease = 1200, round = 300;
  for (int p = 0; p < 8; p++) {
    struct world w;
    const int n = p < 4 ? 20 : 60;
    world_init(&w, "gpu=2x2");
    w.config.round_s = round;
    w.config.until = 100000;
    world_rate(&w, "gpu", "m", 1, 1);
    for (int i = 0; i < n; i++) {
      char id[16];
      snprintf(id, sizeof id, "j%d", i);
      world_job(&w, id, 0, "m", 1, 1e6);
    }
    run(&w, policies[p % 4]);
    double bound = (3 + ceil(n / 4.0)) * lease + round;
    for (int i = 0; i < n; i++) {
      assert_true(world_count(&w, RECORD_START, w.trace.jobs[i].id) > 0);
      if (longest_wait(&w, w.trace.jobs[i].id) > bound)
        fail_msg("%s: %s of %d waits %g s, at most %g", policies[p % 4], w.trace.jobs[i].id, n,
                 longest_wait(&w, w.trace.jobs[i].id), bound);
    }
    world_free(&w);
  }
}

/* Without the guard everybody is served all the same, by rho alone. */
static void test_served_without_guard(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=1x2");
  world_rate(&w, "gpu", "m", 1, 1);
  for (int i = 0; i < 12; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    world_job(&w, id, i, "m", 1, 20000 + 1000 * i);
  }
  run(&w, "themis:starve_limit=1000000000");
  for (int i = 0; i < 12; i++)
    assert_true(isfinite(world_finish(&w, w.trace.jobs[i].id)));
  assert_true(stat(&w, "forced") == 0);
  world_free(&w);
}

/* Rigid gangs: `workers` or nothing. */
static void test_rigid(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=2x4");
  linear_rates(&w, "gpu", "m", 1);
  for (int i = 0; i < 6; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    world_job(&w, id, 100 * i, "m", 1 << i % 4, 20000);
  }
  run(&w, "themis:elastic=0:payment=lease");
  for (size_t i = 0; i < w.n_events; i++)
    if (w.events[i].kind == RECORD_GANG_BEGIN)
      assert_int_equal(w.events[i].size, w.trace.jobs[w.events[i].job].workers);
  for (int i = 0; i < 6; i++)
    assert_true(isfinite(world_finish(&w, w.trace.jobs[i].id)));
  assert_int_equal(world_count(&w, RECORD_RESIZE, NULL), 0);
  world_free(&w);
}

/* A gang that no type runs at `workers` leaves at once instead of waiting for ever. */
static void test_rejects(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=1x4");
  world_rate(&w, "gpu", "m", 1, 1);
  world_rate(&w, "gpu", "m", 2, 2);
  world_rate(&w, "gpu", "m", 4, 0);
  world_job(&w, "a", 0, "m", 4, 1000);
  world_job(&w, "b", 0, "m", 2, 1000);
  run(&w, "themis:elastic=0");
  assert_int_equal(world_count(&w, RECORD_REJECT, "a"), 1);
  assert_true(isfinite(world_finish(&w, "b")));
  run(&w, "themis");
  assert_true(isfinite(world_finish(&w, "a")));
  world_free(&w);
}

/* Two types: one auction each; apps without GPUs go where their bid is worth most. */
static void test_types(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "slow=1x4,fast=1x4");
  linear_rates(&w, "slow", "m", 1);
  linear_rates(&w, "fast", "m", 4);
  linear_rates(&w, "slow", "n", 1);
  linear_rates(&w, "fast", "n", 0);
  world_job(&w, "a", 0, "m", 4, 40000);
  world_job(&w, "b", 0, "n", 4, 10000);
  world_job(&w, "c", 10, "m", 4, 20000);
  run(&w, "themis");
  assert_true(world_find(&w, RECORD_GANG_BEGIN, "a", 0)->gpus[0] >= 4);
  assert_true(world_find(&w, RECORD_GANG_BEGIN, "b", 0)->gpus[0] < 4);
  for (int i = 0; i < 3; i++)
    assert_true(isfinite(world_finish(&w, w.trace.jobs[i].id)));
  world_free(&w);
}

static void test_nodes_go_down(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=3x2");
  linear_rates(&w, "gpu", "m", 1);
  for (int i = 0; i < 5; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    world_job(&w, id, 50 * i, "m", 4, 30000)->app = i / 2;
  }
  struct node_event events[] = {
      {700, 0, false}, {2000, 1, false}, {2000, 2, false}, {9000, 1, true}, {9500, 0, true}};
  w.config.node_events = events;
  w.config.n_node_events = 5;
  run(&w, "themis");
  for (int i = 0; i < 5; i++)
    assert_true(isfinite(world_finish(&w, w.trace.jobs[i].id)));
  run(&w, "themis:algorithm=gandiva");
  for (int i = 0; i < 5; i++)
    assert_true(isfinite(world_finish(&w, w.trace.jobs[i].id)));
  world_free(&w);
}

/* A job that runs on one GPU, or two of a node, is not spread when the app has two nodes for it. */
static void test_no_rate_over_nodes(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=2x1");
  linear_rates(&w, "gpu", "m", 1);
  linear_rates(&w, "gpu", "p", 1);
  world_spread_rate(&w, "gpu", "p", 2, 0);
  world_job(&w, "a", 0, "m", 1, 500)->app = 0;
  struct hsim_job *b = world_job(&w, "b", 0, "p", 2, 3000);
  b->app = 0;
  b->min_workers = 1;
  run(&w, "themis");
  assert_close(world_finish(&w, "a"), 500);
  assert_close(world_finish(&w, "b"), 3000);
  world_free(&w);
}

static struct hsim_job *gang(struct world *w, const char *id, double time, int workers,
                             double steps) {
  struct hsim_job *job = world_job(w, id, time, "m", workers, steps);
  job->min_workers = job->max_workers = workers;
  return job;
}

/* When b ends its GPU is of no use to its app, whose c wants two: d gets it at once, not when the
 * next lease ends. */
static void test_useless_gpus_are_offered(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=1x3");
  linear_rates(&w, "gpu", "m", 1);
  w.config.round_s = 300;
  gang(&w, "a", 0, 2, 20000)->app = 0;
  gang(&w, "b", 0, 1, 1000)->app = 0;
  gang(&w, "c", 0, 2, 8000)->app = 0;
  gang(&w, "d", 10, 1, 50000);
  run(&w, "themis:lease_s=14400");
  assert_close(world_find(&w, RECORD_START, "d", 0)->time, 1200);
  world_free(&w);
}

/* A node takes half of a gang along. What is left is worth nothing by itself, but no product is 0
 * for that: auctions are solved exactly. A bid is for the missing half alone. */
static void test_half_a_gang(void **state) {
  (void)state;
  static const char *const policies[] = {"themis:elastic=0:f=0:lease_s=3600",
                                         "themis:algorithm=gandiva:elastic=0:lease_s=3600"};
  for (int p = 0; p < 2; p++) {
    struct world w;
    world_init(&w, "gpu=3x2");
    linear_rates(&w, "gpu", "m", 1);
    w.config.round_s = 300;
    world_job(&w, "a", 0, "m", 4, 90000);
    struct node_event event = {100, 1, false};
    w.config.node_events = &event;
    w.config.n_node_events = 1;
    run(&w, policies[p]);
    assert_close(world_find(&w, RECORD_GANG_BEGIN, "a", 1)->time, 300);
    if (p == 0)
      assert_true(stat(&w, "solves_greedy") == 0);
    world_free(&w);
  }
}

/* The ideal time is that of the jobs that finish. */
static void test_cancelled_job(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=1x4");
  linear_rates(&w, "gpu", "m", 1);
  world_job(&w, "a1", 0, "m", 1, 1000)->app = 0;
  world_job(&w, "a2", 0, "m", 1, 900000)->app = 0;
  struct cancel_event cancel = {.time = 500, .job = 1};
  w.config.cancels = &cancel;
  w.config.n_cancels = 1;
  run(&w, "themis");
  assert_close(world_finish(&w, "a1"), 1000);
  assert_close(stat(&w, "rho_share_max"), 1);
  world_free(&w);
}

/* The numbers that the trace gives its apps say nothing: apps come in the order of their jobs. */
static void test_app_numbers(void **state) {
  (void)state;
  static const int numbers[2][3] = {{0, 1, 2}, {2, 0, 1}};
  double finish[2][9];
  for (int order = 0; order < 2; order++) {
    struct world w;
    world_init(&w, "gpu=2x4,gpu=1x2");
    linear_rates(&w, "gpu", "m", 1);
    for (int i = 0; i < 9; i++) {
      char id[16];
      snprintf(id, sizeof id, "j%d", i);
      world_job(&w, id, 70 * i, "m", 1 + i % 4, 9000 + 1300 * i)->app = numbers[order][i % 3];
    }
    run(&w, "themis:f=0.3");
    for (int i = 0; i < 9; i++)
      finish[order][i] = world_finish(&w, w.trace.jobs[i].id);
    world_free(&w);
  }
  for (int i = 0; i < 9; i++)
    assert_true(finish[0][i] == finish[1][i]);
}

/* Between its jobs an app is alone on its share, not on less than one. */
static void test_pause(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "gpu=1x4");
  linear_rates(&w, "gpu", "m", 1);
  world_job(&w, "a", 0, "m", 1, 1000)->app = 0;
  world_job(&w, "b", 1000000, "m", 1, 1000)->app = 0;
  run(&w, "themis");
  double took = world_finish(&w, "b");
  assert_close(stat(&w, "rho_share_max"), took / 1000);
  assert_close(stat(&w, "rho_paper_max"), took / 1000);
  world_free(&w);
}

/* ---- Random runs ---- */

static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void random_world(struct world *w, uint64_t seed) {
  static const char *const clusters[] = {"gpu=4x4", "gpu=2x4,k80=3x2", "gpu+k80=3x2", "gpu=7x1"};
  static const char *const types[] = {"gpu", "k80"};
  static const char *const models[] = {"x", "y"};
  uint64_t random = seed;
  world_init(w, clusters[next(&random) % 4]);
  w->config.costs.start = w->config.costs.move = w->config.costs.resize = 10;
  for (int m = 0; m < 2; m++)
    for (int t = 0; t < 2; t++)
      linear_rates(w, types[t], models[m], (double)(1 + next(&random) % 9));
  double arrival = 0;
  for (int i = 0; i < 24; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    arrival += next(&random) % 2 ? (double)(next(&random) % 4000) : 0;
    struct hsim_job *job = world_job(w, id, arrival, models[next(&random) % 2],
                                     1 << next(&random) % 3, (double)(100 + next(&random) % 90000));
    if (next(&random) % 2)
      job->app = i / 4;
    if (next(&random) % 4 == 0)
      job->min_workers = job->workers;
    if (next(&random) % 8 == 0)
      job->gpu_types = 1;
  }
}

/* Every option runs to the end; what it did is a legal schedule (the auditor sees it), and the same
 * when it is done again. */
static void test_random_runs(void **state) {
  (void)state;
  static const char *const policies[] = {
      "themis",
      "themis:preset=authors_sim",
      "themis:f=0:payment=floor:leftover=random",
      "themis:f=0.5:payment=lottery:leftover=rr",
      "themis:payment=lease:elastic=0",
      "themis:solver=greedy:f=0",
      "themis:valuation=speedup:ideal=contention:nmode=now",
      "themis:starved_key=inf:ideal=paper:stagger=1",
      "themis:mopup=0:leftover=none:part_max=2:f=0",
      "themis:bid_error=0.2:liar=1:lie=0.5",
      "themis:restart_s=45:rows_max=4:alts=1",
      "themis:algorithm=gandiva",
      "themis:algorithm=tiresias",
      "themis:algorithm=optimus",
      "themis:algorithm=slaq",
      "themis:algorithm=srtf:elastic=0",
      "themis:algorithm=srsf",
  };
  for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      struct world w;
      random_world(&w, seed);
      if (world_run(&w, policies[p]) != HSIM_OK)
        fail_msg("%s, seed %d: %s", policies[p], (int)seed, w.error.text);
      double end = w.result.end_s, hours = stat(&w, "gpu_hours");
      for (int i = 0; i < w.trace.n_jobs; i++)
        if (!isfinite(world_finish(&w, w.trace.jobs[i].id)))
          fail_msg("%s, seed %d: %s does not finish", policies[p], (int)seed, w.trace.jobs[i].id);
      run(&w, policies[p]);
      if (w.result.end_s != end || stat(&w, "gpu_hours") != hours)
        fail_msg("%s, seed %d: another result the second time", policies[p], (int)seed);
      world_free(&w);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_alone),
      cmocka_unit_test(test_halves),
      cmocka_unit_test(test_app),
      cmocka_unit_test(test_starvation),
      cmocka_unit_test(test_no_rate_over_nodes),
      cmocka_unit_test(test_useless_gpus_are_offered),
      cmocka_unit_test(test_half_a_gang),
      cmocka_unit_test(test_cancelled_job),
      cmocka_unit_test(test_app_numbers),
      cmocka_unit_test(test_pause),
      cmocka_unit_test(test_served_without_guard),
      cmocka_unit_test(test_rigid),
      cmocka_unit_test(test_rejects),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_nodes_go_down),
      cmocka_unit_test(test_random_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
