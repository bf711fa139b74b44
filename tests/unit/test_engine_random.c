/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random clusters, rates, traces, costs, rules and node failures under every built-in policy, with
 * the auditor on. Whatever it draws, a run ends, each job ends once, and two runs are the same.
 * HSIM_SCENARIOS=N runs more scenarios than the few of a test run; HSIM_FIRST_SEED=N begins
 * elsewhere.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_world.h"

static uint64_t digest(const struct world *world, size_t n_events) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < n_events; i++) {
    const struct world_event *event = &world->events[i];
    uint64_t parts[4] = {(uint64_t)event->kind, 0, (uint64_t)event->job, 0};
    memcpy(&parts[1], &event->time, sizeof event->time);
    memcpy(&parts[3], &event->steps, sizeof event->steps);
    for (int p = 0; p < 4; p++)
      sum = (sum ^ parts[p]) * 1099511628211u;
  }
  return sum;
}

/* A run that is asked to stop in its midst is the whole run until then, and ends by the rules. */
static void stop_midway(struct random_world *random, const char *policy, uint64_t seed) {
  struct world *w = &random->world;
  size_t stop_after = 1 + (size_t)(seed * 7919 % w->n_events);
  uint64_t whole = digest(w, stop_after);
  w->stop_after = stop_after;
  enum hsim_status status = random_world_run(random, policy);
  w->stop_after = 0;
  if (status == HSIM_FAILED && random_world_may_fail(random, policy))
    return;
  if (status != HSIM_OK)
    fail_msg("seed %llu, policy %s, stopped after %zu events: %s", (unsigned long long)seed, policy,
             stop_after, w->error.text);
  if (digest(w, stop_after) != whole)
    fail_msg("seed %llu, policy %s: it is another run when stopped after %zu events",
             (unsigned long long)seed, policy, stop_after);
}

static void one_scenario(uint64_t seed) {
  struct random_world random;
  random_world_init(&random, seed);
  struct world *w = &random.world;
  for (int p = 0; p < random_world_n_policies; p++) {
    const char *policy = random_world_policies[p];
    uint64_t first = 0;
    for (int again = 0; again < 2; again++) {
      enum hsim_status status = random_world_run(&random, policy);
      if (status == HSIM_FAILED && random_world_may_fail(&random, policy))
        break;
      if (status != HSIM_OK)
        fail_msg("seed %llu, policy %s: %s", (unsigned long long)seed, policy, w->error.text);
      int ended = world_count(w, RECORD_FINISH, NULL) + world_count(w, RECORD_REJECT, NULL) +
                  world_count(w, RECORD_DROP, NULL) + world_count(w, RECORD_CANCEL, NULL);
      if (ended != w->trace.n_jobs && isinf(w->config.until))
        fail_msg("seed %llu, policy %s: %d of %d jobs ended", (unsigned long long)seed, policy,
                 ended, w->trace.n_jobs);
      if (again && digest(w, w->n_events) != first)
        fail_msg("seed %llu, policy %s: two runs differ", (unsigned long long)seed, policy);
      first = digest(w, w->n_events);
      if (again)
        stop_midway(&random, policy, seed);
    }
  }
  world_free(w);
}

static uint64_t from_environment(const char *name, uint64_t fallback) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : fallback;
}

static void test_random_scenarios(void **state) {
  (void)state;
  uint64_t first = from_environment("HSIM_FIRST_SEED", 1);
  uint64_t n = from_environment("HSIM_SCENARIOS", 60);
  print_message("seeds %llu to %llu, %d policies each\n", (unsigned long long)first,
                (unsigned long long)(first + n - 1), random_world_n_policies);
  for (uint64_t seed = first; seed < first + n; seed++)
    one_scenario(seed);
}

/* What was hard once: copies that fit on no node (hadare); an optimum that a second step of the
 * linear program had no room to keep to (gavel, the last). */
static void test_hard_scenarios(void **state) {
  (void)state;
  static const uint64_t seeds[] = {1000471, 1001312, 1001532, 1001795, 1002623, 1002213};
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
    one_scenario(seeds[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_scenarios),
                                     cmocka_unit_test(test_hard_scenarios)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
