/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table for people, made from the parsed summary document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/number.h"
#include "output/comparison.h"
#include "output/json.h"
#include "output/pieces.h"
#include "output/run_label.h"
#include "output/summary.h"
#include "output/text_table.h"
#include "output/trace_notes.h"

static const cJSON *runs_of(const cJSON *document) {
  return json_get(document, "runs");
}

static bool failed(const cJSON *run) {
  return json_get(run, "error") != NULL;
}

static const char *preset_of(const cJSON *run) {
  return json_text(json_get(run, "semantics"), "preset", "default");
}

/* The run whose costs and semantics the header states; runs that differ from it are marked. */
static const cJSON *reference_run(const cJSON *document) {
  const cJSON *run, *first = NULL;
  cJSON_ArrayForEach(run, runs_of(document)) {
    if (failed(run))
      continue;
    if (strcmp(preset_of(run), "gavel") != 0)
      return run;
    if (first == NULL)
      first = run;
  }
  return first;
}

static bool is_marked(const cJSON *run, const cJSON *reference) {
  return !failed(run) && run != reference &&
         (!cJSON_Compare(json_get(run, "costs"), json_get(reference, "costs"), 1) ||
          !cJSON_Compare(json_get(run, "semantics"), json_get(reference, "semantics"), 1));
}

char *summary_label(const cJSON *document, int i) {
  const cJSON *runs = runs_of(document), *run;
  size_t n = (size_t)cJSON_GetArraySize(runs), k = 0;
  const cJSON **items = mem_alloc(n, sizeof *items);
  cJSON_ArrayForEach(run, runs) items[k++] = run;
  struct pieces label = {.text = run_label(items, n, (size_t)i)};
  label.n = label.capacity = strlen(label.text);
  const cJSON *seed = json_get(items[i], "seed");
  if (seed) {
    pieces_add(&label, " seed ");
    pieces_add_value(&label, seed);
  }
  free(items);
  return label.text;
}

/* Header. */

static void print_trace(const cJSON *document, FILE *out) {
  const cJSON *trace = json_get(document, "trace");
  double first = json_number(trace, "first_arrival_s"), last = json_number(trace, "last_arrival_s");
  char hours[16], work[16];
  text_number((last - first) / 3600.0, hours);
  text_number(json_number(trace, "gpu_hours"), work);
  const char *assigned = json_text(trace, "assigned", NULL);
  text_paragraph(out, 9, "trace    %s (%s): %.0f jobs arriving over %s h, %s GPU-hours of work%s%s",
                 json_text(trace, "file", "?"), json_text(trace, "format", "?"),
                 json_number(trace, "jobs"), hours, work,
                 assigned == NULL ? "" : ", models assigned by rule ",
                 assigned == NULL ? "" : assigned);
}

static void print_cluster(const cJSON *document, FILE *out) {
  const cJSON *cluster = json_get(document, "cluster"), *type;
  struct pieces types = {0};
  double gpus = 0.0;
  pieces_add(&types, "");
  cJSON_ArrayForEach(type, json_get(cluster, "gpus")) {
    pieces_add(&types, types.n == 0 ? "" : ", ");
    pieces_add_value(&types, type);
    pieces_add(&types, " ");
    pieces_add(&types, type->string);
    gpus += type->valuedouble;
  }
  text_paragraph(out, 9, "cluster  %s: %.0f nodes, %.0f GPUs (%s)", json_text(cluster, "name", "?"),
                 json_number(cluster, "nodes"), gpus, types.text);
  free(types.text);
}

/* "10/10/10 s", and what else is not free of cost. */
static void add_costs(struct pieces *p, const cJSON *run) {
  const cJSON *costs = json_get(run, "costs");
  pieces_add(p, "costs ");
  pieces_add_value(p, json_get(costs, "start"));
  pieces_add(p, "/");
  pieces_add_value(p, json_get(costs, "move"));
  pieces_add(p, "/");
  pieces_add_value(p, json_get(costs, "resize"));
  pieces_add(p, " s (start/move/resize)");
  const char *rollback = json_text(costs, "rollback", "none");
  if (strcmp(rollback, "none") != 0) {
    pieces_add(p, ", rollback ");
    pieces_add(p, rollback);
  }
  if (json_number(costs, "checkpoint_s") > 0.0) {
    pieces_add(p, ", a checkpoint of ");
    pieces_add_value(p, json_get(costs, "checkpoint_s"));
    pieces_add(p, " s every ");
    pieces_add_value(p, json_get(costs, "checkpoint_interval_s"));
    pieces_add(p, " s");
  }
}

