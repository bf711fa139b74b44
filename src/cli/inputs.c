/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "input/cluster.h"
#include "input/costs.h"
#include "input/rates.h"
#include "input/trace.h"
#include "output/ideal.h"
#include "policy/registry.h"

static bool is_preset_name(const char *text) {
  return !strchr(text, '/') && !strchr(text, '.') && strcmp(text, "-") != 0;
}

/* A preset alone would change nothing but the names of what holds; costs follow the preset unless
 * the user gave some, so that a table compares policies and not costs. */
static enum hsim_status plan_costs(const struct cli_options *options, struct planned_run *run,
                                   struct hsim_error *error) {
  if (options->costs)
    return is_preset_name(options->costs) ? costs_preset(options->costs, &run->costs, error)
                                          : costs_read(options->costs, &run->costs, error);
  const char *preset = strcmp(run->semantics.preset, "gavel") == 0 ? "gavel" : "default";
  if (isnan(options->restart_cost))
    return costs_preset(preset, &run->costs, error);
  run->costs = (struct costs){.start = options->restart_cost,
                              .move = options->restart_cost,
                              .resize = options->restart_cost};
  return HSIM_OK;
}

/* Checkpoints of the command line go with any costs but those of a file or preset. */
static void plan_checkpoints(const struct cli_options *options, struct costs *costs) {
  if (isnan(options->faults.checkpoint_interval))
    return;
  costs->rollback = ROLLBACK_FAILURE;
  costs->checkpoint_interval_s = options->faults.checkpoint_interval;
  costs->checkpoint_s =
      isnan(options->faults.checkpoint_cost) ? 0 : options->faults.checkpoint_cost;
}

static enum hsim_status plan_run(const struct cli_options *options, const struct policy_spec *spec,
                                 struct planned_run *run, struct hsim_error *error) {
  enum hsim_status status = registry_open(spec->name, &run->policy, error);
  struct hsim_policy *table = &run->policy.table;
  if (status == HSIM_OK)
    status = policy_values_make(table, spec, &run->values, error);
  if (status != HSIM_OK)
    return status;
  if (table->configure)
    table->configure(table, run->values.at);
  const char *preset = table->preset ? table->preset(run->values.at) : NULL;
  if (options->input.semantics)
    status = semantics_parse(options->input.semantics, &run->semantics, error);
  else
    status = semantics_preset(preset ? preset : "default", &run->semantics, error);
  if (status == HSIM_OK)
    status = plan_costs(options, run, error);
  plan_checkpoints(options, &run->costs);
  return status;
}

/* The efficiency file is the same for all runs: an explicit --semantics holds for each. */
static enum hsim_status load_rates(const struct cli_options *options, struct inputs *inputs,
                                   struct hsim_error *error) {
  struct semantics semantics;
  enum hsim_status status = input_load_rates(&options->input, &inputs->rates, error);
  if (status == HSIM_OK)
    status = input_load_semantics(&options->input, &semantics, error);
  if (status != HSIM_OK)
    return status;
  if (semantics.spread == SPREAD_FILE)
    status = rates_read_efficiency(semantics.spread_file, &inputs->rates, error);
  semantics_free(&semantics);
  return status;
}

/* GPUs that no job can use are worth a word: most likely the type has another name in the table. */
static void note_unknown_types(const struct cli_options *options, const struct inputs *inputs) {
  const struct hsim_cluster *cluster = &inputs->cluster.view;
  const struct names *known = &inputs->rates.types;
  for (int t = 0; t < cluster->n_types && !options->input.quiet; t++) {
    const char *name = cluster->type_names[t];
    if (names_find(known, name, strlen(name)) >= 0)
      continue;
    const char *near = names_suggest((const char *const *)known->at, (size_t)known->n, name);
    fprintf(stderr, "hsim: the rates have no GPU type %s: its %d GPUs stay idle%s%s%s\n", name,
            cluster->type_gpus[t], near ? "; did you mean " : "", near ? near : "",
            near ? "?" : "");
  }
}

