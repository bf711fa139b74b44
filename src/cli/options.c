/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/names.h"
#include "model/number.h"
#include "output/check.h"

/* Grouped: what goes in, what happens, what comes out. */
enum key {
  KEY_POLICY = 256,
  KEY_TRACE,
  KEY_TRACE_FORMAT,
  KEY_CLUSTER,
  KEY_RATES,
  KEY_SPEEDUPS,
  KEY_ASSIGN,
  KEY_REFERENCE_GPU,
  KEY_ELASTIC,
  KEY_LIMIT,
  KEY_REBASE,
  KEY_ON_BAD_ROW,
  KEY_ROUND,
  KEY_RESTART_COST,
  KEY_COSTS,
  KEY_SEMANTICS,
  KEY_SEED,
  KEY_UNTIL,
  KEY_MEASURE,
  KEY_JOBS,
  KEY_EVENTS_IN,
  KEY_MTBF,
  KEY_MTTR,
  KEY_MTBF_SHAPE,
  KEY_STRAGGLERS,
  KEY_CHECKPOINT_INTERVAL,
  KEY_CHECKPOINT_COST,
  KEY_JSON,
  KEY_JOBS_OUT,
  KEY_EVENTS_OUT,
  KEY_SERIES_OUT,
  KEY_POLICY_LOG,
  KEY_AUDIT,
  KEY_TIMING,
  KEY_CHECK,
  KEY_TOLERANCE,
  KEY_PROGRESS,
  KEY_QUIET,
  KEY_LIST_POLICIES,
  KEY_HELP,
  KEY_VERSION
};

struct row {
  int key;
  const char *name;
  const char *argument; /* NULL: takes none; starts with [ : optional */
  const char *help;     /* \n begins a further line */
};