static bool same_as_printed(const cJSON *field, const char *value, bool is_number) {
  if (!is_number)
    return cJSON_IsString(field) && strcmp(field->valuestring, value) == 0;
  double number;
  return cJSON_IsNumber(field) && number_parse(value, strlen(value), &number) == NUMBER_OK &&
         number == field->valuedouble;
}

/* The preset and the fields that are set apart from it. */
static void add_semantics(struct pieces *p, const cJSON *run) {
  struct semantics preset;
  pieces_add(p, "semantics ");
  pieces_add(p, preset_of(run));
  if (semantics_preset(preset_of(run), &preset, NULL) != HSIM_OK)
    return;
  const char *name, *value;
  bool is_number;
  char buffer[32];
  for (int i = 0; semantics_field(&preset, i, &name, &value, &is_number, buffer); i++) {
    const cJSON *field = json_get(json_get(run, "semantics"), name);
    if (field == NULL || same_as_printed(field, value, is_number))
      continue;
    pieces_add(p, ":");
    pieces_add(p, name);
    pieces_add(p, "=");
    pieces_add_value(p, field);
  }
  semantics_free(&preset);
}

static void add_outages(struct pieces *p, const cJSON *outages) {
  if (json_get(outages, "file") != NULL) {
    pieces_add(p, ", events of ");
    pieces_add(p, json_text(outages, "file", "?"));
  }
  if (json_get(outages, "mtbf_h") != NULL) {
    pieces_add(p, ", nodes fail every ");
    pieces_add_value(p, json_get(outages, "mtbf_h"));
    pieces_add(p, " h for ");
    pieces_add_value(p, json_get(outages, "mttr_h"));
    pieces_add(p, " h");
  }
  if (json_get(outages, "slow_share") != NULL) {
    pieces_add(p, ", ");
    pieces_add_value(p, json_get(outages, "slow_share"));
    pieces_add(p, " of the nodes at ");
    pieces_add_value(p, json_get(outages, "slow_factor"));
    pieces_add(p, " of their speed");
  }
}

/* What is not the whole trace as it stands, until its end. */
static void add_input(struct pieces *p, const cJSON *document) {
  const cJSON *option, *reference = reference_run(document);
  double shake = json_number(json_get(document, "trace"), "shake");
  if (shake > 0) {
    char text[32];
    snprintf(text, sizeof text, ", shaken by %.6g %%", 100 * shake);
    pieces_add(p, text);
  }
  cJSON_ArrayForEach(option, json_get(document, "input")) {
    pieces_add(p, ", ");
    pieces_add(p, option->string);
    if (!cJSON_IsArray(option)) {
      pieces_add(p, " ");
      pieces_add_value(p, option);
    }
    const cJSON *element;
    for (element = cJSON_IsArray(option) ? option->child : NULL; element; element = element->next) {
      pieces_add(p, " ");
      pieces_add_value(p, element);
    }
  }
  if (json_get(reference, "until_s") != NULL) {
    pieces_add(p, ", until ");
    pieces_add_value(p, json_get(reference, "until_s"));
    pieces_add(p, " s");
  }
}

static void print_rules(const cJSON *document, FILE *out) {
  const cJSON *reference = reference_run(document), *run;
  struct pieces rules = {0};
  char seed[32];
  int n_seeds = cJSON_GetArraySize(json_get(document, "seeds"));
  if (n_seeds > 1)
    snprintf(seed, sizeof seed, "%d seeds", n_seeds);
  else
    snprintf(seed, sizeof seed, "seed %.0f", json_number(document, "seed"));
  pieces_add(&rules, seed);
  cJSON_ArrayForEach(run, runs_of(document)) {
    if (isnan(json_number(run, "round_s")))
      continue;
    pieces_add(&rules, ", rounds of ");
    pieces_add_value(&rules, json_get(run, "round_s"));
    pieces_add(&rules, " s");
    break;
  }
  if (reference != NULL) {
    pieces_add(&rules, ", ");
    add_costs(&rules, reference);
    pieces_add(&rules, ", ");
    add_semantics(&rules, reference);
  }
  add_input(&rules, document);
  const cJSON *outages = json_get(document, "outages");
  if (outages != NULL)
    add_outages(&rules, outages);
  text_paragraph(out, 9, "rates    %s", json_text(json_get(document, "rates"), "file", "?"));
  text_paragraph(out, 9, "rules    %s", rules.text);
  free(rules.text);
}

