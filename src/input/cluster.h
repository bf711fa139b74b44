/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a cluster: a JSON file ("-", "builtin:NAME") or a SPEC like v100=5x4,k80=2x8. */
#ifndef HSIM_INPUT_CLUSTER_H
#define HSIM_INPUT_CLUSTER_H

#include "hsim/types.h"
#include "model/cluster.h"

#define CLUSTER_DEFAULT "builtin:hadar60"

/* A text with "=" that has no "/" and does not end in .json or .gz is a SPEC: TYPE=NODESxGPUS,
 * joined by commas; a type may come again with other nodes. A malformed SPEC is bad usage. On
 * failure *cluster is empty; it is freed with cluster_free. */
enum hsim_status cluster_read(const char *text, struct cluster *cluster, struct hsim_error *error);

#endif
