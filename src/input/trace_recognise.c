/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/trace_recognise.h"

#include <stdio.h>
#include <string.h>

enum { NATIVE, GAVEL, PHILLY_LOG, SWF, SACCT, N_OWN, MOST_FORMATS = 32, MOST_NAMES = 64 };

/* The formats with readers of their own. */
static const struct trace_format own[N_OWN] = {
    {"native", trace_native, NULL},         {"gavel", trace_gavel, NULL},
    {"philly-log", trace_philly_log, NULL}, {"swf", trace_swf, NULL},
    {"sacct", trace_sacct, NULL},
};

static struct trace_format of_table(const struct trace_table *table) {
  return (struct trace_format){table->name, trace_table_read, table};
}

/* ---- names ---- */

const char *trace_format_name(int i) {
  if (i < N_OWN)
    return own[i].name;
  return i < N_OWN + n_trace_tables ? trace_tables[i - N_OWN].name : NULL;
}

static int all_names(const char *names[MOST_FORMATS]) {
  int n = 0;
  while (n < MOST_FORMATS && (names[n] = trace_format_name(n)) != NULL)
    n++;
  return n;
}

#define TRACE_FORMAT_NAMES                                                                         \
  "native, gavel, philly-log, swf, sacct, philly, helios, acme, itp, tiresias, muri, chronus, "    \
  "openb, pai or spot"

enum hsim_status format_named(const char *name, struct trace_format *format,
                              struct hsim_error *error) {
  const char *names[MOST_FORMATS];
  char hint[HINT_SIZE], shown[QUOTE_SIZE];
  for (int i = 0; i < N_OWN; i++)
    if (strcmp(name, own[i].name) == 0) {
      *format = own[i];
      return HSIM_OK;
    }
  for (int i = 0; i < n_trace_tables; i++)
    if (strcmp(name, trace_tables[i].name) == 0) {
      *format = of_table(&trace_tables[i]);
      return HSIM_OK;
    }
  return hsim_fail(error, HSIM_BAD_USAGE, "trace format %s: expected " TRACE_FORMAT_NAMES "%s",
                   quoted(shown, name, strlen(name)),
                   hint_near(hint, names, (size_t)all_names(names), name));
}

/* ---- the first line ---- */

/* The first line that is not blank, as far as the first block holds it. */
struct first_line {
  const char *text;
  size_t length;
  int number;
};

static struct first_line first_line(const struct source *source) {
  size_t left;
  const char *at = source_peek(source, &left);
  struct first_line line = {at, 0, 1};
  if (left >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
    at += 3;
    left -= 3;
  }
  for (; left > 0 && (*at == '\n' || *at == '\r'); at++, left--)
    line.number += *at == '\n';
  line.text = at;
  while (line.length < left && at[line.length] != '\n' && at[line.length] != '\r')
    line.length++;
  return line;
}

static int count(const struct first_line *line, char c) {
  int n = 0;
  for (size_t i = 0; i < line->length; i++)
    n += line->text[i] == c;
  return n;
}

/* The next piece up to `separator`, without quotes around it; false behind the last one. */
static bool next_cell(const struct first_line *line, char separator, size_t *at, const char **text,
                      size_t *length) {
  if (*at > line->length)
    return false;
  const char *start = line->text + *at;
  const char *end = memchr(start, separator, line->length - *at);
  *length = end == NULL ? line->length - *at : (size_t)(end - start);
  *text = start;
  *at += *length + 1;
  if (*length >= 2 && start[0] == '"' && start[*length - 1] == '"') {
    *text += 1;
    *length -= 2;
  }
  return true;
}

