/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/quiet.h"

/* A job whose payoff is less than this part of the total could be lost in its rounding, */
#define LEAST_PART 1e-6
/* and so could the loss by a move of a job that takes longer than this. */
#define LONGEST_S 1e8

/* With equal lowest prices no type is cheaper than another. */
static bool equal_lows(const struct hadar_market *market) {
  double low = -1;
  for (int t = 0; t < HSIM_MAX_TYPES; t++) {
    if (market->classes->type_gpus[t] == 0)
      continue;
    if (low >= 0 && market->prices->low[t] != low)
      return false;
    low = market->prices->low[t];
  }
  return true;
}

static bool is_settled(const struct hadar_market *market, const struct hadar_board *board,
                       const struct hadar_grant *grant, const struct hadar_job *job, double value) {
  if (grant->n_seats == 0 || grant->how != HADAR_BY_PAYOFF || grant->rate != job->kind->best)
    return false;
  /* A loss that lasts beyond the next call would move the predicted finish; one of less than a
   * second might drown in the rounding of a total. */
  if (job->restart_s < 1 || job->restart_s >= market->round_s)
    return false;
  double duration = job->age + job->remaining / grant->rate;
  if (duration > LONGEST_S || grant->payoff < 0.5 * job->worth / duration ||
      grant->payoff < LEAST_PART * value)
    return false;
  for (int i = 0; i < grant->n_seats; i++) {
    const struct hadar_seat *seat = &board->seats[grant->first_seat + i];
    uint32_t full = market->classes->at[market->classes->class_of[seat->node]].full;
    if (board->levels[seat->node] + seat->delta != full)
      return false;
  }
  return true;
}

bool hadar_is_quiet(const struct hadar_market *market, const struct hadar_board *board,
                    const struct hadar_job *jobs, double value) {
  if (!equal_lows(market))
    return false;
  for (int i = 0; i < board->n_jobs; i++)
    if (!is_settled(market, board, &board->grants[i], &jobs[i], value))
      return false;
  return true;
}
