/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/trace_reader.h"

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

enum hsim_status reader_new_id(struct trace_reader *reader, const struct row *row, int column,
                               struct hsim_error *error) {
  const struct cell *id = &row->cells[column];
  const struct trace *trace = reader->trace;
  if (2 * ((size_t)trace->n_jobs + 1) > reader->ids_size)
    grow_ids(reader);
  uint32_t hash = hash_of(id->text, id->length);
  size_t slot = hash & (reader->ids_size - 1);
  for (; reader->ids[slot].job >= 0; slot = (slot + 1) & (reader->ids_size - 1)) {
    const struct id_slot *other = &reader->ids[slot];
    if (other->hash == hash && strcmp(trace->jobs[other->job].id, id->text) == 0)
      return row_bad(row, column, error, "an id of its own; line %d has the same",
                     trace->jobs[other->job].line);
  }
  reader->ids[slot] = (struct id_slot){hash, trace->n_jobs};
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
    snprintf(shown, sizeof shown, ", not \"%.90s\"", wrong);
  return row_bad(row, column, error, "a model of the rates table%s%s", shown,
                 hint_near(hint, (const char *const *)models->at, (size_t)models->n, wrong));
}

bool reader_skip(struct trace_reader *reader, const struct hsim_error *error) {
  if (!reader->options->skip_bad_rows)
    return false;
  reader->trace->skipped_rows++;
  if (reader->options->bad_row != NULL)
    reader->options->bad_row(reader->options->bad_row_state, error->text);
  if (reader->trace->skipped_rows <= TOLD_BAD_ROWS && reader->options->warn != NULL)
    reader->options->warn(reader->options->warn_state, error->text);
  return true;
}
