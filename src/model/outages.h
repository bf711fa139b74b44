/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happens to a cluster from outside: nodes that go and come at given times or at random, jobs
 * that are withdrawn, nodes that are slow.
 */
#ifndef HSIM_MODEL_OUTAGES_H
#define HSIM_MODEL_OUTAGES_H

#include "hsim/types.h"

/* Drained is down, but what runs there saves its progress first. */
enum node_state { NODE_DOWN, NODE_UP, NODE_DRAINED };

struct node_event {
  double time;
  int node;
  enum node_state state;
};

/* Not before the job's arrival; nothing happens if it has ended by then. */
struct cancel_event {
  double time;
  int job; /* index */
};

/* Random failures; see engine/faults.h. */
struct fault_rule {
  double mtbf_s; /* mean time between failures, > 0; 0: nothing fails */
  double mttr_s; /* mean time to repair, > 0 */
  double shape;  /* of the Weibull distribution of the time until a failure, > 0; 1: exponential */
};

struct outages {
  struct node_event *nodes; /* ascending time */
  size_t n_nodes;
  struct cancel_event *cancels; /* ascending time */
  size_t n_cancels;
  struct fault_rule faults;
  double slow_share, slow_factor; /* that part of the nodes runs at this part of their speed */
  double *node_speed;             /* [cluster nodes] in (0, 1], NULL: all 1 */
  char *file;                     /* of the events, NULL when there is none */
  char sha256[65];
};

#endif
