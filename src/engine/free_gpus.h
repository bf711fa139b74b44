/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which GPUs are free: counts per bay, and per GPU type an index of bays by free count, so that
 * best fit and "fullest first" do not scan the cluster. Counts only; which of a bay's GPUs a gang
 * holds is decided when a plan is applied.
 *
 * `claimed` counts, per bay, the GPUs of running jobs on which a plan that began from an empty
 * cluster has not decided yet: among equal choices a search prefers bays that hold the gang without
 * touching them.
 */
#ifndef HSIM_ENGINE_FREE_GPUS_H
#define HSIM_ENGINE_FREE_GPUS_H

#include "hsim/plan.h"
#include "hsim/types.h"

/* Free counts of FREE_LEVELS and more share one bucket, whose members are compared one by one. */
#define FREE_LEVELS 64

/* A set of a type's bays by their rank (ascending bay), with a summary word per 64 words. */
struct bay_set {
  uint64_t *words;
  uint64_t *summary;
  int n;
};

struct free_type {
  int n_bays;
  int *bays;             /* [n_bays] ascending */
  struct bay_set *level; /* [FREE_LEVELS + 1] bays by min(free, FREE_LEVELS) */
  struct bay_set some;   /* bays with a free GPU */
  int levels;            /* levels in use: 0 .. min(largest bay, FREE_LEVELS) */
  int free;              /* GPUs */
  uint64_t *memory;
};

struct free_gpus {
  const struct hsim_cluster *cluster;
  int *free;     /* [n_bays] */
  int *claimed;  /* [n_bays] */
  int *capacity; /* [n_bays] GPUs of the bay while its node is up, else 0 */
  int *rank;     /* [n_bays] index among the bays of its type */
  struct free_type *types;
  struct hsim_share *found; /* result of the last search */
  size_t found_capacity;
};

void free_gpus_init(struct free_gpus *gpus, const struct hsim_cluster *cluster);
void free_gpus_release(struct free_gpus *gpus);

/* Changes the free count of a bay by `delta`; the caller has checked the bounds. */
void free_gpus_change(struct free_gpus *gpus, int bay, int delta);

/* A node goes down or comes up; nothing may be held on it. */
void free_gpus_set_node(struct free_gpus *gpus, int node, bool up);

/* Everything is free. */
void free_gpus_clear(struct free_gpus *gpus);

/* See hsim_find_gpus. */
int free_gpus_find(struct free_gpus *gpus, int type, int workers, enum hsim_pack pack);
int free_gpus_most_on_one_node(const struct free_gpus *gpus, int type);

#endif