/* One home for what the parser knows and what --help says. A row without a name is a heading. */
static const struct row rows[] = {
    {0, NULL, NULL, "Input"},
    {KEY_POLICY, "policy", "NAME[:KEY=VALUE...]",
     "policy to run; several, joined by commas or in further --policy,\n"
     "run on the same input side by side; a path like ./my.so is loaded;\n"
     "\\ before : or , makes it part of a value (required)"},
    {KEY_TRACE, "trace", "FILE", "job trace, plain or .gz, - for stdin (required)"},
    {KEY_TRACE_FORMAT, "trace-format", "NAME",
     "native, philly or gavel (default: from the content)"},
    {KEY_CLUSTER, "cluster", "FILE|SPEC",
     "cluster JSON, or TYPE=NODESxGPUS joined by commas\n"
     "(default: builtin:hadar60 = v100=5x4,p100=5x4,k80=5x4)"},
    {KEY_RATES, "rates", "FILE",
     "throughput table, Gavel's JSON or CSV\n(default: builtin:gavel_simulation)"},
    {KEY_SPEEDUPS, "speedups", "FILE",
     "CSV model,workers,speedup that replaces the table's gang sizes"},
    {KEY_ASSIGN, "assign", "RULE",
     "models for a trace that names none: hadar or uniform (default: hadar)"},
    {KEY_REFERENCE_GPU, "reference-gpu", "TYPE",
     "GPU type that durations were measured on (default: v100)"},
    {KEY_ELASTIC, "elastic", "MIN:MAX",
     "workers of jobs whose trace gives no range, Nx = times the job's own\n(default: 1:1x)"},
    {KEY_LIMIT, "limit", "N", "only the first N jobs in arrival order"},
    {KEY_REBASE, "rebase", NULL, "shift arrivals so that the first is 0"},
    {KEY_ON_BAD_ROW, "on-bad-row", "error|skip",
     "refuse the trace at its first bad row, or skip and count bad rows\n(default: error)"},

    {0, NULL, NULL, "Simulation"},
    {KEY_ROUND, "round", "SECONDS", "interval of round-mode policies (default: 360)"},
    {KEY_RESTART_COST, "restart-cost", "SECONDS",
     "seconds without progress at a start, move or resize (default: 10)"},
    {KEY_COSTS, "costs", "FILE|PRESET",
     "all costs: JSON, or default, none, gavel, hadar, voda (default: default)"},
    {KEY_SEMANTICS, "semantics", "PRESET[:FIELD=VALUE...]",
     "default or gavel, with fields changed\n"
     "(default: default, or what a policy's option needs)"},
    {KEY_SEED, "seed", "N", "every random choice derives from it (default: 0)"},
    {KEY_UNTIL, "until", "SECONDS", "stop the clock (default: never)"},
    {KEY_MEASURE, "measure", "FROM:TO",
     "figures over jobs FROM..TO-1 in arrival order; the run ends with them\n(default: all)"},
    {KEY_JOBS, "jobs", "N", "policies run at once, as processes (default: cores)"},

    {0, NULL, NULL, "Faults"},
    {KEY_EVENTS_IN, "events-in", "FILE.csv",
     "what happens to the cluster: time_s,event,target[,gpus] with the events\n"
     "node_down, node_up, drain, undrain, add_node, cancel (of a job)"},
    {KEY_MTBF, "mtbf", "HOURS", "each node fails at random: mean time between failures"},
    {KEY_MTTR, "mttr", "HOURS", "mean time until it is repaired (default: 1)"},
    {KEY_MTBF_SHAPE, "mtbf-shape", "K",
     "Weibull shape of the time until a failure (default: 1, exponential)"},
    {KEY_STRAGGLERS, "stragglers", "SHARE:FACTOR",
     "that part of the nodes, drawn by the seed, runs at FACTOR of its speed"},
    {KEY_CHECKPOINT_INTERVAL, "checkpoint-interval", "SECONDS",
     "jobs save their progress so often, and lose what is not saved when\n"
     "they are interrupted (default: nothing is lost)"},
    {KEY_CHECKPOINT_COST, "checkpoint-cost", "SECONDS",
     "seconds without progress for each checkpoint (default: 0)"},

    {0, NULL, NULL, "Output"},
    {KEY_JSON, "json", NULL, "the summary as one JSON document on stdout"},
    {KEY_JOBS_OUT, "jobs-out", "FILE", "CSV, a row a job"},
    {KEY_EVENTS_OUT, "events-out", "FILE", "CSV, a row an event, with placements"},
    {KEY_SERIES_OUT, "series-out", "FILE", "CSV, a row a change: queue length, GPUs in use"},
    {KEY_POLICY_LOG, "policy-log", "FILE", "what policies say of their decisions, JSON lines"},
    {KEY_AUDIT, "audit", NULL, "check the run's own record against the rules of the model"},
    {KEY_TIMING, "timing", NULL, "add wall-clock figures (they differ from run to run)"},
    {KEY_CHECK, "check", "FILE.json",
     "compare with an earlier --json document; exit 3 when a figure moved"},
    {KEY_TOLERANCE, "tolerance", "P%", "relative difference that --check allows (default: 0)"},
    {KEY_PROGRESS, "progress", NULL, "progress bar on stderr (default: on a terminal)"},
    {KEY_QUIET, "quiet", NULL, "no progress bar, no warnings"},

    {0, NULL, NULL, "Information"},
    {KEY_LIST_POLICIES, "list-policies", "[NAME]",
     "policies with their options, defaults, ranges and meanings"},
    {KEY_HELP, "help", NULL, "this text (also -h)"},
    {KEY_VERSION, "version", NULL, "version and licence"},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

void cli_help(FILE *out) {
  fputs("Usage: hsim [run] --policy POLICY[,POLICY...] --trace TRACE [options]\n"
        "Replays a trace of training jobs against a modelled GPU cluster under scheduling\n"
        "policies and reports makespan, job completion times, fairness and utilisation.\n",
        out);
  for (int i = 0; i < N_ROWS; i++) {
    const struct row *row = &rows[i];
    if (!row->name) {
      fprintf(out, "\n%s\n", row->help);
      continue;
    }
    char left[80];
    bool optional = row->argument && row->argument[0] == '[';
    snprintf(left, sizeof left, "  --%s%s%s", row->name, row->argument && !optional ? " " : "",
             optional ? " [NAME]" : (row->argument ? row->argument : ""));
    const char *line = row->help;
    if (strlen(left) > 28) {
      fprintf(out, "%s\n", left);
      left[0] = '\0';
    }
    for (;;) {
      size_t length = strcspn(line, "\n");
      fprintf(out, "%-30s%.*s\n", left, (int)length, line);
      left[0] = '\0';
      if (!line[length])
        break;
      line += length + 1;
    }
  }
  fputs("\nExit status: 0 done, 1 wrong input data or no job could run, 2 wrong usage, 3 a figure\n"
        "differs from the baseline, 4 a policy or the solver failed, 70 a bug in hsim.\n",
        out);
}

/* ---- values ---- */

static enum hsim_status bad(struct hsim_error *error, const char *name, const char *text,
                            const char *expected) {
  return hsim_fail(error, HSIM_BAD_USAGE, "option --%s: value \"%s\": expected %s", name, text,
                   expected);
}

static enum hsim_status real(const char *name, const char *text, double least, double *value,
                             struct hsim_error *error) {
  char expected[80];
  snprintf(expected, sizeof expected, "a number of seconds from %g to 1e12", least);
  if (number_parse(text, strlen(text), value) != NUMBER_OK || !(*value >= least && *value <= 1e12))
    return bad(error, name, text, expected);
  return HSIM_OK;
}

static enum hsim_status whole(const char *name, const char *text, int64_t min, int64_t max,
                              int64_t *value, struct hsim_error *error) {
  char expected[96];
  snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)min,
           (long long)max);
  if (number_parse_int(text, strlen(text), value) != NUMBER_OK || *value < min || *value > max)
    return bad(error, name, text, expected);
  return HSIM_OK;
}

