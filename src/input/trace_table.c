/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/trace_table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/csv.h"
#include "model/memory.h"
#include "model/number.h"

enum { MOST_GPU_COLUMNS = 2 };

struct table_reader {
  struct trace_reader *reader;
  const struct trace_table *table;
  enum time_unit unit;
  int column[N_ROLES]; /* of each role but ROLE_GPUS, -1: the table has none */
  int gpus[MOST_GPU_COLUMNS];
  int n_gpus;
  char *id; /* of a part */
  size_t id_capacity;
};

/* One row on its way to a job. */
struct table_row {
  struct table_reader *t;
  const struct row *row;
  struct hsim_job job;
  double seconds;       /* it ran */
  const char *left_out; /* why it is no job, the first reason found */
  bool rounded;
};

/* ---- cells ---- */

/* Whether the cell stands for nothing. */
static bool is_none(const struct table_column *column, const struct cell *cell) {
  for (const char *at = column->none; at != NULL;) {
    size_t length = strcspn(at, "|");
    if (length == cell->length && memcmp(at, cell->text, length) == 0)
      return true;
    at = at[length] == '|' ? at + length + 1 : NULL;
  }
  return false;
}

static void leave_out(struct table_row *r, const char *why) {
  if (r->left_out == NULL)
    r->left_out = why;
}

/* False when there is nothing to read; what that means for the row is done. */
static bool has_value(struct table_row *r, int column) {
  if (column < 0)
    return false;
  const struct table_column *c = &r->t->table->columns[column];
  bool none = is_none(c, &r->row->cells[column]);
  if (none)
    leave_out(r, c->none_what);
  return !none;
}

static enum hsim_status bad_date(const struct row *row, int column, enum timestamp_status status,
                                 struct hsim_error *error) {
  if (status == TIMESTAMP_SKIPPED)
    return row_bad(row, column, error,
                   "a local time that exists: the clock passed over it (--time-zone)");
  return row_bad(row, column, error, "a date and time like 2017-10-09 07:01:55");
}

/* A time in seconds, NaN when the cell has none. */
static enum hsim_status take_time(struct table_row *r, enum column_role role, double *seconds,
                                  struct hsim_error *error) {
  int column = r->t->column[role];
  *seconds = NAN;
  if (!has_value(r, column))
    return HSIM_OK;
  const struct cell *cell = &r->row->cells[column];
  if (r->t->table->dates) {
    enum timestamp_status status =
        timestamp_parse(cell->text, cell->length, &r->t->reader->options->reading.zone, seconds);
    return status == TIMESTAMP_OK ? HSIM_OK : bad_date(r->row, column, status, error);
  }
  enum hsim_status status = row_real(r->row, column, ROW_NOT_NEGATIVE, seconds, error);
  *seconds = reader_seconds(r->t->unit, *seconds);
  if (status == HSIM_OK && *seconds > TRACE_LATEST_S)
    return row_bad(r->row, column, error, "at most 1e12 seconds");
  return status;
}

static enum hsim_status take_duration(struct table_row *r, int column, struct hsim_error *error) {
  const char *zero_what = r->t->table->columns[column].zero_what;
  r->seconds = NAN;
  if (!has_value(r, column))
    return HSIM_OK;
  enum row_bound bound = zero_what == NULL ? ROW_POSITIVE : ROW_NOT_NEGATIVE;
  enum hsim_status status = row_real(r->row, column, bound, &r->seconds, error);
  r->seconds = reader_seconds(r->t->unit, r->seconds);
  if (status == HSIM_OK && r->seconds > TRACE_LATEST_S)
    return row_bad(r->row, column, error, "at most 1e12 seconds");
  if (status == HSIM_OK && !(r->seconds > 0))
    leave_out(r, zero_what);
  return status;
}

static enum hsim_status take_span(struct table_row *r, struct hsim_error *error) {
  double start = NAN, end = NAN;
  enum hsim_status status = take_time(r, ROLE_START, &start, error);
  if (status == HSIM_OK)
    status = take_time(r, ROLE_END, &end, error);
  if (status != HSIM_OK || isnan(start) || isnan(end))
    return status;
  int from = r->t->column[ROLE_START], to = r->t->column[ROLE_END];
  const char *from_text = r->row->cells[from].text;
  bool late = end < start && r->t->table->dates &&
              timestamp_reorder(from_text, r->row->cells[to].text,
                                &r->t->reader->options->reading.zone, &start, &end);
  if (end < start && !late)
    return row_bad(r->row, to, error, "no earlier time than %s; it is \"%.40s\"",
                   r->row->columns[from], from_text);
  r->seconds = end - start;
  if (!(r->seconds > 0))
    leave_out(r, READER_NO_RUN_TIME);
  return HSIM_OK;
}

