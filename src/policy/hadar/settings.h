/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a user may choose about Hadar, and how the choices combine: an option that was typed wins
 * over a typed goal, that over the profile, that over the defaults.
 */
#ifndef HSIM_POLICY_HADAR_SETTINGS_H
#define HSIM_POLICY_HADAR_SETTINGS_H

#include "hsim/policy.h"

enum hadar_utility {
  HADAR_RAW,  /* steps / (finish - arrival) */
  HADAR_NORM, /* shortest possible duration / (finish - arrival) */
  HADAR_FTF,  /* duration on a fair share of the cluster / (finish - arrival) */
  HADAR_PACE  /* shortest remaining duration ^ 1/4 x rate / highest rate, in the next round */
};

enum hadar_order {
  HADAR_AREA,  /* ascending workers x remaining time on the best feasible type */
  HADAR_PAY,   /* descending payoff */
  HADAR_DENSR, /* descending payoff / (workers x remaining rounds) */
  HADAR_DENS,  /* descending payoff / workers */
  HADAR_PAYR,  /* descending payoff / remaining rounds */
  HADAR_SRPT,  /* ascending remaining time */
  HADAR_LPT,   /* descending remaining time */
  HADAR_LPTC,  /* descending remaining time in classes of 30 %, so that jobs seldom change places */
  HADAR_ARRIVAL /* arrival */
};

struct hadar_settings {
  enum hadar_utility utility;
  enum hadar_order order;
  bool whole_schedule;  /* a job pays for its whole expected schedule, not for one round */
  bool global_cap;      /* one upper price for all types */
  bool eta_over_rounds; /* 1/eta is divided by the longest job's rounds too */
  int beam;             /* states kept a step, >= 1 */
  bool best_only;       /* the dual subroutine branches on the best candidate only */
  bool backfill;
  bool upgrade;
  int age_rounds;          /* 0: no age guard */
  double noise;            /* estimates start within +-noise of the truth; 0: exact */
  bool exact;              /* the dual subroutine is the recursion, not the beam */
  bool bound;              /* the fluid bound of the jobs of the first round joins the summary */
  const char *diagnostics; /* CSV file, "" for none; the text of the option */

  /* HadarE only. */
  bool forks;       /* jobs fork into copies */
  bool matching;    /* the dual subroutine is an exact matching where that is possible */
  int max_copies;   /* of one job at a time; 0: as many as there are nodes */
  bool whole_nodes; /* an idle node's copy takes all its free GPUs, not the job's workers only */
  double consolidate_s; /* seconds a round that two or more copies lose */
  int max_job_count; /* copy ids are max_job_count * copy + job number; 0: jobs of the trace + 1 */
};

/* HadarE has Hadar's options and, behind them, its own. */
enum { N_HADAR_OPTIONS = 17, N_HADARE_OPTIONS = 22 };
extern const struct hsim_option hadar_options[];

void hadar_settings_read(struct hadar_settings *settings, const struct hsim_value *values,
                         bool forks);

/* What an option that was not typed is under the goal and profile: hsim_policy's `settled`. */
const char *hadar_settled(const struct hsim_value *values, int option);
const char *hadare_settled(const struct hsim_value *values, int option);

#endif
