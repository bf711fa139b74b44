/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/jobs_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/names.h"
#include "model/trace.h"
#include "output/csv.h"
#include "output/fairness.h"
#include "output/ideal.h"

enum state { NOT_ARRIVED, ACTIVE, UNFINISHED, FINISHED, REJECTED, DROPPED, CANCELLED };

struct job {
  double first_start; /* NaN before */
  double since;       /* run_s, wait_s, gpu_s are counted up to here; the end once it has ended */
  double run_s, wait_s, gpu_s;
  uint32_t starts, preemptions, migrations, resizes;
  int32_t held;          /* GPUs over all its gangs */
  int32_t gangs, copies; /* its gangs now; the most at a time */
  uint32_t state : 3;
  uint32_t reason : 29; /* 1 + number of the text, 0: none */
};

struct jobs_csv {
  const struct run_info *info;
  struct out *out;
  struct job *jobs;
  struct names reasons;
  double end_s; /* the clock at the end */
};

struct jobs_csv *jobs_csv_create(const struct run_info *info, struct out *out) {
  struct jobs_csv *csv = mem_zero(1, sizeof *csv);
  csv->info = info;
  csv->out = out;
  csv->jobs = mem_zero((size_t)info->trace->n_jobs, sizeof *csv->jobs);
  for (int j = 0; j < info->trace->n_jobs; j++)
    csv->jobs[j].first_start = NAN;
  return csv;
}

void jobs_csv_free(struct jobs_csv *csv) {
  if (csv == NULL)
    return;
  free(csv->jobs);
  names_free(&csv->reasons);
  free(csv);
}

static void advance(struct job *job, double time) {
  if (job->state != ACTIVE)
    return;
  double seconds = time - job->since;
  if (job->held > 0) {
    job->run_s += seconds;
    job->gpu_s += seconds * job->held;
  } else {
    job->wait_s += seconds;
  }
  job->since = time;
}

static void end_job(struct jobs_csv *csv, const struct record *r, enum state state) {
  struct job *job = &csv->jobs[r->job];
  advance(job, r->time);
  job->state = state;
  job->since = r->time;
  if (state == FINISHED || r->detail == NULL || r->detail[0] == '\0')
    return;
  int reason = names_add(&csv->reasons, r->detail, strlen(r->detail));
  job->reason = ((uint32_t)reason + 1) & 0x1fffffff;
}

static void end_run(struct jobs_csv *csv, double time) {
  csv->end_s = time;
  for (int j = 0; j < csv->info->trace->n_jobs; j++) {
    advance(&csv->jobs[j], time);
    if (csv->jobs[j].state == ACTIVE)
      csv->jobs[j].state = UNFINISHED;
  }
}

static void take_job_record(struct jobs_csv *csv, const struct record *r) {
  struct job *job = &csv->jobs[r->job];
  switch (r->kind) {
  case RECORD_ARRIVE:
    job->state = ACTIVE;
    job->since = r->time;
    break;
  case RECORD_START:
    job->starts += r->counts;
    if (isnan(job->first_start))
      job->first_start = r->time;
    break;
  case RECORD_RESIZE:
    job->resizes += r->counts;
    break;
  case RECORD_MIGRATE:
    job->migrations += r->counts;
    break;
  case RECORD_PREEMPT:
    job->preemptions += r->counts;
    break;
  case RECORD_FINISH:
    end_job(csv, r, FINISHED);
    break;
  case RECORD_REJECT:
    end_job(csv, r, REJECTED);
    break;
  case RECORD_DROP:
    end_job(csv, r, DROPPED);
    break;
  case RECORD_CANCEL:
    end_job(csv, r, CANCELLED);
    break;
  case RECORD_GANG_BEGIN:
    advance(job, r->time);
    job->held += r->gang->size;
    job->gangs++;
    if (job->gangs > job->copies)
      job->copies = job->gangs;
    break;
  case RECORD_GANG_END:
    advance(job, r->time);
    job->held -= r->gang->size;
    job->gangs--;
    break;
  default:
    break;
  }
}

