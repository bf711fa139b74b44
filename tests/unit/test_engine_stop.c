/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run that is asked to stop ends after the instant at which it is asked, with what there is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "world.h"

static void make_world(struct world *w) {
  world_init(w, "v100=1x1");
  world_rate(w, "v100", "m", 1, 1);
  world_job(w, "a", 0, "m", 1, 900);
  world_job(w, "b", 10, "m", 1, 900);
  world_job(w, "c", 2000, "m", 1, 900); /* arrives after all that is tested here */
  w->config.round_s = 100;
}

static void test_never_asked(void **state) {
  (void)state;
  struct world w;
  make_world(&w);
  assert_int_equal(world_run(&w, "fifo"), HSIM_OK);
  assert_false(w.result.interrupted);
  assert_int_equal(world_count(&w, RECORD_FINISH, NULL), 3);
  world_free(&w);
}

/* Asked at the first event: all of that instant still happens. */
static void test_at_once(void **state) {
  (void)state;
  struct world w;
  make_world(&w);
  w.stop_after = 1;
  assert_int_equal(world_run(&w, "fifo"), HSIM_OK);
  assert_true(w.result.interrupted);
  assert_float_equal(w.result.end_s, 0, 0);
  assert_int_equal(world_count(&w, RECORD_START, "a"), 1);
  assert_int_equal(world_count(&w, RECORD_ARRIVE, NULL), 1);
  assert_int_equal(world_count(&w, RECORD_FINISH, NULL), 0);
  world_free(&w);
}

/* In the midst of rounds: the clock stands at the last call, all gangs have ended, no round is
 * counted that has not come. */
static void test_in_a_round(void **state) {
  (void)state;
  struct world w;
  make_world(&w);
  assert_int_equal(world_run(&w, "las"), HSIM_OK);
  uint64_t rounds = 0;
  size_t asked = 0;
  for (size_t i = 0; i < w.n_events && rounds < 4; i++)
    if (w.events[i].kind == RECORD_ROUND && ++rounds == 4)
      asked = i + 1;
  assert_int_equal(rounds, 4);
  w.stop_after = asked;
  double time = w.events[asked - 1].time;
  assert_int_equal(world_run(&w, "las"), HSIM_OK);
  assert_true(w.result.interrupted);
  assert_float_equal(w.result.end_s, time, 0);
  assert_int_equal(world_count(&w, RECORD_ROUND, NULL), 4);
  assert_int_equal(world_count(&w, RECORD_GANG_BEGIN, NULL),
                   world_count(&w, RECORD_GANG_END, NULL));
  assert_int_equal(w.events[w.n_events - 1].kind, RECORD_END);
  world_free(&w);
}

/* Asked when the last job ends: nothing was left to do. */
static void test_at_the_end(void **state) {
  (void)state;
  struct world w;
  make_world(&w);
  assert_int_equal(world_run(&w, "fifo"), HSIM_OK);
  for (size_t i = 0; i < w.n_events; i++)
    if (w.events[i].kind == RECORD_FINISH)
      w.stop_after = i + 1;
  assert_int_equal(world_run(&w, "fifo"), HSIM_OK);
  assert_false(w.result.interrupted);
  assert_int_equal(world_count(&w, RECORD_FINISH, NULL), 3);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_never_asked),
      cmocka_unit_test(test_at_once),
      cmocka_unit_test(test_in_a_round),
      cmocka_unit_test(test_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
