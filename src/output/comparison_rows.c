/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/comparison_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/json.h"
#include "output/pieces.h"

/* ---- rows ---- */

static const char *const settings[] = {"mode",  "round_s", "until_s", "semantics",
                                       "costs", "oracle",  "measure"};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

static void add_printed(struct pieces *key, const cJSON *item) {
  char *text = item ? json_print(item, 0) : NULL;
  pieces_add(key, text ? text : "");
  pieces_add(key, "\n");
  free(text);
}

static char *short_key_of(const cJSON *run) {
  struct pieces key = {0};
  add_printed(&key, json_get(run, "policy"));
  add_printed(&key, json_get(run, "options"));
  return key.text;
}

/* What a trace is beside its name and what the seed made of it. */
static char *key_of(const cJSON *document, const cJSON *run) {
  static const char *const trace[] = {"sha256", "format",       "time_unit", "assigned",
                                      "shake",  "skipped_rows", "jobs"};
  struct pieces key = {0};
  char *short_key = short_key_of(run);
  pieces_add(&key, short_key);
  free(short_key);
  for (int i = 0; i < N_SETTINGS; i++)
    add_printed(&key, json_get(run, settings[i]));
  for (size_t i = 0; i < sizeof trace / sizeof trace[0]; i++)
    add_printed(&key, json_get(json_get(document, "trace"), trace[i]));
  add_printed(&key, json_get(document, "cluster"));
  add_printed(&key, json_get(json_get(document, "rates"), "sha256"));
  add_printed(&key, json_get(document, "input"));
  add_printed(&key, json_get(document, "outages"));
  return key.text;
}

static bool has_seed(const struct comparison_row *row, double seed) {
  for (size_t i = 0; i < row->n_runs; i++)
    if (row->runs[i].seed == seed)
      return true;
  return false;
}

bool comparison_interrupted(const cJSON *run) {
  return cJSON_IsTrue(json_get(run, "interrupted"));
}

bool comparison_failed(const cJSON *run) {
  return json_get(run, "error") != NULL;
}

/* A failed run goes to a row of its own document, since it tells nothing but policy and options. */
static bool belongs(const struct comparison_row *row, const struct compared_run *run,
                    const char *key) {
  if (has_seed(row, run->seed))
    return false;
  if (comparison_failed(run->item))
    return row->runs[0].source == run->source && strcmp(row->short_key, key) == 0;
  return strcmp(row->key, key) == 0;
}

static void add_run(struct comparison_table *table, struct compared_run run) {
  const cJSON *document = table->sources[run.source].document;
  char *key = comparison_failed(run.item) ? short_key_of(run.item) : key_of(document, run.item);
  size_t r = 0;
  while (r < table->n_rows && !belongs(&table->rows[r], &run, key))
    r++;
  if (r == table->n_rows) {
    table->rows = mem_grow(table->rows, r + 1, &table->capacity, sizeof *table->rows);
    table->rows[table->n_rows++] =
        (struct comparison_row){.key = key, .short_key = short_key_of(run.item)};
  } else {
    free(key);
  }
  struct comparison_row *row = &table->rows[r];
  row->runs = mem_grow(row->runs, row->n_runs + 1, &row->runs_capacity, sizeof *row->runs);
  row->runs[row->n_runs++] = run;
}

static enum hsim_status seed_of(const struct comparison_source *source, const cJSON *run,
                                double *seed, struct hsim_error *error) {
  const double greatest = 0x1p53;
  *seed = source->one_seed ? 0 : json_number(run, "seed");
  if (isnan(*seed))
    *seed = json_number(source->document, "seed");
  if (*seed >= 0 && *seed < greatest && *seed == floor(*seed))
    return HSIM_OK;
  return hsim_fail(error, HSIM_BAD_INPUT,
                   "%s: key seed: expected a whole number from 0 to 2^53 - 1 in the document or in "
                   "each run",
                   source->file);
}

/* Runs with figures first, so that failed ones find the rows that they belong to. */
static enum hsim_status add_runs(struct comparison_table *table, size_t n, bool failed,
                                 struct hsim_error *error) {
  size_t position = 0;
  for (size_t s = 0; s < n; s++) {
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(table->sources[s].document, "runs")) {
      struct compared_run run = {.item = item, .source = s, .position = position};
      position++;
      if (comparison_failed(item) != failed)
        continue;
      enum hsim_status status = seed_of(&table->sources[s], item, &run.seed, error);
      if (status != HSIM_OK)
        return status;
      add_run(table, run);
    }
  }
  return HSIM_OK;
}

static int by_position(const void *a, const void *b) {
  const struct compared_run *x = a, *y = b;
  return x->position < y->position ? -1 : x->position > y->position;
}

