/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "model/number.h"
#include "output/check.h"
#include "output/groups.h"

enum key {
  KEY_POLICY = INPUT_KEYS_END,
  KEY_ROUND,
  KEY_RESTART_COST,
  KEY_COSTS,
  KEY_SEEDS,
  KEY_UNTIL,
  KEY_MEASURE,
  KEY_JOBS,
  KEY_POLICY_TIMEOUT,
  KEY_POLICY_MEMORY,
  KEY_JSON,
  KEY_OUT, /* + enum output_option */
  KEY_BY = KEY_OUT + N_OUTPUT_OPTIONS,
  KEY_BOUND,
  KEY_AUDIT,
  KEY_TIMING,
  KEY_CHECK,
  KEY_TOLERANCE,
  KEY_JUNIT,
  KEY_PROGRESS,
  KEY_LIST_POLICIES,
  KEY_VERSION,
  KEY_HELP = 'h'
};

static const struct option_row policy_rows[] = {
    {KEY_POLICY, "policy", "NAME[:KEY=VALUE...]",
     "policy to run; several, joined by commas or in further --policy,\n"
     "run on the same input side by side; a path like ./my.so is loaded;\n"
     "\\ before : or , makes it part of a value (required)"},
};

static const struct option_row simulation_rows[] = {
    {KEY_ROUND, "round", "SECONDS", "interval of round-mode policies (default: 360)"},
    {KEY_RESTART_COST, "restart-cost", "SECONDS",
     "seconds without progress at a start, move or resize (default: 10)"},
    {KEY_COSTS, "costs", "FILE|PRESET",
     "all costs: JSON, or default, none, gavel, hadar, voda (default: default)"},
    {INPUT_SEMANTICS, "semantics", "PRESET[:FIELD=VALUE...]",
     "default or gavel, with fields changed\n"
     "(default: default, or what a policy's option needs)"},
    {INPUT_SEED, "seed", "N", "every random choice derives from it (default: 0)"},
    {KEY_SEEDS, "seeds", "LIST",
     "run each policy with each of these seeds, such as 0-9 or 1,5,20-29, and\n"
     "report means with 95 % confidence intervals"},
    {KEY_UNTIL, "until", "SECONDS", "stop the clock (default: never)"},
    {KEY_MEASURE, "measure", "FROM:TO",
     "figures over jobs FROM..TO-1 in arrival order; the run ends with them\n(default: all)"},
    {KEY_JOBS, "jobs", "N", "runs at once, as processes (default: cores)"},
    {KEY_POLICY_TIMEOUT, "policy-timeout", "SECONDS",
     "stop a policy whose run takes longer by the wall clock (default: never)"},
    {KEY_POLICY_MEMORY, "policy-memory", "MB",
     "stop a policy whose process needs more memory (default: no limit)"},
};

static const struct option_row output_rows[] = {
    {KEY_JSON, "json", NULL, "the summary as one JSON document on stdout"},
    {KEY_OUT + OUT_JOBS, "jobs-out", "FILE", "CSV, a row a job"},
    {KEY_OUT + OUT_EVENTS, "events-out", "FILE", "CSV, a row an event, with placements"},
    {KEY_OUT + OUT_SERIES, "series-out", "FILE", "CSV, a row a change: queue length, GPUs in use"},
    {KEY_OUT + OUT_POLICY_LOG, "policy-log", "FILE",
     "what policies say of their decisions, JSON lines"},
    {KEY_OUT + OUT_TIMELINE, "timeline", "FILE.json",
     "what runs where and when, for Perfetto or chrome://tracing"},
    {KEY_OUT + OUT_BATSIM, "batsim-out", "PREFIX",
     "PREFIX_jobs.csv and others as Batsim writes them (one run)"},
    {KEY_OUT + OUT_SWF, "swf-out", "FILE", "the result in the Standard Workload Format (one run)"},
    {KEY_OUT + OUT_GAVEL_LOG, "gavel-log", "FILE",
     "lines that readers of Gavel's logs understand (one run)"},
    {KEY_BY, "by", "tenant|model|workers", "the figures of each group of jobs as well"},
    {KEY_BOUND, "bound", NULL,
     "add bounds that no such policy can beat, and how far each run is above"},
    {KEY_AUDIT, "audit", NULL, "check the run's own record against the rules of the model"},
    {KEY_TIMING, "timing", NULL, "add wall-clock figures (they differ from run to run)"},
    {KEY_CHECK, "check", "FILE.json",
     "compare with an earlier --json document; exit 3 when a figure moved"},
    {KEY_TOLERANCE, "tolerance", "P%", "relative difference that --check allows (default: 0)"},
    {KEY_JUNIT, "junit", "FILE.xml", "what --check found, as JUnit's XML for CI systems"},
    {KEY_PROGRESS, "progress", "[=WHEN]",
     "progress line on stderr: always (also without WHEN), never, or auto:\n"
     "on a terminal (default: auto)"},
    {INPUT_QUIET, "quiet", NULL, "no progress line, no warnings"},
};

