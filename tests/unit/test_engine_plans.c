/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a plan can say, each thing by a policy of the test: mixed gangs, copies with step budgets,
 * pairs, elastic sizes, exact indices, stalls, timers, node changes, quiet answers; and each rule
 * that a plan can break. The auditor watches every run.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

typedef enum hsim_status (*script)(const struct hsim_view *view, struct hsim_plan *plan);

/* The script of the running test and how often it was asked. */
static script current;
static int calls;
static double ran_seconds[16], ran_steps[16];
static int ran_partner[16]; /* as heard last */

static enum hsim_status ask(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                            struct hsim_error *error) {
  (void)state;
  (void)error;
  calls++;
  return current(view, plan);
}

static void heard(void *state, const struct hsim_view *view, const struct hsim_ran *ran, size_t n) {
  (void)state;
  (void)view;
  for (size_t i = 0; i < n; i++) {
    ran_seconds[ran[i].job] += ran[i].seconds;
    ran_steps[ran[i].job] += ran[i].steps;
    ran_partner[ran[i].job] = ran[i].partner;
  }
}

static struct hsim_policy table(enum hsim_mode mode) {
  return (struct hsim_policy){.version = HSIM_POLICY_VERSION,
                              .size = sizeof(struct hsim_policy),
                              .name = "script",
                              .mode = mode,
                              .mixes_types = true,
                              .oracle = HSIM_KNOWS_RATES | HSIM_KNOWS_REMAINING,
                              .round_ended = heard,
                              .schedule = ask};
}

static enum hsim_status play(struct world *world, const struct hsim_policy *policy, script s) {
  current = s;
  calls = 0;
  memset(ran_seconds, 0, sizeof ran_seconds);
  memset(ran_steps, 0, sizeof ran_steps);
  return world_run_table(world, policy, NULL);
}

#define assert_ok(world, status)                                                                   \
  do {                                                                                             \
    if ((status) != HSIM_OK)                                                                       \
      fail_msg("%s", (world).error.text);                                                          \
  } while (0)
#define assert_time(actual, expected) assert_true(fabs((actual) - (expected)) < 1e-9)

/* Two nodes of two types, linear rates, 10 steps/s a v100 worker and 6 a p100 worker. */
static void two_nodes(struct world *world) {
  world_init(world, "v100=1x2,p100=1x2");
  for (int k = 1; k <= 4; k++) {
    world_rate(world, "v100", "m", k, 10 * k);
    world_rate(world, "p100", "m", k, 6 * k);
  }
}

/* ---- a gang over two nodes and types runs at the slowest worker's pace, times 0.9 ---- */

static enum hsim_status mixed(const struct hsim_view *view, struct hsim_plan *plan) {
  if (view->first && !view->first->n_gangs)
    hsim_plan_place(plan, view->first->index, (struct hsim_share[]){{0, 2}, {1, 1}}, 2);
  return HSIM_OK;
}

static void test_mixed_gang(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 5, "m", 3, 1620); /* 3 workers: min(30, 18) * 0.9 = 16.2 steps/s */
  w.config.costs.start = 10;
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  assert_ok(w, play(&w, &policy, mixed));
  assert_time(world_finish(&w, "a"), 5 + 10 + 100);
  const struct world_event *segment = world_find(&w, RECORD_SEGMENT, "a", 0);
  assert_time(segment->rate, 16.2);
  assert_time(segment->stall, 10);
  assert_time(segment->productive, 100);
  assert_time(w.result.end_s, 115);
  world_free(&w);
}

/* ---- copies: their steps add up, budgets hold, the job ends at the exact moment ---- */

static enum hsim_status copies(const struct hsim_view *view, struct hsim_plan *plan) {
  const struct hsim_active *a = view->first;
  if (!a || a->n_gangs)
    return HSIM_OK;
  struct hsim_share on_v = {0, 1}, on_p = {1, 2};
  hsim_plan_add(plan, &(struct hsim_request){
                          .job = a->index, .copy = 1, .at = {.n_shares = 1, .shares = &on_v}});
  hsim_plan_add(
      plan, &(struct hsim_request){
                .job = a->index, .copy = 2, .at = {.n_shares = 1, .shares = &on_p}, .stall_s = 20});
  return HSIM_OK;
}