static enum hsim_status load_trace(const struct cli_options *options, struct inputs *inputs,
                                   struct hsim_error *error) {
  struct trace_options trace;
  struct semantics semantics;
  enum hsim_status status = input_trace_options(&options->input, &trace, error);
  trace.seed = inputs->seed;
  if (status == HSIM_OK)
    status = input_load_semantics(&options->input, &semantics, error);
  if (status != HSIM_OK)
    return status;
  struct hsim_oracle oracle;
  oracle_init(&oracle, &inputs->rates, &inputs->cluster.view, &semantics);
  status = trace_read(&trace, &oracle, &inputs->trace, error);
  semantics_free(&semantics);
  return status;
}

/* The nearest whole number of nodes, drawn without repetition. */
static void draw_stragglers(const struct cli_options *options, uint64_t seed, int n_nodes,
                            struct outages *outages) {
  outages->slow_share = options->faults.slow_share;
  outages->slow_factor = options->faults.slow_factor;
  outages->node_speed = mem_alloc((size_t)n_nodes, sizeof *outages->node_speed);
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, "stragglers");
  int left = (int)lround(options->faults.slow_share * n_nodes);
  for (int i = 0; i < n_nodes; i++) {
    bool slow = (int)hsim_rng_below(&rng, (uint64_t)(n_nodes - i)) < left;
    outages->node_speed[i] = slow ? options->faults.slow_factor : 1.0;
    left -= slow;
  }
}

/* Random failures happen one by one: too many of them until the last arrival would take days. */
static enum hsim_status check_failures(const struct cli_options *options,
                                       const struct inputs *inputs, struct hsim_error *error) {
  const double most = 1e9;
  const struct fault_rule *faults = &inputs->outages.faults;
  const struct trace *trace = &inputs->trace;
  if (!(faults->mtbf_s > 0) || trace->n_jobs == 0)
    return HSIM_OK;
  double span_s =
      fmin(trace->jobs[trace->n_jobs - 1].arrival_s, options->until) - trace->jobs[0].arrival_s;
  double failures = span_s * inputs->cluster.view.n_nodes / (faults->mtbf_s + faults->mttr_s);
  if (failures <= most)
    return HSIM_OK;
  return hsim_fail(error, HSIM_BAD_USAGE,
                   "option --mtbf: about %.3g failures of the %d nodes in the %.15g h until the "
                   "last arrival: expected at most %g",
                   failures, inputs->cluster.view.n_nodes, span_s / 3600, most);
}

static enum hsim_status load_outages(const struct cli_options *options, struct inputs *inputs,
                                     struct hsim_error *error) {
  struct outages *outages = &inputs->outages;
  if (!isnan(options->faults.mtbf_h))
    outages->faults = (struct fault_rule){
        .mtbf_s = options->faults.mtbf_h * 3600,
        .mttr_s = (isnan(options->faults.mttr_h) ? 1 : options->faults.mttr_h) * 3600,
        .shape = isnan(options->faults.mtbf_shape) ? 1 : options->faults.mtbf_shape};
  if (!isnan(options->faults.slow_share))
    draw_stragglers(options, inputs->seed, inputs->cluster.view.n_nodes, outages);
  enum hsim_status status = check_failures(options, inputs, error);
  if (status == HSIM_OK && inputs->events)
    status = events_resolve(inputs->events, &inputs->trace, outages, error);
  return status;
}

/* Seconds of the longest job alone on the empty cluster; jobs that run nowhere do not count. */
static double longest_alone(const struct inputs *inputs) {
  struct hsim_oracle oracle;
  struct ideal ideal;
  double longest = 0;
  oracle_init(&oracle, &inputs->rates, &inputs->cluster.view, &inputs->runs[0].semantics);
  ideal_init(&ideal, &oracle);
  for (int j = 0; j < inputs->trace.n_jobs; j++) {
    double alone = ideal_s(&ideal, &inputs->trace.jobs[j]);
    if (isfinite(alone))
      longest = fmax(longest, alone);
  }
  ideal_free(&ideal);
  return longest;
}

/* No run ends in fewer rounds than its longest job alone takes. More than hsim could go through in
 * days are a mistake in a unit, not a wish. */
