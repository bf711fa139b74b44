/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/core.h"

bool whole_rounds(const struct hsim_core *core) {
  return core->config->semantics.steps == STEPS_WHOLE && core->policy->mode == HSIM_MODE_ROUND;
}

/*
 * Checkpoints: after each `interval` seconds of progress, `pause` seconds without. The two
 * functions below are inverse to each other: seconds of progress in `elapsed` seconds after the
 * stall, and seconds that `progress` seconds of progress take. A checkpoint that would be due at
 * the very end of the work is not written.
 */
static double progress_in(const struct costs *costs, double elapsed) {
  double interval = costs->checkpoint_interval_s, pause = costs->checkpoint_s;
  if (elapsed <= 0)
    return 0;
  if (pause <= 0 || interval <= 0)
    return elapsed;
  double cycles = floor(elapsed / (interval + pause));
  return cycles * interval + fmin(elapsed - cycles * (interval + pause), interval);
}

static double seconds_for(const struct costs *costs, double progress) {
  double interval = costs->checkpoint_interval_s, pause = costs->checkpoint_s;
  if (pause <= 0 || interval <= 0 || progress <= 0)
    return progress;
  return progress + (ceil(progress / interval) - 1) * pause;
}

/* Seconds of progress that are safe on disk after `elapsed` seconds. */
static double saved_in(const struct costs *costs, double elapsed) {
  double interval = costs->checkpoint_interval_s;
  if (interval <= 0 || elapsed <= 0)
    return 0;
  return floor(elapsed / (interval + costs->checkpoint_s)) * interval;
}

static double gang_progress_s(const struct hsim_core *core, const struct gang *gang, double t) {
  if (gang->failed)
    return 0;
  double end = t < gang->stop ? t : gang->stop;
  return progress_in(&core->config->costs, end - gang->from - gang->stall);
}

double gang_steps_at(const struct hsim_core *core, const struct gang *gang, double t) {
  if (gang->failed)
    return 0;
  if (t >= gang->stop)
    return gang->pub.max_steps;
  double steps = gang->pub.rate * gang_progress_s(core, gang, t);
  if (whole_rounds(core))
    steps = floor(steps);
  return steps < gang->pub.max_steps ? steps : gang->pub.max_steps;
}

double job_steps_at(const struct hsim_core *core, const struct job *job, double t) {
  double steps = job->steps;
  for (int i = 0; i < job->pub.n_gangs; i++)
    steps += gang_steps_at(core, job->gangs[i], t);
  return steps < job->target ? steps : job->target;
}

double placed_rate(const struct hsim_core *core, const struct job *job, int partner,
                   const struct hsim_share *shares, int n_shares, int size) {
  if (partner < 0)
    return oracle_rate(&core->oracle, job->pub.model, shares, n_shares);
  double mine = 0, other = 0;
  int type = core->config->cluster->bays[shares[0].bay].type;
  oracle_pair_rate(&core->oracle, job->pub.model, core->jobs[partner]->pub.model, type, size, &mine,
                   &other);
  return mine * oracle_speed(&core->oracle, shares, n_shares);
}

/* Asks for the rate again only when something that it depends on has changed. */
static void rate_update(const struct hsim_core *core, struct gang *gang) {
  const struct job *job = gang->job;
  int partner = gang->pub.partner;
  if (partner < 0 && gang->rated_partner < 0 && gang->rated_model == job->pub.model)
    return;
  gang->pub.rate =
      placed_rate(core, job, partner, gang->shares, gang->pub.n_shares, gang->pub.size);
  gang->rated_model = job->pub.model;
  gang->rated_partner = partner;
}

/* Steps since the last checkpoint, were the gang's segment to end now with `steps`. */
static double unsaved_after(const struct hsim_core *core, const struct gang *gang, double steps) {
  double end = core->now < gang->stop ? core->now : gang->stop;
  double saved = gang->pub.rate * saved_in(&core->config->costs, end - gang->from - gang->stall);
  return saved > 0 ? steps - saved : gang->unsaved + steps;
}

void gang_settle(struct hsim_core *core, struct gang *gang, double lost) {
  double now = core->now;
  double steps = gang_steps_at(core, gang, now);
  double stop = fmin(fmax(gang->stop, gang->from), now);
  double stall = fmin(gang->stall, stop - gang->from);
  double productive = gang_progress_s(core, gang, now);
  if (whole_rounds(core) && !gang->failed) /* a step that was cut off is no progress */
    productive = steps / gang->pub.rate;
  if (lost > 0 && gang->pub.rate > 0)
    productive -= lost / gang->pub.rate;
  struct record record = {.kind = RECORD_SEGMENT,
                          .time = now,
                          .job = gang->pub.job,
                          .gang = &gang->pub,
                          .copy = gang->pub.copy,
                          .node = -1,
                          .from = gang->from,
                          .stop = stop,
                          .stall = stall,
                          .productive = productive,
                          .steps = steps - lost,
                          .lost_steps = lost};
  if (now > gang->from || lost > 0)
    emit_record(core, &record);
  gang->unsaved = unsaved_after(core, gang, steps);
  gang->done += steps - lost;
  gang->job->steps += steps - lost;
  gang->stall -= stall;
  gang->from = now;
  gang->budget -= steps; /* infinity stays infinity */
  gang->pub.max_steps -= steps;
  if (now >= gang->stop)
    gang->pub.max_steps = 0;
}

