/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/convert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/one_trace.h"
#include "cli/same_file.h"
#include "model/cluster.h"
#include "model/work.h"
#include "output/json.h"
#include "output/trace_notes.h"

enum key { KEY_OUT = INPUT_KEYS_END, KEY_HELP = 'h' };

struct convert_options {
  struct input_options input;
  int target; /* enum trace_target, -1: not given */
  const char *out;
  bool help;
};

static const struct option_row rows[] = {
    {KEY_OUT, "out", "FILE", "where to (default: -, standard output)"},
    {INPUT_SEMANTICS, "semantics", "PRESET[:FIELD=VALUE...]", "rules for sizes without a rate"},
    {INPUT_SEED, "seed", "N", "for --assign and --sample (default: 0)"},
    {INPUT_QUIET, "quiet", NULL, "no warnings, no report of what is lost"},
    {KEY_HELP, "help", NULL, "this text (also -h)"},
};

/* --to is the format when it names one, else the end of the window. */
static enum hsim_status set_input(void *target, int key, const char *text,
                                  struct hsim_error *error) {
  struct convert_options *options = target;
  double seconds;
  if (key != INPUT_TO)
    return input_options_set(&options->input, key, text, error);
  for (int t = 0; t < N_TARGETS; t++)
    if (strcmp(text, trace_target_names[t]) == 0) {
      options->target = t;
      return HSIM_OK;
    }
  if (option_seconds("to", text, 0, &seconds, error) != HSIM_OK)
    return option_bad(error, "to", text,
                      "native, gavel or swf, or the seconds at which a window ends");
  options->input.selection.to_s = seconds;
  return HSIM_OK;
}

static enum hsim_status set_own(void *target, int key, const char *text, struct hsim_error *error) {
  struct convert_options *options = target;
  if (key == KEY_OUT)
    options->out = text;
  else if (key == KEY_HELP)
    options->help = true;
  else
    return input_options_set(&options->input, key, text, error);
  return HSIM_OK;
}

static const char usage[] = "hsim convert TRACE --to native|gavel|swf [options]";
static const char about[] =
    "Writes a trace in another format: models that --assign gives and the steps that durations\n"
    "amount to are filled in, ids stay as they are, jobs come in order of arrival. What the\n"
    "format cannot hold, and what reading left out or changed, is counted on standard error.\n"
    "Without --cluster, models are those of all GPU types of the rates table. --to with a\n"
    "number ends a window.";

enum { N_GROUPS = 2 };

static struct option_table make_table(struct convert_options *options,
                                      struct option_group groups[N_GROUPS]) {
  groups[0] = (struct option_group){"Input", input_rows, n_input_rows, set_input, options};
  groups[1] = (struct option_group){"Other", rows, sizeof rows / sizeof rows[0], set_own, options};
  return (struct option_table){.command = "hsim convert",
                               .usage = usage,
                               .about = about,
                               .groups = groups,
                               .n_groups = N_GROUPS};
}

void cli_convert_describe(option_table_reader *read, void *state) {
  struct convert_options options;
  struct option_group groups[N_GROUPS];
  const struct option_table table = make_table(&options, groups);
  read(state, &table);
}

/* ---- writing ---- */

static void tell_losses(enum trace_target target, const int losses[N_LOSSES], int n_jobs) {
  for (int i = 0; i < N_LOSSES; i++)
    if (losses[i] > 0)
      fprintf(stderr, "hsim: %s cannot hold, of %d job%s of %d: %s\n", trace_target_names[target],
              losses[i], losses[i] == 1 ? "" : "s", n_jobs,
              trace_loss_text(target, (enum trace_loss)i));
}

enum hsim_status convert_write(const struct trace_to_write *from, enum trace_target target,
                               const char *path, bool quiet, struct hsim_error *error) {
  struct out out;
  int losses[N_LOSSES];
  enum hsim_status status = out_open(&out, path, error);
  if (status != HSIM_OK)
    return status;
  status = trace_write(from, target, &out, losses, error);
  if (status == HSIM_OK)
    status = out_commit(&out, error);
  else
    out_discard(&out);
  if (status == HSIM_OK && !quiet)
    tell_losses(target, losses, from->trace->n_jobs);
  return status;
}

