/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/auditor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/memory.h"
#include "model/number.h"
#include "output/audit_state.h"

static void map_gpus(struct auditor *a) {
  const struct hsim_cluster *cluster = a->info->cluster;
  for (int b = 0; b < cluster->n_bays; b++) {
    const struct hsim_bay *bay = &cluster->bays[b];
    for (int g = bay->first_gpu; g < bay->first_gpu + bay->gpus; g++) {
      a->node_of[g] = bay->node;
      a->holders[g][0] = a->holders[g][1] = -1;
    }
  }
}

struct auditor *auditor_create(const struct run_info *info) {
  struct auditor *a = mem_zero(1, sizeof *a);
  size_t n_jobs = (size_t)info->trace->n_jobs;
  size_t n_gpus = (size_t)info->cluster->n_gpus, n_nodes = (size_t)info->cluster->n_nodes;
  a->info = info;
  a->time = -INFINITY;
  a->free_gang = -1;
  a->jobs = mem_alloc(n_jobs, sizeof *a->jobs);
  for (size_t j = 0; j < n_jobs; j++) {
    double arrival = info->trace->jobs[j].arrival_s;
    a->jobs[j] = (struct audit_job){
        .ended = NAN, .released = arrival, .waited = arrival, .first_gang = -1, .change = -1};
  }
  a->holders = mem_alloc(n_gpus, sizeof *a->holders);
  a->node_of = mem_alloc(n_gpus, sizeof *a->node_of);
  a->marks = mem_zero(n_gpus, sizeof *a->marks);
  a->node_marks = mem_zero(n_nodes, sizeof *a->node_marks);
  a->down = mem_zero(n_nodes, sizeof *a->down);
  map_gpus(a);
  return a;
}

void auditor_free(struct auditor *a) {
  if (a == NULL)
    return;
  for (size_t i = 0; i < a->n_gangs; i++)
    free(a->gangs[i].gpus);
  free(a->gangs);
  free(a->jobs);
  free(a->holders);
  free(a->node_of);
  free(a->marks);
  free(a->node_marks);
  free(a->down);
  free(a->changes);
  free(a->before_gpus);
  free(a->gone_down);
  free(a);
}

static void append(struct auditor *a, size_t *n, const char *format, ...) HSIM_PRINTF(3, 4);
static void append(struct auditor *a, size_t *n, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(a->text + *n, sizeof a->text - *n, format, arguments);
  va_end(arguments);
  if (length < 0)
    return;
  *n += (size_t)length;
  if (*n >= sizeof a->text)
    *n = sizeof a->text - 1;
}

void audit_break(struct auditor *a, struct audit_subject subject, const char *rule,
                 const char *format, ...) {
  if (a->broken)
    return;
  a->broken = true;
  char time[NUMBER_SIZE], detail[300];
  number_print(a->time, time);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  size_t n = 0;
  append(a, &n, "audit of %.64s: %s: time %s, round %llu", a->info->policy, rule, time,
         (unsigned long long)a->round);
  if (subject.job >= 0 && subject.job < a->info->trace->n_jobs)
    append(a, &n, ", job %.64s", a->info->trace->jobs[subject.job].id);
  if (subject.copy >= 0)
    append(a, &n, ", gang %d", subject.copy);
  if (subject.node >= 0)
    append(a, &n, ", node %.64s", a->info->cluster->nodes[subject.node].name);
  append(a, &n, ": %s", detail);
}

static const struct audit_subject nobody = {-1, -1, -1};

static struct audit_subject about(int job) {
  return (struct audit_subject){job, -1, -1};
}

static void arrive(struct auditor *a, const struct record *r) {
  struct audit_job *job = &a->jobs[r->job];
  double arrival = a->info->trace->jobs[r->job].arrival_s;
  if (job->life != AUDIT_NOT_ARRIVED) {
    audit_break(a, about(r->job), "a job arrives once", "it arrives again");
  } else if (r->time < arrival) {
    audit_break(a, about(r->job), "a job arrives when its trace says", "%.17g s too early",
                arrival - r->time);
  }
  job->life = AUDIT_ACTIVE;
}

static void leave(struct auditor *a, const struct record *r, enum audit_life life) {
  struct audit_job *job = &a->jobs[r->job];
  if (job->life != AUDIT_ACTIVE) {
    audit_break(a, about(r->job), "each job ends once, after it arrived",
                job->life == AUDIT_NOT_ARRIVED ? "it has not arrived" : "it has ended already");
    return;
  }
  audit_touch(a, r->job);
  job->life = (uint8_t)life;
  job->ended = r->time;
}

static void change(struct auditor *a, const struct record *r) {
  if (a->jobs[r->job].life == AUDIT_NOT_ARRIVED) {
    audit_break(a, about(r->job), "nothing happens to a job before it arrives", "record kind %d",
                (int)r->kind);
    return;
  }
  struct audit_change *c = audit_touch(a, r->job);
  c->starts += r->kind == RECORD_START && r->counts;
  c->resizes += r->kind == RECORD_RESIZE && r->counts;
  c->migrations += r->kind == RECORD_MIGRATE && r->counts;
  c->preemptions += r->kind == RECORD_PREEMPT && r->counts;
  if (r->kind == RECORD_RESIZE || r->kind == RECORD_MIGRATE)
    c->moved += r->moved;
}

