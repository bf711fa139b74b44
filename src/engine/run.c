/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock. Each turn of the loop goes to the next instant at which something happens, lets
 * everything happen that is due then (gangs stop, jobs end, nodes change, jobs arrive, timers), and
 * calls the policy once if it is to be called.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core.h"
#include "model/clock.h"

/* Calls in a row after which nothing ran and nothing was to come that a round-mode policy may
 * need to make up its mind (a lease or an age that has to pass). */
enum { IDLE_CALLS_MAX = 1000 };

/* Seconds: beyond it a double no longer tells hundredths of a second apart. */
static const double TIME_MAX = 1e13;

/* Beyond it the grid's points are no longer distinct doubles. */
static const double ROUNDS_MAX = 1e15;

/* See check_headway. */
enum { HEADWAY_CHECK = 1024, HEADWAY_CALLS = 100 * HEADWAY_CHECK };
static const double HEADWAY_LEAST = 1e-4; /* of one job's work */

static bool round_mode(const struct hsim_core *core) {
  return core->policy->mode == HSIM_MODE_ROUND;
}

static bool slowest(const struct hsim_core *core) {
  return round_mode(core) && core->config->semantics.round_end == ROUND_END_SLOWEST;
}

static double arrival_time(const struct hsim_core *core) {
  const struct trace *trace = core->config->trace;
  return core->next_arrival < trace->n_jobs ? trace->jobs[core->next_arrival].arrival_s : INFINITY;
}

static double node_time(const struct hsim_core *core) {
  return core->next_node_event < core->config->n_node_events
             ? core->config->node_events[core->next_node_event].time
             : INFINITY;
}

static double timer_time(const struct hsim_core *core) {
  return core->n_timers ? core->timers[core->n_timers - 1] : INFINITY;
}

