/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run as the lines that the simulator of Gavel (Narayanan et al., OSDI'20) prints, for the
 * notebooks and scripts that read its logs: a sink over a caller's `out`. Jobs are numbered in
 * arrival order from 0, workers are GPUs numbered over the cluster.
 *
 * A micro-task is the time of a gang in one round, or in rounds without a call of the policy; under
 * an event-mode policy its whole time on its GPUs. One on several GPU types has a line for each.
 * Gavel's priorities, deficits and allocations are inside its scheduler, not in the record of a
 * run: they are nan.
 */
#ifndef HSIM_OUTPUT_GAVEL_LOG_H
#define HSIM_OUTPUT_GAVEL_LOG_H

#include "model/record.h"
#include "output/atomic_file.h"

/* Both arguments must outlive the sink. */
struct sink gavel_log_sink(const struct run_info *info, struct out *out);

#endif
