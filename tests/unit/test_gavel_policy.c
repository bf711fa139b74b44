/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policy inside the engine, with the auditor watching. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "world.h"

static double stat_of(const struct world *w, const char *name) {
  for (size_t i = 0; i < w->result.n_stats; i++)
    if (strcmp(w->result.stats[i].name, name) == 0)
      return w->result.stats[i].value;
  return NAN;
}

static void run(struct world *w, const char *policy) {
  enum hsim_status status = world_run(w, policy);
  if (status != HSIM_OK)
    print_message("%s\n", w->error.text);
  assert_int_equal(status, HSIM_OK);
}

/* Gavel's published numbers for ResNet-18 (batch size 32), to the last bit. */
static void add_gavel_rates(struct world *w) {
  world_rate(w, "v100", "r", 1, 29.947157347732464);
  world_rate(w, "p100", "r", 1, 35.82535355155143);
  world_rate(w, "v100", "r", 4, 114.73342037584995);
  world_rate(w, "p100", "r", 4, 97.03631932363041);
}

static void as_coded_waits_for_the_next_arrival(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=4x1");
  add_gavel_rates(&w);
  world_job(&w, "a", 500, "r", 1, 1000);
  world_job(&w, "b", 510, "r", 1, 1000);
  world_job(&w, "c", 20000, "r", 1, 1000);
  run(&w, "gavel:objective=fifo_perf:compat=code");
  assert_true(world_finish(&w, "a") - 500 == 33.3921509941149);
  assert_true(world_finish(&w, "b") - 510 == 19523.392150994114);
  assert_true(world_finish(&w, "c") - 20000 == 33.39215099411376);
  assert_true(w.result.end_s == 20033.392150994114);
  world_free(&w);
}

static void as_coded_charges_idle_time(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=1x1,p100=1x1");
  add_gavel_rates(&w);
  world_job(&w, "a", 500, "r", 1, 1000);
  world_job(&w, "b", 50000, "r", 1, 1000);
  world_job(&w, "c", 50010.5, "r", 1, 1000);
  run(&w, "gavel:objective=fifo_perf:compat=code");
  assert_true(world_finish(&w, "a") - 500 == 27.913192777317136);
  assert_true(world_finish(&w, "b") - 50000 == 27.913192777319637);
  assert_true(world_finish(&w, "c") - 50010.5 == 45.32638555463927);
  assert_true(fabs(stat_of(&w, "gavel_utilisation") - 0.5) < 5e-7);
  world_free(&w);
}

static void as_coded_drops_a_gang_with_too_few_steps(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=4x1,p100=4x1");
  add_gavel_rates(&w);
  world_job(&w, "a", 0, "r", 4, 3);
  world_job(&w, "b", 0, "r", 1, 100000);
  run(&w, "gavel:objective=fifo_perf:compat=code");
  assert_int_equal(world_count(&w, RECORD_DROP, "a"), 1);
  assert_true(world_finish(&w, "b") == 2791.3192777317186);
  world_free(&w);
}

static void as_coded_takes_no_options_of_the_paper(void **state) {
  (void)state;
  const char *policies[] = {"gavel:compat=code:realloc_interval=5",
                            "gavel:compat=code:deficits=ties"};
  for (int i = 0; i < 2; i++) {
    struct world w;
    world_init(&w, "v100=1x1");
    add_gavel_rates(&w);
    world_job(&w, "a", 0, "r", 1, 100);
    assert_int_equal(world_run(&w, policies[i]), HSIM_BAD_USAGE);
    assert_non_null(strstr(w.error.text, i == 0 ? "realloc_interval" : "deficits"));
    world_free(&w);
  }
}

/* Without the 1920 seconds: a job that arrives inside a round runs in the next one. */
static void a_new_job_runs_in_the_next_round(void **state) {
  (void)state;
  const char *policies[] = {"gavel", "gavel:objective=fifo_perf"};
  for (int i = 0; i < 2; i++) {
    struct world w;
    world_init(&w, "v100=1x2");
    world_rate(&w, "v100", "m", 1, 1);
    world_job(&w, "a", 100, "m", 1, 5000);
    world_job(&w, "b", 110, "m", 1, 1000);
    run(&w, policies[i]);
    assert_true(world_start(&w, "a") == 100);
    assert_true(world_start(&w, "b") == 460);
    assert_true(world_finish(&w, "a") == 5100);
    assert_true(world_finish(&w, "b") == 1460);
    assert_int_equal(world_count(&w, RECORD_MIGRATE, NULL), 0);
    assert_int_equal(world_count(&w, RECORD_PREEMPT, NULL), 0);
    world_free(&w);
  }
}

/* Two equal jobs on one GPU take turns; a job of weight 3 gets three rounds of four. */
static void time_is_shared_as_the_weights_say(void **state) {
  (void)state;
  for (int weight = 1; weight <= 3; weight += 2) {
    struct world w;
    world_init(&w, "v100=1x1");
    world_rate(&w, "v100", "m", 1, 1);
    world_job(&w, "a", 0, "m", 1, 360 * 12);
    world_job(&w, "b", 0, "m", 1, 360 * 12)->weight = weight;
    run(&w, "gavel");
    double first = fmin(world_finish(&w, "a"), world_finish(&w, "b"));
    assert_true(world_finish(&w, "a") == 360 * 24 || world_finish(&w, "b") == 360 * 24);
    if (weight == 1)
      assert_true(first >= 360 * 22);
    else
      assert_true(first == world_finish(&w, "b") && fabs(first / 360 - 16) <= 1);
    world_free(&w);
  }
}

