/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dual subroutine: which jobs to serve, and how, for the highest total payoff (Sultana et al.,
 * Hadar, IPDPS'24). Jobs are taken in queue order; each is either skipped or given a candidate,
 * and prices follow from what is taken. Histograms of free GPUs that were reached twice are one
 * state. After each job only the `beam` best states stay: highest total payoff, then fewer nodes
 * over all gangs, more gangs that stay, the lower histogram. With a beam of 1 this is greedy; with
 * a beam that is never full it is exact.
 */
#ifndef HSIM_POLICY_HADAR_DP_H
#define HSIM_POLICY_HADAR_DP_H

#include "policy/hadar/candidates.h"

/* A served job. */
struct hadar_choice {
  int job;                 /* index into the jobs given */
  int first_part, n_parts; /* in hadar_dp.parts */
  double rate;
  double payoff;
};

struct hadar_state; /* dp.c */
struct hadar_link;  /* dp.c */

struct hadar_dp {
  /* The result, in queue order. */
  struct hadar_choice *choices;
  int n_choices;
  struct hadar_part *parts;
  double value; /* total payoff */

  /* Scratch memory, kept from round to round. */
  size_t n_parts, parts_capacity, choices_capacity;
  struct hadar_state *states;
  struct hadar_entry *entries; /* max_entries a state */
  size_t n_states, states_capacity, entries_capacity;
  struct hadar_link *links;
  size_t n_links, links_capacity;
  int *table; /* state by histogram, open addressing */
  size_t table_size, table_capacity;
  int *least_workers; /* [n + 1] of the jobs from each place in the queue on */
  size_t least_capacity;
  struct hadar_state **sorted;
  int *order;     /* [n_states] states, best first */
  double *floors; /* values of the best states, see dp.c */
  size_t sorted_capacity, order_capacity, floors_capacity;
};

/* `queue` lists indices of `jobs`. A forced job is served whatever its payoff wherever it fits. */
void hadar_dp_run(struct hadar_dp *dp, const struct hadar_market *market,
                  const struct hadar_job *jobs, const int *queue, int n, int beam, bool best_only,
                  struct hadar_found *found);
/* Appends a choice to the result; its parts are copied. For other ways to the same kind of result,
 * which start from n_choices = n_parts = 0. */
void hadar_dp_add(struct hadar_dp *dp, const struct hadar_choice *choice,
                  const struct hadar_part *parts);
void hadar_dp_free(struct hadar_dp *dp);

#endif
