/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One pool: the jobs and GPUs of one type. Whatever happens marks it dirty; a dirty pool is
 * rescheduled at the end of the instant, or when the rate limit allows, so that all that happens in
 * between is answered at once.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "policy/voda/voda.h"

void voda_pool_init(struct voda_pool *pool, const struct hsim_view *view,
                    const struct voda_settings *settings, int type, int *node_of_bay) {
  const struct hsim_cluster *cluster = view->cluster;
  *pool = (struct voda_pool){.type = type, .blocked_until = -INFINITY, .wake = -INFINITY};
  pool->bays = mem_alloc((size_t)cluster->n_bays, sizeof *pool->bays);
  int *sizes = mem_alloc((size_t)cluster->n_bays, sizeof *sizes), n = 0;
  for (int b = 0; b < cluster->n_bays; b++) {
    const struct hsim_bay *bay = &cluster->bays[b];
    if (bay->type != type)
      continue;
    node_of_bay[b] = n;
    pool->bays[n] = b;
    sizes[n] = view->node_up[bay->node] ? bay->gpus : 0;
    pool->gpus += sizes[n++];
  }
  char purpose[128];
  snprintf(purpose, sizeof purpose, "voda placement on %.64s", cluster->type_names[type]);
  struct hsim_rng rng;
  hsim_rng_init(&rng, view->seed, purpose);
  voda_placement_init(&pool->placement, sizes, n, settings->method, settings->tie, &rng);
  free(sizes);
}

void voda_pool_free(struct voda_pool *pool) {
  voda_placement_free(&pool->placement);
  free(pool->bays);
  free(pool->jobs);
  free(pool->asks);
  free(pool->placed);
}

void voda_pool_add(struct voda_pool *pool, int job) {
  if (pool->n_jobs == pool->jobs_capacity)
    pool->jobs = mem_grow(pool->jobs, pool->n_jobs + 1, &pool->jobs_capacity, sizeof *pool->jobs);
  pool->jobs[pool->n_jobs++] = job; /* jobs come in the order of their indices */
  pool->dirty = true;
}

void voda_pool_remove(struct voda_pool *pool, int job) {
  size_t low = 0, high = pool->n_jobs;
  while (low + 1 < high) {
    size_t middle = low + (high - low) / 2;
    if (pool->jobs[middle] <= job)
      low = middle;
    else
      high = middle;
  }
  pool->n_jobs--;
  memmove(&pool->jobs[low], &pool->jobs[low + 1], (pool->n_jobs - low) * sizeof *pool->jobs);
  pool->dirty = true;
}

/* The jobs that have workers or shall have some. */
static int list_placed(struct voda *voda, struct voda_pool *pool) {
  if (pool->n_jobs > pool->placed_capacity)
    pool->placed =
        mem_grow(pool->placed, pool->n_jobs, &pool->placed_capacity, sizeof *pool->placed);
  int n = 0;
  for (size_t i = 0; i < pool->n_jobs; i++) {
    struct voda_placed *placed = &voda->members[pool->jobs[i]].placed;
    if (placed->workers > 0 || placed->wanted > 0)
      pool->placed[n++] = placed;
  }
  return n;
}

void voda_pool_node(struct voda *voda, struct voda_pool *pool, int node, int gpus, bool up) {
  if (up) {
    voda_placement_add(&pool->placement, node, gpus);
    pool->gpus += gpus;
  } else {
    int n = list_placed(voda, pool);
    voda_placement_remove(&pool->placement, node, pool->placed, n);
    pool->gpus -= gpus;
  }
  pool->dirty = pool->nodes_changed = true;
}

/* ---- Edits of the plan ---- */

static int by_bay(const void *a, const void *b) {
  const struct hsim_share *x = a, *y = b;
  return (x->bay > y->bay) - (x->bay < y->bay);
}

/* What the job is placed on, in voda->shares. */
static int list_shares(struct voda *voda, const struct voda_pool *pool,
                       const struct voda_placed *placed) {
  size_t n = (size_t)placed->n_slots;
  if (n > voda->shares_capacity)
    voda->shares = mem_grow(voda->shares, n, &voda->shares_capacity, sizeof *voda->shares);
  for (size_t i = 0; i < n; i++)
    voda->shares[i] =
        (struct hsim_share){pool->bays[placed->slots[i].node], placed->slots[i].workers};
  qsort(voda->shares, n, sizeof *voda->shares, by_bay);
  return placed->n_slots;
}

