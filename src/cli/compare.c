/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/check.h"
#include "output/comparison.h"
#include "output/json.h"
#include "output/pieces.h"
#include "output/summary_shape.h"
#include "output/text_table.h"

enum key { KEY_JSON = 256, KEY_HELP = 'h' };

struct compare_options {
  bool json, help;
};

static const struct option_row rows_of_help[] = {
    {KEY_JSON, "json", NULL, "one JSON document instead of the tables"},
    {KEY_HELP, "help", NULL, "this text (also -h)"},
};

static enum hsim_status set(void *target, int key, const char *text, struct hsim_error *error) {
  struct compare_options *options = target;
  (void)text;
  (void)error;
  if (key == KEY_JSON)
    options->json = true;
  else
    options->help = true;
  return HSIM_OK;
}

static const char usage[] = "hsim compare FILE.json... [options]";
static const char about[] =
    "Shows the runs of documents that hsim --json has written side by side: runs that differ\n"
    "in their seed alone as one row, with means, 95 % confidence intervals and ratios to the\n"
    "first row.";

static struct option_table make_table(struct compare_options *options, struct option_group *group) {
  *group = (struct option_group){"Options", rows_of_help,
                                 sizeof rows_of_help / sizeof rows_of_help[0], set, options};
  return (struct option_table){
      .command = "hsim compare", .usage = usage, .about = about, .groups = group, .n_groups = 1};
}

void cli_compare_describe(option_table_reader *read, void *state) {
  struct compare_options options;
  struct option_group group;
  const struct option_table table = make_table(&options, &group);
  read(state, &table);
}

static void add_difference(struct pieces *p, const char *name, const cJSON *a, const cJSON *b) {
  if (a == b || cJSON_Compare(a, b, 1))
    return;
  pieces_add(p, p->n > 0 ? ", " : "");
  pieces_add(p, name);
}

/* Ratios of runs in unlike worlds say more of the worlds than of the policies. */
static void note_differences(const struct comparison_source *sources, size_t n, FILE *out) {
  static const char *const shared[] = {"hsim_version", "cluster", "input", "outages"};
  static const char *const of_trace[] = {"sha256", "shake", "assigned", "jobs"};
  static const char *const of_run[] = {"round_s", "until_s", "semantics", "costs", "measure"};
  const cJSON *first = sources[0].document;
  for (size_t i = 1; i < n; i++) {
    const cJSON *other = sources[i].document;
    struct pieces names = {0};
    for (size_t k = 0; k < sizeof shared / sizeof shared[0]; k++)
      add_difference(&names, shared[k], json_get(first, shared[k]), json_get(other, shared[k]));
    add_difference(&names, "rates", json_get(json_get(first, "rates"), "sha256"),
                   json_get(json_get(other, "rates"), "sha256"));
    for (size_t k = 0; k < sizeof of_trace / sizeof of_trace[0]; k++) {
      char name[32];
      snprintf(name, sizeof name, "trace.%s", of_trace[k]);
      add_difference(&names, name, json_get(json_get(first, "trace"), of_trace[k]),
                     json_get(json_get(other, "trace"), of_trace[k]));
    }
    const cJSON *a = cJSON_GetArrayItem(json_get(first, "runs"), 0);
    const cJSON *b = cJSON_GetArrayItem(json_get(other, "runs"), 0);
    for (size_t k = 0; a && b && k < sizeof of_run / sizeof of_run[0]; k++)
      add_difference(&names, of_run[k], json_get(a, of_run[k]), json_get(b, of_run[k]));
    if (names.n > 0)
      text_paragraph(out, 2, "%s differs from %s in %s", sources[i].file, sources[0].file,
                     names.text);
    free(names.text);
  }
}

static void print_tables(const cJSON *rows, const struct comparison_source *sources, size_t n) {
  bool cut = comparison_print(rows, NULL, stdout);
  comparison_print_ratios(rows, stdout);
  fputc('\n', stdout);
  const cJSON *row;
  bool partial = false;
  int i = 0;
  cJSON_ArrayForEach(row, rows) {
    i++;
    partial = partial || comparison_is_partial(row);
    if (cut)
      text_paragraph(stdout, 2, "row %d: %s", i, json_text(row, "label", "?"));
    if (json_number(row, "failed") > 0)
      text_paragraph(stdout, 2, "%s: %.0f of %d runs failed", json_text(row, "label", "?"),
                     json_number(row, "failed"), cJSON_GetArraySize(json_get(row, "seeds")));
    if (json_number(row, "interrupted") > 0)
      text_paragraph(stdout, 2, "%s: %.0f of %d runs were interrupted",
                     json_text(row, "label", "?"), json_number(row, "interrupted"),
                     cJSON_GetArraySize(json_get(row, "seeds")));
  }
  if (partial)
    text_paragraph(stdout, 2, "* of the finished jobs only, not of all");
  note_differences(sources, n, stdout);
}

/* The tables are made from the printed document, so that both say the same. */
static enum hsim_status print(cJSON *rows, const struct comparison_source *sources, size_t n,
                              bool json, struct hsim_error *error) {
  cJSON *document = json_object(), *files = json_array();
  json_add_text(document, "schema", "hsim.comparison/1");
  for (size_t i = 0; i < n; i++)
    json_append(files, json_text_item(sources[i].file));
  json_add(document, "files", files);
  json_add(document, "rows", rows);
  char *text = json_print(document, 0);
  cJSON_Delete(document);
  cJSON *parsed = json ? NULL : cJSON_Parse(text);
  enum hsim_status status = HSIM_OK;
  if (json)
    puts(text);
  else if (parsed)
    print_tables(json_get(parsed, "rows"), sources, n);
  else
    status = hsim_fail(error, HSIM_BUG, "bug: the comparison is not JSON");
  cJSON_Delete(parsed);
  free(text);
  return status;
}

static enum hsim_status compare(char **files, size_t n, bool json, struct hsim_error *error) {
  struct comparison_source *sources = mem_zero(n, sizeof *sources);
  cJSON **documents = mem_zero(n, sizeof(cJSON *)), *rows;
  enum hsim_status status = HSIM_OK;
  for (size_t i = 0; i < n && status == HSIM_OK; i++) {
    status = check_load(files[i], &documents[i], error);
    if (status == HSIM_OK)
      status = summary_check_shape(files[i], documents[i], true, error);
    sources[i] = (struct comparison_source){documents[i], files[i], false};
  }
  if (status == HSIM_OK)
    status = comparison_rows(sources, n, &rows, error);
  if (status == HSIM_OK)
    status = print(rows, sources, n, json, error);
  for (size_t i = 0; i < n; i++)
    cJSON_Delete(documents[i]);
  free(documents);
  free(sources);
  return status;
}

enum hsim_status cli_compare(int argc, char **argv, struct hsim_error *error) {
  struct compare_options options = {.json = false};
  struct option_group group;
  const struct option_table table = make_table(&options, &group);
  int first;
  enum hsim_status status = option_table_parse(&table, argc, argv, &first, error);
  if (status != HSIM_OK)
    return status;
  if (options.help) {
    option_table_help(stdout, &table);
    return HSIM_OK;
  }
  if (first == argc)
    return hsim_fail(error, HSIM_BAD_USAGE, "expected documents that hsim --json has written");
  return compare(argv + first, (size_t)(argc - first), options.json, error);
}
