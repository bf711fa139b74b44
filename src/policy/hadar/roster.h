/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Hadar remembers of jobs from round to round, and how the jobs of a round are made from the
 * view: their kinds, utilities, and what they hold in terms of node classes.
 */
#ifndef HSIM_POLICY_HADAR_ROSTER_H
#define HSIM_POLICY_HADAR_ROSTER_H

#include "hsim/policy.h"
#include "policy/hadar/candidates.h"

/* A kind with what its rates are made of. */
struct hadar_profile {
  struct hadar_kind kind;
  double one_node[HSIM_MAX_TYPES], spread[HSIM_MAX_TYPES]; /* true rates */
  double factor[HSIM_MAX_TYPES]; /* estimate / truth, 1 when estimates are exact */
  double *true_copy, *copy;      /* true and estimated hadar_kind.copy; NULL: no forks */
};

struct hadar_record {
  struct hadar_profile *profile; /* NULL before the job's first round */
  double worth;                  /* utility x duration */
  int group;                     /* jobs with the same arrival, see hadar_roster.groups */
  int waited;                    /* calls in a row that left it waiting */
  int reason;                    /* last reason given, -1: none */
};

struct hadar_roster {
  struct hadar_record *records; /* [n_jobs of the trace] */
  struct hadar_profile **profiles;
  size_t n_profiles, profiles_capacity;
  int *groups; /* jobs active when the group had arrived, itself included */
  size_t n_groups, groups_capacity;
  double group_arrival;
  int n_active;
  bool stale; /* jobs or their kinds changed since the last prices */

  /* The round's jobs, in arrival order. */
  struct hadar_job *jobs;
  const struct hsim_active **active; /* [n] the same in the view */
  struct hadar_stake *stakes;
  int n;
  struct hadar_seat *seats;
  struct hadar_take *takes;
  size_t jobs_capacity, active_capacity, stakes_capacity, seats_capacity, takes_capacity;
};

void hadar_roster_init(struct hadar_roster *roster, const struct hsim_view *view);
void hadar_roster_free(struct hadar_roster *roster);

void hadar_roster_arrived(struct hadar_roster *roster, const struct hsim_active *active);
void hadar_roster_finished(struct hadar_roster *roster);

/* Nodes went down or came up: kinds are fitted to the new classes. */
void hadar_roster_refit(struct hadar_roster *roster, const struct hadar_classes *classes);

/* Estimates move halfway to the truth for each gang that ran on one GPU type. */
void hadar_roster_measure(struct hadar_roster *roster, const struct hsim_view *view,
                          const struct hadar_classes *classes, const struct hsim_ran *ran,
                          size_t n_ran);

/* Lists the round's jobs. */
void hadar_roster_fill(struct hadar_roster *roster, const struct hsim_view *view,
                       const struct hadar_classes *classes, const struct hadar_settings *settings);

#endif
