/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/outcomes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/trace.h"

void outcomes_init(struct outcomes *outcomes, const struct trace *trace) {
  *outcomes = (struct outcomes){.trace = trace};
  outcomes->jobs = mem_zero((size_t)trace->n_jobs, sizeof *outcomes->jobs);
  for (int j = 0; j < trace->n_jobs; j++)
    outcomes->jobs[j].first_start = NAN;
}

void outcomes_free(struct outcomes *outcomes) {
  free(outcomes->jobs);
  names_free(&outcomes->reasons);
}

static void advance(struct outcome *job, double time) {
  if (job->state != OUTCOME_ACTIVE)
    return;
  double seconds = time - job->time;
  if (job->held > 0) {
    job->run_s += seconds;
    job->gpu_s += seconds * job->held;
  } else {
    job->wait_s += seconds;
  }
  job->time = time;
}

static void end_job(struct outcomes *outcomes, const struct record *r, enum outcome_state state) {
  struct outcome *job = &outcomes->jobs[r->job];
  advance(job, r->time);
  job->state = state;
  job->time = r->time;
  if (state == OUTCOME_FINISHED || r->detail == NULL || r->detail[0] == '\0')
    return;
  int reason = names_add(&outcomes->reasons, r->detail, strlen(r->detail));
  job->reason = ((uint32_t)reason + 1) & 0x1fffffff;
}

static void end_run(struct outcomes *outcomes, double time) {
  outcomes->end_s = time;
  for (int j = 0; j < outcomes->trace->n_jobs; j++) {
    advance(&outcomes->jobs[j], time);
    if (outcomes->jobs[j].state == OUTCOME_ACTIVE)
      outcomes->jobs[j].state = OUTCOME_UNFINISHED;
  }
}

static void take_job_record(struct outcomes *outcomes, const struct record *r) {
  struct outcome *job = &outcomes->jobs[r->job];
  switch (r->kind) {
  case RECORD_ARRIVE:
    job->state = OUTCOME_ACTIVE;
    job->time = r->time;
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
    end_job(outcomes, r, OUTCOME_FINISHED);
    break;
  case RECORD_REJECT:
    end_job(outcomes, r, OUTCOME_REJECTED);
    break;
  case RECORD_DROP:
    end_job(outcomes, r, OUTCOME_DROPPED);
    break;
  case RECORD_CANCEL:
    end_job(outcomes, r, OUTCOME_CANCELLED);
    break;
  case RECORD_GANG_BEGIN:
    advance(job, r->time);
    job->held += r->gang->size;
    if (job->held > job->most_held)
      job->most_held = job->held;
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

void outcomes_record(struct outcomes *outcomes, const struct record *r) {
  if (r->kind == RECORD_END)
    end_run(outcomes, r->time);
  else if (r->job >= 0)
    take_job_record(outcomes, r);
}

const char *outcome_reason(const struct outcomes *outcomes, const struct outcome *outcome) {
  return outcome->reason > 0 ? outcomes->reasons.at[outcome->reason - 1] : NULL;
}

double outcome_end(const struct outcome *outcome) {
  return outcome->state >= OUTCOME_FINISHED ? outcome->time : NAN;
}
