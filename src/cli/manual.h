/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `hsim manual`: pages of the manual, made from the tables that --help is made from. */
#ifndef HSIM_CLI_MANUAL_H
#define HSIM_CLI_MANUAL_H

#include "cli/option_table.h"

/* argv[0] is the command's name. */
enum hsim_status cli_manual(int argc, char **argv, struct hsim_error *error);

/* Its options, for the manual and for completion. */
void cli_manual_describe(option_table_reader *read, void *state);

#endif
