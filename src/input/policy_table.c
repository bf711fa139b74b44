/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hsim/table.h on top of the CSV reader: a policy's files are read like all others. */
#include "hsim/table.h"

#include <stdarg.h>
#include <stdio.h>

#include "input/csv.h"

struct hsim_row {
  const struct row *row;
};

struct reading {
  const struct hsim_table *table;
  void *state;
};

static enum hsim_status hand_on(void *state, const struct row *row, struct hsim_error *error) {
  const struct reading *reading = state;
  return reading->table->row(reading->state, &(struct hsim_row){row}, error);
}

enum hsim_status hsim_read_table(const char *path, const struct hsim_table *table, void *state,
                                 struct hsim_error *error) {
  struct source *source;
  enum hsim_status status = source_open(path, &source, error);
  if (status != HSIM_OK)
    return status;
  struct csv_table csv = {.columns = table->columns,
                          .n_columns = table->n_columns,
                          .required = table->required,
                          .what = table->what,
                          .row = hand_on};
  struct reading reading = {table, state};
  status = csv_read(source, &csv, &reading, NULL, error);
  source_close(source);
  return status;
}

const char *hsim_row_text(const struct hsim_row *row, int column) {
  return row->row->cells[column].text;
}

enum hsim_status hsim_row_real(const struct hsim_row *row, int column, double min, double max,
                               double *value, struct hsim_error *error) {
  enum hsim_status status = row_real(row->row, column, ROW_ANY, value, error);
  if (status == HSIM_OK && (*value < min || *value > max))
    return row_bad(row->row, column, error, "a number in %.15g to %.15g", min, max);
  return status;
}

enum hsim_status hsim_row_int(const struct hsim_row *row, int column, int64_t min, int64_t max,
                              int64_t *value, struct hsim_error *error) {
  return row_whole(row->row, column, min, max, value, error);
}

enum hsim_status hsim_row_bad(const struct hsim_row *row, int column, struct hsim_error *error,
                              const char *expected, ...) {
  char text[512];
  va_list args;
  va_start(args, expected);
  vsnprintf(text, sizeof text, expected, args);
  va_end(args);
  return row_bad(row->row, column, error, "%s", text);
}

enum hsim_status hsim_row_fail(const struct hsim_row *row, struct hsim_error *error,
                               const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return row_fail(row->row, error, "%s", text);
}
