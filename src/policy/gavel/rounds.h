/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gavel's round mechanism (Narayanan et al., OSDI'20, section 5): turns time shares into rounds.
 *
 * A *combination* is one job, or two jobs that share the same GPUs. A policy says which share of
 * its time each combination should spend on each GPU type; the mechanism counts the time that it
 * has received there and serves the highest ratio of the two, its *priority*, first. What is still
 * owed when the shares are computed anew is kept as the *deficit*.
 *
 * Two flavours, which differ in bookkeeping, priority and selection:
 *
 *   as published   the paper's text: one global order over all types; time received is the time
 *                  for which GPUs were held (costs included), priority = share / time received;
 *   as coded       Gavel's simulator (stanford-futuredata/gavel c4fa400), to the last bit: one
 *                  GPU type after the other, priority = share / (time received / time of all
 *                  combinations on that type), time as the simulator charges it.
 *
 * In both, time received starts at half a round, so that a ratio exists before anything ran.
 *
 * Nothing here calls the engine: jobs and GPU types are numbers, rates come from the caller.
 */
#ifndef HSIM_POLICY_GAVEL_ROUNDS_H
#define HSIM_POLICY_GAVEL_ROUNDS_H

#include "hsim/policy.h"

/* One combination on one GPU type. */
struct rounds_cell {
  double rate;     /* steps per second (of a pair: the slower member's); 0: cannot run there */
  double share;    /* of its time, wanted: 0..1 */
  double received; /* seconds since the last restart, plus half a round */
  double deficit;  /* seconds owed at the last restart */
  double priority;
};

struct combination {
  int a, b;     /* jobs, a < b; b is -1 when alone */
  int workers;  /* GPUs: of a pair too, whose members use the same ones */
  bool covered; /* the shares were computed when it existed */
  bool gone;    /* a member left; it disappears with the next rounds_compact */

  /* As published: what it holds now, and the time received before it began to. */
  int held_type; /* -1: nothing */
  uint64_t held_mark;
  double held_from, held_received;

  int assigned; /* as coded: its place in the last assignment (assignment.h), -1: none */
};

/* What runs in a round. */
struct rounds_pick {
  int combination; /* index */
  int type;
};

struct rounds_key; /* for sorting, private */

struct rounds {
  int n_types;
  double half_round;         /* seconds */
  struct combination *at;    /* in the order of creation */
  struct rounds_cell *cells; /* [n][n_types] */
  int n;
  size_t at_capacity, cells_capacity;
  int *alone_of;      /* [n_jobs] index of the job's own combination, -1 */
  double *type_time;  /* [n_types] as coded: seconds of all combinations since the last restart */
  double restarted_s; /* time of the last restart */
  bool any_gone;
  bool with_pairs; /* set it after rounds_init: any two jobs of one size are a pair, admitted or not
                    */
  int largest;     /* workers of any job so far */

  /* Scratch */
  uint64_t holds;      /* calls of rounds_hold */
  uint64_t round;      /* calls of rounds_pick_... */
  uint64_t *picked_in; /* [n_jobs] round in which the job was picked last */
  struct rounds_key *keys;
  size_t keys_capacity;
  struct rounds_pick *picks;
  size_t picks_capacity;
  struct hsim_ran *ran;
  size_t ran_capacity;
  double *of_size; /* [largest + 1] */
  size_t of_size_capacity;
};

void rounds_init(struct rounds *rounds, int n_types, int n_jobs, double round_s);
void rounds_free(struct rounds *rounds);

static inline struct rounds_cell *rounds_cells(const struct rounds *rounds, int combination) {
  return rounds->cells + (size_t)combination * (size_t)rounds->n_types;
}

/* A job enters: its own combination. `rates` is [n_types] and copied. Returns its index. */
int rounds_admit(struct rounds *rounds, int job, int workers, const double *rates);
/* It may share its GPUs with an earlier job of the same size: called for the job admitted last
 * only, in the order of the earlier jobs. */
int rounds_admit_pair(struct rounds *rounds, int a, int b, const double *rates);
/* A job leaves, and with it every combination that it is in. */
void rounds_remove(struct rounds *rounds, int job);
/* Indices of combinations change here and nowhere else. */
void rounds_compact(struct rounds *rounds);

/* Shares are about to be computed anew: settles the deficits, restarts the time received, marks
 * every combination as covered. The caller then fills in the shares. */
void rounds_restart(struct rounds *rounds, double now);

/* As published. rounds_hold tells that from now on exactly these picks hold GPUs. */
void rounds_hold(struct rounds *rounds, const struct rounds_pick *picks, int n, double now);
void rounds_receive(struct rounds *rounds, const struct hsim_ran *ran, size_t n_ran);
/* The picks of this round, best first; *picks stays until the next call. free: [n_types] GPUs of
 * each type, reduced by what is picked. `carry`: the deficit is taken off the time received (else
 * it only breaks ties). `positive_only`: a job without a priority waits even if GPUs are left over;
 * a pair without one always does, since nobody wants it.
 *
 * One order over all types, descending: priority, deficit, share; then the earlier combination;
 * then its faster type, then the lower type. */
int rounds_pick_global(struct rounds *rounds, int *free, bool carry, bool positive_only,
                       const struct rounds_pick **picks);

/* As coded. */
void rounds_charge(struct rounds *rounds, const struct hsim_ran *ran, size_t n_ran);
/* The types one after the other in the given order, each one's queue descending by priority,
 * deficit, share, then the earlier combination. Combinations that are not covered are picked like
 * others; the caller does not run them, so their GPUs stay idle. */
int rounds_pick_by_type(struct rounds *rounds, const int *type_order, int n_order, int *free,
                        bool positive_only, const struct rounds_pick **picks);

#endif
