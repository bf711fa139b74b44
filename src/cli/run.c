/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bound.h"
#include "cli/inputs.h"
#include "cli/one_run.h"
#include "cli/outputs.h"
#include "cli/processes.h"
#include "cli/run_progress.h"
#include "output/check.h"
#include "output/comparison.h"
#include "output/json.h"
#include "output/summary.h"

struct call {
  const struct cli_options *options;
  struct inputs inputs; /* of the first seed */
  struct outputs outputs;
  size_t n_pieces;                /* policies x seeds, policy by policy */
  struct process_result *results; /* [n_pieces] */
  struct summary_bound *bounds;   /* [n_runs] of --bound, or NULL */
  cJSON *baseline;                /* of --check, or NULL */
};

static size_t policy_of(const struct call *call, size_t piece) {
  return piece / cli_n_seeds(call->options);
}

static uint64_t seed_of(const struct call *call, size_t piece) {
  return cli_seed(call->options, piece % cli_n_seeds(call->options));
}

static enum hsim_status complain(enum hsim_status status, const struct hsim_error *error) {
  fprintf(stderr, "hsim: %s\n", error->text);
  if (status == HSIM_BAD_USAGE)
    fputs("Try 'hsim --help'.\n", stderr);
  return status;
}

/* In a process of its own, whose copy of the inputs becomes that of its seed. */
static enum hsim_status work(void *state, size_t piece, struct process_self *self, char **text,
                             struct hsim_error *error) {
  struct call *call = state;
  outputs_keep(&call->outputs, piece);
  size_t i = policy_of(call, piece);
  uint64_t first = call->inputs.seed;
  enum hsim_status status =
      inputs_reseed(call->options, &call->inputs, seed_of(call, piece), error);
  if (status != HSIM_OK)
    return status;
  struct summary_bound *bound = call->bounds ? &call->bounds[i] : NULL;
  if (bound && call->inputs.seed != first && inputs_depend_on_seed(call->options, &call->inputs))
    *bound = bounds_of_run(&call->inputs, i);
  struct run_parts parts = outputs_parts(&call->outputs, piece);
  return one_run(call->options, &call->inputs, i, &parts, bound, self, text, error);
}

/* A failed run is named on stderr and in the document; the others stand. */
static enum hsim_status run_failed(struct call *call, size_t piece) {
  struct process_result *result = &call->results[piece];
  size_t i = policy_of(call, piece);
  const char *name = call->options->policies.at[i].name;
  bool named = strncmp(result->text, "policy ", 7) == 0;
  char seed[40] = "";
  if (call->options->seeds.n > 0)
    snprintf(seed, sizeof seed, "seed %" PRIu64 ": ", seed_of(call, piece));
  fprintf(stderr, "hsim: %s%s%s%s%s\n", seed, named ? "" : "policy ", named ? "" : name,
          named ? "" : ": ", result->text);
  struct summary_id id = one_run_id(call->options, &call->inputs, i, seed_of(call, piece));
  char *text = summary_failed_text(&id, result->text);
  free(result->text);
  result->text = text;
  return result->status;
}

static char *document_text(const struct call *call, const char *comparison) {
  const char **runs = mem_alloc(call->n_pieces, sizeof *runs);
  for (size_t i = 0; i < call->n_pieces; i++)
    runs[i] = call->results[i].text;
  cJSON *typed = input_options_item(&call->options->input);
  char *input = typed ? json_print(typed, 1) : NULL;
  cJSON_Delete(typed);
  struct summary_document document = {.version = HSIM_VERSION,
                                      .trace = &call->inputs.trace,
                                      .cluster = &call->inputs.cluster,
                                      .rates = &call->inputs.rates,
                                      .seed = call->options->input.seed,
                                      .input = input,
                                      .seeds = call->options->seeds.at,
                                      .n_seeds = call->options->seeds.n,
                                      .outages = &call->inputs.outages,
                                      .runs = runs,
                                      .n_runs = call->n_pieces,
                                      .comparison = comparison};
  char *text = summary_document_text(&document);
  free(input);
  free(runs);
  return text;
}

/* No job could run under any policy: most likely the trace and the cluster do not belong
 * together. */
