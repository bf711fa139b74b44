/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Standard Workload Format, version 2.2 (Chapin et al., JSSPP 1999; Feitelson, Tsafrir and
 * Krakov, JPDC 2014): comments after a semicolon, 18 numbers a line, -1 for what is not known.
 * Processors are read as GPUs. Submit times are seconds from the log's own start.
 */
#include <string.h>

#include "input/lines.h"
#include "input/trace_reader.h"
#include "model/memory.h"

enum {
  JOB,
  SUBMIT,
  WAIT,
  RUN,
  ALLOCATED,
  CPU_TIME,
  USED_MEMORY,
  REQUESTED,
  REQUESTED_TIME,
  REQUESTED_MEMORY,
  STATE,
  USER,
  GROUP,
  EXECUTABLE,
  QUEUE,
  PARTITION,
  PRECEDING,
  THINK_TIME,
  N_FIELDS
};

static const char *const fields[N_FIELDS] = {"job number",
                                             "submit time",
                                             "wait time",
                                             "run time",
                                             "allocated processors",
                                             "CPU time",
                                             "used memory",
                                             "requested processors",
                                             "requested time",
                                             "requested memory",
                                             "status",
                                             "user",
                                             "group",
                                             "executable",
                                             "queue",
                                             "partition",
                                             "preceding job",
                                             "think time"};

struct swf_file {
  struct trace_reader *reader;
  struct lines lines;
  struct cell cells[N_FIELDS];
  struct row row;
};

/* Cuts the line at its blanks; returns the number of pieces. */
static int split(struct swf_file *f) {
  static const char blanks[] = " \t";
  int n = 0;
  for (char *at = f->lines.text + strspn(f->lines.text, blanks); *at != '\0'; n++) {
    size_t length = strcspn(at, blanks);
    if (n < N_FIELDS)
      f->cells[n] = (struct cell){at, length};
    char *end = at + length;
    at = end + strspn(end, blanks);
    *end = '\0';
  }
  return n;
}

static bool is_unknown(const struct cell *cell) {
  return strcmp(cell->text, "-1") == 0;
}

/* The size of the gang, what was requested, else what it got; 0 when neither is known. */
static enum hsim_status take_processors(struct swf_file *f, int32_t *workers,
                                        struct hsim_error *error) {
  static const int order[] = {REQUESTED, ALLOCATED};
  enum hsim_status status = HSIM_OK;
  *workers = 0;
  for (int i = 0; i < 2 && status == HSIM_OK && *workers == 0; i++)
    if (!is_unknown(&f->cells[order[i]]))
      status = row_int(&f->row, order[i], 0, INT32_MAX, workers, error);
  return status;
}

/* The requested time is what the user thinks the job will run. */
static enum hsim_status take_estimate(struct swf_file *f, double *seconds,
                                      struct hsim_error *error) {
  double requested = 0;
  enum hsim_status status = HSIM_OK;
  if (!is_unknown(&f->cells[REQUESTED_TIME]))
    status = row_time(&f->row, REQUESTED_TIME, &requested, error);
  if (status == HSIM_OK && requested > 0)
    *seconds = requested;
  return status;
}

/* Lines 2, 3 and 4 tell of the parts of a job that was swapped out; a line 0 or 1 tells the whole.
 */
static const char *why_no_job(int32_t state, int32_t workers, bool has_run, double run) {
  if (state >= 2 && state <= 4)
    return "parts of a job of another line";
  if (workers == 0)
    return "unknown number of processors";
  if (!has_run)
    return "unknown run time";
  return run > 0 ? NULL : READER_NO_RUN_TIME;
}

static enum hsim_status take_job(struct swf_file *f, struct hsim_error *error) {
  struct hsim_job job = reader_job(&f->row);
  int64_t number;
  int32_t state = -1;
  double run = 0;
  bool has_run = !is_unknown(&f->cells[RUN]);
  enum hsim_status status = row_whole(&f->row, JOB, 0, INT64_MAX, &number, error);
  if (status == HSIM_OK)
    status = row_time(&f->row, SUBMIT, &job.arrival_s, error);
  if (status == HSIM_OK && has_run)
    status = row_time(&f->row, RUN, &run, error);
  if (status == HSIM_OK)
    status = take_processors(f, &job.workers, error);
  if (status == HSIM_OK)
    status = take_estimate(f, &job.estimate_s, error);
  if (status == HSIM_OK)
    status = row_int(&f->row, STATE, -1, 5, &state, error);
  if (status != HSIM_OK)
    return status;
  const char *why = why_no_job(state, job.workers, has_run, run);
  if (why != NULL) {
    reader_count(f->reader, why, true);
    return HSIM_OK;
  }
  status = reader_new_id(f->reader, &f->row, JOB, error);
  if (status != HSIM_OK)
    return status;
  job.steps = -run;
  const struct cell *user = &f->cells[USER];
  if (!is_unknown(user))
    job.tenant = names_add(&f->reader->trace->tenants, user->text, user->length);
  reader_add(f->reader, &job, f->cells[JOB].text, f->cells[JOB].length);
  return HSIM_OK;
}

static enum hsim_status take_line(struct swf_file *f, struct hsim_error *error) {
  const char *start = f->lines.text + strspn(f->lines.text, " \t");
  if (*start == '\0' || *start == ';')
    return HSIM_OK;
  f->row.line = f->lines.number;
  f->row.number++;
  int n = split(f);
  enum hsim_status status = n == N_FIELDS
                                ? take_job(f, error)
                                : row_fail(&f->row, error,
                                           "a line of %d field%s: expected %d (the Standard "
                                           "Workload Format)",
                                           n, n == 1 ? "" : "s", N_FIELDS);
  return status == HSIM_BAD_INPUT && reader_skip(f->reader, error) ? HSIM_OK : status;
}

enum hsim_status trace_swf(struct trace_reader *reader, const struct trace_table *none,
                           struct source *source, struct hsim_error *error) {
  (void)none;
  struct swf_file f = {.reader = reader, .lines = {.source = source}};
  f.row = (struct row){.file = source_name(source), .cells = f.cells, .columns = fields};
  reader->no_models = true;
  bool more = true;
  enum hsim_status status = HSIM_OK;
  while (status == HSIM_OK && more) {
    status = lines_next(&f.lines, &more, error);
    if (status == HSIM_OK && more)
      status = take_line(&f, error);
  }
  reader->trace->rows = f.row.number;
  lines_free(&f.lines);
  if (status == HSIM_OK && f.row.number == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: no job: expected lines of %d numbers",
                     source_name(source), N_FIELDS);
  return status;
}
