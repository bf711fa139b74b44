/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/bound.h"

#include <stdlib.h>
#include <string.h>

#include "bound/bound.h"
#include "output/ideal.h"
#include "output/json.h"
#include "output/text_table.h"

/* What bounds depend on beside the inputs. */
struct setting {
  struct bound_rules rules;
  const struct semantics *semantics;
};

static bool same_setting(const struct setting *a, const struct setting *b) {
  const struct semantics *x = a->semantics, *y = b->semantics;
  return bound_rules_same(&a->rules, &b->rules) && x->missing_size == y->missing_size &&
         x->spread == y->spread && x->spread_default == y->spread_default;
}

/* "rigid" or what the rules permit; static. */
static const char *rules_text(const struct bound_rules *rules) {
  static const char *const texts[16] = {"rigid",
                                        "elastic",
                                        "mixed types",
                                        "elastic, mixed types",
                                        "pairs",
                                        "elastic, pairs",
                                        "mixed types, pairs",
                                        "elastic, mixed types, pairs",
                                        "copies",
                                        "elastic, copies",
                                        "mixed types, copies",
                                        "elastic, mixed types, copies",
                                        "pairs, copies",
                                        "elastic, pairs, copies",
                                        "mixed types, pairs, copies",
                                        "elastic, mixed types, pairs, copies"};
  return texts[(rules->elastic ? 1 : 0) + (rules->mixes_types ? 2 : 0) + (rules->pairs ? 4 : 0) +
               (rules->forks ? 8 : 0)];
}

static void compute(const struct inputs *inputs, const struct setting *setting,
                    struct summary_bound *out) {
  struct hsim_oracle oracle;
  oracle_init(&oracle, &inputs->rates, &inputs->cluster.view, setting->semantics);
  const struct trace *trace = &inputs->trace;
  double *alone = mem_alloc((size_t)trace->n_jobs, sizeof *alone);
  struct ideal ideal;
  ideal_init(&ideal, &oracle);
  for (int j = 0; j < trace->n_jobs; j++)
    alone[j] = ideal_s(&ideal, &trace->jobs[j]);
  ideal_free(&ideal);
  struct bound_input input = {
      .trace = trace, .oracle = &oracle, .rules = setting->rules, .ideal_s = alone};
  struct bounds bounds;
  bound_compute(&input, &bounds);
  free(alone);
  *out = (struct summary_bound){.rules = rules_text(&setting->rules),
                                .jobs = bounds.jobs,
                                .intervals = bounds.intervals,
                                .classes = bounds.classes,
                                .unsolved = bounds.unsolved,
                                .longest_s = bounds.longest_s,
                                .work_s = bounds.work_s,
                                .makespan_s = bounds.makespan_s,
                                .jct_mean_s = bounds.jct_mean_s,
                                .slowdown_max = bounds.slowdown_max};
}

static struct setting setting_of(const struct planned_run *run) {
  return (struct setting){bound_rules_of(&run->policy.table), &run->semantics};
}

struct summary_bound *bounds_of_runs(const struct inputs *inputs) {
  struct summary_bound *made = mem_zero(inputs->n_runs, sizeof *made);
  for (size_t i = 0; i < inputs->n_runs; i++) {
    struct setting setting = setting_of(&inputs->runs[i]), earlier;
    size_t k = 0;
    for (; k < i; k++) {
      earlier = setting_of(&inputs->runs[k]);
      if (same_setting(&setting, &earlier))
        break;
    }
    if (k < i)
      made[i] = made[k];
    else
      compute(inputs, &setting, &made[i]);
  }
  return made;
}

struct summary_bound bounds_of_run(const struct inputs *inputs, size_t i) {
  struct setting setting = setting_of(&inputs->runs[i]);
  struct summary_bound made;
  compute(inputs, &setting, &made);
  return made;
}

/* ---- the command ---- */

/* Without policies: the kinds of policies that there are. */
static const struct bound_rules usual[] = {{0},
                                           {.pairs = true},
                                           {.mixes_types = true},
                                           {.elastic = true},
                                           {.mixes_types = true, .forks = true}};
enum { N_USUAL = sizeof usual / sizeof usual[0] };

