/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slurm's accounting as `sacct --parsable2` (or --parsable) prints it: fields between bars, named
 * by the first line, no quoting. Which fields there are is the user's choice; those that are not
 * listed here are not read. Source: the manual page sacct(1).
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/lines.h"
#include "input/trace_reader.h"
#include "input/trace_tres.h"
#include "model/memory.h"
#include "model/number.h"

enum {
  JOB_ID,
  JOB_ID_RAW,
  SUBMIT,
  START,
  END,
  ELAPSED,
  ELAPSED_RAW,
  REQ_TRES,
  ALLOC_TRES,
  ACCOUNT,
  USER,
  N_COLUMNS
};

static const char *const columns[N_COLUMNS] = {"JobID",     "JobIDRaw", "Submit",     "Start",
                                               "End",       "Elapsed",  "ElapsedRaw", "ReqTRES",
                                               "AllocTRES", "Account",  "User"};

struct sacct_file {
  struct trace_reader *reader;
  struct lines lines;
  int n_fields;
  int *column_of; /* [n_fields] -1: not read */
  bool has[N_COLUMNS];
  int id; /* JOB_ID or JOB_ID_RAW */
  struct cell cells[N_COLUMNS];
  struct row row;
};

/* ---- lines ---- */

static int fields_in(const char *line) {
  int n = 1;
  for (; *line != '\0'; line++)
    n += *line == '|';
  return n;
}

/* The next field of a line, which it cuts at the bar. */
static struct cell next_field(char **at) {
  size_t length = strcspn(*at, "|");
  struct cell cell = {*at, length};
  bool last = (*at)[length] == '\0';
  (*at)[length] = '\0';
  *at += length + !last;
  return cell;
}

static enum hsim_status check_columns(struct sacct_file *f, struct hsim_error *error) {
  static const char needs[] = "sacct output needs the fields JobID or JobIDRaw, Submit, Elapsed or "
                              "ElapsedRaw or both Start and End, and ReqTRES or AllocTRES: %s";
  f->id = f->has[JOB_ID] ? JOB_ID : JOB_ID_RAW;
  if (!f->has[f->id])
    return row_fail(&f->row, error, needs, "the header has no id");
  if (!f->has[SUBMIT])
    return row_fail(&f->row, error, needs, "the header has no Submit");
  if (!f->has[ELAPSED] && !f->has[ELAPSED_RAW] && !(f->has[START] && f->has[END]))
    return row_fail(&f->row, error, needs, "the header has no run time");
  if (!f->has[REQ_TRES] && !f->has[ALLOC_TRES])
    return row_fail(&f->row, error, needs, "the header has no GPUs");
  return HSIM_OK;
}

static enum hsim_status take_header(struct sacct_file *f, struct hsim_error *error) {
  f->n_fields = fields_in(f->lines.text);
  f->column_of = mem_alloc((size_t)f->n_fields, sizeof *f->column_of);
  char *at = f->lines.text;
  for (int i = 0; i < f->n_fields; i++) {
    struct cell name = next_field(&at);
    f->column_of[i] = -1;
    for (int c = 0; c < N_COLUMNS; c++) {
      if (strcmp(columns[c], name.text) != 0)
        continue;
      if (f->has[c])
        return row_fail(&f->row, error, "column %s stands there twice", columns[c]);
      f->has[c] = true;
      f->column_of[i] = c;
    }
  }
  return check_columns(f, error);
}

/* ---- cells ---- */

/* Slurm's words for a time that has not come. */
static bool is_none(const struct cell *cell) {
  return cell->length == 0 || strcmp(cell->text, "Unknown") == 0 ||
         strcmp(cell->text, "None") == 0 || strcmp(cell->text, "N/A") == 0;
}