static bool holds(const struct hsim_active *active, const struct hsim_share *shares, int n) {
  if (active->n_gangs == 0 || active->gangs[0]->n_shares != n)
    return false;
  for (int i = 0; i < n; i++)
    if (active->gangs[0]->shares[i].bay != shares[i].bay ||
        active->gangs[0]->shares[i].gpus != shares[i].gpus)
      return false;
  return true;
}

/* Puts the job where its slots say. A job that has no rate there gives them back. */
static void place(struct voda *voda, struct voda_pool *pool, const struct hsim_view *view,
                  struct hsim_plan *plan, struct voda_placed *placed) {
  const struct hsim_active *active = hsim_active_job(view, placed->id);
  int n = list_shares(voda, pool, placed);
  double rate = hsim_rate(view->oracle, active, voda->shares, n);
  if (!(rate > 0)) {
    voda_placement_release(&pool->placement, placed);
    placed->wanted = 0;
    voda->counters.no_rate++;
    return;
  }
  voda->members[placed->id].rate = rate;
  hsim_plan_place(plan, placed->id, voda->shares, n);
}

/* All that changes stops first, so that one job may take another's place. */
static void edit_plan(struct voda *voda, struct voda_pool *pool, const struct hsim_view *view,
                      struct hsim_plan *plan, int n_placed) {
  for (int i = 0; i < n_placed; i++) {
    struct voda_placed *placed = pool->placed[i];
    const struct hsim_active *active = hsim_active_job(view, placed->id);
    int n = list_shares(voda, pool, placed);
    bool changed = !holds(active, voda->shares, n);
    voda->members[placed->id].changed = changed && n > 0;
    if (changed && active->n_gangs > 0)
      hsim_plan_stop(plan, placed->id);
  }
  for (int i = 0; i < n_placed; i++)
    if (voda->members[pool->placed[i]->id].changed)
      place(voda, pool, view, plan, pool->placed[i]);
}

/* Jobs that lost some workers with a node go on with the others, if these are enough, until the
 * pool is rescheduled. */
static void go_on(struct voda *voda, struct voda_pool *pool, const struct hsim_view *view,
                  struct hsim_plan *plan) {
  for (size_t i = 0; i < pool->n_jobs; i++) {
    struct voda_member *member = &voda->members[pool->jobs[i]];
    struct voda_placed *placed = &member->placed;
    if (!member->stopped)
      continue;
    member->stopped = false;
    if (placed->workers == 0 || hsim_active_job(view, placed->id)->n_gangs > 0)
      continue;
    if (placed->workers >= member->table->min)
      place(voda, pool, view, plan, placed);
    else
      voda_placement_release(&pool->placement, placed);
  }
}

/* ---- Rescheduling ---- */

static void make_asks(struct voda *voda, struct voda_pool *pool, const struct hsim_view *view) {
  if (pool->n_jobs > pool->asks_capacity)
    pool->asks = mem_grow(pool->asks, pool->n_jobs, &pool->asks_capacity, sizeof *pool->asks);
  for (size_t i = 0; i < pool->n_jobs; i++) {
    int job = pool->jobs[i];
    const struct voda_member *member = &voda->members[job];
    struct voda_job *ask = &pool->asks[i];
    *ask = (struct voda_job){
        .id = job, .queue = member->clock.queue, .first_start_s = member->first_start_s};
    voda_tell(voda, view, hsim_active_job(view, job), ask);
  }
}

/* What the new numbers of workers mean for the queues. Returns whether any number is new. */
static bool take_answers(struct voda *voda, struct voda_pool *pool, const struct hsim_view *view) {
  bool changed = false;
  for (size_t i = 0; i < pool->n_jobs; i++) {
    struct voda_member *member = &voda->members[pool->jobs[i]];
    int before = member->placed.workers, now = pool->asks[i].got;
    member->placed.wanted = now;
    changed = changed || before != now;
    if (before > 0 && now == 0)
      voda_clock_halted(&member->clock);
    if (before == 0 && now > 0 && voda_clock_began(&member->clock))
      if (voda->settings.queues.as_coded || isinf(member->first_start_s))
        member->first_start_s = view->now;
  }
  return changed;
}