static enum hsim_status usual_bounds(const struct cli_options *options, const struct inputs *inputs,
                                     struct summary_bound **bounds, struct hsim_error *error) {
  struct semantics semantics;
  *bounds = mem_zero(N_USUAL, sizeof **bounds);
  enum hsim_status status = input_load_semantics(&options->input, &semantics, error);
  if (status != HSIM_OK)
    return status;
  for (int i = 0; i < N_USUAL; i++)
    compute(inputs, &(struct setting){usual[i], &semantics}, &(*bounds)[i]);
  semantics_free(&semantics);
  return status;
}

static cJSON *make_document(const struct cli_options *options, const struct inputs *inputs,
                            const struct summary_bound *bounds, size_t n) {
  cJSON *document = json_object(), *list = json_array();
  json_add_text(document, "schema", "hsim.bound/1");
  json_add_text(document, "trace", inputs->trace.file);
  json_add_text(document, "trace_sha256", inputs->trace.sha256);
  json_add_int(document, "jobs", inputs->trace.n_jobs);
  json_add_text(document, "cluster", inputs->cluster.view.name);
  json_add_text(document, "rates_sha256", inputs->rates.sha256);
  for (size_t i = 0; i < n; i++) {
    cJSON *item = summary_bound_item(&bounds[i]);
    if (options->policies.n > 0) {
      char *typed = policy_spec_text(&options->policies.at[i]);
      json_add_text(item, "policy", typed);
      free(typed);
    }
    json_append(list, item);
  }
  json_add(document, "bounds", list);
  return document;
}

static void set_number(struct text_table *table, int column, double value) {
  char text[16];
  text_number(value, text);
  text_table_set(table, column, "%s", text);
}

static void print_table(const cJSON *document) {
  static const char *const headings[2][8] = {
      {"", "", "makespan h", "JCT h", "slowdown", "longest", "all work", ""},
      {"a policy with", "jobs", "at least", "mean", "max", "job h", "h", "intervals"}};
  struct text_table table;
  text_table_init(&table, 8);
  for (int h = 0; h < 2; h++) {
    text_table_row(&table);
    for (int c = 0; c < 8; c++)
      text_table_set(&table, c, "%s", headings[h][c]);
  }
  const cJSON *bound;
  cJSON_ArrayForEach(bound, json_get(document, "bounds")) {
    text_table_row(&table);
    text_table_set(&table, 0, "%s", json_text(bound, "policy", json_text(bound, "rules", "?")));
    text_table_set(&table, 1, "%.0f", json_number(bound, "jobs"));
    set_number(&table, 2, json_number(bound, "makespan_s") / 3600);
    set_number(&table, 3, json_number(bound, "jct_mean_s") / 3600);
    set_number(&table, 4, json_number(bound, "slowdown_max"));
    set_number(&table, 5, json_number(bound, "longest_s") / 3600);
    set_number(&table, 6, json_number(bound, "work_s") / 3600);
    text_table_set(&table, 7, "%.0f", json_number(bound, "intervals"));
  }
  text_table_print(&table, 0, stdout);
  text_table_free(&table);
}

/* The table is made from the printed document, so that both say the same. */
static enum hsim_status print(const cJSON *document, bool json, struct hsim_error *error) {
  char *text = json_print(document, 0);
  cJSON *parsed = json ? NULL : cJSON_Parse(text);
  enum hsim_status status = HSIM_OK;
  if (json)
    puts(text);
  else if (parsed)
    print_table(parsed);
  else
    status = hsim_fail(error, HSIM_BUG, "the document of bounds is not JSON");
  cJSON_Delete(parsed);
  free(text);
  return status;
}

enum hsim_status cli_bound(const struct cli_options *options) {
  struct inputs inputs;
  struct hsim_error error = {.status = HSIM_OK};
  struct summary_bound *bounds = NULL;
  enum hsim_status status = inputs_load(options, &inputs, &error);
  if (status == HSIM_OK) {
    bool any = inputs.n_runs > 0;
    if (any)
      bounds = bounds_of_runs(&inputs);
    else
      status = usual_bounds(options, &inputs, &bounds, &error);
    if (status == HSIM_OK) {
      cJSON *document = make_document(options, &inputs, bounds, any ? inputs.n_runs : N_USUAL);
      status = print(document, options->json, &error);
      cJSON_Delete(document);
    }
    free(bounds);
    inputs_free(&inputs);
  }
  if (status != HSIM_OK)
    fprintf(stderr, "hsim: %s\n", error.text);
  if (status == HSIM_BAD_USAGE)
    fputs("Try 'hsim --help'.\n", stderr);
  return status;
}
