/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placement searches against plain scans of the same counts. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/free_gpus.h"
#include "world.h"

static int sum(const struct free_gpus *gpus, int n) {
  int total = 0;
  for (int i = 0; i < n; i++)
    total += gpus->found[i].gpus;
  return total;
}

/* The rule of best fit, by looking at every bay. */
static int best_fit(const struct free_gpus *gpus, int type, int workers) {
  int best = -1, best_free = INT_MAX;
  bool best_clear = false;
  for (int b = 0; b < gpus->cluster->n_bays; b++) {
    if (gpus->cluster->bays[b].type != type || gpus->free[b] < workers)
      continue;
    bool clear = gpus->free[b] - gpus->claimed[b] >= workers;
    if (gpus->free[b] < best_free || (gpus->free[b] == best_free && clear && !best_clear)) {
      best = b;
      best_free = gpus->free[b];
      best_clear = clear;
    }
  }
  return best;
}

static int most(const struct free_gpus *gpus, int type) {
  int most_free = 0;
  for (int b = 0; b < gpus->cluster->n_bays; b++)
    if (gpus->cluster->bays[b].type == type && gpus->free[b] > most_free)
      most_free = gpus->free[b];
  return most_free;
}

static void check_search(struct free_gpus *gpus, int type, int workers) {
  int fit = best_fit(gpus, type, workers);
  int n = free_gpus_find(gpus, type, workers, HSIM_PACK_PREFER);
  if (fit >= 0) {
    assert_int_equal(n, 1);
    assert_int_equal(gpus->found[0].bay, fit);
    assert_int_equal(gpus->found[0].gpus, workers);
  } else if (gpus->types[type].free >= workers) {
    assert_true(n > 1);
    assert_int_equal(sum(gpus, n), workers);
    for (int i = 0; i < n; i++) {
      assert_true(gpus->found[i].gpus <= gpus->free[gpus->found[i].bay]);
      assert_true(i == 0 || gpus->found[i].bay > gpus->found[i - 1].bay);
    }
  } else {
    assert_int_equal(n, 0);
  }
  n = free_gpus_find(gpus, type, workers, HSIM_PACK_ANY);
  assert_int_equal(sum(gpus, n), gpus->types[type].free >= workers ? workers : 0);
  assert_int_equal(free_gpus_most_on_one_node(gpus, type), most(gpus, type));
}

static void test_against_scans(void **state) {
  (void)state;
  /* Bays of up to 100 GPUs go through the bucket of many free GPUs. */
  const char *const specs[] = {"a=130x2,b=5x8", "a+b=9x4", "a=3x100,b=70x1,a=4x64", "a=1x1"};
  for (int s = 0; s < 4; s++) {
    struct world w;
    world_init(&w, specs[s]);
    struct free_gpus gpus;
    free_gpus_init(&gpus, &w.cluster.view);
    struct hsim_rng rng;
    hsim_rng_init(&rng, (uint64_t)s, "free gpus test");
    for (int step = 0; step < 20000; step++) {
      int bay = (int)hsim_rng_below(&rng, (uint64_t)w.cluster.view.n_bays);
      int want = (int)hsim_rng_below(&rng, (uint64_t)w.cluster.view.bays[bay].gpus + 1);
      free_gpus_change(&gpus, bay, want - gpus.free[bay]);
      gpus.claimed[bay] = (int)hsim_rng_below(&rng, (uint64_t)want + 1);
      int type = (int)hsim_rng_below(&rng, (uint64_t)w.cluster.view.n_types);
      check_search(&gpus, type, 1 + (int)hsim_rng_below(&rng, 12));
    }
    free_gpus_release(&gpus);
    world_free(&w);
  }
}

static void test_spread_takes_fullest_nodes_first(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "a=4x4");
  struct free_gpus gpus;
  free_gpus_init(&gpus, &w.cluster.view);
  free_gpus_change(&gpus, 0, -1); /* free: 3 2 1 2 */
  free_gpus_change(&gpus, 1, -2);
  free_gpus_change(&gpus, 2, -3);
  free_gpus_change(&gpus, 3, -2);
  int n = free_gpus_find(&gpus, 0, 4, HSIM_PACK_PREFER);
  assert_int_equal(n, 3); /* 1 of bay 2, 2 of bay 1, 1 of bay 3; in ascending order */
  assert_int_equal(gpus.found[0].bay, 1);
  assert_int_equal(gpus.found[0].gpus, 2);
  assert_int_equal(gpus.found[1].bay, 2);
  assert_int_equal(gpus.found[1].gpus, 1);
  assert_int_equal(gpus.found[2].bay, 3);
  assert_int_equal(gpus.found[2].gpus, 1);
  assert_int_equal(free_gpus_find(&gpus, 0, 4, HSIM_PACK_REQUIRE), 0); /* waits for one node */
  assert_int_equal(free_gpus_find(&gpus, 0, 5, HSIM_PACK_REQUIRE), 3); /* no node could hold it */
  n = free_gpus_find(&gpus, 0, 4, HSIM_PACK_ANY);
  assert_int_equal(n, 2);
  assert_int_equal(gpus.found[0].bay, 0);
  free_gpus_release(&gpus);
  world_free(&w);
}

static void test_nodes_down(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "a=2x4");
  struct free_gpus gpus;
  free_gpus_init(&gpus, &w.cluster.view);
  free_gpus_set_node(&gpus, 0, false);
  assert_int_equal(gpus.types[0].free, 4);
  assert_int_equal(free_gpus_find(&gpus, 0, 2, HSIM_PACK_PREFER), 1);
  assert_int_equal(gpus.found[0].bay, 1);
  free_gpus_clear(&gpus);
  assert_int_equal(gpus.free[0], 0);
  free_gpus_set_node(&gpus, 0, true);
  assert_int_equal(gpus.types[0].free, 8);
  free_gpus_release(&gpus);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_scans),
      cmocka_unit_test(test_spread_takes_fullest_nodes_first),
      cmocka_unit_test(test_nodes_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
