/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/number.h"
#include "workload/draws.h"
#include "workload/model_draws.h"
#include "workload/workload.h"

struct hsim_job *workload_add(struct workload *workload, double arrival_s, int model, int workers) {
  struct trace *trace = &workload->trace;
  trace->jobs = mem_grow(trace->jobs, (size_t)trace->n_jobs + 1, &workload->jobs_capacity,
                         sizeof *trace->jobs);
  char id[NUMBER_SIZE];
  size_t length = number_print(trace->n_jobs, id);
  struct hsim_job *job = &trace->jobs[trace->n_jobs++];
  *job = (struct hsim_job){.id = arena_text(&trace->texts, id, length),
                           .arrival_s = arrival_s,
                           .weight = 1,
                           .deadline_s = NAN,
                           .estimate_s = NAN,
                           .gpu_types = UINT64_MAX,
                           .model = model,
                           .workers = workers,
                           .min_workers = 1,
                           .max_workers = workers,
                           .tenant = -1,
                           .app = -1,
                           .row = trace->n_jobs,
                           .line = trace->n_jobs + 1};
  return job;
}

/* ---- by distribution ---- */

struct general {
  const struct workload_spec *spec;
  struct arrival_process arrivals;
  gsl_rng *gangs_rng, *durations_rng;
  gsl_ran_discrete_t *gangs;
  struct model_draws models;
};

static void begin(struct general *g, const struct workload_spec *spec, const struct rates *rates,
                  int reference) {
  *g = (struct general){.spec = spec,
                        .arrivals = arrivals_begin(&spec->arrivals, spec->seed),
                        .gangs_rng = draws_stream(spec->seed, "generate.gangs"),
                        .durations_rng = draws_stream(spec->seed, "generate.durations"),
                        .gangs = draws_prepare(&spec->gangs)};
  model_draws_begin(&g->models, spec, rates, reference);
}

static void end(struct general *g) {
  arrivals_end(&g->arrivals);
  gsl_rng_free(g->gangs_rng);
  gsl_rng_free(g->durations_rng);
  gsl_ran_discrete_free(g->gangs);
  model_draws_end(&g->models);
}

static enum hsim_status draw_job(struct general *g, struct workload *workload,
                                 struct hsim_error *error) {
  const struct workload_spec *spec = g->spec;
  int workers = spec->gangs.at[gsl_ran_discrete(g->gangs_rng, g->gangs)].value, model = -1;
  double seconds = draw_duration(&spec->durations, g->durations_rng);
  if (isnan(seconds))
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "durations: a thousand draws in a row lay outside min and max: expected a "
                     "wider range");
  enum hsim_status status =
      spec->with_models ? model_draws_next(&g->models, workers, &model, error) : HSIM_OK;
  if (status != HSIM_OK)
    return status;
  workload_add(workload, arrivals_next(&g->arrivals), model, workers);
  workload->durations_s[workload->trace.n_jobs - 1] = seconds;
  return HSIM_OK;
}

static enum hsim_status by_distribution(const struct workload_spec *spec, const struct rates *rates,
                                        int reference, struct workload *workload,
                                        struct hsim_error *error) {
  struct general g;
  enum hsim_status status = HSIM_OK;
  begin(&g, spec, rates, reference);
  workload->durations_s = mem_alloc((size_t)spec->n_jobs, sizeof(double));
  for (int i = 0; i < spec->n_jobs && status == HSIM_OK; i++)
    status = draw_job(&g, workload, error);
  end(&g);
  return status;
}

/* ---- Hadar's classes ---- */

enum { S, M, L, XL, N_CLASSES };
enum { RESNET18, CYCLEGAN, LM, TRANSFORMER, RESNET50, N_HADAR };

static enum hsim_status hadar_models(const struct rates *rates, int models[N_HADAR],
                                     struct hsim_error *error) {
  static const char *const names[N_HADAR] = {"ResNet-18 (batch size 128)", "CycleGAN",
                                             "LM (batch size 20)", "Transformer (batch size 64)",
                                             "ResNet-50 (batch size 64)"};
  for (int i = 0; i < N_HADAR; i++) {
    models[i] = names_find(&rates->models, names[i], strlen(names[i]));
    if (models[i] < 0)
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "preset hadar needs the model %s, which the rates table lacks", names[i]);
  }
  return HSIM_OK;
}

