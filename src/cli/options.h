/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `hsim run` and `hsim bound`, as values. */
#ifndef HSIM_CLI_OPTIONS_H
#define HSIM_CLI_OPTIONS_H

#include "cli/fault_options.h"
#include "cli/input_options.h"
#include "cli/processes.h"
#include "cli/seeds.h"
#include "hsim/types.h"
#include "policy/options.h"

enum command { COMMAND_RUN, COMMAND_BOUND, COMMAND_HELP, COMMAND_VERSION, COMMAND_LIST_POLICIES };

/* What a run writes to files, in the order of --help. */
enum output_option {
  OUT_JOBS,
  OUT_EVENTS,
  OUT_SERIES,
  OUT_POLICY_LOG,
  OUT_TIMELINE,
  OUT_BATSIM,
  OUT_SWF,
  OUT_GAVEL_LOG,
  N_OUTPUT_OPTIONS
};

enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

struct cli_options {
  enum command command;
  const char *list_policy; /* --list-policies NAME, or NULL for all */

  struct policy_specs policies;
  struct input_options input;
  double round_s;
  const char *costs;   /* file or preset, or NULL */
  double restart_cost; /* NaN when not given */
  bool seed_given;
  struct seed_list seeds; /* each policy runs with each; none: with input.seed alone */
  int jobs;               /* processes at once */
  struct process_limits limits;
  double until; /* infinity: never */
  int measure_from, measure_to;

  struct fault_options faults;

  bool json;
  const char *out[N_OUTPUT_OPTIONS]; /* NULL: not wanted */
  bool bound;                        /* lower bounds beside each run */
  int by;                            /* enum group_key */
  bool timing, audit;
  enum progress_when progress;
  const char *check, *junit;
  double tolerance; /* a fraction; NaN when not given: 0 */
};

/* Strings point into argv. Fails with HSIM_BAD_USAGE. */
enum hsim_status cli_options_parse(int argc, char **argv, struct cli_options *options,
                                   struct hsim_error *error);
/* Runs of each policy: one a seed. */
static inline size_t cli_n_seeds(const struct cli_options *options) {
  return options->seeds.n > 0 ? options->seeds.n : 1;
}
static inline uint64_t cli_seed(const struct cli_options *options, size_t i) {
  return options->seeds.n > 0 ? options->seeds.at[i] : options->input.seed;
}
void cli_options_free(struct cli_options *options);

/* The options of run and bound, for the manual and for completion. */
void cli_run_describe(option_table_reader *read, void *state);

#endif
