/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/forks.h"

#include <limits.h>
#include <stdlib.h>

#include "model/memory.h"

struct hadar_offer {
  bool known; /* else it has to be worked out */
  int cls;    /* -1: nothing for this job */
  uint32_t level, delta;
  double gain;
  double rate; /* of the new copy */
  int node;    /* lowest place at the level: for ties */
};

struct search {
  struct hadar_board *board;
  const struct hadar_market *market;
  bool whole_nodes;
};

/* The free GPUs of a node that make a copy: as many as the job may take of one type, of several as
 * many types, fastest first, as make it faster; fewer where that size cannot run. Returns the
 * delta, 0 when the job cannot run there. */
static uint32_t copy_on(const struct search *s, const struct hadar_job *job, int cls_at,
                        uint32_t level, double *rate) {
  const struct hadar_kind *kind = job->kind;
  const struct hadar_class *cls = &s->board->classes->at[cls_at];
  int most = s->whole_nodes ? INT_MAX : kind->workers, gpus = 0;
  uint32_t delta = 0, best = 0;
  *rate = 0;
  for (int i = 0; i < kind->n_types; i++)
    for (int b = cls->first_bay; b < cls->first_bay + cls->n_bays; b++) {
      const struct hadar_bay *bay = &s->board->classes->bays[b];
      int unused = hadar_bay_gpus(bay, level);
      if (bay->type != kind->type[i] || unused == 0 || gpus == most)
        continue;
      int taken = unused < most - gpus ? unused : most - gpus;
      while (taken > 1 && hadar_copy_rate(kind, bay->type, gpus + taken) <= 0)
        taken--;
      gpus += taken;
      delta += (uint32_t)taken * bay->radix;
      double own = hadar_copy_rate(kind, bay->type, gpus);
      if (own > *rate) {
        *rate = own;
        best = delta;
      }
    }
  return best;
}

static bool seat_is(const struct hadar_board *board, const struct hadar_seat *seat, int cls,
                    uint32_t delta) {
  return board->classes->class_of[seat->node] == cls && seat->delta == delta;
}

/* The job's seats, and one more with this delta unless that is 0, are the shape that it holds. */
static bool stays(const struct hadar_board *board, const struct hadar_job *job,
                  const struct hadar_grant *grant, int cls, uint32_t delta) {
  if (grant->n_seats + (delta > 0) != job->held_nodes)
    return false;
  for (int h = 0; h < job->n_held; h++) {
    const struct hadar_take *held = &job->held[h];
    int n = delta > 0 && held->cls == cls && held->delta == delta;
    for (int i = 0; i < grant->n_seats; i++)
      n += seat_is(board, &board->seats[grant->first_seat + i], held->cls, held->delta);
    if (n != held->nodes)
      return false;
  }
  return true;
}

/* Utility of the job's seats and one more. */
static double utility(const struct search *s, const struct hadar_job *job,
                      const struct hadar_grant *grant, int cls, uint32_t delta, double rate) {
  int nodes = grant->n_seats + (delta > 0);
  if (nodes == 0)
    return 0;
  double loss = hadar_loss(s->market, job, nodes, stays(s->board, job, grant, cls, delta));
  return job->worth / (job->age + loss + job->remaining / rate);
}

static bool is_own(const struct hadar_board *board, const struct hadar_grant *grant, int place) {
  for (int i = 0; i < grant->n_seats; i++)
    if (board->seats[grant->first_seat + i].node == place)
      return true;
  return false;
}

/* The lowest place at this level on which the job has no copy, -1 when there is none. */
static int place_for(const struct hadar_board *board, const struct hadar_grant *grant, int cls,
                     uint32_t level) {
  const struct hadar_class *c = &board->classes->at[cls];
  for (int place = c->first_node; place < c->first_node + c->n_nodes; place++)
    if (board->levels[place] == level && !is_own(board, grant, place))
      return place;
  return -1;
}

/* Some node of the entry has no copy of the job. */
static bool is_open(const struct hadar_board *board, const struct hadar_grant *grant,
                    const struct hadar_entry *entry) {
  int own = 0;
  for (int i = 0; i < grant->n_seats; i++) {
    int place = board->seats[grant->first_seat + i].node;
    own += board->classes->class_of[place] == entry->cls && board->levels[place] == entry->level;
  }
  return own < entry->nodes;
}

