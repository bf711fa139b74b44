/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hsim's own CSV. */
#include <stdio.h>
#include <string.h>

#include "input/csv.h"
#include "input/trace_reader.h"
#include "model/memory.h"
#include "model/number.h"

enum {
  JOB_ID,
  ARRIVAL,
  MODEL,
  WORKERS,
  STEPS,
  DURATION,
  MIN_WORKERS,
  MAX_WORKERS,
  GPU_TYPES,
  EPOCHS,
  WEIGHT,
  PRIORITY,
  TENANT,
  APP,
  DEADLINE,
  ESTIMATE,
  PHASES,
  N_COLUMNS
};

const char *const native_columns[N_COLUMNS] = {
    "job_id",      "arrival_s",   "model",      "workers",    "steps",  "duration_s",
    "min_workers", "max_workers", "gpu_types",  "epochs",     "weight", "priority",
    "tenant",      "app",         "deadline_s", "estimate_s", "phases"};

const int n_native_columns = N_COLUMNS;

#define BIT(column) (UINT64_C(1) << (column))

static enum hsim_status check_header(void *state, const struct row *row, uint64_t has,
                                     struct hsim_error *error) {
  struct trace_reader *reader = state;
  reader->no_models = (has & BIT(MODEL)) == 0;
  if ((has & (BIT(STEPS) | BIT(DURATION))) == 0)
    return row_fail(row, error,
                    "a native trace needs the column steps or duration_s; the header has neither");
  if (reader->no_models && (has & BIT(PHASES)) != 0)
    return row_fail(row, error, "the column phases needs the column model");
  return HSIM_OK;
}

static enum hsim_status take_essentials(struct trace_reader *reader, const struct row *row,
                                        struct hsim_job *job, struct hsim_error *error) {
  enum hsim_status status = row_text(row, JOB_ID, error);
  if (status == HSIM_OK)
    status = row_time(row, ARRIVAL, &job->arrival_s, error);
  if (status == HSIM_OK && !reader->no_models)
    status = reader_model(reader, row, MODEL, row->cells[MODEL].text, row->cells[MODEL].length,
                          &job->model, error);
  if (status == HSIM_OK)
    status = row_int(row, WORKERS, 1, INT32_MAX, &job->workers, error);
  return status;
}

static enum hsim_status take_work(struct trace_reader *reader, const struct row *row,
                                  struct hsim_job *job, struct hsim_error *error) {
  bool steps = row_has(row, STEPS), duration = row_has(row, DURATION);
  if (steps && duration)
    return row_bad(row, DURATION, error,
                   "it to be empty, since steps is filled in; it is \"%.40s\"",
                   row->cells[STEPS].text);
  if (!steps && !duration)
    return row_fail(row, error,
                    "columns steps and duration_s: both are empty: expected one of "
                    "them to be filled in");
  if (steps) {
    if (reader->no_models && reader->options->assign == ASSIGN_HADAR)
      return row_bad(row, DURATION, error,
                     "a duration: the trace names no model, and the rule hadar chooses one by "
                     "GPU-hours");
    return row_real(row, STEPS, ROW_POSITIVE, &job->steps, error);
  }
  enum hsim_status status = row_real(row, DURATION, ROW_POSITIVE, &job->steps, error);
  if (status == HSIM_OK && job->steps > TRACE_LATEST_S)
    return row_bad(row, DURATION, error, "at most 1e12 seconds");
  job->steps = -job->steps;
  return status;
}

static enum hsim_status take_range(const struct row *row, struct hsim_job *job,
                                   struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  if (row_has(row, MIN_WORKERS))
    status = row_int(row, MIN_WORKERS, 1, INT32_MAX, &job->min_workers, error);
  if (status == HSIM_OK && row_has(row, MAX_WORKERS))
    status = row_int(row, MAX_WORKERS, 1, INT32_MAX, &job->max_workers, error);
  if (status == HSIM_OK && job->max_workers > 0 && job->min_workers > job->max_workers)
    return row_bad(row, MIN_WORKERS, error, "at most max_workers; it is %d", job->max_workers);
  return status;
}

static enum hsim_status take_numbers(const struct row *row, struct hsim_job *job,
                                     struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  if (row_has(row, EPOCHS))
    status = row_int(row, EPOCHS, 1, INT32_MAX, &job->epochs, error);
  if (status == HSIM_OK && row_has(row, WEIGHT))
    status = row_real(row, WEIGHT, ROW_POSITIVE, &job->weight, error);
  if (status == HSIM_OK && row_has(row, PRIORITY))
    status = row_real(row, PRIORITY, ROW_ANY, &job->priority, error);
  if (status == HSIM_OK && row_has(row, DEADLINE))
    status = row_real(row, DEADLINE, ROW_NOT_NEGATIVE, &job->deadline_s, error);
  if (status == HSIM_OK && row_has(row, ESTIMATE))
    status = row_real(row, ESTIMATE, ROW_POSITIVE, &job->estimate_s, error);
  return status;
}

/* The bit of a type in the cluster's numbering; false when neither cluster nor rates know it. */
static bool type_bit(const struct hsim_oracle *oracle, const char *name, size_t length,
                     uint64_t *bit) {
  const struct hsim_cluster *cluster = oracle->cluster;
  *bit = 0;
  for (int t = 0; t < cluster->n_types; t++)
    if (strlen(cluster->type_names[t]) == length &&
        memcmp(cluster->type_names[t], name, length) == 0)
      *bit = BIT(t);
  return *bit != 0 || names_find(&oracle->rates->types, name, length) >= 0;
}

