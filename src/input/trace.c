/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/row.h"
#include "input/source.h"
#include "input/trace_reader.h"
#include "input/trace_select.h"
#include "input/trace_work.h"
#include "model/memory.h"
#include "model/names.h"

struct trace_options trace_options_default(const char *file) {
  return (struct trace_options){
      .file = file, .elastic = {{1, false}, {1, true}}, .selection = trace_selection_all()};
}

/* ---- formats ---- */

struct trace_format {
  const char *name;
  enum hsim_status (*read)(struct trace_reader *reader, struct source *source,
                           struct hsim_error *error);
};
static const struct trace_format formats[] = {
    {"native", trace_native}, {"philly", trace_philly}, {"gavel", trace_gavel}};
enum { NATIVE, PHILLY, GAVEL, N_FORMATS };

#define KNOWN_FORMATS                                                                              \
  "native (CSV with the header job_id, arrival_s, model, workers, and steps or duration_s), "      \
  "philly (CSV with the header timestamp,duration,num_gpus,gpu_time,cluster), "                    \
  "gavel (7, 10 or 12 tab-separated columns, no header)"

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

/* How many of the names stand between the line's commas, quoted or not. */
static int names_among(const struct first_line *line, const char *const *names, int n) {
  int found = 0;
  for (const char *at = line->text, *end = at + line->length; at < end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    const char *next = comma == NULL ? end : comma + 1;
    size_t length = (size_t)((comma == NULL ? end : comma) - at);
    if (length >= 2 && at[0] == '"' && at[length - 1] == '"') {
      at++;
      length -= 2;
    }
    for (int i = 0; i < n; i++)
      found += strlen(names[i]) == length && memcmp(names[i], at, length) == 0;
    at = next;
  }
  return found;
}

static int count(const struct first_line *line, char c) {
  int n = 0;
  for (size_t i = 0; i < line->length; i++)
    n += line->text[i] == c;
  return n;
}

/* Two of the names are enough for a header: what is wrong with it is then told by its reader. */
static enum hsim_status recognise(const struct source *source, int *format,
                                  struct hsim_error *error) {
  static const char *const native[] = {"job_id",  "arrival_s", "model",
                                       "workers", "steps",     "duration_s"};
  static const char *const philly[] = {"timestamp", "num_gpus", "gpu_time"};
  struct first_line line = first_line(source);
  char shown[QUOTE_SIZE];
  int tabs = count(&line, '\t');
  if (line.length == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: is empty: expected a job trace",
                     source_name(source));
  if (tabs == 6 || tabs == 9 || tabs == 11)
    *format = GAVEL;
  else if (names_among(&line, philly, 3) >= 2)
    *format = PHILLY;
  else if (names_among(&line, native, 6) >= 2)
    *format = NATIVE;
  else
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "%s:%d: unknown trace format: a line of %d %s-separated columns, %s; known "
                     "are " KNOWN_FORMATS,
                     source_name(source), line.number, 1 + (tabs > 0 ? tabs : count(&line, ',')),
                     tabs > 0 ? "tab" : "comma", quoted(shown, line.text, line.length));
  return HSIM_OK;
}

static enum hsim_status find_format(const char *name, int *format, struct hsim_error *error) {
  const char *names[N_FORMATS];
  char hint[HINT_SIZE], shown[QUOTE_SIZE];
  for (int i = 0; i < N_FORMATS; i++) {
    names[i] = formats[i].name;
    if (strcmp(name, names[i]) == 0) {
      *format = i;
      return HSIM_OK;
    }
  }
  return hsim_fail(error, HSIM_BAD_USAGE, "trace format %s: expected native, philly or gavel%s",
                   quoted(shown, name, strlen(name)), hint_near(hint, names, N_FORMATS, name));
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

static enum hsim_status read_rows(struct trace_reader *reader, struct source *source,
                                  struct hsim_error *error) {
  int format = NATIVE;
  enum hsim_status status = reader->options->format != NULL
                                ? find_format(reader->options->format, &format, error)
                                : recognise(source, &format, error);
  if (status != HSIM_OK)
    return status;
  reader->trace->format = formats[format].name;
  size_t lines = source_expected_lines(source);
  reader_expect(reader, lines + lines / 64);
  status = formats[format].read(reader, source, error);
  if (status != HSIM_OK)
    return status;
  return source_digest(source, reader->trace->sha256, error);
}

static void tell_skipped(const struct trace_options *options, const struct trace *trace) {
  char text[300];
  if (trace->skipped_rows == 0 || options->warn == NULL)
    return;
  snprintf(text, sizeof text, "%.200s: %d bad row%s of %d skipped", trace->file,
           trace->skipped_rows, trace->skipped_rows == 1 ? "" : "s", trace->rows);
  options->warn(options->warn_state, text);
}

static enum hsim_status finish(const struct trace_reader *reader, struct hsim_error *error) {
  struct trace *trace = reader->trace;
  const struct trace_options *options = reader->options;
  if (trace->n_jobs == 0 && trace->rows == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: no job: the header is all there is", trace->file);
  if (trace->n_jobs == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: no job: all %d rows are bad", trace->file,
                     trace->rows);
  sort_jobs(trace);
  if (reader->no_models)
    work_assign(trace, reader->oracle, options->assign, options->seed);
  enum hsim_status status = trace_select(trace, &options->selection, options->seed, error);
  if (status != HSIM_OK)
    return status;
  if (options->limit > 0 && options->limit < trace->n_jobs)
    trace->n_jobs = options->limit;
  trace->jobs = mem_resize(trace->jobs, (size_t)trace->n_jobs, sizeof *trace->jobs);
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
  struct trace_reader reader = {.options = options, .oracle = oracle, .trace = trace};
  enum hsim_status status = source_open(options->file, &source, error);
  if (status == HSIM_OK)
    status = read_rows(&reader, source, error);
  source_close(source);
  free(reader.ids);
  if (status == HSIM_OK) {
    tell_skipped(options, trace);
    status = finish(&reader, error);
  }
  if (status != HSIM_OK)
    trace_free(trace);
  return status;
}