/* NaN when it has not come. */
static enum hsim_status take_date(struct sacct_file *f, int column, double *seconds,
                                  struct hsim_error *error) {
  const struct cell *cell = &f->cells[column];
  *seconds = NAN;
  if (!f->has[column] || is_none(cell))
    return HSIM_OK;
  switch (timestamp_parse(cell->text, cell->length, &f->reader->options->reading.zone, seconds)) {
  case TIMESTAMP_SKIPPED:
    return row_bad(&f->row, column, error,
                   "a local time that exists: the clock passed over it (--time-zone)");
  case TIMESTAMP_MALFORMED:
    return row_bad(&f->row, column, error, "a date and time like 2024-03-01T07:01:55, or Unknown");
  case TIMESTAMP_OK:
    break;
  }
  return HSIM_OK;
}

/* [DD-[HH:]]MM:SS */
static bool parse_elapsed(const char *text, double *seconds) {
  int64_t days = 0, part[3] = {0};
  int n = 0;
  const char *dash = strchr(text, '-');
  if (dash != NULL) {
    if (number_parse_int(text, (size_t)(dash - text), &days) != NUMBER_OK)
      return false;
    text = dash + 1;
  }
  for (bool more = true; more; n++) {
    size_t length = strcspn(text, ":");
    if (n == 3 || length != 2 || number_parse_int(text, length, &part[n]) != NUMBER_OK ||
        part[n] < 0 || part[n] > 59)
      return false;
    more = text[length] == ':';
    text += length + more;
  }
  if (n < 2 || days < 0 || days > 1000000 || (n == 3 && part[0] > 23))
    return false;
  int64_t total = 0;
  for (int i = 0; i < n; i++)
    total = 60 * total + part[i];
  *seconds = (double)(86400 * days + total);
  return true;
}

/* How long it ran, NaN when that is not known. */
static enum hsim_status take_run(struct sacct_file *f, double start, double end, double *seconds,
                                 struct hsim_error *error) {
  *seconds = NAN;
  if (f->has[ELAPSED_RAW] && !is_none(&f->cells[ELAPSED_RAW]))
    return row_time(&f->row, ELAPSED_RAW, seconds, error);
  if (f->has[ELAPSED] && !is_none(&f->cells[ELAPSED])) {
    if (!parse_elapsed(f->cells[ELAPSED].text, seconds))
      return row_bad(&f->row, ELAPSED, error, "a time like 1-02:03:04 or 02:03:04");
    return HSIM_OK;
  }
  if (end < start && !timestamp_reorder(f->cells[START].text, f->cells[END].text,
                                        &f->reader->options->reading.zone, &start, &end))
    return row_bad(&f->row, END, error, "no earlier time than Start; it is \"%.40s\"",
                   f->cells[START].text);
  *seconds = end - start;
  return HSIM_OK;
}

/* The request, which a job has before it runs, else what it got. */
static enum hsim_status take_gpus(struct sacct_file *f, struct hsim_job *job,
                                  struct hsim_error *error) {
  static const int order[] = {REQ_TRES, ALLOC_TRES};
  for (int i = 0; i < 2; i++) {
    struct tres tres;
    const struct cell *cell = &f->cells[order[i]];
    if (!tres_parse(cell->text, &tres))
      return row_bad(&f->row, order[i], error,
                     "resources like cpu=8,mem=64G,gres/gpu=4,gres/gpu:a100=4 with GPUs from 0 to "
                     "%d",
                     INT32_MAX);
    if (tres.gpus == 0)
      continue;
    job->workers = tres.gpus;
    if (order[i] == REQ_TRES && tres.n_typed > 0)
      job->gpu_types = reader_gpu_types(f->reader, tres.types, strlen(tres.types), '|');
    return HSIM_OK;
  }
  return HSIM_OK;
}

/* ---- jobs ---- */

static const char *why_no_job(const struct sacct_file *f, int workers, double start, double end,
                              double seconds) {
  if (workers == 0)
    return READER_NO_GPUS;
  if (f->has[START] && isnan(start))
    return READER_NOT_STARTED;
  if (f->has[END] && isnan(end))
    return READER_NOT_ENDED;
  if (isnan(seconds))
    return "unknown run time";
  return seconds > 0 ? NULL : READER_NO_RUN_TIME;
}