static enum hsim_status take_types(struct trace_reader *reader, const struct row *row,
                                   struct hsim_job *job, struct hsim_error *error) {
  if (!row_has(row, GPU_TYPES))
    return HSIM_OK;
  const struct names *types = &reader->oracle->rates->types;
  job->gpu_types = 0;
  for (const char *name = row->cells[GPU_TYPES].text;;) {
    size_t length = strcspn(name, " ");
    uint64_t bit;
    if (length == 0)
      return row_bad(row, GPU_TYPES, error, "names of GPU types with one blank between them");
    if (!type_bit(reader->oracle, name, length, &bit)) {
      char wrong[QUOTE_SIZE], hint[HINT_SIZE];
      snprintf(wrong, sizeof wrong, "%.*s", (int)(length < 80 ? length : 80), name);
      return row_bad(row, GPU_TYPES, error, "GPU types of the rates table; not \"%s\"%s", wrong,
                     hint_near(hint, (const char *const *)types->at, (size_t)types->n, wrong));
    }
    job->gpu_types |= bit;
    if (name[length] == '\0')
      return HSIM_OK;
    name += length + 1;
  }
}

/* One STEP:MODEL of `length` bytes; the name may hold further colons. */
static enum hsim_status take_phase(struct trace_reader *reader, const struct row *row,
                                   const char *text, size_t length, double after,
                                   struct hsim_phase *phase, struct hsim_error *error) {
  const char *colon = memchr(text, ':', length);
  if (colon == NULL || number_parse(text, (size_t)(colon - text), &phase->from_step) != NUMBER_OK)
    return row_bad(row, PHASES, error, "STEP:MODEL joined by semicolons; not \"%.*s\"",
                   (int)(length < 80 ? length : 80), text);
  if (phase->from_step <= after)
    return row_bad(row, PHASES, error, "ascending steps above 0; not \"%.*s\"",
                   (int)(colon - text < 40 ? colon - text : 40), text);
  size_t n = (size_t)(text + length - colon - 1);
  int32_t model = -1;
  enum hsim_status status = reader_model(reader, row, PHASES, colon + 1, n, &model, error);
  phase->model = model;
  return status;
}

static enum hsim_status take_phases(struct trace_reader *reader, const struct row *row,
                                    struct hsim_job *job, struct hsim_error *error) {
  if (!row_has(row, PHASES))
    return HSIM_OK;
  const char *text = row->cells[PHASES].text;
  int n = 1;
  for (const char *at = text; *at != '\0'; at++)
    n += *at == ';';
  struct hsim_phase *phases = arena_alloc(&reader->trace->texts, (size_t)n * sizeof *phases);
  for (int i = 0; i < n; i++) {
    size_t length = strcspn(text, ";");
    enum hsim_status status = take_phase(reader, row, text, length,
                                         i > 0 ? phases[i - 1].from_step : 0, &phases[i], error);
    if (status != HSIM_OK)
      return status;
    text += length + 1;
  }
  job->phases = phases;
  job->n_phases = n;
  return HSIM_OK;
}

static int32_t name_number(struct names *names, const struct cell *cell) {
  return cell->length == 0 ? -1 : names_add(names, cell->text, cell->length);
}

/* Everything that can fail comes before the row leaves a trace in names and ids. */
static enum hsim_status take_row(void *state, const struct row *row, struct hsim_error *error) {
  struct trace_reader *reader = state;
  struct hsim_job job = reader_job(row);
  enum hsim_status status = take_essentials(reader, row, &job, error);
  if (status == HSIM_OK)
    status = take_work(reader, row, &job, error);
  if (status == HSIM_OK)
    status = take_range(row, &job, error);
  if (status == HSIM_OK)
    status = take_numbers(row, &job, error);
  if (status == HSIM_OK)
    status = take_types(reader, row, &job, error);
  if (status == HSIM_OK)
    status = take_phases(reader, row, &job, error);
  if (status == HSIM_OK)
    status = reader_new_id(reader, row, JOB_ID, error);
  if (status != HSIM_OK)
    return status;
  job.tenant = name_number(&reader->trace->tenants, &row->cells[TENANT]);
  job.app = name_number(&reader->trace->apps, &row->cells[APP]);
  reader_add(reader, &job, row->cells[JOB_ID].text, row->cells[JOB_ID].length);
  return HSIM_OK;
}

static bool skip(void *state, const struct hsim_error *error) {
  return reader_skip(state, error);
}

enum hsim_status trace_native(struct trace_reader *reader, const struct trace_table *none,
                              struct source *source, struct hsim_error *error) {
  (void)none;
  const struct csv_table table = {.columns = native_columns,
                                  .n_columns = N_COLUMNS,
                                  .required = BIT(JOB_ID) | BIT(ARRIVAL) | BIT(WORKERS),
                                  .ignores_x = true,
                                  .what = "a native trace",
                                  .header = check_header,
                                  .row = take_row,
                                  .skip = skip};
  return csv_read(source, &table, reader, &reader->trace->rows, error);
}
