/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of hsim/view.h that ask the engine. */
#include <math.h>
#include <string.h>

#include "engine/core.h"

/* Every hsim_active that leaves the engine is the first member of a struct job. */
static const struct job *job_of(const struct hsim_active *active) {
  return (const struct job *)(const void *)active;
}

const struct hsim_active *hsim_active_job(const struct hsim_view *view, int job) {
  if (job < 0 || job >= view->n_jobs || !view->core->jobs[job])
    return NULL;
  return &view->core->jobs[job]->pub;
}

double hsim_attained_gpu_s(const struct hsim_view *view, const struct hsim_active *active) {
  const struct job *job = job_of(active);
  return job->held_gpu_s + (job->held > 0 ? job->held * (view->now - job->since) : 0);
}

double hsim_run_s(const struct hsim_view *view, const struct hsim_active *active) {
  const struct job *job = job_of(active);
  return job->run_s + (job->held > 0 ? view->now - job->since : 0);
}

double hsim_wait_s(const struct hsim_view *view, const struct hsim_active *active) {
  const struct job *job = job_of(active);
  return job->wait_s + (job->held > 0 || job->ended ? 0 : view->now - job->wait_from);
}

double hsim_remaining_steps(const struct hsim_view *view, const struct hsim_active *active) {
  if (!(view->core->policy->oracle & HSIM_KNOWS_REMAINING))
    return NAN;
  double left = active->job->steps - job_steps_at(view->core, job_of(active), view->now);
  return left > 0 ? left : 0;
}

double hsim_remaining_s(const struct hsim_view *view, const struct hsim_active *active, int type,
                        int workers, enum hsim_span span) {
  double left = hsim_remaining_steps(view, active);
  if (isnan(left))
    return NAN;
  const struct hsim_oracle *oracle = &view->core->oracle;
  const struct hsim_job *j = active->job;
  double done = j->steps - left, seconds = 0;
  int model = j->model;
  for (int p = 0; p <= j->n_phases; p++) {
    double end = p < j->n_phases ? j->phases[p].from_step : j->steps;
    if (end > j->steps)
      end = j->steps;
    if (end > done) {
      seconds += (end - done) / oracle_rate_on(oracle, model, type, workers, span);
      done = end;
    }
    if (p < j->n_phases)
      model = j->phases[p].model;
  }
  return seconds;
}

double hsim_start_cost(const struct hsim_view *view) {
  return view->core->config->costs.start;
}
double hsim_move_cost(const struct hsim_view *view) {
  return view->core->config->costs.move;
}

bool hsim_logging(const struct hsim_view *view) {
  return view->core->config->logging;
}

void hsim_emit(const struct hsim_view *view, const char *json) {
  const struct engine_config *config = view->core->config;
  for (size_t i = 0; i < config->n_sinks; i++)
    if (config->sinks[i].emit)
      config->sinks[i].emit(config->sinks[i].state, view->now, view->round, json);
}

void hsim_stat(const struct hsim_view *view, const char *name, double value) {
  struct engine_result *result = view->core->result;
  for (size_t i = 0; i < result->n_stats; i++) {
    if (strcmp(result->stats[i].name, name) == 0) {
      result->stats[i].value = value;
      return;
    }
  }
  if (result->n_stats == result->stats_capacity)
    result->stats = mem_grow(result->stats, result->n_stats + 1, &result->stats_capacity,
                             sizeof *result->stats);
  result->stats[result->n_stats++] = (struct engine_stat){mem_text(name), value};
}

const char *hsim_model_name(const struct hsim_view *view, int model) {
  const struct names *names = &view->core->config->rates->models;
  return model >= 0 && model < names->n ? names->at[model] : "";
}

const char *hsim_tenant_name(const struct hsim_view *view, int tenant) {
  const struct names *names = &view->core->config->trace->tenants;
  return tenant >= 0 && tenant < names->n ? names->at[tenant] : "";
}
