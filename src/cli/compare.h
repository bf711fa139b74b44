/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `hsim compare`: saved summaries side by side. */
#ifndef HSIM_CLI_COMPARE_H
#define HSIM_CLI_COMPARE_H

#include "cli/option_table.h"
#include "hsim/types.h"

enum hsim_status cli_compare(int argc, char **argv, struct hsim_error *error);

/* Its options, for the manual and for completion. */
void cli_compare_describe(option_table_reader *read, void *state);

#endif
