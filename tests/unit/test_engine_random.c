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

#include "world.h"

static const char *const policies[] = {
    "fifo",
    "fifo:backfill=1",
    "fifo:profile=yarn",
    "fifo:consolidate=require",
    "sjf",
    "srtf",
    "srtf:type=slowest_ok",
    "las",
    "las:consolidate=any",
    "tiresias",
    "max_rate",
    "gavel",
    "gavel:objective=fifo_perf",
    "gavel:compat=code",
    "gavel:objective=fifo_perf:compat=code",
    "gavel:objective=fifo",
    "gavel:objective=isolated",
    "gavel:objective=isolated:compat=code",
    "gavel:objective=allox",
    "gavel:objective=gandiva:compat=code",
    "hadar:beam=1",
    "hadar:beam=4",
    "hadar:goal=makespan:beam=1",
    "hadar:goal=ftf:beam=1",
    "hadar:profile=paper",
    "gavel:objective=max_min_fairness",
    "gavel:objective=max_min_fairness_packed",
    "gavel:objective=finish_time_fairness_perf",
    "gavel:objective=min_total_duration_packed",
    "gavel:objective=max_min_fairness_water_filling_perf",
    "gavel:objective=max_sum_throughput_normalized_by_cost_perf_SLOs",
    "hadare",
    "hadare:goal=makespan:beam=2",
    "voda",
    "voda:algorithm=ffdl:info=learn",
    "voda:algorithm=fifo",
    "themis",
    "themis:elastic=0",
    "themis:algorithm=gandiva",
};
enum { N_POLICIES = sizeof policies / sizeof policies[0] };

static const char *const types[] = {"v100", "p100", "k80"};
static const char *const models[] = {"m0", "m1", "m2", "m3"};

static uint64_t below(struct hsim_rng *rng, uint64_t n) {
  return hsim_rng_below(rng, n);
}

static void random_cluster(struct world *world, struct hsim_rng *rng) {
  char spec[256] = "";
  int parts = 1 + (int)below(rng, 4);
  for (int i = 0; i < parts; i++) {
    size_t used = strlen(spec);
    bool both = below(rng, 5) == 0;
    int type = (int)below(rng, 3);
    snprintf(spec + used, sizeof spec - used, "%s%s%s%s=%dx%d", i ? "," : "", types[type],
             both ? "+" : "", both ? types[(type + 1) % 3] : "", 1 + (int)below(rng, 4),
             1 + (int)below(rng, 8));
  }
  world_init(world, spec);
}

static void random_rates(struct world *world, struct hsim_rng *rng) {
  for (int t = 0; t < 3; t++) {
    for (int m = 0; m < 4; m++) {
      double rate = 0.1 + 100 * hsim_rng_uniform(rng);
      for (int k = 1; k <= 8; k *= 2) {
        if (below(rng, 8) == 0)
          continue; /* unknown */
        bool none = below(rng, 20) == 0;
        world_rate(world, types[t], models[m], k, none ? 0 : rate * pow(k, 0.8));
        if (below(rng, 2))
          world_spread_rate(world, types[t], models[m], k, none ? 0 : rate * pow(k, 0.6));
      }
    }
  }
  /* Each model has a number whatever was left out above. */
  for (int m = 0; m < 4; m++)
    world_rate(world, "other", models[m], 1, 1);
}

/* Some two jobs of a size may share GPUs of a type, each at a part of its rate. */
static void random_pairs(struct world *world, struct hsim_rng *rng) {
  for (int t = 0; t < 3; t++)
    for (int a = 0; a < 4; a++)
      for (int b = a; b < 4; b++)
        for (int k = 1; k <= 4 && below(rng, 3); k *= 2) {
          double one = 0.1 + 50 * hsim_rng_uniform(rng), other = 0.1 + 50 * hsim_rng_uniform(rng);
          rates_add_pair(&world->rates, types[t], models[a], models[b], k, one,
                         a == b ? one : other, &world->error);
        }
}