static double unsaved_of(const struct hsim_core *core, const struct gang *gang) {
  return unsaved_after(core, gang, gang_steps_at(core, gang, core->now));
}

/* What an interruption costs: steps since the last epoch's end or checkpoint (model.md: rollback).
 * A job that does not say how many epochs it has loses nothing under ROLLBACK_EPOCH. */
static double unsaved_steps(const struct hsim_core *core, const struct job *job) {
  double steps = job_steps_at(core, job, core->now);
  if (core->config->costs.rollback == ROLLBACK_EPOCH) {
    if (job->pub.job->epochs < 1)
      return 0;
    double epoch = job->pub.job->steps / job->pub.job->epochs;
    double epochs = steps / epoch, near = nearbyint(epochs);
    /* A whole number of epochs that rounding has left just below is whole. */
    double saved = (fabs(epochs - near) <= 1e-9 ? near : floor(epochs)) * epoch;
    return saved < steps ? steps - saved : 0;
  }
  if (core->config->costs.rollback == ROLLBACK_INTERVAL) {
    double unsaved = 0;
    for (int i = 0; i < job->pub.n_gangs; i++)
      unsaved += unsaved_of(core, job->gangs[i]);
    return fmin(unsaved, steps);
  }
  return 0;
}

/* Phases that lost work fell back behind are entered again. */
static void phase_update(struct job *job) {
  const struct hsim_job *j = job->pub.job;
  while (job->phase > 0 && job->steps < j->phases[job->phase - 1].from_step)
    job->phase--;
  while (job->phase < j->n_phases && job->steps >= j->phases[job->phase].from_step)
    job->phase++;
  job->pub.model = job->phase ? j->phases[job->phase - 1].model : j->model;
  job->target = j->steps;
  if (job->phase < j->n_phases)
    job->target = fmin(job->target, j->phases[job->phase].from_step);
}

/* `loser` is the gang whose record shows what was lost. */
static void settle_all(struct hsim_core *core, struct job *job, const struct gang *loser,
                       double lost, bool interrupted) {
  if (whole_rounds(core))
    lost = ceil(lost); /* a step that was only begun is not saved */
  for (int i = 0; i < job->pub.n_gangs; i++) {
    gang_settle(core, job->gangs[i], job->gangs[i] == loser ? lost : 0);
    if (interrupted)
      job->gangs[i]->unsaved = 0;
  }
  if (job->steps < 0)
    job->steps = 0;
  if (lost > 0 || interrupted)
    phase_update(job);
}

void segment_end(struct hsim_core *core, struct job *job, bool interrupted) {
  if (job->pub.n_gangs > 0)
    settle_all(core, job, job->gangs[0], interrupted ? unsaved_steps(core, job) : 0, interrupted);
}

void segment_end_failed(struct hsim_core *core, struct gang *gang) {
  if (core->config->costs.rollback != ROLLBACK_FAILURE) {
    segment_end(core, gang->job, true);
    return;
  }
  double steps = job_steps_at(core, gang->job, core->now);
  settle_all(core, gang->job, gang, fmin(unsaved_of(core, gang), steps), false);
}

/* When gangs of several copies together reach `left` steps; infinity when their budgets do not
 * suffice. */
static double joint_finish(const struct hsim_core *core, const struct job *job, double left) {
  double budgets = 0, last = core->now;
  for (int i = 0; i < job->pub.n_gangs; i++) {
    budgets += job->gangs[i]->pub.max_steps;
    last = fmax(last, job->gangs[i]->stop);
  }
  if (budgets < left)
    return INFINITY;
  if (budgets == left)
    return last;
  /* Bisect on the sum, which grows with t, until two neighbouring doubles enclose the moment. The
   * sum is the very function that progress is read from, so both agree to the last bit. */
  double low = core->now, high = core->now + 1;
  for (;;) {
    double sum = 0;
    for (int i = 0; i < job->pub.n_gangs; i++)
      sum += gang_steps_at(core, job->gangs[i], high);
    if (sum >= left)
      break;
    low = high;
    high = core->now + (high - core->now) * 2;
    if (!isfinite(high))
      return INFINITY;
  }
  for (;;) {
    double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high))
      return high;
    double sum = 0;
    for (int i = 0; i < job->pub.n_gangs; i++)
      sum += gang_steps_at(core, job->gangs[i], middle);
    if (sum >= left)
      high = middle;
    else
      low = middle;
  }
}

