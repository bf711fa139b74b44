/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/agent.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/themis/bundle.h"

void themis_agent_free(struct themis_agent *agent) {
  free(agent->tasks);
  free(agent->held);
  free(agent->on);
  free(agent->memo);
  free(agent->by_gpus);
  free(agent->takes);
  free(agent->sum);
  free(agent->left);
}

/* ---- Building ---- */

void themis_agent_begin(struct themis_agent *agent, const struct hsim_cluster *cluster,
                        themis_seconds_fn *seconds, const void *context) {
  agent->cluster = cluster;
  agent->seconds = seconds;
  agent->context = context;
  agent->n_tasks = agent->n_held = agent->held_gpus = agent->n_on = agent->n_takes = 0;
  agent->most = agent->smallest = 0;
  agent->work = 0;
  agent->flat = true;
  agent->restart_s = 0;
  agent->boast = 1;
}

void themis_agent_task(struct themis_agent *agent, int job, int least, int most,
                       const struct hsim_share *on, int n_on) {
  int n = agent->n_tasks++;
  agent->tasks =
      mem_grow(agent->tasks, (size_t)n + 1, &agent->tasks_capacity, sizeof *agent->tasks);
  agent->on =
      mem_grow(agent->on, (size_t)(agent->n_on + n_on), &agent->on_capacity, sizeof *agent->on);
  agent->tasks[n] = (struct themis_task){.job = job,
                                         .least = least,
                                         .most = most,
                                         .cap = most,
                                         .first_held = agent->n_on,
                                         .n_held = n_on,
                                         .number = n};
  for (int i = 0; i < n_on; i++)
    agent->on[agent->n_on++] = on[i];
}

void themis_agent_hold(struct themis_agent *agent, int bay, int gpus) {
  agent->held =
      mem_grow(agent->held, (size_t)agent->n_held + 1, &agent->held_capacity, sizeof *agent->held);
  agent->n_held = themis_bundle_put(agent->held, agent->n_held, bay, gpus);
  agent->held_gpus += gpus;
}

static int by_length(const void *a, const void *b) {
  const struct themis_task *x = a, *y = b;
  double length_x = x->work / x->most, length_y = y->work / y->most;
  if (length_x != length_y)
    return length_x > length_y ? -1 : 1;
  return (x->job > y->job) - (x->job < y->job);
}

static double seconds_of(struct themis_agent *agent, const struct themis_task *task, int size,
                         enum hsim_span span) {
  double *memo = &agent->memo[task->first_memo + 4 * (size - 1) + (int)span];
  if (isnan(*memo))
    *memo = agent->seconds(agent->context, task->number, size, span);
  return *memo;
}

void themis_agent_finish(struct themis_agent *agent) {
  size_t n_memo = 0;
  for (int i = 0; i < agent->n_tasks; i++) {
    struct themis_task *task = &agent->tasks[i];
    task->first_memo = (int)n_memo;
    n_memo += 4 * (size_t)task->most;
  }
  agent->memo = mem_grow(agent->memo, n_memo, &agent->memo_capacity, sizeof *agent->memo);
  for (size_t i = 0; i < n_memo; i++)
    agent->memo[i] = NAN;
  for (int i = 0; i < agent->n_tasks; i++) {
    struct themis_task *task = &agent->tasks[i];
    task->work = task->least * seconds_of(agent, task, task->least, HSIM_SPAN_SLOT);
    agent->work += task->work;
    agent->most += task->most;
    if (agent->smallest == 0 || task->least < agent->smallest)
      agent->smallest = task->least;
    agent->flat = agent->flat && task->most == 1;
  }
  if (agent->n_tasks > 1)
    qsort(agent->tasks, (size_t)agent->n_tasks, sizeof *agent->tasks, by_length);
  agent->by_gpus = mem_grow(agent->by_gpus, (size_t)agent->most + 1, &agent->by_gpus_capacity,
                            sizeof *agent->by_gpus);
  for (int k = 0; k <= agent->most; k++)
    agent->by_gpus[k] = NAN;
}

/* ---- Splitting a bundle ---- */

/* How many GPUs each job gets of `gpus`. Returns how many are used. */
static int choose_sizes(struct themis_agent *agent, int gpus) {
  int left = gpus;
  for (int i = 0; i < agent->n_tasks; i++) {
    struct themis_task *task = &agent->tasks[i];
    task->size = left < task->cap ? left : task->cap;
    while (task->size >= task->least && isinf(seconds_of(agent, task, task->size, HSIM_SPAN_SLOT)))
      task->size--;
    if (task->size < task->least)
      task->size = 0;
    task->first_take = 0;
    left -= task->size;
  }
  return gpus - left;
}

