/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Node classes: nodes that are up and have equal numbers of GPUs of every type are
 * interchangeable. So the free GPUs of a cluster are, for the search, a histogram: how many nodes
 * of a class stand at which level of free GPUs. Prices depend on type, size and free GPUs only and
 * are therefore a function of that histogram.
 *
 * A node's level is one number, sum over its bays of free GPUs x the bay's radix (for one bay: the
 * free GPUs themselves). Taking GPUs subtracts a delta of the same form.
 */
#ifndef HSIM_POLICY_HADAR_CLASSES_H
#define HSIM_POLICY_HADAR_CLASSES_H

#include "hsim/types.h"

struct hadar_bay {
  int type;
  int gpus;
  uint32_t radix;
  int price_at; /* index of this bay's prices, one a free level from 0 to gpus */
};

struct hadar_class {
  int first_bay, n_bays;   /* in hadar_classes.bays, as on the nodes */
  int first_node, n_nodes; /* in hadar_classes.nodes */
  uint32_t full;           /* level of an empty node: everything free */
  int gpus;                /* of one node */
};

struct hadar_classes {
  int n;
  struct hadar_class *at; /* in the order of their lowest node */
  struct hadar_bay *bays;
  int *nodes;         /* [n_nodes] nodes that are up, class by class, ascending inside one */
  int *class_of_node; /* [all nodes] -1 for one that is down */
  int *class_of;      /* [n_nodes] class of a position in `nodes` */
  int n_nodes, n_gpus, n_bays, n_prices;
  int type_gpus[HSIM_MAX_TYPES]; /* that are up */
  int max_entries;               /* most entries that a histogram can have */
  bool mixed;                    /* some class has several bays */
};

/* `n_nodes` nodes of class `cls` have this level of free GPUs, > 0 (full nodes are left out). */
struct hadar_entry {
  int cls;
  uint32_t level;
  int nodes;
};

/* Free GPUs of a cluster: entries ascending by (cls, level), and their sum over all GPUs. */
struct hadar_room {
  int n;
  int gpus;
  struct hadar_entry *at; /* room for hadar_classes.max_entries */
};

/* `nodes` nodes of class `cls` at `level` each give `delta`. */
struct hadar_part {
  int cls;
  uint32_t level;
  uint32_t delta;
  int nodes;
};

/* What a gang holds of one node: a real one, or a place among its class (hadar_classes.nodes). */
struct hadar_seat {
  int node;
  uint32_t delta;
};

/* HSIM_BAD_INPUT when a node has more combinations of free GPUs than 32 bits can number. */
enum hsim_status hadar_classes_init(struct hadar_classes *classes,
                                    const struct hsim_cluster *cluster, const uint8_t *node_up,
                                    struct hsim_error *error);
void hadar_classes_free(struct hadar_classes *classes);

/* GPUs of one bay in a level or delta. */
static inline int hadar_bay_gpus(const struct hadar_bay *bay, uint32_t level) {
  return (int)(level / bay->radix % ((uint32_t)bay->gpus + 1));
}

/* GPUs in a level or delta of the class. */
int hadar_level_gpus(const struct hadar_classes *classes, int cls, uint32_t level);

/* Everything free. */
void hadar_room_all(const struct hadar_classes *classes, struct hadar_room *room);

/* `nodes` nodes of the class go from one level to another. The nodes must be there. */
void hadar_room_shift(struct hadar_room *room, int cls, uint32_t from, uint32_t to, int nodes);

/* Takes the parts' GPUs; `gpus` is their number. */
void hadar_room_take(struct hadar_room *room, const struct hadar_part *parts, int n, int gpus);

/* Total order of histograms. */
int hadar_room_compare(const struct hadar_entry *a, int n_a, const struct hadar_entry *b, int n_b);

#endif
