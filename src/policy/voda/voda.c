/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Voda: elastic jobs rescheduled by events (T.-T. Hsieh, "Voda: A GPU Scheduling Platform for
 * Elastic Deep Learning in Kubernetes Cluster", NTHU 2021; IC2E 2023, doi
 * 10.1109/IC2E59103.2023.00023). Eight algorithms, a placement manager, a pool for each GPU type.
 */
#include "policy/voda/voda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/policies.h"

static enum hsim_status voda_create(void *state, const struct hsim_view *view,
                                    const struct hsim_value *values, struct hsim_error *error) {
  (void)error;
  struct voda *voda = state;
  const struct hsim_cluster *cluster = view->cluster;
  voda_settings_read(&voda->settings, values);
  voda->n_members = view->n_jobs;
  voda->members = mem_zero((size_t)view->n_jobs, sizeof *voda->members);
  voda->node_of_bay = mem_alloc((size_t)cluster->n_bays, sizeof *voda->node_of_bay);
  voda->pools = mem_zero((size_t)cluster->n_types, sizeof *voda->pools);
  for (voda->n_pools = 0; voda->n_pools < cluster->n_types; voda->n_pools++)
    voda_pool_init(&voda->pools[voda->n_pools], view, &voda->settings, voda->n_pools,
                   voda->node_of_bay);
  return HSIM_OK;
}

static void forget(struct voda_member *member) {
  voda_placed_free(&member->placed);
  if (member->record)
    voda_record_free(member->record);
  free(member->record);
  member->record = NULL;
}

static void voda_destroy(void *state) {
  struct voda *voda = state;
  for (int i = 0; i < voda->n_pools; i++)
    voda_pool_free(&voda->pools[i]);
  for (int i = 0; i < voda->n_members; i++)
    forget(&voda->members[i]);
  voda_tables_free(&voda->tables);
  voda_allocator_free(&voda->allocator);
  free(voda->pools);
  free(voda->members);
  free(voda->node_of_bay);
  free(voda->categories);
  free(voda->shares);
  free(voda->homeless);
}

/* ---- Jobs ---- */

/* How full the pool would be with the job: by minimum sizes. */
static double load_with(const struct voda *voda, const struct hsim_view *view, int type,
                        const struct hsim_active *active) {
  return (voda->pools[type].load + active->job->min_workers) / view->cluster->type_gpus[type];
}

/* The job's pool: the least loaded of those that can run it, then the one where it is fastest. A
 * job that accepts one type has no choice. */
static int choose_pool(struct voda *voda, const struct hsim_view *view,
                       const struct hsim_active *active) {
  int best = -1;
  double best_load = 0, best_rate = 0;
  for (int type = 0; type < voda->n_pools; type++) {
    if (!(active->job->gpu_types >> type & 1))
      continue;
    const struct voda_table *table = voda_tables_get(&voda->tables, view, active, type);
    if (table->max == 0)
      continue;
    int np = active->job->workers < table->max ? active->job->workers : table->max;
    double rate = table->speedup[np] * table->one_rate;
    double load = load_with(voda, view, type, active);
    if (best >= 0 && (load > best_load || (load == best_load && rate <= best_rate)))
      continue;
    best = type;
    best_load = load;
    best_rate = rate;
  }
  return best;
}

static void voda_job_arrived(void *state, const struct hsim_view *view,
                             const struct hsim_active *active) {
  struct voda *voda = state;
  struct voda_member *member = &voda->members[active->index];
  *member = (struct voda_member){.pool = choose_pool(voda, view, active),
                                 .placed = {.id = active->index},
                                 .first_start_s = INFINITY};
  if (member->pool < 0) {
    if (voda->n_homeless == voda->homeless_capacity)
      voda->homeless = mem_grow(voda->homeless, voda->n_homeless + 1, &voda->homeless_capacity,
                                sizeof *voda->homeless);
    voda->homeless[voda->n_homeless++] = active->index;
    return;
  }
  struct voda_pool *pool = &voda->pools[member->pool];
  member->table = voda_tables_get(&voda->tables, view, active, pool->type);
  pool->load += active->job->min_workers;
  voda_pool_add(pool, active->index);
  voda_clock_start(&member->clock, &voda->settings.queues, view->now, active->job->priority);
  voda_know(voda, active);
}

static void voda_job_finished(void *state, const struct hsim_view *view,
                              const struct hsim_active *active) {
  struct voda *voda = state;
  struct voda_member *member = &voda->members[active->index];
  if (member->pool < 0)
    return;
  struct voda_pool *pool = &voda->pools[member->pool];
  voda->counters.longest_wait_s = fmax(voda->counters.longest_wait_s, hsim_wait_s(view, active));
  voda_remember(voda, active);
  voda_placement_release(&pool->placement, &member->placed);
  pool->load -= active->job->min_workers;
  voda_pool_remove(pool, active->index);
  forget(member);
}