static enum hsim_status count(const char *name, const char *text, int *value,
                              struct hsim_error *error) {
  int64_t n;
  enum hsim_status status = whole(name, text, 1, INT32_MAX, &n, error);
  if (status == HSIM_OK)
    *value = (int)n;
  return status;
}

static enum hsim_status window(const char *text, struct cli_options *options,
                               struct hsim_error *error) {
  const char *colon = strchr(text, ':');
  int64_t from, to;
  if (!colon || number_parse_int(text, (size_t)(colon - text), &from) != NUMBER_OK ||
      number_parse_int(colon + 1, strlen(colon + 1), &to) != NUMBER_OK || from < 0 || to <= from ||
      to > INT32_MAX)
    return bad(error, "measure", text, "FROM:TO, whole numbers with 0 <= FROM < TO");
  options->measure_from = (int)from;
  options->measure_to = (int)to;
  return HSIM_OK;
}

static enum hsim_status one_of(const char *name, const char *text, const char *first,
                               const char *second, struct hsim_error *error) {
  if (strcmp(text, first) == 0 || strcmp(text, second) == 0)
    return HSIM_OK;
  char expected[64];
  snprintf(expected, sizeof expected, "%s or %s", first, second);
  return bad(error, name, text, expected);
}

static enum hsim_status set_input(int key, const char *text, struct cli_options *options,
                                  struct hsim_error *error) {
  switch (key) {
  case KEY_POLICY:
    return policy_specs_parse(&options->policies, text, error);
  case KEY_TRACE:
    options->trace = text;
    break;
  case KEY_TRACE_FORMAT:
    options->trace_format = text;
    break;
  case KEY_CLUSTER:
    options->cluster = text;
    break;
  case KEY_RATES:
    options->rates = text;
    break;
  case KEY_SPEEDUPS:
    options->speedups = text;
    break;
  case KEY_ASSIGN:
    options->assign = text;
    return one_of("assign", text, "hadar", "uniform", error);
  case KEY_REFERENCE_GPU:
    options->reference_gpu = text;
    break;
  case KEY_ELASTIC:
    options->elastic = text;
    break;
  case KEY_LIMIT:
    return count("limit", text, &options->limit, error);
  case KEY_REBASE:
    options->rebase = true;
    break;
  case KEY_ON_BAD_ROW:
    options->skip_bad_rows = strcmp(text, "skip") == 0;
    return one_of("on-bad-row", text, "error", "skip", error);
  default:
    break;
  }
  return HSIM_OK;
}

static enum hsim_status set_simulation(int key, const char *text, struct cli_options *options,
                                       struct hsim_error *error) {
  int64_t n = 0;
  enum hsim_status status = HSIM_OK;
  switch (key) {
  case KEY_ROUND:
    return real("round", text, 0.001, &options->round_s, error);
  case KEY_RESTART_COST:
    return real("restart-cost", text, 0, &options->restart_cost, error);
  case KEY_COSTS:
    options->costs = text;
    break;
  case KEY_SEMANTICS:
    options->semantics = text;
    break;
  case KEY_SEED:
    status = whole("seed", text, 0, INT64_MAX, &n, error);
    options->seed = (uint64_t)n;
    break;
  case KEY_UNTIL:
    return real("until", text, 0, &options->until, error);
  case KEY_MEASURE:
    return window(text, options, error);
  case KEY_JOBS:
    return count("jobs", text, &options->jobs, error);
  default:
    break;
  }
  return status;
}

