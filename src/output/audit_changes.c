/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The auditor's view of an instant: what each job held before it and after it must be what the
 * job's events say. */
#include <math.h>
#include <string.h>

#include "model/memory.h"
#include "output/audit_state.h"

static struct audit_subject about(int job) {
  return (struct audit_subject){job, -1, -1};
}

uint32_t audit_new_mark(struct auditor *a) {
  if (++a->mark == 0) { /* wrapped: old marks could be taken for new ones */
    memset(a->marks, 0, (size_t)a->info->cluster->n_gpus * sizeof *a->marks);
    memset(a->node_marks, 0, (size_t)a->info->cluster->n_nodes * sizeof *a->node_marks);
    a->mark = 1;
  }
  return a->mark;
}

static void keep_gpus(struct auditor *a, const struct audit_gang *gang) {
  size_t size = (size_t)gang->size;
  a->before_gpus =
      mem_grow(a->before_gpus, a->n_before + size, &a->before_capacity, sizeof *a->before_gpus);
  memcpy(a->before_gpus + a->n_before, gang->gpus, size * sizeof *gang->gpus);
  a->n_before += size;
}

struct audit_change *audit_touch(struct auditor *a, int j) {
  struct audit_job *job = &a->jobs[j];
  if (job->change >= 0)
    return &a->changes[job->change];
  a->changes = mem_grow(a->changes, a->n_changes + 1, &a->changes_capacity, sizeof *a->changes);
  struct audit_change *change = &a->changes[a->n_changes];
  *change = (struct audit_change){.job = j, .before = a->n_before};
  job->change = (int)a->n_changes++;
  for (int i = job->first_gang; i >= 0; i = a->gangs[i].next) {
    keep_gpus(a, &a->gangs[i]);
    if (a->gangs[i].copy > 0)
      change->forked_before = true;
  }
  change->n_before = a->n_before - change->before;
  return change;
}

/* What the job holds after the instant, compared with what it held before. */
struct difference {
  int before, after; /* GPUs */
  int new_gpus;      /* held after, but not before */
  bool forked;
};

static struct difference compare(struct auditor *a, const struct audit_change *change) {
  struct difference d = {.before = (int)change->n_before, .forked = change->forked_before};
  uint32_t mark = audit_new_mark(a);
  for (size_t i = 0; i < change->n_before; i++)
    a->marks[a->before_gpus[change->before + i]] = mark;
  for (int i = a->jobs[change->job].first_gang; i >= 0; i = a->gangs[i].next) {
    const struct audit_gang *gang = &a->gangs[i];
    d.after += gang->size;
    if (gang->copy > 0)
      d.forked = true;
    for (int g = 0; g < gang->size; g++)
      d.new_gpus += a->marks[gang->gpus[g]] != mark;
  }
  return d;
}

static void check_start_and_stop(struct auditor *a, const struct audit_change *c,
                                 const struct difference *d) {
  const struct audit_job *job = &a->jobs[c->job];
  bool left = job->life != AUDIT_ACTIVE;
  bool stops = d->after == 0 && !left && (d->before > 0 || c->starts > 0);
  /* A run that ends takes the GPUs away without a preemption; one job may leave by a drop, which
   * may or may not be written as a stop first. */
  bool free_to_say =
      d->after == 0 && (a->ended || job->life == AUDIT_DROPPED || job->life == AUDIT_CANCELLED);
  int starts = d->before == 0 && d->after > 0 ? 1 : 0;
  if (d->before == 0 && d->after == 0 && (left || c->preemptions > 0 || a->ended))
    starts = c->starts > 0 ? 1 : 0; /* begun and over at once */
  if (c->starts != starts) {
    audit_break(a, about(c->job), "a start is a job that held nothing and now runs",
                "%d starts counted; it held %d GPUs and now holds %d", c->starts, d->before,
                d->after);
  } else if (c->preemptions != (stops ? 1 : 0) && !(free_to_say && c->preemptions <= 1)) {
    audit_break(a, about(c->job),
                "a preemption is a job that is not done and holds nothing from then on",
                "%d preemptions counted; it held %d GPUs and now holds %d", c->preemptions,
                d->before, d->after);
  }
}

