/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jobs in order of preference, for the baselines that serve them one by one while they fit.
 *
 * Two sorted lists, because what ranks a job (remaining time, attained service) changes only while
 * it runs: waiting jobs stay sorted by themselves, and the few that run are almost sorted from one
 * decision to the next. A decision merges the two.
 */
#ifndef HSIM_POLICY_BASELINES_RANKED_H
#define HSIM_POLICY_BASELINES_RANKED_H

#include "hsim/policy.h"
#include "policy/baselines/place.h"

/* Ascending level, then key, then job index (arrival, then row) comes first. */
struct rank {
  double key;
  int level;
  int job;
  int workers;
};

/* How many waiting gangs have each size, to know the smallest one. */
struct gang_sizes {
  int *count; /* [limit + 1]; sizes beyond the limit count as the limit */
  int limit;
  int n;        /* gangs */
  int smallest; /* limit + 1 when there is none */
};

void gang_sizes_create(struct gang_sizes *sizes, int limit);
void gang_sizes_destroy(struct gang_sizes *sizes);
void gang_sizes_add(struct gang_sizes *sizes, int workers);
void gang_sizes_remove(struct gang_sizes *sizes, int workers);

struct ranked {
  struct rank *ran;     /* jobs that held GPUs after the last decision or stopped in it */
  struct rank *waiting; /* the others, sorted */
  struct rank *spare;   /* becomes `ran` at the next decision */
  int n_ran, n_waiting;
  struct gang_sizes sizes; /* of the waiting jobs */
};

void ranked_create(struct ranked *ranked, const struct hsim_view *view);
void ranked_destroy(struct ranked *ranked);

/* A job that waits from now on. */
void ranked_add(struct ranked *ranked, struct rank rank);
/* A job that left. */
void ranked_remove(struct ranked *ranked, int job);
/* Waiting jobs were given other ranks. */
void ranked_sort_waiting(struct ranked *ranked);

/* Gives every job that ran since the last decision its new rank; those that hold nothing now join
 * the waiting ones. To be called before each decision. */
typedef void ranked_fn(void *owner, const struct hsim_view *view, const struct hsim_active *active,
                       struct rank *rank);
void ranked_refresh(struct ranked *ranked, struct placer *placer, const struct hsim_view *view,
                    ranked_fn *rerank, void *owner);

/* Decides anew, in order, on an empty cluster: a running job keeps its GPUs if they are still free
 * there, else it is placed again; a waiting job is placed; a job that finds no room is passed over.
 * Makes no edit when that changes nothing. */
void ranked_decide(struct ranked *ranked, struct placer *placer, const struct hsim_view *view,
                   struct hsim_plan *plan);

/* Starts waiting jobs in order as far as they fit; what runs goes on. */
void ranked_start(struct ranked *ranked, struct placer *placer, const struct hsim_view *view,
                  struct hsim_plan *plan);

#endif
