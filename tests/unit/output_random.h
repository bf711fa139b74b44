/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tiny random scheduler that writes valid streams: starts, stops, moves, resizes, node failures,
 * GPUs that stay with a round after their job finished.
 */
#ifndef OUTPUT_RANDOM_H
#define OUTPUT_RANDOM_H

#include "output_world.h"

enum { RANDOM_TICK = 60 };

struct random_job {
  double done, from, stall, waiting_since, finish_at;
  struct hsim_gang *gang;
  bool active, tail; /* tail: finished, GPUs held */
};

struct random_run {
  struct world *w;
  uint64_t rng;
  struct random_job *jobs;
  bool used[8], node_down[2];
  int arrived;
};

static int random_node(int gpu) {
  return gpu < 4 ? 0 : 1;
}

static void random_release(struct random_run *run, int j, double stop) {
  struct random_job *job = &run->jobs[j];
  const struct hsim_job *fact = &run->w->trace.jobs[j];
  double stall = fmin(job->stall, stop - job->from);
  struct record *r = say_segment(run->w, job->gang, job->from, stall, stop);
  if (job->tail)
    r->steps = fact->steps - job->done; /* the last step exactly */
  job->done += r->steps;
  say_gang(run->w, RECORD_GANG_END, job->gang);
  for (int i = 0; i < job->gang->size; i++)
    run->used[job->gang->gpus[i]] = false;
}

/* Random free GPUs of one type that are up; false when there are too few. */
static bool random_pick(struct random_run *run, int size, int gpus[8]) {
  int first = roll_below(&run->rng, 4) == 0 ? 6 : 0, last = first == 6 ? 8 : 6, n = 0;
  for (int g = first; g < last && n < size; g++) {
    if (!run->used[g] && !run->node_down[random_node(g)] && roll_below(&run->rng, 3) > 0)
      gpus[n++] = g;
  }
  return n == size;
}

static void random_begin(struct random_run *run, int j, const int *gpus, int size,
                         enum record_kind kind, int moved) {
  static const double v100[] = {0, 10, 18, 24, 30}, k80[] = {0, 2, 3.6, 0, 0};
  struct random_job *job = &run->jobs[j];
  double rate = gpus[0] >= 6 ? k80[size] : v100[size];
  job->gang = gang_on(run->w, j, 0, rate, gpus, size);
  job->from = run->w->now;
  job->stall = roll_below(&run->rng, 20);
  job->finish_at = job->from + job->stall + (run->w->trace.jobs[j].steps - job->done) / rate;
  if (kind != RECORD_ROUND)
    say_gang(run->w, kind, job->gang)->moved = moved;
  say_gang(run->w, RECORD_GANG_BEGIN, job->gang);
  for (int i = 0; i < size; i++)
    run->used[gpus[i]] = true;
}

/* The job gives its GPUs back and gets others, or none. */
static void random_change(struct random_run *run, int j) {
  struct random_job *job = &run->jobs[j];
  struct hsim_gang *old = job->gang;
  int size = run->w->trace.jobs[j].workers, gpus[8], moved = 0;
  if (run->w->info.elastic)
    size = 1 + roll_below(&run->rng, size);
  if (old == NULL) {
    if (!random_pick(run, size, gpus))
      return;
    say_wait(run->w, j, job->waiting_since, (enum hsim_reason)roll_below(&run->rng, 8));
    random_begin(run, j, gpus, size, RECORD_START, 0);
    return;
  }
  random_release(run, j, run->w->now);
  job->gang = NULL;
  bool stays = roll_below(&run->rng, 3) > 0 && random_pick(run, size, gpus);
  if (!stays) {
    say_gang(run->w, RECORD_PREEMPT, old);
    job->waiting_since = run->w->now;
    return;
  }
  for (int i = 0; i < size; i++) {
    bool held = false;
    for (int k = 0; k < old->size; k++)
      held = held || old->gpus[k] == gpus[i];
    moved += !held;
  }
  enum record_kind kind = size != old->size ? RECORD_RESIZE
                          : moved > 0       ? RECORD_MIGRATE
                                            : RECORD_ROUND;
  random_begin(run, j, gpus, size, kind, moved);
}

static void random_finish(struct random_run *run, int j) {
  struct random_job *job = &run->jobs[j];
  bool stays = roll_below(&run->rng, 2) == 0;
  job->tail = true;
  job->active = false;
  if (stays) {
    say(run->w, RECORD_FINISH, j);
  } else {
    random_release(run, j, job->finish_at);
    job->gang = NULL;
    say(run->w, RECORD_FINISH, j);
  }
}

