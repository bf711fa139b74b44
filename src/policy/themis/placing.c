/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/placing.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

void themis_placing_init(struct themis_placing *placing, struct themis_roster *roster,
                         double restart_s) {
  placing->roster = roster;
  placing->restart_s = restart_s;
  placing->owner = mem_alloc((size_t)roster->cluster->n_gpus, sizeof *placing->owner);
}

void themis_placing_free(struct themis_placing *placing) {
  themis_agent_free(&placing->agent);
  free(placing->context.jobs);
  free(placing->owner);
  free(placing->starts);
  free(placing->gpus);
}

/* ---- Which job gets which GPU ---- */

static void split(struct themis_placing *placing, const struct hsim_view *view, int bidder) {
  struct themis_roster *roster = placing->roster;
  const struct themis_bidder *b = &roster->bidders[bidder];
  struct themis_agent *agent = &placing->agent;
  themis_roster_agent(roster, view, bidder, b->type, &placing->context, agent);
  themis_agent_split(agent, agent->held, agent->n_held);
  for (int gpu = b->head; gpu >= 0; gpu = roster->leases.gpus[gpu].next)
    placing->owner[gpu] = -1;
}

/* Each job's own GPUs first. Takes of the split are used up as GPUs are found for them. */
static void keep_own(struct themis_placing *placing, int bidder, int i) {
  const struct themis_leases *leases = &placing->roster->leases;
  const struct themis_task *task = &placing->agent.tasks[i];
  const struct hsim_active *active = placing->context.jobs[task->number];
  const struct hsim_gang *gang = active->n_gangs > 0 ? active->gangs[0] : NULL;
  for (int g = 0; gang != NULL && g < gang->size; g++) {
    int gpu = gang->gpus[g];
    if (leases->gpus[gpu].holder != bidder || placing->owner[gpu] >= 0)
      continue;
    for (int t = task->first_take; t; t = placing->agent.takes[t - 1].next) {
      struct themis_take *take = &placing->agent.takes[t - 1];
      if (take->share.bay == leases->bay_of[gpu] && take->open > 0) {
        take->open--;
        placing->owner[gpu] = i;
      }
    }
  }
}

static void take_others(struct themis_placing *placing, int bidder, int i) {
  const struct themis_leases *leases = &placing->roster->leases;
  const struct themis_task *task = &placing->agent.tasks[i];
  for (int t = task->first_take; t; t = placing->agent.takes[t - 1].next) {
    struct themis_take *take = &placing->agent.takes[t - 1];
    int gpu = placing->roster->bidders[bidder].head;
    for (; gpu >= 0 && take->open > 0; gpu = leases->gpus[gpu].next)
      if (leases->bay_of[gpu] == take->share.bay && placing->owner[gpu] < 0) {
        take->open--;
        placing->owner[gpu] = i;
      }
  }
}

static void assign(struct themis_placing *placing, const struct hsim_view *view, int bidder) {
  split(placing, view, bidder);
  for (int i = 0; i < placing->agent.n_tasks; i++)
    keep_own(placing, bidder, i);
  for (int i = 0; i < placing->agent.n_tasks; i++)
    take_others(placing, bidder, i);
}

static int release_unused(struct themis_placing *placing, int bidder, double now) {
  struct themis_roster *roster = placing->roster;
  int next, released = 0;
  for (int gpu = roster->bidders[bidder].head; gpu >= 0; gpu = next) {
    next = roster->leases.gpus[gpu].next;
    if (placing->owner[gpu] >= 0)
      continue;
    themis_roster_release(roster, bidder, gpu, now);
    released++;
  }
  return released;
}

void themis_placing_surplus(struct themis_placing *placing, const struct hsim_view *view,
                            int bidder) {
  struct themis_roster *roster = placing->roster;
  const struct themis_bidder *b = &roster->bidders[bidder];
  while (b->n_jobs == 0 && b->head >= 0)
    themis_roster_release(roster, bidder, b->head, view->now);
  if (b->held == 0)
    return;
  int most = 0;
  for (int i = 0; i < b->n_jobs; i++)
    most += themis_roster_sizes(roster, view, hsim_active_job(view, b->jobs[i]), b->type)->most;
  if (b->held <= most)
    return;
  assign(placing, view, bidder);
  release_unused(placing, bidder, view->now);
}

