/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that all runs of a call share. Each run writes its part to a file of its own; the parts
 * follow each other between one header and one footer, policy by policy, in the order given. What
 * differs between files is in output_files.h.
 */
#ifndef HSIM_CLI_OUTPUTS_H
#define HSIM_CLI_OUTPUTS_H

#include <stdio.h>

#include "cli/inputs.h"
#include "cli/one_run.h"
#include "cli/options.h"
#include "cli/output_files.h"
#include "output/atomic_file.h"

struct outputs {
  struct out files[N_OUTPUT_FILES];
  bool wanted[N_OUTPUT_FILES];
  bool begun[N_OUTPUT_FILES]; /* holds the part of a run */
  FILE **parts;               /* [n_runs * N_OUTPUT_FILES], NULL where none is wanted */
  size_t n_runs;
};

/* Whether one of the files is the standard output, which then holds nothing else. */
bool outputs_use_stdout(const struct cli_options *options);

/* Opens the files and writes their headers, so that one that cannot be written shows at once.
 * Refused (bad usage): two outputs in one file, an output over an input. */
enum hsim_status outputs_open(const struct cli_options *options, const struct inputs *inputs,
                              struct outputs *outputs, struct hsim_error *error);
struct run_parts outputs_parts(const struct outputs *outputs, size_t run);
/* In a child: closes what belongs to the other runs and to the whole. */
void outputs_keep(struct outputs *outputs, size_t run);
void outputs_append(struct outputs *outputs, size_t run);
enum hsim_status outputs_commit(struct outputs *outputs, struct hsim_error *error);
void outputs_free(struct outputs *outputs); /* what was not committed vanishes */

#endif
