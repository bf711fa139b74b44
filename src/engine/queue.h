/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pending events: an indexed 4-ary min-heap ordered by (time, class, owner). An owner (a job) has
 * at most one pending event, which can be moved or taken out.
 */
#ifndef HSIM_ENGINE_QUEUE_H
#define HSIM_ENGINE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue_event {
  double time;
  uint32_t class; /* order at equal times */
  uint32_t owner; /* order at equal classes; below the number of owners */
};

struct queue {
  struct queue_event *at;
  uint32_t *place; /* [owners] position of the owner's event, QUEUE_NOWHERE when none is pending */
  size_t n, capacity, owners;
};

#define QUEUE_NOWHERE UINT32_MAX

void queue_init(struct queue *queue, size_t owners);
void queue_free(struct queue *queue);

/* Inserts the owner's event, or moves the one that is pending. */
void queue_set(struct queue *queue, struct queue_event event);
void queue_remove(struct queue *queue, uint32_t owner);

static inline bool queue_pending(const struct queue *queue, uint32_t owner) {
  return queue->place[owner] != QUEUE_NOWHERE;
}

static inline const struct queue_event *queue_first(const struct queue *queue) {
  return queue->n ? &queue->at[0] : NULL;
}

#endif
