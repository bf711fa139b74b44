/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes that fail and are repaired at random, each on its own: the time that a node is up is
 * Weibull with mean mtbf_s (shape 1: exponential; above 1: wears out; below 1: fails young), the
 * time that it is down exponential with mean mttr_s. Each node draws from a stream of its own, so
 * that a node's failures do not depend on the other nodes.
 */
#ifndef HSIM_ENGINE_FAULTS_H
#define HSIM_ENGINE_FAULTS_H

#include "hsim/types.h"
#include "hsim/view.h"
#include "model/outages.h"

struct node_fault {
  double time;
  int node;
  bool up; /* it is repaired */
};

struct faults {
  struct fault_rule rule;
  double scale;             /* of the Weibull distribution */
  struct node_fault *heap;  /* [n_nodes] each node's next change, the earliest first */
  struct hsim_rng *streams; /* [n_nodes] */
  int n;                    /* 0 without a rule */
};

/* All nodes are up at `begin`. */
void faults_init(struct faults *faults, const struct fault_rule *rule, int n_nodes, uint64_t seed,
                 double begin);
void faults_free(struct faults *faults);

/* The time of the next change, infinity when there is none. */
double faults_time(const struct faults *faults);
/* Takes it; the node's next one is drawn. */
struct node_fault faults_take(struct faults *faults);

#endif