static void find_offer(const struct search *s, const struct hadar_job *job, int at,
                       struct hadar_offer *offer) {
  const struct hadar_board *board = s->board;
  const struct hadar_grant *grant = &board->grants[at];
  int most = s->market->max_copies;
  *offer = (struct hadar_offer){.known = true, .cls = -1};
  if (most > 0 && grant->n_seats >= most)
    return;
  double now = utility(s, job, grant, 0, 0, grant->rate);
  for (int e = 0; e < board->room.n; e++) {
    const struct hadar_entry *entry = &board->room.at[e];
    double rate;
    uint32_t delta = copy_on(s, job, entry->cls, entry->level, &rate);
    if (delta == 0 || !is_open(board, grant, entry))
      continue;
    double gain = utility(s, job, grant, entry->cls, delta, grant->rate + rate) - now;
    if (offer->cls >= 0 && gain < offer->gain)
      continue;
    int place = place_for(board, grant, entry->cls, entry->level);
    int node = board->classes->nodes[place];
    if (offer->cls >= 0 && gain <= offer->gain && node > offer->node)
      continue;
    *offer = (struct hadar_offer){true, entry->cls, entry->level, delta, gain, rate, node};
  }
}

/* After a node of (cls, level) was given: offers that may not stand any more. */
static void review_offers(struct hadar_forks *forks, const struct hadar_board *board, int winner,
                          const struct hadar_offer *given) {
  for (int i = 0; i < board->n_jobs; i++) {
    struct hadar_offer *offer = &forks->offers[i];
    bool same = offer->cls == given->cls && offer->level == given->level;
    if (i == winner || given->level != given->delta || same)
      offer->known = false;
  }
}

static int best_offer(const struct search *s, struct hadar_forks *forks,
                      const struct hadar_job *jobs) {
  int best = -1;
  for (int i = 0; i < s->board->n_jobs; i++) {
    struct hadar_offer *offer = &forks->offers[i];
    if (!offer->known)
      find_offer(s, &jobs[i], i, offer);
    if (offer->cls < 0)
      continue;
    const struct hadar_offer *other = best >= 0 ? &forks->offers[best] : NULL;
    if (other == NULL || offer->gain > other->gain ||
        (offer->gain >= other->gain && offer->node < other->node))
      best = i;
  }
  return best;
}

static void give(const struct search *s, struct hadar_forks *forks, int job) {
  struct hadar_board *board = s->board;
  const struct hadar_offer *offer = &forks->offers[job];
  struct hadar_grant *grant = &board->grants[job];
  int place = place_for(board, grant, offer->cls, offer->level);
  if (grant->n_seats == 0) {
    grant->how = HADAR_BY_FORK;
    grant->payoff = 0;
    grant->rate = 0;
  }
  grant->rate += offer->rate;
  forks->given =
      mem_grow(forks->given, forks->n_given + 1, &forks->given_capacity, sizeof *forks->given);
  forks->given[forks->n_given++] = (struct hadar_fork){job, place, offer->delta, offer->gain};
  hadar_board_add(board, job, place, offer->delta);
}

void hadar_fork(struct hadar_forks *forks, struct hadar_board *board,
                const struct hadar_market *market, const struct hadar_job *jobs, bool whole_nodes) {
  struct search s = {board, market, whole_nodes};
  forks->n_given = 0;
  forks->offers = mem_grow(forks->offers, (size_t)board->n_jobs, &forks->offers_capacity,
                           sizeof *forks->offers);
  for (int i = 0; i < board->n_jobs; i++)
    forks->offers[i].known = false;
  while (board->room.gpus > 0) {
    int winner = best_offer(&s, forks, jobs);
    if (winner < 0)
      break;
    struct hadar_offer given = forks->offers[winner];
    give(&s, forks, winner);
    review_offers(forks, board, winner, &given);
  }
  for (int i = 0; i < board->n_jobs; i++)
    board->grants[i].copies = board->grants[i].n_seats;
}

void hadar_forks_free(struct hadar_forks *forks) {
  free(forks->given);
  free(forks->offers);
  *forks = (struct hadar_forks){0};
}
