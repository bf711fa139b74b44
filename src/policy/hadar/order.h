/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order in which jobs enter the dual subroutine. Payoffs are those of the best candidate on the
 * empty cluster. Remaining time is the remaining steps at the best rate that the empty cluster
 * allows; remaining rounds are those at the highest rate of any type, at least 1. Ties: arrival.
 */
#ifndef HSIM_POLICY_HADAR_ORDER_H
#define HSIM_POLICY_HADAR_ORDER_H

#include "policy/hadar/candidates.h"

struct hadar_rank {
  double key; /* ascending */
  int job;    /* index into the jobs */
  int index;  /* job index */
};

struct hadar_queue {
  int *jobs; /* [n] indices into the jobs, first one first */
  int n;
  struct hadar_rank *ranks;
  size_t jobs_capacity, ranks_capacity;
  struct hadar_entry *all; /* the empty cluster's histogram */
  size_t all_capacity;
};

/* Lists the jobs that can run on the empty cluster (kind's best rate > 0): forced ones first. */
void hadar_queue_fill(struct hadar_queue *queue, const struct hadar_market *market,
                      const struct hadar_job *jobs, int n, enum hadar_order order,
                      struct hadar_found *found);
void hadar_queue_free(struct hadar_queue *queue);

#endif
