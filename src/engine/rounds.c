/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds and calls of the policy: when it is asked, what it is told, when it is asked next. */
#include <math.h>
#include <stdio.h>

#include "engine/run.h"
#include "model/clock.h"

/* Calls in a row after which nothing ran and nothing was to come that a round-mode policy may
 * need to make up its mind (a lease or an age that has to pass). */
enum { IDLE_CALLS_MAX = 1000 };

/* See check_headway. */
enum { HEADWAY_CHECK = 1024, HEADWAY_CALLS = 100 * HEADWAY_CHECK };
static const double HEADWAY_LEAST = 1e-4; /* of one job's work */

/* ---- The grid of rounds ---- */

static double grid_time(const struct hsim_core *core, uint64_t k) {
  return core->origin + (double)k * core->config->round_s;
}

/* The first point of the grid at or after t and after the last call. */
static uint64_t grid_at_or_after(const struct hsim_core *core, double t) {
  double rounds = (t - core->origin) / core->config->round_s;
  uint64_t k = rounds > 0 ? (uint64_t)rounds : 0;
  while (k > 0 && grid_time(core, k - 1) >= t)
    k--;
  while (grid_time(core, k) < t)
    k++;
  return k > core->grid_round ? k : core->grid_round + 1;
}

/* A job arrived at an empty cluster: the next round starts at once, or on the absolute grid. */
void grid_start(struct hsim_core *core) {
  if (core->config->semantics.grid == GRID_RESTART || slowest(core)) {
    idle_release(core, -1);
    core->origin = core->now;
    core->grid_round = 0;
    core->next_call = core->now;
    return;
  }
  double rounds = ceil(core->now / core->config->round_s);
  while ((rounds - 1) * core->config->round_s >= core->now)
    rounds--;
  while (rounds * core->config->round_s < core->now)
    rounds++;
  core->origin = 0;
  core->grid_round = (uint64_t)rounds;
  core->next_call = rounds * core->config->round_s;
}

/* ---- Counting rounds ---- */

/* `calls` rounds have come; none (0) when the policy is asked between two of them. */
static void count_rounds(struct hsim_core *core, uint64_t calls) {
  bool rounds = round_mode(core);
  struct record record = {
      .kind = RECORD_ROUND, .time = core->now, .job = -1, .node = -1, .count = rounds ? calls : 0};
  core->view.round += calls;
  core->result->rounds += record.count;
  emit_record(core, &record);
}

/* Quiet rounds before t in which jobs were active, when no call comes that would count them. */
void count_skipped(struct hsim_core *core, double t) {
  if (!round_mode(core) || slowest(core) || core->result->policy_calls == 0)
    return;
  uint64_t k = grid_at_or_after(core, t);
  if (k - 1 > core->grid_round)
    count_rounds(core, k - 1 - core->grid_round);
  core->grid_round = k - 1;
}

/* ---- Calling the policy ---- */

void view_update(struct hsim_core *core) {
  core->view.now = core->now;
  core->view.first = core->first ? &core->first->pub : NULL;
  core->view.arrivals_left = core->next_arrival < core->config->trace->n_jobs;
}

/* What was credited only together with a partner is credited now; with whole steps each gang's
 * round is over. */
static void close_round(struct hsim_core *core) {
  bool held = true;
  while (held) {
    held = false;
    for (struct gang *gang = core->gangs; gang && !held; gang = gang->next) {
      if (!gang->job->finish_held)
        continue;
      segment_end(core, gang->job, false);
      job_end(core, gang->job, RECORD_FINISH, "");
      held = true; /* the list has changed */
    }
  }
  idle_release(core, -1);
  if (!whole_rounds(core))
    return;
  for (struct gang *gang = core->gangs; gang; gang = gang->next) {
    bool failed = gang->failed;
    gang_settle(core, gang, 0);
    gang->failed = failed;
  }
  for (struct job *job = core->first; job; job = job->next)
    if (job->pub.job->n_phases > 0)
      take_stuck(core, job);
}

