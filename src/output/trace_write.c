/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/trace_write.h"

#include <math.h>
#include <string.h>

#include "model/number.h"

const char *const trace_target_names[N_TARGETS] = {"native", "gavel", "swf"};

const char *trace_loss_text(enum trace_target target, enum trace_loss loss) {
  static const char *const texts[N_LOSSES] = {
      [LOSS_ID] = "ids: a job is known by its line, from 0",
      [LOSS_STEPS] = "steps that are not whole: cut to whole ones, 1 at least",
      [LOSS_SECONDS] = "times that are not whole seconds: rounded, durations to 1 at least",
      [LOSS_MODEL] = "models: a number stands for each, their names are in the comments",
      [LOSS_ELASTIC] = "elastic ranges",
      [LOSS_GPU_TYPES] = "restrictions to GPU types",
      [LOSS_PHASES] = "later phases of a job",
      [LOSS_WEIGHT] = "weights",
      [LOSS_PRIORITY] = "priorities",
      [LOSS_TENANT] = "tenants",
      [LOSS_APP] = "apps",
      [LOSS_EPOCHS] = "epochs",
      [LOSS_DEADLINE] = "deadlines",
      [LOSS_ESTIMATE] = "estimates"};
  static const char *const in_swf[N_LOSSES] = {
      [LOSS_ID] = ("ids: not all are whole numbers from 1 (0 is none in SWF) in at most 18 digits; "
                   "jobs are numbered from 1"),
      [LOSS_TENANT] = "tenants: a number stands for each, their names are in the comments",
      [LOSS_APP] = "apps: a number stands for each, their names are in the comments"};
  return target == TARGET_SWF && in_swf[loss] ? in_swf[loss] : texts[loss];
}

static bool restricted(const struct trace_to_write *from, const struct hsim_job *job) {
  if (!from->cluster)
    return false;
  int n = from->cluster->n_types;
  uint64_t all = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
  return (job->gpu_types & all) != all;
}

void trace_write_count(const struct trace_to_write *from, const struct hsim_job *job,
                       int losses[N_LOSSES]) {
  losses[LOSS_ELASTIC] += job->min_workers != 1 || job->max_workers != job->workers;
  losses[LOSS_GPU_TYPES] += restricted(from, job);
  losses[LOSS_PHASES] += job->n_phases > 0;
  losses[LOSS_PRIORITY] += job->priority != 0;
  losses[LOSS_TENANT] += job->tenant >= 0;
  losses[LOSS_APP] += job->app >= 0;
  losses[LOSS_EPOCHS] += job->epochs > 0;
  losses[LOSS_DEADLINE] += !isnan(job->deadline_s);
}

static enum hsim_status check_names(const struct trace_to_write *from, struct hsim_error *error) {
  for (int i = 0; i < from->models->n; i++)
    if (strpbrk(from->models->at[i], "\t\r\n"))
      return hsim_fail(error, HSIM_BAD_INPUT,
                       "model number %d of the rates table has a tab or a line end in its name: "
                       "Gavel's format cannot hold it",
                       i + 1);
  return HSIM_OK;
}

/* The readers of the formats take no larger ones, nor times beyond TRACE_LATEST_S. */
#define GAVEL_MOST_STEPS 9223372036854775808.0 /* 2^63: below it */

static enum hsim_status refuse(const struct hsim_job *job, const char *what, double value,
                               const char *expected, struct hsim_error *error) {
  char number[NUMBER_SIZE];
  number_print(value, number);
  return hsim_fail(error, HSIM_BAD_INPUT, "job \"%.80s\": %s %s: expected %s", job->id, what,
                   number, expected);
}

static enum hsim_status check_numbers(const struct trace_to_write *from, enum trace_target target,
                                      struct hsim_error *error) {
  for (int i = 0; i < from->trace->n_jobs; i++) {
    const struct hsim_job *job = &from->trace->jobs[i];
    if (target == TARGET_GAVEL && job->steps >= GAVEL_MOST_STEPS)
      return refuse(job, "steps", job->steps, "less than 2^63 in Gavel's format", error);
    if (target == TARGET_SWF && from->durations_s[i] > TRACE_LATEST_S)
      return refuse(job, "run time", from->durations_s[i], "at most 1e12 seconds in SWF", error);
    if (target == TARGET_SWF && job->estimate_s > TRACE_LATEST_S)
      return refuse(job, "estimate", job->estimate_s, "at most 1e12 seconds in SWF", error);
  }
  return HSIM_OK;
}

enum hsim_status trace_write(const struct trace_to_write *from, enum trace_target target,
                             struct out *out, int losses[N_LOSSES], struct hsim_error *error) {
  memset(losses, 0, N_LOSSES * sizeof *losses);
  enum hsim_status status = target == TARGET_GAVEL ? check_names(from, error) : HSIM_OK;
  if (status == HSIM_OK)
    status = check_numbers(from, target, error);
  if (status != HSIM_OK)
    return status;
  switch (target) {
  case TARGET_GAVEL:
    trace_write_gavel(from, out, losses);
    break;
  case TARGET_SWF:
    trace_write_swf(from, out, losses);
    break;
  default:
    trace_write_native(from, out);
    break;
  }
  return HSIM_OK;
}
