/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The auditor's view of gangs: placement rules when one begins, the books of its segments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/audit_state.h"

static struct audit_subject about(const struct hsim_gang *gang, int node) {
  return (struct audit_subject){gang->job, gang->copy, node};
}

static int find_gang(const struct auditor *a, int job, int copy) {
  int i = a->jobs[job].first_gang;
  while (i >= 0 && a->gangs[i].copy != copy)
    i = a->gangs[i].next;
  return i;
}

static void check_size(struct auditor *a, const struct hsim_gang *gang) {
  const struct hsim_job *job = &a->info->trace->jobs[gang->job];
  int low = job->workers, high = job->workers;
  if (gang->copy > 0) {
    low = 1;
    high = a->info->cluster->n_gpus;
  } else if (a->info->elastic) {
    low = job->min_workers;
    high = job->max_workers;
  }
  if (gang->size < low || gang->size > high) {
    audit_break(a, about(gang, -1), "a gang has a size that its job may have",
                "%d workers, allowed %d to %d", gang->size, low, high);
  }
}

/* Shares and GPU indices agree, exist, and the job accepts their types. */
static void check_shape(struct auditor *a, const struct hsim_gang *gang) {
  const struct hsim_cluster *cluster = a->info->cluster;
  const char *rule = "a placement is GPUs that exist, each once";
  int n = 0, last_bay = -1;
  for (int s = 0; s < gang->n_shares; s++) {
    int b = gang->shares[s].bay, gpus = gang->shares[s].gpus;
    if (b <= last_bay || b >= cluster->n_bays || gpus < 1 || gpus > gang->size - n) {
      audit_break(a, about(gang, -1), rule, "share %d: %d GPUs of bay %d", s, gpus, b);
      return;
    }
    last_bay = b;
    const struct hsim_bay *bay = &cluster->bays[b];
    for (int i = n; i < n + gpus; i++) {
      int gpu = gang->gpus[i];
      bool ascends = i == n || gpu > gang->gpus[i - 1];
      if (!ascends || gpu < bay->first_gpu || gpu >= bay->first_gpu + bay->gpus) {
        audit_break(a, about(gang, bay->node), rule, "GPU %d", gpu);
        return;
      }
    }
    n += gpus;
    if ((a->info->trace->jobs[gang->job].gpu_types >> bay->type & 1) == 0) {
      audit_break(a, about(gang, bay->node), "a job runs on GPU types that it accepts only", "%s",
                  cluster->type_names[bay->type]);
    }
    if (a->down[bay->node]) {
      audit_break(a, about(gang, bay->node), "nothing runs on a node that is down",
                  "it begins there");
    }
  }
  if (n != gang->size)
    audit_break(a, about(gang, -1), rule, "%d GPUs of %d", n, gang->size);
}

/* Free, or held by nobody but the partner, on the very same GPUs. */
static void check_free(struct auditor *a, const struct hsim_gang *gang) {
  for (int i = 0; i < gang->size; i++) {
    int gpu = gang->gpus[i];
    const int *holders = a->holders[gpu];
    if (holders[0] < 0)
      continue;
    const struct audit_gang *other = &a->gangs[holders[0]];
    bool pair = holders[1] < 0 && gang->partner >= 0 && other->job == gang->partner &&
                other->size == gang->size &&
                memcmp(other->gpus, gang->gpus, (size_t)gang->size * sizeof *gang->gpus) == 0;
    if (!pair) {
      audit_break(a, about(gang, a->node_of[gpu]), "no GPU is used twice, but by a pair",
                  "GPU %d is held by job %.64s", gpu, a->info->trace->jobs[other->job].id);
      return;
    }
  }
}

static int new_gang(struct auditor *a) {
  int i = a->free_gang;
  if (i >= 0) {
    a->free_gang = a->gangs[i].next;
    return i;
  }
  a->gangs = mem_grow(a->gangs, a->n_gangs + 1, &a->gangs_capacity, sizeof *a->gangs);
  a->gangs[a->n_gangs] = (struct audit_gang){0};
  return (int)a->n_gangs++;
}

static void hold(struct auditor *a, const struct hsim_gang *gang) {
  int i = new_gang(a);
  struct audit_gang *own = &a->gangs[i];
  struct audit_job *job = &a->jobs[gang->job];
  size_t size = (size_t)gang->size;
  if (own->gpus_capacity < size) {
    own->gpus = mem_resize(own->gpus, size, sizeof *own->gpus);
    own->gpus_capacity = size;
  }
  memcpy(own->gpus, gang->gpus, size * sizeof *own->gpus);
  own->job = gang->job;
  own->copy = gang->copy;
  own->size = gang->size;
  own->begin = own->accounted = a->time;
  own->next = job->first_gang;
  job->first_gang = i;
  for (int g = 0; g < own->size; g++) {
    int *holders = a->holders[own->gpus[g]];
    holders[holders[0] < 0 ? 0 : 1] = i;
  }
}

void audit_gang_begin(struct auditor *a, const struct record *r) {
  const struct hsim_gang *gang = r->gang;
  const struct audit_job *job = &a->jobs[gang->job];
  if (job->life != AUDIT_ACTIVE) {
    audit_break(a, about(gang, -1), "no job runs before it arrives or after it ended",
                job->life == AUDIT_NOT_ARRIVED ? "it has not arrived" : "it has ended");
  } else if (find_gang(a, gang->job, gang->copy) >= 0) {
    audit_break(a, about(gang, -1), "a gang begins once", "it has not ended yet");
  } else if (gang->size < 1) {
    audit_break(a, about(gang, -1), "a gang has workers", "%d", gang->size);
  }
  if (!a->broken)
    check_shape(a, gang);
  if (!a->broken)
    check_size(a, gang);
  if (!a->broken)
    check_free(a, gang);
  if (a->broken)
    return;
  audit_touch(a, gang->job);
  hold(a, gang);
}

