/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One policy on the inputs, in the process of the caller: its sinks, the engine, its summary. */
#ifndef HSIM_CLI_ONE_RUN_H
#define HSIM_CLI_ONE_RUN_H

#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/output_files.h"
#include "cli/processes.h"
#include "output/summary.h"

/* Where the run's parts of the shared output files go. */
struct run_parts {
  int run;                           /* among those of the call, from 0 */
  int fds[N_OUTPUT_FILES];           /* -1 where none is wanted */
  const char *paths[N_OUTPUT_FILES]; /* of the whole files, for messages */
};

/* Policy `i` of the inputs. *text gets the run object of the summary; `bound` (may be NULL) goes
 * into it. */
enum hsim_status one_run(const struct cli_options *options, const struct inputs *inputs, size_t i,
                         const struct run_parts *parts, const struct summary_bound *bound,
                         struct process_self *self, char **text, struct hsim_error *error);

/* Which run it is, for the summary. */
struct summary_id one_run_id(const struct cli_options *options, const struct inputs *inputs,
                             size_t i, uint64_t seed);

#endif
