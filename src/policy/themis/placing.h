/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From what bidders hold to gangs: each bidder's jobs are given its GPUs (agent.h), a job keeping
 * those on which it runs as far as it can.
 */
#ifndef HSIM_POLICY_THEMIS_PLACING_H
#define HSIM_POLICY_THEMIS_PLACING_H

#include "policy/themis/roster.h"

/* A gang that is to begin. */
struct themis_start {
  int job, first, n; /* gpus[first .. first + n - 1] */
};

struct themis_placing {
  struct themis_roster *roster;
  double restart_s;
  struct themis_agent agent;
  struct themis_context context;
  int *owner;                  /* [n_gpus] number of the task that gets it, -1 */
  struct themis_start *starts; /* of one plan */
  int *gpus;
  size_t n_starts, n_gpus;
  size_t starts_capacity, gpus_capacity;
};

void themis_placing_init(struct themis_placing *placing, struct themis_roster *roster,
                         double restart_s);
void themis_placing_free(struct themis_placing *placing);

/* GPUs that a bidder holds beyond what its jobs could use by their number are free again. */
void themis_placing_surplus(struct themis_placing *placing, const struct hsim_view *view,
                            int bidder);

/* GPUs that the jobs of bidders whose GPUs or jobs changed cannot use are free again. Returns how
 * many. */
int themis_placing_return(struct themis_placing *placing, const struct hsim_view *view);

/* Plans the gangs of all those bidders. GPUs that their jobs leave unused are free again. Returns
 * how many. */
int themis_placing_plan(struct themis_placing *placing, const struct hsim_view *view,
                        struct hsim_plan *plan);

#endif