static bool random_is_on(const struct hsim_gang *gang, int node) {
  for (int i = 0; gang != NULL && i < gang->size; i++) {
    if (random_node(gang->gpus[i]) == node)
      return true;
  }
  return false;
}

/* A node that fails stops its jobs, which may start elsewhere at the same instant. */
static void random_nodes(struct random_run *run) {
  int node = roll_below(&run->rng, 2);
  if (roll_below(&run->rng, 12) > 0)
    return;
  run->node_down[node] = !run->node_down[node];
  for (int j = 0; j < run->arrived && run->node_down[node]; j++) {
    struct random_job *job = &run->jobs[j];
    if (!job->active || !random_is_on(job->gang, node))
      continue;
    random_release(run, j, run->w->now);
    job->gang = NULL;
    job->waiting_since = run->w->now;
    say(run->w, RECORD_PREEMPT, j);
  }
  say(run->w, run->node_down[node] ? RECORD_NODE_DOWN : RECORD_NODE_UP, -1)->node = node;
}

static void random_tick(struct random_run *run) {
  struct world *w = run->w;
  for (int j = 0; j < run->arrived; j++) {
    struct random_job *job = &run->jobs[j];
    if (!job->tail || job->gang == NULL)
      continue;
    random_release(run, j, job->finish_at);
    job->gang = NULL;
  }
  random_nodes(run);
  say(w, RECORD_ROUND, -1)->count = 1;
  for (int j = 0; j < run->arrived; j++) {
    struct random_job *job = &run->jobs[j];
    if (!job->active)
      continue;
    if (roll_below(&run->rng, 2) == 0)
      random_change(run, j);
  }
}

/* Time of the next arrival, finish or tick. */
static double random_next(const struct random_run *run) {
  double next = (floor(run->w->now / RANDOM_TICK) + 1) * RANDOM_TICK;
  if (run->arrived < run->w->trace.n_jobs)
    next = fmin(next, run->w->trace.jobs[run->arrived].arrival_s);
  for (int j = 0; j < run->arrived; j++) {
    if (run->jobs[j].active && run->jobs[j].gang != NULL)
      next = fmin(next, run->jobs[j].finish_at);
  }
  return next;
}

static void random_end(struct random_run *run) {
  for (int j = 0; j < run->arrived; j++) {
    struct random_job *job = &run->jobs[j];
    if (job->gang != NULL)
      random_release(run, j, job->tail ? job->finish_at : run->w->now);
    if (job->gang == NULL && job->active)
      say_wait(run->w, j, job->waiting_since, HSIM_LEASE);
  }
  say(run->w, RECORD_END, -1);
}

/* Fills the world's trace and stream. */
static void random_stream(struct world *w, uint64_t seed, int n_jobs, double until) {
  struct random_run run = {.w = w, .rng = seed};
  double arrival = roll_below(&run.rng, 50);
  char app[8];
  for (int j = 0; j < n_jobs; j++) {
    int workers = 1 + roll_below(&run.rng, 4); /* one roll a statement: no order is left open */
    int steps = 1 + roll_below(&run.rng, 5000);
    struct hsim_job *job = add_job(w, "A", arrival, workers, steps);
    if (roll_below(&run.rng, 3) == 0) {
      snprintf(app, sizeof app, "app%d", roll_below(&run.rng, 3));
      job->app = names_add(&w->trace.apps, app, strlen(app));
    }
    arrival += roll_below(&run.rng, 4) == 0 ? 0 : roll_below(&run.rng, 80);
  }
  run.jobs = mem_zero((size_t)n_jobs, sizeof *run.jobs);
  w->info.elastic = roll_below(&run.rng, 2) == 0;
  while ((w->now = random_next(&run)) < until) {
    for (int j = 0; j < run.arrived; j++) {
      struct random_job *job = &run.jobs[j];
      if (job->active && job->gang != NULL && job->finish_at == w->now)
        random_finish(&run, j);
    }
    while (run.arrived < n_jobs && w->trace.jobs[run.arrived].arrival_s == w->now) {
      say(w, RECORD_ARRIVE, run.arrived);
      run.jobs[run.arrived].active = true;
      run.jobs[run.arrived].waiting_since = w->now;
      if (roll_below(&run.rng, 15) == 0) {
        say(w, RECORD_REJECT, run.arrived)->detail = "unlucky";
        run.jobs[run.arrived].active = false;
      }
      run.arrived++;
    }
    if (fmod(w->now, RANDOM_TICK) == 0.0)
      random_tick(&run);
  }
  w->now = until;
  random_end(&run);
  free(run.jobs);
}

#endif
