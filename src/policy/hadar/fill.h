/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * After the dual subroutine: GPUs that would idle are used. Not part of the papers; prices near
 * their top reject jobs although GPUs idle, and push jobs to slow GPUs while fast ones idle.
 */
#ifndef HSIM_POLICY_HADAR_FILL_H
#define HSIM_POLICY_HADAR_FILL_H

#include "policy/hadar/board.h"

/* A job moves for a rate above this many times its own. */
#define HADAR_UPGRADE_FACTOR 1.05

/* Waiting jobs, in queue order, get their best candidate whatever its payoff. Returns how many. */
int hadar_backfill(struct hadar_board *board, const struct hadar_market *market,
                   const struct hadar_job *jobs, const int *queue, int n,
                   struct hadar_found *found);

/* When nobody is served: the first job of the queue gets its best candidate. Utilities fall while
 * jobs wait, so that without it the lowest price could keep the last jobs out for ever. Returns 1,
 * or 0 when no job can run. */
int hadar_rescue(struct hadar_board *board, const struct hadar_market *market,
                 const struct hadar_job *jobs, const int *queue, int n, struct hadar_found *found);

/* Served jobs, in queue order, move to the fastest candidate on the free GPUs and their own, when
 * it is fast enough. Returns how many. */
int hadar_upgrade(struct hadar_board *board, const struct hadar_market *market,
                  const struct hadar_job *jobs, const int *queue, int n, struct hadar_found *found);

#endif
