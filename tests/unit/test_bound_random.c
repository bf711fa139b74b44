/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No policy beats a bound: every built-in policy on random scenarios, and the policy that does
 * anything at random, with sizes, pairs and copies, under the bounds of what it may do.
 * HSIM_SCENARIOS=N and HSIM_FIRST_SEED=N choose the seeds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound_world.h"
#include "chaos.h"
#include "policy/registry.h"
#include "random_world.h"

/* How close the runs came, over all of a test: the bounds are not there for nothing. */
struct closeness {
  double makespan, jct;
  int n;
};

static uint64_t from_environment(const char *name, uint64_t fallback) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : fallback;
}

static void compare(const struct world *w, const struct semantics *semantics,
                    struct bound_rules rules, uint64_t seed, const char *policy,
                    struct closeness *closeness) {
  struct bound_figures figures;
  struct bounds bounds;
  if (!finished_and_bounds(w, semantics, rules, &figures, &bounds))
    return;
  const char *what = beaten(&figures, &bounds);
  if (what)
    fail_msg("seed %llu, policy %s beats the bound on %s: makespan %.17g (bound %.17g), mean JCT "
             "%.17g (%.17g), slowdown %.17g (%.17g)",
             (unsigned long long)seed, policy, what, figures.makespan_s, bounds.makespan_s,
             figures.jct_mean_s, bounds.jct_mean_s, figures.slowdown_max, bounds.slowdown_max);
  closeness->makespan += bounds.makespan_s / figures.makespan_s;
  closeness->jct += bounds.jct_mean_s / figures.jct_mean_s;
  closeness->n++;
}

static struct bound_rules rules_of(const char *policy) {
  struct policy_specs specs = {0};
  struct policy_values values;
  struct hsim_error error;
  assert_int_equal(policy_specs_parse(&specs, policy, &error), HSIM_OK);
  struct hsim_policy table = *registry_find(specs.at[0].name);
  assert_int_equal(policy_values_make(&table, &specs.at[0], &values, &error), HSIM_OK);
  if (table.configure)
    table.configure(&table, values.at);
  policy_values_free(&values);
  policy_specs_free(&specs);
  return bound_rules_of(&table);
}

static void test_policies(void **state) {
  (void)state;
  uint64_t first = from_environment("HSIM_FIRST_SEED", 1),
           n = from_environment("HSIM_SCENARIOS", 16);
  print_message("seeds %llu to %llu\n", (unsigned long long)first,
                (unsigned long long)(first + n - 1));
  struct closeness closeness = {0};
  for (uint64_t seed = first; seed < first + n; seed++) {
    struct random_world random;
    random_world_init(&random, seed);
    for (int p = 0; p < random_world_n_policies; p++) {
      const char *policy = random_world_policies[p];
      if (random_world_run(&random, policy) == HSIM_OK)
        compare(&random.world, &random.ran, rules_of(policy), seed, policy, &closeness);
    }
    world_free(&random.world);
  }
  print_message("%d runs; bounds on average %.2f of the makespan, %.2f of the mean JCT\n",
                closeness.n, closeness.makespan / closeness.n, closeness.jct / closeness.n);
  assert_true(closeness.n > 0 && closeness.makespan > 0.5 * closeness.n);
}

/* Few jobs with work for a short while, nothing lost: most of them finish. */
static void chaos_world(struct world *w, struct hsim_rng *rng) {
  static const char *const specs[] = {"a=3x4,b=2x2", "a=2x8", "a+b=3x2", "a=6x1,b=4x1"};
  static const char *const types[] = {"a", "b"}, *const models[] = {"m", "n"};
  world_init(w, specs[hsim_rng_below(rng, 4)]);
  for (int t = 0; t < 2; t++)
    for (int m = 0; m < 2; m++)
      for (int k = 1; k <= 8; k *= 2) {
        double rate = (1 + 10 * hsim_rng_uniform(rng)) * k;
        world_rate(w, types[t], models[m], k, rate);
        world_spread_rate(w, types[t], models[m], k, rate * (0.5 + hsim_rng_uniform(rng)));
      }
  for (int t = 0; t < 2; t++)
    for (int k = 1; k <= 8; k *= 2)
      for (int m = 0; m < 2; m++)
        rates_add_pair(&w->rates, types[t], models[m], "n", k, k * 8 * hsim_rng_uniform(rng),
                       k * 8 * hsim_rng_uniform(rng), &w->error);
  int n = 1 + (int)hsim_rng_below(rng, 12);
  for (int i = 0; i < n; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    struct hsim_job *job =
        world_job(w, id, floor(500 * hsim_rng_uniform(rng)), models[hsim_rng_below(rng, 2)],
                  1 << hsim_rng_below(rng, 3), 10 + floor(3000 * hsim_rng_uniform(rng)));
    job->max_workers = job->workers * 2;
  }
  w->config.round_s = 20 + (double)hsim_rng_below(rng, 100);
  w->config.seed = hsim_rng_next(rng);
  w->config.until = 20000;
  w->config.semantics.steps = (enum steps_rule)hsim_rng_below(rng, 2);
}

static void test_anything(void **state) {
  (void)state;
  uint64_t first = from_environment("HSIM_FIRST_SEED", 1);
  uint64_t n = from_environment("HSIM_SCENARIOS", 150);
  struct closeness closeness = {0};
  for (uint64_t seed = first; seed < first + n; seed++) {
    struct world w;
    struct hsim_rng rng;
    struct hsim_value values[3];
    struct hsim_policy policy;
    hsim_rng_init(&rng, seed, "bounds of anything");
    chaos_world(&w, &rng);
    chaos_policy(&policy, values, &rng);
    if (world_run_table(&w, &policy, values) != HSIM_OK)
      fail_msg("seed %llu: %s", (unsigned long long)seed, w.error.text);
    compare(&w, &w.config.semantics, bound_rules_of(&policy), seed, "chaos", &closeness);
    world_free(&w);
  }
  print_message("%d runs; bounds on average %.2f of the makespan, %.2f of the mean JCT\n",
                closeness.n, closeness.makespan / closeness.n, closeness.jct / closeness.n);
  assert_true(closeness.n > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_policies),
                                     cmocka_unit_test(test_anything)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
