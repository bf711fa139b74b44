/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/jobs_csv.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "model/rates.h"
#include "model/trace.h"
#include "output/csv.h"
#include "output/fairness.h"
#include "output/ideal.h"
#include "output/outcomes.h"

struct jobs_csv {
  const struct run_info *info;
  struct out *out;
  struct outcomes outcomes;
};

void jobs_csv_header(struct out *out, const struct hsim_cluster *cluster, bool seeded) {
  (void)cluster;
  out_text(out, "policy,job_id,app,tenant,model,workers,arrival_s,first_start_s,finish_s,jct_s,"
                "queueing_s,run_s,wait_s,gpu_s,slowdown,starts,preemptions,migrations,resizes,"
                "state,reason,copies,rho");
  csv_end_header(out, seeded);
}

static void take_record(void *state, const struct record *r) {
  struct jobs_csv *csv = state;
  outcomes_record(&csv->outcomes, r);
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

static void time_cells(struct jobs_csv *csv, const struct hsim_job *fact, const struct outcome *job,
                       struct ideal *ideal) {
  struct out *out = csv->out;
  bool finished = job->state == OUTCOME_FINISHED, arrived = job->state != OUTCOME_NOT_ARRIVED;
  double finish = finished ? job->time : NAN;
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
      [OUTCOME_NOT_ARRIVED] = "unfinished", [OUTCOME_ACTIVE] = "unfinished",
      [OUTCOME_UNFINISHED] = "unfinished",  [OUTCOME_FINISHED] = "finished",
      [OUTCOME_REJECTED] = "rejected",      [OUTCOME_DROPPED] = "dropped",
      [OUTCOME_CANCELLED] = "cancelled"};
  const struct hsim_job *fact = &csv->info->trace->jobs[j];
  const struct outcome *job = &csv->outcomes.jobs[j];
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
  const char *reason = outcome_reason(&csv->outcomes, job);
  if (reason)
    csv_field(out, reason);
  out_char(out, ',');
  int_cell(out, job->copies);
  out_number(out, rho);
  csv_end_row(out, csv->info);
}

static struct job_fate job_end(const void *state, int index) {
  const struct outcome *job = &((const struct jobs_csv *)state)->outcomes.jobs[index];
  return (struct job_fate){job->first_start, outcome_end(job), job->state == OUTCOME_FINISHED};
}

static double *rho_of_jobs(const struct jobs_csv *csv, struct ideal *ideal) {
  const struct trace *trace = csv->info->trace;
  double *rho = mem_alloc((size_t)trace->n_jobs, sizeof *rho);
  struct fairness_input input = {
      .trace = trace, .ideal = ideal, .end_s = csv->outcomes.end_s, .state = csv, .job = job_end};
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

static void destroy(void *state) {
  struct jobs_csv *csv = state;
  outcomes_free(&csv->outcomes);
  free(csv);
}

struct sink jobs_csv_sink(const struct run_info *info, struct out *out) {
  struct jobs_csv *csv = mem_zero(1, sizeof *csv);
  csv->info = info;
  csv->out = out;
  outcomes_init(&csv->outcomes, info->trace);
  return (struct sink){.state = csv, .record = take_record, .end = finish, .free = destroy};
}