static enum hsim_status take_times(struct table_row *r, struct hsim_error *error) {
  enum hsim_status status = take_time(r, ROLE_SUBMIT, &r->job.arrival_s, error);
  if (status != HSIM_OK)
    return status;
  if (r->t->column[ROLE_SUBMIT] < 0) /* the table knows no submission: the start stands in */
    status = take_time(r, ROLE_START, &r->job.arrival_s, error);
  if (status != HSIM_OK)
    return status;
  if (r->t->column[ROLE_DURATION] >= 0)
    return take_duration(r, r->t->column[ROLE_DURATION], error);
  return take_span(r, error);
}

/* ---- GPUs ---- */

/* Leaves *gpus when the cell has none. */
static enum hsim_status take_gpus(struct table_row *r, int column, double *gpus,
                                  struct hsim_error *error) {
  const struct table_column *c = &r->t->table->columns[column];
  double value = 0;
  enum hsim_status status = HSIM_OK;
  if (!has_value(r, column))
    return HSIM_OK;
  if (c->per > 0) {
    status = row_real(r->row, column, c->zero_what == NULL ? ROW_POSITIVE : ROW_NOT_NEGATIVE,
                      &value, error);
    value /= c->per;
  } else {
    int32_t whole = 0;
    status = row_int(r->row, column, c->zero_what == NULL, INT32_MAX, &whole, error);
    value = whole;
  }
  if (status == HSIM_OK && value == 0)
    leave_out(r, c->zero_what);
  *gpus = value;
  return status;
}

static enum hsim_status round_gpus(struct table_row *r, int column, double *gpus,
                                   struct hsim_error *error) {
  switch (reader_fraction(r->t->reader, *gpus)) {
  case FRACTION_REFUSED:
    return row_bad(r->row, column, error, READER_WHOLE_GPUS);
  case FRACTION_LEFT_OUT:
    leave_out(r, READER_PART_OF_GPU);
    break;
  case FRACTION_ROUNDED:
    r->rounded = true;
    break;
  case FRACTION_NONE:
    break;
  }
  *gpus = ceil(*gpus);
  return HSIM_OK;
}

static enum hsim_status take_gang(struct table_row *r, struct hsim_error *error) {
  double gpus[MOST_GPU_COLUMNS] = {1, 1}, instances = 1;
  enum hsim_status status = HSIM_OK;
  int column = r->t->column[ROLE_INSTANCES];
  for (int i = 0; i < r->t->n_gpus && status == HSIM_OK; i++)
    status = take_gpus(r, r->t->gpus[i], &gpus[i], error);
  if (status == HSIM_OK && has_value(r, column)) {
    status = row_real(r->row, column, ROW_POSITIVE, &instances, error);
    if (status == HSIM_OK && instances != floor(instances))
      return row_bad(r->row, column, error, "a whole number of at least 1");
  }
  for (int i = 0; i < r->t->n_gpus && status == HSIM_OK && r->left_out == NULL; i++)
    status = round_gpus(r, r->t->gpus[i], &gpus[i], error);
  double all = gpus[0] * gpus[1] * instances;
  if (status == HSIM_OK && all > INT32_MAX)
    return row_bad(r->row, r->t->gpus[r->t->n_gpus - 1], error, "at most %d GPUs in all",
                   INT32_MAX);
  if (status == HSIM_OK)
    r->job.workers = (int32_t)all;
  return status;
}

/* ---- rows ---- */

/* The id as the trace gives it, or of a part, or made from the row's number. */
static enum hsim_status take_id(struct table_row *r, const char **id, size_t *length,
                                char number[NUMBER_SIZE], struct hsim_error *error) {
  struct table_reader *t = r->t;
  int column = t->column[ROLE_ID], part = t->column[ROLE_PART], line;
  if (column < 0) {
    *id = number;
    *length = number_print(r->row->number, number);
    return HSIM_OK;
  }
  const struct cell *cell = &r->row->cells[column];
  *id = cell->text;
  *length = cell->length;
  if (part < 0)
    return reader_new_id(t->reader, r->row, column, error);
  const struct cell *behind = &r->row->cells[part];
  *length = cell->length + 1 + behind->length;
  t->id = mem_grow(t->id, *length + 1, &t->id_capacity, 1);
  memcpy(t->id, cell->text, cell->length);
  t->id[cell->length] = '/';
  memcpy(t->id + cell->length + 1, behind->text, behind->length + 1);
  *id = t->id;
  if (!reader_claim_id(t->reader, *id, *length, &line))
    return row_bad(r->row, part, error,
                   "a name of its own within %s; line %d has the same for \"%.60s\"",
                   r->row->columns[column], line, cell->text);
  return HSIM_OK;
}

