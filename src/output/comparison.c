/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/comparison_rows.h"
#include "output/json.h"
#include "output/pieces.h"
#include "output/run_label.h"
#include "output/statistics.h"

/* ---- labels ---- */

static const cJSON *item_of(const struct comparison_row *row) {
  return row->runs[0].item;
}

/* Labels, with the file where another row would have the same. */
static char **make_labels(const struct comparison_table *table) {
  char **plain = mem_alloc(table->n_rows, sizeof *plain);
  char **labels = mem_alloc(table->n_rows, sizeof *labels);
  const cJSON **items = mem_alloc(table->n_rows, sizeof *items);
  for (size_t r = 0; r < table->n_rows; r++)
    items[r] = item_of(&table->rows[r]);
  for (size_t r = 0; r < table->n_rows; r++)
    plain[r] = run_label(items, table->n_rows, r);
  free(items);
  for (size_t r = 0; r < table->n_rows; r++) {
    bool shared = false;
    size_t source = table->rows[r].runs[0].source;
    for (size_t k = 0; k < table->n_rows; k++)
      shared =
          shared || (table->rows[k].runs[0].source != source && strcmp(plain[k], plain[r]) == 0);
    struct pieces label = {0};
    pieces_add(&label, plain[r]);
    if (shared) {
      pieces_add(&label, " (");
      pieces_add(&label, table->sources[source].file);
      pieces_add(&label, ")");
    }
    labels[r] = label.text;
  }
  for (size_t r = 0; r < table->n_rows; r++)
    free(plain[r]);
  free(plain);
  return labels;
}

/* ---- JSON ---- */

static void add_interval(cJSON *item, const struct statistics *s) {
  cJSON *interval = NULL;
  if (s->n > 1) {
    double ends[2] = {s->low, s->high};
    interval = json_array();
    for (int i = 0; i < 2; i++)
      json_append(interval, json_number_item(ends[i]));
  }
  json_add(item, "ci95", interval ? interval : json_number_item(NAN));
}

static cJSON *statistics_item(const struct statistics *s, bool with_sd) {
  cJSON *item = json_object();
  json_add_int(item, "n", (int64_t)s->n);
  json_add_number(item, "mean", s->mean);
  if (with_sd)
    json_add_number(item, "sd", s->sd);
  add_interval(item, s);
  return item;
}

/* Adds difference and ratio to the first row, over the seeds for which both have the figure. */
static void add_pairs(cJSON *item, const struct comparison_row *row,
                      const struct figure_series *own, const struct comparison_row *first) {
  const struct figure_series *base = comparison_series(first, own->path);
  double *a = mem_alloc(row->n_runs, sizeof *a), *b = mem_alloc(row->n_runs, sizeof *b);
  double *differences = mem_alloc(row->n_runs, sizeof *differences);
  size_t n = 0, k = 0;
  for (size_t i = 0; base && i < row->n_runs; i++) {
    /* Seeds mostly stand in the same order in both rows, so the search begins where it ended. */
    size_t tried = 0;
    while (tried < first->n_runs && first->runs[k].seed != row->runs[i].seed) {
      k = (k + 1) % first->n_runs;
      tried++;
    }
    if (tried == first->n_runs || isnan(own->values[i]) || isnan(base->values[k]))
      continue;
    a[n] = own->values[i];
    b[n] = base->values[k];
    differences[n] = a[n] - b[n];
    n++;
  }
  struct statistics difference = statistics_of(differences, n);
  struct statistics ratio = statistics_of_ratios(a, b, n);
  json_add(item, "difference", statistics_item(&difference, false));
  json_add(item, "ratio", statistics_item(&ratio, false));
  free(differences);
  free(a);
  free(b);
}

static cJSON *figure_item(const struct comparison_row *row, const struct figure_series *series,
                          const struct comparison_row *first) {
  double *values = mem_alloc(row->n_runs, sizeof *values);
  size_t n = 0;
  for (size_t i = 0; i < row->n_runs; i++)
    if (!isnan(series->values[i]))
      values[n++] = series->values[i];
  struct statistics s = statistics_of(values, n);
  free(values);
  cJSON *item = statistics_item(&s, true);
  if (row != first)
    add_pairs(item, row, series, first);
  return item;
}

static cJSON *row_item(const struct comparison_row *row, const char *label,
                       const struct comparison_row *first) {
  cJSON *item = json_object(), *seeds = json_array(), *figures = json_object();
  int64_t failed = 0, interrupted = 0;
  json_add_text(item, "policy", json_text(item_of(row), "policy", "?"));
  char *options = json_print(json_get(item_of(row), "options"), 3);
  json_add(item, "options", json_raw_item(options));
  free(options);
  json_add_text(item, "label", label);
  for (size_t i = 0; i < row->n_runs; i++) {
    json_append(seeds, json_number_item(row->runs[i].seed));
    failed += comparison_failed(row->runs[i].item);
    interrupted += comparison_interrupted(row->runs[i].item);
  }
  json_add(item, "seeds", seeds);
  json_add_int(item, "failed", failed);
  json_add_int(item, "interrupted", interrupted);
  json_add_bool(item, "identical", comparison_identical(row));
  for (size_t i = 0; i < row->n_series; i++)
    json_add(figures, row->series[i].path, figure_item(row, &row->series[i], first));
  json_add(item, "figures", figures);
  return item;
}

enum hsim_status comparison_rows(const struct comparison_source *sources, size_t n, cJSON **rows,
                                 struct hsim_error *error) {
  struct comparison_table table;
  *rows = NULL;
  enum hsim_status status = comparison_table_make(sources, n, &table, error);
  if (status == HSIM_OK) {
    char **labels = make_labels(&table);
    *rows = json_array();
    for (size_t r = 0; r < table.n_rows; r++) {
      json_append(*rows, row_item(&table.rows[r], labels[r], &table.rows[0]));
      free(labels[r]);
    }
    free(labels);
  }
  comparison_table_free(&table);
  return status;
}
