/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a policy answers. A plan starts as "everything that runs goes on" and is edited:
 *
 *   a policy that only ever starts jobs      calls hsim_plan_place / hsim_plan_add;
 *   one that decides anew each time          calls hsim_plan_clear first, then hsim_plan_keep for
 *                                            the jobs that stay and hsim_plan_add for the others.
 *
 * A plan without an edit means "keep". The plan tracks the GPUs that are free under it, so that
 * placement helpers see what the policy has already given away. A wrong edit (GPUs that are not
 * free, a size that the job may not have, ...) is remembered, and the engine ends the run with the
 * rule, job, node and round; the edit calls themselves need no checking.
 */
#ifndef HSIM_PLAN_H
#define HSIM_PLAN_H

#include "hsim/types.h"

struct hsim_plan; /* opaque */

/* Where a gang goes. With `gpus` NULL the engine chooses GPUs inside the bays and keeps a job
 * where it was when it can; else they are the [size] GPU indices, and shares may be NULL. */
struct hsim_placement {
  int n_shares;
  const struct hsim_share *shares;
  int n_gpus;
  const int *gpus;
};

/* One gang of a job. Zero-initialise it, then set what matters. */
struct hsim_request {
  int job;
  int copy; /* 0 for an ordinary gang; 1.. for copies, on distinct nodes */
  struct hsim_placement at;
  double max_steps; /* > 0: stop after so many steps; 0: no budget */
  double stall_s; /* seconds without progress at its start; the larger of it and its cost counts */
};

/* Begin from an empty cluster (nodes that are up): what is not kept or added again stops. */
HSIM_API void hsim_plan_clear(struct hsim_plan *plan);

/* After a clear: the job keeps exactly the GPUs that it holds. False, and nothing happens, when
 * they are no longer all free under the plan, or when it holds none. */
HSIM_API bool hsim_plan_keep(struct hsim_plan *plan, int job);

/* The job's gangs stop (all of them). Nothing happens when it holds nothing. */
HSIM_API void hsim_plan_stop(struct hsim_plan *plan, int job);

/* The job gets this gang. A gang with the same copy number is replaced: its GPUs are free for the
 * new one. The request is copied. */
HSIM_API void hsim_plan_add(struct hsim_plan *plan, const struct hsim_request *request);

/* Two jobs on the same GPUs; both requests name the same placement. */
HSIM_API void hsim_plan_add_pair(struct hsim_plan *plan, const struct hsim_request *a,
                                 const struct hsim_request *b);

/* Shorthand: hsim_plan_add of a plain gang on these shares. */
HSIM_API void hsim_plan_place(struct hsim_plan *plan, int job, const struct hsim_share *shares,
                              int n_shares);

/* The policy can never run this job: it leaves the system as rejected. `why` is copied. */
HSIM_API void hsim_plan_reject(struct hsim_plan *plan, int job, const char *why);

/* Why a job that is left waiting waits; holds until the next one. */
HSIM_API void hsim_plan_reason(struct hsim_plan *plan, int job, enum hsim_reason reason);

/* Ask again at time `t` > now even if nothing happens (a timer). Several may be pending. */
HSIM_API void hsim_plan_wake(struct hsim_plan *plan, double t);

/* Round mode: the answer stays the same until time `t` (infinity: for ever) unless a job arrives
 * or finishes, a node changes or a timer comes before; rounds until then need no call. */
HSIM_API void hsim_plan_valid_until(struct hsim_plan *plan, double t);

/* GPUs free under the plan: of a bay, of a type, and the most of a type on one node. */
HSIM_API int hsim_plan_free(const struct hsim_plan *plan, int bay);
HSIM_API int hsim_plan_free_of_type(const struct hsim_plan *plan, int type);
HSIM_API int hsim_plan_free_on_one_node(const struct hsim_plan *plan, int type);

/* How to look for GPUs of one type. */
enum hsim_pack {
  HSIM_PACK_PREFER,  /* one node if one can hold the gang (best fit: least free GPUs left), else
                        spread, nodes with the fewest free GPUs first; then the lowest node */
  HSIM_PACK_REQUIRE, /* as PREFER, but a gang that some node (empty) could hold waits for one */
  HSIM_PACK_ANY      /* the lowest free GPUs */
};

/* Finds `workers` GPUs of `type` that are free under the plan; among equal choices, GPUs that no
 * running job holds. Returns the number of shares, 0 when there is no room. *shares points into
 * the plan and stays until the next search; the GPUs are not taken until they are added. */
HSIM_API int hsim_find_gpus(struct hsim_plan *plan, int type, int workers, enum hsim_pack pack,
                            const struct hsim_share **shares);

#endif
