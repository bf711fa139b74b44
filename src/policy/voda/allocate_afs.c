/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AFS-L: GPU by GPU to the winner of a scan that compares a champion with each next job. Of two
 * jobs the shorter one s (by its length at the workers that it has) keeps the GPU unless the longer
 * one l would lose relatively more without it than s would gain from it.
 *
 * The relation is not transitive, so the order of the scan matters. A grant changes one job only:
 * what the scan found before that job stays true, so each scan begins there.
 */
#include <math.h>

#include "model/memory.h"
#include "policy/voda/allocate.h"

struct voda_afs {
  struct voda_job *job;
  double length_s; /* at its workers; infinity at none */
  double gain;     /* of the next worker, relative to the speedup now; infinity at none */
  double loss;     /* of the next worker, relative to the speedup with it; 1 at none */
  int champion;    /* of the list up to here */
};

/* (a - b) / c; the published program has single precision, which decides ties. */
static double part(double a, double b, double c, bool as_coded) {
  return as_coded ? (double)(((float)a - (float)b) / (float)c) : (a - b) / c;
}

static double length(const struct voda_job *job, int workers, bool as_coded) {
  return workers > 0 ? part(job->left_s, 0, job->speedup[workers], as_coded) : INFINITY;
}

static void look_at(struct voda_afs *entry, bool as_coded) {
  const struct voda_job *job = entry->job;
  int n = job->got;
  double now = job->speedup[n], next = job->speedup[n + 1];
  entry->length_s = length(job, n, as_coded);
  entry->gain = n > 0 ? part(next, now, now, as_coded) : INFINITY;
  entry->loss = n > 0 ? part(next, now, next, as_coded) : 1;
}

static bool at_least(double a, double b, bool as_coded) {
  return as_coded ? a >= b : a >= b - VODA_TIE * fabs(b);
}

static bool above(double a, double b, bool as_coded) {
  return as_coded ? a > b : a > b + VODA_TIE;
}

/* As coded, the challenger's length is taken at the champion's workers. */
static double challenger_length(const struct voda_afs *x, const struct voda_afs *y, bool as_coded) {
  if (!as_coded)
    return y->length_s;
  int n = x->job->got <= y->job->max ? x->job->got : y->job->max;
  return length(y->job, n, as_coded);
}

/* Whether y takes the champion x's place. */
static bool replaces(const struct voda_afs *x, const struct voda_afs *y, bool as_coded) {
  if (x->job->got == 0 && y->job->got == 0)
    return at_least(x->job->left_s, y->job->left_s, as_coded);
  double length_x = x->length_s, length_y = challenger_length(x, y, as_coded);
  bool y_shorter = isinf(length_x) || (!isinf(length_y) && at_least(length_x, length_y, as_coded));
  if (y_shorter)
    return !above(x->loss, y->gain, as_coded);
  return above(y->loss, x->gain, as_coded);
}

/* Scans from place `from` on; returns the champion of the whole list. */
static int scan(struct voda_afs *list, int n, int from, bool as_coded) {
  int champion = from > 0 ? list[from - 1].champion : 0;
  for (int i = from; i < n; i++) {
    if (i > 0 && replaces(&list[champion], &list[i], as_coded))
      champion = i;
    list[i].champion = champion;
  }
  return champion;
}

static void leave(struct voda_afs *list, int *n, int at) {
  --*n;
  for (int i = at; i < *n; i++)
    list[i] = list[i + 1];
}

void voda_afs_l(struct voda_allocator *allocator, const struct voda_list *list, bool as_coded,
                int gpus) {
  size_t count = (size_t)list->n;
  if (count > allocator->afs_capacity)
    allocator->afs =
        mem_grow(allocator->afs, count, &allocator->afs_capacity, sizeof *allocator->afs);
  struct voda_afs *entries = allocator->afs;
  int n = list->n, from = 0;
  for (int i = 0; i < n; i++) {
    entries[i].job = list->at[i];
    look_at(&entries[i], as_coded);
  }
  while (gpus > 0 && n > 0) {
    int at = scan(entries, n, from, as_coded);
    struct voda_job *job = entries[at].job;
    int block = job->got == 0 && !as_coded ? job->min : 1;
    if (block <= gpus) {
      job->got += block;
      gpus -= block;
      look_at(&entries[at], as_coded);
    }
    if (job->got == 0 || job->got >= job->max)
      leave(entries, &n, at);
    from = at;
  }
}
