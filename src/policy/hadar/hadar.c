/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hadar: Sultana, Xu, Yuan, Chen and Tzeng, IPDPS 2024. Every round decides anew who runs where: a
 * job is worth a utility that falls with its finish time, GPUs have prices that rise as they are
 * taken, and the jobs and placements with the highest total payoff (utility less cost) are served.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/hadar/board.h"
#include "policy/hadar/dp.h"
#include "policy/hadar/fill.h"
#include "policy/hadar/mapping.h"
#include "policy/hadar/order.h"
#include "policy/hadar/quiet.h"
#include "policy/hadar/report.h"
#include "policy/hadar/roster.h"
#include "policy/policies.h"

struct hadar {
  struct hadar_settings settings;
  struct hadar_classes classes;
  bool nodes_changed;
  struct hadar_roster roster;
  struct hadar_prices prices;
  struct hadar_market market;
  struct hadar_found found;
  struct hadar_queue queue;
  struct hadar_dp dp;
  struct hadar_board board;
  struct hadar_mapping mapping;
  struct hadar_report report;
  struct hsim_share *shares;
  size_t shares_capacity;
  double alpha_max;
  double aged, backfilled, rescued, upgraded, price_waits; /* job-rounds */
};

static enum hsim_status hadar_create(void *state, const struct hsim_view *view,
                                     const struct hsim_value *values, struct hsim_error *error) {
  struct hadar *hadar = state;
  (void)error;
  hadar_settings_read(&hadar->settings, values);
  hadar_roster_init(&hadar->roster, view);
  hadar->nodes_changed = true;
  return HSIM_OK;
}

static void hadar_destroy(void *state) {
  struct hadar *hadar = state;
  hadar_classes_free(&hadar->classes);
  hadar_roster_free(&hadar->roster);
  hadar_prices_free(&hadar->prices);
  hadar_found_free(&hadar->found);
  hadar_queue_free(&hadar->queue);
  hadar_dp_free(&hadar->dp);
  hadar_board_free(&hadar->board);
  hadar_mapping_free(&hadar->mapping);
  hadar_report_free(&hadar->report);
  free(hadar->shares);
}

static void hadar_job_arrived(void *state, const struct hsim_view *view,
                              const struct hsim_active *job) {
  struct hadar *hadar = state;
  (void)view;
  hadar_roster_arrived(&hadar->roster, job);
}

static void hadar_job_finished(void *state, const struct hsim_view *view,
                               const struct hsim_active *job) {
  struct hadar *hadar = state;
  (void)view;
  (void)job;
  hadar_roster_finished(&hadar->roster);
}

static void hadar_node_changed(void *state, const struct hsim_view *view, int node, bool up) {
  struct hadar *hadar = state;
  (void)view;
  (void)node;
  (void)up;
  hadar->nodes_changed = true;
}

static void hadar_round_ended(void *state, const struct hsim_view *view, const struct hsim_ran *ran,
                              size_t n_ran) {
  struct hadar *hadar = state;
  if (hadar->settings.noise > 0)
    hadar_roster_measure(&hadar->roster, view, &hadar->classes, ran, n_ran);
}

/* ---- One decision ---- */

static enum hsim_status prepare(struct hadar *hadar, const struct hsim_view *view,
                                struct hsim_error *error) {
  if (hadar->nodes_changed) {
    hadar_classes_free(&hadar->classes);
    hadar_found_free(&hadar->found);
    enum hsim_status status =
        hadar_classes_init(&hadar->classes, view->cluster, view->node_up, error);
    if (status != HSIM_OK)
      return status;
    hadar_found_init(&hadar->found, &hadar->classes);
    hadar_roster_refit(&hadar->roster, &hadar->classes);
    hadar->nodes_changed = false;
  }
  struct hadar_roster *roster = &hadar->roster;
  hadar_roster_fill(roster, view, &hadar->classes, &hadar->settings);
  if (roster->stale) {
    hadar_prices_set(&hadar->prices, &hadar->classes, roster->stakes, roster->n, view->round_s,
                     &hadar->settings);
    hadar->alpha_max = fmax(hadar->alpha_max, hadar->prices.alpha);
    roster->stale = false;
  }
  hadar->market = (struct hadar_market){.classes = &hadar->classes,
                                        .prices = &hadar->prices,
                                        .round_s = view->round_s,
                                        .whole_schedule = hadar->settings.whole_schedule};
  return HSIM_OK;
}

