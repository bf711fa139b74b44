/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two generators of Gavel (Narayanan et al., OSDI'20), each draw as its program makes it: the
 * script generate_trace.py, and the simulator's own when it has no trace. Random numbers are those
 * of CPython's random.Random; log and pow are the C library's, as in CPython.
 */
#include <math.h>
#include <string.h>

#include "model/mt19937.h"
#include "workload/workload.h"

/* Gavel's job table. Its order decides what a draw means; the first 19 may have several GPUs. */
static const char *const templates[] = {"ResNet-18 (batch size 16)",
                                        "ResNet-18 (batch size 32)",
                                        "ResNet-18 (batch size 64)",
                                        "ResNet-18 (batch size 128)",
                                        "ResNet-18 (batch size 256)",
                                        "ResNet-50 (batch size 16)",
                                        "ResNet-50 (batch size 32)",
                                        "ResNet-50 (batch size 64)",
                                        "ResNet-50 (batch size 128)",
                                        "Transformer (batch size 16)",
                                        "Transformer (batch size 32)",
                                        "Transformer (batch size 64)",
                                        "Transformer (batch size 128)",
                                        "Transformer (batch size 256)",
                                        "LM (batch size 5)",
                                        "LM (batch size 10)",
                                        "LM (batch size 20)",
                                        "LM (batch size 40)",
                                        "LM (batch size 80)",
                                        "Recommendation (batch size 512)",
                                        "Recommendation (batch size 1024)",
                                        "Recommendation (batch size 2048)",
                                        "Recommendation (batch size 4096)",
                                        "Recommendation (batch size 8192)",
                                        "A3C",
                                        "CycleGAN"};
enum { N_TEMPLATES = sizeof templates / sizeof templates[0], N_DISTRIBUTED = 19 };

struct gavel {
  const struct workload_spec *spec;
  const struct rates *rates;
  int reference;
  int models[N_TEMPLATES];
  struct mt19937 job, arrival, duration, scale, slo;
  double now;
};

static enum hsim_status find_models(struct gavel *g, struct hsim_error *error) {
  for (int i = 0; i < N_TEMPLATES; i++) {
    g->models[i] = names_find(&g->rates->models, templates[i], strlen(templates[i]));
    if (g->models[i] < 0)
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "Gavel's job table has %s, which the rates table lacks", templates[i]);
  }
  return HSIM_OK;
}

static enum hsim_status rate_of(const struct gavel *g, int template, int workers, double *rate,
                                struct hsim_error *error) {
  *rate = rates_thr(g->rates, MISSING_REJECT, g->models[template], g->reference, workers, NULL);
  if (*rate > 0)
    return HSIM_OK;
  return hsim_fail(error, HSIM_BAD_USAGE, "the rates table has no rate of %s with %d workers on %s",
                   templates[template], workers, g->rates->types.at[g->reference]);
}

/* The first job arrives at 0; `lam` 0 leaves all there. */
static void next_arrival(struct gavel *g, int job) {
  if (job > 0 && g->spec->lam_s > 0)
    g->now += -log(1.0 - mt19937_random(&g->arrival)) * g->spec->lam_s;
}

/* ---- generate_trace.py ---- */

static int script_scale(struct gavel *g, int template) {
  if (!g->spec->multi_gpu || template >= N_DISTRIBUTED)
    return 1;
  double r = mt19937_uniform(&g->scale, 0, 1);
  return r < 0.7 ? 1 : r <= 0.8 ? 2 : 4;
}

/* Evenly spaced durations, the last one exact, as numpy.linspace makes them. */
static double script_hours(struct gavel *g) {
  int n = g->spec->n_durations;
  int i = (int)mt19937_below(&g->duration, (uint32_t)n);
  double least = g->spec->min_h, most = g->spec->max_h;
  if (i == n - 1 && n > 1)
    return most;
  double step = n > 1 ? (most - least) / (n - 1) : 0;
  return i * step + least;
}

static enum hsim_status script_job(struct gavel *g, int i, struct workload *workload,
                                   struct hsim_error *error) {
  int template = (int)mt19937_below(&g->job, N_TEMPLATES);
  int workers = script_scale(g, template);
  double rate, seconds = script_hours(g) * 3600;
  enum hsim_status status = rate_of(g, template, workers, &rate, error);
  if (status != HSIM_OK)
    return status;
  next_arrival(g, i);
  /* The script writes whole seconds, but adds the gaps up as they are. */
  workload_add(workload, trunc(g->now), g->models[template], workers)->steps =
      fmax(trunc(rate * seconds), 1);
  return HSIM_OK;
}

/* ---- the simulator without a trace ---- */

static int simulator_scale(struct gavel *g) {
  double r = mt19937_uniform(&g->job, 0, 1);
  return r < 0.7 ? 1 : r <= 0.8 ? 2 : r <= 0.95 ? 4 : 8;
}

static double simulator_duration(struct gavel *g) {
  if (g->spec->fixed_s > 0)
    return g->spec->fixed_s;
  bool is_long = mt19937_random(&g->job) >= 0.8;
  double exponent = is_long ? mt19937_uniform(&g->job, 3, 4) : mt19937_uniform(&g->job, 1.5, 3);
  return 60 * pow(10, exponent);
}

static double simulator_slo(struct gavel *g) {
  double r = mt19937_uniform(&g->slo, 0, 1);
  return r < 0.33 ? 1.2 : r < 0.67 ? 2 : 10;
}

static enum hsim_status simulator_job(struct gavel *g, int i, struct workload *workload,
                                      struct hsim_error *error) {
  int drawn = simulator_scale(g); /* also for single GPUs: the draw counts */
  int workers = g->spec->multi_gpu ? drawn : 1;
  double rate, seconds = simulator_duration(g);
  int template;
  do
    template = (int)mt19937_below(&g->job, N_TEMPLATES);
  while (workers > 1 && template >= N_DISTRIBUTED);
  enum hsim_status status = rate_of(g, template, workers, &rate, error);
  if (status != HSIM_OK)
    return status;
  next_arrival(g, i);
  struct hsim_job *job = workload_add(workload, g->now, g->models[template], workers);
  job->steps = seconds * rate;
  if (g->spec->multi_priority && mt19937_uniform(&g->job, 0, 1) <= 0.2)
    job->weight = 5;
  if (g->spec->slo)
    job->deadline_s = g->now + simulator_slo(g) * seconds;
  return HSIM_OK;
}

/* ---- both ---- */

static void seed_all(struct gavel *g) {
  uint64_t seed = g->spec->seed;
  bool script = g->spec->preset == PRESET_GAVEL;
  mt19937_seed(&g->job, script ? seed : seed + 2);
  mt19937_seed(&g->arrival, script ? seed + 1 : seed + 3);
  mt19937_seed(&g->duration, seed + 2); /* these two of the script only */
  mt19937_seed(&g->scale, seed + 3);
  mt19937_seed(&g->slo, seed + 6);
}

enum hsim_status workload_gavel(const struct workload_spec *spec, const struct rates *rates,
                                int reference, struct workload *workload,
                                struct hsim_error *error) {
  struct gavel g = {.spec = spec, .rates = rates, .reference = reference};
  enum hsim_status status = find_models(&g, error);
  seed_all(&g);
  for (int i = 0; i < spec->n_jobs && status == HSIM_OK; i++)
    status = spec->preset == PRESET_GAVEL ? script_job(&g, i, workload, error)
                                          : simulator_job(&g, i, workload, error);
  return status;
}
