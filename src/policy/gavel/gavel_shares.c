/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the jobs of the moment to shares: rates, the objective's problem, reallocation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "policy/gavel/gavel.h"

void gavel_rates(const struct gavel *gavel, const struct hsim_view *view,
                 const struct hsim_active *active, double rates[HSIM_MAX_TYPES]) {
  int workers = active->job->workers;
  for (int g = 0; g < view->cluster->n_types; g++) {
    enum hsim_span span =
        gavel->coded ? HSIM_SPAN_NODE : hsim_closest_span(view->oracle, g, workers);
    rates[g] = hsim_rate_on(view->oracle, active, g, workers, span);
  }
}

/* [n_types] of the slower member each, and whether they can share GPUs of some type. */
static bool pair_rates(const struct hsim_view *view, const struct hsim_active *a,
                       const struct hsim_active *b, double rates[HSIM_MAX_TYPES]) {
  bool any = false;
  for (int g = 0; g < view->cluster->n_types; g++) {
    double of_a, of_b;
    bool may = hsim_pair_rate(view->oracle, a, b, g, b->job->workers, &of_a, &of_b);
    rates[g] = may ? fmin(of_a, of_b) : 0.0;
    any = any || rates[g] > 0.0;
  }
  return any;
}

/* Pairs that can never run anywhere are left out: they would only be sorted and skipped. */
void gavel_admit(struct gavel *gavel, const struct hsim_view *view,
                 const struct hsim_active *active) {
  struct rounds *rounds = &gavel->rounds;
  double rates[HSIM_MAX_TYPES];
  gavel_rates(gavel, view, active, rates);
  rounds_admit(rounds, active->index, active->job->workers, rates);
  gavel->model[active->index] = active->model;
  if (!gavel->objective->pairs)
    return;
  bool changes = active->job->n_phases > 0;
  for (const struct hsim_active *other = view->first; other; other = other->next)
    if (other->index < active->index && rounds->alone_of[other->index] >= 0 &&
        other->job->workers == active->job->workers &&
        (pair_rates(view, other, active, rates) || changes || other->job->n_phases > 0))
      rounds_admit_pair(rounds, other->index, active->index, rates);
}

static void set_rates(struct rounds *rounds, int combination, const double *rates) {
  struct rounds_cell *cells = rounds_cells(rounds, combination);
  for (int g = 0; g < rounds->n_types; g++)
    cells[g].rate = rates[g];
}

void gavel_follow_phases(struct gavel *gavel, const struct hsim_view *view) {
  struct rounds *rounds = &gavel->rounds;
  bool any = false;
  double rates[HSIM_MAX_TYPES] = {0};
  for (const struct hsim_active *job = view->first; job; job = job->next) {
    if (gavel->model[job->index] == job->model)
      continue;
    gavel_rates(gavel, view, job, rates);
    set_rates(rounds, rounds->alone_of[job->index], rates);
    gavel->model[job->index] = job->model;
    gavel->need = any = true;
  }
  for (int c = 0; any && gavel->objective->pairs && c < rounds->n; c++) {
    if (rounds->at[c].b < 0)
      continue;
    pair_rates(view, hsim_active_job(view, rounds->at[c].a), hsim_active_job(view, rounds->at[c].b),
               rates);
    set_rates(rounds, c, rates);
  }
}

void problem_buffers_free(struct problem_buffers *buffers) {
  free(buffers->ids);
  free(buffers->workers);
  free(buffers->entities);
  free(buffers->weights);
  free(buffers->rates);
  free(buffers->remaining);
  free(buffers->age_s);
  free(buffers->deadline_s);
  free(buffers->position);
  free(buffers->pairs);
  free(buffers->pair_rates);
  free(buffers->shares);
  *buffers = (struct problem_buffers){0};
}

static void make_room(struct problem_buffers *buffers, const struct hsim_view *view,
                      size_t n_combinations) {
  size_t jobs = (size_t)view->n_active, types = (size_t)view->cluster->n_types;
  size_t pairs = n_combinations - jobs;
  if (!buffers->position)
    buffers->position = mem_alloc((size_t)view->n_jobs, sizeof *buffers->position);
  if (jobs > buffers->room_jobs) {
    size_t n = buffers->room_jobs = jobs + jobs / 2;
    buffers->ids = mem_resize(buffers->ids, n, sizeof *buffers->ids);
    buffers->workers = mem_resize(buffers->workers, n, sizeof *buffers->workers);
    buffers->entities = mem_resize(buffers->entities, n, sizeof *buffers->entities);
    buffers->weights = mem_resize(buffers->weights, n, sizeof *buffers->weights);
    buffers->rates = mem_resize(buffers->rates, n * types, sizeof *buffers->rates);
    buffers->remaining = mem_resize(buffers->remaining, n, sizeof *buffers->remaining);
    buffers->age_s = mem_resize(buffers->age_s, n, sizeof *buffers->age_s);
    buffers->deadline_s = mem_resize(buffers->deadline_s, n, sizeof *buffers->deadline_s);
  }
  if (pairs > buffers->room_pairs) {
    size_t n = buffers->room_pairs = pairs + pairs / 2;
    buffers->pairs = mem_resize(buffers->pairs, n, sizeof *buffers->pairs);
    buffers->pair_rates = mem_resize(buffers->pair_rates, 2 * n * types, sizeof(double));
  }
  /* One more, so that there is a block even when nobody is active. */
  buffers->shares = mem_grow(buffers->shares, n_combinations * types + 1, &buffers->shares_capacity,
                             sizeof *buffers->shares);
  memset(buffers->shares, 0, n_combinations * types * sizeof *buffers->shares);
}