static enum hsim_status hours(const char *name, const char *text, double *value,
                              struct hsim_error *error) {
  if (number_parse(text, strlen(text), value) != NUMBER_OK || !(*value >= 1e-3 && *value <= 1e8))
    return bad(error, name, text, "a number of hours from 0.001 to 1e8");
  return HSIM_OK;
}

static enum hsim_status stragglers(const char *text, struct cli_options *options,
                                   struct hsim_error *error) {
  const char *colon = strchr(text, ':');
  if (!colon || number_parse(text, (size_t)(colon - text), &options->slow_share) != NUMBER_OK ||
      number_parse(colon + 1, strlen(colon + 1), &options->slow_factor) != NUMBER_OK ||
      !(options->slow_share > 0 && options->slow_share <= 1) ||
      !(options->slow_factor > 0 && options->slow_factor <= 1))
    return bad(error, "stragglers", text, "SHARE:FACTOR, both above 0 and at most 1");
  options->stragglers = text;
  return HSIM_OK;
}

static enum hsim_status set_faults(int key, const char *text, struct cli_options *options,
                                   struct hsim_error *error) {
  switch (key) {
  case KEY_MTBF:
    return hours("mtbf", text, &options->mtbf_h, error);
  case KEY_MTTR:
    return hours("mttr", text, &options->mttr_h, error);
  case KEY_MTBF_SHAPE:
    if (number_parse(text, strlen(text), &options->mtbf_shape) != NUMBER_OK ||
        !(options->mtbf_shape >= 0.1 && options->mtbf_shape <= 100))
      return bad(error, "mtbf-shape", text, "a number from 0.1 to 100");
    break;
  case KEY_STRAGGLERS:
    return stragglers(text, options, error);
  case KEY_CHECKPOINT_INTERVAL:
    return real("checkpoint-interval", text, 1, &options->checkpoint_interval, error);
  case KEY_CHECKPOINT_COST:
    return real("checkpoint-cost", text, 0, &options->checkpoint_cost, error);
  default:
    options->events_in = text;
    break;
  }
  return HSIM_OK;
}

static enum hsim_status set_output(int key, const char *text, struct cli_options *options,
                                   struct hsim_error *error) {
  switch (key) {
  case KEY_JSON:
    options->json = true;
    break;
  case KEY_JOBS_OUT:
    options->jobs_out = text;
    break;
  case KEY_EVENTS_OUT:
    options->events_out = text;
    break;
  case KEY_SERIES_OUT:
    options->series_out = text;
    break;
  case KEY_POLICY_LOG:
    options->policy_log = text;
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
    return check_tolerance(text, &options->tolerance, error);
  case KEY_PROGRESS:
    options->progress = true;
    break;
  case KEY_QUIET:
    options->quiet = true;
    break;
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
    break;
  }
  return HSIM_OK;
}

/* ---- parsing ---- */

static void long_options(struct option out[N_ROWS + 1]) {
  int n = 0;
  for (int i = 0; i < N_ROWS; i++) {
    if (!rows[i].name)
      continue;
    int argument = no_argument;
    if (rows[i].argument)
      argument = rows[i].argument[0] == '[' ? optional_argument : required_argument;
    out[n++] = (struct option){rows[i].name, argument, NULL, rows[i].key};
  }
  out[n] = (struct option){0};
}

static enum hsim_status unknown(const char *typed, struct hsim_error *error) {
  const char *names[N_ROWS];
  size_t n = 0;
  for (int i = 0; i < N_ROWS; i++)
    if (rows[i].name)
      names[n++] = rows[i].name;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
  const char *near = name[0] == '-' ? names_suggest(names, n, name + strspn(name, "-")) : NULL;
  if (near)
    return hsim_fail(error, HSIM_BAD_USAGE, "unknown option %s; did you mean --%s?", name, near);
  return hsim_fail(error, HSIM_BAD_USAGE, "unknown option %s (hsim --help lists them)", name);
}

