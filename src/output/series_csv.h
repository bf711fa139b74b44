/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many jobs are active, running and queued, and how many GPUs of each type are held, over
 * time: one row for each instant after which one of them is another than before. A sink over a
 * caller's `out`.
 *
 * What the columns count is in levels.h.
 */
#ifndef HSIM_OUTPUT_SERIES_CSV_H
#define HSIM_OUTPUT_SERIES_CSV_H

#include "model/record.h"
#include "output/atomic_file.h"

void series_csv_header(struct out *out, const struct hsim_cluster *cluster, bool seeded);
/* Rows without a header. Both arguments must outlive the sink. */
struct sink series_csv_sink(const struct run_info *info, struct out *out);

#endif
