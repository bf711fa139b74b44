/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole policy in the engine, audited: when it reschedules, its queues, pools and nodes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

static struct world w;

static void must_run(const char *policy) {
  if (world_run(&w, policy) != HSIM_OK)
    fail_msg("%s: %s", policy, w.error.text);
}

static double stat_of(const char *name) {
  for (size_t i = 0; i < w.result.n_stats; i++)
    if (strcmp(w.result.stats[i].name, name) == 0)
      return w.result.stats[i].value;
  fail_msg("no figure %s", name);
  return 0;
}

/* A model "m" whose rate is its number of workers, on every type. */
static void begin(const char *cluster, const char *const *types) {
  world_init(&w, cluster);
  for (int t = 0; types[t]; t++)
    for (int k = 1; k <= 16; k++)
      world_rate(&w, types[t], "m", k, k);
  w.config.semantics.spread = SPREAD_IGNORE;
}

static const char *const one_type[] = {"x", NULL};

static struct hsim_job *add(const char *id, double arrival, int min, int np, int max,
                            double steps) {
  struct hsim_job *job = world_job(&w, id, arrival, "m", np, steps);
  job->min_workers = min;
  job->max_workers = max;
  return job;
}

static int size_at(const char *id, double t) {
  int size = 0;
  for (size_t i = 0; i < w.n_events; i++) {
    const struct world_event *event = &w.events[i];
    if (event->time > t || event->job < 0 || strcmp(w.trace.jobs[event->job].id, id) != 0)
      continue;
    if (event->kind == RECORD_START || event->kind == RECORD_RESIZE)
      size = event->size;
    else if (event->kind == RECORD_PREEMPT || event->kind == RECORD_FINISH)
      size = 0;
  }
  return size;
}

/* Triggers at 0, 5, 12, 40, 41: rescheduled at 0, 30, 60. */
static void events_inside_a_window_are_answered_at_its_end(void **state) {
  (void)state;
  static const double arrivals[] = {0, 5, 12, 40, 41}, starts[] = {0, 30, 30, 60, 60};
  static const char *const ids[] = {"a", "b", "c", "d", "e"};
  begin("x=5x1", one_type);
  for (int i = 0; i < 5; i++)
    add(ids[i], arrivals[i], 1, 1, 1, 1000);
  w.config.until = 70;
  must_run("voda");
  for (int i = 0; i < 5; i++)
    assert_true(world_start(&w, ids[i]) == starts[i]);
  assert_true(stat_of("reschedulings") == 3);
  must_run("voda:rate_limit=0");
  for (int i = 0; i < 5; i++)
    assert_true(world_start(&w, ids[i]) == arrivals[i]);
  world_free(&w);
}

/* GPUs of a job that ends inside a window idle until its end. */
static void a_finish_triggers(void **state) {
  (void)state;
  begin("x=1x1", one_type);
  add("a", 0, 1, 1, 1, 10);
  add("b", 1, 1, 1, 1, 10);
  must_run("voda");
  assert_true(world_finish(&w, "a") == 10);
  assert_true(world_start(&w, "b") == 30);
  must_run("voda:rate_limit=4");
  assert_true(world_start(&w, "b") == 10);
  world_free(&w);
}

static void jobs_grow_and_shrink(void **state) {
  (void)state;
  begin("x=2x4", one_type);
  add("a", 0, 1, 2, 8, 1000);
  add("b", 40, 2, 2, 8, 100);
  must_run("voda");
  assert_int_equal(size_at("a", 0), 8);
  assert_int_equal(size_at("a", 40), 4);
  assert_int_equal(size_at("b", 40), 4);
  assert_int_equal(size_at("a", 75), 8); /* b ended at 65; the window ends at 70 */
  must_run("voda:algorithm=fifo");
  assert_int_equal(size_at("a", 0), 1);
  assert_int_equal(size_at("b", 40), 2);
  must_run("voda:algorithm=tiresias");
  assert_int_equal(size_at("a", 0), 2);
  world_free(&w);
}

/* 3600 GPU-seconds on 4 GPUs: a sinks at 900 and b, in the first queue, takes its place; as coded
 * at the next tick of 5 s. */
