/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as Chrome trace events, the JSON that Perfetto and chrome://tracing open: a sink over a
 * caller's `out`. Times are whole microseconds of the trace's clock.
 *
 * Each run has a process for the cluster (counters, and a track with what happens to jobs) and one
 * for each node, named "POLICY: NODE" (with several seeds "POLICY seed N: NODE"), with a track for
 * each GPU. A gang is one slice on each of its GPUs from its begin to its end, however many rounds
 * that takes. A second job on the same GPU is on a second track of it, since slices of one track
 * must not overlap. Numbers of processes and tracks are unique over all runs of a call.
 *
 * Slices are written when they end, so that nothing but the gangs of the moment is remembered.
 */
#ifndef HSIM_OUTPUT_TIMELINE_H
#define HSIM_OUTPUT_TIMELINE_H

#include "model/record.h"
#include "output/atomic_file.h"

/* The document is this header, the events of at least one run with TIMELINE_BETWEEN between two,
 * and the footer. */
void timeline_header(struct out *out, const struct hsim_cluster *cluster, bool seeded);
#define TIMELINE_BETWEEN ",\n"
#define TIMELINE_FOOTER "\n]}\n"

/* Events, with commas between them. Both arguments must outlive the sink. */
struct sink timeline_sink(const struct run_info *info, struct out *out);

#endif