void tell_policy(struct hsim_core *core) {
  const struct hsim_policy *policy = core->policy;
  bool ran = core->n_ran > 0 || core->gangs;
  if (policy->round_ended) {
    for (struct gang *gang = core->gangs; gang; gang = gang->next)
      tell_ran(core, gang);
    policy->round_ended(core->state, &core->view, core->ran, core->n_ran);
  }
  core->n_ran = 0;
  if (ran)
    core->ran_until = core->now;
  if (policy->job_finished)
    for (size_t i = 0; i < core->n_left; i++)
      if (core->left[i]->told)
        policy->job_finished(core->state, &core->view, &core->left[i]->pub);
  if (policy->job_stopped)
    for (size_t i = 0; i < core->n_stopped; i++)
      if (!core->stopped[i]->ended)
        policy->job_stopped(core->state, &core->view, &core->stopped[i]->pub);
  core->n_stopped = 0;
  if (policy->node_changed)
    for (size_t i = 0; i < core->n_changes; i++)
      policy->node_changed(core->state, &core->view, core->changes[i].node,
                           core->changes[i].state == NODE_UP);
  core->n_changes = 0;
  if (policy->job_arrived)
    for (size_t i = 0; i < core->n_arrived; i++)
      if (!core->arrived[i]->ended)
        policy->job_arrived(core->state, &core->view, &core->arrived[i]->pub);
  core->n_arrived = 0;
}

static void recycle_left(struct hsim_core *core) {
  for (size_t i = 0; i < core->n_left; i++)
    job_recycle(core, core->left[i]);
  core->n_left = 0;
}

const char *said(const struct hsim_error *error) {
  return error->status == HSIM_OK ? "no reason given" : error->text;
}

static enum hsim_status ask(struct hsim_core *core) {
  core->due = core->freed = false;
  core->result->policy_calls++;
  view_update(core);
  double began = core->config->timing ? clock_seconds() : 0;
  tell_policy(core);
  plan_begin(core);
  struct hsim_error error = {.status = HSIM_OK};
  enum hsim_status status = core->policy->schedule(core->state, &core->view, &core->plan, &error);
  if (core->config->timing)
    core->result->policy_seconds += clock_seconds() - began;
  if (status != HSIM_OK) {
    return hsim_fail(core->error, HSIM_FAILED, "policy %s: %s (round %llu, time %.17g)",
                     core->policy->name, said(&error), (unsigned long long)core->view.round,
                     core->now);
  }
  status = plan_apply(core);
  if (status != HSIM_OK)
    return status;
  if (whole_rounds(core))
    whole_round_begin(core);
  recycle_left(core);
  return HSIM_OK;
}

enum hsim_status no_progress(struct hsim_core *core) {
  return hsim_fail(core->error, HSIM_FAILED,
                   "policy %s leaves %d runnable jobs idle for ever: nothing runs, nothing is to "
                   "come (first of them: job %.200s, round %llu, time %.17g)",
                   core->policy->name, core->view.n_active, core->first->pub.job->id,
                   (unsigned long long)core->view.round, core->now);
}

/* Jobs that are interrupted before they get anywhere (costs longer than a round, work that is lost
 * before it is saved), or whose work would take thousands of millions of rounds, would go on for
 * ever. Every so often the work done is summed; if it has not grown by HEADWAY_LEAST in
 * HEADWAY_CALLS calls without an arrival, an end or a node change, the run ends. */
static enum hsim_status check_headway(struct hsim_core *core) {
  struct headway *headway = &core->headway;
  if (core->view.n_active == 0) /* random faults go on where there is nothing to do */
    return HSIM_OK;
  if (++headway->calls % HEADWAY_CHECK != 0)
    return HSIM_OK;
  double sum = 0;
  for (const struct job *job = core->first; job; job = job->next)
    sum += job_steps_at(core, job, core->now) / job->pub.job->steps;
  if (sum > headway->most + HEADWAY_LEAST) {
    *headway = (struct headway){.most = sum};
    return HSIM_OK;
  }
  if (headway->calls < HEADWAY_CALLS)
    return HSIM_OK;
  return hsim_fail(core->error, HSIM_FAILED,
                   "policy %s makes no headway: in %d calls no job ended and hardly any work was "
                   "done (%d active jobs, first of them %.200s, round %llu, time %.17g); "
                   "are costs or checkpoint intervals longer than a round?",
                   core->policy->name, HEADWAY_CALLS, core->view.n_active,
                   core->first ? core->first->pub.job->id : "-",
                   (unsigned long long)core->view.round, core->now);
}

/* Nothing runs after a call, and nothing will happen by itself. */
static enum hsim_status count_idle(struct hsim_core *core, int most) {
  bool to_come = arrival_time(core) < INFINITY || node_time(core) < INFINITY ||
                 timer_time(core) < INFINITY || core->queue.n > 0;
  if (to_come || core->view.n_active == 0) {
    core->idle_calls = 0;
    return HSIM_OK;
  }
  if (++core->idle_calls >= most)
    return no_progress(core);
  return HSIM_OK;
}

