/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FIND_ALLOC: the ways in which a job could run on the free GPUs, each with its rate, utility,
 * cost and payoff. Candidates are anonymous: they name node classes and levels, not nodes.
 *
 *   consolidated  one node of each class and level that has room, its fastest types first;
 *   spread        for p = 1, 2, ...: only the job's p fastest types, GPUs taken node by node, once
 *                 cheapest first (at equal price the slower type, since the slowest sets the pace)
 *                 and once fullest nodes first (fewest nodes);
 *   stay          the shape that the job held last, if the free GPUs still allow it.
 *
 * A gang runs at the pace of its slowest type, times the spread factor. Where jobs fork (HadarE)
 * each node's share is a copy of its own: their rates add up, and two or more of them lose time to
 * the averaging of their parameters in every round.
 */
#ifndef HSIM_POLICY_HADAR_CANDIDATES_H
#define HSIM_POLICY_HADAR_CANDIDATES_H

#include "policy/hadar/classes.h"
#include "policy/hadar/kinds.h"
#include "policy/hadar/prices.h"

/* `nodes` nodes of class `cls` give `delta` each: part of the shape of a placement. */
struct hadar_take {
  int cls;
  uint32_t delta;
  int nodes;
};

/* A job in one round's decision. */
struct hadar_job {
  int index; /* job index: arrival order, the last tie-break */
  const struct hadar_kind *kind;
  double remaining; /* steps, > 0 */
  double ahead;     /* steps that the utility looks at: `remaining`, or less */
  double age;       /* seconds since arrival */
  double worth;     /* utility of a finish d seconds after arrival = worth / d */
  double restart_s; /* seconds lost by any placement of another shape than the one held */
  double peak;      /* utility at the kind's peak rate without loss: no candidate's is higher */
  bool forced;      /* waited too long: served whatever the payoff */
  const struct hadar_seat *seats; /* held now on real nodes, ascending; NULL when none */
  int held_nodes;                 /* number of seats */
  const struct hadar_take *held;  /* their shape, (cls, delta) distinct, largest delta first */
  int n_held;
};

struct hadar_market {
  const struct hadar_classes *classes;
  const struct hadar_prices *prices;
  double round_s;
  bool whole_schedule; /* cost counts every expected round of the job, not one */

  /* Of forked jobs. */
  int max_copies;       /* 0: as many as there are nodes */
  double consolidate_s; /* seconds a round that copies lose to the averaging of their parameters */
};

struct hadar_candidate {
  int first_part, n_parts; /* in hadar_found.parts, ascending (cls, level, delta) */
  int nodes;
  bool stays;
  double rate;    /* steps per second */
  double utility; /* of the finish that this rate would bring */
  double cost;
  double payoff; /* utility - cost */
};

struct hadar_item; /* candidates.c */
struct hadar_grab; /* candidates.c */

/* The result of one search, and its scratch memory. */
struct hadar_found {
  struct hadar_candidate *at;
  int n;
  struct hadar_part *parts;
  int n_parts;
  struct hadar_item *items;
  struct hadar_grab *grabs;
  struct hadar_entry *left; /* for the stay candidate */
};

void hadar_found_init(struct hadar_found *found, const struct hadar_classes *classes);
void hadar_found_free(struct hadar_found *found);

/* Seconds that the job loses before it makes progress on `nodes` nodes; `stays`: on the shape that
 * it holds. */
double hadar_loss(const struct hadar_market *market, const struct hadar_job *job, int nodes,
                  bool stays);

/* Fills `found` with the candidates that have a rate > 0, without duplicates. */
void hadar_find(const struct hadar_market *market, const struct hadar_room *room,
                const struct hadar_job *job, struct hadar_found *found);

/* The best candidate: highest payoff, then (within 1e-12 of it) fewer nodes, staying, a higher
 * rate, the lower class. NULL when there is none. */
const struct hadar_candidate *hadar_best(const struct hadar_found *found);

#endif
