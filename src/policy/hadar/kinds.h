/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A kind: all that the search needs to know about the rates of a job. Jobs of the same model, gang
 * size and allowed GPU types share one, so rates are asked for once and not in every round.
 *
 * A gang runs at the pace of the slowest GPU type in it (Sultana et al., Hadar, IPDPS'24): at the
 * rate of a gang of that type alone, on one node or spread. Types are ranked fastest first, so the
 * slowest type of a gang is the one with the highest rank. (Of equally fast types the lowest one
 * lends its spread factor, as in the engine's rate: so it is ranked last.)
 */
#ifndef HSIM_POLICY_HADAR_KINDS_H
#define HSIM_POLICY_HADAR_KINDS_H

#include "hsim/types.h"
#include "policy/hadar/classes.h"

struct hadar_kind {
  int model;
  int workers;
  uint64_t types; /* allowed ones, bit set */

  int n_types; /* allowed types that it can run on, fastest first; ties: highest type */
  int type[HSIM_MAX_TYPES];
  int rank[HSIM_MAX_TYPES];        /* [type] place in `type`, -1 when it cannot run there */
  double one_node[HSIM_MAX_TYPES]; /* [type] steps per second of the whole gang on one node */
  double spread[HSIM_MAX_TYPES];   /* [type] over several nodes */
  double fastest; /* highest one_node of the cluster's types, up or down; 0: none */

  /* Only where jobs fork (HadarE): what a gang holds of each node is a copy with a pace of its own,
   * and the rate of the job is their sum. */
  const double *copy; /* [type * largest_copy + GPUs - 1] steps per second; NULL: no forks */
  int largest_copy;   /* GPUs */

  /* Of the nodes that are up. */
  double fastest_up; /* highest one_node of the types that have GPUs, 0 when there is none */
  double slowest_up; /* lowest */
  double best;       /* highest rate of any gang of this kind on the empty cluster, 0: none */
  double peak;       /* no candidate's rate is higher, whatever is free */
};

/* Steps per second of a copy with `gpus` GPUs, the slowest of this type. */
static inline double hadar_copy_rate(const struct hadar_kind *kind, int type, int gpus) {
  return kind->copy[type * kind->largest_copy + gpus - 1];
}

/* The same of a copy on one node that takes `delta` of these bays, `gpus` in all: its slowest
 * type's; 0 when one of the types cannot run so many. */
double hadar_node_copy_rate(const struct hadar_kind *kind, const struct hadar_bay *bays, int n_bays,
                            uint32_t delta, int gpus);

/* The fastest copy of at most `most` of the free GPUs of one node, `free_gpus[i]` of each
 * `types[i]`; of equally fast ones the largest. Returns its rate, 0 when there is none, and the
 * GPUs that it takes of each type. */
double hadar_kind_best_copy(const struct hadar_kind *kind, int n, const int *types,
                            const int *free_gpus, int most, int *taken);

/* Sets `type`, `rank` and `fastest` from the rates and the allowed types. */
void hadar_kind_rank(struct hadar_kind *kind, int n_types);

/* Sets what depends on the nodes that are up. */
void hadar_kind_fit(struct hadar_kind *kind, const struct hadar_classes *classes);

#endif
