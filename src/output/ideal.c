/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/ideal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

struct ideal_entry {
  uint64_t types;
  int model, workers;
  int slot;    /* row of `thr`, -1: empty */
  double best; /* steps per second, 0: cannot run */
};

void ideal_init(struct ideal *ideal, const struct hsim_oracle *oracle) {
  *ideal = (struct ideal){.oracle = oracle};
}

void ideal_free(struct ideal *ideal) {
  free(ideal->entries);
  free(ideal->thr);
  *ideal = (struct ideal){.oracle = ideal->oracle};
}

static struct ideal_entry *probe(struct ideal_entry *entries, size_t size, int model, int workers,
                                 uint64_t types) {
  uint64_t hash =
      ((uint64_t)(unsigned)model << 32 | (unsigned)workers) ^ types * 0x9e3779b97f4a7c15;
  hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
  for (size_t i = (size_t)(hash >> 32) & (size - 1);; i = (i + 1) & (size - 1)) {
    struct ideal_entry *entry = &entries[i];
    if (entry->slot < 0)
      return entry;
    if (entry->model == model && entry->workers == workers && entry->types == types)
      return entry;
  }
}

static void grow(struct ideal *ideal) {
  size_t size = ideal->size == 0 ? 64 : 2 * ideal->size;
  struct ideal_entry *entries = mem_alloc(size, sizeof *entries);
  for (size_t i = 0; i < size; i++)
    entries[i].slot = -1;
  for (size_t i = 0; i < ideal->size; i++) {
    const struct ideal_entry *old = &ideal->entries[i];
    if (old->slot >= 0)
      *probe(entries, size, old->model, old->workers, old->types) = *old;
  }
  free(ideal->entries);
  ideal->entries = entries;
  ideal->size = size;
  ideal->thr = mem_resize(ideal->thr, size / 2 * (size_t)ideal->oracle->cluster->n_types,
                          sizeof *ideal->thr);
}

static const struct ideal_entry *look_up(struct ideal *ideal, int model, int workers,
                                         uint64_t types) {
  if (2 * ideal->used >= ideal->size)
    grow(ideal);
  struct ideal_entry *entry = probe(ideal->entries, ideal->size, model, workers, types);
  if (entry->slot >= 0)
    return entry;
  const struct hsim_oracle *oracle = ideal->oracle;
  *entry = (struct ideal_entry){.types = types,
                                .model = model,
                                .workers = workers,
                                .slot = (int)ideal->used,
                                .best = oracle_best_rate(oracle, model, types, workers, NULL)};
  double *thr = ideal->thr + ideal->used * (size_t)oracle->cluster->n_types;
  for (int t = 0; t < oracle->cluster->n_types; t++) {
    bool allowed = (types >> t & 1) != 0;
    double rate = allowed ? oracle_thr(oracle, model, t, workers, NULL) : 0.0;
    thr[t] = isnan(rate) ? 0.0 : rate;
  }
  ideal->used++;
  return entry;
}

/* Steps of the job in phase i, phase 0 being its own model. */
static double phase_steps(const struct hsim_job *job, int i) {
  double begin = i == 0 ? 0.0 : fmin(job->phases[i - 1].from_step, job->steps);
  double end = i == job->n_phases ? job->steps : fmin(job->phases[i].from_step, job->steps);
  return end - begin;
}

static int phase_model(const struct hsim_job *job, int i) {
  return i == 0 ? job->model : job->phases[i - 1].model;
}

static double seconds_on(struct ideal *ideal, const struct hsim_job *job, uint64_t types) {
  double seconds = 0.0;
  for (int i = 0; i <= job->n_phases; i++) {
    double steps = phase_steps(job, i);
    if (steps <= 0.0)
      continue;
    double rate = look_up(ideal, phase_model(job, i), job->workers, types)->best;
    seconds += rate > 0.0 ? steps / rate : INFINITY;
  }
  return seconds;
}

double ideal_s(struct ideal *ideal, const struct hsim_job *job) {
  double best = INFINITY;
  if (job->n_phases == 0) {
    best = seconds_on(ideal, job, job->gpu_types);
  } else {
    for (int t = 0; t < ideal->oracle->cluster->n_types; t++) {
      uint64_t type = (uint64_t)1 << t;
      if ((job->gpu_types & type) != 0)
        best = fmin(best, seconds_on(ideal, job, type));
    }
  }
  return isinf(best) ? NAN : best;
}

/* sum_g thr_g x_g */
static double share_rate(struct ideal *ideal, int model, const struct hsim_job *job, double n,
                         bool capped) {
  const struct ideal_entry *entry = look_up(ideal, model, job->workers, job->gpu_types);
  const struct hsim_cluster *cluster = ideal->oracle->cluster;
  const double *thr = ideal->thr + (size_t)entry->slot * (size_t)cluster->n_types;
  double rate = 0.0, time = 0.0;
  for (int t = 0; t < cluster->n_types; t++) {
    double x = cluster->type_gpus[t] / n / job->workers;
    rate += thr[t] * x;
    time += x;
  }
  return capped && time > 1.0 ? rate / time : rate;
}

double ideal_share_s(struct ideal *ideal, const struct hsim_job *job, double n, bool capped) {
  double seconds = 0.0;
  for (int i = 0; i <= job->n_phases; i++) {
    double steps = phase_steps(job, i);
    if (steps <= 0.0)
      continue;
    double rate = share_rate(ideal, phase_model(job, i), job, n, capped);
    seconds += rate > 0.0 ? steps / rate : INFINITY;
  }
  return seconds;
}
