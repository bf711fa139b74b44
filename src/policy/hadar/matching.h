/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dual subroutine where every node has one GPU and every job one worker: a node's price does
 * not depend on who else is served, so the highest total payoff is a matching of jobs and nodes,
 * which is found exactly and in polynomial time.
 */
#ifndef HSIM_POLICY_HADAR_MATCHING_H
#define HSIM_POLICY_HADAR_MATCHING_H

#include "policy/hadar/dp.h"
#include "solver/assignment.h"

struct hadar_matching {
  struct lap lap;
  double *weights; /* [jobs * nodes] payoffs */
  int *place_of;   /* [jobs] */
  size_t weights_capacity, places_capacity;
};

/* Every node has one GPU, every job one worker, and none is forced. */
bool hadar_can_match(const struct hadar_classes *classes, const struct hadar_job *jobs, int n);

/* Sets dp's result (choices in queue order, parts, value). */
void hadar_match(struct hadar_matching *matching, const struct hadar_market *market,
                 const struct hadar_job *jobs, const int *queue, int n, struct hadar_found *found,
                 struct hadar_dp *dp);
void hadar_matching_free(struct hadar_matching *matching);

#endif