static enum hsim_status take_job(struct sacct_file *f, struct hsim_error *error) {
  struct hsim_job job = reader_job(&f->row);
  double start = NAN, end = NAN, seconds = NAN;
  enum hsim_status status = row_text(&f->row, f->id, error);
  if (status == HSIM_OK && strchr(f->cells[f->id].text, '.') != NULL) {
    reader_count(f->reader, "job steps", true);
    return HSIM_OK;
  }
  if (status == HSIM_OK)
    status = take_date(f, SUBMIT, &job.arrival_s, error);
  if (status == HSIM_OK && isnan(job.arrival_s))
    return row_bad(&f->row, SUBMIT, error, "a date and time like 2024-03-01T07:01:55");
  if (status == HSIM_OK)
    status = take_date(f, START, &start, error);
  if (status == HSIM_OK)
    status = take_date(f, END, &end, error);
  if (status == HSIM_OK)
    status = take_run(f, start, end, &seconds, error);
  if (status == HSIM_OK)
    status = take_gpus(f, &job, error);
  if (status != HSIM_OK)
    return status;
  const char *why = why_no_job(f, job.workers, start, end, seconds);
  if (why != NULL) {
    reader_leave_out(f->reader, why, job.arrival_s);
    return HSIM_OK;
  }
  status = reader_new_id(f->reader, &f->row, f->id, error);
  if (status != HSIM_OK)
    return status;
  const struct cell *tenant = &f->cells[f->has[ACCOUNT] ? ACCOUNT : USER];
  if (tenant->length > 0)
    job.tenant = names_add(&f->reader->trace->tenants, tenant->text, tenant->length);
  job.steps = -seconds;
  reader_add(f->reader, &job, f->cells[f->id].text, f->cells[f->id].length);
  return HSIM_OK;
}

static enum hsim_status take_line(struct sacct_file *f, struct hsim_error *error) {
  if (f->lines.length == 0)
    return HSIM_OK;
  f->row.line = f->lines.number;
  if (f->column_of == NULL)
    return take_header(f, error);
  f->row.number++;
  enum hsim_status status;
  int n = fields_in(f->lines.text);
  if (n != f->n_fields) {
    status = row_fail(&f->row, error, "a line of %d field%s: expected %d, as in the header", n,
                      n == 1 ? "" : "s", f->n_fields);
  } else {
    char *at = f->lines.text;
    for (int i = 0; i < n; i++) {
      struct cell cell = next_field(&at);
      if (f->column_of[i] >= 0)
        f->cells[f->column_of[i]] = cell;
    }
    status = take_job(f, error);
  }
  return status == HSIM_BAD_INPUT && reader_skip(f->reader, error) ? HSIM_OK : status;
}

enum hsim_status trace_sacct(struct trace_reader *reader, const struct trace_table *none,
                             struct source *source, struct hsim_error *error) {
  (void)none;
  struct sacct_file f = {.reader = reader, .lines = {.source = source}};
  f.row = (struct row){.file = source_name(source), .cells = f.cells, .columns = columns};
  for (int c = 0; c < N_COLUMNS; c++)
    f.cells[c].text = "";
  reader->no_models = true;
  bool more = true;
  enum hsim_status status = HSIM_OK;
  while (status == HSIM_OK && more) {
    status = lines_next(&f.lines, &more, error);
    if (status == HSIM_OK && more)
      status = take_line(&f, error);
  }
  reader->trace->rows = f.row.number;
  if (status == HSIM_OK && f.column_of == NULL)
    status = hsim_fail(error, HSIM_BAD_INPUT, "%s: is empty: expected sacct output",
                       source_name(source));
  lines_free(&f.lines);
  free(f.column_of);
  if (status == HSIM_OK)
    reader_start_at_earliest(reader);
  return status;
}