static enum hsim_status add_job(struct table_row *r, struct hsim_error *error) {
  struct table_reader *t = r->t;
  struct trace *trace = t->reader->trace;
  const struct cell *cells = r->row->cells;
  const char *id;
  char number[NUMBER_SIZE];
  size_t length;
  enum hsim_status status = take_id(r, &id, &length, number, error);
  if (status != HSIM_OK)
    return status;
  int tenant = t->column[ROLE_TENANT], type = t->column[ROLE_GPU_TYPE];
  if (tenant >= 0 && cells[tenant].length > 0)
    r->job.tenant = names_add(&trace->tenants, cells[tenant].text, cells[tenant].length);
  if (type >= 0 && cells[type].length > 0)
    r->job.gpu_types = reader_gpu_types(t->reader, cells[type].text, cells[type].length, '|');
  if (t->column[ROLE_PART] >= 0) {
    const struct cell *app = &cells[t->column[ROLE_ID]];
    r->job.app = names_add(&trace->apps, app->text, app->length);
  }
  if (r->rounded)
    reader_count(t->reader, READER_ROUNDED_UP, false);
  r->job.steps = -r->seconds;
  reader_add(t->reader, &r->job, id, length);
  return HSIM_OK;
}

/* All cells are checked before the row is left out: what is wrong with it is wrong all the same. */
static enum hsim_status take_row(void *state, const struct row *row, struct hsim_error *error) {
  struct table_reader *t = state;
  struct table_row r = {.t = t, .row = row, .job = reader_job(row)};
  enum hsim_status status = HSIM_OK;
  if (t->column[ROLE_ID] >= 0)
    status = row_text(row, t->column[ROLE_ID], error);
  if (status == HSIM_OK)
    status = take_gang(&r, error);
  if (status == HSIM_OK)
    status = take_times(&r, error);
  if (status == HSIM_OK && r.left_out != NULL)
    reader_leave_out(t->reader, r.left_out, r.job.arrival_s);
  else if (status == HSIM_OK)
    status = add_job(&r, error);
  return status;
}

static bool skip(void *state, const struct hsim_error *error) {
  struct table_reader *t = state;
  return reader_skip(t->reader, error);
}

/* ---- files ---- */

static void find_roles(struct table_reader *t) {
  for (int role = 0; role < N_ROLES; role++)
    t->column[role] = -1;
  for (int c = 0; c < t->table->n_columns; c++) {
    enum column_role role = t->table->columns[c].role;
    if (role == ROLE_GPUS) {
      assert(t->n_gpus < MOST_GPU_COLUMNS);
      t->gpus[t->n_gpus++] = c;
    } else {
      t->column[role] = c;
    }
  }
}

enum hsim_status trace_table_read(struct trace_reader *reader, const struct trace_table *table,
                                  struct source *source, struct hsim_error *error) {
  const char *names[TABLE_MOST_COLUMNS];
  struct table_reader t = {.reader = reader, .table = table, .unit = reader->options->reading.unit};
  struct csv_table csv = {.columns = names,
                          .n_columns = table->n_columns,
                          .headerless = table->headerless,
                          .ignores_x = true,
                          .what = table->what,
                          .row = take_row,
                          .skip = skip};
  assert(table->n_columns <= TABLE_MOST_COLUMNS);
  for (int c = 0; c < table->n_columns; c++) {
    names[c] = table->columns[c].name;
    csv.required |= (uint64_t)table->columns[c].required << c;
  }
  if (t.unit == UNIT_BY_FORMAT)
    t.unit = table->unit;
  find_roles(&t);
  reader->no_models = true;
  enum hsim_status status = csv_read(source, &csv, &t, &reader->trace->rows, error);
  if (status == HSIM_OK && table->dates)
    reader_start_at_earliest(reader);
  free(t.id);
  return status;
}
