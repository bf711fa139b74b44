/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/result_swf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/rates.h"
#include "output/outcomes.h"
#include "output/swf.h"

struct result_swf {
  const struct run_info *info;
  struct out *out;
  struct outcomes outcomes;
};

static void take_record(void *state, const struct record *r) {
  struct result_swf *result = state;
  outcomes_record(&result->outcomes, r);
}

static int status_of(enum outcome_state state) {
  switch (state) {
  case OUTCOME_FINISHED:
    return 1;
  case OUTCOME_DROPPED:
    return 0;
  case OUTCOME_REJECTED:
  case OUTCOME_CANCELLED:
    return 5;
  default:
    return -1;
  }
}

static struct swf_times times_of(const struct hsim_job *job, const struct outcome *outcome) {
  double submit = round(job->arrival_s), start = round(outcome->first_start);
  double end = round(outcome_end(outcome));
  bool started = !isnan(start), ran = started && !isnan(end);
  return (struct swf_times){.submit = submit,
                            .wait = started ? start - submit : -1,
                            .run = ran ? end - start : -1,
                            .processors = started ? outcome->most_held : -1,
                            .cpu = ran ? round(outcome->gpu_s / outcome->most_held) : -1,
                            .status = status_of((enum outcome_state)outcome->state)};
}

static void put_head(const struct result_swf *result, const struct swf *swf) {
  const struct hsim_cluster *cluster = result->info->cluster;
  char number[16];
  swf_head(swf);
  snprintf(number, sizeof number, "%d", cluster->n_nodes);
  swf_comment(swf, "MaxNodes", number);
  snprintf(number, sizeof number, "%d", cluster->n_gpus);
  swf_comment(swf, "MaxProcs", number);
  swf_comment(swf, "Computer", cluster->name);
  swf_comment(swf, "Note", "processors are GPUs; simulated by hsim");
  swf_comment(swf, "Policy", result->info->policy);
  swf_names(swf);
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct result_swf *result = state;
  const struct trace *trace = result->info->trace;
  struct swf swf = swf_begin(trace, &result->info->rates->models, result->out);
  put_head(result, &swf);
  for (int j = 0; j < trace->n_jobs; j++) {
    struct swf_times times = times_of(&trace->jobs[j], &result->outcomes.jobs[j]);
    swf_job(&swf, j, &times);
  }
  return out_flush(result->out, error);
}

static void destroy(void *state) {
  struct result_swf *result = state;
  outcomes_free(&result->outcomes);
  free(result);
}

struct sink result_swf_sink(const struct run_info *info, struct out *out) {
  struct result_swf *result = mem_zero(1, sizeof *result);
  result->info = info;
  result->out = out;
  outcomes_init(&result->outcomes, info->trace);
  return (struct sink){.state = result, .record = take_record, .end = finish, .free = destroy};
}
