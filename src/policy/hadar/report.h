/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A round's decision as one JSON object for the policy log:
 *   {"alpha": ..., "inverse_eta": ..., "prices": {"<type>": [Umin, Umax], ...}, "value": ...,
 *    "served": [{"job": "<id>", "payoff": ..., "rate": ..., "by": "<how>"}, ...]}
 * `value` is the dual subroutine's total payoff; served jobs stand in queue order; `by` is payoff,
 * age, backfill, rescue, upgrade or (HadarE) fork.
 */
#ifndef HSIM_POLICY_HADAR_REPORT_H
#define HSIM_POLICY_HADAR_REPORT_H

#include "hsim/view.h"
#include "policy/hadar/board.h"

struct hadar_report {
  char *text;
  size_t length, capacity;
};

/* Makes the text. `active` are the board's jobs; `more` is further members, each after a comma, or
 * "". */
void hadar_report_round(struct hadar_report *report, const struct hsim_cluster *cluster,
                        const struct hadar_market *market, double value,
                        const struct hadar_board *board, const struct hsim_active *const *active,
                        const int *queue, int n, const char *more);

/* HadarE's members, in a report of their own:
 *   ,"forks": [{"job": "<id>", "gain": ...}, ...], "copies": [{"job": "<id>", "copy": 1, "id": ...,
 *   "node": "<name>", "gpus": ..., "steps": ..., "stall_s": ...}, ...]
 * forks in the order in which the second phase gave them; steps 0: no budget. */
struct hadar_copy_line {
  const char *job;
  int copy;
  int64_t id;
  const char *node;
  int gpus;
  double steps, stall_s;
};
void hadar_report_forks(struct hadar_report *report);
void hadar_report_fork(struct hadar_report *report, const char *job, double gain);
void hadar_report_copies(struct hadar_report *report);
void hadar_report_copy(struct hadar_report *report, const struct hadar_copy_line *copy);
void hadar_report_copies_end(struct hadar_report *report);
void hadar_report_free(struct hadar_report *report);

#endif