static enum hsim_status nothing_ran(const struct call *call, const cJSON *document) {
  const cJSON *run;
  cJSON_ArrayForEach(run, json_get(document, "runs")) {
    const cJSON *jobs = json_get(run, "jobs");
    if (!jobs || json_number(jobs, "finished") + json_number(jobs, "dropped") +
                         json_number(jobs, "cancelled") + json_number(jobs, "unfinished") >
                     0)
      return HSIM_OK;
  }
  fprintf(stderr, "hsim: %s: no job of the trace could run on cluster %s\n",
          call->inputs.trace.file, call->inputs.cluster.view.name);
  return HSIM_BAD_INPUT;
}

static enum hsim_status write_junit(const struct call *call, const struct check_report *report,
                                    struct hsim_error *error) {
  struct out out;
  if (!call->options->junit)
    return HSIM_OK;
  enum hsim_status status = out_open(&out, call->options->junit, error);
  if (status != HSIM_OK)
    return status;
  check_report_junit(report, call->options->check, &out);
  return out_commit(&out, error);
}

static enum hsim_status check(const struct call *call, const cJSON *document) {
  const struct cli_options *options = call->options;
  if (!options->check)
    return HSIM_OK;
  struct check_options *tables = mem_alloc(call->n_pieces, sizeof *tables);
  for (size_t i = 0; i < call->n_pieces; i++) {
    const struct hsim_policy *policy = &call->inputs.runs[policy_of(call, i)].policy.table;
    tables[i] = (struct check_options){policy->options, policy->n_options};
  }
  struct hsim_error error = {.status = HSIM_OK};
  bool taken = options->json || outputs_use_stdout(options); /* stdout holds one document */
  struct check_report report;
  double tolerance = isnan(options->tolerance) ? 0 : options->tolerance;
  enum hsim_status status =
      check_compare(document, call->baseline, tables, tolerance, &report, &error);
  check_report_print(&report, taken ? stderr : stdout);
  free(tables);
  if (status != HSIM_OK)
    complain(status, &error);
  enum hsim_status written = write_junit(call, &report, &error);
  check_report_free(&report);
  return written != HSIM_OK ? complain(written, &error) : status;
}

/* Seeds that change nothing look like certainty, which they are not. */
static void warn_of_identical(const struct call *call, const cJSON *rows) {
  const cJSON *row;
  cJSON_ArrayForEach(row, rows) {
    if (cJSON_IsTrue(json_get(row, "identical")) && !call->options->input.quiet)
      fprintf(stderr,
              "hsim: all seeds gave %s the same result: nothing in its run depends on the seed "
              "(--shake P%% varies the trace)\n",
              json_text(row, "label", "?"));
  }
}

/* The text gains the comparison of its own runs. */
static enum hsim_status add_comparison(const struct call *call, const cJSON *document, char **text,
                                       struct hsim_error *error) {
  const struct comparison_source source = {document, "the summary", false};
  cJSON *rows;
  enum hsim_status status = comparison_rows(&source, 1, &rows, error);
  if (status != HSIM_OK)
    return complain(status, error);
  warn_of_identical(call, rows);
  char *comparison = json_print(rows, 1);
  cJSON_Delete(rows);
  free(*text);
  *text = document_text(call, comparison);
  free(comparison);
  return HSIM_OK;
}

static enum hsim_status report(const struct call *call, struct hsim_error *error) {
  char *text = document_text(call, NULL);
  cJSON *document = cJSON_Parse(text);
  if (!document) {
    free(text);
    fputs("hsim: bug: the summary is not JSON\n", stderr);
    return HSIM_BUG;
  }
  enum hsim_status status = HSIM_OK;
  if (call->options->seeds.n > 0)
    status = add_comparison(call, document, &text, error);
  if (call->options->json)
    puts(text);
  else
    summary_table(document, outputs_use_stdout(call->options) ? stderr : stdout);
  enum hsim_status ran = nothing_ran(call, document);
  enum hsim_status checked = check(call, document);
  cJSON_Delete(document);
  free(text);
  if (checked != HSIM_OK)
    return checked;
  return status != HSIM_OK ? status : ran;
}

static enum hsim_status report_after(const struct call *call, enum hsim_status worst,
                                     struct hsim_error *error) {
  enum hsim_status status = report(call, error);
  return worst != HSIM_OK ? worst : status;
}

