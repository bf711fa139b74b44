/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/kinds.h"

#include <math.h>
#include <string.h>

void hadar_kind_rank(struct hadar_kind *kind, int n_types) {
  kind->n_types = 0;
  for (int t = 0; t < n_types; t++) {
    kind->rank[t] = -1;
    if (!(kind->types >> t & 1) || kind->one_node[t] <= 0)
      continue;
    int at = kind->n_types++;
    while (at > 0 && kind->one_node[kind->type[at - 1]] <= kind->one_node[t]) {
      kind->type[at] = kind->type[at - 1];
      at--;
    }
    kind->type[at] = t;
  }
  for (int i = 0; i < kind->n_types; i++)
    kind->rank[kind->type[i]] = i;
  kind->fastest = kind->n_types > 0 ? kind->one_node[kind->type[0]] : 0;
}

/* Rate of the gang on the fastest GPUs of one empty node, 0 when it does not fit. */
static double node_rate(const struct hadar_kind *kind, const struct hadar_classes *classes,
                        const struct hadar_class *cls) {
  int found = 0;
  for (int i = 0; i < kind->n_types; i++)
    for (int b = 0; b < cls->n_bays; b++) {
      const struct hadar_bay *bay = &classes->bays[cls->first_bay + b];
      if (bay->type != kind->type[i])
        continue;
      found += bay->gpus;
      if (found >= kind->workers)
        return kind->one_node[bay->type];
    }
  return 0;
}

/* Highest rate of a spread gang. A type that is slower on one node may be faster when spread, so
 * every type that can be the slowest of a gang counts. */
static double spread_rate(const struct hadar_kind *kind, const struct hadar_classes *classes) {
  int found = 0;
  double best = 0;
  for (int i = 0; i < kind->n_types; i++) {
    int type = kind->type[i];
    if (classes->type_gpus[type] == 0 || kind->spread[type] <= 0)
      continue;
    found += classes->type_gpus[type];
    if (found >= kind->workers && kind->spread[type] > best)
      best = kind->spread[type];
  }
  return best;
}

double hadar_node_copy_rate(const struct hadar_kind *kind, const struct hadar_bay *bays, int n_bays,
                            uint32_t delta, int gpus) {
  double slowest = INFINITY;
  for (int b = 0; b < n_bays; b++)
    if (hadar_bay_gpus(&bays[b], delta) > 0)
      slowest = fmin(slowest, hadar_copy_rate(kind, bays[b].type, gpus));
  return isinf(slowest) ? 0 : slowest;
}

/* Of the types with GPUs left the one on which a copy of this size is fastest, -1: none can. */
static int fastest_left(const struct hadar_kind *kind, int n, const int *types,
                        const int *free_gpus, const int *taken, int size) {
  int best = -1;
  double best_rate = 0;
  for (int i = 0; i < n; i++) {
    if (kind->rank[types[i]] < 0 || taken[i] > 0 || free_gpus[i] == 0)
      continue;
    double rate = hadar_copy_rate(kind, types[i], size);
    if (rate > best_rate) {
      best = i;
      best_rate = rate;
    }
  }
  return best;
}

/* Rate of the fastest copy of exactly this size, 0 when it cannot run. */
static double sized_copy(const struct hadar_kind *kind, int n, const int *types,
                         const int *free_gpus, int size, int *taken) {
  int left = size, at;
  double rate = 0;
  memset(taken, 0, (size_t)n * sizeof *taken);
  while (left > 0 && (at = fastest_left(kind, n, types, free_gpus, taken, size)) >= 0) {
    taken[at] = free_gpus[at] < left ? free_gpus[at] : left;
    left -= taken[at];
    rate = hadar_copy_rate(kind, types[at], size);
  }
  return left == 0 ? rate : 0;
}

double hadar_kind_best_copy(const struct hadar_kind *kind, int n, const int *types,
                            const int *free_gpus, int most, int *taken) {
  int gpus = 0, trial[HSIM_MAX_TYPES];
  double best = 0;
  for (int i = 0; i < n; i++)
    gpus += free_gpus[i];
  for (int size = gpus < most ? gpus : most; size > 0; size--) {
    double rate = sized_copy(kind, n, types, free_gpus, size, trial);
    if (rate > best) {
      best = rate;
      memcpy(taken, trial, (size_t)n * sizeof *taken);
    }
  }
  return best;
}

/* Highest rate that one GPU of the cluster can add to a job whose workers are copies. */
static double best_pace(const struct hadar_kind *kind, const struct hadar_classes *classes) {
  double best = 0;
  for (int i = 0; i < kind->n_types; i++) {
    int type = kind->type[i];
    for (int gpus = 1; gpus <= kind->largest_copy && classes->type_gpus[type] > 0; gpus++) {
      double pace = hadar_copy_rate(kind, type, gpus) / gpus;
      if (pace > best)
        best = pace;
    }
  }
  return best;
}

/* Highest rate of a copy with at most so many GPUs of the type: some sizes may not run. */
static double best_copy(const struct hadar_kind *kind, int type, int gpus) {
  double best = 0;
  for (int k = 1; k <= gpus; k++)
    best = fmax(best, hadar_copy_rate(kind, type, k));
  return best;
}

/* Rate of a forked job on GPUs of its fastest types, taken node by node, of all if there are
 * fewer than it has workers. */
static double forked_rate(const struct hadar_kind *kind, const struct hadar_classes *classes) {
  double rate = 0;
  int need = kind->workers;
  for (int i = 0; i < kind->n_types; i++)
    for (int c = 0; c < classes->n; c++)
      for (int b = 0; b < classes->at[c].n_bays; b++) {
        const struct hadar_bay *bay = &classes->bays[classes->at[c].first_bay + b];
        for (int n = classes->at[c].n_nodes; n > 0 && need > 0 && bay->type == kind->type[i]; n--) {
          int gpus = bay->gpus < need ? bay->gpus : need;
          rate += best_copy(kind, bay->type, gpus);
          need -= gpus;
        }
      }
  return rate;
}

void hadar_kind_fit(struct hadar_kind *kind, const struct hadar_classes *classes) {
  kind->fastest_up = kind->slowest_up = 0;
  for (int i = 0; i < kind->n_types; i++) {
    int type = kind->type[i];
    if (classes->type_gpus[type] == 0)
      continue;
    if (kind->fastest_up == 0)
      kind->fastest_up = kind->one_node[type];
    kind->slowest_up = kind->one_node[type];
  }
  if (kind->copy != NULL)
    kind->best = forked_rate(kind, classes);
  else
    kind->best = kind->workers > 1 ? spread_rate(kind, classes) : 0;
  for (int c = 0; c < classes->n; c++) { /* nodes that hold it whole */
    double rate = node_rate(kind, classes, &classes->at[c]);
    if (rate > kind->best)
      kind->best = rate;
  }
  kind->peak = kind->copy != NULL ? kind->workers * best_pace(kind, classes) : kind->best;
}
