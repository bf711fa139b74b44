/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The edits of a plan. Free counts change with each edit, so a plan that gives away more than there
 * is shows at once; what an edit broke first is kept and reported when the plan is applied.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core.h"
#include "engine/sort.h"

void plan_broken(struct hsim_plan *plan, int job, int node, const char *rule) {
  if (plan->broken.status != HSIM_OK)
    return;
  const struct hsim_core *core = plan->core;
  const char *id =
      job >= 0 && job < core->config->trace->n_jobs ? core->config->trace->jobs[job].id : "(none)";
  const char *name = node >= 0 ? core->config->cluster->nodes[node].name : "(none)";
  hsim_fail(&plan->broken, HSIM_FAILED,
            "policy %s: plan refused: %s: job %.200s, node %.100s, round %llu, time %.17g",
            core->policy->name, rule, id, name, (unsigned long long)core->view.round, core->now);
}

static struct job *job_of(struct hsim_plan *plan, int job, const char *what) {
  struct hsim_core *core = plan->core;
  struct job *found = job >= 0 && job < core->config->trace->n_jobs ? core->jobs[job] : NULL;
  if (!found || !found->told) {
    plan_broken(plan, job, -1, what);
    return NULL;
  }
  return found;
}

bool gang_in_plan(const struct hsim_plan *plan, const struct gang *gang) {
  if (gang->gone == plan->number)
    return false;
  return !plan->cleared || gang->job->kept == plan->number;
}

void plan_touch(struct hsim_plan *plan, struct job *job) {
  if (job->touched == plan->number)
    return;
  job->touched = plan->number;
  job->first_edit = job->last_edit = 0;
  if (plan->n_touched == plan->touched_capacity)
    plan->touched =
        mem_grow(plan->touched, plan->n_touched + 1, &plan->touched_capacity, sizeof(struct job *));
  plan->touched[plan->n_touched++] = job;
}

/* The partner's gang in the plan holds the same GPUs, so that they neither free up nor run out. */
static bool shared_in_plan(const struct hsim_plan *plan, const struct gang *gang) {
  const struct gang *partner = partner_gang(plan->core, gang);
  return partner && gang_in_plan(plan, partner);
}

static void give_back(struct hsim_plan *plan, const struct hsim_share *shares, int n) {
  for (int i = 0; i < n; i++)
    if (plan->core->gpus.capacity[shares[i].bay] > 0)
      free_gpus_change(&plan->core->gpus, shares[i].bay, shares[i].gpus);
}

static void drop_gang(struct hsim_plan *plan, struct gang *gang) {
  if (!gang_in_plan(plan, gang))
    return;
  gang->gone = plan->number;
  if (!shared_in_plan(plan, gang))
    give_back(plan, gang->shares, gang->pub.n_shares);
}

static struct edit *live_edit(struct hsim_plan *plan, size_t e) {
  while (e && !plan->edits[e - 1].job)
    e = plan->edits[e - 1].next;
  return e ? &plan->edits[e - 1] : NULL;
}

struct edit *first_edit(struct hsim_plan *plan, const struct job *job) {
  return job->touched == plan->number ? live_edit(plan, job->first_edit) : NULL;
}

struct edit *next_edit(struct hsim_plan *plan, const struct edit *edit) {
  return live_edit(plan, edit->next);
}

/* Takes back the job's edits for this copy, or (-1) for all. */
static void drop_edits(struct hsim_plan *plan, struct job *job, int copy) {
  for (struct edit *edit = first_edit(plan, job); edit; edit = next_edit(plan, edit)) {
    if (copy >= 0 && edit->copy != copy)
      continue;
    edit->job = NULL;
    if (edit->partner >= 0) { /* the other one of the pair keeps the GPUs, alone */
      struct edit *other = edit->second ? edit - 1 : edit + 1;
      other->second = false;
      other->partner = -1;
    } else if (!edit->second) {
      give_back(plan, edit->shares, edit->n_shares);
    }
  }
}

