/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One row an event of a job or a node, as they happen: a sink over a caller's `out`.
 *
 * `workers` and `placement` are those of the record's gang, empty without one. A node event has
 * the GPUs of the whole node as its placement and the node's name as its detail; a resize or
 * migration has `moved=N`, the GPUs newly held; a rejection or drop its reason.
 */
#ifndef HSIM_OUTPUT_EVENTS_CSV_H
#define HSIM_OUTPUT_EVENTS_CSV_H

#include "model/record.h"
#include "output/atomic_file.h"

void events_csv_header(struct out *out, const struct hsim_cluster *cluster, bool seeded);
/* Rows without a header. Both arguments must outlive the sink. */
struct sink events_csv_sink(const struct run_info *info, struct out *out);

#endif
