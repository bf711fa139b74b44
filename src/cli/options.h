/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `hsim run`, as values. */
#ifndef HSIM_CLI_OPTIONS_H
#define HSIM_CLI_OPTIONS_H

#include "hsim/types.h"
#include "policy/options.h"

enum command { COMMAND_RUN, COMMAND_HELP, COMMAND_VERSION, COMMAND_LIST_POLICIES };

struct cli_options {
  enum command command;
  const char *list_policy; /* --list-policies NAME, or NULL for all */

  struct policy_specs policies;
  const char *trace, *trace_format;
  const char *cluster, *rates;
  const char *speedups; /* CSV of speedup tables, or NULL */
  double round_s;
  const char *costs;   /* file or preset, or NULL */
  double restart_cost; /* NaN when not given */
  const char *elastic;
  const char *semantics; /* NULL: the default, or what a policy option needs */
  uint64_t seed;
  int jobs;  /* processes at once */
  int limit; /* 0: all */
  bool rebase;
  double until; /* infinity: never */
  int measure_from, measure_to;
  bool skip_bad_rows;
  const char *assign; /* "hadar" or "uniform" */
  const char *reference_gpu;

  const char *events_in;  /* CSV, or NULL */
  double mtbf_h, mttr_h;  /* NaN when not given */
  double mtbf_shape;      /* NaN when not given: 1 */
  const char *stragglers; /* SHARE:FACTOR as typed, or NULL */
  double slow_share, slow_factor;
  double checkpoint_interval, checkpoint_cost; /* seconds, NaN when not given */

  bool json;
  const char *jobs_out, *events_out, *series_out, *policy_log;
  bool timing, audit, quiet, progress;
  const char *check;
  double tolerance; /* a fraction; NaN when not given: 0 */
};

/* Strings point into argv. Fails with HSIM_BAD_USAGE. */
enum hsim_status cli_options_parse(int argc, char **argv, struct cli_options *options,
                                   struct hsim_error *error);
void cli_options_free(struct cli_options *options);

void cli_help(FILE *out);

#endif
