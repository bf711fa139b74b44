/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First fit in an order, and growth in passes. */
#include "model/memory.h"
#include "policy/voda/allocate.h"

int voda_first_fit(const struct voda_list *list, bool np, int gpus) {
  for (int i = 0; i < list->n && gpus > 0; i++) {
    struct voda_job *job = list->at[i];
    int wanted = np ? job->np : job->min;
    if (wanted > gpus)
      continue;
    job->got = wanted;
    gpus -= wanted;
  }
  return gpus;
}

/* The published loops mean to stop at `max`, but let in jobs that could not start, and elastic_srjf
 * knows a job as full only if it saw it become so. */
static bool grows(const struct voda_job *job, const struct voda_rules *rules) {
  if (!rules->as_coded)
    return job->got > 0 && job->got < job->max;
  bool rigid = job->min == job->max && job->got == job->max;
  return job->got < job->max || (rigid && rules->algorithm == VODA_ELASTIC_SRJF);
}

void voda_grow(struct voda_allocator *allocator, const struct voda_list *list,
               const struct voda_rules *rules, int gpus) {
  size_t count = (size_t)list->n;
  if (count > allocator->list_capacity)
    allocator->list =
        mem_grow(allocator->list, count, &allocator->list_capacity, sizeof *allocator->list);
  struct voda_job **growing = allocator->list;
  int n = 0, started = 0; /* the passes go on while a job that started is among them */
  for (int i = 0; i < list->n && gpus > 0; i++) {
    if (!grows(list->at[i], rules))
      continue;
    started += list->at[i]->got > 0;
    growing[n++] = list->at[i];
  }
  for (int pass = 1; started > 0 && gpus > 0; pass++) {
    int stay = 0;
    for (int i = 0; i < n && gpus > 0; i++) {
      struct voda_job *job = growing[i];
      job->got++;
      gpus--;
      if (job->got < job->max)
        growing[stay++] = job;
      else if (job->got > pass) /* it began this with something */
        started--;
    }
    n = stay;
  }
}
