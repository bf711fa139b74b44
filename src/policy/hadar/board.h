/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decision of a round under construction: who holds what, on places that stand for nodes of a
 * class. Which node a place is in the end is decided last (mapping.h).
 */
#ifndef HSIM_POLICY_HADAR_BOARD_H
#define HSIM_POLICY_HADAR_BOARD_H

#include "policy/hadar/candidates.h"

/* How a job came to be served. */
enum hadar_how {
  HADAR_BY_PAYOFF,
  HADAR_BY_AGE,
  HADAR_BY_BACKFILL,
  HADAR_BY_RESCUE,
  HADAR_BY_UPGRADE,
  HADAR_BY_FORK
};

struct hadar_grant {
  int first_seat, n_seats; /* in hadar_board.seats; n_seats 0: waits */
  double rate;
  double payoff; /* when it was granted */
  enum hadar_how how;
  int copies; /* of a forked job: its seats; 0 for an ordinary gang */
};

struct hadar_board {
  const struct hadar_classes *classes;
  uint32_t *levels; /* [classes->n_nodes] free GPUs of each place */
  struct hadar_room room;
  struct hadar_grant *grants; /* [n_jobs] */
  int n_jobs;
  struct hadar_seat *seats; /* ascending place within a grant */
  size_t n_seats;
  size_t levels_capacity, entries_capacity, grants_capacity, seats_capacity;
};

/* Everything free, every job waiting. `classes` stays in use. */
void hadar_board_reset(struct hadar_board *board, const struct hadar_classes *classes, int n_jobs);

/* A waiting job gets the parts, each on the lowest places at its level. */
void hadar_board_give(struct hadar_board *board, int job, const struct hadar_part *parts,
                      int n_parts, const struct hadar_grant *terms);

/* The job, waiting or not, gets one more seat, on this place. */
void hadar_board_add(struct hadar_board *board, int job, int place, uint32_t delta);

/* The job's GPUs are free; its grant stays readable, for hadar_board_restore or another give. */
void hadar_board_release(struct hadar_board *board, int job);
void hadar_board_restore(struct hadar_board *board, int job);

void hadar_board_free(struct hadar_board *board);

#endif