static const struct hsim_phase *random_phases(struct world *world, struct hsim_rng *rng,
                                              double steps, int32_t *n) {
  *n = (int32_t)below(rng, 3);
  struct hsim_phase *phases = arena_alloc(&world->trace.texts, 2 * sizeof *phases);
  for (int p = 0; p < *n; p++)
    phases[p] = (struct hsim_phase){steps * (p + 1) / 3, (int)below(rng, 4)};
  return phases;
}

static void random_jobs(struct world *world, struct hsim_rng *rng) {
  int n = 1 + (int)below(rng, 25);
  double time = below(rng, 3) ? 0 : 1e6 * hsim_rng_uniform(rng);
  for (int i = 0; i < n; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    if (below(rng, 3))
      time += floor(3000 * hsim_rng_uniform(rng)) / (double)(1 + below(rng, 4));
    int workers = below(rng, 12) == 0 ? 1 + (int)below(rng, 40) : 1 << below(rng, 4);
    double steps = exp(12 * hsim_rng_uniform(rng));
    if (below(rng, 2))
      steps = ceil(steps);
    struct hsim_job *job = world_job(world, id, time, models[below(rng, 4)], workers, steps);
    job->weight = below(rng, 3) ? 1 : 5;
    job->epochs = (int)below(rng, 5);
    if (below(rng, 4) == 0)
      job->phases = random_phases(world, rng, steps, &job->n_phases);
    if (below(rng, 4) == 0)
      job->gpu_types = 1 + below(rng, 7);
  }
}

static double some_seconds(struct hsim_rng *rng) {
  return below(rng, 2) ? 0 : (double)below(rng, 60);
}

static void random_rules(struct world *world, struct hsim_rng *rng) {
  struct engine_config *config = &world->config;
  config->round_s = 30 + (double)below(rng, 600);
  config->seed = below(rng, 1000);
  config->costs = (struct costs){.start = some_seconds(rng),
                                 .move = some_seconds(rng),
                                 .resize = some_seconds(rng),
                                 .rollback = (enum rollback)below(rng, 4)};
  if (below(rng, 2)) {
    config->costs.checkpoint_s = (double)below(rng, 5);
    config->costs.checkpoint_interval_s = 20 + (double)below(rng, 500);
  }
  /* A policy that preempts more often than work is saved may never get anywhere. */
  if (config->costs.rollback != ROLLBACK_NONE)
    config->until = 300000;
  struct semantics *rules = &config->semantics;
  rules->spread = below(rng, 2) ? SPREAD_TABLE : SPREAD_IGNORE;
  rules->missing_size = below(rng, 4) ? MISSING_INTERPOLATE : MISSING_REJECT;
  rules->grid = below(rng, 2) ? GRID_RESTART : GRID_ABSOLUTE;
  rules->freed = (enum freed_rule)below(rng, 3);
}

/* Each node fails at most once and comes back, so that no job waits for ever. */
static size_t random_failures(struct world *world, struct hsim_rng *rng, struct node_event *out) {
  size_t n = 0;
  if (below(rng, 2))
    return 0;
  for (int node = 0; node < world->cluster.view.n_nodes && n < 60; node++) {
    if (below(rng, 3))
      continue;
    double down = 50000 * hsim_rng_uniform(rng);
    out[n++] = (struct node_event){down, node, false};
    out[n++] = (struct node_event){down + 5000 * hsim_rng_uniform(rng), node, true};
  }
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0 && out[k].time < out[k - 1].time; k--) {
      struct node_event swap = out[k];
      out[k] = out[k - 1];
      out[k - 1] = swap;
    }
  return n;
}

/* Random faults never end, and what they take back may be more than what is done in between. */
static void random_faults(struct world *world, struct hsim_rng *rng, double *speeds) {
  struct engine_config *config = &world->config;
  if (below(rng, 3) == 0) {
    config->faults = (struct fault_rule){.mtbf_s = 20000 + (double)below(rng, 200000),
                                         .mttr_s = 100 + (double)below(rng, 5000),
                                         .shape = 0.5 + hsim_rng_uniform(rng)};
    config->until = 300000;
  }
  if (below(rng, 3) == 0) {
    for (int i = 0; i < world->cluster.view.n_nodes; i++)
      speeds[i] = below(rng, 3) ? 1.0 : 0.25 + hsim_rng_uniform(rng) / 2;
    config->node_speed = speeds;
  }
}

