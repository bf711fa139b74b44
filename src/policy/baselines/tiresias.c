/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discretised two-dimensional least attained service (Gu et al., Tiresias, NSDI'19): a few queues
 * instead of a continuous order, so that jobs with similar service do not preempt each other.
 *
 * A job enters the first queue and sinks to the next one when the GPU-seconds that it attained
 * since its last promotion reach that queue's threshold. A job below the first queue that waits
 * goes back to it, with both counters reset, once its present wait is `promote` times as long as it
 * has run since its last promotion. Inside a queue the job that first started earliest goes first,
 * jobs that never started last, then arrival order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/number.h"
#include "policy/baselines/baseline.h"
#include "policy/policies.h"

enum { OPTION_THRESHOLDS = BASELINE_N_OPTIONS, OPTION_PROMOTE, N_OPTIONS };
enum { MAX_THRESHOLDS = 15 };

static const struct hsim_option options[N_OPTIONS] = {
    [BASELINE_TYPE] = PLACE_TYPE_OPTION,
    [BASELINE_CONSOLIDATE] = PLACE_CONSOLIDATE_OPTION,
    [OPTION_THRESHOLDS] = {.name = "thresholds",
                           .kind = HSIM_OPTION_TEXT,
                           .fallback = "3600",
                           .help =
                               "GPU-seconds at which a job sinks a queue, ascending, joined by /"},
    [OPTION_PROMOTE] = {.name = "promote",
                        .kind = HSIM_OPTION_REAL,
                        .fallback = "8",
                        .min = 0,
                        .max = INFINITY,
                        .help = "back to the first queue after waiting so many times the time run; "
                                "0: never"},
};

/* A job's service when it was last promoted, by job index. */
struct promotion {
  double attained_gpu_s;
  double run_s;
};

struct tiresias {
  struct baseline base;
  double thresholds[MAX_THRESHOLDS];
  int n_thresholds;
  double promote;
  struct promotion *promotions; /* [n_jobs] */
};

static enum hsim_status read_thresholds(struct tiresias *tiresias, const char *text,
                                        struct hsim_error *error) {
  for (const char *at = text;;) {
    size_t length = strcspn(at, "/");
    double value,
        last = tiresias->n_thresholds ? tiresias->thresholds[tiresias->n_thresholds - 1] : 0;
    if (number_parse(at, length, &value) != NUMBER_OK || !(value > last))
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "thresholds=%s: \"%.*s\": expected GPU-seconds above %g, ascending "
                       "and joined by /",
                       text, (int)length, at, last);
    if (tiresias->n_thresholds == MAX_THRESHOLDS)
      return hsim_fail(error, HSIM_BAD_USAGE, "thresholds=%s: more than %d thresholds", text,
                       MAX_THRESHOLDS);
    tiresias->thresholds[tiresias->n_thresholds++] = value;
    if (at[length] == '\0')
      return HSIM_OK;
    at += length + 1;
  }
}

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  struct tiresias *tiresias = state;
  baseline_create(&tiresias->base, view, values);
  tiresias->promotions = mem_zero((size_t)view->n_jobs, sizeof *tiresias->promotions);
  tiresias->promote = values[OPTION_PROMOTE].as.real;
  return read_thresholds(tiresias, values[OPTION_THRESHOLDS].text, error);
}

static void destroy(void *state) {
  struct tiresias *tiresias = state;
  baseline_destroy(&tiresias->base);
  free(tiresias->promotions);
}

static void job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)view;
  struct tiresias *tiresias = state;
  placer_meet(&tiresias->base.placer, job);
  baseline_add(&tiresias->base, job, 0, INFINITY);
}

/* A job that ran may have sunk. */
static void rerank(void *owner, const struct hsim_view *view, const struct hsim_active *active,
                   struct rank *rank) {
  struct tiresias *tiresias = owner;
  double attained =
      baseline_service(view, active) - tiresias->promotions[active->index].attained_gpu_s;
  while (rank->level < tiresias->n_thresholds && attained >= tiresias->thresholds[rank->level])
    rank->level++;
  rank->key = active->first_start_s;
}

/* Jobs that wait below the first queue may have waited long enough. */
static void promote_waiting(struct tiresias *tiresias, const struct hsim_view *view) {
  struct ranked *ranked = &tiresias->base.ranked;
  bool any = false;
  for (int i = 0; i < ranked->n_waiting; i++) {
    struct rank *rank = &ranked->waiting[i];
    if (rank->level == 0)
      continue;
    const struct hsim_active *active = hsim_active_job(view, rank->job);
    struct promotion *last = &tiresias->promotions[rank->job];
    double run_s = hsim_run_s(view, active);
    if (view->now - active->last_stop_s < tiresias->promote * (run_s - last->run_s))
      continue;
    *last = (struct promotion){baseline_service(view, active), run_s};
    rank->level = 0;
    any = true;
  }
  if (any)
    ranked_sort_waiting(ranked);
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct tiresias *tiresias = state;
  if (view->n_running == view->n_active) {
    /* With nobody waiting any order gives the same answer, and jobs sink as far when it is looked
     * at later. */
    hsim_plan_valid_until(plan, INFINITY);
    return HSIM_OK;
  }
  ranked_refresh(&tiresias->base.ranked, &tiresias->base.placer, view, rerank, tiresias);
  if (tiresias->promote > 0)
    promote_waiting(tiresias, view);
  ranked_decide(&tiresias->base.ranked, &tiresias->base.placer, view, plan);
  return HSIM_OK;
}

const struct hsim_policy policy_tiresias = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "tiresias",
    .summary = "Tiresias: least attained service in a few queues, preemptive",
    .mode = HSIM_MODE_ROUND,
    .oracle = HSIM_KNOWS_RATES,
    .never_pairs = true,
    .state_size = sizeof(struct tiresias),
    .options = options,
    .n_options = N_OPTIONS,
    .create = create,
    .destroy = destroy,
    .job_arrived = job_arrived,
    .job_finished = baseline_job_finished,
    .node_changed = baseline_node_changed,
    .schedule = schedule,
};
