/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock. Each turn of the loop goes to the next instant at which something happens, lets
 * everything happen that is due then (gangs stop, jobs end, nodes change, jobs arrive, timers), and
 * calls the policy once if it is to be called.
 */
#include "engine/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool round_mode(const struct hsim_core *core) {
  return core->policy->mode == HSIM_MODE_ROUND;
}

bool slowest(const struct hsim_core *core) {
  return round_mode(core) && core->config->semantics.round_end == ROUND_END_SLOWEST;
}

double arrival_time(const struct hsim_core *core) {
  const struct trace *trace = core->config->trace;
  return core->next_arrival < trace->n_jobs ? trace->jobs[core->next_arrival].arrival_s : INFINITY;
}

double node_time(const struct hsim_core *core) {
  double given = core->next_node_event < core->config->n_node_events
                     ? core->config->node_events[core->next_node_event].time
                     : INFINITY;
  return fmin(given, faults_time(&core->faults));
}

double cancel_time(const struct hsim_core *core) {
  return core->next_cancel < core->config->n_cancels ? core->config->cancels[core->next_cancel].time
                                                     : INFINITY;
}

double timer_time(const struct hsim_core *core) {
  return core->n_timers ? core->timers[core->n_timers - 1] : INFINITY;
}

static double queue_time(const struct hsim_core *core) {
  const struct queue_event *first = queue_first(&core->queue);
  return first ? first->time : INFINITY;
}

static double next_instant(const struct hsim_core *core) {
  double t = fmin(queue_time(core), fmin(arrival_time(core), node_time(core)));
  t = fmin(t, cancel_time(core));
  return fmin(t, fmin(timer_time(core), core->next_call));
}

static bool done(const struct hsim_core *core) {
  return core->n_ended == core->config->trace->n_jobs || core->measured_left <= 0;
}

static enum hsim_status loop(struct hsim_core *core) {
  while (!done(core)) {
    if (core->config->stop && *core->config->stop) {
      core->result->interrupted = true;
      return HSIM_OK;
    }
    double t = next_instant(core);
    if (t == INFINITY)
      return core->view.n_active > 0 ? no_progress(core) : HSIM_OK;
    double at = fmin(t, core->config->until);
    if (at > ENGINE_TIME_MAX)
      return hsim_fail(core->error, HSIM_BAD_INPUT,
                       "policy %s: the run would go on to %.17g s, beyond the %.17g s up to which "
                       "the clock tells times apart: some job's steps, rates or costs are out of "
                       "proportion (%d active jobs, first of them %.200s)",
                       core->policy->name, at, ENGINE_TIME_MAX, core->view.n_active,
                       core->first ? core->first->pub.job->id : "-");
    if (round_mode(core) && (at - core->origin) / core->config->round_s > ROUNDS_MAX)
      return hsim_fail(core->error, HSIM_FAILED,
                       "policy %s: at time %.17g the run is longer than %.17g rounds of %.17g s, "
                       "more than can be told apart",
                       core->policy->name, at, ROUNDS_MAX, core->config->round_s);
    if (t > core->config->until) {
      core->now = core->config->until;
      return HSIM_OK;
    }
    core->now = fmax(t, core->now);
    run_instant(core);
    if (done(core))
      return HSIM_OK;
    enum hsim_status status = maybe_call(core);
    if (status != HSIM_OK)
      return status;
  }
  return HSIM_OK;
}

static void close_run(struct hsim_core *core) {
  for (struct job *job = core->first; job; job = job->next)
    if (job->held == 0)
      wait_end(core, job);
  idle_release(core, -1);
  while (core->gangs) {
    struct job *job = core->gangs->job;
    segment_end(core, job, false);
    account(core, job, 0);
    while (job->pub.n_gangs)
      gang_remove(core, job->gangs[0], true);
  }
  struct record record = {.kind = RECORD_END, .time = core->now, .job = -1, .node = -1};
  emit_record(core, &record);
}

