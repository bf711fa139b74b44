/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A round's decision as one JSON object for the policy log:
 *   {"alpha": ..., "inverse_eta": ..., "prices": {"<type>": [Umin, Umax], ...}, "value": ...,
 *    "served": [{"job": "<id>", "payoff": ..., "rate": ..., "by": "<how>"}, ...]}
 * `value` is the dual subroutine's total payoff; served jobs stand in queue order; `by` is payoff,
 * age, backfill, rescue or upgrade.
 */
#ifndef HSIM_POLICY_HADAR_REPORT_H
#define HSIM_POLICY_HADAR_REPORT_H

#include "hsim/view.h"
#include "policy/hadar/board.h"

struct hadar_report {
  char *text;
  size_t length, capacity;
};

/* Makes the text. `ids` are the names of the jobs. */
void hadar_report_round(struct hadar_report *report, const struct hsim_cluster *cluster,
                        const struct hadar_market *market, double value,
                        const struct hadar_board *board, const struct hsim_active *const *active,
                        const int *queue, int n);
void hadar_report_free(struct hadar_report *report);

#endif
