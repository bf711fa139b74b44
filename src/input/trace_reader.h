/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the trace formats share; only they and trace.c include it. */
#ifndef HSIM_INPUT_TRACE_READER_H
#define HSIM_INPUT_TRACE_READER_H

#include "input/row.h"
#include "input/source.h"
#include "input/trace.h"

struct id_slot {
  uint32_t hash;
  int32_t job; /* index in row order, -1 when empty */
};

struct trace_reader {
  const struct trace_options *options;
  const struct hsim_oracle *oracle;
  struct trace *trace; /* jobs in row order, models and durations as the file states them */
  size_t jobs_capacity;
  bool no_models;      /* the file names none */
  struct id_slot *ids; /* open addressing */
  size_t ids_size;
};

/*
 * A format fills a job in from reader_job and hands it to reader_add. Until all jobs are there,
 * `model` is -1 where the trace names none, and a duration stands in `steps` as a negative number,
 * since its rate depends on the model; min_workers and max_workers are 0 where the trace gives
 * none.
 */
void reader_expect(struct trace_reader *reader, size_t n); /* before the first: about n will come */
struct hsim_job reader_job(const struct row *row);
void reader_add(struct trace_reader *reader, const struct hsim_job *job, const char *id,
                size_t id_length);

/* Refuses an id that an earlier row has, else remembers it for the job that is added next. */
enum hsim_status reader_new_id(struct trace_reader *reader, const struct row *row, int column,
                               struct hsim_error *error);

/* The model called `name`, which is the cell or a part of it. */
enum hsim_status reader_model(const struct trace_reader *reader, const struct row *row, int column,
                              const char *name, size_t length, int32_t *model,
                              struct hsim_error *error);

/* A bad row: counts and tells it and returns true when it may be skipped. */
bool reader_skip(struct trace_reader *reader, const struct hsim_error *error);

enum hsim_status trace_native(struct trace_reader *reader, struct source *source,
                              struct hsim_error *error);
enum hsim_status trace_philly(struct trace_reader *reader, struct source *source,
                              struct hsim_error *error);
enum hsim_status trace_gavel(struct trace_reader *reader, struct source *source,
                             struct hsim_error *error);

#endif