/* Some jobs are withdrawn some time after their arrival. */
static size_t random_cancels(const struct world *world, struct hsim_rng *rng,
                             struct cancel_event *out) {
  size_t n = 0;
  for (int j = 0; j < world->trace.n_jobs && n < 60; j++) {
    if (below(rng, 12))
      continue;
    struct cancel_event event = {world->trace.jobs[j].arrival_s + 5000 * hsim_rng_uniform(rng), j};
    size_t at = n++;
    for (; at > 0 && out[at - 1].time > event.time; at--)
      out[at] = out[at - 1];
    out[at] = event;
  }
  return n;
}

static uint64_t digest(const struct world *world) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < world->n_events; i++) {
    const struct world_event *event = &world->events[i];
    uint64_t parts[4] = {(uint64_t)event->kind, 0, (uint64_t)event->job, 0};
    memcpy(&parts[1], &event->time, sizeof event->time);
    memcpy(&parts[3], &event->steps, sizeof event->steps);
    for (int p = 0; p < 4; p++)
      sum = (sum ^ parts[p]) * 1099511628211u;
  }
  return sum;
}

static void one_scenario(uint64_t seed) {
  struct world w;
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, "random scenarios");
  random_cluster(&w, &rng);
  random_rates(&w, &rng);
  random_pairs(&w, &rng);
  random_jobs(&w, &rng);
  random_rules(&w, &rng);
  struct node_event failures[64];
  size_t n_failures = random_failures(&w, &rng, failures);
  double speeds[256];
  assert_true(w.cluster.view.n_nodes <= 256);
  random_faults(&w, &rng, speeds);
  struct fault_rule faults = w.config.faults;
  struct cancel_event cancels[64];
  w.config.cancels = cancels;
  w.config.n_cancels = random_cancels(&w, &rng, cancels);
  for (int p = 0; p < N_POLICIES; p++) {
    struct semantics rules = w.config.semantics;
    struct costs costs = w.config.costs;
    bool code = strstr(policies[p], "compat=code") != NULL;
    w.config.node_events = failures;
    w.config.n_node_events = code ? 0 : n_failures;
    w.config.faults = code ? (struct fault_rule){0} : faults;
    uint64_t first = 0;
    for (int again = 0; again < 2; again++) {
      enum hsim_status status = world_run(&w, policies[p]);
      w.config.semantics = rules;
      w.config.costs = costs;
      /* Without backfill a job whose payoff is never positive starves: found and said. */
      if (status == HSIM_FAILED && strstr(policies[p], "profile=paper") &&
          strstr(w.error.text, "idle for ever"))
        break;
      /* Costs of a round and more: two jobs may take turns for ever. Found and said, too. */
      if (status == HSIM_FAILED && strstr(w.error.text, "makes no headway"))
        break;
      if (status != HSIM_OK)
        fail_msg("seed %llu, policy %s: %s", (unsigned long long)seed, policies[p], w.error.text);
      int ended = world_count(&w, RECORD_FINISH, NULL) + world_count(&w, RECORD_REJECT, NULL) +
                  world_count(&w, RECORD_DROP, NULL) + world_count(&w, RECORD_CANCEL, NULL);
      if (ended != w.trace.n_jobs && isinf(w.config.until))
        fail_msg("seed %llu, policy %s: %d of %d jobs ended", (unsigned long long)seed, policies[p],
                 ended, w.trace.n_jobs);
      if (again && digest(&w) != first)
        fail_msg("seed %llu, policy %s: two runs differ", (unsigned long long)seed, policies[p]);
      first = digest(&w);
    }
  }
  world_free(&w);
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
                (unsigned long long)(first + n - 1), N_POLICIES);
  for (uint64_t seed = first; seed < first + n; seed++)
    one_scenario(seed);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_scenarios)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
