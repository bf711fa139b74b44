/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a job changes its queue, with Voda's rules as meant and as coded. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/voda/queues.h"

static const struct voda_queue_rules fixed = {.threshold = 3600, .promote = 8};
static const struct voda_queue_rules coded = {
    .threshold = 3600, .promote = 8, .tick_s = 5, .as_coded = true};

static void sinks_at_the_threshold(void **state) {
  (void)state;
  struct voda_clock clock;
  voda_clock_start(&clock, &fixed, 0, 0);
  struct voda_service service = {.now = 0, .workers = 4};
  assert_true(voda_clock_next(&clock, &fixed, &service) == 900);
  service = (struct voda_service){.now = 899, .gpu_s = 3596, .run_s = 899, .workers = 4};
  assert_false(voda_clock_update(&clock, &fixed, &service));
  service = (struct voda_service){.now = 900, .gpu_s = 3600, .run_s = 900, .workers = 4};
  assert_true(voda_clock_update(&clock, &fixed, &service));
  assert_int_equal(clock.queue, 1);
  assert_false(voda_clock_update(&clock, &fixed, &service)); /* there is no third queue */
  assert_true(isinf(voda_clock_next(&clock, &fixed, &service)));
}

/* As coded only more than the threshold counts, and only at the next tick. */
static void sinks_a_tick_later_as_coded(void **state) {
  (void)state;
  struct voda_clock clock;
  voda_clock_start(&clock, &coded, 0, 0);
  voda_clock_began(&clock);
  for (double t = 5; t <= 900; t += 5) {
    struct voda_service service = {.now = t, .workers = 4};
    assert_false(voda_clock_update(&clock, &coded, &service));
    assert_true(voda_clock_next(&clock, &coded, &service) == t + 5);
  }
  struct voda_service service = {.now = 905, .workers = 4};
  assert_true(voda_clock_update(&clock, &coded, &service));
  assert_int_equal(clock.queue, 1);
}

static void is_promoted_after_waiting(void **state) {
  (void)state;
  struct voda_clock clock;
  voda_clock_start(&clock, &fixed, 0, 0);
  struct voda_service service = {.now = 900, .gpu_s = 3600, .run_s = 900, .workers = 4};
  voda_clock_update(&clock, &fixed, &service);
  service = (struct voda_service){.now = 1000, .gpu_s = 4000, .run_s = 1000, .stopped_s = 1000};
  assert_true(voda_clock_next(&clock, &fixed, &service) == 9000);
  service.now = 8999;
  assert_false(voda_clock_update(&clock, &fixed, &service));
  service.now = 9000;
  assert_true(voda_clock_update(&clock, &fixed, &service));
  assert_int_equal(clock.queue, 0);
  /* Both counters began anew: nothing flips while it waits, and it may run for 3600 more. */
  assert_false(voda_clock_update(&clock, &fixed, &service));
  service.workers = 2;
  assert_true(voda_clock_next(&clock, &fixed, &service) == 9000 + 1800);
}

static void what_never_ran_is_not_promoted(void **state) {
  (void)state;
  struct voda_clock clock;
  voda_clock_start(&clock, &fixed, 0, 5); /* a priority behind the last queue */
  assert_int_equal(clock.queue, 1);
  struct voda_service service = {.now = 1e6, .stopped_s = (double)NAN};
  assert_false(voda_clock_update(&clock, &fixed, &service));
  assert_true(isinf(voda_clock_next(&clock, &fixed, &service)));
}

/* T3: as coded a promoted job that still waits flips at every tick. */
static void flaps_while_it_waits_as_coded(void **state) {
  (void)state;
  struct voda_clock clock;
  voda_clock_start(&clock, &coded, 0, 0);
  voda_clock_began(&clock);
  for (double t = 5; t <= 1000; t += 5)
    voda_clock_update(&clock, &coded, &(struct voda_service){.now = t, .workers = 4});
  assert_int_equal(clock.queue, 1);
  voda_clock_halted(&clock);
  int flips = 0;
  for (double t = 1005; t <= 10000; t += 5)
    flips += voda_clock_update(&clock, &coded, &(struct voda_service){.now = t});
  /* The first at 9000, when 8000 s of waiting are 8 times 1000 s; then one at each tick. */
  assert_int_equal(flips, 1 + 1000 / 5);
}

/* T4: the wait before a start is held against a job that runs. */
static void flaps_while_it_runs_as_coded(void **state) {
  (void)state;
  struct voda_clock clock;
  voda_clock_start(&clock, &coded, 0, 0);
  for (double t = 5; t <= 10000; t += 5)
    voda_clock_update(&clock, &coded, &(struct voda_service){.now = t});
  voda_clock_began(&clock);
  double first = 0, second = 0;
  for (double t = 10005; second == 0; t += 5) {
    if (!voda_clock_update(&clock, &coded, &(struct voda_service){.now = t, .workers = 32}))
      continue;
    if (first == 0)
      first = t;
    else
      second = t;
  }
  assert_true(first == 10115); /* 112.5 s on 32 GPUs are 3600 GPU-seconds */
  assert_true(second == 10120);
  assert_int_equal(clock.queue, 0);
}

/* T5: as coded a job that never ran is promoted at its first tick, whatever its priority. */
static void priorities_are_undone_as_coded(void **state) {
  (void)state;
  struct voda_clock clock;
  voda_clock_start(&clock, &coded, 2, 5);
  assert_int_equal(clock.queue, 5);
  assert_false(voda_clock_update(&clock, &coded, &(struct voda_service){.now = 3}));
  assert_true(voda_clock_update(&clock, &coded, &(struct voda_service){.now = 5}));
  assert_int_equal(clock.queue, 0);
}

static void ticks_are_a_grid(void **state) {
  (void)state;
  struct voda_queue_rules rules = fixed;
  rules.tick_s = 7;
  struct voda_clock clock;
  voda_clock_start(&clock, &rules, 0, 0);
  struct voda_service service = {.now = 0, .workers = 4};
  assert_true(voda_clock_next(&clock, &rules, &service) == 903); /* 129 * 7 */
  service = (struct voda_service){.now = 901, .gpu_s = 3604, .run_s = 901, .workers = 4};
  assert_false(voda_clock_update(&clock, &rules, &service));
  assert_true(voda_clock_next(&clock, &rules, &service) == 903);
  service = (struct voda_service){.now = 903, .gpu_s = 3612, .run_s = 903, .workers = 4};
  assert_true(voda_clock_update(&clock, &rules, &service));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sinks_at_the_threshold),
      cmocka_unit_test(sinks_a_tick_later_as_coded),
      cmocka_unit_test(is_promoted_after_waiting),
      cmocka_unit_test(what_never_ran_is_not_promoted),
      cmocka_unit_test(flaps_while_it_waits_as_coded),
      cmocka_unit_test(flaps_while_it_runs_as_coded),
      cmocka_unit_test(priorities_are_undone_as_coded),
      cmocka_unit_test(ticks_are_a_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