static void a_job_sinks_and_another_takes_over(void **state) {
  (void)state;
  begin("x=1x4", one_type);
  add("a", 0, 1, 4, 4, 1e5);
  add("b", 10, 1, 4, 4, 1e5);
  w.config.until = 2000;
  must_run("voda:algorithm=tiresias");
  assert_true(world_start(&w, "b") == 900);
  must_run("voda:algorithm=tiresias:tick=7");
  assert_true(world_start(&w, "b") == 903);
  must_run("voda:algorithm=tiresias:compat=code");
  assert_true(world_start(&w, "b") == 30); /* never started sorts first */
  must_run("voda:algorithm=tiresias:compat=code2021");
  assert_true(world_start(&w, "b") == 905);
  w.trace.jobs[1].arrival_s = 901;
  must_run("voda:algorithm=tiresias:threshold=1e9");
  assert_true(isnan(world_start(&w, "b"))); /* nobody sinks */
  world_free(&w);
}

static void a_waiting_job_is_promoted(void **state) {
  (void)state;
  begin("x=1x4", one_type);
  add("a", 0, 4, 4, 4, 1e6);
  add("b", 10, 4, 4, 4, 1e6);
  w.config.until = 1e4;
  must_run("voda:algorithm=tiresias:threshold=400:promote=2");
  /* a runs 0..100 and sinks; b runs 100..200 and sinks: a, which first started earlier, goes on.
   * b, stopped at 200 after 100 s, is promoted at 400 and preempts a; it sinks at 500. */
  assert_true(world_find(&w, RECORD_START, "b", 0)->time == 100);
  assert_true(world_find(&w, RECORD_START, "a", 1)->time == 200);
  assert_true(world_find(&w, RECORD_START, "b", 1)->time == 400);
  assert_true(world_find(&w, RECORD_START, "a", 2)->time == 500);
  world_free(&w);
}

static void a_low_priority_enters_the_second_queue(void **state) {
  (void)state;
  begin("x=1x1", one_type);
  add("a", 0, 1, 1, 1, 10);
  add("b", 5, 1, 1, 1, 10)->priority = 3;
  add("c", 6, 1, 1, 1, 10);
  must_run("voda:algorithm=tiresias");
  assert_true(world_start(&w, "c") == 30);
  assert_true(world_start(&w, "b") == 60);
  world_free(&w);
}

/* ---- Nodes ---- */

static void what_is_left_of_a_split_job_goes_on(void **state) {
  (void)state;
  static const struct node_event events[] = {{10, 1, false}, {50, 1, true}};
  begin("x=2x2", one_type);
  add("a", 0, 1, 4, 4, 1000);
  w.config.node_events = events;
  w.config.n_node_events = 2;
  must_run("voda");
  assert_int_equal(size_at("a", 0), 4);
  assert_int_equal(size_at("a", 10), 2); /* inside the window */
  assert_int_equal(size_at("a", 49), 2);
  assert_int_equal(size_at("a", 55), 2);
  assert_int_equal(size_at("a", 60), 4); /* rescheduled at 30, so at 60 again */
  assert_true(stat_of("workers_evicted") == 2);
  assert_true(stat_of("workers_migrated") == 0);
  world_free(&w);
}

static void what_is_too_little_waits(void **state) {
  (void)state;
  static const struct node_event events[] = {{10, 1, false}};
  begin("x=3x2", one_type);
  add("a", 0, 3, 4, 4, 1000);
  w.config.node_events = events;
  w.config.n_node_events = 1;
  must_run("voda");
  assert_int_equal(size_at("a", 0), 4);
  assert_int_equal(size_at("a", 10), 0);
  assert_int_equal(size_at("a", 30), 4);
  world_free(&w);
}

/* T18: the allocation stays, but its node has gone. */
static void a_node_goes_while_the_rest_suffices(void **state) {
  (void)state;
  static const struct node_event events[] = {{100, 0, false}, {150, 0, true}};
  begin("x=3x2", one_type);
  add("a", 0, 2, 2, 2, 1000);
  w.config.node_events = events;
  w.config.n_node_events = 2;
  must_run("voda");
  assert_true(world_find(&w, RECORD_PREEMPT, "a", 0)->time == 100);
  assert_true(world_find(&w, RECORD_START, "a", 1)->time == 100);
  assert_true(stat_of("workers_evicted") == 2);
  assert_true(world_finish(&w, "a") == 500);
  world_free(&w);
}