static void core_init(struct hsim_core *core, const struct engine_config *config) {
  const struct hsim_cluster *cluster = config->cluster;
  int n_jobs = config->trace->n_jobs;
  core->config = config;
  core->policy = config->policy;
  oracle_init(&core->oracle, config->rates, cluster, &config->semantics);
  core->oracle.node_speed = config->node_speed;
  core->jobs = mem_zero((size_t)n_jobs, sizeof(struct job *));
  core->busy = mem_zero((size_t)cluster->n_gpus, sizeof *core->busy);
  core->node_up = mem_alloc((size_t)cluster->n_nodes, sizeof *core->node_up);
  memset(core->node_up, 1, (size_t)cluster->n_nodes);
  core->type_up = mem_alloc((size_t)cluster->n_types, sizeof *core->type_up);
  memcpy(core->type_up, cluster->type_gpus, (size_t)cluster->n_types * sizeof *core->type_up);
  free_gpus_init(&core->gpus, cluster);
  queue_init(&core->queue, (size_t)n_jobs);
  core->next_call = INFINITY;
  int from = config->measure_from, to = config->measure_to < n_jobs ? config->measure_to : n_jobs;
  core->measured_left = to > from ? to - from : 0;
  core->now = n_jobs ? fmin(config->trace->jobs[0].arrival_s, config->until) : 0;
  if (slowest(core))
    core->next_call = core->now;
  faults_init(&core->faults, &config->faults, cluster->n_nodes, config->seed, core->now);
  core->plan.core = core;
  core->view = (struct hsim_view){
      .now = core->now,
      .round_s = config->round_s,
      .seed = config->seed,
      .cluster = cluster,
      .node_up = core->node_up,
      .type_up = core->type_up,
      .n_jobs = n_jobs,
      .arrivals_left = n_jobs > 0,
      .oracle = core->policy->oracle & HSIM_KNOWS_RATES ? &core->oracle : NULL,
      .core = core,
  };
}

static void core_free(struct hsim_core *core) {
  job_engine_free(core);
  plan_free(&core->plan);
  free_gpus_release(&core->gpus);
  queue_free(&core->queue);
  faults_free(&core->faults);
  free(core->timers);
  free(core->jobs);
  free(core->left);
  free(core->arrived);
  free(core->stopped);
  free(core->waiting);
  free(core->busy);
  free(core->node_up);
  free(core->type_up);
  free(core->changes);
  free(core->ran);
  free(core->state);
}

/* A policy may blame its options or files; whatever else it returns, the failure is its own. */
static enum hsim_status blamed(enum hsim_status status) {
  bool others = status == HSIM_OK || status == HSIM_BAD_INPUT || status == HSIM_BAD_USAGE;
  return others ? status : HSIM_FAILED;
}

static enum hsim_status run_policy(struct hsim_core *core) {
  const struct hsim_policy *policy = core->policy;
  core->state = mem_zero(1, policy->state_size ? policy->state_size : 1);
  enum hsim_status status = HSIM_OK;
  if (policy->create) {
    struct hsim_error error = {.status = HSIM_OK};
    status = blamed(policy->create(core->state, &core->view, core->config->values, &error));
    if (status != HSIM_OK)
      hsim_fail(core->error, status, "policy %s: %s", policy->name, said(&error));
  }
  bool created = status == HSIM_OK;
  if (created)
    status = loop(core);
  if (status == HSIM_OK) {
    if (core->view.n_active > 0) /* the clock was stopped: a call at that very time counts */
      count_skipped(core, done(core) ? core->now : nextafter(core->now, INFINITY));
    view_update(core);
    tell_policy(core); /* of what ran since its last call */
    close_run(core);
    if (policy->ended)
      policy->ended(core->state, &core->view);
    if (policy->verdict && !core->result->interrupted) {
      struct hsim_error error = {.status = HSIM_OK};
      status = blamed(policy->verdict(core->state, &core->view, &error));
      if (status != HSIM_OK)
        hsim_fail(core->error, status, "policy %s: %s", policy->name, said(&error));
    }
  }
  if (status != HSIM_OK && created && policy->dump) {
    char text[512] = "";
    policy->dump(core->state, text, sizeof text);
    size_t used = strlen(core->error->text);
    snprintf(core->error->text + used, sizeof core->error->text - used, "; its state: %s", text);
  }
  if (policy->destroy)
    policy->destroy(core->state);
  return status;
}

enum hsim_status engine_run(const struct engine_config *config, struct engine_result *result,
                            struct hsim_error *error) {
  struct hsim_core core = {0};
  *result = (struct engine_result){0};
  core.result = result;
  core.error = error;
  core_init(&core, config);
  enum hsim_status status = run_policy(&core);
  result->end_s = core.now;
  for (size_t i = 0; i < config->n_sinks; i++) {
    const struct sink *sink = &config->sinks[i];
    if (!sink->end)
      continue;
    struct hsim_error sink_error = {.status = HSIM_OK};
    enum hsim_status ended = sink->end(sink->state, &sink_error);
    if (ended == HSIM_OK || status != HSIM_OK)
      continue;
    status = ended;
    *error = sink_error;
  }
  core_free(&core);
  return status;
}

void engine_result_free(struct engine_result *result) {
  for (size_t i = 0; i < result->n_stats; i++)
    free(result->stats[i].name);
  free(result->stats);
  *result = (struct engine_result){0};
}
