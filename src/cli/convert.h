/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `hsim convert`: a trace in another format, with models and steps filled in. */
#ifndef HSIM_CLI_CONVERT_H
#define HSIM_CLI_CONVERT_H

#include "cli/option_table.h"
#include "hsim/types.h"
#include "output/trace_write.h"

/* argv[0] is the command's name. On failure *error says why, unless it was said already. */
enum hsim_status cli_convert(int argc, char **argv, struct hsim_error *error);

/* Opens the file, writes the trace and, unless quiet, tells on stderr what the format lost. */
enum hsim_status convert_write(const struct trace_to_write *from, enum trace_target target,
                               const char *path, bool quiet, struct hsim_error *error);

/* Its options, for the manual and for completion. */
void cli_convert_describe(option_table_reader *read, void *state);

#endif
