/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dual subroutine as the papers have it: a recursion over the queue, best(i, free) = the
 * highest total payoff of the jobs from place i on, whose results are saved by (i, free) so that
 * none is worked out twice. It is exact, and its states multiply with the jobs: for a few jobs on a
 * few nodes, and to hold the beam search against.
 */
#ifndef HSIM_POLICY_HADAR_EXACT_H
#define HSIM_POLICY_HADAR_EXACT_H

#include "policy/hadar/dp.h"

/* States of one decision beyond which hadar_exact_run gives up. */
enum { HADAR_EXACT_STATES = 200000 };

struct hadar_memo; /* exact.c */

struct hadar_exact {
  struct hadar_memo *memos;
  struct hadar_entry *entries; /* the histograms of all memos */
  struct hadar_part *parts;    /* of their choices */
  int *table;                  /* memo by (place in the queue, histogram), open addressing */
  size_t n_memos, n_entries, n_parts, table_size;
  size_t memos_capacity, entries_capacity, parts_capacity, table_capacity;
};

/* Sets dp's result (choices, parts, value). As hadar_dp_run with a beam that is never full.
 * HSIM_FAILED when there are too many states. */
enum hsim_status hadar_exact_run(struct hadar_exact *exact, const struct hadar_market *market,
                                 const struct hadar_job *jobs, const int *queue, int n,
                                 bool best_only, struct hadar_found *found, struct hadar_dp *dp,
                                 struct hsim_error *error);
void hadar_exact_free(struct hadar_exact *exact);

#endif
