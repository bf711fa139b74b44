/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `hsim run`: all policies of the call, their outputs, the comparison. */
#ifndef HSIM_CLI_RUN_H
#define HSIM_CLI_RUN_H

#include "cli/options.h"

/* Messages go to stderr; the returned status is the exit code. */
enum hsim_status cli_run(const struct cli_options *options);

#endif