/* When the next call is, after one has been answered. */
static enum hsim_status plan_next_grid(struct hsim_core *core) {
  if (core->view.n_active == 0) {
    core->next_call = INFINITY;
    return HSIM_OK;
  }
  double until = core->plan.valid_until;
  core->next_call = grid_time(core, core->grid_round + 1);
  if (until > core->next_call && !whole_rounds(core)) { /* there each round is a segment */
    bool for_ever = (until - core->origin) / core->config->round_s > ROUNDS_MAX;
    core->next_call = for_ever ? INFINITY : grid_time(core, grid_at_or_after(core, until));
    if (for_ever)
      return count_idle(core, 1);
  }
  return count_idle(core, IDLE_CALLS_MAX);
}

static enum hsim_status plan_next_slowest(struct hsim_core *core) {
  double limit = core->now + core->config->round_s, end = -INFINITY;
  for (const struct gang *gang = core->gangs; gang; gang = gang->next)
    end = fmax(end, gang_stop(core, gang, limit));
  if (core->gangs) {
    core->empty_calls = 0;
    core->idle_calls = end > core->now ? 0 : core->idle_calls + 1;
    core->next_call = end;
    /* Rounds without length: jobs that fail, each some times before it is dropped. */
    return core->idle_calls > IDLE_CALLS_MAX ? no_progress(core) : HSIM_OK;
  }
  core->next_call = arrival_time(core);
  if (core->config->semantics.clock_jump == JUMP_NEXT_EVENT) {
    core->next_call = fmin(core->next_call, fmin(node_time(core), timer_time(core)));
    if (core->view.n_active > 0)
      core->next_call = fmin(core->next_call, limit);
    return count_idle(core, IDLE_CALLS_MAX);
  }
  if (core->next_call < INFINITY || core->view.n_active == 0) {
    core->idle_calls = core->empty_calls = 0;
    return HSIM_OK;
  }
  core->next_call = core->now; /* one more call, now that no arrivals are left */
  return ++core->empty_calls >= 2 ? no_progress(core) : HSIM_OK;
}

static enum hsim_status call_round(struct hsim_core *core) {
  bool on_grid = core->now >= core->next_call;
  close_round(core); /* what it ends belongs to the round before */
  if (slowest(core)) {
    count_rounds(core, 1);
  } else if (on_grid) {
    bool first = core->next_call == core->origin && core->grid_round == 0;
    bool anew = core->now == grid_time(core, core->grid_round);
    uint64_t k = first || anew ? core->grid_round : grid_at_or_after(core, core->next_call);
    count_rounds(core, k > core->grid_round ? k - core->grid_round : 1);
    core->grid_round = k;
  } else {
    count_rounds(core, 0);
  }
  enum hsim_status status = ask(core);
  if (status == HSIM_OK)
    status = check_headway(core);
  if (status != HSIM_OK)
    return status;
  if (slowest(core))
    return plan_next_slowest(core);
  return on_grid ? plan_next_grid(core) : HSIM_OK;
}

static bool frees_at_finish(const struct hsim_core *core) {
  if (core->config->semantics.freed == FREED_BY_POLICY)
    return core->policy->frees_at_finish;
  return core->config->semantics.freed == FREED_EVENT;
}

enum hsim_status maybe_call(struct hsim_core *core) {
  if (!round_mode(core)) {
    if (!core->due)
      return HSIM_OK;
    count_rounds(core, 1);
    enum hsim_status status = ask(core);
    if (status == HSIM_OK)
      status = check_headway(core);
    return status == HSIM_OK ? count_idle(core, 1) : status;
  }
  if (!slowest(core) && core->due) {
    double next = grid_time(core, grid_at_or_after(core, core->now));
    if (next < core->next_call)
      core->next_call = next; /* ends a quiet promise */
  }
  if (core->now >= core->next_call) {
    if (core->view.n_active > 0 || slowest(core))
      return call_round(core);
    idle_release(core, -1);
    core->next_call = INFINITY;
    return HSIM_OK;
  }
  if (!slowest(core) && core->freed && frees_at_finish(core) && core->view.n_active > 0)
    return call_round(core);
  return HSIM_OK;
}