static void test_copies(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 1, 1000); /* 10/s from 0, 12/s more from 20: 200 at 20, 22/s after */
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  policy.forks = true;
  assert_ok(w, play(&w, &policy, copies));
  assert_time(world_finish(&w, "a"), 20 + 800.0 / 22);
  assert_int_equal(world_count(&w, RECORD_START, "a"), 2); /* a row a copy */
  assert_true(world_find(&w, RECORD_START, "a", 0)->counts);
  assert_false(world_find(&w, RECORD_START, "a", 1)->counts);
  world_free(&w);
}

static enum hsim_status budgets(const struct hsim_view *view, struct hsim_plan *plan) {
  const struct hsim_active *a = view->first;
  if (!a)
    return HSIM_OK;
  struct hsim_share on_v = {0, 1}, on_p = {1, 1};
  double left = hsim_remaining_steps(view, a);
  double v = left > 7000 ? 3600 : left / 2, p = left > 7000 ? 2160 : left / 2;
  hsim_plan_clear(plan);
  hsim_plan_add(plan, &(struct hsim_request){.job = a->index,
                                             .copy = 1,
                                             .at = {.n_shares = 1, .shares = &on_v},
                                             .max_steps = v});
  hsim_plan_add(plan, &(struct hsim_request){.job = a->index,
                                             .copy = 2,
                                             .at = {.n_shares = 1, .shares = &on_p},
                                             .max_steps = p});
  return HSIM_OK;
}

static void test_budgets(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 1, 8760); /* round 1: 5760; then 1500 each: 1500 / 6 = 250 s */
  struct hsim_policy policy = table(HSIM_MODE_ROUND);
  policy.forks = true;
  assert_ok(w, play(&w, &policy, budgets));
  assert_time(world_finish(&w, "a"), 360 + 250);
  assert_int_equal(world_count(&w, RECORD_START, NULL), 2);
  assert_int_equal(world_count(&w, RECORD_MIGRATE, NULL), 0); /* new budgets on the same GPUs */
  assert_true(ran_steps[0] == 8760);
  world_free(&w);
}

/* ---- pairs ---- */

static enum hsim_status pair(const struct hsim_view *view, struct hsim_plan *plan) {
  if (view->n_active < 2 || view->first->n_gangs)
    return HSIM_OK;
  int gpu = 1;
  struct hsim_request a = {.job = 0, .at = {.n_gpus = 1, .gpus = &gpu}};
  struct hsim_request b = {.job = 1, .at = {.n_gpus = 1, .gpus = &gpu}};
  hsim_plan_add_pair(plan, &a, &b);
  return HSIM_OK;
}

/* Nobody runs after the first round. */
static enum hsim_status pair_once(const struct hsim_view *view, struct hsim_plan *plan) {
  if (calls == 1)
    return pair(view, plan);
  hsim_plan_clear(plan);
  return HSIM_OK;
}

static void pair_world(struct world *w) {
  two_nodes(w);
  world_rate(w, "v100", "n", 1, 4);
  assert_int_equal(rates_add_pair(&w->rates, "v100", "m", "n", 1, 8, 2, &w->error), HSIM_OK);
  world_job(w, "a", 0, "m", 1, 800);
  world_job(w, "b", 0, "n", 1, 400);
}

static void test_pair_own(void **state) {
  (void)state;
  struct world w;
  pair_world(&w);
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  assert_ok(w, play(&w, &policy, pair));
  assert_time(world_finish(&w, "a"), 100);
  /* b did 200 of 400 steps at 2/s, the rest alone at 4/s. */
  assert_time(world_finish(&w, "b"), 150);
  assert_int_equal(world_find(&w, RECORD_START, "b", 0)->gpus[0], 1);
  world_free(&w);
}

static void test_pair_later(void **state) {
  (void)state;
  struct world w;
  pair_world(&w);
  w.config.semantics.pair_finish = PAIR_LATER;
  struct hsim_policy policy = table(HSIM_MODE_ROUND);
  assert_ok(w, play(&w, &policy, pair));
  assert_time(world_finish(&w, "a"), 200); /* credited with its partner */
  assert_time(world_finish(&w, "b"), 200);
  world_free(&w);
}

