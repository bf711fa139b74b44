/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/trace_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsim/view.h"
#include "input/row.h"
#include "model/memory.h"
#include "model/names.h"
#include "model/number.h"
#include "model/work.h"

/* ---- models ---- */

enum { REMEMBERED_SIZES = 64 };

/* The models that can run at one gang size. */
struct runnable {
  int workers; /* 0: nothing remembered */
  int n;
  int *models;
};

enum { RESNET18, CYCLEGAN, LM, TRANSFORMER, RESNET50, N_HADAR };
static const char *const hadar_models[N_HADAR] = {
    "ResNet-18 (batch size 128)", "CycleGAN", "LM (batch size 20)", "Transformer (batch size 64)",
    "ResNet-50 (batch size 64)"};

struct assigner {
  const struct hsim_oracle *oracle;
  int hadar[N_HADAR]; /* model numbers, -1: the rates table lacks it */
  struct runnable sizes[REMEMBERED_SIZES];
};

static bool runs_somewhere(const struct hsim_oracle *oracle, int model, int workers) {
  for (int type = 0; model >= 0 && type < oracle->cluster->n_types; type++)
    if (oracle_thr(oracle, model, type, workers, NULL) > 0)
      return true;
  return false;
}

static const struct runnable *runnable_at(struct assigner *a, int workers) {
  struct runnable *r = &a->sizes[workers % REMEMBERED_SIZES];
  int n_models = a->oracle->rates->models.n;
  if (r->workers == workers)
    return r;
  if (r->models == NULL)
    r->models = mem_alloc((size_t)n_models, sizeof *r->models);
  r->workers = workers;
  r->n = 0;
  for (int m = 0; m < n_models; m++)
    if (runs_somewhere(a->oracle, m, workers))
      r->models[r->n++] = m;
  return r;
}

/* `u` in [0, 1). */
static int uniform_model(struct assigner *a, const struct hsim_job *job, double u) {
  const struct runnable *r = runnable_at(a, job->workers);
  if (r->n == 0)
    return (int)(u * a->oracle->rates->models.n);
  return r->models[(int)(u * r->n)];
}

static int hadar_choice(const struct hsim_job *job, double u) {
  double gpu_hours = job->workers * -job->steps / 3600; /* steps hold the negative duration */
  if (gpu_hours <= 1)
    return RESNET18;
  if (gpu_hours <= 10)
    return job->workers == 1 ? CYCLEGAN : RESNET18;
  if (gpu_hours <= 60)
    return u < 0.5 ? LM : TRANSFORMER;
  return RESNET50;
}

static int hadar_model(struct assigner *a, const struct hsim_job *job, double u) {
  int model = a->hadar[hadar_choice(job, u)];
  const struct runnable *r = runnable_at(a, job->workers);
  for (int i = 0; i < r->n; i++)
    if (r->models[i] == model)
      return model;
  /* The coin has used up the half in which u lies; stretch it over [0, 1) again. */
  if (r->n > 0 || model < 0)
    return uniform_model(a, job, u < 0.5 ? 2 * u : 2 * u - 1);
  return model;
}

void work_assign(struct trace *trace, const struct hsim_oracle *oracle, enum assign_rule rule,
                 uint64_t seed) {
  struct assigner a = {.oracle = oracle};
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, "assign");
  for (int i = 0; i < N_HADAR; i++)
    a.hadar[i] = names_find(&oracle->rates->models, hadar_models[i], strlen(hadar_models[i]));
  for (int i = 0; i < trace->n_jobs; i++) {
    double u = hsim_rng_uniform(&rng);
    struct hsim_job *job = &trace->jobs[i];
    job->model = rule == ASSIGN_HADAR ? hadar_model(&a, job, u) : uniform_model(&a, job, u);
  }
  trace->assigned = rule == ASSIGN_HADAR ? "hadar" : "uniform";
  for (int i = 0; i < REMEMBERED_SIZES; i++)
    free(a.sizes[i].models);
}

/* ---- steps ---- */

enum { REMEMBERED_RATES = 512 };

/* Whether some type of the cluster has a derived rate for (model, workers). */
struct derived {
  int model, workers; /* workers 0: nothing remembered */
  bool is;
};

struct converter {
  const struct hsim_oracle *oracle;
  int reference; /* the rates table's number: what a duration means does not depend on the cluster
                  */
  struct derived derived[REMEMBERED_RATES];
};

#define DEFAULT_REFERENCE "v100"

