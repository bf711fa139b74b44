/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/open_gangs.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

enum { SHARERS = 2 };

void open_gangs_init(struct open_gangs *gangs, const struct hsim_cluster *cluster) {
  size_t n = (size_t)cluster->n_gpus * SHARERS;
  *gangs = (struct open_gangs){.at = mem_alloc(n, sizeof(struct open_gang *))};
  for (size_t i = 0; i < n; i++)
    gangs->at[i] = NULL;
}

void open_gangs_free(struct open_gangs *gangs) {
  while (gangs->first) {
    struct open_gang *next = gangs->first->next;
    free(gangs->first);
    gangs->first = next;
  }
  free(gangs->at);
}

/* The place of this gang by its first GPU; with job -1 a free one. */
static struct open_gang **place(struct open_gangs *gangs, int gpu, int job, int copy) {
  for (int i = 0; i < SHARERS; i++) {
    struct open_gang **at = &gangs->at[gpu * SHARERS + i];
    bool same = *at && (*at)->job == job && (*at)->copy == copy;
    if (job < 0 ? *at == NULL : same)
      return at;
  }
  return NULL;
}

void open_gangs_add(struct open_gangs *gangs, const struct record *r) {
  size_t n = (size_t)r->gang->size;
  struct open_gang *gang = mem_alloc(1, sizeof *gang + n * sizeof(int));
  *gang = (struct open_gang){.previous = gangs->last,
                             .job = r->job,
                             .copy = r->gang->copy,
                             .since = r->time,
                             .size = r->gang->size};
  memcpy(gang->gpus, r->gang->gpus, n * sizeof(int));
  struct open_gang **at = place(gangs, gang->gpus[0], -1, 0);
  if (at)
    *at = gang;
  if (gangs->last)
    gangs->last->next = gang;
  else
    gangs->first = gang;
  gangs->last = gang;
}

struct open_gang *open_gangs_take(struct open_gangs *gangs, const struct record *r) {
  struct open_gang **at = place(gangs, r->gang->gpus[0], r->job, r->gang->copy);
  struct open_gang *gang = at ? *at : NULL;
  if (!gang)
    return NULL;
  *at = NULL;
  if (gang->previous)
    gang->previous->next = gang->next;
  else
    gangs->first = gang->next;
  if (gang->next)
    gang->next->previous = gang->previous;
  else
    gangs->last = gang->previous;
  return gang;
}