/* With whole steps the round of one is the round of the other, whichever ends the job: both are
 * told of as a pair. */
static void test_pair_is_told_as_a_pair(void **state) {
  (void)state;
  static const double left[][2] = {{800, 400}, {1e6, 400}, {800, 1e6}};
  for (int i = 0; i < 3; i++) {
    struct world w;
    two_nodes(&w);
    world_rate(&w, "v100", "n", 1, 4);
    assert_int_equal(rates_add_pair(&w.rates, "v100", "m", "n", 1, 8, 2, &w.error), HSIM_OK);
    world_job(&w, "a", 0, "m", 1, left[i][0]);
    world_job(&w, "b", 0, "n", 1, left[i][1]);
    w.config.semantics.pair_finish = PAIR_LATER;
    w.config.semantics.steps = STEPS_WHOLE;
    w.config.semantics.round_end = ROUND_END_SLOWEST;
    w.config.semantics.charge_from = CHARGE_PREVIOUS_ROUND_END;
    w.config.until = 500;
    struct hsim_policy policy = table(HSIM_MODE_ROUND);
    memset(ran_partner, -1, sizeof ran_partner);
    assert_ok(w, play(&w, &policy, pair_once));
    assert_int_equal(ran_partner[0], 1);
    assert_int_equal(ran_partner[1], 0);
    assert_time(ran_seconds[0], ran_seconds[1]);
    world_free(&w);
  }
}

static enum hsim_status pair_refused(const struct hsim_view *view, struct hsim_plan *plan) {
  (void)view;
  struct hsim_share share = {0, 1};
  struct hsim_request a = {.job = 0, .at = {.n_shares = 1, .shares = &share}}, b = a;
  b.job = 2;
  hsim_plan_add_pair(plan, &a, &b);
  return HSIM_OK;
}

/* ---- elastic sizes ---- */

static enum hsim_status grow(const struct hsim_view *view, struct hsim_plan *plan) {
  const struct hsim_active *a = view->first;
  if (!a)
    return HSIM_OK;
  int size = view->now < 50 ? 1 : 2;
  if (!a->n_gangs || a->gangs[0]->size != size)
    hsim_plan_place(plan, a->index, &(struct hsim_share){0, size}, 1);
  if (view->now < 50)
    hsim_plan_wake(plan, 50);
  return HSIM_OK;
}

static void test_elastic(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 2, 1000); /* 500 at 50, then 7 s of cost, then 20/s */
  w.config.costs.resize = 7;
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  policy.elastic = true;
  assert_ok(w, play(&w, &policy, grow));
  assert_time(world_finish(&w, "a"), 50 + 7 + 25);
  const struct world_event *resize = world_find(&w, RECORD_RESIZE, "a", 0);
  assert_int_equal(resize->moved, 1);
  assert_int_equal(resize->gpus[0], 0); /* it kept the GPU that it had */
  world_free(&w);
}

/* ---- nodes that go down and come up ---- */

static enum hsim_status first_fit(const struct hsim_view *view, struct hsim_plan *plan) {
  for (const struct hsim_active *a = view->first; a; a = a->next) {
    const struct hsim_share *shares;
    for (int type = 0; !a->n_gangs && type < view->cluster->n_types; type++) {
      int n = hsim_find_gpus(plan, type, a->job->workers, HSIM_PACK_PREFER, &shares);
      if (n == 0)
        continue;
      hsim_plan_place(plan, a->index, shares, n);
      break;
    }
  }
  return HSIM_OK;
}

static void test_node_changes(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 2, 2000); /* 20/s: 800 by 40, then 12/s on p100 until 70, ... */
  world_job(&w, "b", 0, "m", 2, 120);  /* p100, ends at 10 */
  const struct node_event events[] = {{40, 0, false}, {70, 1, false}, {80, 0, true}};
  w.config.node_events = events;
  w.config.n_node_events = 3;
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  assert_ok(w, play(&w, &policy, first_fit));
  assert_time(world_finish(&w, "b"), 10);
  assert_int_equal(world_count(&w, RECORD_PREEMPT, "a"), 2);
  /* 800 + 30 * 12 = 1160 by 70, nothing until 80, then 20/s for the last 840. */
  assert_time(world_finish(&w, "a"), 80 + 42);
  world_free(&w);
}