/* Seconds on the reference type; where it cannot run there, on its fastest; where it runs nowhere,
 * as many as steps, as it is read. */
static double *durations(const struct one_trace *all, const char *reference) {
  const struct rates *rates = &all->rates;
  const char *name = reference ? reference : "v100";
  int type = names_find(&rates->types, name, strlen(name));
  double *seconds = mem_alloc((size_t)all->trace.n_jobs, sizeof *seconds);
  for (int i = 0; i < all->trace.n_jobs; i++) {
    const struct hsim_job *job = &all->trace.jobs[i];
    enum missing_size rule = all->oracle.rules.missing_size;
    seconds[i] = work_seconds(rates, rule, job, type);
    for (int t = 0; isinf(seconds[i]) && t < rates->types.n; t++)
      seconds[i] = fmin(seconds[i], work_seconds(rates, rule, job, t));
    if (isinf(seconds[i]))
      seconds[i] = job->steps;
  }
  return seconds;
}

static enum hsim_status check(const struct convert_options *options, struct hsim_error *error) {
  if (options->target < 0)
    return hsim_fail(error, HSIM_BAD_USAGE, "--to is missing: native, gavel or swf");
  const char *const inputs[] = {options->input.trace, options->input.cluster, options->input.rates,
                                options->input.speedups};
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
    if (inputs[i] && same_file(options->out, inputs[i]))
      return hsim_fail(error, HSIM_BAD_USAGE, "%s: an output over an input", options->out);
  return HSIM_OK;
}

static void tell_note(void *none, const char *text) {
  (void)none;
  fprintf(stderr, "hsim: %s\n", text);
}

/* What reading made of the rows, in the words of a run's table. Derived rates change no job. */
static void tell_reading(const struct trace *trace) {
  cJSON *made = json_object();
  trace_notes_add_unit(made, trace);
  trace_notes_add_skipped(made, trace);
  trace_notes_add_remarks(made, trace);
  json_add_int(made, "other_reference", trace->other_reference);
  json_add_int(made, "not_modelled", trace->not_modelled);
  char *text = json_print(made, 0);
  cJSON *item = cJSON_Parse(text);
  trace_notes_reading(item, tell_note, NULL);
  trace_notes_work(item, tell_note, NULL);
  cJSON_Delete(item);
  cJSON_Delete(made);
  free(text);
}

static enum hsim_status convert(const struct convert_options *options, struct hsim_error *error) {
  struct one_trace all;
  enum hsim_status status = one_trace_load(&options->input, NULL, NULL, true, &all, error);
  if (status != HSIM_OK)
    return status;
  if (!options->input.quiet)
    tell_reading(&all.trace);
  double *seconds =
      options->target == TARGET_SWF ? durations(&all, options->input.reference_gpu) : NULL;
  const struct trace_to_write from = {.trace = &all.trace,
                                      .models = &all.rates.models,
                                      .cluster = &all.cluster.view,
                                      .durations_s = seconds};
  status = convert_write(&from, (enum trace_target)options->target, options->out,
                         options->input.quiet, error);
  free(seconds);
  one_trace_free(&all);
  return status;
}

enum hsim_status cli_convert(int argc, char **argv, struct hsim_error *error) {
  struct convert_options options = {.target = -1, .out = "-"};
  input_options_init(&options.input);
  options.input.cluster = NULL;
  struct option_group groups[N_GROUPS];
  const struct option_table table = make_table(&options, groups);
  int first_word;
  enum hsim_status status = option_table_parse(&table, argc, argv, &first_word, error);
  if (status == HSIM_OK && options.help) {
    option_table_help(stdout, &table);
  } else {
    if (status == HSIM_OK)
      status = one_trace_word(argc, argv, first_word, &options.input, error);
    if (status == HSIM_OK)
      status = check(&options, error);
    if (status == HSIM_OK)
      status = convert(&options, error);
  }
  input_options_free(&options.input);
  return status;
}
