/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event queue against a list that is searched: random sets, moves and removals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/queue.h"
#include "hsim/view.h"

enum { OWNERS = 60, STEPS = 200000 };

struct naive {
  struct queue_event at[OWNERS];
  bool pending[OWNERS];
};

static bool earlier(const struct queue_event *a, const struct queue_event *b) {
  if (a->time != b->time)
    return a->time < b->time;
  if (a->class != b->class)
    return a->class < b->class;
  return a->owner < b->owner;
}

static const struct queue_event *least(const struct naive *naive) {
  const struct queue_event *best = NULL;
  for (int i = 0; i < OWNERS; i++)
    if (naive->pending[i] && (!best || earlier(&naive->at[i], best)))
      best = &naive->at[i];
  return best;
}

static void check_first(const struct queue *queue, const struct naive *naive) {
  const struct queue_event *first = queue_first(queue), *expected = least(naive);
  if (!expected) {
    assert_null(first);
    return;
  }
  assert_non_null(first);
  assert_int_equal(first->owner, expected->owner);
  assert_true(first->time == expected->time);
  assert_int_equal(first->class, expected->class);
}

static void test_against_a_list(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 5; seed++) {
    struct hsim_rng rng;
    hsim_rng_init(&rng, seed, "queue test");
    struct queue queue;
    struct naive naive = {0};
    queue_init(&queue, OWNERS);
    for (int step = 0; step < STEPS / 5; step++) {
      uint32_t owner = (uint32_t)hsim_rng_below(&rng, OWNERS);
      if (hsim_rng_below(&rng, 3) == 0) {
        queue_remove(&queue, owner);
        naive.pending[owner] = false;
        assert_false(queue_pending(&queue, owner));
      } else {
        /* Few distinct times, so that ties are the rule. */
        struct queue_event event = {(double)hsim_rng_below(&rng, 20),
                                    (uint32_t)hsim_rng_below(&rng, 2), owner};
        queue_set(&queue, event);
        naive.at[owner] = event;
        naive.pending[owner] = true;
      }
      check_first(&queue, &naive);
    }
    queue_free(&queue);
  }
}

static void test_comes_out_sorted(void **state) {
  (void)state;
  struct queue queue;
  queue_init(&queue, 1000);
  struct hsim_rng rng;
  hsim_rng_init(&rng, 7, "queue test");
  for (uint32_t i = 0; i < 1000; i++)
    queue_set(&queue, (struct queue_event){hsim_rng_uniform(&rng), 0, i});
  double last = -1;
  for (int n = 0; n < 1000; n++) {
    const struct queue_event *first = queue_first(&queue);
    assert_true(first->time >= last);
    last = first->time;
    queue_remove(&queue, first->owner);
  }
  assert_null(queue_first(&queue));
  queue_free(&queue);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_a_list),
      cmocka_unit_test(test_comes_out_sorted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