static void test_rollback_epoch(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 2, 2000)->epochs = 4; /* 500 steps each */
  w.config.costs.rollback = ROLLBACK_EPOCH;
  const struct node_event events[] = {{40, 0, false}};
  w.config.node_events = events;
  w.config.n_node_events = 1;
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  assert_ok(w, play(&w, &policy, first_fit));
  /* 800 by 40, back to 500, then 1500 at 12/s. */
  assert_time(world_finish(&w, "a"), 40 + 125);
  assert_time(world_find(&w, RECORD_SEGMENT, "a", 0)->lost, 300);
  world_free(&w);
}

static void test_checkpoints(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 2, 2000); /* 100 s of progress: pauses after 30, 60, 90 */
  w.config.costs.rollback = ROLLBACK_INTERVAL;
  w.config.costs.checkpoint_s = 2;
  w.config.costs.checkpoint_interval_s = 30;
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  assert_ok(w, play(&w, &policy, first_fit));
  assert_time(world_finish(&w, "a"), 106);
  const struct node_event events[] = {{70, 0, false}};
  w.config.node_events = events;
  w.config.n_node_events = 1;
  assert_ok(w, play(&w, &policy, first_fit));
  /* By 70: 30 + 30 s saved (at 32 and 64), 6 s lost. Then 800 steps at 12/s: 66.7 s, 2 pauses. */
  assert_time(world_find(&w, RECORD_SEGMENT, "a", 0)->lost, 120);
  assert_time(world_finish(&w, "a"), 70 + 800.0 / 12 + 4);
  world_free(&w);
}

/* The same failure takes back as much, but a move by the policy itself does not. */
static void test_rollback_at_failures_only(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 2, 2000); /* 100 s of progress */
  w.config.costs.rollback = ROLLBACK_FAILURE;
  w.config.costs.checkpoint_interval_s = 30;
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  const struct node_event down[] = {{70, 0, NODE_DOWN}};
  w.config.node_events = down;
  w.config.n_node_events = 1;
  assert_ok(w, play(&w, &policy, first_fit));
  assert_time(world_find(&w, RECORD_SEGMENT, "a", 0)->lost, 200); /* 10 s since 60 */
  assert_time(world_finish(&w, "a"), 70 + 800.0 / 12);
  const struct node_event drained[] = {{70, 0, NODE_DRAINED}};
  w.config.node_events = drained;
  assert_ok(w, play(&w, &policy, first_fit));
  assert_time(world_find(&w, RECORD_SEGMENT, "a", 0)->lost, 0);
  assert_time(world_finish(&w, "a"), 70 + 600.0 / 12);
  world_free(&w);
}

static void test_cancel(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "runs", 0, "m", 2, 2000);
  world_job(&w, "waits", 0, "m", 2, 2000);
  world_job(&w, "behind", 0, "m", 2, 2000);
  world_job(&w, "done", 0, "m", 2, 20);
  const struct cancel_event cancels[] = {{10, 0}, {10, 2}, {500, 3}};
  w.config.cancels = cancels;
  w.config.n_cancels = 3;
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  assert_ok(w, play(&w, &policy, first_fit));
  assert_int_equal(world_count(&w, RECORD_CANCEL, NULL), 2);
  assert_int_equal(world_count(&w, RECORD_FINISH, NULL), 2); /* the third cancel is too late */
  assert_time(world_find(&w, RECORD_CANCEL, "runs", 0)->time, 10);
  assert_time(world_find(&w, RECORD_CANCEL, "behind", 0)->time, 10);
  world_free(&w);
}

/* A gang over a slow node and a full-speed one runs at the slow one's pace. */
static void test_slow_node(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=2x1");
  for (int k = 1; k <= 2; k++) {
    world_rate(&w, "v100", "m", k, 10 * k);
    world_spread_rate(&w, "v100", "m", k, 10 * k);
  }
  world_job(&w, "both", 0, "m", 2, 1000);
  const double speeds[] = {1.0, 0.5};
  w.config.node_speed = speeds;
  assert_ok(w, world_run(&w, "fifo"));
  assert_time(world_finish(&w, "both"), 100);
  world_free(&w);
}

