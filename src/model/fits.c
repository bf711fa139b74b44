/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/fits.h"

#include <stdio.h>

/* GPUs of the types on which a gang of `workers` has a rate: of all of them, of the largest. */
static void usable(const struct hsim_oracle *oracle, const struct hsim_job *job, int model,
                   int workers, int *together, int *largest) {
  const struct hsim_cluster *cluster = oracle->cluster;
  *together = *largest = 0;
  for (int t = 0; t < cluster->n_types; t++) {
    if ((job->gpu_types >> t & 1) == 0)
      continue;
    enum hsim_span span = hsim_closest_span(oracle, t, workers);
    if (oracle_rate_on(oracle, model, t, workers, span) <= 0)
      continue;
    *together += cluster->type_gpus[t];
    if (cluster->type_gpus[t] > *largest)
      *largest = cluster->type_gpus[t];
  }
}

static bool model_fits(const struct hsim_oracle *oracle, const struct hsim_job *job, int model,
                       int workers, bool mixed) {
  int together, largest;
  usable(oracle, job, model, workers, &together, &largest);
  return workers <= (mixed ? together : largest);
}

/* The first model among the job's phases that cannot run, -1 when all can. */
static int misfit(const struct hsim_oracle *oracle, const struct hsim_job *job, int workers,
                  bool mixed) {
  if (!model_fits(oracle, job, job->model, workers, mixed))
    return job->model;
  for (int p = 0; p < job->n_phases; p++)
    if (job->phases[p].from_step < job->steps &&
        !model_fits(oracle, job, job->phases[p].model, workers, mixed))
      return job->phases[p].model;
  return -1;
}

bool fits(const struct hsim_oracle *oracle, const struct hsim_job *job, int workers, bool mixed) {
  return misfit(oracle, job, workers, mixed) < 0;
}

const char *fits_why_not(const struct hsim_oracle *oracle, const struct hsim_job *job, int workers,
                         bool mixed, char text[256]) {
  int together, largest, model = misfit(oracle, job, workers, mixed);
  usable(oracle, job, model, workers, &together, &largest);
  if (together == 0)
    snprintf(text, 256, "no GPU type of the cluster that it accepts runs %.120s with %d workers",
             oracle->rates->models.at[model], workers);
  else if (mixed)
    snprintf(text, 256, "needs %d GPUs, the cluster has %d that it can use", workers, together);
  else
    snprintf(text, 256, "needs %d GPUs of one type, the cluster has at most %d that it can use",
             workers, largest);
  return text;
}