static void wait(struct auditor *a, const struct record *r) {
  struct audit_job *job = &a->jobs[r->job];
  const char *rule = "a job waits while it is active and holds nothing";
  if (job->life == AUDIT_NOT_ARRIVED || !(r->from <= r->time)) {
    audit_break(a, about(r->job), rule, "wait from %.17g of a job that is not there", r->from);
  } else if (r->from < job->released || r->from < job->waited) {
    audit_break(a, about(r->job), rule,
                "wait from %.17g, but it held GPUs until %.17g and has waited until %.17g", r->from,
                job->released, job->waited);
  } else if (job->first_gang >= 0 && a->gangs[job->first_gang].begin < r->time) {
    audit_break(a, about(r->job), rule, "it holds GPUs since %.17g",
                a->gangs[job->first_gang].begin);
  } else if (r->time > job->ended) {
    audit_break(a, about(r->job), rule, "it ended at %.17g", job->ended);
  }
  job->waited = r->time;
}

static void change_node(struct auditor *a, const struct record *r) {
  if (r->node < 0 || r->node >= a->info->cluster->n_nodes) {
    audit_break(a, nobody, "a node event names a node", "node %d", r->node);
    return;
  }
  a->down[r->node] = r->kind == RECORD_NODE_DOWN;
  if (r->kind == RECORD_NODE_UP)
    return;
  a->gone_down =
      mem_grow(a->gone_down, a->n_gone_down + 1, &a->gone_down_capacity, sizeof *a->gone_down);
  a->gone_down[a->n_gone_down++] = r->node;
}

static bool concerns_job(enum record_kind kind) {
  return kind != RECORD_ROUND && kind != RECORD_END && kind != RECORD_NODE_DOWN &&
         kind != RECORD_NODE_UP;
}

static bool concerns_gang(enum record_kind kind) {
  return kind == RECORD_GANG_BEGIN || kind == RECORD_SEGMENT || kind == RECORD_GANG_END;
}

/* Order and indices, so that what follows can rely on them. */
static void check_frame(struct auditor *a, const struct record *r) {
  if (!(r->time >= a->time)) {
    audit_break(a, about(r->job), "time never goes back", "record kind %d at %.17g", (int)r->kind,
                r->time);
  } else if (a->ended) {
    audit_break(a, about(r->job), "nothing follows the end of a run", "record kind %d",
                (int)r->kind);
  } else if (concerns_job(r->kind) && (r->job < 0 || r->job >= a->info->trace->n_jobs)) {
    audit_break(a, nobody, "a job's record names its job", "kind %d, job %d", (int)r->kind, r->job);
  } else if (concerns_gang(r->kind) && (r->gang == NULL || r->gang->job != r->job)) {
    audit_break(a, about(r->job), "a gang's record names a gang of its job", "kind %d",
                (int)r->kind);
  }
}

static void dispatch(struct auditor *a, const struct record *r) {
  switch (r->kind) {
  case RECORD_ROUND:
    break;
  case RECORD_END:
    a->ended = true;
    break;
  case RECORD_ARRIVE:
    arrive(a, r);
    break;
  case RECORD_START:
  case RECORD_RESIZE:
  case RECORD_MIGRATE:
  case RECORD_PREEMPT:
    change(a, r);
    break;
  case RECORD_FINISH:
    leave(a, r, AUDIT_FINISHED);
    break;
  case RECORD_REJECT:
    leave(a, r, AUDIT_REJECTED);
    break;
  case RECORD_DROP:
    leave(a, r, AUDIT_DROPPED);
    break;
  case RECORD_CANCEL:
    leave(a, r, AUDIT_CANCELLED);
    break;
  case RECORD_NODE_DOWN:
  case RECORD_NODE_UP:
    change_node(a, r);
    break;
  case RECORD_GANG_BEGIN:
    audit_gang_begin(a, r);
    break;
  case RECORD_SEGMENT:
    audit_segment(a, r);
    break;
  case RECORD_GANG_END:
    audit_gang_end(a, r);
    break;
  case RECORD_WAIT:
    wait(a, r);
    break;
  }
}

static void take_record(void *state, const struct record *r) {
  struct auditor *a = state;
  if (a->broken)
    return;
  check_frame(a, r);
  if (!a->broken && (r->time > a->time || r->kind == RECORD_ROUND))
    audit_end_instant(a);
  if (a->broken)
    return;
  a->time = r->time;
  a->round = r->round;
  dispatch(a, r);
}

static void check_all_released(struct auditor *a) {
  for (int j = 0; j < a->info->trace->n_jobs && !a->broken; j++) {
    int gang = a->jobs[j].first_gang;
    if (gang >= 0) {
      audit_break(a, (struct audit_subject){j, a->gangs[gang].copy, -1},
                  "every gang that begins ends", "it still holds GPUs at the end of the run");
    }
  }
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct auditor *a = state;
  if (a->ended && !a->broken) {
    audit_end_instant(a);
    check_all_released(a);
  }
  return a->broken ? hsim_fail(error, HSIM_BUG, "%s", a->text) : HSIM_OK;
}

struct sink auditor_sink(struct auditor *auditor) {
  return (struct sink){.state = auditor, .record = take_record, .end = finish};
}