/* ---- phases ---- */

static void test_phases(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_rate(&w, "v100", "big", 2, 5);
  struct hsim_job *a = world_job(&w, "a", 0, "m", 2, 1000);
  struct hsim_phase phases[] = {{600, names_find(&w.rates.models, "big", 3)},
                                {700, names_find(&w.rates.models, "m", 1)}};
  a->phases = phases;
  a->n_phases = 2;
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  assert_ok(w, play(&w, &policy, first_fit));
  assert_time(world_finish(&w, "a"), 30 + 20 + 15);
  world_free(&w);
}

/* ---- rounds ---- */

static enum hsim_status quiet(const struct hsim_view *view, struct hsim_plan *plan) {
  enum hsim_status status = first_fit(view, plan);
  hsim_plan_valid_until(plan, INFINITY);
  return status;
}

static void test_quiet_rounds_change_nothing(void **state) {
  (void)state;
  double finish[2][3];
  uint64_t rounds[2];
  int asked[2];
  for (int i = 0; i < 2; i++) {
    struct world w;
    two_nodes(&w);
    world_job(&w, "a", 1.1, "m", 2, 123456.7);
    world_job(&w, "b", 777.7, "m", 2, 99999.9);
    world_job(&w, "c", 4000.3, "m", 1, 3333.3);
    struct hsim_policy policy = table(HSIM_MODE_ROUND);
    assert_ok(w, play(&w, &policy, i ? quiet : first_fit));
    finish[i][0] = world_finish(&w, "a");
    finish[i][1] = world_finish(&w, "b");
    finish[i][2] = world_finish(&w, "c");
    rounds[i] = w.result.rounds;
    asked[i] = calls;
    world_free(&w);
  }
  assert_memory_equal(finish[0], finish[1], sizeof finish[0]);
  assert_int_equal(rounds[0], rounds[1]);
  assert_true(asked[1] < asked[0]);
}

static void test_grid(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 100, "m", 2, 2000); /* call at 100; ends at 200 inside the round */
  world_job(&w, "b", 150, "m", 2, 120);  /* next call at 460; p100 by first fit? v100 is free */
  world_job(&w, "c", 5000, "m", 2, 200); /* the grid starts anew */
  struct hsim_policy policy = table(HSIM_MODE_ROUND);
  assert_ok(w, play(&w, &policy, first_fit));
  assert_time(world_finish(&w, "a"), 200);
  assert_time(world_start(&w, "b"), 460);
  assert_time(world_start(&w, "c"), 5000);
  w.config.semantics.grid = GRID_ABSOLUTE;
  assert_ok(w, play(&w, &policy, first_fit));
  assert_time(world_start(&w, "a"), 360);
  assert_time(world_start(&w, "b"), 360);
  assert_time(world_start(&w, "c"), 5040);
  world_free(&w);
}

static void test_freed_gpus_stay_with_the_round(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 2, 2000); /* ends at 100 */
  world_job(&w, "b", 0, "m", 2, 9999); /* p100 */
  world_job(&w, "c", 1, "m", 2, 200);
  struct hsim_policy policy = table(HSIM_MODE_ROUND);
  assert_ok(w, play(&w, &policy, first_fit));
  assert_time(world_start(&w, "c"), 360);
  w.config.semantics.freed = FREED_EVENT;
  assert_ok(w, play(&w, &policy, first_fit));
  assert_time(world_start(&w, "c"), 100);
  world_free(&w);
}

/* ---- broken rules ---- */

static int broken_rule;