/* When the job reaches its target, infinity when its gangs stop before. */
static double target_time(const struct hsim_core *core, const struct job *job) {
  double left = job->target - job->steps;
  if (job->pub.n_gangs == 0)
    return INFINITY;
  if (left <= 0)
    return core->now;
  if (job->pub.n_gangs > 1)
    return joint_finish(core, job, left);
  const struct gang *gang = job->gangs[0];
  if (gang->pub.max_steps < left)
    return INFINITY;
  if (gang->pub.rate <= 0)
    return INFINITY;
  double seconds = seconds_for(&core->config->costs, left / gang->pub.rate);
  return gang->from + gang->stall + seconds;
}

/* The job's next event: one of its gangs stops, or (not with whole steps, where only whole rounds
 * count) it reaches its target. */
void job_reschedule(struct hsim_core *core, struct job *job) {
  struct queue_event event = {INFINITY, 1, (uint32_t)job->pub.index};
  if (!whole_rounds(core))
    event.time = target_time(core, job);
  for (int i = 0; i < job->pub.n_gangs; i++) {
    const struct gang *gang = job->gangs[i];
    if (!gang->stopped && gang->stop <= event.time) {
      event.time = gang->stop;
      event.class = 0;
    }
  }
  if (event.time == INFINITY) {
    queue_remove(&core->queue, (uint32_t)job->pub.index);
    return;
  }
  if (event.time < core->now)
    event.time = core->now;
  queue_set(&core->queue, event);
}

void segment_begin(struct hsim_core *core, struct job *job) {
  phase_update(job);
  if (whole_rounds(core)) { /* budgets are whole_round_begin's, for all jobs at once */
    for (int i = 0; i < job->pub.n_gangs; i++) {
      struct gang *gang = job->gangs[i];
      if (!gang->stopped && !gang->failed && gang->pub.rate > 0 && isfinite(gang->pub.max_steps))
        gang->stop = core->now + gang->stall +
                     seconds_for(&core->config->costs, gang->pub.max_steps / gang->pub.rate);
    }
    job_reschedule(core, job);
    return;
  }
  for (int i = 0; i < job->pub.n_gangs; i++) {
    struct gang *gang = job->gangs[i];
    rate_update(core, gang);
    gang->from = core->now;
    gang->pub.max_steps = gang->budget;
    if (gang->stopped)
      continue;
    gang->stop = INFINITY;
    if (isfinite(gang->pub.max_steps))
      gang->stop = gang->from + gang->stall +
                   seconds_for(&core->config->costs, gang->pub.max_steps / gang->pub.rate);
  }
  job_reschedule(core, job);
}

bool gang_stuck(struct hsim_core *core, struct gang *gang) {
  phase_update(gang->job);
  rate_update(core, gang);
  return !(gang->pub.rate > 0);
}

/*
 * Whole steps (Narayanan et al., Gavel's simulator): in a round a gang does
 * n = min(trunc(rate * T), steps left) steps and stops at now + n / rate. A gang of s workers
 * counts only if each of them did at least one step; of two jobs on the same GPUs both must.
 */
static void whole_budget(struct hsim_core *core, struct gang *gang) {
  struct job *job = gang->job;
  phase_update(job);
  rate_update(core, gang);
  gang->from = core->now;
  gang->stopped = false;
  gang->shared = gang->pub.partner;
  double seconds = progress_in(&core->config->costs, core->config->round_s - gang->stall);
  double steps = trunc(gang->pub.rate * seconds);
  steps = fmin(steps, job->pub.job->steps - job->steps);
  steps = fmin(steps, trunc(gang->budget));
  gang->pub.max_steps = steps;
  gang->stop = core->now + gang->stall + seconds_for(&core->config->costs, steps / gang->pub.rate);
  if (gang->stall > core->config->round_s) /* the whole round is lost, and counts as failed */
    gang->stop = core->now + core->config->round_s;
  gang->failed = !(steps > 0) || (gang->pub.size > 1 && floor(steps / gang->pub.size) <= 0);
}

void whole_round_begin(struct hsim_core *core) {
  for (struct gang *gang = core->gangs; gang; gang = gang->next)
    whole_budget(core, gang);
  bool later = core->config->semantics.pair_finish == PAIR_LATER;
  for (struct gang *gang = core->gangs; gang; gang = gang->next) {
    struct gang *other = partner_gang(core, gang);
    if (!other || other->pub.job < gang->pub.job)
      continue;
    if (later)
      gang->stop = other->stop = fmax(gang->stop, other->stop);
    gang->failed = other->failed = gang->failed || other->failed;
  }
  for (struct gang *gang = core->gangs; gang; gang = gang->next)
    job_reschedule(core, gang->job);
}

double gang_stop(const struct hsim_core *core, const struct gang *gang, double limit) {
  double stop = fmin(gang->stop, limit);
  if (!whole_rounds(core))
    stop = fmin(stop, target_time(core, gang->job));
  return stop;
}