static void check_move(struct auditor *a, const struct audit_change *c,
                       const struct difference *d) {
  bool goes_on = d->before > 0 && d->after > 0;
  bool resized = goes_on && d->before != d->after;
  bool moved = goes_on && !resized && d->new_gpus > 0;
  bool right;
  if (goes_on && d->forked) {
    /* Copies may swap GPUs among each other: moved for a copy, not for the job. */
    right = c->resizes + c->migrations <= 1 && c->moved >= d->new_gpus && c->moved <= d->after &&
            (c->resizes + c->migrations == 1 || !(resized || moved));
  } else {
    right = c->resizes == (resized ? 1 : 0) && c->migrations == (moved ? 1 : 0) &&
            c->moved == (goes_on ? d->new_gpus : 0);
  }
  /* Moved, and over at once: where it went can no longer be seen. */
  bool over = d->before > 0 && d->after == 0 &&
              (c->preemptions > 0 || a->ended || a->jobs[c->job].life != AUDIT_ACTIVE);
  /* Of a job that has ended GPUs may go one by one: those of a node that goes down first. */
  bool leaves =
      a->jobs[c->job].life != AUDIT_ACTIVE && d->new_gpus == 0 && c->resizes + c->migrations == 0;
  if (right || leaves || (over && c->resizes + c->migrations <= 1))
    return;
  audit_break(a, about(c->job), "resizes and migrations are the changes of a job's GPUs",
              "%d resizes, %d migrations, %d moved workers counted; it held %d GPUs and now holds "
              "%d, of which %d are new",
              c->resizes, c->migrations, c->moved, d->before, d->after, d->new_gpus);
}

/* Several gangs of a job: copies, on distinct nodes. */
static void check_copies(struct auditor *a, int j) {
  int first = a->jobs[j].first_gang;
  if (first < 0 || a->gangs[first].next < 0)
    return;
  /* Each node gets the mark of the gang that is on it; marks from `base` on are this job's. */
  uint32_t base = 0;
  for (int i = first; i >= 0; i = a->gangs[i].next) {
    const struct audit_gang *gang = &a->gangs[i];
    uint32_t mark = audit_new_mark(a);
    if (base == 0)
      base = mark;
    if (gang->copy == 0) {
      audit_break(a, (struct audit_subject){j, 0, -1}, "several gangs of a job are copies",
                  "it has others beside its plain gang");
    }
    for (int g = 0; g < gang->size; g++) {
      int node = a->node_of[gang->gpus[g]];
      if (a->node_marks[node] >= base && a->node_marks[node] != mark) {
        audit_break(a, (struct audit_subject){j, gang->copy, node}, "copies are on distinct nodes",
                    "another copy of the job is there");
      }
      a->node_marks[node] = mark;
    }
  }
}

static void check_total(struct auditor *a, int j) {
  struct audit_job *job = &a->jobs[j];
  if (job->life != AUDIT_FINISHED || job->first_gang >= 0 || job->summed)
    return;
  job->summed = true;
  double asked = a->info->trace->jobs[j].steps;
  if (!(fabs(job->steps - asked) <= 1e-9 * asked + job->slack)) {
    audit_break(a, about(j), "work done is work asked", "%.17g steps of %.17g", job->steps, asked);
  }
}

static void check_down_nodes(struct auditor *a) {
  for (size_t i = 0; i < a->n_gone_down && !a->broken; i++) {
    int n = a->gone_down[i];
    if (!a->down[n])
      continue;
    const struct hsim_node *node = &a->info->cluster->nodes[n];
    int first = a->info->cluster->bays[node->first_bay].first_gpu;
    for (int g = first; g < first + node->gpus; g++) {
      if (a->holders[g][0] < 0)
        continue;
      const struct audit_gang *gang = &a->gangs[a->holders[g][0]];
      audit_break(a, (struct audit_subject){gang->job, gang->copy, n},
                  "nothing runs on a node that is down", "it goes on there");
    }
  }
}

void audit_end_instant(struct auditor *a) {
  for (size_t i = 0; i < a->n_changes; i++) {
    const struct audit_change *change = &a->changes[i];
    a->jobs[change->job].change = -1;
    if (a->broken)
      continue;
    struct difference d = compare(a, change);
    check_start_and_stop(a, change, &d);
    check_move(a, change, &d);
    check_copies(a, change->job);
    check_total(a, change->job);
  }
  check_down_nodes(a);
  a->n_changes = a->n_before = a->n_gone_down = 0;
}
