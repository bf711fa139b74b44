/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/rates.h"
#include "model/trace.h"
#include "output/batsim.h"
#include "output/csv.h"
#include "output/intervals.h"
#include "output/outcomes.h"

/* Distinct GPUs, ascending. */
struct gpu_set {
  int *at;
  int n;
};

struct batsim_jobs {
  const struct run_info *info;
  struct out *out;
  struct outcomes outcomes;
  struct gpu_set *held; /* [n_jobs] at some time */
};

void batsim_jobs_header(struct out *out, const struct hsim_cluster *cluster, bool seeded) {
  (void)cluster;
  (void)seeded;
  out_text(out, "job_id,workload_name,profile,submission_time,requested_number_of_resources,"
                "requested_time,success,final_state,starting_time,execution_time,finish_time,"
                "waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,"
                "metadata\n");
}

static void join(struct gpu_set *set, const int *gpus, int n) {
  int *both = mem_alloc((size_t)(set->n + n), sizeof *both);
  int a = 0, b = 0, joined = 0;
  while (a < set->n || b < n) {
    bool from_set = b == n || (a < set->n && set->at[a] <= gpus[b]);
    int gpu = from_set ? set->at[a++] : gpus[b++];
    if (joined == 0 || both[joined - 1] != gpu)
      both[joined++] = gpu;
  }
  free(set->at);
  *set = (struct gpu_set){mem_resize(both, (size_t)joined, sizeof *both), joined};
}

static void take_record(void *state, const struct record *r) {
  struct batsim_jobs *jobs = state;
  outcomes_record(&jobs->outcomes, r);
  if (r->kind == RECORD_GANG_BEGIN)
    join(&jobs->held[r->job], r->gang->gpus, r->gang->size);
}

/* A job that was stopped for good is killed once it ran, and rejected before. */
static const char *state_of(const struct outcome *outcome) {
  bool started = !isnan(outcome->first_start);
  switch ((enum outcome_state)outcome->state) {
  case OUTCOME_FINISHED:
    return "COMPLETED_SUCCESSFULLY";
  case OUTCOME_REJECTED:
    return "REJECTED";
  case OUTCOME_DROPPED:
  case OUTCOME_CANCELLED:
    return started ? "COMPLETED_KILLED" : "REJECTED";
  case OUTCOME_NOT_ARRIVED:
    return "NOT_SUBMITTED";
  default:
    return started ? "RUNNING" : "SUBMITTED";
  }
}

static void cell(struct out *out, double value) {
  if (isfinite(value))
    out_number(out, value);
  out_char(out, ',');
}

static void time_cells(struct out *out, const struct hsim_job *job, const struct outcome *outcome) {
  double start = outcome->first_start;
  double end = isnan(start) ? NAN : outcome_end(outcome);
  cell(out, start);
  cell(out, end - start);
  cell(out, end);
  cell(out, start - job->arrival_s);
  cell(out, end - job->arrival_s);
  cell(out, (end - job->arrival_s) / (end - start));
}

static void write_row(struct batsim_jobs *jobs, int j) {
  const struct hsim_job *job = &jobs->info->trace->jobs[j];
  const struct outcome *outcome = &jobs->outcomes.jobs[j];
  struct out *out = jobs->out;
  csv_field(out, job->id);
  out_text(out, "," BATSIM_WORKLOAD ",");
  if (job->model >= 0)
    csv_field(out, jobs->info->rates->models.at[job->model]);
  out_char(out, ',');
  cell(out, job->arrival_s);
  cell(out, job->workers);
  cell(out, isnan(job->estimate_s) ? -1 : job->estimate_s);
  cell(out, outcome->state == OUTCOME_FINISHED);
  out_text(out, state_of(outcome));
  out_char(out, ',');
  time_cells(out, job, outcome);
  put_intervals(out, jobs->held[j].at, jobs->held[j].n, 0, ' ');
  out_text(out, isnan(outcome->first_start) ? ",,\"\"\n" : ",-1,\"\"\n");
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct batsim_jobs *jobs = state;
  for (int j = 0; j < jobs->info->trace->n_jobs; j++)
    write_row(jobs, j);
  return out_flush(jobs->out, error);
}

static void destroy(void *state) {
  struct batsim_jobs *jobs = state;
  for (int j = 0; j < jobs->info->trace->n_jobs; j++)
    free(jobs->held[j].at);
  free(jobs->held);
  outcomes_free(&jobs->outcomes);
  free(jobs);
}

struct sink batsim_jobs_sink(const struct run_info *info, struct out *out) {
  struct batsim_jobs *jobs = mem_zero(1, sizeof *jobs);
  size_t n = (size_t)info->trace->n_jobs;
  jobs->info = info;
  jobs->out = out;
  jobs->held = mem_alloc(n, sizeof *jobs->held);
  for (size_t j = 0; j < n; j++)
    jobs->held[j] = (struct gpu_set){NULL, 0};
  outcomes_init(&jobs->outcomes, info->trace);
  return (struct sink){.state = jobs, .record = take_record, .end = finish, .free = destroy};
}
