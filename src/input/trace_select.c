/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/trace_select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsim/view.h"
#include "input/row.h"
#include "model/number.h"

struct trace_selection trace_selection_all(void) {
  return (struct trace_selection){.from_s = 0, .to_s = INFINITY, .scale_arrivals = 1};
}

static void keep(struct trace *trace, int *n, int i) {
  if (*n != i)
    trace->jobs[*n] = trace->jobs[i];
  ++*n;
}

static enum hsim_status take_window(struct trace *trace, const struct trace_selection *selection,
                                    struct hsim_error *error) {
  double first = trace->jobs[0].arrival_s, last = trace->jobs[trace->n_jobs - 1].arrival_s;
  int n = 0;
  if (selection->from_s <= first && selection->to_s > last)
    return HSIM_OK;
  for (int i = 0; i < trace->n_jobs; i++)
    if (trace->jobs[i].arrival_s >= selection->from_s && trace->jobs[i].arrival_s < selection->to_s)
      keep(trace, &n, i);
  trace->n_jobs = n;
  if (n > 0)
    return HSIM_OK;
  char from[NUMBER_SIZE], to[NUMBER_SIZE], begins[NUMBER_SIZE], ends[NUMBER_SIZE];
  char before[NUMBER_SIZE + 20] = "";
  number_print(selection->from_s, from);
  number_print(selection->to_s, to);
  number_print(first, begins);
  number_print(last, ends);
  if (isfinite(selection->to_s))
    snprintf(before, sizeof before, " and before %s s", to);
  return hsim_fail(error, HSIM_BAD_USAGE,
                   "options --from and --to: no job arrives at %s s or later%s; the trace's "
                   "arrivals go from %s to %s",
                   from, before, begins, ends);
}

static enum hsim_status take_tenants(struct trace *trace, const struct trace_selection *selection,
                                     struct hsim_error *error) {
  const struct names *known = &trace->tenants;
  if (selection->n_tenants == 0)
    return HSIM_OK;
  bool *wanted = mem_zero((size_t)known->n, sizeof *wanted);
  enum hsim_status status = HSIM_OK;
  for (size_t i = 0; i < selection->n_tenants && status == HSIM_OK; i++) {
    const char *name = selection->tenants[i];
    int tenant = names_find(known, name, strlen(name));
    char hint[HINT_SIZE], shown[QUOTE_SIZE];
    if (tenant >= 0)
      wanted[tenant] = true;
    else if (known->n == 0)
      status = hsim_fail(error, HSIM_BAD_USAGE, "option --tenant: the trace names no tenants");
    else
      status =
          hsim_fail(error, HSIM_BAD_USAGE, "option --tenant: value %s: no tenant of the trace%s",
                    quoted(shown, name, strlen(name)),
                    hint_near(hint, (const char *const *)known->at, (size_t)known->n, name));
  }
  int n = 0;
  for (int i = 0; i < trace->n_jobs && status == HSIM_OK; i++)
    if (trace->jobs[i].tenant >= 0 && wanted[trace->jobs[i].tenant])
      keep(trace, &n, i);
  free(wanted);
  if (status != HSIM_OK)
    return status;
  trace->n_jobs = n;
  if (n > 0)
    return HSIM_OK;
  return hsim_fail(error, HSIM_BAD_USAGE,
                   "options --from, --to and --tenant: no job of these tenants arrives then");
}

/* Selection sampling (Fan, Muller and Rezucha, JASA 1962): one pass, order kept, every subset of
 * that size equally likely. */
static enum hsim_status take_sample(struct trace *trace, int wanted, uint64_t seed,
                                    struct hsim_error *error) {
  if (wanted <= 0)
    return HSIM_OK;
  if (wanted > trace->n_jobs)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "option --sample: value \"%d\": expected at most the %d jobs that there are",
                     wanted, trace->n_jobs);
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, "sample");
  int n = 0;
  for (int i = 0; n < wanted; i++)
    if (hsim_rng_below(&rng, (uint64_t)(trace->n_jobs - i)) < (uint64_t)(wanted - n))
      keep(trace, &n, i);
  trace->n_jobs = n;
  return HSIM_OK;
}

enum hsim_status trace_select(struct trace *trace, const struct trace_selection *selection,
                              uint64_t seed, struct hsim_error *error) {
  enum hsim_status status = take_window(trace, selection, error);
  if (status == HSIM_OK)
    status = take_tenants(trace, selection, error);
  if (status == HSIM_OK)
    status = take_sample(trace, selection->sample, seed, error);
  return status;
}

/* A deadline keeps its distance; NaN stays NaN. */
static void arrive_at(struct hsim_job *job, double arrival) {
  job->deadline_s = arrival + (job->deadline_s - job->arrival_s);
  job->arrival_s = arrival;
}

/* The option whose value would move the last arrival to `last`. */
static enum hsim_status check_last(const char *option, double value, double last,
                                   struct hsim_error *error) {
  char text[NUMBER_SIZE];
  if (last <= TRACE_LATEST_S)
    return HSIM_OK;
  number_print(value, text);
  return hsim_fail(error, HSIM_BAD_USAGE,
                   "option --%s: value \"%s\": expected one that leaves the last arrival at or "
                   "before 1e12 s",
                   option, text);
}

enum hsim_status trace_scale(struct trace *trace, double factor, struct hsim_error *error) {
  double first = trace->jobs[0].arrival_s, last = trace->jobs[trace->n_jobs - 1].arrival_s;
  if (factor == 1)
    return HSIM_OK;
  enum hsim_status status =
      check_last("scale-arrivals", factor, first + factor * (last - first), error);
  for (int i = 0; i < trace->n_jobs && status == HSIM_OK; i++)
    arrive_at(&trace->jobs[i], first + factor * (trace->jobs[i].arrival_s - first));
  return status;
}

/* Before conversion a negative number of steps is a duration. */
static void shake_work(struct trace *trace, struct hsim_job *job, double factor) {
  job->steps *= factor;
  if (job->n_phases == 0)
    return;
  struct hsim_phase *phases = arena_alloc(&trace->texts, (size_t)job->n_phases * sizeof *phases);
  for (int p = 0; p < job->n_phases; p++)
    phases[p] = (struct hsim_phase){job->phases[p].from_step * factor, job->phases[p].model};
  job->phases = phases;
}

enum hsim_status trace_shake(struct trace *trace, double shake, uint64_t seed,
                             struct hsim_error *error) {
  if (shake == 0)
    return HSIM_OK;
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, "shake");
  double before = trace->jobs[0].arrival_s, now = before;
  for (int i = 0; i < trace->n_jobs; i++) {
    struct hsim_job *job = &trace->jobs[i];
    double gap = job->arrival_s - before;
    before = job->arrival_s;
    now += gap * (1 + shake * (2 * hsim_rng_uniform(&rng) - 1));
    arrive_at(job, now);
    shake_work(trace, job, 1 + shake * (2 * hsim_rng_uniform(&rng) - 1));
  }
  return check_last("shake", shake, now, error);
}