static bool is_name(const char *name, const char *text, size_t length) {
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* How many of a line's cells are one of the names, and how many could be. */
struct matches {
  int found, cells;
};

static struct matches names_in(const struct first_line *line, char separator,
                               const char *const *names, int n) {
  struct matches matches = {0};
  const char *text;
  size_t at = 0, length;
  while (next_cell(line, separator, &at, &text, &length)) {
    matches.cells += length < 2 || memcmp(text, "x_", 2) != 0;
    for (int i = 0; i < n; i++)
      matches.found += is_name(names[i], text, length);
  }
  return matches;
}

/* 0 when the names in the line are fewer than two, or than half of it. */
static int score(const struct first_line *line, const char *const *names, int n, bool complete) {
  struct matches matches = names_in(line, ',', names, n);
  if (matches.found < 2 || 2 * matches.found < matches.cells)
    return 0;
  return matches.found + (complete ? MOST_NAMES : 0);
}

static bool has_required(const struct first_line *line, const struct trace_table *table) {
  for (int c = 0; c < table->n_columns; c++)
    if (table->columns[c].required && names_in(line, ',', &table->columns[c].name, 1).found == 0)
      return false;
  return true;
}

static int table_score(const struct first_line *line, const struct trace_table *table) {
  const char *names[TABLE_MOST_COLUMNS];
  for (int c = 0; c < table->n_columns; c++)
    names[c] = table->columns[c].name;
  return score(line, names, table->n_columns, has_required(line, table));
}

/* The CSV format with most names in the header, if possible one that misses none; of equals the
 * first one. */
static bool best_header(const struct first_line *line, struct trace_format *format) {
  int best = score(line, native_columns, n_native_columns, false);
  if (best > 0)
    *format = own[NATIVE];
  for (int i = 0; i < n_trace_tables; i++) {
    int here = table_score(line, &trace_tables[i]);
    if (here > best) {
      best = here;
      *format = of_table(&trace_tables[i]);
    }
  }
  return best > 0;
}

/* A row of PAI's tables, which have no header: the fourth cell is a status. */
static bool is_pai_row(const struct first_line *line, int cells) {
  static const char *const states[] = {"Terminated", "Failed", "Running", "Waiting"};
  const char *text = "";
  size_t at = 0, length = 0;
  if (count(line, ',') != cells - 1)
    return false;
  for (int i = 0; i < 4; i++)
    next_cell(line, ',', &at, &text, &length);
  for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
    if (is_name(states[i], text, length))
      return true;
  return false;
}

static bool is_pai_job_table(const struct first_line *line) {
  static const char header[] = "job_name,inst_id,user,status,start_time,end_time";
  return is_name(header, line->text, line->length) || is_pai_row(line, 6);
}

/* 18 numbers with blanks between them, or a comment. */
static bool is_swf(const struct first_line *line) {
  int fields = 0;
  bool inside = false;
  if (line->text[0] == ';')
    return true;
  for (size_t i = 0; i < line->length; i++) {
    char c = line->text[i];
    bool blank = c == ' ' || c == '\t';
    if (!blank && !(c >= '0' && c <= '9') && c != '-' && c != '.')
      return false;
    fields += !blank && !inside;
    inside = !blank;
  }
  return fields == 18;
}

/* An id, or two other fields: which ones are missing is told by the reader. */
static bool is_sacct(const struct first_line *line) {
  static const char *const names[] = {"JobID", "JobIDRaw", "Submit",  "Start",     "State",
                                      "End",   "Elapsed",  "ReqTRES", "AllocTRES", "ElapsedRaw"};
  return count(line, '|') > 0 &&
         (names_in(line, '|', names, 2).found > 0 || names_in(line, '|', names, 10).found >= 2);
}

/* JSON may begin with blanks and with lines of blanks. */
static bool is_array(const struct source *source, const struct first_line *line) {
  size_t left;
  const char *at = source_peek(source, &left), *end = at + left;
  at = line->text;
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
    at++;
  return at < end && *at == '[';
}

enum hsim_status format_recognise(const struct source *source, struct trace_format *format,
                                  struct hsim_error *error) {
  struct first_line line = first_line(source);
  char shown[QUOTE_SIZE];
  int tabs = count(&line, '\t');
  enum hsim_status status = HSIM_OK;
  if (line.length == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: is empty: expected a job trace",
                     source_name(source));
  if (is_array(source, &line))
    *format = own[PHILLY_LOG];
  else if (is_swf(&line))
    *format = own[SWF];
  else if (tabs == 6 || tabs == 9 || tabs == 11)
    *format = own[GAVEL];
  else if (is_sacct(&line))
    *format = own[SACCT];
  else if (is_pai_job_table(&line))
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "%s:%d: PAI's job table says nothing of GPUs: expected its task table "
                     "(pai_task_table)",
                     source_name(source), line.number);
  else if (is_pai_row(&line, 10))
    status = format_named("pai", format, error);
  else if (!best_header(&line, format))
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "%s:%d: unknown trace format: a line of %d %s-separated columns, %s; known "
                     "are " TRACE_FORMAT_NAMES " (docs/formats.md)",
                     source_name(source), line.number, 1 + (tabs > 0 ? tabs : count(&line, ',')),
                     tabs > 0 ? "tab" : "comma", quoted(shown, line.text, line.length));
  return status;
}