/* Each job is relatively best on another type: nobody moves, and rounds need no calls. */
static void jobs_settle_on_the_type_that_suits_them(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=1x1,k80=1x1");
  world_rate(&w, "v100", "fast", 1, 10);
  world_rate(&w, "k80", "fast", 1, 1);
  world_rate(&w, "v100", "even", 1, 2);
  world_rate(&w, "k80", "even", 1, 2);
  world_job(&w, "e", 0, "even", 1, 20000);
  world_job(&w, "f", 0, "fast", 1, 100000);
  run(&w, "gavel");
  assert_true(world_finish(&w, "e") == 10000);
  assert_true(world_finish(&w, "f") == 10000);
  assert_int_equal(world_count(&w, RECORD_MIGRATE, NULL), 0);
  assert_true(w.result.policy_calls < 4);
  assert_true(w.result.rounds > 20);
  world_free(&w);
}

/* One that waits may come before one that runs: no promise, they alternate. */
static void gpus_do_not_idle_while_a_job_waits(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=1x2,k80=1x2");
  world_rate(&w, "v100", "m", 1, 4);
  world_rate(&w, "k80", "m", 1, 1);
  world_rate(&w, "v100", "m", 2, 8);
  world_rate(&w, "k80", "m", 2, 2);
  for (int i = 0; i < 7; i++)
    world_job(&w, (const char *[]){"0", "1", "2", "3", "4", "5", "6"}[i], 0, "m", 1 + i % 2, 9000);
  run(&w, "gavel");
  double busy = 0, until = INFINITY;
  for (int i = 0; i < 7; i++)
    until = fmin(until, world_finish(&w, (const char *[]){"0", "1", "2", "3", "4", "5", "6"}[i]));
  for (size_t i = 0; i < w.n_events; i++)
    if (w.events[i].kind == RECORD_SEGMENT && w.events[i].time <= until)
      busy += (w.events[i].time - w.events[i].from) * w.events[i].size;
  assert_true(busy > 0.85 * 4 * until);
  world_free(&w);
}

static void fifo_keeps_the_order_of_arrival(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=1x2");
  world_rate(&w, "v100", "m", 1, 1);
  world_rate(&w, "v100", "m", 2, 2);
  world_job(&w, "a", 0, "m", 1, 1000);
  world_job(&w, "b", 1, "m", 2, 720);
  world_job(&w, "c", 2, "m", 1, 10); /* would fit beside a, but came after b */
  run(&w, "gavel:objective=fifo_perf");
  assert_true(world_start(&w, "b") == 1080);
  assert_true(world_start(&w, "c") == 1440);
  world_free(&w);
}

static void a_lost_node_is_worked_around(void **state) {
  (void)state;
  const char *policies[] = {"gavel", "gavel:objective=fifo_perf"};
  for (int i = 0; i < 2; i++) {
    struct world w;
    world_init(&w, "v100=1x1,k80=1x1");
    world_rate(&w, "v100", "m", 1, 4);
    world_rate(&w, "k80", "m", 1, 1);
    world_job(&w, "a", 0, "m", 1, 4 * 1000);
    struct node_event events[] = {{500, 0, false}, {100000, 0, true}};
    w.config.node_events = events;
    w.config.n_node_events = 2;
    run(&w, policies[i]);
    assert_true(world_finish(&w, "a") == 720 + 2000);
    world_free(&w);
  }
}

static void reallocations_keep_their_distance(void **state) {
  (void)state;
  double solves[2];
  for (int i = 0; i < 2; i++) {
    struct world w;
    world_init(&w, "v100=1x4");
    world_rate(&w, "v100", "m", 1, 1);
    for (int j = 0; j < 10; j++)
      world_job(&w, (const char *[]){"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}[j], 400 * j,
                "m", 1, 3000);
    run(&w, i ? "gavel:realloc_interval=2000" : "gavel");
    for (int j = 0; j < 4; j++) /* fill in free GPUs at once, allocated or not */
      assert_true(world_start(&w, (const char *[]){"0", "1", "2", "3"}[j]) <= 400 * j + 360);
    solves[i] = stat_of(&w, "lp_solves");
    world_free(&w);
  }
  assert_true(solves[1] < solves[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_coded_waits_for_the_next_arrival),
      cmocka_unit_test(as_coded_charges_idle_time),
      cmocka_unit_test(as_coded_drops_a_gang_with_too_few_steps),
      cmocka_unit_test(as_coded_takes_no_options_of_the_paper),
      cmocka_unit_test(a_new_job_runs_in_the_next_round),
      cmocka_unit_test(time_is_shared_as_the_weights_say),
      cmocka_unit_test(jobs_settle_on_the_type_that_suits_them),
      cmocka_unit_test(gpus_do_not_idle_while_a_job_waits),
      cmocka_unit_test(fifo_keeps_the_order_of_arrival),
      cmocka_unit_test(a_lost_node_is_worked_around),
      cmocka_unit_test(reallocations_keep_their_distance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
