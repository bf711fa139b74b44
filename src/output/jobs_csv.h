/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One row a job, in arrival order, written when the run ends: a sink over a caller's `out`.
 *
 * Times between a job's arrival and its end are run_s (it held at least one GPU) and wait_s (it
 * held none); gpu_s is the GPUs of all its gangs times the time it held them, up to its end: the
 * rest of a round that its GPUs stay with after it finished is not its own. Jobs that have not
 * ended count up to the end of the run. A cell is empty where a figure does not exist.
 */
#ifndef HSIM_OUTPUT_JOBS_CSV_H
#define HSIM_OUTPUT_JOBS_CSV_H

#include "model/record.h"
#include "output/atomic_file.h"

void jobs_csv_header(struct out *out, const struct hsim_cluster *cluster, bool seeded);
/* Rows without a header. Both arguments must outlive the sink. */
struct sink jobs_csv_sink(const struct run_info *info, struct out *out);

#endif
