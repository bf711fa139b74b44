/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/trace_reader.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/memory.h"
#include "model/names.h"

enum { TOLD_BAD_ROWS = 5, FIRST_IDS = 1024, LARGE_BLOCK = 1 << 21, MOST_EXPECTED = 1 << 24 };

struct hsim_job reader_job(const struct row *row) {
  return (struct hsim_job){.weight = 1,
                           .deadline_s = NAN,
                           .estimate_s = NAN,
                           .gpu_types = UINT64_MAX,
                           .model = -1,
                           .tenant = -1,
                           .app = -1,
                           .row = row->number,
                           .line = row->line};
}

/* The range that the row leaves open; what it does give stands. */
static void fill_range(const struct elastic_range *range, struct hsim_job *job) {
  int32_t min, max;
  elastic_apply(range, job->workers, &min, &max);
  if (job->min_workers > 0 && max < job->min_workers)
    max = job->min_workers;
  if (job->max_workers > 0 && min > job->max_workers)
    min = job->max_workers;
  if (job->min_workers == 0)
    job->min_workers = min;
  if (job->max_workers == 0)
    job->max_workers = max;
}

/*
 * Jobs are most of the program's memory. An array that never moves and that has huge pages costs a
 * page fault in 2 MiB, instead of two in 4 KiB: on virtual machines these take longer than reading
 * the rows. The estimate is only a hint, and so is the advice to the kernel.
 */
void reader_expect(struct trace_reader *reader, size_t n) {
  const size_t page = 4096;
  size_t bytes = n * sizeof *reader->trace->jobs;
  if (n > MOST_EXPECTED || bytes < LARGE_BLOCK)
    return;
  reader->trace->jobs = mem_alloc(n, sizeof *reader->trace->jobs);
  reader->jobs_capacity = n;
  char *block = (char *)reader->trace->jobs;
  size_t into_page = (uintptr_t)block & (page - 1);
  madvise(block - into_page, into_page + bytes, MADV_HUGEPAGE);
}

void reader_add(struct trace_reader *reader, const struct hsim_job *job, const char *id,
                size_t id_length) {
  struct trace *trace = reader->trace;
  int n_types = reader->oracle->cluster->n_types;
  uint64_t all = n_types >= 64 ? UINT64_MAX : (UINT64_C(1) << n_types) - 1;
  trace->jobs =
      mem_grow(trace->jobs, (size_t)trace->n_jobs + 1, &reader->jobs_capacity, sizeof *trace->jobs);
  struct hsim_job *added = &trace->jobs[trace->n_jobs++];
  *added = *job;
  added->id = arena_text(&trace->texts, id, id_length);
  added->gpu_types &= all;
  reader->earliest_s = fmin(reader->earliest_s, job->arrival_s);
  fill_range(&reader->options->elastic, added);
}

/* FNV-1a (Fowler, Noll, Vo), folded to the 32 bits that a slot keeps. */
static uint32_t hash_of(const char *text, size_t length) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return (uint32_t)(hash ^ (hash >> 32));
}

static void grow_ids(struct trace_reader *reader) {
  size_t old_size = reader->ids_size;
  struct id_slot *old = reader->ids;
  reader->ids_size = old_size == 0 ? FIRST_IDS : 2 * old_size;
  reader->ids = mem_alloc(reader->ids_size, sizeof *reader->ids);
  for (size_t i = 0; i < reader->ids_size; i++)
    reader->ids[i].job = -1;
  for (size_t i = 0; i < old_size; i++) {
    if (old[i].job < 0)
      continue;
    size_t slot = old[i].hash & (reader->ids_size - 1);
    while (reader->ids[slot].job >= 0)
      slot = (slot + 1) & (reader->ids_size - 1);
    reader->ids[slot] = old[i];
  }
  free(old);
}

bool reader_claim_id(struct trace_reader *reader, const char *id, size_t length, int *line) {
  const struct trace *trace = reader->trace;
  if (2 * ((size_t)trace->n_jobs + 1) > reader->ids_size)
    grow_ids(reader);
  uint32_t hash = hash_of(id, length);
  size_t slot = hash & (reader->ids_size - 1);
  for (; reader->ids[slot].job >= 0; slot = (slot + 1) & (reader->ids_size - 1)) {
    const struct id_slot *other = &reader->ids[slot];
    if (other->hash == hash && strcmp(trace->jobs[other->job].id, id) == 0) {
      *line = trace->jobs[other->job].line;
      return false;
    }
  }
  reader->ids[slot] = (struct id_slot){hash, trace->n_jobs};
  return true;
}