static const struct option_row information_rows[] = {
    {KEY_LIST_POLICIES, "list-policies", "[NAME]",
     "policies with their options, defaults, ranges and meanings"},
    {KEY_HELP, "help", NULL, "this text (also -h); behind a command's name: its own"},
    {KEY_VERSION, "version", NULL, "version and licence"},
};

#define ROWS(list) list, sizeof(list) / sizeof(list)[0]
enum { N_GROUPS = 6 };

/* ---- values ---- */

static enum hsim_status window(const char *text, struct cli_options *options,
                               struct hsim_error *error) {
  const char *colon = strchr(text, ':');
  int64_t from, to;
  if (!colon || number_parse_int(text, (size_t)(colon - text), &from) != NUMBER_OK ||
      number_parse_int(colon + 1, strlen(colon + 1), &to) != NUMBER_OK || from < 0 || to <= from ||
      to > INT32_MAX)
    return option_bad(error, "measure", text, "FROM:TO, whole numbers with 0 <= FROM < TO");
  options->measure_from = (int)from;
  options->measure_to = (int)to;
  return HSIM_OK;
}

static enum hsim_status progress_when(const char *text, enum progress_when *when,
                                      struct hsim_error *error) {
  static const char *const names[] = {
      [PROGRESS_AUTO] = "auto", [PROGRESS_ALWAYS] = "always", [PROGRESS_NEVER] = "never"};
  int value = PROGRESS_ALWAYS;
  enum hsim_status status =
      text ? option_one_of("progress", text, names, 3, &value, error) : HSIM_OK;
  *when = (enum progress_when)value;
  return status;
}

static enum hsim_status set_policy(void *target, int key, const char *text,
                                   struct hsim_error *error) {
  struct cli_options *options = target;
  (void)key;
  return policy_specs_parse(&options->policies, text, error);
}

static enum hsim_status set_simulation(void *target, int key, const char *text,
                                       struct hsim_error *error) {
  struct cli_options *options = target;
  switch (key) {
  case KEY_ROUND:
    return option_seconds("round", text, 0.001, &options->round_s, error);
  case KEY_RESTART_COST:
    return option_seconds("restart-cost", text, 0, &options->restart_cost, error);
  case KEY_COSTS:
    options->costs = text;
    break;
  case KEY_SEEDS:
    return seeds_parse(text, &options->seeds, error);
  case INPUT_SEED:
    options->seed_given = true;
    return input_options_set(&options->input, key, text, error);
  case KEY_UNTIL:
    return option_seconds("until", text, 0, &options->until, error);
  case KEY_MEASURE:
    return window(text, options, error);
  case KEY_JOBS:
    return option_count("jobs", text, &options->jobs, error);
  case KEY_POLICY_TIMEOUT:
    return option_seconds("policy-timeout", text, 0.001, &options->limits.seconds, error);
  case KEY_POLICY_MEMORY:
    return option_real("policy-memory", text, "a number of megabytes", 1, 1e9,
                       &options->limits.megabytes, error);
  default:
    return input_options_set(&options->input, key, text, error);
  }
  return HSIM_OK;
}

static enum hsim_status set_by(const char *text, struct cli_options *options,
                               struct hsim_error *error) {
  int key;
  enum hsim_status status =
      option_one_of("by", text, group_key_names + 1, N_GROUP_KEYS - 1, &key, error);
  if (status == HSIM_OK)
    options->by = key + 1;
  return status;
}

static enum hsim_status set_output(void *target, int key, const char *text,
                                   struct hsim_error *error) {
  struct cli_options *options = target;
  if (key >= KEY_OUT && key < KEY_OUT + N_OUTPUT_OPTIONS) {
    options->out[key - KEY_OUT] = text;
    return HSIM_OK;
  }
  switch (key) {
  case KEY_JSON:
    options->json = true;
    break;
  case KEY_BY:
    return set_by(text, options, error);
  case KEY_BOUND:
    options->bound = true;
    break;
  case KEY_AUDIT:
    options->audit = true;
    break;
  case KEY_TIMING:
    options->timing = true;
    break;
  case KEY_CHECK:
    options->check = text;
    break;
  case KEY_TOLERANCE:
    return option_percent("tolerance", text, INFINITY, &options->tolerance, error);
  case KEY_JUNIT:
    options->junit = text;
    break;
  case KEY_PROGRESS:
    return progress_when(text, &options->progress, error);
  case KEY_LIST_POLICIES:
    options->command = COMMAND_LIST_POLICIES;
    options->list_policy = text;
    break;
  case KEY_HELP:
    options->command = COMMAND_HELP;
    break;
  case KEY_VERSION:
    options->command = COMMAND_VERSION;
    break;
  default:
    return input_options_set(&options->input, key, text, error);
  }
  return HSIM_OK;
}

/* ---- parsing ---- */

