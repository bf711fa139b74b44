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
  bool no_models; /* the file names none */
  int bad_rows;
  struct hsim_error first_bad; /* of them */
  double earliest_s;   /* arrival of a job or of a row left out; infinite before the first */
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

/* The same for an id that is no cell: remembers it, or gives the line of the earlier one. */
bool reader_claim_id(struct trace_reader *reader, const char *id, size_t length, int *line);

/* The model called `name`, which is the cell or a part of it. */
enum hsim_status reader_model(const struct trace_reader *reader, const struct row *row, int column,
                              const char *name, size_t length, int32_t *model,
                              struct hsim_error *error);

/* Counts a row that is no job (`skipped`), or one that became a job in spite of something. `what`
 * is static. */
void reader_count(struct trace_reader *reader, const char *what, bool skipped);

/* A sound row that is no job; it arrives in the log all the same, unless `arrival_s` is NaN. */
void reader_leave_out(struct trace_reader *reader, const char *what, double arrival_s);

/* What --fractional makes of a worker with so many GPUs. */
enum fraction { FRACTION_NONE, FRACTION_ROUNDED, FRACTION_LEFT_OUT, FRACTION_REFUSED };
enum fraction reader_fraction(const struct trace_reader *reader, double gpus);
#define READER_WHOLE_GPUS                                                                          \
  "whole GPUs (--fractional up rounds up, --fractional skip leaves the job out)"
#define READER_PART_OF_GPU "a part of a GPU"
#define READER_ROUNDED_UP "jobs with a part of a GPU, rounded up"
#define READER_BAD_ROW TRACE_BAD_ROWS
#define READER_NO_GPUS "no GPUs"
#define READER_NOT_STARTED "never started"
#define READER_NOT_ENDED "not ended"
#define READER_NO_RUN_TIME "no run time"

/* The bits of GPU type names joined by `separator`. Unlike hsim's own traces, logs use names of
 * their site: a name that neither cluster nor rates know leaves the job free to use any type. */
uint64_t reader_gpu_types(struct trace_reader *reader, const char *names, size_t length,
                          char separator);

/* Arrivals become seconds since the earliest one, of the rows left out too: which they are depends
 * on options. */
void reader_start_at_earliest(struct trace_reader *reader);

/* seconds = value of that unit; exact where the value is. */
double reader_seconds(enum time_unit unit, double value);

/* A bad row: counts and tells it and returns true when it may be skipped. */
bool reader_skip(struct trace_reader *reader, const struct hsim_error *error);

/* One reader a kind of file. `table` is NULL but for the formats of trace_formats.c. */
struct trace_table;
typedef enum hsim_status trace_read_function(struct trace_reader *reader,
                                             const struct trace_table *table, struct source *source,
                                             struct hsim_error *error);
extern const char *const native_columns[];
extern const int n_native_columns;
trace_read_function trace_native, trace_gavel, trace_swf, trace_sacct, trace_philly_log,
    trace_table_read;

#endif
