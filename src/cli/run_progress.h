/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of a call's runs on its way from the children that run them to the terminal. */
#ifndef HSIM_CLI_RUN_PROGRESS_H
#define HSIM_CLI_RUN_PROGRESS_H

#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/processes.h"
#include "output/progress_line.h"

/* NULL when none is wanted. */
struct progress_line *run_progress_open(const struct cli_options *options,
                                        const struct inputs *inputs, size_t n_runs);
/* In a child: to be told by the run's progress sink. `self` is a struct process_self. */
void run_progress_tell(void *self, const struct progress_state *state);
/* In the parent: the news of processes_run(). `line` is a struct progress_line. */
void run_progress_news(void *line, size_t run, const void *bytes, size_t n);
/* The user has interrupted the call: says what happens now. `line` may be NULL. */
void run_progress_interrupted(void *line);

#endif
