/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/fill.h"

static void give(struct hadar_board *board, int job, const struct hadar_found *found,
                 const struct hadar_candidate *candidate, enum hadar_how how) {
  struct hadar_grant terms = {.rate = candidate->rate, .payoff = candidate->payoff, .how = how};
  hadar_board_give(board, job, &found->parts[candidate->first_part], candidate->n_parts, &terms);
}

static int serve_waiting(struct hadar_board *board, const struct hadar_market *market,
                         const struct hadar_job *jobs, const int *queue, int n, int most,
                         enum hadar_how how, struct hadar_found *found) {
  int count = 0;
  for (int i = 0; i < n && count < most && board->room.gpus > 0; i++) {
    int job = queue[i];
    if (board->grants[job].n_seats > 0 || jobs[job].kind->workers > board->room.gpus)
      continue;
    hadar_find(market, &board->room, &jobs[job], found);
    const struct hadar_candidate *best = hadar_best(found);
    if (best == NULL)
      continue;
    give(board, job, found, best, how);
    count++;
  }
  return count;
}

int hadar_backfill(struct hadar_board *board, const struct hadar_market *market,
                   const struct hadar_job *jobs, const int *queue, int n,
                   struct hadar_found *found) {
  return serve_waiting(board, market, jobs, queue, n, n, HADAR_BY_BACKFILL, found);
}

int hadar_rescue(struct hadar_board *board, const struct hadar_market *market,
                 const struct hadar_job *jobs, const int *queue, int n, struct hadar_found *found) {
  return serve_waiting(board, market, jobs, queue, n, 1, HADAR_BY_RESCUE, found);
}

/* Highest rate; then payoff, fewer nodes, the lower class. */
static const struct hadar_candidate *fastest(const struct hadar_found *found) {
  const struct hadar_candidate *best = NULL;
  for (int i = 0; i < found->n; i++) {
    const struct hadar_candidate *other = &found->at[i];
    bool better = best == NULL || other->rate > best->rate ||
                  (other->rate >= best->rate &&
                   (other->payoff > best->payoff ||
                    (other->payoff >= best->payoff && other->nodes < best->nodes)));
    if (better)
      best = other;
  }
  return best;
}

int hadar_upgrade(struct hadar_board *board, const struct hadar_market *market,
                  const struct hadar_job *jobs, const int *queue, int n,
                  struct hadar_found *found) {
  int count = 0;
  for (int i = 0; i < n && board->room.gpus > 0; i++) {
    int job = queue[i];
    double enough = HADAR_UPGRADE_FACTOR * board->grants[job].rate;
    if (board->grants[job].n_seats == 0 || jobs[job].kind->peak <= enough)
      continue;
    hadar_board_release(board, job);
    hadar_find(market, &board->room, &jobs[job], found);
    const struct hadar_candidate *best = fastest(found);
    if (best != NULL && best->rate > enough) {
      give(board, job, found, best, HADAR_BY_UPGRADE);
      count++;
    } else {
      hadar_board_restore(board, job);
    }
  }
  return count;
}