static void log_rescheduling(const struct voda_pool *pool, const struct hsim_view *view,
                             const struct voda_counts *before, bool placed) {
  if (!hsim_logging(view))
    return;
  char text[256];
  snprintf(text, sizeof text,
           "{\"event\":\"rescheduling\",\"pool\":%d,\"gpus\":%d,\"jobs\":%zu,\"placed\":%s,"
           "\"migrated\":%lld,\"restarts\":%lld}",
           pool->type, pool->gpus, pool->n_jobs, placed ? "true" : "false",
           pool->placement.counts.moved - before->moved,
           pool->placement.counts.restarts - before->restarts);
  hsim_emit(view, text);
}

static void reschedule(struct voda *voda, struct voda_pool *pool, const struct hsim_view *view,
                       struct hsim_plan *plan) {
  struct voda_counts before = pool->placement.counts;
  pool->dirty = false;
  pool->blocked_until = view->now + voda->settings.rate_limit_s;
  voda->counters.reschedulings++;
  make_asks(voda, pool, view);
  if (voda_allocate(&voda->allocator, &voda->settings.rules, pool->asks, (int)pool->n_jobs,
                    pool->gpus))
    voda->counters.panics++;
  bool changed = take_answers(voda, pool, view);
  int n = list_placed(voda, pool);
  bool pass = (changed || pool->nodes_changed) && n > 0;
  if (pass)
    voda_place(&pool->placement, pool->placed, n);
  pool->nodes_changed = false;
  edit_plan(voda, pool, view, plan, n);
  log_rescheduling(pool, view, &before, pass);
}

/* ---- Queues ---- */

static struct voda_service service_of(const struct hsim_view *view,
                                      const struct hsim_active *active) {
  return (struct voda_service){.now = view->now,
                               .gpu_s = hsim_attained_gpu_s(view, active),
                               .run_s = hsim_run_s(view, active),
                               .workers = active->n_gangs > 0 ? active->gangs[0]->size : 0,
                               .stopped_s = active->last_stop_s};
}

static void update_queues(struct voda *voda, struct voda_pool *pool, const struct hsim_view *view) {
  for (size_t i = 0; i < pool->n_jobs; i++) {
    struct voda_member *member = &voda->members[pool->jobs[i]];
    struct voda_service service = service_of(view, hsim_active_job(view, pool->jobs[i]));
    if (voda_clock_update(&member->clock, &voda->settings.queues, &service))
      pool->dirty = true;
  }
}

/* When a queue next changes: with the workers that the plan gives, from now on. */
static double next_change(struct voda *voda, const struct voda_pool *pool,
                          const struct hsim_view *view) {
  double next = INFINITY;
  for (size_t i = 0; i < pool->n_jobs; i++) {
    const struct voda_member *member = &voda->members[pool->jobs[i]];
    struct voda_service service = service_of(view, hsim_active_job(view, pool->jobs[i]));
    if (service.workers > 0 && member->placed.workers == 0)
      service.stopped_s = view->now;
    service.workers = member->placed.workers;
    next = fmin(next, voda_clock_next(&member->clock, &voda->settings.queues, &service));
  }
  return next;
}

/* A timer that comes sooner will ask again. */
static void wake(struct voda_pool *pool, const struct hsim_view *view, struct hsim_plan *plan,
                 double t) {
  if (isinf(t) || (pool->wake > view->now && pool->wake <= t))
    return;
  hsim_plan_wake(plan, t);
  pool->wake = t;
}

void voda_pool_run(struct voda *voda, struct voda_pool *pool, const struct hsim_view *view,
                   struct hsim_plan *plan) {
  if (voda->settings.needs_queues)
    update_queues(voda, pool, view);
  if (pool->dirty && view->now >= pool->blocked_until)
    reschedule(voda, pool, view, plan);
  else
    go_on(voda, pool, view, plan);
  if (pool->dirty)
    wake(pool, view, plan, pool->blocked_until);
  if (voda->settings.needs_queues)
    wake(pool, view, plan, next_change(voda, pool, view));
}
