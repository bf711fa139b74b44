/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Microsoft Philly's cluster_job_log (Jeon et al., USENIX ATC'19): a JSON array of jobs, each with
 * the attempts in which it ran. A time that is not known is the string "None" or null; a job that
 * never ran has no attempts, and an attempt may list no GPUs. Failed and killed jobs used GPUs like
 * all others and are jobs here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/json.h"
#include "input/json_items.h"
#include "input/trace_reader.h"
#include "model/memory.h"
#include "model/number.h"

enum { KEY_STATUS, KEY_VC, KEY_JOB, KEY_ATTEMPTS, KEY_SUBMITTED, KEY_USER, N_KEYS };
static const char *const keys[N_KEYS] = {"status",         "vc",  "jobid", "attempts",
                                         "submitted_time", "user"};

enum { WHERE_SIZE = 300 };

struct log_file {
  struct trace_reader *reader;
  struct json_items items;
  int rows;
  char *id; /* of an attempt */
  size_t id_capacity;
};

/* An attempt. */
struct span {
  double start, end; /* NaN: not known */
  int gpus;
};

/* One element of the array. */
struct entry {
  struct json_at at;
  const char *id, *tenant;
  double submitted; /* NaN: not known */
  const cJSON *attempts;
};

/* ---- values ---- */

/* A time, NaN when it is not known. */
static enum hsim_status take_time(const struct log_file *f, const struct json_at *at,
                                  const cJSON *value, double *seconds, struct hsim_error *error) {
  *seconds = NAN;
  if (value == NULL || cJSON_IsNull(value) ||
      (cJSON_IsString(value) && strcmp(value->valuestring, "None") == 0))
    return HSIM_OK;
  enum timestamp_status status = TIMESTAMP_MALFORMED;
  if (cJSON_IsString(value))
    status = timestamp_parse(value->valuestring, strlen(value->valuestring),
                             &f->reader->options->reading.zone, seconds);
  if (status == TIMESTAMP_SKIPPED)
    return json_bad(at, value, error,
                    "a local time that exists: the clock passed over it (--time-zone)");
  if (status != TIMESTAMP_OK)
    return json_bad(at, value, error, "a date and time like 2017-10-09 07:01:55, or \"None\"");
  return HSIM_OK;
}

/* The GPUs of one machine of an attempt. */
static enum hsim_status add_gpus(const struct json_at *at, const cJSON *machine, int *gpus,
                                 struct hsim_error *error) {
  static const char *const machine_keys[] = {"ip", "gpus"};
  enum hsim_status status = json_keys(at, machine, machine_keys, 2, error);
  if (status != HSIM_OK)
    return status;
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(machine, "gpus");
  if (!cJSON_IsArray(list)) {
    const struct json_at here = {.up = at, .key = "gpus"};
    return json_bad(&here, list, error, "an array of GPUs");
  }
  *gpus += cJSON_GetArraySize(list);
  return HSIM_OK;
}

static enum hsim_status take_attempt(const struct log_file *f, const struct json_at *at,
                                     const cJSON *attempt, struct span *span,
                                     struct hsim_error *error) {
  static const char *const attempt_keys[] = {"start_time", "end_time", "detail"};
  const struct json_at start = {.up = at, .key = "start_time"};
  const struct json_at end = {.up = at, .key = "end_time"};
  const struct json_at detail = {.up = at, .key = "detail"};
  enum hsim_status status = json_keys(at, attempt, attempt_keys, 3, error);
  if (status != HSIM_OK)
    return status;
  const cJSON *end_value = cJSON_GetObjectItemCaseSensitive(attempt, "end_time");
  const cJSON *machines = cJSON_GetObjectItemCaseSensitive(attempt, "detail");
  const cJSON *start_value = cJSON_GetObjectItemCaseSensitive(attempt, "start_time");
  *span = (struct span){0};
  status = take_time(f, &start, start_value, &span->start, error);
  if (status == HSIM_OK)
    status = take_time(f, &end, end_value, &span->end, error);
  if (status == HSIM_OK && span->end < span->start &&
      !timestamp_reorder(start_value->valuestring, end_value->valuestring,
                         &f->reader->options->reading.zone, &span->start, &span->end))
    return json_bad(&end, end_value, error, "no earlier time than start_time");
  if (status == HSIM_OK && machines != NULL && !cJSON_IsArray(machines))
    return json_bad(&detail, machines, error, "an array of machines");
  int i = 0;
  for (const cJSON *machine = machines == NULL ? NULL : machines->child;
       machine != NULL && status == HSIM_OK; machine = machine->next) {
    const struct json_at here = {.up = &detail, .index = i++};
    status = add_gpus(&here, machine, &span->gpus, error);
  }
  return status;
}

