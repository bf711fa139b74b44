/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/decision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/hadar/fill.h"
#include "policy/hadar/fluid.h"

enum hsim_status hadar_init(struct hadar *hadar, const struct hsim_view *view,
                            struct hsim_error *error) {
  hadar_roster_init(&hadar->roster, view);
  hadar->nodes_changed = true;
  return hadar_diagnostics_open(&hadar->diagnostics, hadar->settings.diagnostics, error);
}

void hadar_free(struct hadar *hadar) {
  hadar_classes_free(&hadar->classes);
  hadar_roster_free(&hadar->roster);
  hadar_prices_free(&hadar->prices);
  hadar_found_free(&hadar->found);
  hadar_queue_free(&hadar->queue);
  hadar_dp_free(&hadar->dp);
  hadar_exact_free(&hadar->exact);
  hadar_matching_free(&hadar->matching);
  hadar_board_free(&hadar->board);
  hadar_mapping_free(&hadar->mapping);
  hadar_report_free(&hadar->report);
  hadar_diagnostics_close(&hadar->diagnostics);
  free(hadar->shares);
}

void hadar_job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  struct hadar *hadar = state;
  (void)view;
  hadar_roster_arrived(&hadar->roster, job);
}

void hadar_job_finished(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  struct hadar *hadar = state;
  (void)view;
  (void)job;
  hadar_roster_finished(&hadar->roster);
}

void hadar_node_changed(void *state, const struct hsim_view *view, int node, bool up) {
  struct hadar *hadar = state;
  (void)view;
  (void)node;
  (void)up;
  hadar->nodes_changed = true;
}

void hadar_round_ended(void *state, const struct hsim_view *view, const struct hsim_ran *ran,
                       size_t n_ran) {
  struct hadar *hadar = state;
  if (hadar->settings.noise > 0)
    hadar_roster_measure(&hadar->roster, view, &hadar->classes, ran, n_ran);
}

/* ---- One decision ---- */

enum hsim_status hadar_prepare(struct hadar *hadar, const struct hsim_view *view,
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
                                        .whole_schedule = hadar->settings.whole_schedule,
                                        .max_copies = hadar->settings.max_copies,
                                        .consolidate_s = hadar->settings.consolidate_s};
  if (hadar->settings.bound && hadar->bound_s <= 0)
    return hadar_fluid_bound(&hadar->classes, roster->jobs, roster->n, &hadar->bound_s, error);
  return HSIM_OK;
}

/* The dual subroutine: who is served for its payoff, into hadar->dp. */
static enum hsim_status choose(struct hadar *hadar, struct hsim_error *error) {
  const struct hadar_settings *settings = &hadar->settings;
  const struct hadar_job *jobs = hadar->roster.jobs;
  const struct hadar_queue *queue = &hadar->queue;
  if (settings->matching && hadar_can_match(&hadar->classes, jobs, hadar->roster.n)) {
    hadar_match(&hadar->matching, &hadar->market, jobs, queue->jobs, queue->n, &hadar->found,
                &hadar->dp);
    return HSIM_OK;
  }
  if (settings->exact)
    return hadar_exact_run(&hadar->exact, &hadar->market, jobs, queue->jobs, queue->n,
                           settings->best_only, &hadar->found, &hadar->dp, error);
  hadar_dp_run(&hadar->dp, &hadar->market, jobs, queue->jobs, queue->n, settings->beam,
               settings->best_only, &hadar->found);
  return HSIM_OK;
}

static void give_choices(struct hadar *hadar) {
  hadar_board_reset(&hadar->board, &hadar->classes, hadar->roster.n);
  for (int i = 0; i < hadar->dp.n_choices; i++) {
    const struct hadar_choice *choice = &hadar->dp.choices[i];
    bool aged = hadar->roster.jobs[choice->job].forced;
    struct hadar_grant terms = {.rate = choice->rate,
                                .payoff = choice->payoff,
                                .how = aged ? HADAR_BY_AGE : HADAR_BY_PAYOFF};
    hadar_board_give(&hadar->board, choice->job, &hadar->dp.parts[choice->first_part],
                     choice->n_parts, &terms);
    hadar->aged += aged;
  }
}

