/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One data row of a table in a file, and typed access to its cells. What is wrong with a cell is
 * said in one form: FILE:LINE: column NAME: value "...": expected ...
 */
#ifndef HSIM_INPUT_ROW_H
#define HSIM_INPUT_ROW_H

#include "hsim/types.h"

struct cell {
  const char *text; /* ends in a NUL, holds none; "" when the file lacks the column */
  size_t length;
};

struct row {
  const char *file;
  int line;                   /* where it starts, from 1 */
  int number;                 /* data row, from 1; bad rows count */
  const struct cell *cells;   /* [columns of the table], in the order of `columns` */
  const char *const *columns; /* their names */
};

/* The file has the column and the row fills it in. */
bool row_has(const struct row *row, int column);

/* HSIM_BAD_INPUT about a cell; the format completes "expected". What differs from row to row stands
 * behind a semicolon: rows whose messages are the same before it have one reason. */
enum hsim_status row_bad(const struct row *row, int column, struct hsim_error *error,
                         const char *expected, ...) HSIM_PRINTF(4, 5);

/* HSIM_BAD_INPUT about a row: FILE:LINE: ... */
enum hsim_status row_fail(const struct row *row, struct hsim_error *error, const char *format, ...)
    HSIM_PRINTF(3, 4);

/* Puts FILE:LINE before the text of an error that knows neither; returns its status. */
enum hsim_status row_place(const struct row *row, enum hsim_status status,
                           struct hsim_error *error);

/* The cell must be filled in: a finite decimal within the bound; a whole number min..max; any
 * text but the empty one. -0 reads as 0. */
enum row_bound { ROW_ANY, ROW_NOT_NEGATIVE, ROW_POSITIVE };
enum hsim_status row_real(const struct row *row, int column, enum row_bound bound, double *value,
                          struct hsim_error *error);
/* A time: not negative, at most TRACE_LATEST_S (model/trace.h). */
enum hsim_status row_time(const struct row *row, int column, double *seconds,
                          struct hsim_error *error);
enum hsim_status row_whole(const struct row *row, int column, int64_t min, int64_t max,
                           int64_t *value, struct hsim_error *error);
enum hsim_status row_int(const struct row *row, int column, int min, int max, int32_t *value,
                         struct hsim_error *error);
enum hsim_status row_text(const struct row *row, int column, struct hsim_error *error);

/* "; did you mean ...?" into `text` for a name that is none of the candidates, or "". */
enum { HINT_SIZE = 200 };
const char *hint_near(char text[HINT_SIZE], const char *const *candidates, size_t n,
                      const char *wrong);

/* A text as a message quotes it: cut when it is long. */
enum { QUOTE_SIZE = 96 };
const char *quoted(char out[QUOTE_SIZE], const char *text, size_t length);

#endif