/* CycleGAN has no rates for several workers: its class then has the class below's model. */
static int hadar_model(int class, int workers, double coin) {
  switch (class) {
  case S:
    return RESNET18;
  case M:
    return workers == 1 ? CYCLEGAN : RESNET18;
  case L:
    return coin < 0.5 ? LM : TRANSFORMER;
  default:
    return RESNET50;
  }
}

static enum hsim_status hadar(const struct workload_spec *spec, const struct rates *rates,
                              int reference, struct workload *workload, struct hsim_error *error) {
  static const double least[N_CLASSES] = {0, 1, 10, 60}, most[N_CLASSES] = {1, 10, 50, 100};
  int models[N_HADAR] = {0};
  enum hsim_status status = hadar_models(rates, models, error);
  if (status != HSIM_OK)
    return status;
  struct general g;
  begin(&g, spec, rates, reference);
  workload->durations_s = mem_alloc((size_t)spec->n_jobs, sizeof(double));
  for (int i = 0; i < spec->n_jobs; i++) {
    int workers = spec->gangs.at[gsl_ran_discrete(g.gangs_rng, g.gangs)].value;
    int class = (int)(N_CLASSES * gsl_rng_uniform(g.durations_rng));
    double hours = most[class] - (most[class] - least[class]) * gsl_rng_uniform(g.durations_rng);
    int model = models[hadar_model(class, workers, gsl_rng_uniform(g.models.rng))];
    workload_add(workload, arrivals_next(&g.arrivals), model, workers);
    workload->durations_s[i] = fmax(to_milliseconds(hours * 3600 / workers), 0.001);
  }
  end(&g);
  return HSIM_OK;
}

/* ---- the whole ---- */

static void take_names(const struct rates *rates, struct names *models) {
  for (int m = 0; m < rates->models.n; m++)
    names_add(models, rates->models.at[m], strlen(rates->models.at[m]));
}

/* What no reader would take. */
static enum hsim_status check_arrivals(const struct trace *trace, struct hsim_error *error) {
  const double latest_s = 1e12;
  if (trace->n_jobs == 0 || trace->jobs[trace->n_jobs - 1].arrival_s <= latest_s)
    return HSIM_OK;
  return hsim_fail(
      error, HSIM_BAD_USAGE,
      "the last job would arrive at %g s: expected fewer jobs or smaller gaps, so that "
      "it is at most %g",
      trace->jobs[trace->n_jobs - 1].arrival_s, latest_s);
}

enum hsim_status workload_make(const struct workload_spec *spec, const struct rates *rates,
                               int reference, struct workload *workload, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  *workload = (struct workload){.durations_s = NULL};
  if (spec->preset != PRESET_VODA && !(spec->preset == PRESET_THEMIS && spec->families))
    take_names(rates, &workload->models);
  switch (spec->preset) {
  case PRESET_NONE:
    status = by_distribution(spec, rates, reference, workload, error);
    break;
  case PRESET_HADAR:
    status = hadar(spec, rates, reference, workload, error);
    break;
  case PRESET_THEMIS:
    status = workload_themis(spec, rates, reference, workload, error);
    break;
  case PRESET_VODA:
    workload_voda(spec, workload);
    break;
  case PRESET_GAVEL:
  case PRESET_GAVEL_CONTINUOUS:
    status = workload_gavel(spec, rates, reference, workload, error);
    break;
  }
  if (status == HSIM_OK)
    status = check_arrivals(&workload->trace, error);
  if (status != HSIM_OK)
    workload_free(workload);
  return status;
}

void workload_free(struct workload *workload) {
  trace_free(&workload->trace);
  free(workload->durations_s);
  names_free(&workload->models);
  *workload = (struct workload){0};
}
