/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a cluster: a JSON file ("-", "builtin:NAME"), a SPEC like v100=5x4,k80=2x8 or 36:36:36, or
 * a published list of machines (cluster_list.h).
 */
#ifndef HSIM_INPUT_CLUSTER_H
#define HSIM_INPUT_CLUSTER_H

#include "hsim/types.h"
#include "model/cluster.h"

#define CLUSTER_DEFAULT "builtin:hadar60"

/* A text of three numbers joined by ":" is Gavel's: so many nodes of one v100, p100, k80. A text
 * with "=" that has no "/" and does not end in .json or .gz is a SPEC: TYPE=NODESxGPUS,
 * joined by commas; a type may come again with other nodes. A malformed SPEC is bad usage. On
 * failure *cluster is empty; it is freed with cluster_free. */
enum hsim_status cluster_read(const char *text, struct cluster *cluster, struct hsim_error *error);

/* The same with the GPU type of lists that name none; cluster_read takes CLUSTER_LIST_GPU. */
#define CLUSTER_LIST_GPU "v100"
enum hsim_status cluster_read_as(const char *text, const char *list_gpu, struct cluster *cluster,
                                 struct hsim_error *error);

#endif