/* Whether the gang finds enough GPUs of the type; as coded, a job gets shares even of a type that
 * has too few for it. */
static bool fits(const struct gavel *gavel, const struct hsim_view *view, int workers, int type) {
  return gavel->coded || workers <= view->type_up[type];
}

/* What the objective is told of the job's rates alone. */
static void shown_rates(const struct gavel *gavel, const struct hsim_view *view,
                        const struct hsim_active *job, double *shown) {
  const struct rounds_cell *cells =
      rounds_cells(&gavel->rounds, gavel->rounds.alone_of[job->index]);
  double same = 1.0;
  if (gavel->objective->rates == RATES_REFERENCE) {
    same = gavel->reference >= 0 ? cells[gavel->reference].rate : 0.0;
    if (!gavel->coded && same <= 0.0) /* it cannot run there, or nobody can */
      same = hsim_best_rate(view->oracle, job, job->job->workers, NULL);
  }
  for (int g = 0; g < view->cluster->n_types; g++) {
    double rate = fits(gavel, view, job->job->workers, g) ? cells[g].rate : 0.0;
    if (gavel->objective->rates != RATES_TRUE && (gavel->coded || rate > 0.0))
      rate = same;
    shown[g] = rate;
  }
}

/* A millisecond's work at least: of a job that ends a moment later rounding may leave nothing, and
 * programs that divide by it or add it to the job's age would lose all meaning. Whole steps, as
 * coded, are never so few. */
static double steps_left(const struct gavel *gavel, const struct hsim_view *view,
                         const struct hsim_active *job) {
  const struct rounds_cell *cells =
      rounds_cells(&gavel->rounds, gavel->rounds.alone_of[job->index]);
  double fastest = 0.0;
  for (int g = 0; g < view->cluster->n_types; g++)
    fastest = fmax(fastest, cells[g].rate);
  double left = hsim_remaining_steps(view, job);
  return gavel->coded ? left : fmax(left, fmax(1e-3 * fastest, job->job->steps * 1e-12));
}

static enum hsim_status describe_job(struct gavel *gavel, const struct hsim_view *view,
                                     const struct hsim_active *job, int i,
                                     struct hsim_error *error) {
  struct problem_buffers *buffers = &gavel->buffers;
  const struct hsim_job *facts = job->job;
  buffers->ids[i] = job->index;
  buffers->position[job->index] = i;
  buffers->workers[i] = facts->workers;
  buffers->weights[i] = facts->weight;
  buffers->remaining[i] = gavel->objective->remaining ? steps_left(gavel, view, job) : (double)NAN;
  buffers->age_s[i] = view->now - facts->arrival_s;
  buffers->deadline_s[i] = facts->deadline_s - view->now;
  shown_rates(gavel, view, job, buffers->rates + i * view->cluster->n_types);
  buffers->entities[i] = 0;
  if (gavel->entities.n == 0)
    return HSIM_OK;
  return entities_find(&gavel->entities, facts, &buffers->entities[i], error);
}

static int describe_pairs(struct gavel *gavel, const struct hsim_view *view) {
  struct problem_buffers *buffers = &gavel->buffers;
  const struct rounds *rounds = &gavel->rounds;
  int n_types = view->cluster->n_types, n = 0;
  for (int c = 0; c < rounds->n; c++) {
    const struct combination *pair = &rounds->at[c];
    if (pair->b < 0)
      continue;
    const struct hsim_active *a = hsim_active_job(view, pair->a),
                             *b = hsim_active_job(view, pair->b);
    buffers->pairs[n] =
        (struct shares_pair){buffers->position[pair->a], buffers->position[pair->b]};
    double *rates = buffers->pair_rates + 2 * n++ * n_types;
    for (int g = 0; g < n_types; g++) {
      double *both = rates + 2 * g;
      if (!fits(gavel, view, pair->workers, g) ||
          !hsim_pair_rate(view->oracle, a, b, g, pair->workers, &both[0], &both[1]))
        both[0] = both[1] = 0.0;
    }
  }
  return n;
}

enum hsim_status gavel_problem(struct gavel *gavel, const struct hsim_view *view,
                               struct shares_problem *problem, struct hsim_error *error) {
  struct problem_buffers *buffers = &gavel->buffers;
  make_room(buffers, view, (size_t)gavel->rounds.n);
  int i = 0;
  for (const struct hsim_active *job = view->first; job; job = job->next) {
    enum hsim_status status = describe_job(gavel, view, job, i++, error);
    if (status != HSIM_OK)
      return status;
  }
  *problem = (struct shares_problem){.n_jobs = view->n_active,
                                     .n_types = view->cluster->n_types,
                                     .type_order = gavel->by_name,
                                     .type_gpus = view->type_up,
                                     .prices = gavel->prices,
                                     .ids = buffers->ids,
                                     .workers = buffers->workers,
                                     .weights = buffers->weights,
                                     .entities = buffers->entities,
                                     .rates = buffers->rates,
                                     .remaining = buffers->remaining,
                                     .age_s = buffers->age_s,
                                     .deadline_s = buffers->deadline_s,
                                     .by_entity = gavel->entities.n > 0 ? &gavel->entities : NULL,
                                     .coded = gavel->coded};
  if (gavel->objective->pairs) {
    problem->n_pairs = describe_pairs(gavel, view);
    problem->pairs = buffers->pairs;
    problem->pair_rates = buffers->pair_rates;
  }
  return HSIM_OK;
}
