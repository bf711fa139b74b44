/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core.h"

enum { POOL_BLOCK = 64 }; /* jobs allocated at once */

static struct job *job_new(struct hsim_core *core) {
  if (!core->pool) {
    struct job *block = arena_alloc(&core->pool_memory, POOL_BLOCK * sizeof *block);
    memset(block, 0, POOL_BLOCK * sizeof *block);
    for (int i = POOL_BLOCK - 1; i >= 0; i--) {
      block[i].next = core->pool;
      core->pool = &block[i];
    }
  }
  struct job *job = core->pool;
  core->pool = job->next;
  struct gang **gangs = job->gangs;
  int capacity = job->gangs_capacity;
  memset(job, 0, sizeof *job);
  job->gangs = gangs;
  job->gangs_capacity = capacity;
  return job;
}

struct job *job_arrive(struct hsim_core *core, int index) {
  struct job *job = job_new(core);
  const struct hsim_job *j = &core->config->trace->jobs[index];
  job->pub.job = j;
  job->pub.index = index;
  job->pub.model = j->model;
  job->pub.first_start_s = job->pub.last_start_s = job->pub.last_stop_s = job->shrunk_at = NAN;
  job->target = j->n_phases ? fmin(j->phases[0].from_step, j->steps) : j->steps;
  job->since = job->wait_from = core->now;
  job->reason = -1;

  job->prev = core->last;
  if (core->last) {
    core->last->next = job;
    core->last->pub.next = &job->pub;
  } else {
    core->first = job;
  }
  core->last = job;
  core->jobs[index] = job;
  core->view.n_active++;
  emit_job(core, RECORD_ARRIVE, job, "");
  return job;
}

static void job_unlink(struct hsim_core *core, struct job *job) {
  if (job->prev) {
    job->prev->next = job->next;
    job->prev->pub.next = job->next ? &job->next->pub : NULL;
  } else {
    core->first = job->next;
  }
  if (job->next)
    job->next->prev = job->prev;
  else
    core->last = job->prev;
  core->jobs[job->pub.index] = NULL;
  core->view.n_active--;
}

void job_recycle(struct hsim_core *core, struct job *job) {
  job->next = core->pool;
  core->pool = job;
}

void account(struct hsim_core *core, struct job *job, int held) {
  if (job->held > 0) {
    job->held_gpu_s += job->held * (core->now - job->since);
    job->run_s += core->now - job->since;
  }
  job->since = core->now;
  core->view.n_running += (held > 0) - (job->held > 0);
  job->held = held;
}

void wait_end(struct hsim_core *core, struct job *job) {
  if (core->now > job->wait_from) {
    struct record record = {.kind = RECORD_WAIT,
                            .time = core->now,
                            .job = job->pub.index,
                            .node = -1,
                            .from = job->wait_from,
                            .reason =
                                job->reason < 0 ? HSIM_NEXT_ROUND : (enum hsim_reason)job->reason};
    emit_record(core, &record);
    job->wait_s += core->now - job->wait_from;
  }
  job->wait_from = core->now;
}

void wait_begin(struct hsim_core *core, struct job *job) {
  job->wait_from = core->now;
  job->reason = -1;
  if (core->n_waiting == core->waiting_capacity)
    core->waiting =
        mem_grow(core->waiting, core->n_waiting + 1, &core->waiting_capacity, sizeof(struct job *));
  core->waiting[core->n_waiting++] = job;
}

void wait_reason(struct hsim_core *core, struct job *job, enum hsim_reason reason) {
  if (job->reason == (int)reason)
    return;
  if (job->reason >= 0 || core->now > job->wait_from)
    wait_end(core, job);
  job->reason = (int)reason;
}

void job_preempted(struct hsim_core *core, struct job *job, const char *why) {
  job->pub.last_stop_s = core->now;
  job->pub.preemptions++;
  queue_remove(&core->queue, (uint32_t)job->pub.index);
  emit_job(core, RECORD_PREEMPT, job, why);
  wait_begin(core, job);
}

