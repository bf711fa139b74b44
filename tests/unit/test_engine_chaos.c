/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The policy that does anything at random (chaos.h): under random rules, costs and node failures
 * the auditor must find nothing and two runs must be the same.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chaos.h"
#include "world.h"

static void random_world(struct world *w, struct hsim_rng *rng, struct node_event *failures) {
  static const char *const specs[] = {"a=3x4,b=2x2", "a=2x8", "a+b=3x2", "a=6x1,b=4x1"};
  world_init(w, specs[hsim_rng_below(rng, 4)]);
  static const char *const types[] = {"a", "b"}, *const models[] = {"m", "n"};
  for (int t = 0; t < 2; t++)
    for (int m = 0; m < 2; m++)
      for (int k = 1; k <= 8; k *= 2)
        world_rate(w, types[t], models[m], k, (1 + 10 * hsim_rng_uniform(rng)) * k);
  for (int t = 0; t < 2; t++)
    for (int k = 1; k <= 4; k *= 2)
      assert_int_equal(rates_add_pair(&w->rates, types[t], "m", "n", k,
                                      k * (1 + hsim_rng_uniform(rng)),
                                      k * (1 + hsim_rng_uniform(rng)), &w->error),
                       HSIM_OK);
  int n = 1 + (int)hsim_rng_below(rng, 12);
  for (int i = 0; i < n; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    struct hsim_job *job =
        world_job(w, id, floor(2000 * hsim_rng_uniform(rng)), models[hsim_rng_below(rng, 2)],
                  1 << hsim_rng_below(rng, 3), 10 + floor(20000 * hsim_rng_uniform(rng)));
    job->max_workers = job->workers * 2;
    job->epochs = 1 + (int)hsim_rng_below(rng, 50);
  }
  struct engine_config *config = &w->config;
  config->round_s = 60 + (double)hsim_rng_below(rng, 300);
  config->seed = hsim_rng_next(rng);
  config->until = 20000;
  config->costs = (struct costs){.start = (double)hsim_rng_below(rng, 20),
                                 .move = (double)hsim_rng_below(rng, 20),
                                 .resize = (double)hsim_rng_below(rng, 20),
                                 .rollback = (enum rollback)hsim_rng_below(rng, 3),
                                 .checkpoint_s = (double)hsim_rng_below(rng, 3),
                                 .checkpoint_interval_s = 10 + (double)hsim_rng_below(rng, 200)};
  struct semantics *rules = &config->semantics;
  rules->round_end = (enum round_end)hsim_rng_below(rng, 2);
  rules->steps = (enum steps_rule)hsim_rng_below(rng, 2);
  rules->clock_jump = JUMP_NEXT_EVENT;
  rules->charge_from = (enum charge_from)hsim_rng_below(rng, 2);
  rules->drop_after = (int)hsim_rng_below(rng, 2) * 5;
  rules->pair_finish = (enum pair_finish)hsim_rng_below(rng, 2);
  rules->grid = (enum grid_rule)hsim_rng_below(rng, 2);
  rules->freed = (enum freed_rule)hsim_rng_below(rng, 3);
  double t = 3000 * hsim_rng_uniform(rng);
  failures[0] = (struct node_event){t, 0, false};
  failures[1] = (struct node_event){t + 2000 * hsim_rng_uniform(rng), 0, true};
  config->node_events = failures;
  config->n_node_events = 2 * hsim_rng_below(rng, 2);
}

static double fingerprint(const struct world *w) {
  double sum = 0;
  for (size_t i = 0; i < w->n_events; i++)
    sum = sum * 0.999 + w->events[i].time + w->events[i].steps * 3 + (double)w->events[i].kind * 7 +
          w->events[i].gpus[0];
  return sum;
}

static void test_chaos(void **state) {
  (void)state;
  const char *first_text = getenv("HSIM_FIRST_SEED"), *n_text = getenv("HSIM_SCENARIOS");
  uint64_t first = first_text ? strtoull(first_text, NULL, 10) : 1;
  uint64_t n = n_text ? strtoull(n_text, NULL, 10) : 150;
  print_message("seeds %llu to %llu\n", (unsigned long long)first,
                (unsigned long long)(first + n - 1));
  for (uint64_t seed = first; seed < first + n; seed++) {
    struct world w;
    struct node_event failures[2];
    struct hsim_rng rng;
    hsim_rng_init(&rng, seed, "chaos worlds");
    random_world(&w, &rng, failures);
    struct hsim_value values[3];
    struct hsim_policy policy;
    chaos_policy(&policy, values, &rng);
    double prints[2];
    for (int again = 0; again < 2; again++) {
      if (world_run_table(&w, &policy, values) != HSIM_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, w.error.text);
      prints[again] = fingerprint(&w);
    }
    if (prints[0] != prints[1])
      fail_msg("seed %llu: two runs differ", (unsigned long long)seed);
    world_free(&w);
  }
}

/* A policy that has promised not to pair jobs is held to it. */
static void test_promise(void **state) {
  (void)state;
  int refused = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct world w;
    struct node_event failures[2];
    struct hsim_rng rng;
    struct hsim_value values[3];
    struct hsim_policy policy;
    hsim_rng_init(&rng, seed, "chaos worlds");
    random_world(&w, &rng, failures);
    chaos_policy(&policy, values, &rng);
    policy.never_pairs = true;
    if (world_run_table(&w, &policy, values) != HSIM_OK) {
      assert_non_null(strstr(w.error.text, "never pairs"));
      refused++;
    }
    world_free(&w);
  }
  assert_true(refused > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chaos), cmocka_unit_test(test_promise)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
