/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/auditor.h"
#include "policy/registry.h"

static void must(enum hsim_status status, const struct hsim_error *error) {
  if (status == HSIM_OK)
    return;
  fprintf(stderr, "world: %s\n", error->text);
  abort();
}

static void add_nodes(struct world *world, char *types, int nodes, int gpus) {
  for (int n = 0; n < nodes; n++) {
    must(cluster_add_node(&world->cluster, NULL, NULL, 0, &world->error), &world->error);
    char copy[128], *save = NULL;
    snprintf(copy, sizeof copy, "%s", types);
    for (char *type = strtok_r(copy, "+", &save); type; type = strtok_r(NULL, "+", &save))
      must(cluster_add_bay(&world->cluster, type, gpus, &world->error), &world->error);
  }
}

void world_init(struct world *world, const char *spec) {
  memset(world, 0, sizeof *world);
  char copy[512], *save = NULL;
  snprintf(copy, sizeof copy, "%s", spec);
  for (char *part = strtok_r(copy, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
    char *equals = strchr(part, '='), *times = strchr(equals, 'x');
    *equals = *times = '\0';
    add_nodes(world, part, atoi(equals + 1), atoi(times + 1));
  }
  must(cluster_finish(&world->cluster, "test", &world->error), &world->error);
  world->trace.file = mem_text("test");
  world->trace.format = "native";
  world->config.round_s = 360;
  world->config.until = INFINITY;
  world->config.measure_to = 1 << 30;
  must(semantics_preset("default", &world->config.semantics, &world->error), &world->error);
  must(costs_preset("none", &world->config.costs, &world->error), &world->error);
}

void world_rate(struct world *world, const char *type, const char *model, int workers,
                double rate) {
  must(rates_add(&world->rates, type, model, workers, true, rate, &world->error), &world->error);
}

void world_spread_rate(struct world *world, const char *type, const char *model, int workers,
                       double rate) {
  must(rates_add(&world->rates, type, model, workers, false, rate, &world->error), &world->error);
}

struct hsim_job *world_job(struct world *world, const char *id, double arrival, const char *model,
                           int workers, double steps) {
  struct trace *trace = &world->trace;
  size_t n = (size_t)trace->n_jobs;
  if (n == world->jobs_capacity)
    trace->jobs = mem_grow(trace->jobs, n + 1, &world->jobs_capacity, sizeof *trace->jobs);
  struct hsim_job *job = &trace->jobs[trace->n_jobs++];
  *job = (struct hsim_job){.id = arena_text(&trace->texts, id, strlen(id)),
                           .arrival_s = arrival,
                           .steps = steps,
                           .weight = 1,
                           .deadline_s = NAN,
                           .estimate_s = NAN,
                           .gpu_types = UINT64_MAX,
                           .model = names_find(&world->rates.models, model, strlen(model)),
                           .workers = workers,
                           .min_workers = 1,
                           .max_workers = workers,
                           .tenant = -1,
                           .app = -1,
                           .row = trace->n_jobs,
                           .line = trace->n_jobs};
  return job;
}

static void record_event(void *state, const struct record *record) {
  struct world *world = state;
  if (world->n_events == world->events_capacity)
    world->events = mem_grow(world->events, world->n_events + 1, &world->events_capacity,
                             sizeof *world->events);
  struct world_event *event = &world->events[world->n_events++];
  if (world->n_events == world->stop_after)
    world->stop = 1;
  *event = (struct world_event){.kind = record->kind,
                                .time = record->time,
                                .job = record->job,
                                .copy = record->copy,
                                .steps = record->steps,
                                .stop = record->stop,
                                .from = record->from,
                                .stall = record->stall,
                                .productive = record->productive,
                                .lost = record->lost_steps,
                                .reason = record->reason,
                                .moved = record->moved,
                                .counts = record->counts};
  if (!record->gang)
    return;
  event->size = record->gang->size;
  event->rate = record->gang->rate;
  for (int i = 0; i < event->size && i < 8; i++)
    event->gpus[i] = record->gang->gpus[i];
}

static int by_arrival(const void *a, const void *b) {
  const struct hsim_job *x = a, *y = b;
  if (x->arrival_s != y->arrival_s)
    return x->arrival_s < y->arrival_s ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

enum hsim_status world_run_table(struct world *world, const struct hsim_policy *policy,
                                 const struct hsim_value *values) {
  struct engine_config *config = &world->config;
  qsort(world->trace.jobs, (size_t)world->trace.n_jobs, sizeof *world->trace.jobs, by_arrival);
  if (!world->rates_ready)
    must(rates_finish(&world->rates, &world->error), &world->error);
  world->rates_ready = true;
  world->n_events = 0;
  world->stop = 0;
  config->stop = &world->stop;
  engine_result_free(&world->result);
  config->trace = &world->trace;
  config->cluster = &world->cluster.view;
  config->rates = &world->rates;
  config->policy = policy;
  config->values = values;
  struct hsim_oracle oracle;
  oracle_init(&oracle, &world->rates, config->cluster, &config->semantics);
  struct run_info info = {.policy = policy->name,
                          .trace = &world->trace,
                          .rates = &world->rates,
                          .cluster = config->cluster,
                          .oracle = &oracle,
                          .mode = policy->mode == HSIM_MODE_ROUND ? RUN_ROUND : RUN_EVENT,
                          .round_s = config->round_s,
                          .elastic = policy->elastic,
                          .whole_steps = config->semantics.steps == STEPS_WHOLE &&
                                         policy->mode == HSIM_MODE_ROUND};
  struct auditor *auditor = auditor_create(&info);
  struct sink sinks[2] = {{.state = world, .record = record_event}, auditor_sink(auditor)};
  config->sinks = sinks;
  config->n_sinks = 2;
  enum hsim_status status = engine_run(config, &world->result, &world->error);
  auditor_free(auditor);
  config->sinks = NULL;
  config->n_sinks = 0;
  return status;
}

enum hsim_status world_run(struct world *world, const char *policy) {
  struct policy_specs specs = {0};
  struct policy_values values = {0};
  must(policy_specs_parse(&specs, policy, &world->error), &world->error);
  const struct hsim_policy *table = registry_find(specs.at[0].name);
  if (!table)
    abort();
  must(policy_values_make(table, &specs.at[0], &values, &world->error), &world->error);
  const char *preset = table->preset ? table->preset(values.at) : NULL;
  if (preset) {
    must(semantics_preset(preset, &world->config.semantics, &world->error), &world->error);
    must(costs_preset(preset, &world->config.costs, &world->error), &world->error);
  }
  struct hsim_policy configured = *table;
  if (configured.configure)
    configured.configure(&configured, values.at);
  enum hsim_status status = world_run_table(world, &configured, values.at);
  policy_values_free(&values);
  policy_specs_free(&specs);
  return status;
}

static bool is_job(const struct world *world, const struct world_event *event, const char *id) {
  if (!id)
    return true;
  return event->job >= 0 && strcmp(world->trace.jobs[event->job].id, id) == 0;
}

const struct world_event *world_find(const struct world *world, enum record_kind kind,
                                     const char *id, int nth) {
  for (size_t i = 0; i < world->n_events; i++)
    if (world->events[i].kind == kind && is_job(world, &world->events[i], id) && nth-- == 0)
      return &world->events[i];
  return NULL;
}

int world_count(const struct world *world, enum record_kind kind, const char *id) {
  int n = 0;
  while (world_find(world, kind, id, n))
    n++;
  return n;
}

double world_finish(const struct world *world, const char *id) {
  const struct world_event *event = world_find(world, RECORD_FINISH, id, 0);
  return event ? event->time : (double)NAN;
}

double world_start(const struct world *world, const char *id) {
  const struct world_event *event = world_find(world, RECORD_START, id, 0);
  return event ? event->time : (double)NAN;
}

void world_print(const struct world *world) {
  static const char *const names[] = {
      "round",  "end",  "arrive",    "start",   "resize",     "migrate", "preempt",  "finish",
      "reject", "drop", "node_down", "node_up", "gang_begin", "segment", "gang_end", "wait"};
  for (size_t i = 0; i < world->n_events; i++) {
    const struct world_event *e = &world->events[i];
    fprintf(stderr, "%10.3f %-10s %-6s copy %d size %d gpu %d", e->time, names[e->kind],
            e->job >= 0 ? world->trace.jobs[e->job].id : "-", e->copy, e->size, e->gpus[0]);
    if (e->kind == RECORD_SEGMENT)
      fprintf(stderr, " from %.3f stop %.3f stall %.3f rate %.3f steps %.3f lost %.3f", e->from,
              e->stop, e->stall, e->rate, e->steps, e->lost);
    if (e->kind == RECORD_WAIT)
      fprintf(stderr, " from %.3f reason %d", e->from, (int)e->reason);
    fputc('\n', stderr);
  }
}

void world_free(struct world *world) {
  free(world->events);
  engine_result_free(&world->result);
  trace_free(&world->trace);
  rates_free(&world->rates);
  cluster_free(&world->cluster);
  semantics_free(&world->config.semantics);
}