static void decide(struct hadar *hadar) {
  const struct hadar_settings *settings = &hadar->settings;
  const struct hadar_market *market = &hadar->market;
  const struct hadar_job *jobs = hadar->roster.jobs;
  struct hadar_queue *queue = &hadar->queue;
  struct hadar_board *board = &hadar->board;
  hadar_queue_fill(queue, market, jobs, hadar->roster.n, settings->order, &hadar->found);
  hadar_dp_run(&hadar->dp, market, jobs, queue->jobs, queue->n, settings->beam, settings->best_only,
               &hadar->found);
  hadar_board_reset(board, &hadar->classes, hadar->roster.n);
  for (int i = 0; i < hadar->dp.n_choices; i++) {
    const struct hadar_choice *choice = &hadar->dp.choices[i];
    bool aged = jobs[choice->job].forced;
    struct hadar_grant terms = {.rate = choice->rate,
                                .payoff = choice->payoff,
                                .how = aged ? HADAR_BY_AGE : HADAR_BY_PAYOFF};
    hadar_board_give(board, choice->job, &hadar->dp.parts[choice->first_part], choice->n_parts,
                     &terms);
    hadar->aged += aged;
  }
  if (settings->backfill)
    hadar->backfilled += hadar_backfill(board, market, jobs, queue->jobs, queue->n, &hadar->found);
  else if (board->n_seats == 0)
    hadar->rescued += hadar_rescue(board, market, jobs, queue->jobs, queue->n, &hadar->found);
  if (!settings->upgrade)
    return;
  int upgraded = hadar_upgrade(board, market, jobs, queue->jobs, queue->n, &hadar->found);
  hadar->upgraded += upgraded;
  /* What an upgrade left behind may suit a job that the other GPUs did not. */
  if (upgraded > 0 && settings->backfill)
    hadar->backfilled += hadar_backfill(board, market, jobs, queue->jobs, queue->n, &hadar->found);
}

static bool unchanged(const struct hadar_board *board, const struct hadar_job *job, int at) {
  const struct hadar_grant *grant = &board->grants[at];
  if (grant->n_seats != job->held_nodes)
    return false;
  const struct hadar_seat *seats = &board->seats[grant->first_seat];
  for (int i = 0; i < grant->n_seats; i++)
    if (seats[i].node != job->seats[i].node || seats[i].delta != job->seats[i].delta)
      return false;
  return true;
}

static void place(struct hadar *hadar, const struct hsim_view *view, struct hsim_plan *plan,
                  int at) {
  const struct hadar_grant *grant = &hadar->board.grants[at];
  int n = 0;
  for (int i = 0; i < grant->n_seats; i++) {
    const struct hadar_seat *seat = &hadar->board.seats[grant->first_seat + i];
    const struct hsim_node *node = &view->cluster->nodes[seat->node];
    const struct hadar_class *cls = &hadar->classes.at[hadar->classes.class_of_node[seat->node]];
    hadar->shares = mem_grow(hadar->shares, (size_t)(n + node->n_bays), &hadar->shares_capacity,
                             sizeof *hadar->shares);
    for (int bay = node->first_bay; bay < node->first_bay + node->n_bays; bay++)
      for (int b = cls->first_bay; b < cls->first_bay + cls->n_bays; b++) {
        const struct hadar_bay *same = &hadar->classes.bays[b];
        int gpus = hadar_bay_gpus(same, seat->delta);
        if (same->type == view->cluster->bays[bay].type && gpus > 0)
          hadar->shares[n++] = (struct hsim_share){bay, gpus};
      }
  }
  hsim_plan_place(plan, hadar->roster.jobs[at].index, hadar->shares, n);
}

/* True when the plan differs from what runs now. All jobs that stay are kept first, so that their
 * GPUs are not given to others. */
static bool fill_plan(struct hadar *hadar, const struct hsim_view *view, struct hsim_plan *plan) {
  const struct hadar_roster *roster = &hadar->roster;
  bool changed = false;
  for (int i = 0; i < roster->n && !changed; i++)
    changed = !unchanged(&hadar->board, &roster->jobs[i], i);
  if (!changed)
    return false;
  hsim_plan_clear(plan);
  for (int i = 0; i < roster->n; i++)
    if (roster->jobs[i].held_nodes > 0 && unchanged(&hadar->board, &roster->jobs[i], i))
      hsim_plan_keep(plan, roster->jobs[i].index);
  for (int i = 0; i < roster->n; i++)
    if (hadar->board.grants[i].n_seats > 0 && !unchanged(&hadar->board, &roster->jobs[i], i))
      place(hadar, view, plan, i);
  return true;
}

static int usable_gpus(const struct hadar *hadar, const struct hadar_kind *kind) {
  int gpus = 0;
  for (int e = 0; e < hadar->board.room.n; e++) {
    const struct hadar_entry *entry = &hadar->board.room.at[e];
    const struct hadar_class *cls = &hadar->classes.at[entry->cls];
    for (int b = cls->first_bay; b < cls->first_bay + cls->n_bays; b++)
      if (kind->rank[hadar->classes.bays[b].type] >= 0)
        gpus += entry->nodes * hadar_bay_gpus(&hadar->classes.bays[b], entry->level);
  }
  return gpus;
}

