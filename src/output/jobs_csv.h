/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One row a job, in arrival order, written when the run ends: a sink over a caller's `out`.
 *
 * What the figures count is in outcomes.h. A cell is empty where one does not exist.
 */
#ifndef HSIM_OUTPUT_JOBS_CSV_H
#define HSIM_OUTPUT_JOBS_CSV_H

#include "model/record.h"
#include "output/atomic_file.h"

void jobs_csv_header(struct out *out, const struct hsim_cluster *cluster, bool seeded);
/* Rows without a header. Both arguments must outlive the sink. */
struct sink jobs_csv_sink(const struct run_info *info, struct out *out);

#endif
