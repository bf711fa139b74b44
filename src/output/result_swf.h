/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result of one run in the Standard Workload Format, a line a job in arrival order: a sink over
 * a caller's `out`. The run time is the whole time from first start to end, in which a job that is
 * stopped holds nothing for a while; times are differences of rounded instants, so that submit +
 * wait + run is the rounded end.
 */
#ifndef HSIM_OUTPUT_RESULT_SWF_H
#define HSIM_OUTPUT_RESULT_SWF_H

#include "model/record.h"
#include "output/atomic_file.h"

/* Both arguments must outlive the sink. */
struct sink result_swf_sink(const struct run_info *info, struct out *out);

#endif
