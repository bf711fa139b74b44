/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload like that of Themis (Mahajan et al., NSDI'20): apps of hyper-parameter exploration,
 * each of many jobs that arrive together. Jobs per app and hours per job follow the quantiles of
 * the trace of the paper's public reimplementation (84 apps, 4697 jobs, 63 days, 99.5 % of the jobs
 * on one GPU), independent of each other, with straight lines between the quantiles.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "workload/draws.h"
#include "workload/model_draws.h"
#include "workload/workload.h"

struct knot {
  double quantile, value;
};
static const struct knot jobs_per_app[] = {{0, 1},    {0.06, 1},  {0.1, 4},  {0.25, 20},
                                           {0.5, 79}, {0.75, 87}, {0.9, 98}, {1, 100}};
/* The shortest job is not known: 6 minutes. */
static const struct knot job_hours[] = {{0, 0.1},    {0.1, 1.3}, {0.25, 2.3}, {0.5, 3.75},
                                        {0.75, 5.6}, {0.9, 7.6}, {1, 26.5}};

/* The families of the reimplementation's table of models. */
static const char *const families[] = {"VGG19",       "VGG16",      "VGG11",      "AlexNet",
                                       "ResNet-50",   "ResNet-101", "ResNet-152", "Inception-3",
                                       "Inception-4", "GoogLeNet"};
enum { N_FAMILIES = sizeof families / sizeof families[0] };

static double at_quantile(const struct knot *knots, double u) {
  while (knots[1].quantile < u)
    knots++;
  double share = (u - knots[0].quantile) / (knots[1].quantile - knots[0].quantile);
  return knots[0].value + share * (knots[1].value - knots[0].value);
}

struct themis {
  const struct workload_spec *spec;
  gsl_rng *apps_rng, *durations_rng, *gangs_rng;
  gsl_ran_discrete_t *gangs;
  struct model_draws models;
  size_t durations_capacity;
};

static int largest_gang(const struct mix *gangs) {
  int largest = 1;
  for (size_t i = 0; i < gangs->n; i++)
    largest = gangs->at[i].value > largest ? gangs->at[i].value : largest;
  return largest;
}

/* All jobs of an app have one model, which runs at every size. */
static enum hsim_status app_model(struct themis *t, int *model, struct hsim_error *error) {
  *model = -1;
  if (t->spec->families)
    *model = (int)(N_FAMILIES * gsl_rng_uniform(t->models.rng));
  else if (t->spec->with_models)
    return model_draws_next(&t->models, largest_gang(&t->spec->gangs), model, error);
  return HSIM_OK;
}

static void add_app(struct themis *t, int number, double arrival, int model,
                    struct workload *workload) {
  char name[32];
  int length = snprintf(name, sizeof name, "app-%d", number);
  int app = names_add(&workload->trace.apps, name, (size_t)length);
  int n = (int)round(at_quantile(jobs_per_app, gsl_rng_uniform(t->apps_rng)));
  for (int i = 0; i < n && workload->trace.n_jobs < t->spec->n_jobs; i++) {
    int workers = t->spec->gangs.at[gsl_ran_discrete(t->gangs_rng, t->gangs)].value;
    double hours = at_quantile(job_hours, gsl_rng_uniform(t->durations_rng));
    workload_add(workload, arrival, model, workers)->app = app;
    size_t n_jobs = (size_t)workload->trace.n_jobs;
    workload->durations_s =
        mem_grow(workload->durations_s, n_jobs, &t->durations_capacity, sizeof(double));
    workload->durations_s[n_jobs - 1] = to_milliseconds(hours * 3600);
  }
}

enum hsim_status workload_themis(const struct workload_spec *spec, const struct rates *rates,
                                 int reference, struct workload *workload,
                                 struct hsim_error *error) {
  struct themis t = {.spec = spec,
                     .apps_rng = draws_stream(spec->seed, "generate.apps"),
                     .durations_rng = draws_stream(spec->seed, "generate.durations"),
                     .gangs_rng = draws_stream(spec->seed, "generate.gangs"),
                     .gangs = draws_prepare(&spec->gangs)};
  struct arrival_process arrivals = arrivals_begin(&spec->arrivals, spec->seed);
  enum hsim_status status = HSIM_OK;
  model_draws_begin(&t.models, spec, rates, reference);
  for (int i = 0; i < N_FAMILIES && spec->families; i++)
    names_add(&workload->models, families[i], strlen(families[i]));
  for (int a = 0; a < spec->n_apps && status == HSIM_OK; a++) {
    int model;
    double arrival = arrivals_next(&arrivals);
    status = app_model(&t, &model, error);
    if (status == HSIM_OK && workload->trace.n_jobs < spec->n_jobs)
      add_app(&t, a, arrival, model, workload);
  }
  model_draws_end(&t.models);
  arrivals_end(&arrivals);
  gsl_ran_discrete_free(t.gangs);
  gsl_rng_free(t.apps_rng);
  gsl_rng_free(t.durations_rng);
  gsl_rng_free(t.gangs_rng);
  return status;
}
