/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/forks.h"

#include <limits.h>
#include <stdlib.h>

#include "model/memory.h"

struct hadar_offer {
  bool known; /* else it has to be worked out */
  int cls;    /* -1: nothing for this job */
  uint32_t level, delta;
  double now; /* utility without it */
  double gain;
  double rate; /* of the new copy */
  int node;    /* lowest place at the level: for ties */
};

struct search {
  struct hadar_board *board;
  const struct hadar_market *market;
  bool whole_nodes;
  int *first_free; /* [classes] no place of the class below this one has free GPUs */
};

/* Of several types with no copy by the rule of copy_on: the fastest one that there is. */
static uint32_t mixed_copy_on(const struct hadar_kind *kind, const struct hadar_bay *bays,
                              int n_bays, uint32_t level, int most, double *rate) {
  int types[HSIM_MAX_TYPES] = {0}, unused[HSIM_MAX_TYPES] = {0}, taken[HSIM_MAX_TYPES];
  uint32_t delta = 0;
  for (int b = 0; b < n_bays; b++) {
    types[b] = bays[b].type;
    unused[b] = hadar_bay_gpus(&bays[b], level);
  }
  *rate = hadar_kind_best_copy(kind, n_bays, types, unused, most, taken);
  if (*rate <= 0)
    return 0;
  for (int b = 0; b < n_bays; b++)
    delta += (uint32_t)taken[b] * bays[b].radix;
  return delta;
}

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
      double own = hadar_node_copy_rate(kind, &s->board->classes->bays[cls->first_bay], cls->n_bays,
                                        delta, gpus);
      if (own > *rate) {
        *rate = own;
        best = delta;
      }
    }
  if (best == 0 && cls->n_bays > 1)
    best = mixed_copy_on(kind, &s->board->classes->bays[cls->first_bay], cls->n_bays, level, most,
                         rate);
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
  return job->worth / (job->age + loss + job->ahead / rate);
}

static bool is_own(const struct hadar_board *board, const struct hadar_grant *grant, int place) {
  for (int i = 0; i < grant->n_seats; i++)
    if (board->seats[grant->first_seat + i].node == place)
      return true;
  return false;
}

/* The lowest place at this level on which the job has no copy, -1 when there is none. */
static int place_for(const struct search *s, const struct hadar_grant *grant, int cls,
                     uint32_t level) {
  const struct hadar_board *board = s->board;
  const struct hadar_class *c = &board->classes->at[cls];
  int *first = &s->first_free[cls];
  while (*first < c->first_node + c->n_nodes && board->levels[*first] == 0)
    ++*first;
  for (int place = *first; place < c->first_node + c->n_nodes; place++)
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

/* Better offers have a higher gain; then the lower node. */
static bool beats(double gain, int node, const struct hadar_offer *offer) {
  return offer->cls < 0 || gain > offer->gain || (gain >= offer->gain && node < offer->node);
}

/* Replaces the offer by one on a node of the entry where that is better. */
static void consider(const struct search *s, const struct hadar_job *job, int at,
                     const struct hadar_entry *entry, struct hadar_offer *offer) {
  const struct hadar_board *board = s->board;
  const struct hadar_grant *grant = &board->grants[at];
  double rate;
  uint32_t delta = copy_on(s, job, entry->cls, entry->level, &rate);
  if (delta == 0 || !is_open(board, grant, entry))
    return;
  double gain = utility(s, job, grant, entry->cls, delta, grant->rate + rate) - offer->now;
  if (!beats(gain, -1, offer))
    return;
  int node = board->classes->nodes[place_for(s, grant, entry->cls, entry->level)];
  if (beats(gain, node, offer))
    *offer =
        (struct hadar_offer){true, entry->cls, entry->level, delta, offer->now, gain, rate, node};
}

static bool may_fork(const struct search *s, int at) {
  int most = s->market->max_copies;
  return most == 0 || s->board->grants[at].n_seats < most;
}

static void find_offer(const struct search *s, const struct hadar_job *job, int at,
                       struct hadar_offer *offer) {
  const struct hadar_grant *grant = &s->board->grants[at];
  *offer = (struct hadar_offer){.known = true, .cls = -1};
  if (!may_fork(s, at))
    return;
  offer->now = utility(s, job, grant, 0, 0, grant->rate);
  for (int e = 0; e < s->board->room.n; e++)
    consider(s, job, at, &s->board->room.at[e], offer);
}

static const struct hadar_entry *entry_of(const struct hadar_board *board, int cls,
                                          uint32_t level) {
  for (int e = 0; e < board->room.n; e++)
    if (board->room.at[e].cls == cls && board->room.at[e].level == level)
      return &board->room.at[e];
  return NULL;
}

/* Brings the offers up to date after one was taken. The node that was given stands at a lower level
 * now, `rest`; the others of its old level, `same`, may be gone. */
static void review_offers(const struct search *s, struct hadar_forks *forks,
                          const struct hadar_job *jobs, int winner,
                          const struct hadar_offer *given) {
  const struct hadar_board *board = s->board;
  const struct hadar_entry *same = entry_of(board, given->cls, given->level);
  const struct hadar_entry *rest = entry_of(board, given->cls, given->level - given->delta);
  for (int i = 0; i < board->n_jobs; i++) {
    struct hadar_offer *offer = &forks->offers[i];
    if (i == winner) {
      offer->known = false;
      continue;
    }
    double gain = offer->gain;
    bool gone = offer->cls == given->cls && offer->level == given->level;
    if (gone) {
      offer->cls = -1;
      if (same != NULL)
        consider(s, &jobs[i], i, same, offer);
    }
    if (rest != NULL && may_fork(s, i))
      consider(s, &jobs[i], i, rest, offer);
    /* What was best elsewhere was not better than what is gone: equal to that is best again. */
    if (gone && (offer->cls < 0 || offer->gain < gain))
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
    if (best < 0 || beats(offer->gain, offer->node, &forks->offers[best]))
      best = i;
  }
  return best;
}

static void give(const struct search *s, struct hadar_forks *forks, int job) {
  struct hadar_board *board = s->board;
  const struct hadar_offer *offer = &forks->offers[job];
  struct hadar_grant *grant = &board->grants[job];
  int place = place_for(s, grant, offer->cls, offer->level);
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
  size_t n_classes = (size_t)board->classes->n;
  forks->first_free =
      mem_grow(forks->first_free, n_classes, &forks->first_capacity, sizeof *forks->first_free);
  for (int c = 0; c < board->classes->n; c++)
    forks->first_free[c] = board->classes->at[c].first_node;
  struct search s = {board, market, whole_nodes, forks->first_free};
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
    review_offers(&s, forks, jobs, winner, &given);
  }
  for (int i = 0; i < board->n_jobs; i++)
    board->grants[i].copies = board->grants[i].n_seats;
}

void hadar_forks_free(struct hadar_forks *forks) {
  free(forks->given);
  free(forks->offers);
  free(forks->first_free);
  *forks = (struct hadar_forks){0};
}