static enum hsim_reason reason_of(struct hadar *hadar, const struct hadar_job *job) {
  int workers = job->kind->workers;
  if (hadar->board.room.gpus < workers)
    return HSIM_NO_CAPACITY;
  if (usable_gpus(hadar, job->kind) < workers)
    return HSIM_WRONG_TYPE;
  hadar_find(&hadar->market, &hadar->board.room, job, &hadar->found);
  const struct hadar_candidate *best = hadar_best(&hadar->found);
  if (best == NULL)
    return HSIM_FRAGMENTED;
  return best->payoff > 0 ? HSIM_OUTRANKED : HSIM_PRICE;
}

/* Ages the waiting jobs and says why they wait, where that is news. */
static void tell_waiting(struct hadar *hadar, struct hsim_plan *plan) {
  for (int i = 0; i < hadar->roster.n; i++) {
    const struct hadar_job *job = &hadar->roster.jobs[i];
    struct hadar_record *record = &hadar->roster.records[job->index];
    if (hadar->board.grants[i].n_seats > 0) {
      record->waited = 0;
      record->reason = -1;
      continue;
    }
    record->waited++;
    enum hsim_reason reason = reason_of(hadar, job);
    hadar->price_waits += reason == HSIM_PRICE;
    if ((int)reason == record->reason)
      continue;
    record->reason = (int)reason;
    hsim_plan_reason(plan, job->index, reason);
  }
}

static bool rates_stay(const struct hadar *hadar) {
  for (int i = 0; i < hadar->roster.n; i++)
    if (hadar->roster.active[i]->job->n_phases > 0)
      return false;
  return hadar->settings.noise <= 0;
}

static enum hsim_status hadar_schedule(void *state, const struct hsim_view *view,
                                       struct hsim_plan *plan, struct hsim_error *error) {
  struct hadar *hadar = state;
  enum hsim_status status = prepare(hadar, view, error);
  if (status != HSIM_OK || hadar->roster.n == 0)
    return status;
  decide(hadar);
  if (hsim_logging(view)) {
    hadar_report_round(&hadar->report, view->cluster, &hadar->market, hadar->dp.value,
                       &hadar->board, hadar->roster.active, hadar->queue.jobs, hadar->queue.n);
    hsim_emit(view, hadar->report.text);
  }
  bool quiet = hadar_is_quiet(&hadar->market, &hadar->board, hadar->roster.jobs, hadar->dp.value);
  hadar_map(&hadar->mapping, &hadar->board, hadar->roster.jobs);
  bool changed = fill_plan(hadar, view, plan);
  tell_waiting(hadar, plan);
  if (quiet && !changed && rates_stay(hadar) && !hsim_logging(view))
    hsim_plan_valid_until(plan, INFINITY);
  return HSIM_OK;
}

static void hadar_ended(void *state, const struct hsim_view *view) {
  const struct hadar *hadar = state;
  hsim_stat(view, "alpha_max", hadar->alpha_max);
  hsim_stat(view, "aged", hadar->aged);
  hsim_stat(view, "backfilled", hadar->backfilled);
  hsim_stat(view, "rescued", hadar->rescued);
  hsim_stat(view, "upgraded", hadar->upgraded);
  hsim_stat(view, "price_waits", hadar->price_waits);
}

static void hadar_dump(const void *state, char *text, size_t size) {
  const struct hadar *hadar = state;
  snprintf(text, size, "%d jobs, %d queued, %d choices, total payoff %.17g, %d GPUs left",
           hadar->roster.n, hadar->queue.n, hadar->dp.n_choices, hadar->dp.value,
           hadar->board.room.gpus);
}

const struct hsim_policy policy_hadar = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "hadar",
    .summary = "heterogeneity-aware gangs that may mix GPU types, by prices and payoffs "
               "(Sultana et al., IPDPS 2024)",
    .mode = HSIM_MODE_ROUND,
    .mixes_types = true,
    .oracle = HSIM_KNOWS_RATES | HSIM_KNOWS_REMAINING,
    .state_size = sizeof(struct hadar),
    .options = hadar_options,
    .n_options = N_HADAR_OPTIONS,
    .create = hadar_create,
    .destroy = hadar_destroy,
    .job_arrived = hadar_job_arrived,
    .job_finished = hadar_job_finished,
    .node_changed = hadar_node_changed,
    .round_ended = hadar_round_ended,
    .settled = hadar_settled,
    .schedule = hadar_schedule,
    .ended = hadar_ended,
    .dump = hadar_dump,
};
