/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Philly trace as one CSV. Its timestamps are local times without a zone; they are read as
 * UTC, so that a change to winter time shows as it does in the file, and become seconds since the
 * earliest one. Jobs have no ids: the number of the data row stands in. gpu_time is num_gpus times
 * duration and not read.
 */
#include "input/csv.h"
#include "input/trace_reader.h"
#include "model/number.h"

enum { TIMESTAMP, DURATION, NUM_GPUS, GPU_TIME, CLUSTER, N_COLUMNS };

static const char *const columns[N_COLUMNS] = {"timestamp", "duration", "num_gpus", "gpu_time",
                                               "cluster"};

static bool two_digits(const char *text, int *value) {
  if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
    return false;
  *value = 10 * (text[0] - '0') + (text[1] - '0');
  return true;
}

static int days_in_month(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

/* Days since 0000-03-01 of the Gregorian calendar: a year that starts in March has its leap day at
 * its end, and its months' lengths follow (153 m + 2) / 5. */
static int64_t day_number(int year, int month, int day) {
  int y = month > 2 ? year : year - 1;
  int m = month > 2 ? month - 3 : month + 9;
  return (int64_t)365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
}

/* "2017-10-09 07:01:55", nothing else. */
static bool parse_timestamp(const struct cell *cell, double *seconds) {
  const char *t = cell->text;
  int century, year, month, day, hour, minute, second;
  if (cell->length != 19 || t[4] != '-' || t[7] != '-' || t[10] != ' ' || t[13] != ':' ||
      t[16] != ':')
    return false;
  if (!two_digits(t, &century) || !two_digits(t + 2, &year) || !two_digits(t + 5, &month) ||
      !two_digits(t + 8, &day) || !two_digits(t + 11, &hour) || !two_digits(t + 14, &minute) ||
      !two_digits(t + 17, &second))
    return false;
  year += 100 * century;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
      hour > 23 || minute > 59 || second > 59)
    return false;
  *seconds = (double)(86400 * day_number(year, month, day) + 3600 * hour + 60 * minute + second);
  return true;
}

static enum hsim_status take_row(void *state, const struct row *row, struct hsim_error *error) {
  struct trace_reader *reader = state;
  struct hsim_job job = reader_job(row);
  if (!parse_timestamp(&row->cells[TIMESTAMP], &job.arrival_s))
    return row_bad(row, TIMESTAMP, error, "a date and time like 2017-10-09 07:01:55");
  enum hsim_status status = row_real(row, DURATION, ROW_POSITIVE, &job.steps, error);
  job.steps = -job.steps;
  if (status == HSIM_OK)
    status = row_int(row, NUM_GPUS, 1, INT32_MAX, &job.workers, error);
  if (status != HSIM_OK)
    return status;
  const struct cell *tenant = &row->cells[CLUSTER];
  if (tenant->length > 0)
    job.tenant = names_add(&reader->trace->tenants, tenant->text, tenant->length);
  char id[NUMBER_SIZE];
  size_t length = number_print(row->number, id);
  reader_add(reader, &job, id, length);
  return HSIM_OK;
}

static bool skip(void *state, const struct hsim_error *error) {
  return reader_skip(state, error);
}

static void start_at_earliest(struct trace *trace) {
  double earliest = trace->n_jobs > 0 ? trace->jobs[0].arrival_s : 0;
  for (int i = 1; i < trace->n_jobs; i++)
    if (trace->jobs[i].arrival_s < earliest)
      earliest = trace->jobs[i].arrival_s;
  for (int i = 0; i < trace->n_jobs; i++)
    trace->jobs[i].arrival_s -= earliest;
}

enum hsim_status trace_philly(struct trace_reader *reader, struct source *source,
                              struct hsim_error *error) {
  const struct csv_table table = {.columns = columns,
                                  .n_columns = N_COLUMNS,
                                  .required = 1 << TIMESTAMP | 1 << DURATION | 1 << NUM_GPUS,
                                  .ignores_x = true,
                                  .what = "a Philly trace",
                                  .row = take_row,
                                  .skip = skip};
  reader->no_models = true;
  enum hsim_status status = csv_read(source, &table, reader, &reader->trace->rows, error);
  if (status == HSIM_OK)
    start_at_earliest(reader->trace);
  return status;
}
