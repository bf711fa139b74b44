/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event queue alone: with PENDING events in it, takes the first one out and puts a later one
 * in, EVENTS times, and prints events a second. `event_queue [PENDING [EVENTS]]`.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/queue.h"
#include "hsim/view.h"
#include "model/clock.h"
#include "model/memory.h"

int main(int argc, char **argv) {
  size_t pending = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
  size_t events = argc > 2 ? strtoul(argv[2], NULL, 10) : 4000000;
  struct hsim_rng rng;
  hsim_rng_init(&rng, 0, "event queue benchmark");
  double *gap = mem_alloc(65536, sizeof *gap); /* drawn before the clock starts */
  for (size_t i = 0; i < 65536; i++)
    gap[i] = hsim_rng_uniform(&rng);
  struct queue queue;
  queue_init(&queue, pending);
  for (size_t i = 0; i < pending; i++)
    queue_set(&queue, (struct queue_event){gap[i % 65536], 1, (uint32_t)i});
  double began = clock_seconds();
  for (size_t i = 0; i < events; i++) {
    struct queue_event event = *queue_first(&queue);
    queue_remove(&queue, event.owner);
    event.time += gap[i % 65536];
    queue_set(&queue, event);
  }
  double seconds = clock_seconds() - began;
  printf("%zu events with %zu pending: %.3f s, %.2f million events/s (last at %.3f)\n", events,
         pending, seconds, (double)events / seconds * 1e-6, queue_first(&queue)->time);
  queue_free(&queue);
  free(gap);
  return 0;
}