static void voda_job_stopped(void *state, const struct hsim_view *view,
                             const struct hsim_active *active) {
  (void)view;
  struct voda *voda = state;
  struct voda_member *member = &voda->members[active->index];
  if (member->pool < 0)
    return;
  member->stopped = true;
  voda->pools[member->pool].dirty = true;
}

static void voda_node_changed(void *state, const struct hsim_view *view, int node, bool up) {
  struct voda *voda = state;
  const struct hsim_node *changed = &view->cluster->nodes[node];
  for (int b = changed->first_bay; b < changed->first_bay + changed->n_bays; b++) {
    const struct hsim_bay *bay = &view->cluster->bays[b];
    voda_pool_node(voda, &voda->pools[bay->type], voda->node_of_bay[b], bay->gpus, up);
  }
}

static void voda_round_ended(void *state, const struct hsim_view *view, const struct hsim_ran *ran,
                             size_t n_ran) {
  struct voda *voda = state;
  if (voda->settings.needs_info && voda->settings.info != VODA_PROFILE)
    voda_watch(voda, view, ran, n_ran);
}

/* ---- The decision ---- */

static enum hsim_status voda_schedule(void *state, const struct hsim_view *view,
                                      struct hsim_plan *plan, struct hsim_error *error) {
  (void)error;
  struct voda *voda = state;
  for (size_t i = 0; i < voda->n_homeless; i++)
    hsim_plan_reject(plan, voda->homeless[i],
                     "no GPU type runs all its phases at one size of its range");
  voda->n_homeless = 0;
  for (int i = 0; i < voda->n_pools; i++)
    voda_pool_run(voda, &voda->pools[i], view, plan);
  return HSIM_OK;
}

static void voda_ended(void *state, const struct hsim_view *view) {
  const struct voda *voda = state;
  struct voda_counts sum = {0};
  for (int i = 0; i < voda->n_pools; i++) {
    const struct voda_counts *counts = &voda->pools[i].placement.counts;
    sum.passes += counts->passes;
    sum.moved += counts->moved;
    sum.restarts += counts->restarts;
    sum.split += counts->split;
    sum.evicted += counts->evicted;
  }
  hsim_stat(view, "reschedulings", (double)voda->counters.reschedulings);
  hsim_stat(view, "placement_passes", (double)sum.passes);
  hsim_stat(view, "workers_migrated", (double)sum.moved);
  hsim_stat(view, "full_restarts", (double)sum.restarts);
  hsim_stat(view, "jobs_split", (double)sum.split);
  hsim_stat(view, "workers_evicted", (double)sum.evicted);
  hsim_stat(view, "longest_wait_s", voda->counters.longest_wait_s);
  if (voda->counters.no_rate > 0)
    hsim_stat(view, "placed_without_rate", (double)voda->counters.no_rate);
  if (voda->settings.rules.as_coded)
    hsim_stat(view, "would_have_panicked", (double)voda->counters.panics);
}

static void voda_dump(const void *state, char *text, size_t size) {
  const struct voda *voda = state;
  size_t jobs = 0, dirty = 0;
  for (int i = 0; i < voda->n_pools; i++) {
    jobs += voda->pools[i].n_jobs;
    dirty += voda->pools[i].dirty;
  }
  snprintf(text, size, "%zu jobs in %d pools, %zu of them due; %lld reschedulings", jobs,
           voda->n_pools, dirty, voda->counters.reschedulings);
}

const struct hsim_policy policy_voda = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "voda",
    .summary = "Voda: elastic jobs, eight algorithms, a placement manager (Hsieh, IC2E 2023)",
    .mode = HSIM_MODE_EVENT,
    .elastic = true,
    .never_pairs = true,
    .oracle = HSIM_KNOWS_RATES | HSIM_KNOWS_REMAINING,
    .state_size = sizeof(struct voda),
    .options = voda_options,
    .n_options = N_VODA_OPTIONS,
    .create = voda_create,
    .destroy = voda_destroy,
    .job_arrived = voda_job_arrived,
    .job_finished = voda_job_finished,
    .job_stopped = voda_job_stopped,
    .node_changed = voda_node_changed,
    .round_ended = voda_round_ended,
    .settled = voda_settled,
    .schedule = voda_schedule,
    .ended = voda_ended,
    .dump = voda_dump,
};
