/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table for people, made from the parsed summary document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/number.h"
#include "output/json.h"
#include "output/summary.h"
#include "output/text_table.h"

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

/* A growing text of pieces. */
struct pieces {
  char *text;
  size_t n, capacity;
};

static void add_piece(struct pieces *p, const char *piece) {
  size_t n = strlen(piece);
  p->text = mem_grow(p->text, p->n + n + 1, &p->capacity, 1);
  memcpy(p->text + p->n, piece, n + 1);
  p->n += n;
}

static void add_value(struct pieces *p, const cJSON *item) {
  char number[NUMBER_SIZE];
  if (cJSON_IsString(item)) {
    add_piece(p, item->valuestring);
  } else if (cJSON_IsNumber(item)) {
    number_print(item->valuedouble, number);
    add_piece(p, number);
  } else {
    add_piece(p, cJSON_IsTrue(item) ? "1" : cJSON_IsFalse(item) ? "0" : "-");
  }
}

/* Whether another run of the same policy has another value of this option. */
static bool tells_apart(const cJSON *document, const cJSON *run, const cJSON *option) {
  const char *policy = json_text(run, "policy", "?");
  const cJSON *other;
  cJSON_ArrayForEach(other, runs_of(document)) {
    if (other == run || strcmp(json_text(other, "policy", "?"), policy) != 0)
      continue;
    if (!cJSON_Compare(json_get(json_get(other, "options"), option->string), option, 1))
      return true;
  }
  return false;
}

char *summary_label(const cJSON *document, int i) {
  const cJSON *run = cJSON_GetArrayItem(runs_of(document), i), *option;
  struct pieces label = {0};
  add_piece(&label, json_text(run, "policy", "?"));
  cJSON_ArrayForEach(option, json_get(run, "options")) {
    if (!tells_apart(document, run, option))
      continue;
    add_piece(&label, ":");
    add_piece(&label, option->string);
    add_piece(&label, "=");
    add_value(&label, option);
  }
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
  add_piece(&types, "");
  cJSON_ArrayForEach(type, json_get(cluster, "gpus")) {
    add_piece(&types, types.n == 0 ? "" : ", ");
    add_value(&types, type);
    add_piece(&types, " ");
    add_piece(&types, type->string);
    gpus += type->valuedouble;
  }
  text_paragraph(out, 9, "cluster  %s: %.0f nodes, %.0f GPUs (%s)", json_text(cluster, "name", "?"),
                 json_number(cluster, "nodes"), gpus, types.text);
  free(types.text);
}

