/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What became of each job, after the records so far: what every output with a row a job counts.
 *
 * Times between a job's arrival and its end are run_s (it held at least one GPU) and wait_s (it
 * held none); gpu_s is the GPUs of all its gangs times the time it held them, up to its end: the
 * rest of a round that its GPUs stay with after it finished is not its own. Jobs that have not
 * ended count up to the end of the run.
 */
#ifndef HSIM_OUTPUT_OUTCOMES_H
#define HSIM_OUTPUT_OUTCOMES_H

#include "model/names.h"
#include "model/record.h"

enum outcome_state {
  OUTCOME_NOT_ARRIVED,
  OUTCOME_ACTIVE, /* before the run's end only */
  OUTCOME_UNFINISHED,
  OUTCOME_FINISHED,
  OUTCOME_REJECTED,
  OUTCOME_DROPPED,
  OUTCOME_CANCELLED
};

struct outcome {
  double first_start; /* NaN before */
  double time;        /* of its end; before that the sums are counted up to here */
  double run_s, wait_s, gpu_s;
  uint32_t starts, preemptions, migrations, resizes;
  int32_t held, most_held; /* GPUs over all its gangs: now, and the most at a time */
  int32_t gangs, copies;   /* its gangs now; the most at a time */
  uint32_t state : 3;      /* enum outcome_state */
  uint32_t reason : 29;    /* see outcome_reason */
};

struct outcomes {
  const struct trace *trace;
  struct outcome *jobs; /* [n_jobs] */
  struct names reasons;
  double end_s; /* the clock at the run's end */
};

void outcomes_init(struct outcomes *outcomes, const struct trace *trace);
void outcomes_record(struct outcomes *outcomes, const struct record *record);
void outcomes_free(struct outcomes *outcomes);

/* Why it was rejected, dropped or cancelled; NULL when nothing was said. */
const char *outcome_reason(const struct outcomes *outcomes, const struct outcome *outcome);

/* When it ended; NaN when it has not. */
double outcome_end(const struct outcome *outcome);

#endif
