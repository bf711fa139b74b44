/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/voda/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

/* What jobs are sorted by; the place in order of submission breaks ties. */
struct voda_key {
  double key;
  int queue, id;
  struct voda_job *job;
};

static int by_key(const void *a, const void *b) {
  const struct voda_key *x = a, *y = b;
  if (x->queue != y->queue)
    return x->queue < y->queue ? -1 : 1;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static double key_of(const struct voda_rules *rules, const struct voda_job *job) {
  switch (rules->algorithm) {
  case VODA_SRJF:
  case VODA_ELASTIC_SRJF:
    return job->left_s;
  case VODA_TIRESIAS:
  case VODA_ELASTIC_TIRESIAS:
    /* "Never" is a date that the published program's database turns into the year 0. */
    return rules->never_first && isinf(job->first_start_s) ? -INFINITY : job->first_start_s;
  default:
    return job->id;
  }
}

static bool uses_queues(const struct voda_rules *rules) {
  return rules->algorithm == VODA_TIRESIAS || rules->algorithm == VODA_ELASTIC_TIRESIAS;
}

/* The jobs in the algorithm's order of service. */
static struct voda_list in_order(struct voda_allocator *allocator, const struct voda_rules *rules,
                                 struct voda_job *jobs, int n) {
  size_t count = (size_t)n;
  if (count > allocator->order_capacity)
    allocator->order =
        mem_grow(allocator->order, count, &allocator->order_capacity, sizeof *allocator->order);
  if (count > allocator->keys_capacity)
    allocator->keys =
        mem_grow(allocator->keys, count, &allocator->keys_capacity, sizeof *allocator->keys);
  bool sorted = true;
  for (int i = 0; i < n; i++) {
    struct voda_key *key = &allocator->keys[i];
    *key = (struct voda_key){.key = key_of(rules, &jobs[i]),
                             .queue = uses_queues(rules) ? jobs[i].queue : 0,
                             .id = jobs[i].id,
                             .job = &jobs[i]};
    sorted = sorted && (i == 0 || by_key(key - 1, key) < 0);
  }
  if (!sorted)
    qsort(allocator->keys, count, sizeof *allocator->keys, by_key);
  for (int i = 0; i < n; i++)
    allocator->order[i] = allocator->keys[i].job;
  return (struct voda_list){allocator->order, n};
}

/* The stretch of the list that is in queues low..VODA_QUEUES - 1. */
static struct voda_list in_queues(const struct voda_list *list, int low) {
  int from = 0, to = list->n;
  while (from < list->n && list->at[from]->queue < low)
    from++;
  while (to > from && list->at[to - 1]->queue >= VODA_QUEUES)
    to--;
  return (struct voda_list){list->at + from, to - from};
}

static void elastic_tiresias(struct voda_allocator *allocator, const struct voda_list *list,
                             const struct voda_rules *rules, int gpus) {
  struct voda_list queued = in_queues(list, 0), lower = in_queues(list, 1);
  int left = voda_first_fit(&queued, true, gpus), pending = 0;
  for (int i = 0; i < list->n; i++)
    pending += list->at[i]->got == 0;
  voda_compact(&lower, pending, rules->compaction, &left);
  voda_by_gain(allocator, list, rules->as_coded, left);
}

/* False: as coded, the program would have found no solution and given up. */
static bool run(struct voda_allocator *allocator, const struct voda_rules *rules,
                struct voda_job *jobs, int n, int gpus) {
  for (int i = 0; i < n; i++)
    jobs[i].got = 0;
  struct voda_list list = in_order(allocator, rules, jobs, n);
  struct voda_list queued = list;
  switch (rules->algorithm) {
  case VODA_FIFO:
  case VODA_SRJF:
    voda_first_fit(&list, false, gpus);
    return true;
  case VODA_ELASTIC_FIFO:
  case VODA_ELASTIC_SRJF:
    voda_grow(allocator, &list, rules, voda_first_fit(&list, false, gpus));
    return true;
  case VODA_TIRESIAS:
    queued = in_queues(&list, 0);
    voda_first_fit(&queued, true, gpus);
    return true;
  case VODA_ELASTIC_TIRESIAS:
    elastic_tiresias(allocator, &list, rules, gpus);
    return true;
  case VODA_FFDL:
    return voda_ffdl(allocator, &list, rules, gpus);
  case VODA_AFS_L:
    voda_afs_l(allocator, &list, rules->as_coded, gpus);
    return true;
  }
  return true;
}

static bool sound(const struct voda_job *jobs, int n, int gpus) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (jobs[i].got != 0 && (jobs[i].got < jobs[i].min || jobs[i].got > jobs[i].max))
      return false;
    sum += jobs[i].got;
  }
  return sum <= gpus;
}

bool voda_allocate(struct voda_allocator *allocator, const struct voda_rules *rules,
                   struct voda_job *jobs, int n, int gpus) {
  bool solved = run(allocator, rules, jobs, n, gpus);
  if (!rules->as_coded || (solved && sound(jobs, n, gpus)))
    return false;
  struct voda_rules fixed = *rules;
  fixed.as_coded = fixed.never_first = false;
  run(allocator, &fixed, jobs, n, gpus);
  return true;
}

void voda_allocator_free(struct voda_allocator *allocator) {
  free(allocator->order);
  free(allocator->list);
  free(allocator->heap);
  free(allocator->afs);
  free(allocator->sums);
  free(allocator->shares);
  free(allocator->keys);
  *allocator = (struct voda_allocator){0};
}