static int by_first_run(const void *a, const void *b) {
  const struct comparison_row *x = a, *y = b;
  return by_position(&x->runs[0], &y->runs[0]);
}

static void sort_rows(struct comparison_table *table) {
  for (size_t r = 0; r < table->n_rows; r++)
    qsort(table->rows[r].runs, table->rows[r].n_runs, sizeof(struct compared_run), by_position);
  if (table->n_rows > 0)
    qsort(table->rows, table->n_rows, sizeof *table->rows, by_first_run);
}

/* ---- figures ---- */

static bool is_figure(const char *name) {
  static const char *const others[] = {"seed", "timing"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (strcmp(name, others[i]) == 0)
      return false;
  for (int i = 0; i < N_SETTINGS; i++)
    if (strcmp(name, settings[i]) == 0)
      return false;
  return strcmp(name, "options") != 0;
}

/* *next is where it stands when all runs have the same figures in the same order. */
static struct figure_series *find_series(struct comparison_row *row, const char *path,
                                         size_t *next) {
  for (size_t k = 0; k < row->n_series; k++) {
    size_t i = (*next + k) % row->n_series;
    if (strcmp(row->series[i].path, path) == 0) {
      *next = i + 1;
      return &row->series[i];
    }
  }
  row->series =
      mem_grow(row->series, row->n_series + 1, &row->series_capacity, sizeof *row->series);
  struct figure_series *series = &row->series[row->n_series++];
  *next = row->n_series;
  series->path = mem_text(path);
  series->values = mem_alloc(row->n_runs, sizeof *series->values);
  for (size_t i = 0; i < row->n_runs; i++)
    series->values[i] = NAN;
  return series;
}

static void take_figures(struct comparison_row *row, size_t run, const char *path,
                         const cJSON *item, size_t *next) {
  if (cJSON_IsObject(item)) {
    const cJSON *member;
    cJSON_ArrayForEach(member, item) {
      if (path[0] == '\0' && !is_figure(member->string))
        continue;
      struct pieces longer = {0};
      pieces_add(&longer, path);
      pieces_add(&longer, path[0] ? "." : "");
      pieces_add(&longer, member->string);
      take_figures(row, run, longer.text, member, next);
      free(longer.text);
    }
  } else if (cJSON_IsNumber(item) || cJSON_IsNull(item)) {
    find_series(row, path, next)->values[run] =
        cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
  }
}

bool comparison_counts(const struct comparison_row *row, size_t run) {
  const cJSON *item = row->runs[run].item;
  return !comparison_failed(item) && (row->n_runs == 1 || !comparison_interrupted(item));
}

static void collect_figures(struct comparison_row *row) {
  for (size_t i = 0; i < row->n_runs; i++) {
    size_t next = 0;
    if (comparison_counts(row, i))
      take_figures(row, i, "", row->runs[i].item, &next);
  }
}

bool comparison_identical(const struct comparison_row *row) {
  size_t first = 0, good = 0;
  for (size_t i = row->n_runs; i-- > 0;)
    if (comparison_counts(row, i)) {
      first = i;
      good++;
    }
  for (size_t s = 0; s < row->n_series; s++)
    for (size_t i = first; i < row->n_runs; i++) {
      double a = row->series[s].values[first], b = row->series[s].values[i];
      if (comparison_counts(row, i) && a != b && !(isnan(a) && isnan(b)))
        return false;
    }
  return good > 1;
}

const struct figure_series *comparison_series(const struct comparison_row *row, const char *path) {
  for (size_t i = 0; i < row->n_series; i++)
    if (strcmp(row->series[i].path, path) == 0)
      return &row->series[i];
  return NULL;
}

enum hsim_status comparison_table_make(const struct comparison_source *sources, size_t n,
                                       struct comparison_table *table, struct hsim_error *error) {
  *table = (struct comparison_table){.sources = sources};
  enum hsim_status status = add_runs(table, n, false, error);
  if (status == HSIM_OK)
    status = add_runs(table, n, true, error);
  if (status != HSIM_OK)
    return status;
  sort_rows(table);
  for (size_t r = 0; r < table->n_rows; r++)
    collect_figures(&table->rows[r]);
  return status;
}

void comparison_table_free(struct comparison_table *table) {
  for (size_t r = 0; r < table->n_rows; r++) {
    struct comparison_row *row = &table->rows[r];
    for (size_t i = 0; i < row->n_series; i++) {
      free(row->series[i].path);
      free(row->series[i].values);
    }
    free(row->series);
    free(row->runs);
    free(row->key);
    free(row->short_key);
  }
  free(table->rows);
}
