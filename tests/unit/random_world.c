/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random_world.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const random_world_policies[] = {
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
const int random_world_n_policies =
    (int)(sizeof random_world_policies / sizeof random_world_policies[0]);

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
    /* One draw a statement: compilers differ in the order in which they work out arguments. */
    int type = (int)below(rng, 3);
    int gpus = 1 + (int)below(rng, 8);
    int nodes = 1 + (int)below(rng, 4);
    snprintf(spec + used, sizeof spec - used, "%s%s%s%s=%dx%d", i ? "," : "", types[type],
             both ? "+" : "", both ? types[(type + 1) % 3] : "", nodes, gpus);
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

static double random_gap(struct hsim_rng *rng) {
  double seconds = floor(3000 * hsim_rng_uniform(rng));
  return seconds / (double)(1 + below(rng, 4));
}

static void random_jobs(struct world *world, struct hsim_rng *rng) {
  int n = 1 + (int)below(rng, 25);
  double time = below(rng, 3) ? 0 : 1e6 * hsim_rng_uniform(rng);
  for (int i = 0; i < n; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    if (below(rng, 3))
      time += random_gap(rng);
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
  config->costs = (struct costs){.start = some_seconds(rng)};
  config->costs.move = some_seconds(rng);
  config->costs.resize = some_seconds(rng);
  config->costs.rollback = (enum rollback)below(rng, 4);
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

void random_world_init(struct random_world *random, uint64_t seed) {
  struct world *world = &random->world;
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, "random scenarios");
  random_cluster(world, &rng);
  random_rates(world, &rng);
  random_pairs(world, &rng);
  random_jobs(world, &rng);
  random_rules(world, &rng);
  random->n_failures = random_failures(world, &rng, random->failures);
  assert(world->cluster.view.n_nodes <= RANDOM_WORLD_NODES);
  random_faults(world, &rng, random->speeds);
  random->faults = world->config.faults;
  world->config.cancels = random->cancels;
  world->config.n_cancels = random_cancels(world, &rng, random->cancels);
  random->semantics = world->config.semantics;
  random->costs = world->config.costs;
}

enum hsim_status random_world_run(struct random_world *random, const char *policy) {
  struct world *world = &random->world;
  bool code = strstr(policy, "compat=code") != NULL;
  world->config.node_events = random->failures;
  world->config.n_node_events = code ? 0 : random->n_failures;
  world->config.faults = code ? (struct fault_rule){0} : random->faults;
  enum hsim_status status = world_run(world, policy);
  random->ran = world->config.semantics;
  world->config.semantics = random->semantics;
  world->config.costs = random->costs;
  return status;
}

bool random_world_may_fail(const struct random_world *random, const char *policy) {
  /* Gavel's code tries a pair of which one has no whole step in a round again and again. */
  if (strstr(policy, "gandiva:compat=code") && strstr(random->world.error.text, "idle for ever"))
    return true;
  /* Without backfill a job whose payoff is never positive starves: found and said. */
  if (strstr(policy, "profile=paper") && strstr(random->world.error.text, "idle for ever"))
    return true;
  /* Costs of a round and more: two jobs may take turns for ever. Found and said, too. */
  return strstr(random->world.error.text, "makes no headway") != NULL;
}
