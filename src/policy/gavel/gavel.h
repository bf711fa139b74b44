/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Policy `gavel`: state and the two ways to schedule. See docs/gavel.md.
 */
#ifndef HSIM_POLICY_GAVEL_GAVEL_H
#define HSIM_POLICY_GAVEL_GAVEL_H

#include "hsim/policy.h"
#include "policy/gavel/assignment.h"
#include "policy/gavel/mt19937.h"
#include "policy/gavel/objective.h"
#include "policy/gavel/rounds.h"

struct gavel {
  const struct objective *objective;
  bool coded;      /* compat=code */
  double interval; /* least seconds between two reallocations */
  bool carry;      /* deficits=carried */
  struct rounds rounds;
  struct lp *lp;
  int by_name[HSIM_MAX_TYPES]; /* types in ascending order of their names */
  int *model;     /* [n_jobs] that the rates of an active job belong to: phases may change it */
  bool need;      /* something happened since the last reallocation */
  bool allocated; /* there has been one */

  /* compat=code */
  int queue_order[HSIM_MAX_TYPES]; /* in which types choose */
  struct assigner assigner;
  struct mt19937 shuffler;
  bool ran;           /* something ran since the last call of schedule */
  bool arrivals_left; /* after the last call of schedule */
  double busy_gpu_s;

  /* Scratch of one reallocation and one plan */
  int *workers;
  double *weights, *rates, *shares;
  size_t workers_capacity, weights_capacity, rates_capacity, shares_capacity;
  struct rounds_pick *placed;
  size_t placed_capacity;
};

/* Steps per second of the job on each type, as the chosen flavour sees them. */
void gavel_rates(const struct gavel *gavel, const struct hsim_view *view,
                 const struct hsim_active *active, double rates[HSIM_MAX_TYPES]);

/* Restarts the mechanism's accounts and computes the shares anew. */
enum hsim_status gavel_reallocate(struct gavel *gavel, const struct hsim_view *view,
                                  struct hsim_error *error);

/* compat=code: Gavel's simulator. */
void gavel_coded_init(struct gavel *gavel, const struct hsim_view *view);
void gavel_coded_ran(struct gavel *gavel, const struct hsim_view *view, const struct hsim_ran *ran,
                     size_t n_ran);
enum hsim_status gavel_coded_schedule(struct gavel *gavel, const struct hsim_view *view,
                                      struct hsim_plan *plan, struct hsim_error *error);

/* compat=fixed: the paper. */
enum hsim_status gavel_published_schedule(struct gavel *gavel, const struct hsim_view *view,
                                          struct hsim_plan *plan, struct hsim_error *error);

#endif