static double queue_time(const struct hsim_core *core) {
  const struct queue_event *first = queue_first(&core->queue);
  return first ? first->time : INFINITY;
}

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
static void grid_start(struct hsim_core *core) {
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
static void count_skipped(struct hsim_core *core, double t) {
  if (!round_mode(core) || slowest(core) || core->result->policy_calls == 0)
    return;
  uint64_t k = grid_at_or_after(core, t);
  if (k - 1 > core->grid_round)
    count_rounds(core, k - 1 - core->grid_round);
  core->grid_round = k - 1;
}

/* ---- What happens at an instant ---- */

static void finish(struct hsim_core *core, struct job *job) {
  job_end(core, job, RECORD_FINISH, "");
}

/* Gangs that make no progress in the job's new phase would hold their GPUs for ever. */
static void take_stuck(struct hsim_core *core, struct job *job) {
  for (int i = job->pub.n_gangs - 1; i >= 0; i--) {
    if (!gang_stuck(core, job->gangs[i]))
      continue;
    struct gang *partner = partner_gang(core, job->gangs[i]);
    gang_take_away(core, job->gangs[i], false, "its next phase has no rate here");
    if (partner)
      gang_leave_partner(core, partner);
  }
}

static void reach_target(struct hsim_core *core, struct job *job) {
  segment_end(core, job, false);
  job->steps = job->target;
  if (job->target < job->pub.job->steps) {
    segment_begin(core, job); /* the next phase */
    take_stuck(core, job);
    return;
  }
  struct gang *partner = partner_gang(core, job->gangs[0]);
  bool later = core->config->semantics.pair_finish == PAIR_LATER;
  if (partner && later && !partner->job->finish_held) {
    job->finish_held = true;
    job->gangs[0]->budget = job->gangs[0]->pub.max_steps = 0;
    job->gangs[0]->stop = core->now;
    job->gangs[0]->stopped = true;
    queue_remove(&core->queue, (uint32_t)job->pub.index);
    return;
  }
  finish(core, job); /* and with it a partner that is held */
}

/* The job is done: what its other copies did in this round was not needed. */
static void drop_copies(struct hsim_core *core, struct job *job) {
  for (int i = 0; i < job->pub.n_gangs; i++) {
    struct gang *gang = job->gangs[i];
    if (!gang->stopped)
      gang->failed = true;
    gang_settle(core, gang, 0);
  }
  job->steps = job->pub.job->steps;
}

/* With whole steps a gang's part in the round is over: it counts, or it failed. */
static void whole_stop(struct hsim_core *core, struct job *job, struct gang *gang) {
  bool failed = gang->failed, alone = gang->pub.partner < 0;
  /* Other copies may have left less to do than its share. */
  gang->pub.max_steps = fmin(gang->pub.max_steps, job->pub.job->steps - job->steps);
  gang_settle(core, gang, 0);
  gang->failed = failed;
  gang->stopped = true;
  if (!failed) {
    if (alone)
      job->pub.failed_rounds = 0;
    if (job->pub.job->steps - job->steps <= 0) {
      drop_copies(core, job);
      finish(core, job);
      return;
    }
  } else if (alone) {
    job->pub.failed_rounds++;
    int most = core->config->semantics.drop_after;
    if (most > 0 && job->pub.failed_rounds >= most) {
      char why[96];
      drop_copies(core, job);
      snprintf(why, sizeof why, "%d rounds in a row without a whole step of each worker", most);
      job_end(core, job, RECORD_DROP, why);
      return;
    }
  }
  job_reschedule(core, job);
}

static void gang_stops(struct hsim_core *core, struct job *job) {
  if (whole_rounds(core)) {
    for (int i = 0; i < job->pub.n_gangs; i++) {
      struct gang *gang = job->gangs[i];
      if (gang->stopped || gang->stop > core->now)
        continue;
      whole_stop(core, job, gang);
      return; /* further gangs of the job that stop now come next from the queue */
    }
    job_reschedule(core, job);
    return;
  }
  for (int i = 0; i < job->pub.n_gangs; i++)
    if (job->gangs[i]->stop <= core->now)
      job->gangs[i]->stopped = true;
  core->due = true;
  job_reschedule(core, job);
}

static void run_queue(struct hsim_core *core) {
  const struct queue_event *first;
  while ((first = queue_first(&core->queue)) && first->time <= core->now) {
    struct job *job = core->jobs[first->owner];
    if (first->class == 0)
      gang_stops(core, job);
    else
      reach_target(core, job);
  }
}

static void arrive(struct hsim_core *core) {
  char text[256];
  bool empty = core->view.n_active == 0;
  struct job *job = job_arrive(core, core->next_arrival++);
  const char *why = why_never(core, &job->pub, text);
  if (why) {
    job_end(core, job, RECORD_REJECT, why);
    return;
  }
  job->told = true;
  if (core->n_arrived == core->arrived_capacity)
    core->arrived =
        mem_grow(core->arrived, core->n_arrived + 1, &core->arrived_capacity, sizeof(struct job *));
  core->arrived[core->n_arrived++] = job;
  wait_begin(core, job);
  core->due = true;
  core->headway = (struct headway){0};
  if (empty && round_mode(core) && !slowest(core))
    grid_start(core);
}

static void run_instant(struct hsim_core *core) {
  bool active = core->view.n_active > 0;
  run_queue(core);
  if (active && core->view.n_active == 0)
    count_skipped(core, core->now);
  while (node_time(core) <= core->now) {
    const struct node_event *event = &core->config->node_events[core->next_node_event++];
    if (!node_change(core, event->node, event->up))
      continue;
    if (core->n_changes == core->changes_capacity)
      core->changes = mem_grow(core->changes, core->n_changes + 1, &core->changes_capacity,
                               sizeof *core->changes);
    core->changes[core->n_changes++] = *event;
  }
  while (arrival_time(core) <= core->now)
    arrive(core);
  while (timer_time(core) <= core->now) {
    core->n_timers--;
    core->due = true;
  }
}

/* ---- Calling the policy ---- */

static void view_update(struct hsim_core *core) {
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
      finish(core, gang->job);
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

static void tell_policy(struct hsim_core *core) {
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
      policy->node_changed(core->state, &core->view, core->changes[i].node, core->changes[i].up);
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

static const char *said(const struct hsim_error *error) {
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

static enum hsim_status no_progress(struct hsim_core *core) {
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
    core->idle_calls = 0;
    return HSIM_OK;
  }
  core->next_call = core->now; /* one more call, now that no arrivals are left */
  return ++core->idle_calls >= 2 ? no_progress(core) : HSIM_OK;
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

static enum hsim_status maybe_call(struct hsim_core *core) {
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

/* ---- Begin, run, end ---- */

static double next_instant(const struct hsim_core *core) {
  double t = fmin(queue_time(core), fmin(arrival_time(core), node_time(core)));
  return fmin(t, fmin(timer_time(core), core->next_call));
}

static bool done(const struct hsim_core *core) {
  return core->n_ended == core->config->trace->n_jobs || core->measured_left <= 0;
}

static enum hsim_status loop(struct hsim_core *core) {
  while (!done(core)) {
    double t = next_instant(core);
    if (t == INFINITY)
      return core->view.n_active > 0 ? no_progress(core) : HSIM_OK;
    double at = fmin(t, core->config->until);
    if (at > TIME_MAX)
      return hsim_fail(core->error, HSIM_BAD_INPUT,
                       "policy %s: the run would go on to %.17g s, beyond the %.17g s up to which "
                       "the clock tells times apart: some job's steps, rates or costs are out of "
                       "proportion (%d active jobs, first of them %.200s)",
                       core->policy->name, at, TIME_MAX, core->view.n_active,
                       core->first ? core->first->pub.job->id : "-");
    if (round_mode(core) && (at - core->origin) / core->config->round_s > ROUNDS_MAX)
      return hsim_fail(core->error, HSIM_FAILED,
                       "policy %s: at time %.17g the run is longer than %.17g rounds of %.17g s, "
                       "more than can be told apart",
                       core->policy->name, at, ROUNDS_MAX, core->config->round_s);
    if (t > core->config->until) {
      core->now = core->config->until;
      return HSIM_OK;
    }
    core->now = fmax(t, core->now);
    run_instant(core);
    if (done(core))
      return HSIM_OK;
    enum hsim_status status = maybe_call(core);
    if (status != HSIM_OK)
      return status;
  }
  return HSIM_OK;
}

static void close_run(struct hsim_core *core) {
  for (struct job *job = core->first; job; job = job->next)
    if (job->held == 0)
      wait_end(core, job);
  idle_release(core, -1);
  while (core->gangs) {
    struct job *job = core->gangs->job;
    segment_end(core, job, false);
    account(core, job, 0);
    while (job->pub.n_gangs)
      gang_remove(core, job->gangs[0], true);
  }
  struct record record = {.kind = RECORD_END, .time = core->now, .job = -1, .node = -1};
  emit_record(core, &record);
}

static void core_init(struct hsim_core *core, const struct engine_config *config) {
  const struct hsim_cluster *cluster = config->cluster;
  int n_jobs = config->trace->n_jobs;
  core->config = config;
  core->policy = config->policy;
  oracle_init(&core->oracle, config->rates, cluster, &config->semantics);
  core->jobs = mem_zero((size_t)n_jobs, sizeof(struct job *));
  core->busy = mem_zero((size_t)cluster->n_gpus, sizeof *core->busy);
  core->node_up = mem_alloc((size_t)cluster->n_nodes, sizeof *core->node_up);
  memset(core->node_up, 1, (size_t)cluster->n_nodes);
  core->type_up = mem_alloc((size_t)cluster->n_types, sizeof *core->type_up);
  memcpy(core->type_up, cluster->type_gpus, (size_t)cluster->n_types * sizeof *core->type_up);
  free_gpus_init(&core->gpus, cluster);
  queue_init(&core->queue, (size_t)n_jobs);
  core->next_call = INFINITY;
  int from = config->measure_from, to = config->measure_to < n_jobs ? config->measure_to : n_jobs;
  core->measured_left = to > from ? to - from : 0;
  core->now = n_jobs ? fmin(config->trace->jobs[0].arrival_s, config->until) : 0;
  if (slowest(core))
    core->next_call = core->now;
  core->plan.core = core;
  core->view = (struct hsim_view){
      .now = core->now,
      .round_s = config->round_s,
      .seed = config->seed,
      .cluster = cluster,
      .node_up = core->node_up,
      .type_up = core->type_up,
      .n_jobs = n_jobs,
      .arrivals_left = n_jobs > 0,
      .oracle = core->policy->oracle & HSIM_KNOWS_RATES ? &core->oracle : NULL,
      .core = core,
  };
}

static void core_free(struct hsim_core *core) {
  job_engine_free(core);
  plan_free(&core->plan);
  free_gpus_release(&core->gpus);
  queue_free(&core->queue);
  free(core->timers);
  free(core->jobs);
  free(core->left);
  free(core->arrived);
  free(core->stopped);
  free(core->waiting);
  free(core->busy);
  free(core->node_up);
  free(core->type_up);
  free(core->changes);
  free(core->ran);
  free(core->state);
}

static enum hsim_status run_policy(struct hsim_core *core) {
  const struct hsim_policy *policy = core->policy;
  core->state = mem_zero(1, policy->state_size ? policy->state_size : 1);
  enum hsim_status status = HSIM_OK;
  if (policy->create) {
    struct hsim_error error = {.status = HSIM_OK};
    status = policy->create(core->state, &core->view, core->config->values, &error);
    if (status != HSIM_OK)
      hsim_fail(core->error, status, "policy %s: %s", policy->name, said(&error));
  }
  bool created = status == HSIM_OK;
  if (created)
    status = loop(core);
  if (status == HSIM_OK) {
    if (core->view.n_active > 0) /* the clock was stopped: a call at that very time counts */
      count_skipped(core, done(core) ? core->now : nextafter(core->now, INFINITY));
    view_update(core);
    tell_policy(core); /* of what ran since its last call */
    close_run(core);
    if (policy->ended)
      policy->ended(core->state, &core->view);
  }
  if (status != HSIM_OK && created && policy->dump) {
    char text[512] = "";
    policy->dump(core->state, text, sizeof text);
    size_t used = strlen(core->error->text);
    snprintf(core->error->text + used, sizeof core->error->text - used, "; its state: %s", text);
  }
  if (policy->destroy)
    policy->destroy(core->state);
  return status;
}

enum hsim_status engine_run(const struct engine_config *config, struct engine_result *result,
                            struct hsim_error *error) {
  struct hsim_core core = {0};
  *result = (struct engine_result){0};
  core.result = result;
  core.error = error;
  core_init(&core, config);
  enum hsim_status status = run_policy(&core);
  result->end_s = core.now;
  for (size_t i = 0; i < config->n_sinks; i++) {
    const struct sink *sink = &config->sinks[i];
    if (!sink->end)
      continue;
    struct hsim_error sink_error = {.status = HSIM_OK};
    enum hsim_status ended = sink->end(sink->state, &sink_error);
    if (ended == HSIM_OK || status != HSIM_OK)
      continue;
    status = ended;
    *error = sink_error;
  }
  core_free(&core);
  return status;
}

void engine_result_free(struct engine_result *result) {
  for (size_t i = 0; i < result->n_stats; i++)
    free(result->stats[i].name);
  free(result->stats);
  *result = (struct engine_result){0};
}