/* ---- Pools ---- */

static const char *const two_types[] = {"x", "y", NULL};

static void jobs_go_to_the_least_loaded_pool(void **state) {
  (void)state;
  begin("x=1x4,y=1x8", two_types);
  add("a", 0, 2, 2, 2, 1e4); /* x 2/4, y 2/8 */
  add("b", 0, 2, 2, 2, 1e4); /* x 2/4, y 4/8: a tie, equally fast: the first */
  add("c", 0, 2, 2, 2, 1e4); /* x 4/4, y 4/8 */
  add("d", 0, 1, 1, 1, 1e4)->gpu_types = 1;
  w.config.until = 10;
  must_run("voda");
  assert_true(world_find(&w, RECORD_START, "a", 0)->gpus[0] >= 4);
  assert_true(world_find(&w, RECORD_START, "b", 0)->gpus[0] < 4);
  assert_true(world_find(&w, RECORD_START, "c", 0)->gpus[0] >= 4);
  assert_true(world_find(&w, RECORD_START, "d", 0)->gpus[0] < 4);
  world_free(&w);
}

static void pools_have_windows_of_their_own(void **state) {
  (void)state;
  begin("x=1x4,y=1x4", two_types);
  add("a", 0, 1, 1, 1, 1e4)->gpu_types = 1;
  add("b", 5, 1, 1, 1, 1e4)->gpu_types = 2;
  w.config.until = 100;
  must_run("voda");
  assert_true(world_start(&w, "b") == 5);
  world_free(&w);
}

static void sizes_without_a_rate_are_left_out(void **state) {
  (void)state;
  world_init(&w, "x=1x8");
  world_rate(&w, "x", "gaps", 1, 0);
  world_rate(&w, "x", "gaps", 2, 2);
  world_rate(&w, "x", "gaps", 4, 3);
  world_rate(&w, "x", "gaps", 8, 0);
  struct hsim_job *job = world_job(&w, "a", 0, "gaps", 2, 100);
  job->min_workers = 1;
  job->max_workers = 8;
  for (int a = 0; a < 8; a++) {
    static const char *const names[] = {"fifo",     "elastic_fifo",     "srjf", "elastic_srjf",
                                        "tiresias", "elastic_tiresias", "ffdl", "afs_l"};
    char policy[64];
    snprintf(policy, sizeof policy, "voda:algorithm=%s", names[a]);
    must_run(policy);
    int size = size_at("a", 0);
    assert_int_equal(size, a == 0 || a == 2 || a == 4 ? 2 : 4);
  }
  world_free(&w);
}

/* The job keeps to sizes at which all its phases run, and has none if there is no such type. */
static void phases_are_seen_ahead(void **state) {
  (void)state;
  begin("x=1x4,y=1x4", two_types);
  world_rate(&w, "x", "wide", 1, 0);
  world_rate(&w, "x", "wide", 2, 5);
  world_rate(&w, "x", "wide", 4, 0);
  world_rate(&w, "y", "wide", 1, 0);
  world_rate(&w, "x", "other", 1, 0);
  world_rate(&w, "y", "other", 1, 1);
  int wide = names_find(&w.rates.models, "wide", 4),
      other = names_find(&w.rates.models, "other", 5);
  struct hsim_phase phases[] = {{50, wide}}, both[] = {{50, wide}, {60, other}};
  struct hsim_job *job = add("a", 0, 1, 4, 4, 100);
  job->phases = phases;
  job->n_phases = 1;
  job = add("b", 0, 1, 4, 4, 100);
  job->phases = both;
  job->n_phases = 2;
  must_run("voda:algorithm=ffdl");
  assert_int_equal(size_at("a", 0), 2);
  assert_true(world_finish(&w, "a") == 25 + 10);
  assert_int_equal(world_count(&w, RECORD_REJECT, "b"), 1);
  world_free(&w);
}

/* ---- Random worlds ---- */