/* What getopt_long rejected: `typed` is the word, `key` the option it recognised, if any. */
static enum hsim_status rejected(const char *typed, int key, struct hsim_error *error) {
  for (int i = 0; i < N_ROWS; i++) {
    if (!rows[i].name || rows[i].key != key)
      continue;
    if (rows[i].argument)
      return hsim_fail(error, HSIM_BAD_USAGE, "option --%s needs a value: %s", rows[i].name,
                       rows[i].argument);
    return hsim_fail(error, HSIM_BAD_USAGE, "option --%s takes no value", rows[i].name);
  }
  return unknown(typed, error);
}

/* The word that getopt_long is in: inside a cluster of short options it has not moved on yet. */
static const char *word_of(int argc, char **argv) {
  bool inside = optopt > 0 && optopt < 256 && optind < argc && argv[optind][0] == '-' &&
                argv[optind][1] == optopt && argv[optind][2];
  return argv[inside ? optind : optind - 1];
}

static enum hsim_status words(int argc, char **argv, int first, struct cli_options *options,
                              struct hsim_error *error) {
  for (int i = first; i < argc; i++) {
    if (i == first && strcmp(argv[i], "run") == 0)
      continue;
    if (options->command == COMMAND_LIST_POLICIES && !options->list_policy) {
      options->list_policy = argv[i];
      continue;
    }
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "\"%s\" is neither an option nor a command (the command is run)", argv[i]);
  }
  return HSIM_OK;
}

static enum hsim_status complete(const struct cli_options *options, struct hsim_error *error) {
  if (options->command != COMMAND_RUN)
    return HSIM_OK;
  if (options->policies.n == 0)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "--policy is missing (hsim --list-policies shows them)");
  if (!options->trace)
    return hsim_fail(error, HSIM_BAD_USAGE, "--trace is missing");
  if (options->costs && !isnan(options->restart_cost))
    return hsim_fail(error, HSIM_BAD_USAGE, "--costs and --restart-cost exclude each other");
  if (isnan(options->mtbf_h) && !(isnan(options->mttr_h) && isnan(options->mtbf_shape)))
    return hsim_fail(error, HSIM_BAD_USAGE, "--mttr and --mtbf-shape go with --mtbf");
  if (isnan(options->checkpoint_interval) && !isnan(options->checkpoint_cost))
    return hsim_fail(error, HSIM_BAD_USAGE, "--checkpoint-cost goes with --checkpoint-interval");
  if (!options->check && !isnan(options->tolerance))
    return hsim_fail(error, HSIM_BAD_USAGE, "--tolerance goes with --check");
  return HSIM_OK;
}

static void defaults(struct cli_options *options) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  *options = (struct cli_options){.cluster = "builtin:hadar60",
                                  .rates = "builtin:gavel_simulation",
                                  .round_s = 360,
                                  .restart_cost = NAN,
                                  .mtbf_h = NAN,
                                  .mttr_h = NAN,
                                  .mtbf_shape = NAN,
                                  .checkpoint_interval = NAN,
                                  .checkpoint_cost = NAN,
                                  .tolerance = NAN,
                                  .elastic = "1:1x",
                                  .jobs = cores > 0 ? (int)cores : 1,
                                  .until = INFINITY,
                                  .measure_to = INT32_MAX,
                                  .assign = "hadar"};
}

enum hsim_status cli_options_parse(int argc, char **argv, struct cli_options *options,
                                   struct hsim_error *error) {
  struct option table[N_ROWS + 1];
  long_options(table);
  defaults(options);
  opterr = 0;
  optind = 0; /* glibc: begin anew */
  enum hsim_status status = HSIM_OK;
  int key;
  while (status == HSIM_OK && (key = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
    if (key == '?' || key == ':')
      status = rejected(word_of(argc, argv), optopt, error);
    else if (key == 'h')
      options->command = COMMAND_HELP;
    else if (key < KEY_ROUND)
      status = set_input(key, optarg, options, error);
    else if (key < KEY_EVENTS_IN)
      status = set_simulation(key, optarg, options, error);
    else if (key < KEY_JSON)
      status = set_faults(key, optarg, options, error);
    else
      status = set_output(key, optarg, options, error);
  }
  if (status == HSIM_OK)
    status = words(argc, argv, optind, options, error);
  if (status == HSIM_OK)
    status = complete(options, error);
  if (status != HSIM_OK)
    cli_options_free(options);
  return status;
}

void cli_options_free(struct cli_options *options) {
  policy_specs_free(&options->policies);
}
