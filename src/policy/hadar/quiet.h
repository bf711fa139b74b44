/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the answer stays the same by itself, until a job arrives or finishes or a node changes.
 *
 * Suppose that every job is served, was chosen for its payoff, runs at the highest rate of its kind
 * and has all its nodes for itself. Then each job has the highest utility that any candidate could
 * give it and pays the lowest possible price, whatever the order of the queue: the total payoff is
 * the largest possible at every step of the dual subroutine. Next round every predicted finish, so
 * every utility, is the same (nobody loses time to a start or move), the bounds are the same, and
 * any other candidate either has a lower rate, a higher cost, or loses time to a move. So the
 * decision is the same.
 */
#ifndef HSIM_POLICY_HADAR_QUIET_H
#define HSIM_POLICY_HADAR_QUIET_H

#include "policy/hadar/board.h"

/* Call it before hadar_map turns places into nodes. That no job has moved is for the caller to
 * check, and that rates stay as they are. `value` is the total payoff. */
bool hadar_is_quiet(const struct hadar_market *market, const struct hadar_board *board,
                    const struct hadar_job *jobs, double value);

#endif
