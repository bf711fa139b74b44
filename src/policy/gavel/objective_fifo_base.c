/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FIFO that does not know of rates: a job takes GPUs of a type drawn by lot and keeps the type
 * until it ends.
 *
 * As coded, two things are odd. The type is not the one that was drawn but the last in the list of
 * those with GPUs left, whether or not it has enough for the job, and when it is used up exactly,
 * the type that was drawn leaves the list in its place: types are booked twice while others idle.
 * And a job that ended hands its type to the first that waits before the GPUs of later jobs have
 * been counted.
 */
#include <stdlib.h>

#include "model/memory.h"
#include "model/mt19937.h"
#include "policy/gavel/objective.h"

struct fifo {
  struct mt19937 random;
  int *type_of; /* [n_jobs of the trace], -1: none */
  int *held;    /* jobs that had a type after the last call, ascending */
  int n_held;
};

static void init(void *state, const struct objective_setup *setup) {
  struct fifo *fifo = state;
  size_t jobs = (size_t)setup->n_jobs;
  mt19937_seed(&fifo->random, setup->seed);
  fifo->type_of = mem_alloc(jobs, sizeof *fifo->type_of);
  fifo->held = mem_alloc(jobs, sizeof *fifo->held);
  for (size_t i = 0; i < jobs; i++)
    fifo->type_of[i] = -1;
}

static void release(void *state) {
  struct fifo *fifo = state;
  free(fifo->type_of);
  free(fifo->held);
}

/* The first job from this one on that has no type. */
static int next_waiting(const struct fifo *fifo, const struct shares_problem *problem, int job) {
  while (job < problem->n_jobs && fifo->type_of[problem->ids[job]] >= 0)
    job++;
  return job;
}

static void take(struct fifo *fifo, const struct shares_problem *problem, int job, int type,
                 int *room) {
  fifo->type_of[problem->ids[job]] = type;
  room[type] -= problem->workers[job];
}

/* Whether a job that had a type is active; *at is then its position. Ids ascend from call to call,
 * so the search goes on where it stood. */
static bool still_there(const struct shares_problem *problem, int id, int *at) {
  while (*at < problem->n_jobs && problem->ids[*at] < id)
    (*at)++;
  return *at < problem->n_jobs && problem->ids[*at] == id;
}

/* As coded. Returns the first job that waits. */
static int replace_ended(struct fifo *fifo, const struct shares_problem *problem, int *room) {
  int waiting = next_waiting(fifo, problem, 0), at = 0;
  for (int h = 0; h < fifo->n_held; h++) {
    int id = fifo->held[h], g = fifo->type_of[id];
    if (still_there(problem, id, &at)) {
      room[g] -= problem->workers[at];
      continue;
    }
    fifo->type_of[id] = -1;
    if (waiting < problem->n_jobs && problem->workers[waiting] <= room[g] &&
        rates_of(problem, waiting)[g] > 0.0) {
      take(fifo, problem, waiting, g, room);
      waiting = next_waiting(fifo, problem, waiting + 1);
    }
  }
  return waiting;
}

/* Types with GPUs left, by name. */
static int list_types(const struct shares_problem *problem, const int *room, int *listed) {
  int n = 0;
  for (int i = 0; i < problem->n_types; i++)
    if (room[problem->type_order[i]] > 0)
      listed[n++] = problem->type_order[i];
  return n;
}

static void draw_as_coded(struct fifo *fifo, const struct shares_problem *problem, int *room) {
  int waiting = replace_ended(fifo, problem, room);
  int listed[HSIM_MAX_TYPES], with_room[HSIM_MAX_TYPES];
  int n_listed = list_types(problem, room, listed);
  while (waiting < problem->n_jobs && n_listed > 0) {
    int n = 0, job = waiting;
    waiting = next_waiting(fifo, problem, job + 1);
    for (int i = 0; i < n_listed; i++)
      if (room[listed[i]] >= problem->workers[job])
        with_room[n++] = i;
    if (n == 0)
      return;
    int drawn = with_room[mt19937_below(&fifo->random, (uint32_t)n)];
    int g = listed[n_listed - 1];
    if (rates_of(problem, job)[g] <= 0.0)
      continue;
    take(fifo, problem, job, g, room);
    if (room[g] != 0)
      continue;
    n_listed--;
    for (int i = drawn; i < n_listed; i++)
      listed[i] = listed[i + 1];
  }
}

/* What a job has, it keeps while the type has GPUs for it and for those before it. */
static void keep_types(struct fifo *fifo, const struct shares_problem *problem, int *room) {
  int at = 0;
  for (int h = 0; h < fifo->n_held; h++) {
    int id = fifo->held[h], g = fifo->type_of[id];
    fifo->type_of[id] = -1;
    if (still_there(problem, id, &at) && room[g] >= problem->workers[at] &&
        rates_of(problem, at)[g] > 0.0)
      take(fifo, problem, at, g, room);
  }
}

static void draw_as_published(struct fifo *fifo, const struct shares_problem *problem, int *room) {
  keep_types(fifo, problem, room);
  for (int job = next_waiting(fifo, problem, 0); job < problem->n_jobs;
       job = next_waiting(fifo, problem, job + 1)) {
    const double *rates = rates_of(problem, job);
    int with_room[HSIM_MAX_TYPES], n = 0;
    bool anywhere = false;
    for (int i = 0; i < problem->n_types; i++) {
      int g = problem->type_order[i];
      anywhere = anywhere || rates[g] > 0.0;
      if (rates[g] > 0.0 && room[g] >= problem->workers[job])
        with_room[n++] = g;
    }
    if (n > 0)
      take(fifo, problem, job, with_room[mt19937_below(&fifo->random, (uint32_t)n)], room);
    else if (anywhere)
      return; /* it blocks those behind it, unless it could not run on an empty cluster either */
  }
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)lp;
  (void)report;
  (void)error;
  struct fifo *fifo = state;
  int room[HSIM_MAX_TYPES];
  for (int g = 0; g < problem->n_types; g++)
    room[g] = problem->type_gpus[g];
  if (problem->coded)
    draw_as_coded(fifo, problem, room);
  else
    draw_as_published(fifo, problem, room);
  fifo->n_held = 0;
  for (int i = 0; i < problem->n_jobs; i++) {
    int g = fifo->type_of[problem->ids[i]];
    if (g < 0)
      continue;
    fifo->held[fifo->n_held++] = problem->ids[i];
    shares_of(problem, shares, i)[g] = 1.0;
  }
  return HSIM_OK;
}

const struct objective objective_fifo = {.name = "fifo",
                                         .strict = true,
                                         .state_size = sizeof(struct fifo),
                                         .init = init,
                                         .free = release,
                                         .allocate = allocate};
