/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `hsim generate`: a made-up trace. */
#ifndef HSIM_CLI_GENERATE_H
#define HSIM_CLI_GENERATE_H

#include "cli/option_table.h"
#include "hsim/types.h"

/* argv[0] is the command's name. */
enum hsim_status cli_generate(int argc, char **argv, struct hsim_error *error);

/* Its options, for the manual and for completion. */
void cli_generate_describe(option_table_reader *read, void *state);

#endif