/* `name` NULL: the default. */
static enum hsim_status find_reference(const struct hsim_oracle *oracle, const char *name,
                                       int *type, struct hsim_error *error) {
  const struct names *types = &oracle->rates->types;
  char shown[QUOTE_SIZE], hint[HINT_SIZE];
  const char *wanted = name == NULL ? DEFAULT_REFERENCE : name;
  *type = names_find(types, wanted, strlen(wanted));
  if (*type >= 0)
    return HSIM_OK;
  if (name == NULL)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "durations need a reference GPU type of the rates table, such as %.60s: the "
                     "default, " DEFAULT_REFERENCE ", is none of them",
                     types->at[0]);
  return hsim_fail(error, HSIM_BAD_USAGE,
                   "reference GPU type %s: expected a type of the rates table%s",
                   quoted(shown, name, strlen(name)),
                   hint_near(hint, (const char *const *)types->at, (size_t)types->n, name));
}

/* Steps that the job does in `seconds` on a type of the rates table; 0 when it cannot run there all
 * the time. */
static double steps_in(const struct converter *c, int type, const struct hsim_job *job,
                       double seconds, bool *derived) {
  double steps = 0;
  int model = job->model;
  for (int p = 0;; p++) {
    bool is_derived = false;
    double rate = rates_thr(c->oracle->rates, c->oracle->rules.missing_size, model, type,
                            job->workers, &is_derived);
    if (!(rate > 0))
      return 0;
    *derived = *derived || is_derived;
    double end = steps + seconds * rate;
    if (p == job->n_phases || end <= job->phases[p].from_step)
      return end;
    seconds -= (job->phases[p].from_step - steps) / rate;
    steps = job->phases[p].from_step;
    model = job->phases[p].model;
  }
}

/* The steps of a duration; *other: not on the reference type. */
static double convert(const struct converter *c, const struct hsim_job *job, double seconds,
                      bool *derived, bool *other) {
  double steps = steps_in(c, c->reference, job, seconds, derived);
  if (steps > 0)
    return steps;
  *derived = false;
  for (int t = 0; t < c->oracle->rates->types.n; t++) {
    bool is_derived = false;
    double here = steps_in(c, t, job, seconds, &is_derived);
    if (here > steps) {
      steps = here;
      *derived = is_derived;
    }
  }
  *other = steps > 0;
  return steps > 0 ? steps : seconds;
}

/* GPU-seconds of the job on the reference type, else on its fastest; 0 when it runs nowhere. */
static double gpu_seconds(const struct converter *c, const struct hsim_job *job) {
  const struct rates *rates = c->oracle->rates;
  enum missing_size missing_size = c->oracle->rules.missing_size;
  double seconds = work_seconds(rates, missing_size, job, c->reference);
  if (isinf(seconds))
    for (int type = 0; type < rates->types.n; type++)
      seconds = fmin(seconds, work_seconds(rates, missing_size, job, type));
  return isinf(seconds) ? 0 : seconds * job->workers;
}

static bool derived_in_cluster(struct converter *c, const struct hsim_job *job) {
  struct derived *d =
      &c->derived[((unsigned)job->model * 31u + (unsigned)job->workers) % REMEMBERED_RATES];
  if (d->workers == job->workers && d->model == job->model)
    return d->is;
  *d = (struct derived){.model = job->model, .workers = job->workers};
  for (int type = 0; type < c->oracle->cluster->n_types; type++) {
    bool is_derived = false;
    oracle_thr(c->oracle, job->model, type, job->workers, &is_derived);
    d->is = d->is || is_derived;
  }
  return d->is;
}

static enum hsim_status convert_job(struct converter *c, struct trace *trace, struct hsim_job *job,
                                    struct hsim_error *error) {
  bool derived = false, other = false;
  if (job->steps < 0) {
    double seconds = -job->steps;
    trace->gpu_s += seconds * job->workers;
    job->steps = convert(c, job, seconds, &derived, &other);
    if (!isfinite(job->steps)) {
      char text[NUMBER_SIZE];
      number_print(seconds, text);
      return hsim_fail(error, HSIM_BAD_INPUT,
                       "%s:%d: the duration of %s seconds: expected one "
                       "whose steps a double can count",
                       trace->file, job->line, text);
    }
  } else {
    trace->gpu_s += gpu_seconds(c, job);
  }
  trace->other_reference += other;
  trace->derived_rates += derived || derived_in_cluster(c, job);
  return HSIM_OK;
}

enum hsim_status work_convert(struct trace *trace, const struct hsim_oracle *oracle,
                              const char *reference, struct hsim_error *error) {
  struct converter c = {.oracle = oracle, .reference = -1};
  enum hsim_status status = HSIM_OK;
  bool needed = reference != NULL;
  for (int i = 0; i < trace->n_jobs && !needed; i++)
    needed = trace->jobs[i].steps < 0;
  if (needed)
    status = find_reference(oracle, reference, &c.reference, error);
  else
    c.reference = names_find(&oracle->rates->types, DEFAULT_REFERENCE, strlen(DEFAULT_REFERENCE));
  if (status != HSIM_OK)
    return status;
  for (int i = 0; i < trace->n_jobs && status == HSIM_OK; i++)
    status = convert_job(&c, trace, &trace->jobs[i], error);
  return status;
}
