/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/order.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

/* Remaining times within one class of lptc differ by less than this factor. */
#define LPT_CLASS 1.3

static double key_of(enum hadar_order order, const struct hadar_job *job, double payoff,
                     double round_s) {
  const struct hadar_kind *kind = job->kind;
  double left = job->remaining / kind->best;
  double rounds = fmax(1, ceil(job->remaining / kind->fastest / round_s));
  switch (order) {
  case HADAR_AREA:
    return kind->workers * left;
  case HADAR_PAY:
    return -payoff;
  case HADAR_DENSR:
    return -payoff / (kind->workers * rounds);
  case HADAR_DENS:
    return -payoff / kind->workers;
  case HADAR_PAYR:
    return -payoff / rounds;
  case HADAR_SRPT:
    return left;
  case HADAR_LPT:
    return -left;
  case HADAR_LPTC:
    return -floor(log(left) / log(LPT_CLASS));
  case HADAR_ARRIVAL:
    return 0;
  }
  return 0;
}

static bool needs_payoff(enum hadar_order order) {
  return order == HADAR_PAY || order == HADAR_DENSR || order == HADAR_DENS || order == HADAR_PAYR;
}

static int compare_ranks(const void *x, const void *y) {
  const struct hadar_rank *a = x, *b = y;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

void hadar_queue_fill(struct hadar_queue *queue, const struct hadar_market *market,
                      const struct hadar_job *jobs, int n, enum hadar_order order,
                      struct hadar_found *found) {
  size_t count = (size_t)n;
  queue->jobs = mem_grow(queue->jobs, count, &queue->jobs_capacity, sizeof *queue->jobs);
  queue->ranks = mem_grow(queue->ranks, count, &queue->ranks_capacity, sizeof *queue->ranks);
  queue->all =
      mem_grow(queue->all, (size_t)market->classes->n, &queue->all_capacity, sizeof *queue->all);
  struct hadar_room room = {.at = queue->all};
  hadar_room_all(market->classes, &room);
  queue->n = 0;
  for (int i = 0; i < n; i++) {
    if (jobs[i].kind->best <= 0)
      continue;
    double payoff = 0;
    if (needs_payoff(order)) {
      hadar_find(market, &room, &jobs[i], found);
      const struct hadar_candidate *best = hadar_best(found);
      payoff = best != NULL ? best->payoff : -INFINITY;
    }
    queue->ranks[queue->n++] =
        (struct hadar_rank){key_of(order, &jobs[i], payoff, market->round_s), i, jobs[i].index};
  }
  if (queue->n > 0)
    qsort(queue->ranks, (size_t)queue->n, sizeof *queue->ranks, compare_ranks);
  int at = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < queue->n; i++)
      if (jobs[queue->ranks[i].job].forced == (pass == 0))
        queue->jobs[at++] = queue->ranks[i].job;
}

void hadar_queue_free(struct hadar_queue *queue) {
  free(queue->jobs);
  free(queue->ranks);
  free(queue->all);
  *queue = (struct hadar_queue){0};
}