/* Notes. */

/* "hadar: 3 jobs rejected: 2 × no GPU type can run it; 1 × other" */
static void print_left(const cJSON *run, const char *label, const char *state,
                       const char *reasons_name, FILE *out) {
  double n = json_number(json_get(run, "jobs"), state);
  if (!(n > 0.0))
    return;
  struct pieces reasons = {0};
  pieces_add(&reasons, "");
  const cJSON *reason;
  cJSON_ArrayForEach(reason, json_get(run, reasons_name)) {
    pieces_add(&reasons, reasons.n == 0 ? ": " : "; ");
    pieces_add_value(&reasons, reason);
    pieces_add(&reasons, " \u00d7 ");
    pieces_add(&reasons, reason->string);
  }
  text_paragraph(out, 2, "%s: %.0f job%s %s%s", label, n, n == 1.0 ? "" : "s", state, reasons.text);
  free(reasons.text);
}

/* Wall-clock figures, of a call that asked for them. */
static void print_timing(const cJSON *run, const char *label, FILE *out) {
  struct pieces text = {0};
  char number[16];
  const cJSON *figure;
  cJSON_ArrayForEach(figure, json_get(run, "timing")) {
    text_number(cJSON_IsNumber(figure) ? figure->valuedouble : NAN, number);
    pieces_add(&text, text.n == 0 ? "" : ", ");
    pieces_add(&text, figure->string);
    pieces_add(&text, " ");
    pieces_add(&text, number);
  }
  if (text.n > 0)
    text_paragraph(out, 2, "%s: %s", label, text.text);
  free(text.text);
}

static void print_mark(const cJSON *run, const char *label, FILE *out) {
  struct pieces text = {0};
  add_costs(&text, run);
  pieces_add(&text, ", ");
  add_semantics(&text, run);
  text_paragraph(out, 2, "\u2020 %s: %s", label, text.text);
  free(text.text);
}

/* A window stands for an endless process only while others keep arriving. */
static void print_drained(const cJSON *document, const cJSON *run, const char *label, FILE *out) {
  double last = json_number(json_get(document, "trace"), "last_arrival_s");
  if (json_get(run, "measure") != NULL && json_number(run, "end_s") > last)
    text_paragraph(out, 2,
                   "%s: the last job had arrived before the measured ones were done, so these ran "
                   "while the cluster emptied",
                   label);
}

static bool is_interrupted(const cJSON *run) {
  return cJSON_IsTrue(json_get(run, "interrupted"));
}

static void print_run_note(const cJSON *document, int i, FILE *out) {
  const cJSON *reference = reference_run(document);
  const cJSON *run = cJSON_GetArrayItem(runs_of(document), i), *measure = json_get(run, "measure");
  char *label = summary_label(document, i);
  if (is_marked(run, reference))
    print_mark(run, label, out);
  if (failed(run))
    text_paragraph(out, 2, "%s failed: %s", label, json_text(run, "error", "?"));
  if (measure != NULL && run == reference) {
    text_paragraph(out, 2,
                   "jobs %.0f to %.0f of the arrival order are measured; busy GPUs and rounds are "
                   "the whole run's",
                   json_number(measure, "from"), json_number(measure, "to") - 1.0);
  }
  if (is_interrupted(run))
    text_paragraph(out, 2, "%s: interrupted at %.15g s: the figures are those of an unfinished run",
                   label, json_number(run, "end_s"));
  print_drained(document, run, label, out);
  print_left(run, label, "rejected", "rejected_by_reason", out);
  print_left(run, label, "dropped", "dropped_by_reason", out);
  print_left(run, label, "cancelled", "", out);
  print_left(run, label, "unfinished", "", out);
  print_timing(run, label, out);
  free(label);
}

