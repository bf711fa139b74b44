/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GPU-seconds held, busy and productive, and the GPU time that was there to be used. The last
 * finish bounds them all, but which finish is the last is known only at the end, so each sum keeps
 * what may lie beyond it apart.
 */
#ifndef HSIM_OUTPUT_USAGE_H
#define HSIM_OUTPUT_USAGE_H

#include "model/record.h"

/* `inside` is final; `beyond` joins it when a later job finishes. */
struct clipped_sum {
  double inside, beyond;
  uint64_t finishes; /* finishes seen when `beyond` was last added to */
};

struct node_change {
  double time;
  int node;
  bool up;
};

struct usage {
  const struct hsim_cluster *cluster;
  double begin;       /* first arrival */
  double last_finish; /* -infinity before any */
  uint64_t finishes;
  struct clipped_sum held, busy, productive;
  double lost;                   /* GPU-seconds of work that was lost, up to the run's end */
  struct clipped_sum *type_held; /* [n_types] */
  struct clipped_sum *node_busy; /* [n_nodes] */
  struct node_change *changes;
  size_t n_changes, changes_capacity;
};

struct usage_fractions {
  double held, busy, productive, node_mean;
  double availability; /* GPU time up of all GPU time */
  double held_by_type[HSIM_MAX_TYPES];
};

void usage_init(struct usage *usage, const struct hsim_cluster *cluster, double begin);
void usage_record(struct usage *usage, const struct record *record);
/* All NaN when no job finished after the first arrival. */
void usage_fractions(const struct usage *usage, struct usage_fractions *fractions);
void usage_free(struct usage *usage);

#endif
