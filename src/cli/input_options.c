/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/input_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/cluster.h"
#include "input/rates.h"
#include "model/memory.h"
#include "model/number.h"
#include "output/json.h"

const struct option_row input_rows[] = {
    {INPUT_TRACE, "trace", "FILE", "job trace, plain or .gz, - for stdin (required)"},
    {INPUT_TRACE_FORMAT, "trace-format", "NAME",
     "native, gavel, philly-log, swf, sacct, philly, helios, acme, itp,\n"
     "tiresias, muri, chronus, openb, pai or spot (default: from the content)"},
    {INPUT_TIME_UNIT, "time-unit", "seconds|milliseconds|minutes|hours",
     "of times that state none (default: the format's)"},
    {INPUT_TIME_ZONE, "time-zone", "ZONE",
     "of dates that name none: UTC, +HH:MM, or a rule of POSIX such as\n"
     "PST8PDT,M3.2.0,M11.1.0 (default: UTC)"},
    {INPUT_REPEATED_HOUR, "repeated-hour", "first|second",
     "which of the two is meant when summer time ends (default: first)"},
    {INPUT_FRACTIONAL, "fractional", "error|up|skip",
     "jobs that ask for a part of a GPU: refuse the trace, round up, or\n"
     "leave them out (default: error)"},
    {INPUT_ATTEMPTS, "attempts", "sum|each",
     "log with attempts: one job with the work of all, or one an attempt\n(default: sum)"},
    {INPUT_CLUSTER, "cluster", "FILE|SPEC",
     "cluster JSON, list of machines, TYPE=NODESxGPUS joined by commas, or\n"
     "V100:P100:K80 (default: builtin:hadar60 = v100=5x4,p100=5x4,k80=5x4)"},
    {INPUT_CLUSTER_GPU, "cluster-gpu", "TYPE",
     "GPU type of a list of machines that names none (default: v100)"},
    {INPUT_RATES, "rates", "FILE",
     "throughput table, Gavel's JSON or CSV\n(default: builtin:gavel_simulation)"},
    {INPUT_SPEEDUPS, "speedups", "FILE",
     "CSV model,workers,speedup that replaces the table's gang sizes"},
    {INPUT_ASSIGN, "assign", "hadar|uniform",
     "models for a trace that names none (default: hadar)"},
    {INPUT_REFERENCE_GPU, "reference-gpu", "TYPE",
     "GPU type that durations were measured on (default: v100)"},
    {INPUT_ELASTIC, "elastic", "MIN:MAX",
     "workers of jobs whose trace gives no range, Nx = times the job's own\n(default: 1:1x)"},
    {INPUT_FROM, "from", "SECONDS", "only jobs that arrive then or later, on the trace's clock"},
    {INPUT_TO, "to", "SECONDS", "only jobs that arrive before"},
    {INPUT_TENANT, "tenant", "NAME", "only jobs of this tenant; may be given several times"},
    {INPUT_SAMPLE, "sample", "N", "N jobs drawn from these by the seed, in their order"},
    {INPUT_LIMIT, "limit", "N", "only the first N jobs in arrival order, after the above"},
    {INPUT_SCALE_ARRIVALS, "scale-arrivals", "F",
     "gaps between arrivals times F: 0.5 doubles the load (default: 1)"},
    {INPUT_SHAKE, "shake", "P%",
     "gaps between arrivals and work times random factors from 1-P to 1+P,\n"
     "drawn by the seed, to see whether a result hangs on such details"},
    {INPUT_REBASE, "rebase", NULL, "shift arrivals so that the first is 0"},
    {INPUT_ON_BAD_ROW, "on-bad-row", "error|skip",
     "refuse the trace at its first bad row, or skip and count bad rows\n(default: error)"},
};
const int n_input_rows = sizeof input_rows / sizeof input_rows[0];