/* The policy hears of a gang's doings since it was last told. */
void tell_ran(struct hsim_core *core, struct gang *gang) {
  if (!core->policy->round_ended)
    return;
  double end = core->now < gang->stop ? core->now : gang->stop;
  if (end < gang->told_from)
    end = gang->told_from;
  double charged = gang->told_from;
  if (core->config->semantics.charge_from == CHARGE_PREVIOUS_ROUND_END)
    charged = core->ran_until;
  if (core->n_ran == core->ran_capacity)
    core->ran = mem_grow(core->ran, core->n_ran + 1, &core->ran_capacity, sizeof(struct hsim_ran));
  int type = core->config->cluster->bays[gang->shares[0].bay].type;
  for (int i = 1; i < gang->pub.n_shares; i++)
    if (core->config->cluster->bays[gang->shares[i].bay].type != type)
      type = -1;
  int partner = whole_rounds(core) ? gang->shared : gang->pub.partner;
  double done = gang->done + gang_steps_at(core, gang, core->now);
  core->ran[core->n_ran++] = (struct hsim_ran){.job = gang->pub.job,
                                               .copy = gang->pub.copy,
                                               .partner = partner,
                                               .type = type,
                                               .gpus = gang->pub.size,
                                               .end_s = end,
                                               .seconds = end - charged,
                                               .steps = done - gang->told_steps,
                                               .failed = gang->failed};
  gang->told_from = core->now;
  gang->told_steps = done;
}

struct gang *partner_gang(const struct hsim_core *core, const struct gang *gang) {
  if (gang->pub.partner < 0)
    return NULL;
  struct job *partner = core->jobs[gang->pub.partner];
  if (!partner)
    return NULL;
  for (int i = 0; i < partner->pub.n_gangs; i++)
    if (partner->gangs[i]->pub.partner == gang->pub.job)
      return partner->gangs[i];
  return NULL;
}

struct gang *gang_add(struct hsim_core *core, const struct edit *edit, double stall) {
  struct job *job = edit->job;
  size_t shares = (size_t)edit->n_shares * sizeof *edit->shares;
  size_t gpus = (size_t)edit->size * sizeof *edit->gpus;
  struct gang *gang = mem_alloc(1, sizeof *gang + shares + gpus);
  struct hsim_share *own_shares = (struct hsim_share *)(gang + 1);
  int *own_gpus = (int *)(own_shares + edit->n_shares);
  memcpy(own_shares, edit->shares, shares);
  memcpy(own_gpus, edit->gpus, gpus);
  *gang = (struct gang){.job = job,
                        .budget = edit->max_steps,
                        .stall = stall,
                        .from = core->now,
                        .told_from = core->now,
                        .stop = INFINITY,
                        .shared = edit->partner,
                        .rated_model = job->pub.model,
                        .rated_partner = edit->partner,
                        .shares = own_shares,
                        .gpus = own_gpus};
  gang->pub = (struct hsim_gang){.job = job->pub.index,
                                 .copy = edit->copy,
                                 .partner = edit->partner,
                                 .size = edit->size,
                                 .n_shares = edit->n_shares,
                                 .shares = gang->shares,
                                 .gpus = gang->gpus,
                                 .rate = edit->rate,
                                 .max_steps = edit->max_steps};
  gang->prev = core->last_gang;
  if (core->last_gang)
    core->last_gang->next = gang;
  else
    core->gangs = gang;
  core->last_gang = gang;

  if (job->pub.n_gangs == job->gangs_capacity) {
    job->gangs_capacity = job->gangs_capacity ? 2 * job->gangs_capacity : 1;
    job->gangs = mem_resize(job->gangs, (size_t)job->gangs_capacity, sizeof(struct gang *));
  }
  job->gangs[job->pub.n_gangs++] = gang;
  job->pub.gangs = (const struct hsim_gang *const *)job->gangs;
  return gang;
}

static void gang_unlink(struct hsim_core *core, struct gang *gang) {
  if (gang->prev)
    gang->prev->next = gang->next;
  else
    core->gangs = gang->next;
  if (gang->next)
    gang->next->prev = gang->prev;
  else
    core->last_gang = gang->prev;
  struct job *job = gang->job;
  int i = 0;
  while (job->gangs[i] != gang)
    i++;
  job->pub.n_gangs--;
  for (; i < job->pub.n_gangs; i++)
    job->gangs[i] = job->gangs[i + 1];
  if (job->pub.n_gangs == 0)
    job->pub.gangs = NULL;
}

static void gpus_leave(struct hsim_core *core, const struct gang *gang) {
  int g = 0;
  for (int i = 0; i < gang->pub.n_shares; i++) {
    int freed = 0;
    for (int k = 0; k < gang->shares[i].gpus; k++)
      freed += --core->busy[gang->gpus[g++]] == 0;
    int bay = gang->shares[i].bay;
    if (core->gpus.capacity[bay] > 0)
      free_gpus_change(&core->gpus, bay, freed);
  }
}

