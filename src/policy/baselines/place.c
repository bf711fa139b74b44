/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/baselines/place.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

static uint64_t bit(int type) {
  return UINT64_C(1) << type;
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

static void measure_reach(struct placer *placer) {
  const struct hsim_cluster *cluster = placer->cluster;
  size_t n_types = (size_t)cluster->n_types;
  int *in_rack = mem_zero((size_t)cluster->n_racks * n_types, sizeof *in_rack);
  for (int b = 0; b < cluster->n_bays; b++) {
    const struct hsim_bay *bay = &cluster->bays[b];
    const struct hsim_node *node = &cluster->nodes[bay->node];
    struct reach *reach = &placer->reach[bay->type];
    int slot = node->slot_size < bay->gpus ? node->slot_size : bay->gpus;
    reach->slot = larger(reach->slot, slot);
    reach->node = larger(reach->node, bay->gpus);
    if (node->rack < 0)
      continue;
    int *sum = &in_rack[(size_t)node->rack * n_types + (size_t)bay->type];
    *sum += bay->gpus;
    reach->rack = larger(reach->rack, *sum);
  }
  free(in_rack);
}

void placer_create(struct placer *placer, const struct hsim_view *view, enum place_type type,
                   enum hsim_pack consolidate) {
  const struct hsim_cluster *cluster = view->cluster;
  *placer = (struct placer){
      .choice = type, .pack = consolidate, .cluster = cluster, .oracle = view->oracle};
  placer->jobs = mem_zero((size_t)view->n_jobs, sizeof *placer->jobs);
  placer->chosen = mem_alloc((size_t)cluster->n_bays, sizeof *placer->chosen);
  measure_reach(placer);
  placer_survey(placer, view);
}

void placer_destroy(struct placer *placer) {
  free(placer->jobs);
  free(placer->chosen);
}

void placer_survey(struct placer *placer, const struct hsim_view *view) {
  const struct hsim_cluster *cluster = placer->cluster;
  memset(placer->largest_up, 0, sizeof placer->largest_up);
  for (int b = 0; b < cluster->n_bays; b++) {
    const struct hsim_bay *bay = &cluster->bays[b];
    if (view->node_up[bay->node] && bay->gpus > placer->largest_up[bay->type])
      placer->largest_up[bay->type] = bay->gpus;
  }
}

void placer_meet(struct placer *placer, const struct hsim_active *active) {
  struct placer_job *job = &placer->jobs[active->index];
  job->model = active->model;
  job->types = 0;
  for (int t = 0; t < placer->cluster->n_types; t++) {
    if (!(active->job->gpu_types & bit(t)) || placer->cluster->type_gpus[t] < active->job->workers)
      continue;
    if (hsim_rate_on(placer->oracle, active, t, active->job->workers, HSIM_SPAN_NODE) > 0)
      job->types |= bit(t);
  }
}

static void find_widest(struct placer *placer) {
  placer->widest = 0;
  for (int t = 0; t < placer->cluster->n_types; t++)
    if (placer->free[t] > placer->widest)
      placer->widest = placer->free[t];
}

void placer_look(struct placer *placer, const struct hsim_plan *plan) {
  for (int t = 0; t < placer->cluster->n_types; t++) {
    placer->free[t] = hsim_plan_free_of_type(plan, t);
    if (placer->pack == HSIM_PACK_REQUIRE)
      placer->free_on_node[t] = hsim_plan_free_on_one_node(plan, t);
  }
  find_widest(placer);
}

void placer_took(struct placer *placer, const struct hsim_plan *plan, int type, int workers) {
  placer->free[type] -= workers;
  if (placer->pack == HSIM_PACK_REQUIRE)
    placer->free_on_node[type] = hsim_plan_free_on_one_node(plan, type);
  find_widest(placer);
}

static bool type_has_room(const struct placer *placer, int type, int workers) {
  if (placer->free[type] < workers)
    return false;
  return placer->pack != HSIM_PACK_REQUIRE || workers > placer->largest_up[type] ||
         workers <= placer->free_on_node[type];
}

bool placer_fits(const struct placer *placer, int job, int workers) {
  if (workers > placer->widest)
    return false;
  for (uint64_t types = placer->jobs[job].types; types; types &= types - 1)
    if (type_has_room(placer, __builtin_ctzll(types), workers))
      return true;
  return false;
}

/* Whether a type with this rate is chosen over the best one so far; types come in their order. */
static bool preferred(const struct placer *placer, double rate, double best) {
  if (!(rate > 0))
    return false;
  switch (placer->choice) {
  case PLACE_FASTEST:
    return rate > best;
  case PLACE_SLOWEST_OK:
    return best == 0 || rate < best;
  case PLACE_FIRST:
    return best == 0;
  }
  return false;
}

bool placer_place(struct placer *placer, struct hsim_plan *plan, const struct hsim_active *active,
                  uint64_t types) {
  struct placer_job *job = &placer->jobs[active->index];
  int workers = active->job->workers;
  double best = 0;
  int best_type = -1, n_chosen = 0;
  for (types &= job->types; types; types &= types - 1) {
    int t = __builtin_ctzll(types);
    if (!type_has_room(placer, t, workers))
      continue;
    const struct hsim_share *shares;
    int n = hsim_find_gpus(plan, t, workers, placer->pack, &shares);
    if (n == 0)
      continue;
    double rate = hsim_rate(placer->oracle, active, shares, n);
    if (!preferred(placer, rate, best))
      continue;
    memcpy(placer->chosen, shares, (size_t)n * sizeof *shares);
    n_chosen = n;
    best = rate;
    best_type = t;
    if (placer->choice == PLACE_FIRST)
      break;
  }
  if (best_type < 0)
    return false;
  hsim_plan_place(plan, active->index, placer->chosen, n_chosen);
  job->on = best_type;
  placer_took(placer, plan, best_type, workers);
  return true;
}

enum hsim_reason placer_reason(const struct placer *placer, int job, int workers) {
  uint64_t types = placer->jobs[job].types;
  int free = 0, usable = 0;
  for (int t = 0; t < placer->cluster->n_types; t++) {
    free += placer->free[t];
    if (types & bit(t))
      usable += placer->free[t];
  }
  if (free < workers)
    return HSIM_NO_CAPACITY;
  return usable < workers ? HSIM_WRONG_TYPE : HSIM_FRAGMENTED;
}

enum hsim_span placer_span(const struct placer *placer, int type, int workers) {
  const struct reach *reach = &placer->reach[type];
  if (workers <= reach->slot)
    return HSIM_SPAN_SLOT;
  if (workers <= reach->node)
    return HSIM_SPAN_NODE;
  return workers <= reach->rack ? HSIM_SPAN_RACK : HSIM_SPAN_CLUSTER;
}