/* ---- jobs ---- */

static const char *why_no_attempt(const struct span *span) {
  if (isnan(span->start))
    return READER_NOT_STARTED;
  if (isnan(span->end))
    return READER_NOT_ENDED;
  if (span->gpus == 0)
    return READER_NO_GPUS;
  return span->end > span->start ? NULL : READER_NO_RUN_TIME;
}

static enum hsim_status add_job(struct log_file *f, const struct entry *entry, const char *id,
                                double arrival, double seconds, int gpus,
                                struct hsim_error *error) {
  struct trace *trace = f->reader->trace;
  const struct row row = {.line = f->items.line, .number = f->rows};
  const struct json_at at = {.up = &entry->at, .key = "jobid"};
  struct hsim_job job = reader_job(&row);
  int line;
  if (!reader_claim_id(f->reader, id, strlen(id), &line)) {
    char text[300];
    snprintf(text, sizeof text, "value \"%.80s\": expected an id of its own; line %d has the same",
             id, line);
    hsim_fail(error, HSIM_BAD_INPUT, "%s", text);
    return json_place(&at, HSIM_BAD_INPUT, error);
  }
  job.arrival_s = arrival;
  job.steps = -seconds;
  job.workers = gpus;
  if (entry->tenant != NULL)
    job.tenant = names_add(&trace->tenants, entry->tenant, strlen(entry->tenant));
  if (f->reader->options->reading.attempts == ATTEMPTS_EACH)
    job.app = names_add(&trace->apps, entry->id, strlen(entry->id));
  reader_add(f->reader, &job, id, strlen(id));
  return HSIM_OK;
}

/* One job that does the GPU-seconds of all attempts on as many GPUs as the largest one had. */
static enum hsim_status sum_attempts(struct log_file *f, const struct entry *entry,
                                     const struct span *spans, int n, struct hsim_error *error) {
  double gpu_seconds = 0;
  int gpus = 0;
  const char *why = n == 0 ? READER_NOT_STARTED : NULL;
  for (int i = 0; i < n; i++) {
    const char *here = why_no_attempt(&spans[i]);
    if (here != NULL) {
      why = why == NULL ? here : why;
      continue;
    }
    gpu_seconds += (spans[i].end - spans[i].start) * spans[i].gpus;
    gpus = gpus > spans[i].gpus ? gpus : spans[i].gpus;
  }
  f->rows++;
  if (isnan(entry->submitted))
    why = "unknown submission";
  else if (gpus > 0)
    return add_job(f, entry, entry->id, entry->submitted, gpu_seconds / gpus, gpus, error);
  reader_leave_out(f->reader, why, entry->submitted);
  return HSIM_OK;
}

/* A job an attempt: the first arrives when it was submitted, each other when the one before it
 * ended. A job without attempts counts as one row. */
static enum hsim_status each_attempt(struct log_file *f, const struct entry *entry,
                                     const struct span *spans, int n, struct hsim_error *error) {
  double arrival = entry->submitted;
  enum hsim_status status = HSIM_OK;
  if (n == 0) {
    f->rows++;
    reader_leave_out(f->reader, READER_NOT_STARTED, arrival);
  }
  for (int i = 0; i < n && status == HSIM_OK; i++) {
    const char *why = isnan(arrival) ? "unknown submission" : why_no_attempt(&spans[i]);
    size_t size = strlen(entry->id) + 1 + NUMBER_SIZE;
    f->rows++;
    if (why != NULL) {
      reader_leave_out(f->reader, why, arrival);
    } else {
      f->id = mem_grow(f->id, size, &f->id_capacity, 1);
      snprintf(f->id, size, "%s/%d", entry->id, i + 1);
      status =
          add_job(f, entry, f->id, arrival, spans[i].end - spans[i].start, spans[i].gpus, error);
    }
    if (!isnan(spans[i].end))
      arrival = spans[i].end;
  }
  return status;
}