static void take(struct themis_agent *agent, struct themis_task *task, struct hsim_share *from,
                 int gpus) {
  from->gpus -= gpus;
  for (int t = task->first_take; t; t = agent->takes[t - 1].next)
    if (agent->takes[t - 1].share.bay == from->bay) {
      agent->takes[t - 1].share.gpus += gpus;
      agent->takes[t - 1].open += gpus;
      return;
    }
  int n = agent->n_takes++;
  agent->takes =
      mem_grow(agent->takes, (size_t)n + 1, &agent->takes_capacity, sizeof *agent->takes);
  agent->takes[n] = (struct themis_take){{from->bay, gpus}, gpus, task->first_take};
  task->first_take = n + 1;
}

static int taken(const struct themis_agent *agent, const struct themis_task *task,
                 struct themis_reach *reach) {
  int gpus = 0;
  for (int t = task->first_take; t; t = agent->takes[t - 1].next) {
    const struct hsim_share *share = &agent->takes[t - 1].share;
    gpus += share->gpus;
    themis_reach_add(reach, agent->cluster, share->bay, share->gpus);
  }
  return gpus;
}

/* Where the job already runs, as far as it still may. */
static void claim_own(struct themis_agent *agent, struct themis_task *task, int n_left) {
  int need = task->size, at = 0;
  for (int i = 0; i < task->n_held && need > 0; i++) {
    const struct hsim_share *own = &agent->on[task->first_held + i];
    while (at < n_left && agent->left[at].bay < own->bay)
      at++;
    if (at == n_left || agent->left[at].bay != own->bay)
      continue;
    int gpus = own->gpus < agent->left[at].gpus ? own->gpus : agent->left[at].gpus;
    gpus = gpus < need ? gpus : need;
    if (gpus > 0)
      take(agent, task, &agent->left[at], gpus);
    need -= gpus;
  }
}

/* How far a bay is from where the job is already: 0 its node, 1 its rack, 2 elsewhere. */
static int distance(const struct themis_agent *agent, const struct themis_task *task,
                    const struct themis_reach *reach, int bay) {
  for (int t = task->first_take; t; t = agent->takes[t - 1].next)
    if (agent->takes[t - 1].share.bay == bay)
      return 0;
  if (reach->node < 0)
    return 0;
  int rack = agent->cluster->nodes[agent->cluster->bays[bay].node].rack;
  return rack >= 0 && rack == reach->rack ? 1 : 2;
}

/* The next bay for a job that still needs GPUs: the nearest; of these the one that fits tightest,
 * else the one with the most left; then the lowest. */
static struct hsim_share *next_bay(struct themis_agent *agent, const struct themis_task *task,
                                   const struct themis_reach *reach, int need, int n_left) {
  struct hsim_share *best = NULL;
  int best_distance = 0;
  for (int i = 0; i < n_left; i++) {
    struct hsim_share *share = &agent->left[i];
    if (share->gpus == 0)
      continue;
    int away = distance(agent, task, reach, share->bay);
    bool better = best == NULL || away < best_distance;
    if (!better && away == best_distance)
      better = best->gpus >= need ? share->gpus >= need && share->gpus < best->gpus
                                  : share->gpus > best->gpus;
    if (better) {
      best = share;
      best_distance = away;
    }
  }
  return best;
}

static void fill(struct themis_agent *agent, struct themis_task *task, int n_left) {
  for (;;) {
    struct themis_reach reach = THEMIS_NOWHERE;
    int need = task->size - taken(agent, task, &reach);
    struct hsim_share *bay = need > 0 ? next_bay(agent, task, &reach, need, n_left) : NULL;
    if (bay == NULL)
      return;
    take(agent, task, bay, bay->gpus < need ? bay->gpus : need);
  }
}

/* GPU-seconds that a job needs at the size and place of the last split; `together`: as if its gang
 * stood inside one slot. */
static double work_at(struct themis_agent *agent, const struct themis_task *task, bool together) {
  enum hsim_span span = HSIM_SPAN_SLOT;
  if (!together && task->size > 1) {
    struct themis_reach reach = THEMIS_NOWHERE;
    taken(agent, task, &reach);
    span = themis_reach_span(&reach, agent->cluster);
  }
  return task->size * seconds_of(agent, task, task->size, span);
}

/* The most GPUs that the job got of one node. */
static int most_of_a_node(const struct themis_agent *agent, const struct themis_task *task) {
  int most = 0;
  for (int t = task->first_take; t; t = agent->takes[t - 1].next) {
    int node = agent->cluster->bays[agent->takes[t - 1].share.bay].node, here = 0;
    for (int u = task->first_take; u; u = agent->takes[u - 1].next)
      if (agent->cluster->bays[agent->takes[u - 1].share.bay].node == node)
        here += agent->takes[u - 1].share.gpus;
    most = here > most ? here : most;
  }
  return most;
}

static void lay_out(struct themis_agent *agent, const struct hsim_share *all, int n) {
  agent->n_takes = 0;
  for (int i = 0; i < n; i++)
    agent->left[i] = all[i];
  for (int i = 0; i < agent->n_tasks; i++)
    claim_own(agent, &agent->tasks[i], n);
  for (int i = 0; i < agent->n_tasks; i++)
    fill(agent, &agent->tasks[i], n);
}