void input_options_init(struct input_options *options) {
  *options = (struct input_options){.cluster = "builtin:hadar60",
                                    .cluster_gpu = CLUSTER_LIST_GPU,
                                    .rates = "builtin:gavel_simulation",
                                    .elastic = "1:1x",
                                    .selection = trace_selection_all()};
}

void input_options_free(struct input_options *options) {
  free(options->tenants);
  options->tenants = NULL;
  free(options->typed);
  options->typed = NULL;
}

static void add_tenant(struct input_options *options, const char *name) {
  struct trace_selection *selection = &options->selection;
  options->tenants = mem_grow(options->tenants, selection->n_tenants + 1,
                              &options->tenants_capacity, sizeof *options->tenants);
  options->tenants[selection->n_tenants++] = name;
  selection->tenants = options->tenants;
}

static enum hsim_status set_selection(struct input_options *options, int key, const char *text,
                                      struct hsim_error *error) {
  struct trace_selection *selection = &options->selection;
  switch (key) {
  case INPUT_FROM:
    return option_seconds("from", text, 0, &selection->from_s, error);
  case INPUT_TO:
    return option_seconds("to", text, 0, &selection->to_s, error);
  case INPUT_TENANT:
    add_tenant(options, text);
    return HSIM_OK;
  case INPUT_SAMPLE:
    return option_count("sample", text, &selection->sample, error);
  case INPUT_SCALE_ARRIVALS:
    return option_real("scale-arrivals", text, "a factor", 1e-6, 1e6, &selection->scale_arrivals,
                       error);
  case INPUT_SHAKE:
    return option_percent("shake", text, 99, &selection->shake, error);
  case INPUT_LIMIT:
    return option_count("limit", text, &options->limit, error);
  default:
    options->rebase = true;
    return HSIM_OK;
  }
}

static void set_text(struct input_options *options, int key, const char *text) {
  switch (key) {
  case INPUT_TRACE:
    options->trace = text;
    break;
  case INPUT_TRACE_FORMAT:
    options->trace_format = text;
    break;
  case INPUT_CLUSTER:
    options->cluster = text;
    break;
  case INPUT_CLUSTER_GPU:
    options->cluster_gpu = text;
    break;
  case INPUT_RATES:
    options->rates = text;
    break;
  case INPUT_SPEEDUPS:
    options->speedups = text;
    break;
  case INPUT_REFERENCE_GPU:
    options->reference_gpu = text;
    break;
  case INPUT_ELASTIC:
    options->elastic = text;
    break;
  default:
    options->semantics = text;
    break;
  }
}

static const char *name_of(int key) {
  int i = 0;
  while (input_rows[i].key != key)
    i++;
  return input_rows[i].name;
}

static enum hsim_status set_value(void *target, int key, const char *text,
                                  struct hsim_error *error) {
  static const char *const rules[] = {"hadar", "uniform"}, *const bad_rows[] = {"error", "skip"};
  struct input_options *options = target;
  enum hsim_status status;
  int choice = 0;
  int64_t n = 0;
  switch (key) {
  case INPUT_ASSIGN:
    status = option_one_of("assign", text, rules, 2, &choice, error);
    options->assign = choice == 1 ? ASSIGN_UNIFORM : ASSIGN_HADAR;
    return status;
  case INPUT_ON_BAD_ROW:
    status = option_one_of("on-bad-row", text, bad_rows, 2, &choice, error);
    options->skip_bad_rows = choice == 1;
    return status;
  case INPUT_SEED:
    status = option_whole("seed", text, 0, INT64_MAX, &n, error);
    options->seed = (uint64_t)n;
    return status;
  case INPUT_QUIET:
    options->quiet = true;
    return HSIM_OK;
  case INPUT_TIME_UNIT:
  case INPUT_TIME_ZONE:
  case INPUT_REPEATED_HOUR:
  case INPUT_FRACTIONAL:
  case INPUT_ATTEMPTS:
    return trace_reading_set(&options->reading, name_of(key), text, error);
  case INPUT_FROM:
  case INPUT_TO:
  case INPUT_TENANT:
  case INPUT_SAMPLE:
  case INPUT_SCALE_ARRIVALS:
  case INPUT_SHAKE:
  case INPUT_LIMIT:
  case INPUT_REBASE:
    return set_selection(options, key, text, error);
  default:
    set_text(options, key, text);
    return HSIM_OK;
  }
}

