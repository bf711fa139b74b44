/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/gavel_log.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/trace.h"
#include "output/open_gangs.h"
#include "output/outcomes.h"

struct gavel_log {
  const struct run_info *info;
  struct out *out;
  struct outcomes outcomes;
  struct open_gangs open;
  const char **type_of; /* [n_gpus] */
  double time;          /* of the instant being taken in */
  double busy_s;        /* GPU-seconds in use; two jobs on a GPU use it half each */
  double end_s;
  int active;
  bool untold; /* a micro-task began in this instant */
};

/* ---- lines of the schedule ---- */

/* A float as Python prints it: with a point at least. */
static void put_float(struct out *out, double value) {
  char text[NUMBER_SIZE];
  number_print(value, text);
  out_text(out, text);
  if (strpbrk(text, ".en") == NULL)
    out_text(out, ".0");
}

static void begin_line(struct gavel_log *log, double time, const char *what, int job) {
  out_text(log->out, "scheduler:INFO [");
  put_float(log->out, time);
  out_text(log->out, "] [");
  out_text(log->out, what);
  out_text(log->out, "]\tJob ID: ");
  out_int(log->out, job);
}

static void put_format(struct out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put_format(struct out *out, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  out_text(out, text);
}

/* The gang's workers of one type. */
static void put_workers(struct gavel_log *log, const struct open_gang *gang, const char *type,
                        const char *between) {
  bool any = false;
  for (int i = 0; i < gang->size; i++) {
    if (log->type_of[gang->gpus[i]] != type)
      continue;
    if (any)
      out_text(log->out, between);
    out_int(log->out, gang->gpus[i]);
    any = true;
  }
}

/* Whether the type of worker i is that of none before it. */
static bool is_new_type(const struct gavel_log *log, const struct open_gang *gang, int i) {
  for (int k = 0; k < i; k++)
    if (log->type_of[gang->gpus[k]] == log->type_of[gang->gpus[i]])
      return false;
  return true;
}

/* The begin or the end of a gang's micro-task, a line for each of its types. */
static void put_task(struct gavel_log *log, const struct open_gang *gang, double time, bool ends) {
  for (int i = 0; i < gang->size; i++) {
    if (!is_new_type(log, gang, i))
      continue;
    const char *type = log->type_of[gang->gpus[i]];
    begin_line(log, time, ends ? "Micro-task succeeded" : "Micro-task scheduled", gang->job);
    out_text(log->out, "\tWorker type: ");
    out_text(log->out, type);
    out_text(log->out, ends ? "\tWorker ID(s): [" : "\tWorker ID(s): ");
    put_workers(log, gang, type, ends ? ", " : ",");
    out_text(log->out, ends ? "]\n" : "\tPriority: nan\tDeficit: nan\tAllocation: nan\n");
  }
}

/* A round begins: what ran until now was a micro-task of its own. */
static void end_tasks(struct gavel_log *log, double time) {
  log->untold = true;
  for (struct open_gang *gang = log->open.first; gang; gang = gang->next) {
    if (gang->told && gang->since < time)
      put_task(log, gang, time, true);
    gang->told = gang->told && gang->since == time;
    gang->since = time;
  }
}

/* What runs from now on is known when the instant is over. */
static void begin_tasks(struct gavel_log *log) {
  if (!log->untold)
    return;
  log->untold = false;
  for (struct open_gang *gang = log->open.first; gang; gang = gang->next) {
    if (!gang->told)
      put_task(log, gang, log->time, false);
    gang->told = true;
  }
}

static void end_gang(struct gavel_log *log, const struct record *r) {
  struct open_gang *gang = open_gangs_take(&log->open, r);
  if (gang && gang->told)
    put_task(log, gang, r->time, true);
  free(gang);
}

static void end_job(struct gavel_log *log, const struct record *r, const char *what) {
  double arrival = log->info->trace->jobs[r->job].arrival_s;
  begin_line(log, r->time, what, r->job);
  put_format(log->out, "\tStart timestamp: %.2f\tEnd timestamp: %.2f\tDuration: %.2f\n", arrival,
             r->time, r->time - arrival);
  out_text(log->out, "scheduler:INFO [");
  put_float(log->out, r->time);
  out_text(log->out, "] Remaining active jobs: ");
  out_int(log->out, --log->active);
  out_char(log->out, '\n');
}

static void take_record(void *state, const struct record *r) {
  struct gavel_log *log = state;
  if (r->time != log->time) {
    begin_tasks(log);
    log->time = r->time;
  }
  outcomes_record(&log->outcomes, r);
  switch (r->kind) {
  case RECORD_ROUND:
    if (r->count > 0)
      end_tasks(log, r->time);
    break;
  case RECORD_GANG_BEGIN:
    log->untold = true;
    open_gangs_add(&log->open, r);
    break;
  case RECORD_GANG_END:
    end_gang(log, r);
    break;
  case RECORD_SEGMENT:
    log->busy_s += (r->stop - r->from) * r->gang->size * (r->gang->partner >= 0 ? 0.5 : 1);
    break;
  case RECORD_ARRIVE:
    log->active++;
    begin_line(log, r->time, "Job dispatched", r->job);
    out_char(log->out, '\n');
    break;
  case RECORD_FINISH:
    end_job(log, r, "Job succeeded");
    break;
  case RECORD_REJECT:
  case RECORD_DROP:
  case RECORD_CANCEL:
    end_job(log, r, "Job failed");
    break;
  case RECORD_END:
    log->end_s = r->time;
    break;
  default:
    break;
  }
}

/* ---- the figures at the end ---- */

/* Completion times of some of the jobs: their number and sum. */
struct mean {
  int n;
  double sum;
};

static void add(struct mean *mean, double value) {
  mean->n++;
  mean->sum += value;
}

static void put_mean(struct out *out, const char *which, const struct mean *mean) {
  double seconds = mean->sum / mean->n;
  if (mean->n > 0)
    put_format(out, "Average job completion time%s: %.3f seconds (%.2f hours)\n", which, seconds,
               seconds / 3600);
}

static void put_window(struct gavel_log *log, int to) {
  const struct trace *trace = log->info->trace;
  if (log->info->from == 0 && to == trace->n_jobs)
    return;
  double begin = trace->jobs[log->info->from].arrival_s, length = log->end_s - begin;
  put_format(log->out, "Window start time: %f\nWindow duration: %.3f seconds (%.2f hours)\n", begin,
             length, length / 3600);
}

static void put_completion_times(struct gavel_log *log, int to) {
  struct mean all = {0}, low = {0}, high = {0};
  for (int j = log->info->from; j < to; j++) {
    const struct hsim_job *job = &log->info->trace->jobs[j];
    const struct outcome *outcome = &log->outcomes.jobs[j];
    if (outcome->state != OUTCOME_FINISHED)
      continue;
    if (all.n == 0)
      out_text(log->out, "Job completion times:\n");
    double jct = outcome->time - job->arrival_s;
    bool plain = job->weight == 1;
    put_format(log->out, "Job %d%s: %.3f\n", j, plain ? "" : " (high priority)", jct);
    add(&all, jct);
    add(plain ? &low : &high, jct);
  }
  put_mean(log->out, "", &all);
  put_mean(log->out, " (low priority)", &low);
  put_mean(log->out, " (high priority)", &high);
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct gavel_log *log = state;
  const struct trace *trace = log->info->trace;
  int to = log->info->to < trace->n_jobs ? log->info->to : trace->n_jobs;
  if (log->info->from < to)
    put_window(log, to);
  put_format(log->out, "Total duration: %.3f seconds (%.2f hours)\n", log->end_s,
             log->end_s / 3600);
  put_completion_times(log, to);
  if (log->end_s > 0)
    put_format(log->out, "Cluster utilization: %.3f\n",
               log->busy_s / (log->info->cluster->n_gpus * log->end_s));
  return out_flush(log->out, error);
}

/* ---- the sink ---- */

static void destroy(void *state) {
  struct gavel_log *log = state;
  outcomes_free(&log->outcomes);
  open_gangs_free(&log->open);
  free(log->type_of);
  free(log);
}

struct sink gavel_log_sink(const struct run_info *info, struct out *out) {
  const struct hsim_cluster *cluster = info->cluster;
  struct gavel_log *log = mem_zero(1, sizeof *log);
  log->info = info;
  log->out = out;
  log->time = log->end_s = NAN;
  log->type_of = mem_alloc((size_t)cluster->n_gpus, sizeof *log->type_of);
  for (int b = 0; b < cluster->n_bays; b++)
    for (int i = 0; i < cluster->bays[b].gpus; i++)
      log->type_of[cluster->bays[b].first_gpu + i] = cluster->type_names[cluster->bays[b].type];
  outcomes_init(&log->outcomes, info->trace);
  open_gangs_init(&log->open, cluster);
  return (struct sink){.state = log, .record = take_record, .end = finish, .free = destroy};
}
