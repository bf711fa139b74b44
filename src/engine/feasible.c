/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/core.h"
#include "model/fits.h"

static bool allowed(const struct hsim_active *active, int type) {
  return (active->job->gpu_types >> type & 1) != 0;
}

const char *why_never(const struct hsim_core *core, const struct hsim_active *active,
                      char text[256]) {
  const struct hsim_job *job = active->job;
  bool mixed = core->policy->mixes_types;
  int workers = job->workers;
  if (fits(&core->oracle, job, workers, mixed))
    return NULL;
  if (core->policy->forks && fits(&core->oracle, job, 1, mixed))
    return NULL;
  if (core->policy->elastic) {
    int most = job->max_workers < core->config->cluster->n_gpus ? job->max_workers
                                                                : core->config->cluster->n_gpus;
    for (int k = job->min_workers; k <= most; k++)
      if (fits(&core->oracle, job, k, mixed))
        return NULL;
    workers = job->min_workers;
  }
  return fits_why_not(&core->oracle, job, workers, mixed, text);
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
