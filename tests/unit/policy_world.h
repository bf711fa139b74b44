/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small world in memory for tests of whole policies: a cluster of one bay a node, a rates table,
 * a trace, and a run whose finish times and counts are kept.
 *
 * Models (steps per second of a gang of k workers, the same spread or not):
 *   MODEL_FAST  2k on "fast", k on "slow"
 *   MODEL_SAME   k on both
 *   MODEL_SLOW   k on "slow", cannot run on "fast"
 */
#ifndef HSIM_TESTS_POLICY_WORLD_H
#define HSIM_TESTS_POLICY_WORLD_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "policy/options.h"

enum { WORLD_MAX_JOBS = 256, WORLD_MAX_GANG = 16 };
enum { MODEL_FAST, MODEL_SAME, MODEL_SLOW, N_MODELS };

struct world_job {
  double arrival;
  int model, workers;
  double steps;
  double weight; /* 0: 1 */
};

/* What the run did to each job. */
struct world_outcome {
  double finish; /* -1: did not */
  double first_start;
  int starts, preemptions, migrations;
  int rejected;
};

struct world {
  struct cluster cluster;
  struct rates rates;
  struct hsim_job jobs[WORLD_MAX_JOBS];
  char ids[WORLD_MAX_JOBS][16];
  struct trace trace;
  double round_s, cost;
  const struct node_event *node_events;
  size_t n_node_events;
  struct world_outcome outcome[WORLD_MAX_JOBS];
  double waited[WORLD_MAX_JOBS][HSIM_N_REASONS];
  struct engine_result result;
};

static inline void world_record(void *state, const struct record *record) {
  struct world *world = state;
  if (record->job < 0)
    return;
  struct world_outcome *outcome = &world->outcome[record->job];
  switch (record->kind) {
  case RECORD_START:
    if (outcome->starts++ == 0)
      outcome->first_start = record->time;
    break;
  case RECORD_PREEMPT:
    outcome->preemptions++;
    break;
  case RECORD_MIGRATE:
    outcome->migrations++;
    break;
  case RECORD_FINISH:
    outcome->finish = record->time;
    break;
  case RECORD_REJECT:
    outcome->rejected = 1;
    break;
  case RECORD_WAIT:
    world->waited[record->job][record->reason] += record->time - record->from;
    break;
  default:
    break;
  }
}

static inline void world_add_rate(struct world *world, const char *type, const char *model,
                                  double one) {
  struct hsim_error error = {0};
  for (int k = 1; k <= WORLD_MAX_GANG; k++) {
    assert_int_equal(rates_add(&world->rates, type, model, k, true, one * k, &error), HSIM_OK);
    assert_int_equal(rates_add(&world->rates, type, model, k, false, one * k, &error), HSIM_OK);
  }
}

/* `nodes` is "slow=4 fast=4": one node an item, types in that order. */
static inline void world_init(struct world *world, const char *nodes) {
  memset(world, 0, sizeof *world);
  struct hsim_error error = {0};
  char copy[256];
  snprintf(copy, sizeof copy, "%s", nodes);
  char *rest = copy;
  for (char *item; (item = strtok_r(rest, " ", &rest));) {
    char *equals = strchr(item, '=');
    *equals = '\0';
    assert_int_equal(cluster_add_node(&world->cluster, NULL, NULL, 0, &error), HSIM_OK);
    assert_int_equal(cluster_add_bay(&world->cluster, item, atoi(equals + 1), &error), HSIM_OK);
  }
  assert_int_equal(cluster_finish(&world->cluster, "small", &error), HSIM_OK);
  world_add_rate(world, "slow", "fast model", 1);
  world_add_rate(world, "fast", "fast model", 2);
  world_add_rate(world, "slow", "same model", 1);
  world_add_rate(world, "fast", "same model", 1);
  world_add_rate(world, "slow", "slow model", 1);
  world_add_rate(world, "fast", "slow model", 0);
  assert_int_equal(rates_finish(&world->rates, &error), HSIM_OK);
  world->round_s = 10;
}