/* "10/10/10 s", and what else is not free of cost. */
static void add_costs(struct pieces *p, const cJSON *run) {
  const cJSON *costs = json_get(run, "costs");
  add_piece(p, "costs ");
  add_value(p, json_get(costs, "start"));
  add_piece(p, "/");
  add_value(p, json_get(costs, "move"));
  add_piece(p, "/");
  add_value(p, json_get(costs, "resize"));
  add_piece(p, " s (start/move/resize)");
  const char *rollback = json_text(costs, "rollback", "none");
  if (strcmp(rollback, "none") != 0) {
    add_piece(p, ", rollback ");
    add_piece(p, rollback);
  }
  if (json_number(costs, "checkpoint_s") > 0.0) {
    add_piece(p, ", a checkpoint of ");
    add_value(p, json_get(costs, "checkpoint_s"));
    add_piece(p, " s every ");
    add_value(p, json_get(costs, "checkpoint_interval_s"));
    add_piece(p, " s");
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
  add_piece(p, "semantics ");
  add_piece(p, preset_of(run));
  if (semantics_preset(preset_of(run), &preset, NULL) != HSIM_OK)
    return;
  const char *name, *value;
  bool is_number;
  char buffer[32];
  for (int i = 0; semantics_field(&preset, i, &name, &value, &is_number, buffer); i++) {
    const cJSON *field = json_get(json_get(run, "semantics"), name);
    if (field == NULL || same_as_printed(field, value, is_number))
      continue;
    add_piece(p, ":");
    add_piece(p, name);
    add_piece(p, "=");
    add_value(p, field);
  }
  semantics_free(&preset);
}

static void add_outages(struct pieces *p, const cJSON *outages) {
  if (json_get(outages, "file") != NULL) {
    add_piece(p, ", events of ");
    add_piece(p, json_text(outages, "file", "?"));
  }
  if (json_get(outages, "mtbf_h") != NULL) {
    add_piece(p, ", nodes fail every ");
    add_value(p, json_get(outages, "mtbf_h"));
    add_piece(p, " h for ");
    add_value(p, json_get(outages, "mttr_h"));
    add_piece(p, " h");
  }
  if (json_get(outages, "slow_share") != NULL) {
    add_piece(p, ", ");
    add_value(p, json_get(outages, "slow_share"));
    add_piece(p, " of the nodes at ");
    add_value(p, json_get(outages, "slow_factor"));
    add_piece(p, " of their speed");
  }
}

static void print_rules(const cJSON *document, FILE *out) {
  const cJSON *reference = reference_run(document), *run;
  struct pieces rules = {0};
  char seed[32];
  snprintf(seed, sizeof seed, "seed %.0f", json_number(document, "seed"));
  add_piece(&rules, seed);
  cJSON_ArrayForEach(run, runs_of(document)) {
    if (isnan(json_number(run, "round_s")))
      continue;
    add_piece(&rules, ", rounds of ");
    add_value(&rules, json_get(run, "round_s"));
    add_piece(&rules, " s");
    break;
  }
  if (reference != NULL) {
    add_piece(&rules, ", ");
    add_costs(&rules, reference);
    add_piece(&rules, ", ");
    add_semantics(&rules, reference);
  }
  const cJSON *outages = json_get(document, "outages");
  if (outages != NULL)
    add_outages(&rules, outages);
  text_paragraph(out, 9, "rates    %s", json_text(json_get(document, "rates"), "file", "?"));
  text_paragraph(out, 9, "rules    %s", rules.text);
  free(rules.text);
}

/* Table. */

enum column {
  COLUMN_POLICY,
  COLUMN_JOBS,
  COLUMN_MAKESPAN,
  COLUMN_JCT_MEAN,
  COLUMN_JCT_P50,
  COLUMN_JCT_P99,
  COLUMN_QUEUEING,
  COLUMN_RHO_MEAN,
  COLUMN_RHO_MAX,
  COLUMN_BUSY,
  COLUMN_ROUNDS,
  COLUMN_PREEMPTIONS,
  COLUMN_MIGRATIONS,
  N_COLUMNS
};

static const char *const headings[2][N_COLUMNS] = {
    {"", "finished", "makespan", "JCT h", "JCT h", "JCT h", "queue h", "rho", "rho", "busy", "", "",
     ""},
    {"policy", "of jobs", "h", "mean", "p50", "p99", "mean", "mean", "max", "GPUs %", "rounds",
     " stops", " moves"}};

static double jobs_of(const cJSON *run) {
  const cJSON *jobs = json_get(run, "jobs"), *count;
  double n = 0.0;
  cJSON_ArrayForEach(count, jobs) n += count->valuedouble;
  return n;
}

static bool is_partial(const cJSON *run) {
  return !failed(run) && json_number(json_get(run, "jobs"), "finished") < jobs_of(run);
}

static void set_number(struct text_table *table, int column, double value, const char *mark) {
  char text[16];
  text_number(value, text);
  text_table_set(table, column, "%s%s", text, mark);
}

static void set_count(struct text_table *table, int column, double value) {
  char text[16];
  text_number(value, text);
  if (value < 99999.5) {
    text_table_set(table, column, "%.0f", value);
  } else {
    text_table_set(table, column, "%s", text);
  }
}

static void add_row(struct text_table *table, const cJSON *run, const char *label, bool marked,
                    bool any_partial) {
  text_table_row(table);
  text_table_set(table, COLUMN_POLICY, "%s%s", label, marked ? " \u2020" : "");
  if (failed(run)) {
    text_table_set(table, COLUMN_JOBS, "failed");
    return;
  }
  /* A blank takes the place of the star, so that the digits stay aligned. */
  const char *star = is_partial(run) ? "*" : any_partial ? " " : "";
  const cJSON *jct = json_get(run, "jct_s"), *rho = json_get(run, "rho");
  const cJSON *counts = json_get(run, "counts");
  text_table_set(table, COLUMN_JOBS, "%.0f/%.0f", json_number(json_get(run, "jobs"), "finished"),
                 jobs_of(run));
  set_number(table, COLUMN_MAKESPAN, json_number(run, "makespan_s") / 3600.0, "");
  set_number(table, COLUMN_JCT_MEAN, json_number(jct, "mean") / 3600.0, star);
  set_number(table, COLUMN_JCT_P50, json_number(jct, "p50") / 3600.0, "");
  set_number(table, COLUMN_JCT_P99, json_number(jct, "p99") / 3600.0, "");
  set_number(table, COLUMN_QUEUEING, json_number(json_get(run, "queueing_s"), "mean") / 3600.0,
             star);
  set_number(table, COLUMN_RHO_MEAN, json_number(rho, "mean"), star);
  set_number(table, COLUMN_RHO_MAX, json_number(rho, "max"), "");
  set_number(table, COLUMN_BUSY, json_number(json_get(run, "utilisation"), "busy") * 100.0, "");
  if (strcmp(json_text(run, "mode", "round"), "round") == 0) {
    set_count(table, COLUMN_ROUNDS, json_number(counts, "rounds"));
  } else {
    text_table_set(table, COLUMN_ROUNDS, "-");
  }
  set_count(table, COLUMN_PREEMPTIONS, json_number(counts, "preemptions"));
  set_count(table, COLUMN_MIGRATIONS, json_number(counts, "migrations"));
}

static bool any_partial(const cJSON *document) {
  const cJSON *run;
  cJSON_ArrayForEach(run, runs_of(document)) {
    if (is_partial(run))
      return true;
  }
  return false;
}

/* Returns whether a label was cut. */
static bool print_runs(const cJSON *document, FILE *out) {
  const cJSON *reference = reference_run(document), *run;
  struct text_table table;
  text_table_init(&table, N_COLUMNS);
  bool partial = any_partial(document);
  for (int h = 0; h < 2; h++) {
    text_table_row(&table);
    for (int c = 0; c < N_COLUMNS; c++) {
      bool starred = c == COLUMN_JCT_MEAN || c == COLUMN_QUEUEING || c == COLUMN_RHO_MEAN;
      text_table_set(&table, c, "%s%s", headings[h][c], partial && starred ? " " : "");
    }
  }
  int i = 0;
  cJSON_ArrayForEach(run, runs_of(document)) {
    char *label = summary_label(document, i++);
    add_row(&table, run, label, is_marked(run, reference), partial);
    free(label);
  }
  bool cut = text_table_print(&table, 0, out);
  text_table_free(&table);
  return cut;
}

/* Notes. */

/* "hadar: 3 jobs rejected: 2 × no GPU type can run it; 1 × other" */
static void print_left(const cJSON *run, const char *label, const char *state,
                       const char *reasons_name, FILE *out) {
  double n = json_number(json_get(run, "jobs"), state);
  if (!(n > 0.0))
    return;
  struct pieces reasons = {0};
  add_piece(&reasons, "");
  const cJSON *reason;
  cJSON_ArrayForEach(reason, json_get(run, reasons_name)) {
    add_piece(&reasons, reasons.n == 0 ? ": " : "; ");
    add_value(&reasons, reason);
    add_piece(&reasons, " \u00d7 ");
    add_piece(&reasons, reason->string);
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
    add_piece(&text, text.n == 0 ? "" : ", ");
    add_piece(&text, figure->string);
    add_piece(&text, " ");
    add_piece(&text, number);
  }
  if (text.n > 0)
    text_paragraph(out, 2, "%s: %s", label, text.text);
  free(text.text);
}

static void print_mark(const cJSON *run, const char *label, FILE *out) {
  struct pieces text = {0};
  add_costs(&text, run);
  add_piece(&text, ", ");
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

static void print_run_notes(const cJSON *document, bool labels_cut, FILE *out) {
  const cJSON *reference = reference_run(document), *run;
  int i = 0;
  cJSON_ArrayForEach(run, runs_of(document)) {
    char *label = summary_label(document, i++);
    const cJSON *measure = json_get(run, "measure");
    if (labels_cut)
      text_paragraph(out, 2, "row %d: %s", i, label);
    if (is_marked(run, reference))
      print_mark(run, label, out);
    if (failed(run))
      text_paragraph(out, 2, "%s failed: %s", label, json_text(run, "error", "?"));
    if (measure != NULL && run == reference) {
      text_paragraph(
          out, 2,
          "jobs %.0f to %.0f of the arrival order are measured; busy GPUs and rounds are "
          "the whole run's",
          json_number(measure, "from"), json_number(measure, "to") - 1.0);
    }
    print_drained(document, run, label, out);
    print_left(run, label, "rejected", "rejected_by_reason", out);
    print_left(run, label, "dropped", "dropped_by_reason", out);
    print_left(run, label, "cancelled", "", out);
    print_left(run, label, "unfinished", "", out);
    print_timing(run, label, out);
    free(label);
  }
}

static void print_count(const cJSON *object, const char *name, const char *text, FILE *out) {
  double n = json_number(object, name);
  if (n > 0.0)
    text_paragraph(out, 2, "%s: %.0f", text, n);
}

/* A line a count of the trace's rows. */
static void print_counts(const cJSON *trace, const char *name, const char *before, FILE *out) {
  const cJSON *counts = json_get(trace, name);
  for (const cJSON *count = counts != NULL ? counts->child : NULL; count != NULL;
       count = count->next)
    text_paragraph(out, 2, "%s%s: %.0f", before, count->string, count->valuedouble);
}

static void print_trace_notes(const cJSON *trace, FILE *out) {
  const char *unit = json_text(trace, "time_unit", NULL);
  if (unit != NULL)
    text_paragraph(out, 2, "times of the trace are read as %s (--time-unit)", unit);
  print_counts(trace, "skipped_by_reason", "rows of the trace that were skipped, ", out);
  print_counts(trace, "remarks", "", out);
}

static void print_notes(const cJSON *document, bool labels_cut, FILE *out) {
  const cJSON *trace = json_get(document, "trace");
  fputc('\n', out);
  if (any_partial(document))
    text_paragraph(out, 2, "* the mean is over the finished jobs only, not over all");
  print_run_notes(document, labels_cut, out);
  print_trace_notes(trace, out);
  print_count(trace, "derived_rates",
              "jobs whose rates the table lacks, so that they were derived from other gang sizes",
              out);
  print_count(
      trace, "other_reference",
      "jobs that cannot run on the reference GPU type, whose duration was taken to be that on "
      "their fastest type",
      out);
  print_count(trace, "not_modelled", "jobs with a batch mode that is not modelled", out);
  print_count(json_get(document, "cluster"), "skipped_nodes",
              "nodes without a GPU that were skipped", out);
}

void summary_table(const cJSON *document, FILE *out) {
  print_trace(document, out);
  print_cluster(document, out);
  print_rules(document, out);
  fputc('\n', out);
  bool cut = print_runs(document, out);
  summary_bound_table(document, out);
  print_notes(document, cut, out);
}
