/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of summary documents in rows (output/comparison.h says which go together), and the figures
 * of each row as lists of numbers. */
#ifndef HSIM_OUTPUT_COMPARISON_ROWS_H
#define HSIM_OUTPUT_COMPARISON_ROWS_H

#include "output/comparison.h"

/* One figure of a row: a value a run, NaN where the run lacks it. */
struct figure_series {
  char *path;
  double *values; /* [row's n_runs] */
};

struct compared_run {
  const cJSON *item;
  double seed;
  size_t source, position; /* among all runs of all sources */
};

struct comparison_row {
  char *key;       /* what its runs have in common */
  char *short_key; /* policy and options: all that a failed run tells */
  struct compared_run *runs;
  size_t n_runs, runs_capacity;
  struct figure_series *series;
  size_t n_series, series_capacity;
};

struct comparison_table {
  const struct comparison_source *sources;
  struct comparison_row *rows;
  size_t n_rows, capacity;
};

/* The sources must outlive the table. Fails as comparison_rows does; to be freed either way. */
enum hsim_status comparison_table_make(const struct comparison_source *sources, size_t n,
                                       struct comparison_table *table, struct hsim_error *error);
void comparison_table_free(struct comparison_table *table);

/* A run without figures. */
bool comparison_failed(const cJSON *run);
/* A run that its user ended. */
bool comparison_interrupted(const cJSON *run);
/* Whether a run's figures enter those of its row: it has some and, where there are several runs,
 * has not been interrupted. */
bool comparison_counts(const struct comparison_row *row, size_t run);
/* Several runs that count, and none differs from another. */
bool comparison_identical(const struct comparison_row *row);
const struct figure_series *comparison_series(const struct comparison_row *row, const char *path);

#endif
