/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CSV files with a header, read by column name: strict RFC 4180 quoting (libcsv), cells verbatim,
 * LF or CRLF, an optional byte-order mark, with or without a last newline. Blank lines before the
 * header and at the end are fine; one between data rows is a bad row.
 */
#ifndef HSIM_INPUT_CSV_H
#define HSIM_INPUT_CSV_H

#include "input/row.h"
#include "input/source.h"

struct csv_table {
  const char *const *columns; /* the names that the table knows */
  int n_columns;
  uint64_t required; /* bit i: the file must have column i */
  bool headerless;   /* without a header the columns are these, in this order; a first row with two
                        of their names, which are half of its cells, is a header */
  bool ignores_x;    /* other columns may stand in the file when their name starts with x_ */
  const char *what;  /* for messages: "a native trace" */

  /* A look at the header (may be NULL): `has` has bit i set when the file has column i. */
  enum hsim_status (*header)(void *state, const struct row *row, uint64_t has,
                             struct hsim_error *error);
  /* Each row; its cells are valid during the call. */
  enum hsim_status (*row)(void *state, const struct row *row, struct hsim_error *error);
  /* A bad row, refused by `row` or for its number of cells: true to go on. NULL: never. */
  bool (*skip)(void *state, const struct hsim_error *error);
};

/* *rows (may be NULL) gets the number of data rows, bad ones included. An input without even a
 * header is bad input. */
enum hsim_status csv_read(struct source *source, const struct csv_table *table, void *state,
                          int *rows, struct hsim_error *error);

#endif