static enum hsim_status break_rule(const struct hsim_view *view, struct hsim_plan *plan) {
  (void)view;
  int gpu_twice[] = {0, 0}, gpu_none[] = {99};
  struct hsim_share share = {0, 1}, much = {0, 2};
  struct hsim_request request = {.job = 0, .at = {.n_shares = 1, .shares = &share}};
  switch (broken_rule) {
  case 0:
    hsim_plan_place(plan, 0, &share, 1);
    hsim_plan_place(plan, 1, &much, 1);
    break;
  case 1:
    hsim_plan_place(plan, 0, &much, 1); /* size 2 instead of 1 */
    break;
  case 2:
    request.at = (struct hsim_placement){.n_gpus = 2, .gpus = gpu_twice};
    hsim_plan_add(plan, &request);
    break;
  case 3:
    request.at = (struct hsim_placement){.n_gpus = 1, .gpus = gpu_none};
    hsim_plan_add(plan, &request);
    break;
  case 4:
    hsim_plan_place(plan, 7, &share, 1);
    break;
  case 5:
    share.bay = 1;
    hsim_plan_place(plan, 2, &share, 1); /* accepts v100 only */
    break;
  case 6:
    request.copy = 1;
    hsim_plan_add(plan, &request);
    request.copy = 2;
    hsim_plan_add(plan, &request);
    break;
  case 7:
    hsim_plan_place(plan, 3, &share, 1); /* no rate on v100 */
    break;
  case 8:
    request.stall_s = NAN;
    hsim_plan_add(plan, &request);
    break;
  case 9:
    hsim_plan_wake(plan, view->now);
    break;
  case 10:
    return pair_refused(view, plan);
  default:
    break;
  }
  return HSIM_OK;
}

static void test_broken_rules(void **state) {
  (void)state;
  static const char *const said[] = {"GPUs that are not free",
                                     "may not run at this size",
                                     "one GPU twice",
                                     "GPUs that do not exist",
                                     "not active gets GPUs",
                                     "a GPU type that the job does not accept",
                                     "two copies of a job on one node",
                                     "no progress on these GPUs",
                                     "must not be negative",
                                     "a timer that is not in the future",
                                     "may not share GPUs",
                                     "idle for ever"};
  for (broken_rule = 0; broken_rule < 12; broken_rule++) {
    struct world w;
    two_nodes(&w);
    world_rate(&w, "p100", "slow", 1, 1);
    world_job(&w, "zero", 0, "m", 1, 10);
    world_job(&w, "one", 0, "m", 2, 10);
    world_job(&w, "two", 0, "m", 1, 10)->gpu_types = 1;
    world_job(&w, "three", 0, "slow", 1, 10);
    struct hsim_policy policy = table(HSIM_MODE_EVENT);
    policy.forks = true;
    assert_int_equal(play(&w, &policy, break_rule), HSIM_FAILED);
    if (!strstr(w.error.text, said[broken_rule]) || !strstr(w.error.text, "script"))
      fail_msg("rule %d: %s", broken_rule, w.error.text);
    world_free(&w);
  }
}

/* ---- edits of edits ---- */

static int edited;

/* A pair of jobs 0 and 1 on GPU 0 that is edited again before the plan is applied. */
static enum hsim_status edit_pair(const struct hsim_view *view, struct hsim_plan *plan) {
  if (view->n_active < 2 || view->n_running > 0)
    return first_fit(view, plan);
  struct hsim_share share = {0, 1}, elsewhere = {0, 1};
  struct hsim_request a = {.job = 0, .at = {.n_shares = 1, .shares = &share}}, b = a;
  b.job = 1;
  hsim_plan_add_pair(plan, &a, &b);
  switch (edited) {
  case 0:
    hsim_plan_stop(plan, 0);
    break;
  case 1:
    hsim_plan_stop(plan, 1);
    break;
  case 2:
    hsim_plan_place(plan, 0, &elsewhere, 1); /* the other GPU of the node */
    break;
  case 3:
    hsim_plan_add_pair(plan, &b, &a);
    break;
  default:
    hsim_plan_clear(plan);
    hsim_plan_place(plan, 1, &share, 1);
    break;
  }
  return HSIM_OK;
}

static void test_edited_pairs(void **state) {
  (void)state;
  for (edited = 0; edited < 5; edited++) {
    struct world w;
    pair_world(&w);
    struct hsim_policy policy = table(HSIM_MODE_EVENT);
    assert_ok(w, play(&w, &policy, edit_pair));
    /* 800 steps at 10/s alone, or 400 at 4/s; together 8/s and 2/s. */
    double first = edited == 3 ? 100 : (edited == 1 || edited == 2 ? 80 : 100);
    if (edited == 0 || edited == 4)
      assert_time(world_finish(&w, "b"), 100);
    else
      assert_time(world_finish(&w, "a"), first);
    world_free(&w);
  }
}

