/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/board.h"

#include <stdlib.h>

#include "model/memory.h"

void hadar_board_reset(struct hadar_board *board, const struct hadar_classes *classes, int n_jobs) {
  board->classes = classes;
  board->n_jobs = n_jobs;
  board->n_seats = 0;
  board->levels = mem_grow(board->levels, (size_t)classes->n_nodes, &board->levels_capacity,
                           sizeof *board->levels);
  board->room.at = mem_grow(board->room.at, (size_t)classes->max_entries + 1,
                            &board->entries_capacity, sizeof *board->room.at);
  board->grants =
      mem_grow(board->grants, (size_t)n_jobs, &board->grants_capacity, sizeof *board->grants);
  hadar_room_all(classes, &board->room);
  for (int i = 0; i < classes->n_nodes; i++)
    board->levels[i] = classes->at[classes->class_of[i]].full;
  for (int i = 0; i < n_jobs; i++)
    board->grants[i] = (struct hadar_grant){0};
}

static int place_at(const struct hadar_board *board, int cls, uint32_t level) {
  int place = board->classes->at[cls].first_node;
  while (board->levels[place] != level)
    place++;
  return place;
}

static void add_seat(struct hadar_board *board, int first, struct hadar_seat seat) {
  board->seats =
      mem_grow(board->seats, board->n_seats + 1, &board->seats_capacity, sizeof *board->seats);
  size_t at = board->n_seats++;
  for (; at > (size_t)first && board->seats[at - 1].node > seat.node; at--)
    board->seats[at] = board->seats[at - 1];
  board->seats[at] = seat;
}

/* Parts come in ascending level, and taking lowers a level, so that no place is found twice. */
void hadar_board_give(struct hadar_board *board, int job, const struct hadar_part *parts,
                      int n_parts, const struct hadar_grant *terms) {
  struct hadar_grant *grant = &board->grants[job];
  *grant = *terms;
  grant->first_seat = (int)board->n_seats;
  int gpus = 0;
  for (int i = 0; i < n_parts; i++) {
    for (int k = 0; k < parts[i].nodes; k++) {
      int place = place_at(board, parts[i].cls, parts[i].level);
      board->levels[place] -= parts[i].delta;
      add_seat(board, grant->first_seat, (struct hadar_seat){place, parts[i].delta});
    }
    gpus += parts[i].nodes * hadar_level_gpus(board->classes, parts[i].cls, parts[i].delta);
  }
  hadar_room_take(&board->room, parts, n_parts, gpus);
  grant->n_seats = (int)board->n_seats - grant->first_seat;
}

void hadar_board_add(struct hadar_board *board, int job, int place, uint32_t delta) {
  struct hadar_grant *grant = &board->grants[job];
  int first = grant->first_seat, n = grant->n_seats;
  /* Seats of a grant stand together, at the end while they grow. */
  if (n == 0 || (size_t)(first + n) < board->n_seats) {
    grant->first_seat = (int)board->n_seats;
    for (int i = 0; i < n; i++)
      add_seat(board, grant->first_seat, board->seats[first + i]);
  }
  add_seat(board, grant->first_seat, (struct hadar_seat){place, delta});
  grant->n_seats++;
  int cls = board->classes->class_of[place];
  hadar_room_shift(&board->room, cls, board->levels[place], board->levels[place] - delta, 1);
  board->room.gpus -= hadar_level_gpus(board->classes, cls, delta);
  board->levels[place] -= delta;
}

static void shift_seats(struct hadar_board *board, int job, bool back) {
  const struct hadar_grant *grant = &board->grants[job];
  for (int i = 0; i < grant->n_seats; i++) {
    const struct hadar_seat *seat = &board->seats[grant->first_seat + i];
    int cls = board->classes->class_of[seat->node];
    int gpus = hadar_level_gpus(board->classes, cls, seat->delta);
    uint32_t from = board->levels[seat->node];
    uint32_t to = back ? from + seat->delta : from - seat->delta;
    hadar_room_shift(&board->room, cls, from, to, 1);
    board->room.gpus += back ? gpus : -gpus;
    board->levels[seat->node] = to;
  }
}

void hadar_board_release(struct hadar_board *board, int job) {
  shift_seats(board, job, true);
}

void hadar_board_restore(struct hadar_board *board, int job) {
  shift_seats(board, job, false);
}

void hadar_board_free(struct hadar_board *board) {
  free(board->levels);
  free(board->room.at);
  free(board->grants);
  free(board->seats);
  *board = (struct hadar_board){0};
}
