/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reference point, not a policy for a real cluster: each round, greedily the (job, GPU type) with
 * the highest rate relative to the job's best rate, times its weight. It gives throughput first and
 * cares for nobody who waits.
 *
 * Ties go to the job that arrived first, then to the lower type. The rate of a bid is that of a
 * gang as close together as the empty cluster allows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "policy/baselines/place.h"
#include "policy/policies.h"

enum { OPTION_CONSOLIDATE, N_OPTIONS };

static const struct hsim_option options[N_OPTIONS] = {
    [OPTION_CONSOLIDATE] = PLACE_CONSOLIDATE_OPTION,
};

struct bid {
  double value;
  int job, type;
  int workers;
};

struct max_rate {
  struct placer placer;
  struct bid *bids; /* sorted: best first */
  size_t n_bids, bids_capacity;
  uint32_t *served; /* [n_jobs] the last decision that gave the job GPUs */
  uint32_t decision;
  int n_phased; /* active jobs whose rates may change while they run */
};

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  (void)error;
  struct max_rate *max_rate = state;
  placer_create(&max_rate->placer, view, PLACE_FASTEST,
                (enum hsim_pack)values[OPTION_CONSOLIDATE].as.i);
  max_rate->served = mem_zero((size_t)view->n_jobs, sizeof *max_rate->served);
  return HSIM_OK;
}

static void destroy(void *state) {
  struct max_rate *max_rate = state;
  placer_destroy(&max_rate->placer);
  free(max_rate->bids);
  free(max_rate->served);
}

static bool better(const struct bid *a, const struct bid *b) {
  if (a->value != b->value)
    return a->value > b->value;
  if (a->job != b->job)
    return a->job < b->job;
  return a->type < b->type;
}

static void add_bid(struct max_rate *max_rate, struct bid bid) {
  size_t low = 0, high = max_rate->n_bids;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (better(&max_rate->bids[middle], &bid))
      low = middle + 1;
    else
      high = middle;
  }
  max_rate->bids = mem_grow(max_rate->bids, max_rate->n_bids + 1, &max_rate->bids_capacity,
                            sizeof *max_rate->bids);
  struct bid *at = &max_rate->bids[low];
  memmove(at + 1, at, (max_rate->n_bids - low) * sizeof *at);
  *at = bid;
  max_rate->n_bids++;
}

static void add_bids(struct max_rate *max_rate, const struct hsim_view *view,
                     const struct hsim_active *job) {
  int workers = job->job->workers;
  double best = hsim_best_rate(view->oracle, job, workers, NULL);
  placer_meet(&max_rate->placer, job);
  for (uint64_t types = max_rate->placer.jobs[job->index].types; types; types &= types - 1) {
    int type = __builtin_ctzll(types);
    enum hsim_span span = placer_span(&max_rate->placer, type, workers);
    double rate = hsim_rate_on(view->oracle, job, type, workers, span);
    if (rate > 0)
      add_bid(max_rate, (struct bid){.value = rate / best * job->job->weight,
                                     .job = job->index,
                                     .type = type,
                                     .workers = workers});
  }
}

static void remove_bids(struct max_rate *max_rate, int job) {
  size_t n = 0;
  for (size_t i = 0; i < max_rate->n_bids; i++)
    if (max_rate->bids[i].job != job)
      max_rate->bids[n++] = max_rate->bids[i];
  max_rate->n_bids = n;
}

static void job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  struct max_rate *max_rate = state;
  add_bids(max_rate, view, job);
  max_rate->n_phased += job->job->n_phases > 0;
}

static void job_finished(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)view;
  struct max_rate *max_rate = state;
  remove_bids(max_rate, job->index);
  max_rate->n_phased -= job->job->n_phases > 0;
}

static void node_changed(void *state, const struct hsim_view *view, int node, bool up) {
  (void)node;
  (void)up;
  struct max_rate *max_rate = state;
  placer_survey(&max_rate->placer, view);
}

static void renew_phased(struct max_rate *max_rate, const struct hsim_view *view) {
  for (const struct hsim_active *job = view->first; job; job = job->next) {
    if (max_rate->placer.jobs[job->index].model == job->model)
      continue;
    remove_bids(max_rate, job->index);
    add_bids(max_rate, view, job);
  }
}

static bool serve(struct max_rate *max_rate, const struct hsim_view *view, struct hsim_plan *plan,
                  const struct bid *bid) {
  struct placer *placer = &max_rate->placer;
  const struct hsim_active *job = hsim_active_job(view, bid->job);
  if (job->n_gangs > 0 && placer->jobs[bid->job].on == bid->type &&
      hsim_plan_keep(plan, bid->job)) {
    placer_took(placer, plan, bid->type, bid->workers);
    return true;
  }
  return placer_fits(placer, bid->job, bid->workers) &&
         placer_place(placer, plan, job, UINT64_C(1) << bid->type);
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct max_rate *max_rate = state;
  if (max_rate->n_phased > 0)
    renew_phased(max_rate, view);
  max_rate->decision++;
  hsim_plan_clear(plan);
  placer_look(&max_rate->placer, plan);
  for (size_t i = 0; i < max_rate->n_bids && max_rate->placer.widest > 0; i++) {
    const struct bid *bid = &max_rate->bids[i];
    if (bid->workers > max_rate->placer.free[bid->type] ||
        max_rate->served[bid->job] == max_rate->decision)
      continue;
    if (serve(max_rate, view, plan, bid))
      max_rate->served[bid->job] = max_rate->decision;
  }
  /* The bids stand while no job comes, goes or changes its rates, and a decision that is made again
   * from its own outcome keeps everybody in place. */
  if (max_rate->n_phased == 0)
    hsim_plan_valid_until(plan, INFINITY);
  return HSIM_OK;
}

const struct hsim_policy policy_max_rate = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "max_rate",
    .summary = "Reference point: highest rate relative to the job's best, by weight; no fairness",
    .mode = HSIM_MODE_ROUND,
    .oracle = HSIM_KNOWS_RATES,
    .never_pairs = true,
    .state_size = sizeof(struct max_rate),
    .options = options,
    .n_options = N_OPTIONS,
    .create = create,
    .destroy = destroy,
    .job_arrived = job_arrived,
    .job_finished = job_finished,
    .node_changed = node_changed,
    .schedule = schedule,
};