/* Of many runs a policy only what is amiss, jobs on average. */
static void print_row_notes(const cJSON *document, const cJSON *rows, FILE *out) {
  static const char *const states[] = {"rejected", "dropped", "cancelled", "unfinished"};
  const cJSON *row;
  cJSON_ArrayForEach(row, rows) {
    for (size_t s = 0; s < sizeof states / sizeof states[0]; s++) {
      char path[32];
      snprintf(path, sizeof path, "jobs.%s", states[s]);
      double n = comparison_mean(row, path);
      if (n > 0)
        text_paragraph(out, 2, "%s: %.6g jobs %s on average", json_text(row, "label", "?"), n,
                       states[s]);
    }
  }
  int n = cJSON_GetArraySize(runs_of(document)), n_interrupted = 0;
  for (int i = 0; i < n; i++) {
    const cJSON *run = cJSON_GetArrayItem(runs_of(document), i);
    n_interrupted += is_interrupted(run);
    if (failed(run))
      print_run_note(document, i, out);
  }
  if (n_interrupted > 0)
    text_paragraph(out, 2, "interrupted: %d of %d runs, which the figures of their rows leave out",
                   n_interrupted, n);
}

static void print_run_notes(const cJSON *document, const cJSON *rows, FILE *out) {
  int n = cJSON_GetArraySize(runs_of(document));
  if (json_get(document, "seeds") != NULL)
    print_row_notes(document, rows, out);
  for (int i = 0; json_get(document, "seeds") == NULL && i < n; i++)
    print_run_note(document, i, out);
}

static void print_count(const cJSON *object, const char *name, const char *text, FILE *out) {
  double n = json_number(object, name);
  if (n > 0.0)
    text_paragraph(out, 2, "%s: %.0f", text, n);
}

static void print_note(void *out, const char *text) {
  text_paragraph(out, 2, "%s", text);
}

static void print_notes(const cJSON *document, const cJSON *rows, bool labels_cut, FILE *out) {
  const cJSON *trace = json_get(document, "trace"), *row;
  bool partial = false;
  int i = 0;
  fputc('\n', out);
  cJSON_ArrayForEach(row, rows) partial = partial || comparison_is_partial(row);
  if (partial)
    text_paragraph(out, 2, "* of the finished jobs only, not of all");
  cJSON_ArrayForEach(row, rows) {
    i++;
    if (labels_cut)
      text_paragraph(out, 2, "row %d: %s", i, json_text(row, "label", "?"));
  }
  print_run_notes(document, rows, out);
  trace_notes_reading(trace, print_note, out);
  trace_notes_work(trace, print_note, out);
  print_count(json_get(document, "cluster"), "skipped_nodes",
              "nodes without a GPU that were skipped", out);
}

/* Rows of the comparison whose costs or semantics are not those that the header states; to be
 * freed. The runs stand policy by policy, so many of each. */
static bool *marked_rows(const cJSON *document, const cJSON *rows) {
  const cJSON *reference = reference_run(document);
  int n_rows = cJSON_GetArraySize(rows), each = comparison_runs_each(document, rows);
  bool *marked = mem_zero((size_t)n_rows, sizeof *marked);
  for (int r = 0; r < n_rows; r++)
    marked[r] = is_marked(cJSON_GetArrayItem(runs_of(document), r * each), reference);
  return marked;
}

void summary_table(const cJSON *document, FILE *out) {
  const struct comparison_source source = {document, "the summary",
                                           json_get(document, "seeds") == NULL};
  cJSON *rows = NULL;
  print_trace(document, out);
  print_cluster(document, out);
  print_rules(document, out);
  fputc('\n', out);
  if (comparison_rows(&source, 1, &rows, NULL) != HSIM_OK)
    rows = cJSON_CreateArray();
  bool *marked = marked_rows(document, rows);
  bool cut = comparison_print(rows, marked, out);
  free(marked);
  comparison_print_ratios(rows, out);
  summary_by_table(document, rows, out);
  summary_bound_table(document, rows, out);
  print_notes(document, rows, cut, out);
  cJSON_Delete(rows);
}