int themis_placing_return(struct themis_placing *placing, const struct hsim_view *view) {
  struct themis_roster *roster = placing->roster;
  int released = 0;
  for (int i = 0; i < roster->n_active; i++) {
    int bidder = roster->active[i];
    if (!roster->bidders[bidder].touched || roster->bidders[bidder].held == 0)
      continue;
    assign(placing, view, bidder);
    released += release_unused(placing, bidder, view->now);
  }
  return released;
}

/* ---- The plan ---- */

static void start(struct themis_placing *placing, int job, int n) {
  placing->starts = mem_grow(placing->starts, placing->n_starts + 1, &placing->starts_capacity,
                             sizeof *placing->starts);
  placing->starts[placing->n_starts++] = (struct themis_start){job, (int)placing->n_gpus, n};
  placing->n_gpus += (size_t)n;
}

/* Behind the GPUs of the starts so far: those of a task, ascending. Returns how many. */
static int list_gpus(struct themis_placing *placing, int bidder, int task) {
  const struct themis_leases *leases = &placing->roster->leases;
  int n = 0, gpu = placing->roster->bidders[bidder].head;
  for (; gpu >= 0; gpu = leases->gpus[gpu].next)
    if (placing->owner[gpu] == task) {
      size_t at = placing->n_gpus + (size_t)n++;
      placing->gpus =
          mem_grow(placing->gpus, at + 1, &placing->gpus_capacity, sizeof *placing->gpus);
      placing->gpus[at] = gpu;
    }
  return n;
}

static void plan_task(struct themis_placing *placing, struct hsim_plan *plan, int bidder, int i) {
  const struct themis_task *task = &placing->agent.tasks[i];
  const struct hsim_active *active = placing->context.jobs[task->number];
  const struct hsim_gang *gang = active->n_gangs > 0 ? active->gangs[0] : NULL;
  int n = list_gpus(placing, bidder, i);
  placing->roster->jobs[task->job].placed = n > 0;
  if (gang != NULL && gang->size == n &&
      memcmp(gang->gpus, &placing->gpus[placing->n_gpus], (size_t)n * sizeof(int)) == 0)
    return;
  if (gang != NULL)
    hsim_plan_stop(plan, task->job);
  if (n == 0)
    return;
  start(placing, task->job, n);
  placing->roster->jobs[task->job].score = themis_agent_score(&placing->agent, task);
}

static bool is_task(const struct themis_agent *agent, int job) {
  for (int i = 0; i < agent->n_tasks; i++)
    if (agent->tasks[i].job == job)
      return true;
  return false;
}

/* Jobs that run and that the bidder's GPUs have no place for any more. */
static void stop_others(struct themis_placing *placing, const struct hsim_view *view,
                        struct hsim_plan *plan, int bidder) {
  const struct themis_bidder *b = &placing->roster->bidders[bidder];
  for (int i = 0; i < b->n_jobs; i++) {
    if (b->held > 0 && is_task(&placing->agent, b->jobs[i]))
      continue;
    placing->roster->jobs[b->jobs[i]].placed = false;
    if (hsim_active_job(view, b->jobs[i])->n_gangs > 0)
      hsim_plan_stop(plan, b->jobs[i]);
  }
}

static int plan_bidder(struct themis_placing *placing, const struct hsim_view *view,
                       struct hsim_plan *plan, int bidder) {
  struct themis_bidder *b = &placing->roster->bidders[bidder];
  int released = 0;
  if (b->held > 0) {
    assign(placing, view, bidder);
    for (int i = 0; i < placing->agent.n_tasks; i++)
      plan_task(placing, plan, bidder, i);
    released = release_unused(placing, bidder, view->now);
  }
  stop_others(placing, view, plan, bidder);
  b->touched = false;
  return released;
}

int themis_placing_plan(struct themis_placing *placing, const struct hsim_view *view,
                        struct hsim_plan *plan) {
  struct themis_roster *roster = placing->roster;
  int released = 0;
  placing->n_starts = placing->n_gpus = 0;
  for (int i = 0; i < roster->n_active; i++)
    if (roster->bidders[roster->active[i]].touched)
      released += plan_bidder(placing, view, plan, roster->active[i]);
  for (size_t i = 0; i < placing->n_starts; i++) {
    const struct themis_start *s = &placing->starts[i];
    hsim_plan_add(plan,
                  &(struct hsim_request){.job = s->job,
                                         .at = {.n_gpus = s->n, .gpus = &placing->gpus[s->first]},
                                         .stall_s = placing->restart_s});
  }
  return released;
}
