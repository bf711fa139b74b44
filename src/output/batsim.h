/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result of one run in the files of Batsim 5 (Dutot et al., JSSPP'15), for tools that read
 * them: sinks over a caller's `out`. A resource is a GPU, numbered over the whole cluster; sets of
 * them are intervals joined by blanks, `0-3 7`.
 */
#ifndef HSIM_OUTPUT_BATSIM_H
#define HSIM_OUTPUT_BATSIM_H

#include "model/record.h"
#include "output/atomic_file.h"

/* A row a job, in arrival order, with Batsim's columns. Resources are all GPUs that the job held at
 * some time; Batsim's jobs never stop and move. */
void batsim_jobs_header(struct out *out, const struct hsim_cluster *cluster, bool seeded);
struct sink batsim_jobs_sink(const struct run_info *info, struct out *out);

/* A row for each stretch in which a gang held the same GPUs, in the order of their ends: what a
 * Gantt chart shows. */
void batsim_segments_header(struct out *out, const struct hsim_cluster *cluster, bool seeded);
struct sink batsim_segments_sink(const struct run_info *info, struct out *out);

/* What each resource is; the whole file, since it depends on the cluster alone. */
void batsim_resources(struct out *out, const struct hsim_cluster *cluster, bool seeded);

/* Batsim names workloads; all jobs are of one. */
#define BATSIM_WORKLOAD "w0"

#endif
