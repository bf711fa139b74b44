/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which GPUs each pick gets, as Gavel's simulator chooses them, and its lease statistic: how often
 * a combination kept the very GPUs that it had in the round before.
 *
 * A combination that ran on the same type before keeps its GPUs when they are still free; the
 * others take the first free ones of the type, server after server. Larger gangs choose first.
 * Placement has no effect on speed there.
 */
#ifndef HSIM_POLICY_GAVEL_ASSIGNMENT_H
#define HSIM_POLICY_GAVEL_ASSIGNMENT_H

#include "policy/gavel/rounds.h"

/* The GPUs of one combination in one round. */
struct assigned {
  int a, b; /* jobs, as in struct combination */
  int combination;
  int type;
  int workers;
  int first_gpu; /* into struct assignment.gpus */
};

struct assignment {
  struct assigned *at; /* in the order in which they were placed */
  int n;
  int *gpus; /* GPU indices, each one's ascending within a server */
  size_t at_capacity, gpus_capacity;
};

struct assigner {
  const struct hsim_cluster *cluster;
  int *workers_of_type; /* GPU indices, type by type, each in node order */
  int *first_of_type;   /* [n_types + 1] into workers_of_type */
  uint64_t *taken_in;   /* [n_gpus] round in which it was given away last */
  uint64_t round;
  struct assignment now, before;
  struct rounds_pick *sorted; /* scratch */
  size_t sorted_capacity;
  uint64_t opportunities, extensions; /* of leases */
};

void assigner_init(struct assigner *assigner, const struct hsim_cluster *cluster);
void assigner_free(struct assigner *assigner);

/* Places the picks that are covered. `node_up` is [n_nodes], `active` tells whether a job is still
 * there (lease opportunities end with it). The result stays until the next call. */
const struct assignment *assigner_place(struct assigner *assigner, struct rounds *rounds,
                                        const struct rounds_pick *picks, int n_picks,
                                        const uint8_t *node_up);

#endif