static void make_groups(struct cli_options *options, struct option_group groups[N_GROUPS]) {
  groups[0] = (struct option_group){"Input", ROWS(policy_rows), set_policy, options};
  groups[1] =
      (struct option_group){NULL, input_rows, n_input_rows, input_options_set, &options->input};
  groups[2] = (struct option_group){"Simulation", ROWS(simulation_rows), set_simulation, options};
  groups[3] = (struct option_group){"Faults", fault_rows, n_fault_rows, fault_options_set,
                                    &options->faults};
  groups[4] = (struct option_group){"Output", ROWS(output_rows), set_output, options};
  groups[5] = (struct option_group){"Information", ROWS(information_rows), set_output, options};
}

static const char usage[] = "hsim [run] --policy POLICY[,POLICY...] --trace TRACE [options]\n"
                            "hsim bound [--policy POLICY[,POLICY...]] --trace TRACE [options]";
static const char about[] =
    "Replays a trace of training jobs against a modelled GPU cluster under scheduling\n"
    "policies and reports makespan, job completion times, fairness and utilisation.";

static struct option_table make_table(struct cli_options *options,
                                      struct option_group groups[N_GROUPS]) {
  make_groups(options, groups);
  return (struct option_table){
      .command = "hsim", .usage = usage, .about = about, .groups = groups, .n_groups = N_GROUPS};
}

void cli_run_describe(option_table_reader *read, void *state) {
  struct cli_options options;
  struct option_group groups[N_GROUPS];
  const struct option_table table = make_table(&options, groups);
  read(state, &table);
}

static enum hsim_status words(int argc, char **argv, int first, struct cli_options *options,
                              struct hsim_error *error) {
  for (int i = first; i < argc; i++) {
    if (i == first && strcmp(argv[i], "run") == 0)
      continue;
    if (i == first && strcmp(argv[i], "bound") == 0) {
      if (options->command == COMMAND_RUN)
        options->command = COMMAND_BOUND;
      continue;
    }
    if (options->command == COMMAND_LIST_POLICIES && !options->list_policy) {
      options->list_policy = argv[i];
      continue;
    }
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "\"%s\" is neither an option nor a command (run, bound, inspect, "
                     "convert, generate, compare or manual, before all options)",
                     argv[i]);
  }
  return HSIM_OK;
}

static enum hsim_status complete(const struct cli_options *options, struct hsim_error *error) {
  if (options->command != COMMAND_RUN && options->command != COMMAND_BOUND)
    return HSIM_OK;
  if (options->policies.n == 0 && options->command == COMMAND_RUN)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "--policy is missing (hsim --list-policies shows them)");
  if (!options->input.trace)
    return hsim_fail(error, HSIM_BAD_USAGE, "--trace is missing");
  if (options->costs && !isnan(options->restart_cost))
    return hsim_fail(error, HSIM_BAD_USAGE, "--costs and --restart-cost exclude each other");
  if (options->seeds.n > 0 && options->seed_given)
    return hsim_fail(error, HSIM_BAD_USAGE, "--seed and --seeds exclude each other");
  if (options->seeds.n > 0 && options->command == COMMAND_BOUND)
    return hsim_fail(error, HSIM_BAD_USAGE, "--seeds: hsim bound takes one seed (--seed)");
  bool any_output = false;
  for (int i = 0; i < N_OUTPUT_OPTIONS; i++)
    any_output = any_output || options->out[i];
  if (options->command == COMMAND_BOUND && (options->check || any_output || options->by))
    return hsim_fail(
        error, HSIM_BAD_USAGE,
        "hsim bound runs nothing: --check, --by and files of results do not go with it");
  if (!options->check && !isnan(options->tolerance))
    return hsim_fail(error, HSIM_BAD_USAGE, "--tolerance goes with --check");
  if (!options->check && options->junit)
    return hsim_fail(error, HSIM_BAD_USAGE, "--junit goes with --check");
  return fault_options_check(&options->faults, error);
}

static void defaults(struct cli_options *options) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  *options = (struct cli_options){.round_s = 360,
                                  .restart_cost = NAN,
                                  .tolerance = NAN,
                                  .jobs = cores > 0 ? (int)cores : 1,
                                  .limits = {INFINITY, INFINITY},
                                  .until = INFINITY,
                                  .measure_to = INT32_MAX};
  input_options_init(&options->input);
  fault_options_init(&options->faults);
}

enum hsim_status cli_options_parse(int argc, char **argv, struct cli_options *options,
                                   struct hsim_error *error) {
  struct option_group groups[N_GROUPS];
  int first_word;
  defaults(options);
  const struct option_table table = make_table(options, groups);
  enum hsim_status status = option_table_parse(&table, argc, argv, &first_word, error);
  if (status == HSIM_OK)
    status = words(argc, argv, first_word, options, error);
  if (status == HSIM_OK && options->seeds.n > 0)
    options->input.seed = options->seeds.at[0];
  if (status == HSIM_OK)
    status = complete(options, error);
  if (status != HSIM_OK)
    cli_options_free(options);
  return status;
}

void cli_options_free(struct cli_options *options) {
  policy_specs_free(&options->policies);
  input_options_free(&options->input);
  seeds_free(&options->seeds);
}
