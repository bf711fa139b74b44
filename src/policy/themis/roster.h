/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Apps, their jobs and what they hold. A *bidder* is whoever holds leases and bids: an app in
 * Themis' auction, a single job under the schedulers that it is compared with. A bidder's GPUs are
 * all of one type; it chooses the type anew whenever it holds nothing.
 */
#ifndef HSIM_POLICY_THEMIS_ROSTER_H
#define HSIM_POLICY_THEMIS_ROSTER_H

#include "policy/themis/agent.h"
#include "policy/themis/leases.h"
#include "policy/themis/settings.h"

/* Gang sizes with which a job can run on a type. */
struct themis_sizes {
  int least, most; /* 0: it cannot run there */
};

struct themis_job {
  int bidder, app;
  bool left;          /* it has ended */
  double ran_until_s; /* end of what it ran last, NaN */
  double demand;      /* GPUs that it could use */
  double score;       /* placement: rate over the rate in one slot */
  bool placed;        /* it runs under the last plan */
  int reason;         /* that was given for its waiting, -1 */
};

struct themis_bidder {
  int app;   /* number: ties */
  int *jobs; /* active ones, in order of arrival */
  int n_jobs;
  size_t jobs_capacity;
  int head;            /* first GPU that it holds, -1 */
  int held;            /* GPUs */
  int type;            /* of these */
  double bare_since_s; /* from when it has held nothing, infinity: it holds GPUs */
  double assigned_s;   /* when it last got a GPU, -infinity */
  bool touched;        /* its GPUs or jobs changed since its jobs were placed */
  bool listed;         /* in roster.active */
};

/* What an agent's callback needs. */
struct themis_context {
  const struct hsim_view *view;
  int type;
  const struct hsim_active **jobs; /* by task number */
  size_t capacity;
};

struct themis_roster {
  const struct hsim_cluster *cluster;
  bool per_job, elastic;
  struct themis_metric metric;
  struct themis_leases leases;
  struct themis_job *jobs;    /* [n_jobs of the trace] */
  struct themis_sizes *sizes; /* [n_jobs][n_types] */
  int *app_of;                /* [n_jobs] by the trace's app index: number + 1, 0: none yet */
  int *bidder_of;             /* [n_jobs] by app number: bidder + 1 */
  struct themis_bidder *bidders;
  int n_bidders;
  int *active; /* bidders with jobs or GPUs, and some that have lost both */
  int n_active;
  size_t bidders_capacity, active_capacity;
  int *hopeless; /* jobs that no size and type suits: to be rejected */
  size_t n_hopeless, hopeless_capacity;
  double gpu_seconds, good_seconds; /* held by gangs; the same times their placement score */
};

void themis_roster_init(struct themis_roster *roster, const struct hsim_view *view, bool per_job,
                        bool elastic);
void themis_roster_free(struct themis_roster *roster);

void themis_roster_arrived(struct themis_roster *roster, const struct hsim_view *view,
                           const struct hsim_active *active);
void themis_roster_finished(struct themis_roster *roster, const struct hsim_view *view,
                            const struct hsim_active *active);
void themis_roster_ran(struct themis_roster *roster, const struct hsim_ran *ran, size_t n_ran);
void themis_roster_node(struct themis_roster *roster, int node, bool up, double now);

/* Takes bidders without jobs and GPUs off the list of active ones. */
void themis_roster_tidy(struct themis_roster *roster);

/* Sizes of a job on a type, in its present phase and those after it. */
const struct themis_sizes *themis_roster_sizes(struct themis_roster *roster,
                                               const struct hsim_view *view,
                                               const struct hsim_active *active, int type);

/* Frees a bidder's GPU; grants it one of a bay. */
void themis_roster_release(struct themis_roster *roster, int bidder, int gpu, double now);
void themis_roster_grant(struct themis_roster *roster, int bidder, int bay, double end_s,
                         double now);

/* The bidder as an agent for GPUs of a type. elapsed_s, ideal_s, valuation stay the caller's. */
void themis_roster_agent(struct themis_roster *roster, const struct hsim_view *view, int bidder,
                         int type, struct themis_context *context, struct themis_agent *agent);

#endif