/* ---- entries ---- */

static enum hsim_status take_entry(const struct log_file *f, const cJSON *item, struct entry *entry,
                                   struct hsim_error *error) {
  const struct json_at job = {.up = &entry->at, .key = "jobid"};
  const struct json_at vc = {.up = &entry->at, .key = "vc"};
  const struct json_at submitted = {.up = &entry->at, .key = "submitted_time"};
  const struct json_at attempts = {.up = &entry->at, .key = "attempts"};
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(item, "jobid");
  const cJSON *tenant = cJSON_GetObjectItemCaseSensitive(item, "vc");
  const cJSON *time = cJSON_GetObjectItemCaseSensitive(item, "submitted_time");
  entry->attempts = cJSON_GetObjectItemCaseSensitive(item, "attempts");
  if (id == NULL || entry->attempts == NULL || time == NULL)
    return json_bad(&entry->at, item, error, "the keys jobid, submitted_time and attempts");
  enum hsim_status status = json_string(&job, id, &entry->id, error);
  if (status == HSIM_OK && tenant != NULL && !cJSON_IsNull(tenant))
    status = json_string(&vc, tenant, &entry->tenant, error);
  if (status == HSIM_OK)
    status = take_time(f, &submitted, time, &entry->submitted, error);
  if (status == HSIM_OK && !cJSON_IsArray(entry->attempts))
    return json_bad(&attempts, entry->attempts, error, "an array of attempts");
  return status;
}

static enum hsim_status take_attempts(struct log_file *f, const struct entry *entry,
                                      struct hsim_error *error) {
  const struct json_at attempts = {.up = &entry->at, .key = "attempts"};
  int n = cJSON_GetArraySize(entry->attempts), i = 0;
  struct span *spans = mem_alloc((size_t)n, sizeof *spans);
  enum hsim_status status = HSIM_OK;
  for (const cJSON *attempt = entry->attempts->child; attempt != NULL && status == HSIM_OK;
       attempt = attempt->next) {
    const struct json_at here = {.up = &attempts, .index = i};
    status = take_attempt(f, &here, attempt, &spans[i++], error);
  }
  if (status == HSIM_OK)
    status = f->reader->options->reading.attempts == ATTEMPTS_EACH
                 ? each_attempt(f, entry, spans, n, error)
                 : sum_attempts(f, entry, spans, n, error);
  free(spans);
  return status;
}

/* Where an entry stands is told as FILE:LINE: [INDEX].KEY */
static enum hsim_status take_item(struct log_file *f, const cJSON *item, struct hsim_error *error) {
  char where[WHERE_SIZE];
  snprintf(where, sizeof where, "%.260s:%d", source_name(f->items.source), f->items.line);
  const struct json_at top = {.file = where};
  struct entry entry = {.at = {.up = &top, .index = f->items.index}, .id = ""};
  int rows = f->rows;
  enum hsim_status status = json_keys(&entry.at, item, keys, N_KEYS, error);
  if (status == HSIM_OK)
    status = take_entry(f, item, &entry, error);
  if (status == HSIM_OK)
    status = take_attempts(f, &entry, error);
  if (status == HSIM_BAD_INPUT && f->rows == rows)
    f->rows++;
  return status == HSIM_BAD_INPUT && reader_skip(f->reader, error) ? HSIM_OK : status;
}

enum hsim_status trace_philly_log(struct trace_reader *reader, const struct trace_table *none,
                                  struct source *source, struct hsim_error *error) {
  (void)none;
  struct log_file f = {.reader = reader, .items = {.source = source}};
  cJSON *item = NULL;
  reader->no_models = true;
  enum hsim_status status;
  do {
    cJSON_Delete(item);
    status = json_items_next(&f.items, &item, error);
    if (status == HSIM_OK && item != NULL)
      status = take_item(&f, item, error);
  } while (status == HSIM_OK && item != NULL);
  cJSON_Delete(item);
  reader->trace->rows = f.rows;
  json_items_free(&f.items);
  free(f.id);
  if (status == HSIM_OK && f.rows == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: no job: the array is empty", source_name(source));
  if (status == HSIM_OK)
    reader_start_at_earliest(reader);
  return status;
}
