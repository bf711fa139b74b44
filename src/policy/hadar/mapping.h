/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From places to nodes, so that jobs stay where they were. Within a class every assignment of
 * places to nodes is as good as any other for the decision, so:
 *   1. a place goes to the node on which its jobs held most of what they hold on the place now,
 *      pair by pair, most GPUs first (then the lower place, the lower node);
 *   2. places left over go to the nodes left over, in ascending order;
 *   3. one-node gangs that take the same of their node may swap: a job gets back to its node
 *      wherever another one sits there in its stead.
 */
#ifndef HSIM_POLICY_HADAR_MAPPING_H
#define HSIM_POLICY_HADAR_MAPPING_H

#include "policy/hadar/board.h"

struct hadar_pair; /* mapping.c */
struct hadar_swap; /* mapping.c */

struct hadar_mapping {
  int *node_of; /* [classes->n_nodes] node of each place */
  bool *taken;  /* [all nodes] */
  struct hadar_pair *pairs;
  struct hadar_swap *swaps;
  size_t n_pairs, n_swaps;
  size_t nodes_capacity, taken_capacity, pairs_capacity, swaps_capacity;
};

/* Turns the seats of every grant from places into nodes (ascending within a grant). */
void hadar_map(struct hadar_mapping *mapping, struct hadar_board *board,
               const struct hadar_job *jobs);
void hadar_mapping_free(struct hadar_mapping *mapping);

#endif