/* A job that cannot run over the nodes that it got may have no more than it got of one of them.
 * Returns whether there was such a job. */
static bool confine(struct themis_agent *agent) {
  bool any = false;
  for (int i = 0; i < agent->n_tasks; i++) {
    struct themis_task *task = &agent->tasks[i];
    if (task->size <= 1 || isfinite(work_at(agent, task, false)))
      continue;
    int here = most_of_a_node(agent, task);
    task->cap = here < task->size ? here : task->size - 1;
    any = true;
  }
  return any;
}

int themis_agent_split(struct themis_agent *agent, const struct hsim_share *all, int n) {
  agent->left = mem_grow(agent->left, (size_t)n, &agent->left_capacity, sizeof *agent->left);
  int used;
  do {
    used = choose_sizes(agent, themis_bundle_gpus(all, n));
    lay_out(agent, all, n);
  } while (confine(agent));
  for (int i = 0; i < agent->n_tasks; i++)
    agent->tasks[i].cap = agent->tasks[i].most;
  return used;
}

/* ---- Time and value ---- */

double themis_agent_score(struct themis_agent *agent, const struct themis_task *task) {
  return work_at(agent, task, true) / work_at(agent, task, false);
}

/* T_rem after a split that uses `used` GPUs. */
static double remaining_after_split(struct themis_agent *agent, int used, bool together) {
  if (used == 0)
    return INFINITY;
  double placed = 0, nominal = 0;
  for (int i = 0; i < agent->n_tasks; i++) {
    if (agent->tasks[i].size == 0)
      continue;
    placed += work_at(agent, &agent->tasks[i], together);
    nominal += agent->tasks[i].work;
  }
  double loss = placed / nominal, sum = 0, longest = 0;
  for (int i = 0; i < agent->n_tasks; i++) {
    const struct themis_task *task = &agent->tasks[i];
    double work = task->size > 0 ? work_at(agent, task, together) : task->work * loss;
    sum += work;
    longest = fmax(longest, work / (used < task->most ? used : task->most));
  }
  return fmax(sum / used, longest);
}

static double remaining_of(struct themis_agent *agent, const struct hsim_share *all, int n,
                           int gpus) {
  if (!agent->flat) {
    int used = agent->n_tasks == 1 ? choose_sizes(agent, gpus) : 0;
    if (gpus == 0)
      return INFINITY;
    double alone = agent->n_tasks == 1 && used == gpus
                       ? seconds_of(agent, agent->tasks, gpus, themis_span(agent->cluster, all, n))
                       : INFINITY;
    if (isfinite(alone))
      return alone;
    return remaining_after_split(agent, themis_agent_split(agent, all, n), false);
  }
  int k = gpus < agent->most ? gpus : agent->most;
  if (isnan(agent->by_gpus[k]))
    agent->by_gpus[k] = remaining_after_split(agent, choose_sizes(agent, k), true);
  return agent->by_gpus[k];
}

double themis_agent_remaining(struct themis_agent *agent, const struct hsim_share *more, int n) {
  int gpus = agent->held_gpus + themis_bundle_gpus(more, n);
  if (agent->flat)
    return remaining_of(agent, NULL, 0, gpus);
  size_t room = (size_t)(agent->n_held + n);
  agent->sum = mem_grow(agent->sum, room, &agent->sum_capacity, sizeof *agent->sum);
  int n_all = themis_bundle_add(agent->held, agent->n_held, more, n, agent->sum);
  return remaining_of(agent, agent->sum, n_all, gpus);
}

double themis_agent_smallest_remaining(struct themis_agent *agent) {
  return remaining_after_split(agent, choose_sizes(agent, agent->smallest), true);
}

double themis_agent_shared(struct themis_agent *agent, const struct hsim_share *more, int n) {
  double stall = n > 0 ? agent->restart_s : 0;
  return agent->elapsed_s + themis_agent_remaining(agent, more, n) + stall;
}

double themis_agent_value(struct themis_agent *agent, const struct hsim_share *more, int n) {
  double boast = n > 0 ? agent->boast : 1;
  if (agent->valuation == THEMIS_SPEEDUP) {
    double stall = n > 0 ? agent->restart_s : 0;
    return boast * agent->work / (themis_agent_remaining(agent, more, n) + stall);
  }
  return boast * agent->ideal_s / themis_agent_shared(agent, more, n);
}

int themis_agent_step(struct themis_agent *agent) {
  if (agent->flat)
    return agent->held_gpus < agent->most ? 1 : 0;
  int unused = agent->held_gpus - choose_sizes(agent, agent->held_gpus), step = 0;
  for (int i = 0; i < agent->n_tasks; i++) {
    const struct themis_task *task = &agent->tasks[i];
    if (task->size > 0 && task->size < task->most)
      return 1;
    if (task->size == 0 && (step == 0 || task->least < step))
      step = task->least;
  }
  return step > unused ? step - unused : step > 0 ? 1 : 0;
}
