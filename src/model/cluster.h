/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds a struct hsim_cluster node by node. The builder owns everything; cluster_finish hands out
 * a view on it that stays valid until cluster_free.
 */
#ifndef HSIM_MODEL_CLUSTER_H
#define HSIM_MODEL_CLUSTER_H

#include "hsim/types.h"
#include "model/memory.h"
#include "model/names.h"

#define CLUSTER_MAX_GPUS 10000000

struct cluster {
  struct hsim_cluster view; /* complete after cluster_finish */
  struct hsim_node *nodes;
  struct hsim_bay *bays;
  size_t nodes_capacity, bays_capacity;
  int *type_gpus;
  struct names types, racks, node_names;
  struct arena texts;
  char *file;        /* as given: a path, a SPEC, or builtin:NAME */
  int skipped_nodes; /* nodes without GPUs */
};

/* Starts a node; `name` NULL makes "n<index>". Fails on a duplicate name. rack NULL: none. */
enum hsim_status cluster_add_node(struct cluster *cluster, const char *name, const char *rack,
                                  int slot_size, struct hsim_error *error);
/* Adds a bay to the last node; gpus >= 1; the type must not repeat within the node. */
enum hsim_status cluster_add_bay(struct cluster *cluster, const char *type, int gpus,
                                 struct hsim_error *error);
/* Totals and the view; fails when there is no GPU at all. */
enum hsim_status cluster_finish(struct cluster *cluster, const char *name,
                                struct hsim_error *error);
void cluster_free(struct cluster *cluster);

/* The number of the GPU type with this name, -1 when the cluster has none. */
int cluster_find_type(const struct hsim_cluster *cluster, const char *name);

#endif
