/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CSV files that a policy's own options name: read by column name, with the messages that all of
 * hsim's inputs have (FILE:LINE: column NAME: value "...": expected ...). Gzip is recognised. The
 * first line names the columns, which stand in any order; each row has as many cells.
 */
#ifndef HSIM_TABLE_H
#define HSIM_TABLE_H

#include "hsim/types.h"

struct hsim_row; /* opaque: one data row, valid during the call */

struct hsim_table {
  const char *what;           /* for messages: "a file of entities" */
  const char *const *columns; /* the names that the table knows; others are refused */
  int n_columns;              /* <= 64 */
  uint64_t required;          /* bit i: the file must have column i */
  /* Each row. Anything but HSIM_OK ends the reading. */
  enum hsim_status (*row)(void *state, const struct hsim_row *row, struct hsim_error *error);
};

HSIM_API enum hsim_status hsim_read_table(const char *path, const struct hsim_table *table,
                                          void *state, struct hsim_error *error);

/* The cell's text, verbatim; "" when it is empty or the file lacks the column. */
HSIM_API const char *hsim_row_text(const struct hsim_row *row, int column);
/* A finite decimal in [min, max]; a whole number in [min, max]. */
HSIM_API enum hsim_status hsim_row_real(const struct hsim_row *row, int column, double min,
                                        double max, double *value, struct hsim_error *error);
HSIM_API enum hsim_status hsim_row_int(const struct hsim_row *row, int column, int64_t min,
                                       int64_t max, int64_t *value, struct hsim_error *error);
/* HSIM_BAD_INPUT about a cell; the format completes "expected". */
HSIM_API enum hsim_status hsim_row_bad(const struct hsim_row *row, int column,
                                       struct hsim_error *error, const char *expected, ...)
    HSIM_PRINTF(4, 5);
/* HSIM_BAD_INPUT about the row: FILE:LINE: and the text. */
HSIM_API enum hsim_status hsim_row_fail(const struct hsim_row *row, struct hsim_error *error,
                                        const char *format, ...) HSIM_PRINTF(3, 4);

#endif