void gang_remove(struct hsim_core *core, struct gang *gang, bool give) {
  emit_gang(core, RECORD_GANG_END, gang);
  if (give)
    gpus_leave(core, gang);
  gang_unlink(core, gang);
  free(gang);
}

/* The gang goes on alone on its GPUs, at its rate alone. */
void gang_leave_partner(struct hsim_core *core, struct gang *gang) {
  segment_end(core, gang->job, false);
  if (gang->job->finish_held) { /* there is nobody left to be credited with */
    gang->pub.partner = -1;
    job_end(core, gang->job, RECORD_FINISH, "");
    return;
  }
  gang->pub.partner = -1;
  segment_begin(core, gang->job);
}

/* The GPUs of a gang that ended inside a round stay with it until the round's end. */
static void gang_idle(struct hsim_core *core, struct gang *gang) {
  gang_unlink(core, gang);
  gang->prev = NULL;
  gang->job = NULL;
  gang->next = NULL;
  if (!core->idle)
    core->idle_end = &core->idle;
  *core->idle_end = gang;
  core->idle_end = &gang->next;
}

void idle_release(struct hsim_core *core, int node) {
  struct gang **at = &core->idle;
  while (*at) {
    struct gang *gang = *at;
    if (node >= 0 && !on_node(core, gang->shares, gang->pub.n_shares, node)) {
      at = &gang->next;
      continue;
    }
    *at = gang->next;
    if (core->now > gang->from) {
      struct record record = {.kind = RECORD_SEGMENT,
                              .time = core->now,
                              .job = gang->pub.job,
                              .gang = &gang->pub,
                              .copy = gang->pub.copy,
                              .node = -1,
                              .from = gang->from,
                              .stop = gang->from};
      emit_record(core, &record);
    }
    emit_gang(core, RECORD_GANG_END, gang);
    gpus_leave(core, gang);
    free(gang);
  }
  core->idle_end = at;
}

static bool gpus_stay(const struct hsim_core *core, const struct gang *gang) {
  if (core->policy->mode != HSIM_MODE_ROUND || core->next_call <= core->now)
    return false;
  if (partner_gang(core, gang))
    return false; /* they stay with the partner */
  switch (core->config->semantics.freed) {
  case FREED_ROUND:
    return true;
  case FREED_EVENT:
    return false;
  case FREED_BY_POLICY:
    break;
  }
  return !core->policy->frees_at_finish;
}

/* Its gangs have been settled. It leaves the view; the policy is told at its next call. */
void job_end(struct hsim_core *core, struct job *job, enum record_kind kind, const char *why) {
  bool ran = job->pub.n_gangs > 0;
  if (!ran)
    wait_end(core, job);
  queue_remove(&core->queue, (uint32_t)job->pub.index);
  for (int i = 0; i < job->pub.n_gangs; i++)
    tell_ran(core, job->gangs[i]);
  account(core, job, 0);
  if (ran)
    job->pub.last_stop_s = core->now;
  emit_job(core, kind, job, why);
  while (job->pub.n_gangs > 0) {
    /* NOLINTBEGIN(clang-analyzer-unix.Malloc): the analyser does not see that the list has moved
     * up in gang_unlink. */
    struct gang *gang = job->gangs[0];
    struct gang *partner = partner_gang(core, gang);
    /* NOLINTEND(clang-analyzer-unix.Malloc) */
    if (gpus_stay(core, gang))
      gang_idle(core, gang);
    else
      gang_remove(core, gang, true);
    if (partner)
      gang_leave_partner(core, partner);
  }
  job_unlink(core, job);
  job->ended = true;
  int index = job->pub.index;
  core->n_ended++;
  if (index >= core->config->measure_from && index < core->config->measure_to)
    core->measured_left--;
  if (core->n_left == core->left_capacity)
    core->left = mem_grow(core->left, core->n_left + 1, &core->left_capacity, sizeof(struct job *));
  core->left[core->n_left++] = job;
  if (job->told)
    core->due = true;
  core->freed = core->freed || ran;
  core->headway = (struct headway){0};
}

void job_engine_free(struct hsim_core *core) {
  while (core->gangs) {
    struct gang *gang = core->gangs;
    core->gangs = gang->next;
    free(gang);
  }
  while (core->idle) {
    struct gang *gang = core->idle;
    core->idle = gang->next;
    free(gang);
  }
  for (struct job *job = core->first; job; job = job->next)
    free(job->gangs);
  for (size_t i = 0; i < core->n_left; i++)
    free(core->left[i]->gangs);
  for (struct job *job = core->pool; job; job = job->next)
    free(job->gangs);
  arena_free(&core->pool_memory);
}