void plan_begin(struct hsim_core *core) {
  struct hsim_plan *plan = &core->plan;
  plan->core = core;
  plan->number++;
  if (plan->cleared)
    memset(core->gpus.claimed, 0, (size_t)core->config->cluster->n_bays * sizeof(int));
  plan->cleared = false;
  plan->n_edits = plan->n_touched = plan->n_rejected = 0;
  arena_reset(&plan->arena);
  plan->valid_until = -INFINITY;
  plan->broken.status = HSIM_OK;
}

void plan_free(struct hsim_plan *plan) {
  free(plan->edits);
  free(plan->touched);
  free(plan->rejected);
  free(plan->changes);
  free(plan->old_gpus);
  free(plan->new_gpus);
  arena_free(&plan->arena);
}

void hsim_plan_clear(struct hsim_plan *plan) {
  struct hsim_core *core = plan->core;
  if (plan->n_touched || plan->cleared) {
    /* Undo what was edited: count anew what the gangs hold. */
    free_gpus_clear(&core->gpus);
    for (const struct gang *gang = core->gangs; gang; gang = gang->next) {
      const struct gang *partner = partner_gang(core, gang);
      if (partner && partner->pub.job < gang->pub.job)
        continue;
      for (int i = 0; i < gang->pub.n_shares; i++)
        free_gpus_change(&core->gpus, gang->shares[i].bay, -gang->shares[i].gpus);
    }
    plan->n_edits = plan->n_touched = plan->n_rejected = 0;
    plan->number++;
  }
  free_gpus_clear(&core->gpus);
  plan->cleared = true;
}

static void unclaim(struct hsim_plan *plan, const struct gang *gang) {
  for (int i = 0; i < gang->pub.n_shares; i++) {
    int *claimed = &plan->core->gpus.claimed[gang->shares[i].bay];
    *claimed -= gang->shares[i].gpus < *claimed ? gang->shares[i].gpus : *claimed;
  }
}

static bool gang_fits(const struct hsim_plan *plan, const struct gang *gang) {
  for (int i = 0; i < gang->pub.n_shares; i++)
    if (plan->core->gpus.free[gang->shares[i].bay] < gang->shares[i].gpus)
      return false;
  return true;
}

bool hsim_plan_keep(struct hsim_plan *plan, int job_index) {
  struct job *job = job_of(plan, job_index, "a job that is not active is kept");
  if (!job || job->pub.n_gangs == 0)
    return false;
  for (int i = 0; i < job->pub.n_gangs; i++)
    if (job->gangs[i]->gone == plan->number)
      return false;
  if (!plan->cleared || job->kept == plan->number)
    return true;
  for (int i = 0; i < job->pub.n_gangs; i++)
    if (!shared_in_plan(plan, job->gangs[i]) && !gang_fits(plan, job->gangs[i]))
      return false;
  for (int i = 0; i < job->pub.n_gangs; i++) {
    struct gang *gang = job->gangs[i];
    if (shared_in_plan(plan, gang))
      continue;
    for (int s = 0; s < gang->pub.n_shares; s++)
      free_gpus_change(&plan->core->gpus, gang->shares[s].bay, -gang->shares[s].gpus);
    unclaim(plan, gang);
  }
  job->kept = plan->number;
  return true;
}

void hsim_plan_stop(struct hsim_plan *plan, int job_index) {
  struct job *job = job_of(plan, job_index, "a job that is not active is stopped");
  if (!job)
    return;
  plan_touch(plan, job);
  drop_edits(plan, job, -1);
  for (int i = 0; i < job->pub.n_gangs; i++)
    drop_gang(plan, job->gangs[i]);
}

