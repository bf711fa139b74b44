/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what happens to the cluster: a CSV of time_s, event, target and, for new nodes, gpus.
 *
 *   node_down, node_up   target is a node; what runs there loses what it has not saved
 *   drain, undrain       the same, but what runs there saves its progress first
 *   add_node             target is the name of a node that does not exist before this time; `gpus`
 *                        is TYPE=NUMBER, several joined by a blank
 *   cancel               target is a job's id: it is withdrawn, not before its arrival
 *
 * Rows need not be in order of time; rows of one time happen in the order of the file.
 */
#ifndef HSIM_INPUT_EVENTS_H
#define HSIM_INPUT_EVENTS_H

#include "model/cluster.h"
#include "model/outages.h"
#include "model/trace.h"

struct events; /* opaque: the rows, until the jobs are known */

/* Adds the new nodes to the cluster. *events is to be freed with events_free, also on failure. */
enum hsim_status events_read(const char *path, struct cluster *cluster, struct events **events,
                             struct hsim_error *error);
/* Looks the jobs up and fills outages->nodes and ->cancels, file and sha256. */
enum hsim_status events_resolve(const struct events *events, const struct trace *trace,
                                struct outages *outages, struct hsim_error *error);
void events_free(struct events *events); /* NULL is fine */
void outages_free(struct outages *outages);

#endif
