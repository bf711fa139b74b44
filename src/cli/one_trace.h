/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace with what it was read against: for the commands that read one and run nothing. */
#ifndef HSIM_CLI_ONE_TRACE_H
#define HSIM_CLI_ONE_TRACE_H

#include "cli/input_options.h"

struct one_trace {
  struct rates rates;
  struct cluster cluster;
  struct semantics semantics;
  struct hsim_oracle oracle;
  struct trace trace;
};

/* Called for each bad row that is skipped, with its message; or NULL. */
typedef void bad_row_function(void *state, const char *message);

/* Reads all of it. A cluster of NULL is one node with a GPU of each type of the rates table.
 * `all_names`: the types of the rates table that the cluster lacks are there without a GPU, so that
 * jobs keep all that their `gpu_types` name. */
enum hsim_status one_trace_load(const struct input_options *options, bad_row_function *bad_row,
                                void *state, bool all_names, struct one_trace *all,
                                struct hsim_error *error);
void one_trace_free(struct one_trace *all);

/* Takes the trace from the words of the command line, if it is not an option. HSIM_BAD_USAGE: none,
 * or more than one. */
enum hsim_status one_trace_word(int argc, char **argv, int first_word,
                                struct input_options *options, struct hsim_error *error);

#endif
