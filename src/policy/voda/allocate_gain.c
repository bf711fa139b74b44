/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elastic-Tiresias: compaction, and GPUs by largest gain. */
#include <math.h>

#include "model/memory.h"
#include "policy/voda/allocate.h"

struct voda_gain {
  double gain; /* in units of VODA_TIE, whole: equal up to rounding is equal; as coded as it is */
  int picked;  /* when it last got something, 0 never: among equals the last one goes on */
  struct voda_job *job;
};

void voda_compact(struct voda_list *queues, int pending, int most, int *gpus) {
  if (pending <= most)
    return;
  for (int i = 0; i < queues->n; i++) {
    struct voda_job *job = queues->at[i];
    if (job->got == 0)
      continue;
    *gpus += job->got - job->min;
    job->got = job->min;
  }
}

/* In single precision, and with tables that go on as they are beyond the job's max. */
static double gain_as_coded(const struct voda_job *job) {
  const double *speedup = job->speedup;
  if (job->got == 0)
    return (float)speedup[job->min] / (float)job->min;
  int next = job->got < job->max ? job->got + 1 : job->max;
  return (float)speedup[next] - (float)speedup[next - 1];
}

/* Of the next worker; of a job that holds nothing, the mean over its first block. */
static double gain_of(const struct voda_job *job, bool as_coded) {
  if (as_coded)
    return gain_as_coded(job);
  double gain = job->got > 0 ? job->speedup[job->got + 1] - job->speedup[job->got]
                             : job->speedup[job->min] / job->min;
  return nearbyint(gain / VODA_TIE);
}

static bool before(const struct voda_gain *a, const struct voda_gain *b) {
  if (a->gain != b->gain)
    return a->gain > b->gain;
  if (a->job->queue != b->job->queue)
    return a->job->queue < b->job->queue;
  if (a->picked != b->picked)
    return a->picked > b->picked;
  return a->job->id < b->job->id;
}

static void sift_down(struct voda_gain *heap, int n, int at) {
  struct voda_gain moving = heap[at];
  for (;;) {
    int child = 2 * at + 1;
    if (child >= n)
      break;
    if (child + 1 < n && before(&heap[child + 1], &heap[child]))
      child++;
    if (!before(&heap[child], &moving))
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moving;
}

static bool is_candidate(const struct voda_job *job, bool as_coded, int gpus) {
  if (job->got >= job->max)
    return false;
  return job->min <= gpus || (job->got > 0 && !as_coded);
}

/* Gives to the job on top. Returns whether it stays a candidate; as coded, a job is seen to be full
 * only when it gets a further worker. */
static bool give(struct voda_job *job, bool as_coded, int *gpus) {
  bool first = job->got == 0;
  int block = first ? job->min : 1;
  if (block > *gpus)
    return false;
  job->got += block;
  *gpus -= block;
  if (as_coded && first)
    return true;
  return job->got < job->max;
}

void voda_by_gain(struct voda_allocator *allocator, const struct voda_list *list, bool as_coded,
                  int gpus) {
  if (gpus == 0)
    return;
  size_t count = (size_t)list->n;
  if (count > allocator->heap_capacity)
    allocator->heap =
        mem_grow(allocator->heap, count, &allocator->heap_capacity, sizeof *allocator->heap);
  struct voda_gain *heap = allocator->heap;
  int n = 0;
  for (int i = 0; i < list->n; i++)
    if (is_candidate(list->at[i], as_coded, gpus))
      heap[n++] = (struct voda_gain){.gain = gain_of(list->at[i], as_coded), .job = list->at[i]};
  for (int i = n / 2 - 1; i >= 0; i--)
    sift_down(heap, n, i);
  for (int step = 1; gpus > 0 && n > 0 && heap[0].gain > 0; step++) {
    if (give(heap[0].job, as_coded, &gpus)) {
      heap[0].gain = gain_of(heap[0].job, as_coded);
      heap[0].picked = step;
    } else {
      heap[0] = heap[--n];
    }
    if (n > 0)
      sift_down(heap, n, 0);
  }
}
