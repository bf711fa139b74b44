/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a policy sees. The view is valid during one callback; jobs and cluster during the run.
 *
 * Knowledge that a real scheduler would not have (true rates, remaining steps, later phases)
 * stands behind the *oracle*, which a policy gets only if its table of functions asks for it and
 * which the summary then names.
 */
#ifndef HSIM_VIEW_H
#define HSIM_VIEW_H

#include "hsim/types.h"

struct hsim_oracle; /* opaque */
struct hsim_core;   /* opaque: the engine */

struct hsim_view {
  double now;
  double round_s; /* length of a round */
  uint64_t round; /* policy calls so far in this run, skipped quiet rounds included */
  uint64_t seed;
  const struct hsim_cluster *cluster;
  const uint8_t *node_up; /* [n_nodes] */
  const int *type_up;     /* [n_types] GPUs of each type on nodes that are up */
  int n_jobs;             /* job indices of the trace are below this */
  int n_active;
  int n_running;                    /* active jobs that hold GPUs */
  const struct hsim_active *first;  /* active jobs in arrival order, linked by `next` */
  bool arrivals_left;               /* some job has not arrived yet */
  const struct hsim_oracle *oracle; /* NULL unless the policy asked for it */
  struct hsim_core *core;
};

/* The active job with this index, NULL when it is not active. O(1). */
HSIM_API const struct hsim_active *hsim_active_job(const struct hsim_view *view, int job);

/* GPU-seconds held so far; seconds spent holding GPUs; seconds spent waiting since arrival. */
HSIM_API double hsim_attained_gpu_s(const struct hsim_view *view, const struct hsim_active *active);
HSIM_API double hsim_run_s(const struct hsim_view *view, const struct hsim_active *active);
HSIM_API double hsim_wait_s(const struct hsim_view *view, const struct hsim_active *active);

/* Where the gang stands: model.md's levels, narrowest first. */
enum hsim_span { HSIM_SPAN_SLOT, HSIM_SPAN_NODE, HSIM_SPAN_RACK, HSIM_SPAN_CLUSTER };

/* Steps that the job still has to do at view->now. */
HSIM_API double hsim_remaining_steps(const struct hsim_view *view,
                                     const struct hsim_active *active);

/* Steps per second of a gang of the job in its present phase: the function that the engine itself
 * executes. 0 when it cannot run there. `shares` may stand in any order. */
HSIM_API double hsim_rate(const struct hsim_oracle *oracle, const struct hsim_active *active,
                          const struct hsim_share *shares, int n_shares);

/* The same for `workers` workers of one type with the given span; no placement needed. */
HSIM_API double hsim_rate_on(const struct hsim_oracle *oracle, const struct hsim_active *active,
                             int type, int workers, enum hsim_span span);

/* The narrowest span that so many GPUs of one type have on the empty cluster. */
HSIM_API enum hsim_span hsim_closest_span(const struct hsim_oracle *oracle, int type, int workers);

/* Rates of two jobs on the same `workers` GPUs of one type; false when they may not share. */
HSIM_API bool hsim_pair_rate(const struct hsim_oracle *oracle, const struct hsim_active *a,
                             const struct hsim_active *b, int type, int workers, double *rate_a,
                             double *rate_b);

/* The highest rate at `workers` over the types of the (empty) cluster that hold that many GPUs,
 * on one node when one is large enough, else spread. *type (may be NULL) gets the type, the lowest
 * on ties; 0 and -1 when there is none. */
HSIM_API double hsim_best_rate(const struct hsim_oracle *oracle, const struct hsim_active *active,
                               int workers, int *type);

/* Seconds of uninterrupted progress until the job's last step on `workers` GPUs of one type with
 * the given span, through all its later phases; infinity when a rate on the way is 0. */
HSIM_API double hsim_remaining_s(const struct hsim_view *view, const struct hsim_active *active,
                                 int type, int workers, enum hsim_span span);

/* Seconds that the call's costs take from a start and from a move. */
HSIM_API double hsim_start_cost(const struct hsim_view *view);
HSIM_API double hsim_move_cost(const struct hsim_view *view);

/* Adds a line to the policy log: `json` is one JSON object. Cheap when no log is asked for;
 * hsim_logging() tells whether one is. */
HSIM_API bool hsim_logging(const struct hsim_view *view);
HSIM_API void hsim_emit(const struct hsim_view *view, const char *json);

/* Sets a figure of the summary's policy_stats; the name is copied; the last value stands. */
HSIM_API void hsim_stat(const struct hsim_view *view, const char *name, double value);

/* Names, for messages. "" for -1. */
HSIM_API const char *hsim_model_name(const struct hsim_view *view, int model);
HSIM_API const char *hsim_tenant_name(const struct hsim_view *view, int tenant);

/* Random numbers: one stream a purpose, derived from the run's seed and the purpose's name, the
 * same on every machine (xoshiro256**, Blackman and Vigna 2018, seeded by splitmix64). */
struct hsim_rng {
  uint64_t s[4];
};
HSIM_API void hsim_rng_init(struct hsim_rng *rng, uint64_t seed, const char *purpose);
HSIM_API uint64_t hsim_rng_next(struct hsim_rng *rng);
HSIM_API double hsim_rng_uniform(struct hsim_rng *rng);             /* [0, 1) */
HSIM_API uint64_t hsim_rng_below(struct hsim_rng *rng, uint64_t n); /* [0, n), n >= 1 */

#endif
