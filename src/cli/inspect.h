/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `hsim inspect`: what a trace looks like. */
#ifndef HSIM_CLI_INSPECT_H
#define HSIM_CLI_INSPECT_H

#include "cli/option_table.h"
#include "hsim/types.h"

/* argv[0] is the command's name. */
enum hsim_status cli_inspect(int argc, char **argv, struct hsim_error *error);

/* Its options, for the manual and for completion. */
void cli_inspect_describe(option_table_reader *read, void *state);

#endif
