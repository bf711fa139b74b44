/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * First in, first out, without preemption. A head that does not fit blocks the queue, or, with
 * backfill, later jobs that fit may pass it. With profile=yarn it stands in for the capacity
 * scheduler of YARN (Vavilapalli et al., SoCC'13), which knows no GPU types and does not
 * consolidate.
 */
#include <stdlib.h>

#include "model/memory.h"
#include "policy/baselines/place.h"
#include "policy/baselines/ranked.h"
#include "policy/policies.h"

enum { OPTION_TYPE, OPTION_CONSOLIDATE, OPTION_BACKFILL, OPTION_PROFILE, N_OPTIONS };
enum { PROFILE_NONE, PROFILE_YARN };

static const struct hsim_option options[N_OPTIONS] = {
    [OPTION_TYPE] = PLACE_TYPE_OPTION,
    [OPTION_CONSOLIDATE] = PLACE_CONSOLIDATE_OPTION,
    [OPTION_BACKFILL] = {.name = "backfill",
                         .kind = HSIM_OPTION_BOOL,
                         .fallback = "0",
                         .help = "1: later jobs that fit may pass a head that does not"},
    [OPTION_PROFILE] = {.name = "profile",
                        .kind = HSIM_OPTION_CHOICE,
                        .fallback = "none",
                        .choices = "none|yarn",
                        .help = "yarn: type=first, consolidate=any, backfill=1 unless given"},
};

enum { NOBODY = -1 };

/* A waiting job, by job index: a list in arrival order. */
struct waiter {
  int next;
  int workers;
  bool waits;
};

struct fifo {
  struct placer placer;
  struct waiter *waiters; /* [n_jobs] */
  int head, tail;         /* job indices */
  int told;               /* last job whose place behind others is known to the core */
  int head_told;          /* head whose reason is known, and the reason */
  enum hsim_reason head_reason;
  struct gang_sizes sizes;
  bool backfill;
  bool some_stopped; /* jobs have come back to the queue */
};

static const char *settled(const struct hsim_value *values, int option) {
  if (values[OPTION_PROFILE].as.i != PROFILE_YARN)
    return NULL;
  switch (option) {
  case OPTION_TYPE:
    return "first";
  case OPTION_CONSOLIDATE:
    return "any";
  case OPTION_BACKFILL:
    return "1";
  default:
    return NULL;
  }
}

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  (void)error;
  struct fifo *fifo = state;
  fifo->backfill = values[OPTION_BACKFILL].as.i != 0;
  placer_create(&fifo->placer, view, (enum place_type)values[OPTION_TYPE].as.i,
                (enum hsim_pack)values[OPTION_CONSOLIDATE].as.i);
  fifo->waiters = mem_zero((size_t)view->n_jobs, sizeof *fifo->waiters);
  gang_sizes_create(&fifo->sizes, view->cluster->n_gpus);
  fifo->head = fifo->tail = fifo->told = fifo->head_told = NOBODY;
  return HSIM_OK;
}

static void destroy(void *state) {
  struct fifo *fifo = state;
  placer_destroy(&fifo->placer);
  free(fifo->waiters);
  gang_sizes_destroy(&fifo->sizes);
}

static void append(struct fifo *fifo, const struct hsim_active *job) {
  int workers = job->job->workers;
  fifo->waiters[job->index] = (struct waiter){.next = NOBODY, .workers = workers, .waits = true};
  if (fifo->tail == NOBODY)
    fifo->head = job->index;
  else
    fifo->waiters[fifo->tail].next = job->index;
  fifo->tail = job->index;
  gang_sizes_add(&fifo->sizes, workers);
}

/* Takes out the job that follows `previous` (NOBODY: the head). */
static void unlink_after(struct fifo *fifo, int previous) {
  int job = previous == NOBODY ? fifo->head : fifo->waiters[previous].next;
  int next = fifo->waiters[job].next;
  if (previous == NOBODY)
    fifo->head = next;
  else
    fifo->waiters[previous].next = next;
  if (fifo->tail == job)
    fifo->tail = previous;
  if (fifo->told == job)
    fifo->told = previous;
  fifo->waiters[job].waits = false;
  gang_sizes_remove(&fifo->sizes, fifo->waiters[job].workers);
}

