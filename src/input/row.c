/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/row.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/names.h"
#include "model/number.h"
#include "model/trace.h"

enum { QUOTED_BYTES = 80 };

const char *quoted(char out[QUOTE_SIZE], const char *text, size_t length) {
  size_t n = length;
  if (n > QUOTED_BYTES) {
    n = QUOTED_BYTES;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) /* not within a UTF-8 character */
      n--;
  }
  snprintf(out, QUOTE_SIZE, "\"%.*s%s\"", (int)n, text, n < length ? "..." : "");
  return out;
}

const char *hint_near(char text[HINT_SIZE], const char *const *candidates, size_t n,
                      const char *wrong) {
  const char *near = names_suggest(candidates, n, wrong);
  text[0] = '\0';
  if (near != NULL)
    snprintf(text, HINT_SIZE, "; did you mean \"%.*s\"?", HINT_SIZE - 24, near);
  return text;
}

bool row_has(const struct row *row, int column) {
  return row->cells[column].length > 0;
}

enum hsim_status row_bad(const struct row *row, int column, struct hsim_error *error,
                         const char *expected, ...) {
  char text[600], value[QUOTE_SIZE];
  va_list arguments;
  va_start(arguments, expected);
  vsnprintf(text, sizeof text, expected, arguments);
  va_end(arguments);
  const struct cell *cell = &row->cells[column];
  return row_fail(row, error, "column %s: value %s: expected %s", row->columns[column],
                  quoted(value, cell->text, cell->length), text);
}

enum hsim_status row_fail(const struct row *row, struct hsim_error *error, const char *format,
                          ...) {
  char text[900];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d: %s", row->file, row->line, text);
}

enum hsim_status row_place(const struct row *row, enum hsim_status status,
                           struct hsim_error *error) {
  if (status == HSIM_OK || error == NULL)
    return status;
  char text[900];
  snprintf(text, sizeof text, "%.890s", error->text);
  return hsim_fail(error, status, "%s:%d: %s", row->file, row->line, text);
}

static const char *bound_text(enum row_bound bound) {
  switch (bound) {
  case ROW_NOT_NEGATIVE:
    return "a number of at least 0";
  case ROW_POSITIVE:
    return "a number above 0";
  case ROW_ANY:
    break;
  }
  return "a number";
}

enum hsim_status row_real(const struct row *row, int column, enum row_bound bound, double *value,
                          struct hsim_error *error) {
  const struct cell *cell = &row->cells[column];
  double number = 0;
  enum number_status status = number_parse(cell->text, cell->length, &number);
  if (status == NUMBER_OVERFLOW)
    return row_bad(row, column, error, "%s within +-1.7976931348623157e308", bound_text(bound));
  bool fits = bound == ROW_ANY || (bound == ROW_NOT_NEGATIVE && number >= 0) || number > 0;
  if (status != NUMBER_OK || !fits)
    return row_bad(row, column, error, "%s", bound_text(bound));
  *value = number + 0.0; /* -0 becomes 0 */
  return HSIM_OK;
}

enum hsim_status row_time(const struct row *row, int column, double *seconds,
                          struct hsim_error *error) {
  enum hsim_status status = row_real(row, column, ROW_NOT_NEGATIVE, seconds, error);
  if (status == HSIM_OK && *seconds > TRACE_LATEST_S)
    return row_bad(row, column, error, "at most 1e12 seconds");
  return status;
}

enum hsim_status row_whole(const struct row *row, int column, int64_t min, int64_t max,
                           int64_t *value, struct hsim_error *error) {
  const struct cell *cell = &row->cells[column];
  int64_t number = 0;
  enum number_status status = number_parse_int(cell->text, cell->length, &number);
  if (status != NUMBER_OK || number < min || number > max)
    return row_bad(row, column, error, "a whole number from %lld to %lld", (long long)min,
                   (long long)max);
  *value = number;
  return HSIM_OK;
}

enum hsim_status row_int(const struct row *row, int column, int min, int max, int32_t *value,
                         struct hsim_error *error) {
  int64_t number = 0;
  enum hsim_status status = row_whole(row, column, min, max, &number, error);
  if (status == HSIM_OK)
    *value = (int32_t)number;
  return status;
}

enum hsim_status row_text(const struct row *row, int column, struct hsim_error *error) {
  if (!row_has(row, column))
    return row_bad(row, column, error, "a text that is not empty");
  return HSIM_OK;
}
