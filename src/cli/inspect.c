/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/one_trace.h"
#include "output/inspection.h"
#include "output/json.h"

enum key { KEY_JSON = INPUT_KEYS_END, KEY_HELP = 'h' };

struct inspect_options {
  struct input_options input;
  bool json, help;
};

static const struct option_row rows[] = {
    {KEY_JSON, "json", NULL, "one JSON document instead of the text"},
    {INPUT_SEMANTICS, "semantics", "PRESET[:FIELD=VALUE...]", "rules for sizes without a rate"},
    {INPUT_SEED, "seed", "N", "for --assign and --sample (default: 0)"},
    {KEY_HELP, "help", NULL, "this text (also -h)"},
};

static enum hsim_status set(void *target, int key, const char *text, struct hsim_error *error) {
  struct inspect_options *options = target;
  if (key == KEY_JSON)
    options->json = true;
  else if (key == KEY_HELP)
    options->help = true;
  else
    return input_options_set(&options->input, key, text, error);
  return HSIM_OK;
}

static const char usage[] = "hsim inspect TRACE [options]";
static const char about[] =
    "Reads a trace and tells what is in it: rows and why some are skipped, arrivals, gang\n"
    "sizes, models, tenants, durations, the load that it offers to the cluster, and the jobs\n"
    "that can never run there. Bad rows are skipped unless --on-bad-row error is given.";

enum { N_GROUPS = 2 };

static struct option_table make_table(struct inspect_options *options,
                                      struct option_group groups[N_GROUPS]) {
  groups[0] =
      (struct option_group){"Input", input_rows, n_input_rows, input_options_set, &options->input};
  groups[1] = (struct option_group){"Other", rows, sizeof rows / sizeof rows[0], set, options};
  return (struct option_table){.command = "hsim inspect",
                               .usage = usage,
                               .about = about,
                               .groups = groups,
                               .n_groups = N_GROUPS};
}

void cli_inspect_describe(option_table_reader *read, void *state) {
  struct inspect_options options;
  struct option_group groups[N_GROUPS];
  const struct option_table table = make_table(&options, groups);
  read(state, &table);
}

static void take_bad_row(void *state, const char *message) {
  bad_rows_add(state, message);
}

/* The text for people is made from the document as it is printed, so that both say the same. */
static enum hsim_status print(const cJSON *made, bool json, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  char *text = json_print(made, 0);
  cJSON *document = json ? NULL : cJSON_Parse(text);
  if (json)
    puts(text);
  else if (document)
    inspection_print(document, stdout);
  else
    status = hsim_fail(error, HSIM_BUG, "bug: the inspection is not JSON");
  cJSON_Delete(document);
  free(text);
  return status;
}

static enum hsim_status inspect(const struct inspect_options *options, struct hsim_error *error) {
  struct one_trace all;
  struct bad_rows bad = {.counts = NULL};
  enum hsim_status status = one_trace_load(&options->input, take_bad_row, &bad, false, &all, error);
  if (status == HSIM_OK) {
    const char *name = options->input.reference_gpu ? options->input.reference_gpu : "v100";
    const struct inspection_input input = {.version = HSIM_VERSION,
                                           .trace = &all.trace,
                                           .cluster = &all.cluster,
                                           .rates = &all.rates,
                                           .oracle = &all.oracle,
                                           .reference =
                                               names_find(&all.rates.types, name, strlen(name)),
                                           .reference_name = name,
                                           .bad = &bad};
    cJSON *document = inspection_document(&input);
    status = print(document, options->json, error);
    cJSON_Delete(document);
    one_trace_free(&all);
  }
  bad_rows_free(&bad);
  return status;
}

enum hsim_status cli_inspect(int argc, char **argv, struct hsim_error *error) {
  struct inspect_options options = {.json = false};
  input_options_init(&options.input);
  options.input.skip_bad_rows = true;
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
      status = inspect(&options, error);
  }
  input_options_free(&options.input);
  return status;
}