static enum hsim_status check_rounds(const struct cli_options *options, const struct inputs *inputs,
                                     struct hsim_error *error) {
  const double most = 1e10;
  bool rounds = false;
  for (size_t i = 0; i < inputs->n_runs; i++)
    rounds = rounds || inputs->runs[i].policy.table.mode == HSIM_MODE_ROUND;
  if (!rounds)
    return HSIM_OK;
  double seconds = fmin(longest_alone(inputs), options->until - inputs->trace.jobs[0].arrival_s);
  if (seconds > ENGINE_TIME_MAX ||
      !(seconds / options->round_s > most)) /* beyond the clock: the engine's */
    return HSIM_OK;
  return hsim_fail(
      error, HSIM_BAD_USAGE,
      "option --round: value \"%g\": the longest job alone takes %.3g rounds: expected "
      "an interval that makes it at most %g (or --until)",
      options->round_s, seconds / options->round_s, most);
}

static enum hsim_status load(const struct cli_options *options, struct inputs *inputs,
                             struct hsim_error *error) {
  inputs->n_runs = options->policies.n;
  inputs->runs = mem_zero(inputs->n_runs, sizeof *inputs->runs);
  for (size_t i = 0; i < inputs->n_runs; i++) {
    enum hsim_status status = plan_run(options, &options->policies.at[i], &inputs->runs[i], error);
    if (status != HSIM_OK)
      return status;
  }
  enum hsim_status status = load_rates(options, inputs, error);
  if (status == HSIM_OK)
    status = cluster_read_as(options->input.cluster, options->input.cluster_gpu, &inputs->cluster,
                             error);
  if (status == HSIM_OK && options->faults.events_in)
    status = events_read(options->faults.events_in, &inputs->cluster, &inputs->events, error);
  if (status == HSIM_OK)
    note_unknown_types(options, inputs);
  if (status == HSIM_OK)
    status = load_trace(options, inputs, error);
  if (status == HSIM_OK)
    status = load_outages(options, inputs, error);
  if (status == HSIM_OK)
    status = check_rounds(options, inputs, error);
  if (status == HSIM_OK && options->measure_to < INT32_MAX &&
      options->measure_to > inputs->trace.n_jobs)
    return hsim_fail(error, HSIM_BAD_USAGE, "option --measure: job %d, but the trace has %d jobs",
                     options->measure_to - 1, inputs->trace.n_jobs);
  return status;
}

enum hsim_status inputs_load(const struct cli_options *options, struct inputs *inputs,
                             struct hsim_error *error) {
  *inputs = (struct inputs){.seed = options->input.seed};
  enum hsim_status status = load(options, inputs, error);
  if (status != HSIM_OK)
    inputs_free(inputs);
  return status;
}

static bool trace_depends_on_seed(const struct cli_options *options, const struct inputs *inputs) {
  const struct trace_selection *selection = &options->input.selection;
  return inputs->trace.assigned || selection->sample > 0 || selection->shake > 0;
}

bool inputs_depend_on_seed(const struct cli_options *options, const struct inputs *inputs) {
  return trace_depends_on_seed(options, inputs) || !isnan(options->faults.slow_share);
}

enum hsim_status inputs_reseed(const struct cli_options *options, struct inputs *inputs,
                               uint64_t seed, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  if (seed == inputs->seed)
    return status;
  inputs->seed = seed;
  if (trace_depends_on_seed(options, inputs)) {
    char digest[sizeof inputs->trace.sha256];
    memcpy(digest, inputs->trace.sha256, sizeof digest);
    trace_free(&inputs->trace);
    struct cli_options quiet = *options; /* what there is to say was said the first time */
    quiet.input.quiet = true;
    status = load_trace(&quiet, inputs, error);
    if (status == HSIM_OK && strcmp(digest, inputs->trace.sha256) != 0)
      status = hsim_fail(error, HSIM_BAD_INPUT,
                         "%s: it is read again for each of --seeds, and has changed meanwhile",
                         options->input.trace);
  }
  outages_free(&inputs->outages);
  return status == HSIM_OK ? load_outages(options, inputs, error) : status;
}

void inputs_free(struct inputs *inputs) {
  for (size_t i = 0; i < inputs->n_runs; i++) {
    policy_values_free(&inputs->runs[i].values);
    semantics_free(&inputs->runs[i].semantics);
    loaded_policy_close(&inputs->runs[i].policy);
  }
  free(inputs->runs);
  trace_free(&inputs->trace);
  events_free(inputs->events);
  outages_free(&inputs->outages);
  cluster_free(&inputs->cluster);
  rates_free(&inputs->rates);
  *inputs = (struct inputs){0};
}