static void take_record(void *state, const struct record *r) {
  struct jobs_csv *csv = state;
  if (r->kind == RECORD_END)
    end_run(csv, r->time);
  else if (r->job >= 0)
    take_job_record(csv, r);
}

static void name_cell(struct out *out, const struct names *names, int i) {
  if (i >= 0)
    csv_field(out, names->at[i]);
  out_char(out, ',');
}

static void number_cell(struct out *out, double value) {
  out_number(out, value);
  out_char(out, ',');
}

static void int_cell(struct out *out, long long value) {
  out_int(out, value);
  out_char(out, ',');
}

static void time_cells(struct jobs_csv *csv, const struct hsim_job *fact, const struct job *job,
                       struct ideal *ideal) {
  struct out *out = csv->out;
  bool finished = job->state == FINISHED, arrived = job->state != NOT_ARRIVED;
  double finish = finished ? job->since : NAN;
  number_cell(out, fact->arrival_s);
  number_cell(out, job->first_start);
  number_cell(out, finish);
  number_cell(out, finish - fact->arrival_s);
  number_cell(out, job->first_start - fact->arrival_s);
  number_cell(out, arrived ? job->run_s : NAN);
  number_cell(out, arrived ? job->wait_s : NAN);
  number_cell(out, arrived ? job->gpu_s : NAN);
  number_cell(out, finished ? (finish - fact->arrival_s) / ideal_s(ideal, fact) : NAN);
}

static void write_row(struct jobs_csv *csv, int j, struct ideal *ideal, double rho) {
  static const char *const states[] = {
      [NOT_ARRIVED] = "unfinished", [ACTIVE] = "unfinished", [UNFINISHED] = "unfinished",
      [FINISHED] = "finished",      [REJECTED] = "rejected", [DROPPED] = "dropped",
      [CANCELLED] = "cancelled"};
  const struct hsim_job *fact = &csv->info->trace->jobs[j];
  const struct job *job = &csv->jobs[j];
  struct out *out = csv->out;
  csv_field(out, csv->info->policy);
  out_char(out, ',');
  csv_field(out, fact->id);
  out_char(out, ',');
  name_cell(out, &csv->info->trace->apps, fact->app);
  name_cell(out, &csv->info->trace->tenants, fact->tenant);
  name_cell(out, &csv->info->rates->models, fact->model);
  int_cell(out, fact->workers);
  time_cells(csv, fact, job, ideal);
  int_cell(out, job->starts);
  int_cell(out, job->preemptions);
  int_cell(out, job->migrations);
  int_cell(out, job->resizes);
  out_text(out, states[job->state]);
  out_char(out, ',');
  if (job->reason > 0)
    csv_field(out, csv->reasons.at[job->reason - 1]);
  out_char(out, ',');
  int_cell(out, job->copies);
  out_number(out, rho);
  csv_end_row(out, csv->info);
}

static struct fairness_job job_end(const void *state, int index) {
  const struct job *job = &((const struct jobs_csv *)state)->jobs[index];
  bool open = job->state == NOT_ARRIVED || job->state == ACTIVE || job->state == UNFINISHED;
  return (struct fairness_job){open ? NAN : job->since, job->state == FINISHED};
}

static double *rho_of_jobs(const struct jobs_csv *csv, struct ideal *ideal) {
  const struct trace *trace = csv->info->trace;
  double *rho = mem_alloc((size_t)trace->n_jobs, sizeof *rho);
  struct fairness_input input = {
      .trace = trace, .ideal = ideal, .end_s = csv->end_s, .state = csv, .job = job_end};
  fairness_rho_of_jobs(&input, rho);
  return rho;
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct jobs_csv *csv = state;
  struct ideal ideal;
  ideal_init(&ideal, csv->info->oracle);
  double *rho = rho_of_jobs(csv, &ideal);
  for (int j = 0; j < csv->info->trace->n_jobs; j++)
    write_row(csv, j, &ideal, rho[j]);
  free(rho);
  ideal_free(&ideal);
  return out_flush(csv->out, error);
}

struct sink jobs_csv_sink(struct jobs_csv *csv) {
  return (struct sink){.state = csv, .record = take_record, .end = finish};
}