static void fill(struct hadar *hadar) {
  const struct hadar_settings *settings = &hadar->settings;
  const struct hadar_market *market = &hadar->market;
  const struct hadar_job *jobs = hadar->roster.jobs;
  const struct hadar_queue *queue = &hadar->queue;
  struct hadar_board *board = &hadar->board;
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

enum hsim_status hadar_decide(struct hadar *hadar, struct hsim_error *error) {
  hadar_queue_fill(&hadar->queue, &hadar->market, hadar->roster.jobs, hadar->roster.n,
                   hadar->settings.order, &hadar->found);
  enum hsim_status status = choose(hadar, error);
  if (status != HSIM_OK)
    return status;
  give_choices(hadar);
  fill(hadar);
  return HSIM_OK;
}

bool hadar_is_unchanged(const struct hadar_board *board, const struct hadar_job *job, int at) {
  const struct hadar_grant *grant = &board->grants[at];
  if (grant->n_seats != job->held_nodes)
    return false;
  const struct hadar_seat *seats = &board->seats[grant->first_seat];
  for (int i = 0; i < grant->n_seats; i++)
    if (seats[i].node != job->seats[i].node || seats[i].delta != job->seats[i].delta)
      return false;
  return true;
}

int hadar_list_shares(struct hadar *hadar, const struct hsim_cluster *cluster,
                      const struct hadar_seat *seat, int n) {
  const struct hsim_node *node = &cluster->nodes[seat->node];
  const struct hadar_class *cls = &hadar->classes.at[hadar->classes.class_of_node[seat->node]];
  hadar->shares = mem_grow(hadar->shares, (size_t)(n + node->n_bays), &hadar->shares_capacity,
                           sizeof *hadar->shares);
  for (int bay = node->first_bay; bay < node->first_bay + node->n_bays; bay++)
    for (int b = cls->first_bay; b < cls->first_bay + cls->n_bays; b++) {
      const struct hadar_bay *same = &hadar->classes.bays[b];
      int gpus = hadar_bay_gpus(same, seat->delta);
      if (same->type == cluster->bays[bay].type && gpus > 0)
        hadar->shares[n++] = (struct hsim_share){bay, gpus};
    }
  return n;
}

/* ---- What is told of it ---- */

enum hsim_status hadar_tell_round(struct hadar *hadar, const struct hsim_view *view,
                                  const char *more, struct hsim_error *error) {
  if (hsim_logging(view)) {
    hadar_report_round(&hadar->report, view->cluster, &hadar->market, hadar->dp.value,
                       &hadar->board, hadar->roster.active, hadar->queue.jobs, hadar->queue.n,
                       more);
    hsim_emit(view, hadar->report.text);
  }
  return hadar_diagnostics_round(&hadar->diagnostics, view, &hadar->prices, hadar->dp.value,
                                 &hadar->board, hadar->roster.active, error);
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

void hadar_tell_waiting(struct hadar *hadar, struct hsim_plan *plan) {
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

void hadar_ended(void *state, const struct hsim_view *view) {
  const struct hadar *hadar = state;
  hsim_stat(view, "alpha_max", hadar->alpha_max);
  if (hadar->settings.bound)
    hsim_stat(view, "fluid_bound_s", hadar->bound_s);
  hsim_stat(view, "aged", hadar->aged);
  hsim_stat(view, "backfilled", hadar->backfilled);
  hsim_stat(view, "rescued", hadar->rescued);
  hsim_stat(view, "upgraded", hadar->upgraded);
  hsim_stat(view, "price_waits", hadar->price_waits);
}

void hadar_dump(const void *state, char *text, size_t size) {
  const struct hadar *hadar = state;
  snprintf(text, size, "%d jobs, %d queued, %d choices, total payoff %.17g, %d GPUs left",
           hadar->roster.n, hadar->queue.n, hadar->dp.n_choices, hadar->dp.value,
           hadar->board.room.gpus);
}