int bay_of_gpu(const struct hsim_cluster *cluster, int gpu) {
  int low = 0, high = cluster->n_bays - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (cluster->bays[middle].first_gpu <= gpu)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Exact indices: sorted, and shares made from them. False when one does not exist or repeats. */
static bool take_indices(struct hsim_plan *plan, struct edit *edit,
                         const struct hsim_placement *at) {
  const struct hsim_cluster *cluster = plan->core->config->cluster;
  size_t n = (size_t)at->n_gpus;
  edit->gpus = arena_alloc(&plan->arena, n * sizeof *edit->gpus);
  edit->shares = arena_alloc(&plan->arena, n * sizeof *edit->shares);
  memcpy(edit->gpus, at->gpus, n * sizeof *edit->gpus);
  sort_gpus(edit->gpus, n);
  edit->size = at->n_gpus;
  edit->exact = true;
  for (size_t i = 0; i < n; i++) {
    int gpu = edit->gpus[i];
    if (gpu < 0 || gpu >= cluster->n_gpus || (i > 0 && gpu == edit->gpus[i - 1]))
      return false;
    int bay = bay_of_gpu(cluster, gpu);
    if (edit->n_shares == 0 || edit->shares[edit->n_shares - 1].bay != bay)
      edit->shares[edit->n_shares++] = (struct hsim_share){bay, 0};
    edit->shares[edit->n_shares - 1].gpus++;
  }
  return true;
}

static bool take_shares(struct hsim_plan *plan, struct edit *edit,
                        const struct hsim_placement *at) {
  const struct hsim_cluster *cluster = plan->core->config->cluster;
  size_t n = (size_t)at->n_shares;
  edit->shares = arena_alloc(&plan->arena, n * sizeof *edit->shares);
  memcpy(edit->shares, at->shares, n * sizeof *edit->shares);
  sort_shares(edit->shares, n);
  edit->n_shares = at->n_shares;
  for (size_t i = 0; i < n; i++) {
    const struct hsim_share *share = &edit->shares[i];
    if (share->bay < 0 || share->bay >= cluster->n_bays || share->gpus < 1)
      return false;
    if (share->gpus > cluster->bays[share->bay].gpus)
      return false;
    if (i > 0 && share->bay == edit->shares[i - 1].bay)
      return false;
    edit->size += share->gpus;
  }
  edit->gpus = arena_alloc(&plan->arena, (size_t)edit->size * sizeof *edit->gpus);
  return true;
}

static bool size_allowed(const struct hsim_core *core, const struct job *job,
                         const struct edit *edit) {
  const struct hsim_job *j = job->pub.job;
  if (edit->copy > 0)
    return core->policy->forks;
  if (!core->policy->elastic)
    return edit->size == j->workers;
  return edit->size >= j->min_workers && edit->size <= j->max_workers;
}

/* Takes the edit's GPUs from the free ones. */
static bool take_free(struct hsim_plan *plan, const struct edit *edit) {
  struct free_gpus *gpus = &plan->core->gpus;
  const struct hsim_bay *bays = plan->core->config->cluster->bays;
  for (int i = 0; i < edit->n_shares; i++) {
    const struct hsim_share *share = &edit->shares[i];
    if (gpus->free[share->bay] < share->gpus) {
      plan_broken(plan, edit->job->pub.index, bays[share->bay].node,
                  plan->core->node_up[bays[share->bay].node]
                      ? "GPUs that are not free are given away"
                      : "GPUs of a node that is down are given away");
      return false;
    }
    free_gpus_change(gpus, share->bay, -share->gpus);
  }
  return true;
}

static bool types_allowed(const struct hsim_core *core, const struct edit *edit, int *node) {
  const struct hsim_bay *bays = core->config->cluster->bays;
  for (int i = 0; i < edit->n_shares; i++) {
    *node = bays[edit->shares[i].bay].node;
    int type = bays[edit->shares[i].bay].type;
    if (!(edit->job->pub.job->gpu_types >> type & 1))
      return false;
    if (type != bays[edit->shares[0].bay].type && !core->policy->mixes_types)
      return false;
  }
  return true;
}

static struct gang *gang_of_copy(const struct job *job, int copy) {
  for (int i = 0; i < job->pub.n_gangs; i++)
    if (job->gangs[i]->pub.copy == copy)
      return job->gangs[i];
  return NULL;
}

static struct edit *new_edit(struct hsim_plan *plan, struct job *job,
                             const struct hsim_request *request) {
  plan_touch(plan, job);
  drop_edits(plan, job, request->copy);
  if (plan->n_edits == plan->edits_capacity)
    plan->edits =
        mem_grow(plan->edits, plan->n_edits + 1, &plan->edits_capacity, sizeof *plan->edits);
  struct edit *edit = &plan->edits[plan->n_edits++];
  *edit = (struct edit){.job = job,
                        .copy = request->copy,
                        .partner = -1,
                        .max_steps = request->max_steps > 0 ? request->max_steps : INFINITY,
                        .stall = request->stall_s,
                        .old = gang_of_copy(job, request->copy)};
  edit->old_size = edit->old ? edit->old->pub.size : 0;
  if (job->last_edit)
    plan->edits[job->last_edit - 1].next = plan->n_edits;
  else
    job->first_edit = plan->n_edits;
  job->last_edit = plan->n_edits;
  return edit;
}

static struct edit *add(struct hsim_plan *plan, const struct hsim_request *request, bool second) {
  struct job *job = job_of(plan, request->job, "a job that is not active gets GPUs");
  if (!job)
    return NULL;
  if (job->rejected == plan->number) {
    plan_broken(plan, request->job, -1, "a job that is rejected gets GPUs");
    return NULL;
  }
  const struct hsim_placement *at = &request->at;
  int node = -1;
  if (request->copy < 0 || !(request->stall_s >= 0) || !isfinite(request->stall_s) ||
      !(request->max_steps >= 0)) {
    plan_broken(plan, request->job, -1, "copy, max_steps and stall_s must not be negative");
    return NULL;
  }
  struct edit *edit = new_edit(plan, job, request);
  edit->second = second;
  bool indices = at->gpus != NULL && at->n_gpus > 0;
  if (!indices && (at->shares == NULL || at->n_shares < 1)) {
    edit->job = NULL;
    plan_broken(plan, request->job, -1, "a gang without GPUs");
    return NULL;
  }
  if (!(indices ? take_indices(plan, edit, at) : take_shares(plan, edit, at))) {
    edit->job = NULL;
    plan_broken(plan, request->job, -1, "GPUs that do not exist, or one GPU twice");
    return NULL;
  }
  if (edit->old) {
    if (plan->cleared && job->kept != plan->number)
      unclaim(plan, edit->old);
    drop_gang(plan, edit->old);
  }
  if (!size_allowed(plan->core, job, edit))
    plan_broken(plan, request->job, -1, "the job may not run at this size");
  if (!types_allowed(plan->core, edit, &node))
    plan_broken(
        plan, request->job, node,
        "a GPU type that the job does not accept, or several by a policy that does not mix them");
  if (!second && !take_free(plan, edit))
    edit->job = NULL;
  return edit;
}

void hsim_plan_add(struct hsim_plan *plan, const struct hsim_request *request) {
  add(plan, request, false);
}

static bool same_shares(const struct edit *a, const struct edit *b) {
  if (a->n_shares != b->n_shares || a->exact != b->exact)
    return false;
  if (a->exact && memcmp(a->gpus, b->gpus, (size_t)a->size * sizeof *a->gpus) != 0)
    return false;
  return memcmp(a->shares, b->shares, (size_t)a->n_shares * sizeof *a->shares) == 0;
}

void hsim_plan_add_pair(struct hsim_plan *plan, const struct hsim_request *a,
                        const struct hsim_request *b) {
  if (plan->core->policy->never_pairs) {
    plan_broken(plan, a->job, -1, "two jobs share GPUs under a policy that never pairs");
    return;
  }
  if (a->copy > 0 || b->copy > 0) {
    plan_broken(plan, a->job, -1, "copies may not share GPUs");
    return;
  }
  /* Both leave their old places first: one may take the other's. */
  const struct hsim_request *both[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    struct job *job = job_of(plan, both[i]->job, "a job that is not active gets GPUs");
    if (!job)
      return;
    plan_touch(plan, job);
    drop_edits(plan, job, both[i]->copy);
    struct gang *old = gang_of_copy(job, both[i]->copy);
    if (old)
      drop_gang(plan, old);
  }
  if (a->job == b->job) {
    plan_broken(plan, a->job, -1, "a job is paired with itself");
    return;
  }
  struct edit *first = add(plan, a, false);
  size_t at = plan->n_edits - 1;
  struct edit *second = add(plan, b, true);
  if (!first || !second)
    return;
  first = &plan->edits[at]; /* the list may have moved */
  if (!same_shares(first, second)) {
    plan_broken(plan, a->job, -1, "the two jobs of a pair stand on different GPUs");
    return;
  }
  first->partner = b->job;
  second->partner = a->job;
}

void hsim_plan_place(struct hsim_plan *plan, int job, const struct hsim_share *shares,
                     int n_shares) {
  hsim_plan_add(plan,
                &(struct hsim_request){.job = job, .at = {.n_shares = n_shares, .shares = shares}});
}

void hsim_plan_reject(struct hsim_plan *plan, int job_index, const char *why) {
  struct job *job = job_of(plan, job_index, "a job that is not active is rejected");
  if (!job)
    return;
  hsim_plan_stop(plan, job_index);
  if (job->rejected == plan->number)
    return;
  job->rejected = plan->number;
  if (plan->n_rejected == plan->rejected_capacity)
    plan->rejected = mem_grow(plan->rejected, plan->n_rejected + 1, &plan->rejected_capacity,
                              sizeof *plan->rejected);
  plan->rejected[plan->n_rejected].job = job;
  plan->rejected[plan->n_rejected++].why = why ? arena_text(&plan->arena, why, strlen(why)) : NULL;
}

void hsim_plan_reason(struct hsim_plan *plan, int job_index, enum hsim_reason reason) {
  struct job *job = job_of(plan, job_index, "a job that is not active gets a reason");
  if (!job)
    return;
  if (reason < 0 || reason >= HSIM_N_REASONS) {
    plan_broken(plan, job_index, -1, "an unknown reason");
    return;
  }
  if (job->held == 0) {
    wait_reason(plan->core, job, reason);
    return;
  }
  job->next_reason = (int)reason;
  job->reasoned = plan->number;
}

void hsim_plan_wake(struct hsim_plan *plan, double t) {
  struct hsim_core *core = plan->core;
  if (!(t > core->now) || !isfinite(t)) {
    plan_broken(plan, -1, -1, "a timer that is not in the future");
    return;
  }
  if (core->n_timers == core->timers_capacity)
    core->timers =
        mem_grow(core->timers, core->n_timers + 1, &core->timers_capacity, sizeof *core->timers);
  for (size_t i = 0; i < core->n_timers; i++)
    if (core->timers[i] == t)
      return;
  size_t i = core->n_timers++;
  for (; i > 0 && core->timers[i - 1] < t; i--)
    core->timers[i] = core->timers[i - 1];
  core->timers[i] = t;
}

void hsim_plan_valid_until(struct hsim_plan *plan, double t) {
  plan->valid_until = t;
}

/* A query about a bay or type that there is none of is a broken plan, too: the answer is 0. */
static bool exists(const struct hsim_plan *plan, int index, int n, const char *rule) {
  if (index >= 0 && index < n)
    return true;
  plan_broken(&plan->core->plan, -1, -1, rule);
  return false;
}

static bool has_type(const struct hsim_plan *plan, int type) {
  return exists(plan, type, plan->core->config->cluster->n_types,
                "a GPU type that does not exist is asked for");
}

int hsim_plan_free(const struct hsim_plan *plan, int bay) {
  return exists(plan, bay, plan->core->config->cluster->n_bays,
                "a bay that does not exist is asked for")
             ? plan->core->gpus.free[bay]
             : 0;
}

int hsim_plan_free_of_type(const struct hsim_plan *plan, int type) {
  return has_type(plan, type) ? plan->core->gpus.types[type].free : 0;
}

int hsim_plan_free_on_one_node(const struct hsim_plan *plan, int type) {
  return has_type(plan, type) ? free_gpus_most_on_one_node(&plan->core->gpus, type) : 0;
}

int hsim_find_gpus(struct hsim_plan *plan, int type, int workers, enum hsim_pack pack,
                   const struct hsim_share **shares) {
  struct free_gpus *gpus = &plan->core->gpus;
  *shares = NULL;
  if (!has_type(plan, type))
    return 0;
  int n = free_gpus_find(gpus, type, workers, pack);
  *shares = gpus->found;
  return n;
}
