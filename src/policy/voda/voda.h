/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Voda's state, shared by its files: jobs (members), pools, and what they need.
 *
 *   voda.c       the policy's callbacks
 *   pool.c       when a pool is rescheduled, and how: queues, allocation, placement, edits
 *   knowledge.c  what is known of a job's speedup and remaining time
 *   settings.c   the options
 *   allocate*.c, placement.c, queues.c, tables.c, record.c   the parts, which know no engine
 */
#ifndef HSIM_POLICY_VODA_VODA_H
#define HSIM_POLICY_VODA_VODA_H

#include "hsim/policy.h"
#include "policy/voda/settings.h"
#include "policy/voda/tables.h"

struct voda_member {
  int pool;                       /* -1: no pool can run it */
  const struct voda_table *table; /* sizes and speedups on the pool's type */
  struct voda_record *record;     /* with info=learn and voda-literal, else NULL; owned */
  struct voda_placed placed;
  struct voda_clock clock;
  double first_start_s; /* as the queues see it; infinity before */
  double rate;          /* steps per second of the gang that it was last given */
  double steps;         /* done, as far as it was told */
  double reported;      /* epochs among them that are in the record */
  bool stopped;         /* the engine has taken its GPUs since the last call */
  bool changed;         /* scratch: gets other GPUs in this plan */
};

/* The GPUs of one type, and the jobs that belong there. */
struct voda_pool {
  int type;
  int gpus;  /* on nodes that are up */
  int *bays; /* [placement.n_nodes] */
  struct voda_placement placement;
  int *jobs; /* indices, ascending */
  size_t n_jobs, jobs_capacity;
  double load;           /* sum of the jobs' min_workers */
  bool dirty;            /* something happened since the last rescheduling */
  bool nodes_changed;    /* since the last placement */
  double blocked_until;  /* no rescheduling before */
  double wake;           /* the earliest timer that was asked for */
  struct voda_job *asks; /* [n_jobs] what the allocation sees */
  size_t asks_capacity;
  struct voda_placed **placed; /* those with workers, now or then */
  size_t placed_capacity;
};

/* What jobs of one model took that have finished: one-GPU seconds. */
struct voda_category {
  double seconds;
  double jobs;
};

struct voda_counters {
  long long reschedulings;
  long long panics;  /* compat=code: allocations on which the published program panics */
  long long no_rate; /* placements that were not used since the job has no rate there */
  double longest_wait_s;
};

struct voda {
  struct voda_settings settings;
  struct voda_pool *pools; /* [n_pools] by GPU type */
  int n_pools;
  struct voda_member *members; /* [n_members] by job index */
  int n_members;
  int *node_of_bay; /* its number inside the pool */
  struct voda_tables tables;
  struct voda_category *categories; /* by model, grown on demand */
  size_t n_categories, categories_capacity;
  struct voda_allocator allocator;
  struct hsim_share *shares; /* scratch */
  size_t shares_capacity;
  int *homeless; /* jobs that no pool can run, to be rejected */
  size_t n_homeless, homeless_capacity;
  struct voda_counters counters;
};

/* knowledge.c */
void voda_know(struct voda *voda, const struct hsim_active *active);
void voda_watch(struct voda *voda, const struct hsim_view *view, const struct hsim_ran *ran,
                size_t n_ran);
void voda_remember(struct voda *voda, const struct hsim_active *active); /* it has finished */
/* Fills the fields of an ask that speak of speed. */
void voda_tell(struct voda *voda, const struct hsim_view *view, const struct hsim_active *active,
               struct voda_job *ask);

/* pool.c */
void voda_pool_init(struct voda_pool *pool, const struct hsim_view *view,
                    const struct voda_settings *settings, int type, int *node_of_bay);
void voda_pool_free(struct voda_pool *pool);
void voda_pool_add(struct voda_pool *pool, int job);
void voda_pool_remove(struct voda_pool *pool, int job);
void voda_pool_node(struct voda *voda, struct voda_pool *pool, int node, int gpus, bool up);
/* At the end of an instant: reschedules the pool if it is due. */
void voda_pool_run(struct voda *voda, struct voda_pool *pool, const struct hsim_view *view,
                   struct hsim_plan *plan);

#endif