/* What became of each run; the rows of those that went well follow each other in the files. */
static enum hsim_status gather(struct call *call, size_t *done) {
  enum hsim_status worst = HSIM_OK;
  *done = 0;
  for (size_t i = 0; i < call->n_pieces; i++) {
    if (call->results[i].status == HSIM_OK) {
      outputs_append(&call->outputs, i);
      (*done)++;
      continue;
    }
    enum hsim_status status = run_failed(call, i);
    if (status > worst)
      worst = status;
  }
  return worst;
}

/* Runs all and puts the files in their places. Fails when there is nothing to report; *worst is
 * the status of the runs and the files. */
static enum hsim_status run_all(struct call *call, struct stop_signals *signals,
                                enum hsim_status *worst, struct hsim_error *error) {
  struct progress_line *line = run_progress_open(call->options, &call->inputs, call->n_pieces);
  bool quiet = call->options->input.quiet, interrupted;
  const struct process_order order = {.n = call->n_pieces,
                                      .at_once = call->options->jobs,
                                      .work = work,
                                      .state = call,
                                      .limits = call->options->limits,
                                      .news = line ? run_progress_news : NULL,
                                      .interrupted = quiet ? NULL : run_progress_interrupted,
                                      .listener = line};
  call->results = mem_zero(order.n, sizeof *call->results);
  enum hsim_status status = processes_run(&order, signals, call->results, &interrupted, error);
  progress_line_free(line);
  if (status != HSIM_OK)
    return complain(status, error);
  size_t done;
  *worst = gather(call, &done);
  if (interrupted)
    *worst = HSIM_INTERRUPTED;
  if (done == 0) /* nothing to put in the place of what is there */
    return HSIM_OK;
  status = outputs_commit(&call->outputs, error);
  if (status != HSIM_OK)
    complain(status, error);
  if (status > *worst)
    *worst = status;
  return HSIM_OK;
}

/* Signals wait until the output files are in their places or gone. */
static enum hsim_status run_guarded(struct call *call, enum hsim_status *worst,
                                    struct hsim_error *error) {
  struct stop_signals signals;
  enum hsim_status status = stop_signals_open(&signals, error);
  if (status != HSIM_OK)
    return complain(status, error);
  status = run_all(call, &signals, worst, error);
  outputs_free(&call->outputs);
  stop_signals_close(&signals);
  return status;
}

static enum hsim_status prepare(struct call *call, struct hsim_error *error) {
  const struct cli_options *options = call->options;
  enum hsim_status status = HSIM_OK;
  if (options->check)
    status = check_load(options->check, &call->baseline, error);
  if (status == HSIM_OK)
    status = inputs_load(options, &call->inputs, error);
  if (status == HSIM_OK && options->seeds.n > 1 && strcmp(options->input.trace, "-") == 0 &&
      inputs_depend_on_seed(options, &call->inputs))
    status = hsim_fail(error, HSIM_BAD_USAGE,
                       "--seeds: a trace that depends on the seed is read again for each, which "
                       "standard input cannot be: expected a file");
  call->n_pieces = call->inputs.n_runs * cli_n_seeds(options);
  if (status == HSIM_OK)
    status = outputs_open(options, &call->inputs, &call->outputs, error);
  if (status == HSIM_OK && options->bound)
    call->bounds = bounds_of_runs(&call->inputs);
  return status;
}

enum hsim_status cli_run(const struct cli_options *options) {
  struct call call = {.options = options};
  struct hsim_error error = {.status = HSIM_OK};
  enum hsim_status status = prepare(&call, &error);
  if (status != HSIM_OK)
    complain(status, &error);
  enum hsim_status worst = HSIM_OK;
  if (status == HSIM_OK)
    status = run_guarded(&call, &worst, &error);
  if (status == HSIM_OK)
    status = report_after(&call, worst, &error);
  outputs_free(&call.outputs);
  for (size_t i = 0; call.results && i < call.n_pieces; i++)
    free(call.results[i].text);
  free(call.results);
  free(call.bounds);
  inputs_free(&call.inputs);
  cJSON_Delete(call.baseline);
  return status;
}
