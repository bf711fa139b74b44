/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/row.h"
#include "input/source.h"
#include "input/trace_recognise.h"
#include "input/trace_select.h"
#include "input/trace_work.h"
#include "model/memory.h"
#include "model/names.h"

struct trace_options trace_options_default(const char *file) {
  return (struct trace_options){
      .file = file, .elastic = {{1, false}, {1, true}}, .selection = trace_selection_all()};
}

/* ---- arrival order ---- */

struct place {
  double arrival_s;
  int32_t index; /* in row order */
};

static int by_arrival(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  if (x->arrival_s != y->arrival_s)
    return x->arrival_s < y->arrival_s ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_sorted(const struct trace *trace) {
  for (int i = 1; i < trace->n_jobs; i++)
    if (trace->jobs[i].arrival_s < trace->jobs[i - 1].arrival_s)
      return false;
  return true;
}

/* Moves jobs[places[i].index] to i for all i, along the permutation's cycles: a second array of
 * jobs would be most of the program's memory. */
static void move_jobs(struct hsim_job *jobs, struct place *places, int n) {
  for (int i = 0; i < n; i++) {
    if (places[i].index == i)
      continue;
    struct hsim_job first = jobs[i];
    int to = i, from;
    while ((from = places[to].index) != i) {
      jobs[to] = jobs[from];
      places[to].index = to;
      to = from;
    }
    jobs[to] = first;
    places[to].index = to;
  }
}

static void sort_jobs(struct trace *trace) {
  if (is_sorted(trace))
    return;
  struct place *places = mem_alloc((size_t)trace->n_jobs, sizeof *places);
  for (int i = 0; i < trace->n_jobs; i++)
    places[i] = (struct place){trace->jobs[i].arrival_s, i};
  qsort(places, (size_t)trace->n_jobs, sizeof *places, by_arrival);
  move_jobs(trace->jobs, places, trace->n_jobs);
  free(places);
}

static void rebase(struct trace *trace) {
  double first = trace->jobs[0].arrival_s;
  for (int i = 0; i < trace->n_jobs; i++) {
    trace->jobs[i].arrival_s -= first;
    trace->jobs[i].deadline_s -= first; /* NaN stays NaN */
  }
}

/* ---- the whole ---- */

static const char *unit_name(enum time_unit unit) {
  static const char *const names[] = {[UNIT_SECONDS] = "seconds",
                                      [UNIT_MILLISECONDS] = "milliseconds",
                                      [UNIT_MINUTES] = "minutes",
                                      [UNIT_HOURS] = "hours"};
  return names[unit];
}

/* The unit of a format with numbers for times that says nothing of it. */
static enum hsim_status settle_unit(const struct trace_format *format,
                                    const struct trace_options *options, struct trace *trace,
                                    struct hsim_error *error) {
  bool open = format->table != NULL && !format->table->dates;
  if (!open && options->reading.unit != UNIT_BY_FORMAT)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "--time-unit: the format %s fixes its unit: expected no such option",
                     format->name);
  if (open)
    trace->unit = unit_name(options->reading.unit == UNIT_BY_FORMAT ? format->table->unit
                                                                    : options->reading.unit);
  return HSIM_OK;
}

static enum hsim_status read_rows(struct trace_reader *reader, struct source *source,
                                  struct hsim_error *error) {
  const struct trace_options *options = reader->options;
  struct trace_format format;
  enum hsim_status status = options->format != NULL ? format_named(options->format, &format, error)
                                                    : format_recognise(source, &format, error);
  if (status == HSIM_OK)
    status = settle_unit(&format, options, reader->trace, error);
  if (status != HSIM_OK)
    return status;
  reader->trace->format = format.name;
  reader->trace->shake = options->selection.shake;
  size_t lines = source_expected_lines(source);
  reader_expect(reader, lines + lines / 64);
  status = format.read(reader, format.table, source, error);
  if (status != HSIM_OK)
    return status;
  return source_digest(source, reader->trace->sha256, error);
}

static void tell_skipped(const struct trace_reader *reader) {
  const struct trace_options *options = reader->options;
  const struct trace *trace = reader->trace;
  char text[300];
  if (reader->bad_rows == 0 || options->warn == NULL)
    return;
  snprintf(text, sizeof text, "%.200s: %d bad row%s of %d skipped", trace->file, reader->bad_rows,
           reader->bad_rows == 1 ? "" : "s", trace->rows);
  options->warn(options->warn_state, text);
}

/* No row has become a job. */
static enum hsim_status no_job(const struct trace_reader *reader, struct hsim_error *error) {
  const struct trace *trace = reader->trace;
  char text[400];
  size_t used = 0;
  if (trace->rows == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: no job: the header is all there is", trace->file);
  if (reader->bad_rows == trace->rows)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: no job: all %d rows are bad: the first: %s",
                     trace->file, trace->rows, reader->first_bad.text);
  for (int i = 0; i < trace->n_counts && used < sizeof text; i++)
    if (trace->counts[i].skipped)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s: %d", used > 0 ? ", " : "",
                               trace->counts[i].what, trace->counts[i].n);
  return hsim_fail(error, HSIM_BAD_INPUT, "%s: no job: all %d rows are left out (%s)", trace->file,
                   trace->rows, text);
}

static enum hsim_status finish(const struct trace_reader *reader, struct hsim_error *error) {
  struct trace *trace = reader->trace;
  const struct trace_options *options = reader->options;
  if (trace->n_jobs == 0)
    return no_job(reader, error);
  sort_jobs(trace);
  if (reader->no_models)
    work_assign(trace, reader->oracle, options->assign, options->seed);
  enum hsim_status status = trace_select(trace, &options->selection, options->seed, error);
  if (status != HSIM_OK)
    return status;
  if (options->limit > 0 && options->limit < trace->n_jobs)
    trace->n_jobs = options->limit;
  trace->jobs = mem_resize(trace->jobs, (size_t)trace->n_jobs, sizeof *trace->jobs);
  status = trace_shake(trace, options->selection.shake, options->seed, error);
  if (status == HSIM_OK)
    status = work_convert(trace, reader->oracle, options->reference, error);
  if (status == HSIM_OK)
    status = trace_scale(trace, options->selection.scale_arrivals, error);
  if (status == HSIM_OK && options->rebase)
    rebase(trace);
  return status;
}

enum hsim_status trace_read(const struct trace_options *options, const struct hsim_oracle *oracle,
                            struct trace *trace, struct hsim_error *error) {
  struct hsim_error own;
  struct source *source = NULL;
  if (error == NULL)
    error = &own;
  *trace = (struct trace){.file = mem_text(options->file)};
  struct trace_reader reader = {
      .options = options, .oracle = oracle, .trace = trace, .earliest_s = INFINITY};
  enum hsim_status status = source_open(options->file, &source, error);
  if (status == HSIM_OK)
    status = read_rows(&reader, source, error);
  source_close(source);
  free(reader.ids);
  if (status == HSIM_OK) {
    tell_skipped(&reader);
    status = finish(&reader, error);
  }
  if (status != HSIM_OK)
    trace_free(trace);
  return status;
}