static enum hsim_status reject_first(const struct hsim_view *view, struct hsim_plan *plan) {
  if (view->first && view->first->index == 0)
    hsim_plan_reject(plan, 0, NULL);
  if (edited && view->first && view->first->index == 0)
    hsim_plan_place(plan, 0, &(struct hsim_share){0, 1}, 1);
  if (view->first && view->first->next && !view->first->next->n_gangs)
    hsim_plan_place(plan, view->first->next->index, &(struct hsim_share){1, 1}, 1);
  return HSIM_OK;
}

static void test_reject_by_policy(void **state) {
  (void)state;
  for (edited = 0; edited < 2; edited++) {
    struct world w;
    two_nodes(&w);
    world_job(&w, "a", 0, "m", 1, 100);
    world_job(&w, "b", 0, "m", 1, 60);
    struct hsim_policy policy = table(HSIM_MODE_EVENT);
    enum hsim_status status = play(&w, &policy, reject_first);
    if (edited) {
      assert_int_equal(status, HSIM_FAILED);
      assert_non_null(strstr(w.error.text, "a job that is rejected gets GPUs"));
    } else {
      assert_ok(w, status);
      assert_int_equal(world_count(&w, RECORD_REJECT, "a"), 1);
      assert_time(world_finish(&w, "b"), 10);
    }
    world_free(&w);
  }
}

static enum hsim_status keep_stopped(const struct hsim_view *view, struct hsim_plan *plan) {
  if (view->n_running == 0)
    return first_fit(view, plan);
  hsim_plan_clear(plan);
  assert_true(hsim_plan_keep(plan, view->first->index));
  hsim_plan_stop(plan, view->first->index);
  assert_false(hsim_plan_keep(plan, view->first->index));
  return HSIM_OK;
}

static void test_keep_after_stop(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 2, 72000); /* an hour; every other round it is stopped */
  world_job(&w, "b", 0, "m", 5, 1);     /* rejected */
  struct hsim_policy policy = table(HSIM_MODE_ROUND);
  w.config.until = 2000;
  assert_ok(w, play(&w, &policy, keep_stopped));
  assert_true(world_count(&w, RECORD_PREEMPT, "a") > 1);
  world_free(&w);
}

static enum hsim_status undeclared(const struct hsim_view *view, struct hsim_plan *plan) {
  (void)view;
  struct hsim_share one = {0, 1}, mixed_shares[] = {{0, 2}, {1, 1}};
  const struct hsim_share *none;
  if (edited == 0)
    hsim_plan_add(
        plan, &(struct hsim_request){.job = 0, .copy = 1, .at = {.n_shares = 1, .shares = &one}});
  else if (edited == 1)
    hsim_plan_place(plan, 1, mixed_shares, 2);
  else
    assert_int_equal(hsim_find_gpus(plan, -1, 1, HSIM_PACK_PREFER, &none), 0);
  return HSIM_OK;
}

/* Copies and mixed types are for policies that say so; a type that does not exist is no crash. */
static void test_undeclared(void **state) {
  (void)state;
  static const char *const text[] = {"may not run at this size", "does not mix them",
                                     "does not exist is asked for"};
  for (edited = 0; edited < 3; edited++) {
    struct world w;
    two_nodes(&w);
    world_job(&w, "a", 0, "m", 1, 100);
    world_job(&w, "b", 0, "m", 3, 100)->workers = edited == 1 ? 3 : 2;
    struct hsim_policy policy = table(HSIM_MODE_EVENT);
    policy.mixes_types = false;
    policy.elastic = edited == 1; /* so that the engine does not reject b before */
    assert_int_equal(play(&w, &policy, undeclared), HSIM_FAILED);
    if (!strstr(w.error.text, text[edited]))
      fail_msg("%s", w.error.text);
    world_free(&w);
  }
}

/* ---- rounding ---- */

static enum hsim_status alternate(const struct hsim_view *view, struct hsim_plan *plan) {
  hsim_plan_clear(plan);
  int turn = (int)(view->round % 2);
  for (const struct hsim_active *a = view->first; a; a = a->next)
    if (a->index % 2 == turn || view->n_active == 1)
      hsim_plan_place(plan, a->index, &(struct hsim_share){0, 1}, 1);
  return HSIM_OK;
}

