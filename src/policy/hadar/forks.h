/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HadarE's second phase (Sultana et al., arXiv 2503.10918; the rule is ours): while a node has free
 * GPUs and some job has no copy there, the node goes to the job whose utility gains most,
 *   dU = U(S + node) - U(S),   U(S) = worth / (age + loss + remaining / sum of the copies' rates).
 * Prices are ignored, since the GPUs would idle. Ties: the lower node, then the earlier job.
 */
#ifndef HSIM_POLICY_HADAR_FORKS_H
#define HSIM_POLICY_HADAR_FORKS_H

#include "policy/hadar/board.h"

/* A copy that the second phase gave, in the order of giving. */
struct hadar_fork {
  int job; /* index into the jobs */
  int place;
  uint32_t delta;
  double gain;
};

struct hadar_offer; /* forks.c */

struct hadar_forks {
  struct hadar_fork *given;
  size_t n_given;
  struct hadar_offer *offers; /* [n_jobs] the best that each job could get now */
  int *first_free;            /* [classes] */
  size_t given_capacity, offers_capacity, first_capacity;
};

/* `whole_nodes`: a copy takes all that is free on its node that speeds it up, not only as many
 * GPUs as the job has workers. */
void hadar_fork(struct hadar_forks *forks, struct hadar_board *board,
                const struct hadar_market *market, const struct hadar_job *jobs, bool whole_nodes);
void hadar_forks_free(struct hadar_forks *forks);

#endif
