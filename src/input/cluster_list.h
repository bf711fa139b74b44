/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published lists of machines: CSV with a node a row, or with a kind of node. */
#ifndef HSIM_INPUT_CLUSTER_LIST_H
#define HSIM_INPUT_CLUSTER_LIST_H

#include "input/source.h"
#include "model/cluster.h"

struct cluster_list;

/* By the names in the first line; NULL when it is none of these. */
const struct cluster_list *cluster_list_recognise(const struct source *source);

/* Adds the nodes to *cluster and finishes it. `gpu` is the type where the list names none. */
enum hsim_status cluster_list_read(const struct cluster_list *list, struct source *source,
                                   const char *gpu, struct cluster *cluster,
                                   struct hsim_error *error);

#endif