/* Segment times, before its work is looked at. */
static void check_times(struct auditor *a, const struct record *r, const struct audit_gang *gang) {
  const struct audit_job *job = &a->jobs[r->job];
  const char *rule = "segments follow each other without a gap";
  if (r->from != gang->accounted) {
    audit_break(a, about(r->gang, -1), rule, "segment from %.17g, the last ended at %.17g", r->from,
                gang->accounted);
  } else if (!(r->from <= r->stop && r->stop <= r->time)) {
    audit_break(a, about(r->gang, -1), rule, "segment from %.17g, stop %.17g, end %.17g", r->from,
                r->stop, r->time);
  } else if (r->stop > job->ended) {
    audit_break(a, about(r->gang, -1), "no job runs after it ended",
                "it ended at %.17g, progress until %.17g", job->ended, r->stop);
  }
}

/* Rounding of differences between clock values, in seconds. */
static double clock_slack(const struct record *r) {
  return 1e-9 * (r->stop - r->from) + 4e-16 * fabs(r->time) * 2.0;
}

static void check_work(struct auditor *a, const struct record *r) {
  double slack = clock_slack(r), rate = r->gang->rate;
  double moving = r->stop - r->from - r->stall;
  const char *rule = "steps are rate times productive seconds";
  if (!(r->stall >= 0.0) || moving < -slack || !(r->productive <= moving + slack)) {
    audit_break(a, about(r->gang, -1), "busy time is at least stalled and productive time",
                "busy %.17g, stalled %.17g, productive %.17g", r->stop - r->from, r->stall,
                r->productive);
    return;
  }
  if (!(rate >= 0.0) || !isfinite(rate) || !isfinite(r->steps) || !(r->lost_steps >= 0.0)) {
    audit_break(a, about(r->gang, -1), rule, "rate %.17g, steps %.17g, lost %.17g", rate, r->steps,
                r->lost_steps);
    return;
  }
  /* What is lost may have been done in earlier segments, at other rates: then only a bound. */
  double done = r->steps + r->lost_steps;
  double expected = rate * (r->lost_steps > 0.0 ? fmax(moving, 0.0) : r->productive);
  double tolerance = 1e-9 * fmax(fabs(done), fabs(expected)) + rate * slack;
  bool right =
      r->lost_steps > 0.0 ? done <= expected + tolerance : fabs(done - expected) <= tolerance;
  if (!right) {
    audit_break(a, about(r->gang, -1), rule, "%.17g steps (%.17g lost), rate %.17g, seconds %.17g",
                r->steps, r->lost_steps, rate, r->productive);
  }
}

static void check_whole(struct auditor *a, const struct record *r) {
  double all = a->info->trace->jobs[r->job].steps, left = all - a->jobs[r->job].steps;
  bool last = left <= 1e-9 * all;
  if (!last && r->steps != floor(r->steps)) {
    audit_break(a, about(r->gang, -1), "steps are whole numbers", "%.17g steps", r->steps);
  }
}

void audit_segment(struct auditor *a, const struct record *r) {
  int i = find_gang(a, r->job, r->gang->copy);
  if (i < 0) {
    audit_break(a, about(r->gang, -1), "a segment is inside its gang's time",
                "the gang holds nothing");
    return;
  }
  check_times(a, r, &a->gangs[i]);
  if (!a->broken)
    check_work(a, r);
  a->gangs[i].accounted = r->time;
  a->jobs[r->job].steps += r->steps;
  a->jobs[r->job].slack += r->gang->rate * 1e-15 * fabs(r->time);
  if (!a->broken && a->info->whole_steps)
    check_whole(a, r);
}

static void let_go(struct auditor *a, int i) {
  struct audit_gang *gang = &a->gangs[i];
  struct audit_job *job = &a->jobs[gang->job];
  for (int g = 0; g < gang->size; g++) {
    int *holders = a->holders[gang->gpus[g]];
    if (holders[0] == i)
      holders[0] = holders[1];
    holders[1] = -1;
  }
  int *link = &job->first_gang;
  while (*link != i)
    link = &a->gangs[*link].next;
  *link = gang->next;
  gang->next = a->free_gang;
  a->free_gang = i;
  if (job->first_gang < 0)
    job->released = a->time;
}

void audit_gang_end(struct auditor *a, const struct record *r) {
  int i = find_gang(a, r->job, r->gang->copy);
  const char *rule = "a gang ends as it began, when its last segment ends";
  if (i < 0) {
    audit_break(a, about(r->gang, -1), rule, "it holds nothing");
    return;
  }
  const struct audit_gang *gang = &a->gangs[i];
  bool same = gang->size == r->gang->size &&
              memcmp(gang->gpus, r->gang->gpus, (size_t)gang->size * sizeof *gang->gpus) == 0;
  if (!same) {
    audit_break(a, about(r->gang, -1), rule, "on other GPUs");
  } else if (gang->accounted != r->time) {
    audit_break(a, about(r->gang, -1), rule, "the last segment ended at %.17g", gang->accounted);
  }
  if (a->broken)
    return;
  audit_touch(a, r->job);
  let_go(a, i);
}