static void random_world(uint64_t seed) {
  static const char *const clusters[] = {"x=3x4,y=2x2", "x=2x4,x=3x2,y=1x8", "x=6x1,y=2x4"};
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, "voda world");
  begin(clusters[seed % 3], two_types);
  if (seed % 2)
    w.config.semantics.spread = SPREAD_TABLE;
  w.config.costs.start = w.config.costs.move = w.config.costs.resize =
      (double)hsim_rng_below(&rng, 8);
  w.config.seed = seed;
  double arrival = 0;
  int n = 3 + (int)hsim_rng_below(&rng, 25);
  for (int i = 0; i < n; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    int min = 1 + (int)hsim_rng_below(&rng, 3), max = min + (int)hsim_rng_below(&rng, 6);
    int np = min + (int)hsim_rng_below(&rng, (uint64_t)(max - min + 1));
    struct hsim_job *job = add(id, arrival, min, np, max, 10 + (double)hsim_rng_below(&rng, 2000));
    job->epochs = hsim_rng_below(&rng, 3) ? 100 + (int32_t)hsim_rng_below(&rng, 400) : 0;
    job->priority = (double)hsim_rng_below(&rng, 3);
    job->gpu_types = 1 + hsim_rng_below(&rng, 3);
    if (hsim_rng_below(&rng, 2))
      job->estimate_s = 1 + (double)hsim_rng_below(&rng, 1000);
    arrival += (double)hsim_rng_below(&rng, 120);
  }
}

static void every_variant_ends_and_is_sound(void **state) {
  (void)state;
  static const char *const algorithms[] = {"fifo",     "elastic_fifo",     "srjf", "elastic_srjf",
                                           "tiresias", "elastic_tiresias", "ffdl", "afs_l"};
  static const char *const others[] = {
      "",
      ":compat=code",
      ":info=learn:compaction=1",
      ":info=voda-literal",
      ":compat=code2021:info=learn",
      ":placement=random:threshold=400:promote=2:rate_limit=0",
      ":tie=random:threshold=300:promote=1:tick=5",
      ":tie=submit:compat=code:threshold=300:promote=2",
  };
  for (uint64_t seed = 0; seed < 48; seed++) {
    random_world(seed);
    static struct node_event events[6];
    for (size_t i = 0; i < 6; i++)
      events[i] = (struct node_event){100 * ((double)i + 1), i < 3 ? (int)i : (int)i - 3, i >= 3};
    if (seed % 3 == 0) {
      w.config.node_events = events;
      w.config.n_node_events = 6;
    }
    for (size_t a = 0; a < 8; a++) {
      for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
        char policy[128];
        snprintf(policy, sizeof policy, "voda:algorithm=%s%s", algorithms[a], others[o]);
        /* As coded jobs may be stopped again and again before an epoch of theirs is done; so they
         * may with a threshold below an epoch's GPU-seconds. */
        bool coded = strstr(policy, "compat=code") != NULL;
        w.config.costs.rollback = seed % 4 < 2 && !coded ? ROLLBACK_EPOCH : ROLLBACK_NONE;
        if (world_run(&w, policy) != HSIM_OK)
          fail_msg("seed %llu, %s: %s", (unsigned long long)seed, policy, w.error.text);
        for (int j = 0; j < w.trace.n_jobs; j++) {
          const char *id = w.trace.jobs[j].id;
          if (world_count(&w, RECORD_FINISH, id) + world_count(&w, RECORD_REJECT, id) != 1)
            fail_msg("seed %llu, %s: job %s did not end", (unsigned long long)seed, policy, id);
        }
      }
    }
    world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_inside_a_window_are_answered_at_its_end),
      cmocka_unit_test(a_finish_triggers),
      cmocka_unit_test(jobs_grow_and_shrink),
      cmocka_unit_test(a_job_sinks_and_another_takes_over),
      cmocka_unit_test(a_waiting_job_is_promoted),
      cmocka_unit_test(a_low_priority_enters_the_second_queue),
      cmocka_unit_test(what_is_left_of_a_split_job_goes_on),
      cmocka_unit_test(what_is_too_little_waits),
      cmocka_unit_test(a_node_goes_while_the_rest_suffices),
      cmocka_unit_test(jobs_go_to_the_least_loaded_pool),
      cmocka_unit_test(pools_have_windows_of_their_own),
      cmocka_unit_test(sizes_without_a_rate_are_left_out),
      cmocka_unit_test(phases_are_seen_ahead),
      cmocka_unit_test(every_variant_ends_and_is_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
