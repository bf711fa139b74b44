/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/model_draws.h"

#include <stdlib.h>

#include "model/memory.h"

static void add(struct mix *mix, int value, double weight) {
  mix->at = mem_grow(mix->at, mix->n + 1, &mix->capacity, sizeof *mix->at);
  mix->at[mix->n++] = (struct weighted){value, weight};
}

void model_draws_begin(struct model_draws *draws, const struct workload_spec *spec,
                       const struct rates *rates, int reference) {
  *draws = (struct model_draws){
      .rates = rates, .reference = reference, .rng = draws_stream(spec->seed, "generate.models")};
  for (size_t i = 0; i < spec->models.n; i++)
    add(&draws->models, spec->models.at[i].value, spec->models.at[i].weight);
  for (int m = 0; m < rates->models.n && spec->models.n == 0; m++)
    add(&draws->models, m, 1);
}

static void forget(struct model_draws *draws, int slot) {
  free(draws->sizes[slot].models.at);
  if (draws->sizes[slot].prepared != NULL)
    gsl_ran_discrete_free(draws->sizes[slot].prepared);
  draws->sizes[slot].workers = 0;
  draws->sizes[slot].models = (struct mix){0};
  draws->sizes[slot].prepared = NULL;
}

static void prepare(struct model_draws *draws, int slot, int workers) {
  struct mix *runs = &draws->sizes[slot].models;
  forget(draws, slot);
  draws->sizes[slot].workers = workers;
  for (size_t i = 0; i < draws->models.n; i++) {
    const struct weighted *model = &draws->models.at[i];
    if (rates_thr(draws->rates, MISSING_INTERPOLATE, model->value, draws->reference, workers,
                  NULL) > 0)
      add(runs, model->value, model->weight);
  }
  if (runs->n > 0)
    draws->sizes[slot].prepared = draws_prepare(runs);
}

enum hsim_status model_draws_next(struct model_draws *draws, int workers, int *model,
                                  struct hsim_error *error) {
  int slot = workers % REMEMBERED_SIZES;
  if (draws->sizes[slot].workers != workers)
    prepare(draws, slot, workers);
  if (draws->sizes[slot].prepared == NULL)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "none of the models can run with %d workers on %s, the reference GPU type",
                     workers, draws->rates->types.at[draws->reference]);
  size_t i = gsl_ran_discrete(draws->rng, draws->sizes[slot].prepared);
  *model = draws->sizes[slot].models.at[i].value;
  return HSIM_OK;
}

void model_draws_end(struct model_draws *draws) {
  for (int i = 0; i < REMEMBERED_SIZES; i++)
    forget(draws, i);
  free(draws->models.at);
  gsl_rng_free(draws->rng);
}
