/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Hadar and HadarE have in common: one round's decision, from the view to a board that says
 * who holds what, and what is told of it.
 */
#ifndef HSIM_POLICY_HADAR_DECISION_H
#define HSIM_POLICY_HADAR_DECISION_H

#include "policy/hadar/board.h"
#include "policy/hadar/diagnostics.h"
#include "policy/hadar/dp.h"
#include "policy/hadar/exact.h"
#include "policy/hadar/mapping.h"
#include "policy/hadar/matching.h"
#include "policy/hadar/order.h"
#include "policy/hadar/report.h"
#include "policy/hadar/roster.h"

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
  struct hadar_exact exact;
  struct hadar_matching matching;
  struct hadar_board board;
  struct hadar_mapping mapping;
  struct hadar_report report;
  struct hadar_diagnostics diagnostics;
  struct hsim_share *shares;
  size_t shares_capacity;
  double alpha_max;
  double bound_s; /* settings.bound: of the first round's jobs, 0 before */
  double aged, backfilled, rescued, upgraded, price_waits; /* job-rounds */
};

/* The policies' callbacks that are the same for both. `state` is (or starts with) a struct hadar.
 */
enum hsim_status hadar_init(struct hadar *hadar, const struct hsim_view *view,
                            struct hsim_error *error); /* after hadar_settings_read */
void hadar_free(struct hadar *hadar);
void hadar_job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job);
void hadar_job_finished(void *state, const struct hsim_view *view, const struct hsim_active *job);
void hadar_node_changed(void *state, const struct hsim_view *view, int node, bool up);
void hadar_round_ended(void *state, const struct hsim_view *view, const struct hsim_ran *ran,
                       size_t n_ran);
void hadar_ended(void *state, const struct hsim_view *view);
void hadar_dump(const void *state, char *text, size_t size);

/* Makes the round's jobs, classes and prices. */
enum hsim_status hadar_prepare(struct hadar *hadar, const struct hsim_view *view,
                               struct hsim_error *error);

/* Queue, dual subroutine, backfill and upgrade: the board says who is served. */
enum hsim_status hadar_decide(struct hadar *hadar, struct hsim_error *error);

/* The policy log's line, with `more` members, and the diagnostics' rows of this round, where asked
 * for. */
enum hsim_status hadar_tell_round(struct hadar *hadar, const struct hsim_view *view,
                                  const char *more, struct hsim_error *error);

/* Ages the waiting jobs and says why they wait, where that is news. */
void hadar_tell_waiting(struct hadar *hadar, struct hsim_plan *plan);

/* True when the job has just the seats that it holds already. After hadar_map. */
bool hadar_is_unchanged(const struct hadar_board *board, const struct hadar_job *job, int at);

/* Writes a seat on a real node as shares of its bays behind the first `n` of hadar->shares. Returns
 * how many there are then. */
int hadar_list_shares(struct hadar *hadar, const struct hsim_cluster *cluster,
                      const struct hadar_seat *seat, int n);

#endif
