/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happens at an instant, in its order: gangs stop and jobs end, nodes change, jobs arrive,
 * timers.
 */
#include <math.h>
#include <stdio.h>

#include "engine/run.h"

void take_stuck(struct hsim_core *core, struct job *job) {
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
  job_end(core, job, RECORD_FINISH, ""); /* and with it a partner that is held */
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
  bool failed = gang->failed, alone = gang->shared < 0;
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
      job_end(core, job, RECORD_FINISH, "");
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

/* The next change of a node: a given one, or a random one. Random ones never end, so only the given
 * ones count as a sign that the run gets anywhere. */
static void change_node(struct hsim_core *core) {
  struct node_event event;
  if (core->next_node_event < core->config->n_node_events &&
      core->config->node_events[core->next_node_event].time <= faults_time(&core->faults)) {
    event = core->config->node_events[core->next_node_event++];
    core->headway = (struct headway){0};
  } else {
    struct node_fault fault = faults_take(&core->faults);
    event = (struct node_event){
        .time = fault.time, .node = fault.node, .state = fault.up ? NODE_UP : NODE_DOWN};
  }
  if (!node_change(core, event.node, event.state))
    return;
  if (core->n_changes == core->changes_capacity)
    core->changes = mem_grow(core->changes, core->n_changes + 1, &core->changes_capacity,
                             sizeof *core->changes);
  core->changes[core->n_changes++] = event;
}

static void cancel(struct hsim_core *core, int index) {
  struct job *job = core->jobs[index];
  if (!job) /* it has ended */
    return;
  for (size_t i = 0; i < core->n_arrived; i++)
    if (core->arrived[i] == job) /* the policy has not heard of it, and never will */
      job->told = false;
  if (job->pub.n_gangs > 0)
    segment_end(core, job, false);
  job_end(core, job, job->finish_held ? RECORD_FINISH : RECORD_CANCEL, "withdrawn");
}

void run_instant(struct hsim_core *core) {
  bool active = core->view.n_active > 0;
  run_queue(core);
  if (active && core->view.n_active == 0)
    count_skipped(core, core->now);
  while (node_time(core) <= core->now)
    change_node(core);
  while (arrival_time(core) <= core->now)
    arrive(core);
  while (cancel_time(core) <= core->now)
    cancel(core, core->config->cancels[core->next_cancel++].job);
  while (timer_time(core) <= core->now) {
    core->n_timers--;
    core->due = true;
  }
}