static inline void world_set_jobs(struct world *world, const struct world_job *jobs, int n) {
  static const char *const models[N_MODELS] = {"fast model", "same model", "slow model"};
  for (int i = 0; i < n; i++) {
    snprintf(world->ids[i], sizeof world->ids[i], "j%d", i);
    world->jobs[i] = (struct hsim_job){
        .id = world->ids[i],
        .arrival_s = jobs[i].arrival,
        .steps = jobs[i].steps,
        .weight = jobs[i].weight > 0 ? jobs[i].weight : 1,
        .deadline_s = (double)NAN,
        .estimate_s = (double)NAN,
        .gpu_types = UINT64_MAX,
        .model =
            names_find(&world->rates.models, models[jobs[i].model], strlen(models[jobs[i].model])),
        .workers = jobs[i].workers,
        .min_workers = 1,
        .max_workers = jobs[i].workers,
        .tenant = -1,
        .app = -1,
        .row = i + 1,
        .line = i + 2,
    };
  }
  world->trace = (struct trace){.jobs = world->jobs, .n_jobs = n, .rows = n, .format = "test"};
}

/* Runs the policy with options as typed (":KEY=VALUE..." or ""). */
static inline void world_run(struct world *world, const struct hsim_policy *policy,
                             const char *options) {
  char text[256];
  snprintf(text, sizeof text, "%s%s", policy->name, options);
  struct policy_specs specs = {0};
  struct policy_values values;
  struct hsim_error error = {0};
  assert_int_equal(policy_specs_parse(&specs, text, &error), HSIM_OK);
  if (policy_values_make(policy, &specs.at[0], &values, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  struct hsim_policy table = *policy;
  if (table.configure)
    table.configure(&table, values.at);
  for (int i = 0; i < world->trace.n_jobs; i++)
    world->outcome[i] = (struct world_outcome){.finish = -1, .first_start = -1};
  memset(world->waited, 0, sizeof world->waited);
  struct sink sink = {.state = world, .record = world_record};
  struct engine_config config = {
      .trace = &world->trace,
      .cluster = &world->cluster.view,
      .rates = &world->rates,
      .costs = {.start = world->cost, .move = world->cost, .resize = world->cost},
      .round_s = world->round_s,
      .until = INFINITY,
      .measure_to = world->trace.n_jobs,
      .policy = &table,
      .values = values.at,
      .node_events = world->node_events,
      .n_node_events = world->n_node_events,
      .sinks = &sink,
      .n_sinks = 1,
  };
  assert_int_equal(semantics_preset("default", &config.semantics, &error), HSIM_OK);
  engine_result_free(&world->result);
  world->result = (struct engine_result){0};
  enum hsim_status status = engine_run(&config, &world->result, &error);
  if (status != HSIM_OK)
    fail_msg("%s: %s", text, error.text);
  semantics_free(&config.semantics);
  policy_values_free(&values);
  policy_specs_free(&specs);
}

static inline void world_free(struct world *world) {
  engine_result_free(&world->result);
  cluster_free(&world->cluster);
  rates_free(&world->rates);
}

/* The finish times of all jobs in arrival order. */
static inline void world_expect(const struct world *world, const double *finish) {
  for (int i = 0; i < world->trace.n_jobs; i++)
    if (world->outcome[i].finish != finish[i])
      fail_msg("job %d finished at %.17g, expected %.17g", i, world->outcome[i].finish, finish[i]);
}

static inline int world_preemptions(const struct world *world) {
  int n = 0;
  for (int i = 0; i < world->trace.n_jobs; i++)
    n += world->outcome[i].preemptions;
  return n;
}

static inline int world_migrations(const struct world *world) {
  int n = 0;
  for (int i = 0; i < world->trace.n_jobs; i++)
    n += world->outcome[i].migrations;
  return n;
}

#endif