/* An epoch that rounding has left a hair short is an epoch: nothing is lost. */
static void test_epoch_at_the_round(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=1x1");
  world_rate(&w, "v100", "m", 1, 0.7);
  for (int i = 0; i < 2; i++)
    world_job(&w, i ? "b" : "a", 0, "m", 1, 2520)->epochs = 10; /* 252 steps: a round each */
  w.config.costs.rollback = ROLLBACK_EPOCH;
  struct hsim_policy policy = table(HSIM_MODE_ROUND);
  assert_ok(w, play(&w, &policy, alternate));
  assert_true(w.result.end_s < 7200 + 2 * 360 + 1); /* and a sliver of a step each */
  world_free(&w);
}

/* GPUs of a finished job are held to the end of its round, not through the idle time after it. */
static void test_quiet_end_of_the_last_round(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 2, 2000); /* ends at 100 */
  world_job(&w, "b", 10000, "m", 2, 2000);
  struct hsim_policy policy = table(HSIM_MODE_ROUND);
  assert_ok(w, play(&w, &policy, quiet));
  assert_time(world_find(&w, RECORD_GANG_END, "a", 0)->time, 360);
  assert_time(world_start(&w, "b"), 10000);
  world_free(&w);
}

static enum hsim_status valid_for_ages(const struct hsim_view *view, struct hsim_plan *plan) {
  enum hsim_status status = first_fit(view, plan);
  hsim_plan_valid_until(plan, 1e300);
  return status;
}

static void test_times_beyond_the_clock(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_job(&w, "a", 0, "m", 2, 72000);
  struct hsim_policy policy = table(HSIM_MODE_ROUND);
  assert_ok(w, play(&w, &policy, valid_for_ages));
  assert_time(world_finish(&w, "a"), 3600);
  w.trace.jobs[0].steps = 1e300;
  assert_int_equal(play(&w, &policy, valid_for_ages), HSIM_BAD_INPUT);
  w.config.until = 1e300;
  assert_int_equal(play(&w, &policy, valid_for_ages), HSIM_BAD_INPUT);
  world_free(&w);
}

/* ---- rejection ---- */

static void test_rejected_jobs(void **state) {
  (void)state;
  struct world w;
  two_nodes(&w);
  world_rate(&w, "k80", "elsewhere", 1, 1);
  world_job(&w, "big", 0, "m", 5, 10);
  world_job(&w, "mixed", 0, "m", 3, 10);
  world_job(&w, "elsewhere", 0, "elsewhere", 1, 10);
  world_job(&w, "fits", 0, "m", 2, 20);
  struct hsim_policy policy = table(HSIM_MODE_EVENT);
  policy.mixes_types = false;
  assert_ok(w, play(&w, &policy, first_fit));
  assert_int_equal(world_count(&w, RECORD_REJECT, NULL), 3);
  assert_time(world_finish(&w, "fits"), 1);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mixed_gang),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_budgets),
      cmocka_unit_test(test_pair_own),
      cmocka_unit_test(test_pair_later),
      cmocka_unit_test(test_pair_is_told_as_a_pair),
      cmocka_unit_test(test_elastic),
      cmocka_unit_test(test_node_changes),
      cmocka_unit_test(test_rollback_epoch),
      cmocka_unit_test(test_checkpoints),
      cmocka_unit_test(test_rollback_at_failures_only),
      cmocka_unit_test(test_cancel),
      cmocka_unit_test(test_slow_node),
      cmocka_unit_test(test_phases),
      cmocka_unit_test(test_quiet_rounds_change_nothing),
      cmocka_unit_test(test_grid),
      cmocka_unit_test(test_freed_gpus_stay_with_the_round),
      cmocka_unit_test(test_broken_rules),
      cmocka_unit_test(test_edited_pairs),
      cmocka_unit_test(test_reject_by_policy),
      cmocka_unit_test(test_keep_after_stop),
      cmocka_unit_test(test_undeclared),
      cmocka_unit_test(test_epoch_at_the_round),
      cmocka_unit_test(test_quiet_end_of_the_last_round),
      cmocka_unit_test(test_times_beyond_the_clock),
      cmocka_unit_test(test_rejected_jobs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
