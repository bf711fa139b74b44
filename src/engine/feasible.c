/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "engine/core.h"

static bool allowed(const struct hsim_active *active, int type) {
  return (active->job->gpu_types >> type & 1) != 0;
}

/* GPUs of the types on which a gang of `workers` has a rate: of all of them, of the largest. */
static void usable(const struct hsim_core *core, const struct hsim_active *active, int model,
                   int workers, int *together, int *largest) {
  const struct hsim_cluster *cluster = core->config->cluster;
  *together = *largest = 0;
  for (int t = 0; t < cluster->n_types; t++) {
    if (!allowed(active, t))
      continue;
    enum hsim_span span = hsim_closest_span(&core->oracle, t, workers);
    if (oracle_rate_on(&core->oracle, model, t, workers, span) <= 0)
      continue;
    *together += cluster->type_gpus[t];
    if (cluster->type_gpus[t] > *largest)
      *largest = cluster->type_gpus[t];
  }
}

static bool model_fits(const struct hsim_core *core, const struct hsim_active *active, int model,
                       int workers) {
  int together, largest;
  usable(core, active, model, workers, &together, &largest);
  return workers <= (core->policy->mixes_types ? together : largest);
}

/* The first model among the job's phases that cannot run, -1 when all can. */
static int misfit(const struct hsim_core *core, const struct hsim_active *active, int workers) {
  const struct hsim_job *job = active->job;
  if (!model_fits(core, active, job->model, workers))
    return job->model;
  for (int p = 0; p < job->n_phases; p++)
    if (job->phases[p].from_step < job->steps &&
        !model_fits(core, active, job->phases[p].model, workers))
      return job->phases[p].model;
  return -1;
}

static bool fits(const struct hsim_core *core, const struct hsim_active *active, int workers) {
  return misfit(core, active, workers) < 0;
}

const char *why_never(const struct hsim_core *core, const struct hsim_active *active,
                      char text[256]) {
  const struct hsim_job *job = active->job;
  int workers = job->workers;
  if (fits(core, active, workers))
    return NULL;
  if (core->policy->forks && fits(core, active, 1))
    return NULL;
  if (core->policy->elastic) {
    int most = job->max_workers < core->config->cluster->n_gpus ? job->max_workers
                                                                : core->config->cluster->n_gpus;
    for (int k = job->min_workers; k <= most; k++)
      if (fits(core, active, k))
        return NULL;
    workers = job->min_workers;
  }
  int together, largest, model = misfit(core, active, workers);
  usable(core, active, model, workers, &together, &largest);
  if (together == 0)
    snprintf(text, 256, "no GPU type of the cluster that it accepts runs %.120s with %d workers",
             core->config->rates->models.at[model], workers);
  else if (core->policy->mixes_types)
    snprintf(text, 256, "needs %d GPUs, the cluster has %d that it can use", workers, together);
  else
    snprintf(text, 256, "needs %d GPUs of one type, the cluster has at most %d that it can use",
             workers, largest);
  return text;
}

/* What can be told without knowing the policy: whether GPUs for the gang are free at all. */
enum hsim_reason default_reason(const struct hsim_core *core, const struct job *job) {
  const struct hsim_cluster *cluster = core->config->cluster;
  int workers = core->policy->elastic ? job->pub.job->min_workers : job->pub.job->workers;
  int free = 0, free_usable = 0, most = 0;
  for (int t = 0; t < cluster->n_types; t++) {
    int here = core->gpus.types[t].free;
    free += here;
    if (!here || !allowed(&job->pub, t))
      continue;
    bool runs = oracle_thr(&core->oracle, job->pub.model, t, workers, NULL) > 0;
    if (!runs)
      continue;
    free_usable += here;
    if (here > most)
      most = here;
  }
  if (free < workers)
    return HSIM_NO_CAPACITY;
  if (free_usable < workers)
    return HSIM_WRONG_TYPE;
  if (!core->policy->mixes_types && most < workers)
    return HSIM_FRAGMENTED;
  return HSIM_OUTRANKED;
}