enum hsim_status reader_new_id(struct trace_reader *reader, const struct row *row, int column,
                               struct hsim_error *error) {
  const struct cell *id = &row->cells[column];
  int line;
  if (!reader_claim_id(reader, id->text, id->length, &line))
    return row_bad(row, column, error, "an id of its own; line %d has the same", line);
  return HSIM_OK;
}

enum hsim_status reader_model(const struct trace_reader *reader, const struct row *row, int column,
                              const char *name, size_t length, int32_t *model,
                              struct hsim_error *error) {
  const struct names *models = &reader->oracle->rates->models;
  *model = names_find(models, name, length);
  if (*model >= 0)
    return HSIM_OK;
  char shown[QUOTE_SIZE + 8] = "", wrong[QUOTE_SIZE], hint[HINT_SIZE];
  snprintf(wrong, sizeof wrong, "%.*s", (int)(length < sizeof wrong ? length : sizeof wrong), name);
  if (length != row->cells[column].length) /* a part of the cell, which stands before it */
    snprintf(shown, sizeof shown, "; not \"%.90s\"", wrong);
  return row_bad(row, column, error, "a model of the rates table%s%s", shown,
                 hint_near(hint, (const char *const *)models->at, (size_t)models->n, wrong));
}

/* ---- what hsim does not have ---- */

enum fraction reader_fraction(const struct trace_reader *reader, double gpus) {
  if (gpus == floor(gpus))
    return FRACTION_NONE;
  switch (reader->options->reading.fractional) {
  case FRACTIONAL_UP:
    return FRACTION_ROUNDED;
  case FRACTIONAL_SKIP:
    return FRACTION_LEFT_OUT;
  case FRACTIONAL_ERROR:
    break;
  }
  return FRACTION_REFUSED;
}

uint64_t reader_gpu_types(struct trace_reader *reader, const char *names, size_t length,
                          char separator) {
  const struct hsim_cluster *cluster = reader->oracle->cluster;
  uint64_t types = 0;
  for (const char *end = names + length; names <= end;) {
    const char *stop = memchr(names, separator, (size_t)(end - names));
    size_t n = (size_t)((stop == NULL ? end : stop) - names);
    uint64_t bit = 0;
    for (int t = 0; t < cluster->n_types; t++)
      if (strlen(cluster->type_names[t]) == n && memcmp(cluster->type_names[t], names, n) == 0)
        bit = UINT64_C(1) << t;
    if (bit == 0 && names_find(&reader->oracle->rates->types, names, n) < 0) {
      reader_count(reader, "jobs whose GPU type is in neither cluster nor rates: may use any",
                   false);
      return UINT64_MAX;
    }
    types |= bit;
    names += n + 1;
  }
  return types;
}

void reader_start_at_earliest(struct trace_reader *reader) {
  struct trace *trace = reader->trace;
  for (int i = 0; i < trace->n_jobs; i++)
    trace->jobs[i].arrival_s -= reader->earliest_s;
}

double reader_seconds(enum time_unit unit, double value) {
  switch (unit) {
  case UNIT_MILLISECONDS:
    return value / 1000;
  case UNIT_MINUTES:
    return value * 60;
  case UNIT_HOURS:
    return value * 3600;
  case UNIT_SECONDS:
  case UNIT_BY_FORMAT:
    break;
  }
  return value;
}

/* ---- rows that are no jobs ---- */

void reader_count(struct trace_reader *reader, const char *what, bool skipped) {
  struct trace *trace = reader->trace;
  trace->skipped_rows += skipped;
  for (int i = 0; i < trace->n_counts; i++)
    if (strcmp(trace->counts[i].what, what) == 0) {
      trace->counts[i].n++;
      return;
    }
  assert(trace->n_counts < TRACE_MOST_COUNTS);
  trace->counts[trace->n_counts++] = (struct trace_count){what, 1, skipped};
}

void reader_leave_out(struct trace_reader *reader, const char *what, double arrival_s) {
  reader_count(reader, what, true);
  reader->earliest_s = fmin(reader->earliest_s, arrival_s);
}

bool reader_skip(struct trace_reader *reader, const struct hsim_error *error) {
  if (!reader->options->skip_bad_rows)
    return false;
  if (reader->bad_rows == 0)
    reader->first_bad = *error;
  reader_count(reader, READER_BAD_ROW, true);
  if (reader->options->bad_row != NULL)
    reader->options->bad_row(reader->options->bad_row_state, error->text);
  if (++reader->bad_rows <= TOLD_BAD_ROWS && reader->options->warn != NULL)
    reader->options->warn(reader->options->warn_state, error->text);
  return true;
}