/* Whether the summary tells it in another place. */
static bool is_told(int key) {
  static const int keys[] = {INPUT_TRACE,     INPUT_TRACE_FORMAT, INPUT_CLUSTER,
                             INPUT_RATES,     INPUT_SHAKE,        INPUT_ON_BAD_ROW,
                             INPUT_SEMANTICS, INPUT_SEED,         INPUT_QUIET};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (key == keys[i])
      return true;
  return false;
}

/* The last one counts, but for tenants, which add. */
static void note_typed(struct input_options *options, int key, const char *text) {
  const char *name = name_of(key);
  size_t i = 0;
  while (i < options->n_typed && (key == INPUT_TENANT || options->typed[i].name != name))
    i++;
  options->typed =
      mem_grow(options->typed, i + 1, &options->typed_capacity, sizeof *options->typed);
  if (i == options->n_typed)
    options->n_typed++;
  options->typed[i] = (struct typed_option){name, text};
}

enum hsim_status input_options_set(void *target, int key, const char *text,
                                   struct hsim_error *error) {
  enum hsim_status status = set_value(target, key, text, error);
  if (status == HSIM_OK && !is_told(key))
    note_typed(target, key, text);
  return status;
}

static cJSON *typed_item(const char *text) {
  double number;
  if (!text)
    return json_number_item(1);
  if (number_parse(text, strlen(text), &number) == NUMBER_OK)
    return json_number_item(number);
  return json_text_item(text);
}

cJSON *input_options_item(const struct input_options *options) {
  if (options->n_typed == 0)
    return NULL;
  cJSON *item = json_object(), *tenants = NULL;
  for (size_t i = 0; i < options->n_typed; i++) {
    const struct typed_option *typed = &options->typed[i];
    if (strcmp(typed->name, "tenant") != 0) {
      json_add(item, typed->name, typed_item(typed->text));
      continue;
    }
    if (!tenants)
      json_add(item, typed->name, tenants = json_array());
    json_append(tenants, json_text_item(typed->text));
  }
  return item;
}

/* ---- loading ---- */

enum hsim_status input_load_rates(const struct input_options *options, struct rates *rates,
                                  struct hsim_error *error) {
  enum hsim_status status = rates_read(options->rates, rates, error);
  if (status == HSIM_OK && options->speedups)
    status = rates_read_speedup(options->speedups, rates, error);
  return status;
}

enum hsim_status input_load_semantics(const struct input_options *options,
                                      struct semantics *semantics, struct hsim_error *error) {
  return options->semantics ? semantics_parse(options->semantics, semantics, error)
                            : semantics_preset("default", semantics, error);
}

static void warn(void *state, const char *message) {
  (void)state;
  fprintf(stderr, "hsim: %s\n", message);
}

enum hsim_status input_trace_options(const struct input_options *options,
                                     struct trace_options *trace, struct hsim_error *error) {
  *trace = trace_options_default(options->trace);
  trace->format = options->trace_format;
  trace->skip_bad_rows = options->skip_bad_rows;
  trace->warn = options->quiet ? NULL : warn;
  trace->assign = options->assign;
  trace->reference = options->reference_gpu;
  trace->reading = options->reading;
  trace->selection = options->selection;
  trace->limit = options->limit;
  trace->rebase = options->rebase;
  trace->seed = options->seed;
  if (options->selection.from_s >= options->selection.to_s)
    return hsim_fail(error, HSIM_BAD_USAGE, "options --from and --to: expected --from below --to");
  return elastic_parse(options->elastic, &trace->elastic, error);
}
