/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/queue.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

static bool before(const struct queue_event *a, const struct queue_event *b) {
  if (a->time != b->time)
    return a->time < b->time;
  if (a->class != b->class)
    return a->class < b->class;
  return a->owner < b->owner;
}

static void put(struct queue *queue, size_t i, const struct queue_event *event) {
  queue->at[i] = *event;
  queue->place[event->owner] = (uint32_t)i;
}

/* Moves the hole at i up to where the event belongs. */
static void sift_up(struct queue *queue, size_t i, const struct queue_event *event) {
  while (i > 0) {
    size_t parent = (i - 1) / 4;
    if (!before(event, &queue->at[parent]))
      break;
    put(queue, i, &queue->at[parent]);
    i = parent;
  }
  put(queue, i, event);
}

static size_t least_child(const struct queue *queue, size_t first) {
  size_t end = first + 4 < queue->n ? first + 4 : queue->n;
  size_t least = first;
  for (size_t c = first + 1; c < end; c++)
    if (before(&queue->at[c], &queue->at[least]))
      least = c;
  return least;
}

/* The same downwards. */
static void sift_down(struct queue *queue, size_t i, const struct queue_event *event) {
  for (size_t child; (child = 4 * i + 1) < queue->n; i = child) {
    child = least_child(queue, child);
    if (!before(&queue->at[child], event))
      break;
    put(queue, i, &queue->at[child]);
  }
  put(queue, i, event);
}

void queue_init(struct queue *queue, size_t owners) {
  *queue = (struct queue){.owners = owners};
  queue->place = mem_alloc(owners, sizeof *queue->place);
  memset(queue->place, 0xff, owners * sizeof *queue->place);
}

void queue_set(struct queue *queue, struct queue_event event) {
  size_t i = queue->place[event.owner];
  if (i == QUEUE_NOWHERE) {
    queue->at = mem_grow(queue->at, queue->n + 1, &queue->capacity, sizeof *queue->at);
    sift_up(queue, queue->n++, &event);
  } else if (before(&event, &queue->at[i])) {
    sift_up(queue, i, &event);
  } else {
    sift_down(queue, i, &event);
  }
}

void queue_remove(struct queue *queue, uint32_t owner) {
  size_t i = queue->place[owner];
  if (i == QUEUE_NOWHERE)
    return;
  queue->place[owner] = QUEUE_NOWHERE;
  struct queue_event last = queue->at[--queue->n];
  if (i == queue->n)
    return;
  /* The last event is a leaf, so it nearly always belongs near the bottom again: let the hole fall
   * there without comparing with it, then lift it. */
  for (size_t child; (child = 4 * i + 1) < queue->n; i = child) {
    child = least_child(queue, child);
    put(queue, i, &queue->at[child]);
  }
  sift_up(queue, i, &last);
}

void queue_free(struct queue *queue) {
  free(queue->at);
  free(queue->place);
  *queue = (struct queue){0};
}
