/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lower bounds: the command `hsim bound`, and those of the runs of a call. */
#ifndef HSIM_CLI_BOUND_H
#define HSIM_CLI_BOUND_H

#include "cli/inputs.h"
#include "cli/options.h"
#include "output/summary.h"

/* The bounds that fit each run, each set of permissions worked out once: [n_runs], to be freed. */
struct summary_bound *bounds_of_runs(const struct inputs *inputs);

/* The bounds that fit run `i`. */
struct summary_bound bounds_of_run(const struct inputs *inputs, size_t i);

/* Messages go to stderr; the returned status is the exit code. */
enum hsim_status cli_bound(const struct cli_options *options);

#endif