static void job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)view;
  struct fifo *fifo = state;
  placer_meet(&fifo->placer, job);
  append(fifo, job);
}

/* Most jobs leave while they run. One that leaves the queue itself is rare enough for a search. */
static void job_finished(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)view;
  struct fifo *fifo = state;
  if (!fifo->waiters[job->index].waits)
    return;
  int previous = NOBODY;
  for (int i = fifo->head; i != job->index; i = fifo->waiters[i].next)
    previous = i;
  unlink_after(fifo, previous);
}

static void node_changed(void *state, const struct hsim_view *view, int node, bool up) {
  (void)node;
  (void)up;
  struct fifo *fifo = state;
  placer_survey(&fifo->placer, view);
}

static void job_stopped(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)view;
  (void)job;
  struct fifo *fifo = state;
  fifo->some_stopped = true;
}

/* Jobs that lost their GPUs are back at their place in arrival order. */
static void queue_again(struct fifo *fifo, const struct hsim_view *view) {
  fifo->head_told = NOBODY;
  while (fifo->head != NOBODY)
    unlink_after(fifo, NOBODY);
  for (const struct hsim_active *job = view->first; job; job = job->next) {
    if (job->n_gangs > 0)
      continue;
    placer_renew(&fifo->placer, job);
    append(fifo, job);
  }
}

static bool start(struct fifo *fifo, const struct hsim_view *view, struct hsim_plan *plan,
                  int job) {
  return placer_fits(&fifo->placer, job, fifo->waiters[job].workers) &&
         placer_place(&fifo->placer, plan, hsim_active_job(view, job), UINT64_MAX);
}

/* The head waits for GPUs, the others for the head. */
static void give_reasons(struct fifo *fifo, struct hsim_plan *plan) {
  int head = fifo->head;
  if (head == NOBODY)
    return;
  enum hsim_reason reason = placer_reason(&fifo->placer, head, fifo->waiters[head].workers);
  if (head != fifo->head_told || reason != fifo->head_reason)
    hsim_plan_reason(plan, head, reason);
  fifo->head_told = head;
  fifo->head_reason = reason;
  for (int i = fifo->told == NOBODY ? head : fifo->told; i != NOBODY; i = fifo->waiters[i].next) {
    if (i != head && i != fifo->told)
      hsim_plan_reason(plan, i, HSIM_OUTRANKED);
  }
  fifo->told = fifo->tail;
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct fifo *fifo = state;
  if (fifo->some_stopped)
    queue_again(fifo, view);
  fifo->some_stopped = false;
  if (fifo->head == NOBODY)
    return HSIM_OK;
  placer_look(&fifo->placer, plan);
  int previous = NOBODY;
  for (int job = fifo->head; job != NOBODY && fifo->placer.widest >= fifo->sizes.smallest;) {
    int next = fifo->waiters[job].next;
    if (start(fifo, view, plan, job))
      unlink_after(fifo, previous);
    else if (fifo->backfill)
      previous = job;
    else
      break;
    job = next;
  }
  if (!fifo->backfill)
    give_reasons(fifo, plan);
  return HSIM_OK;
}

const struct hsim_policy policy_fifo = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "fifo",
    .summary = "First in, first out; a running job is never stopped",
    .mode = HSIM_MODE_EVENT,
    .oracle = HSIM_KNOWS_RATES,
    .never_pairs = true,
    .state_size = sizeof(struct fifo),
    .options = options,
    .n_options = N_OPTIONS,
    .create = create,
    .destroy = destroy,
    .job_arrived = job_arrived,
    .job_finished = job_finished,
    .job_stopped = job_stopped,
    .node_changed = node_changed,
    .schedule = schedule,
    .settled = settled,
};
