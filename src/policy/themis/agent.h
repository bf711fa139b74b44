/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The AGENT of one app (Mahajan et al., Themis, NSDI'20, section 3): how long the app has still to
 * run on a bundle of GPUs of one type, and what the bundle is worth to it. It knows nothing of
 * other apps and changes nothing.
 *
 * With k GPUs the app's jobs are served in the order of work / most, largest first (ties: job
 * index); each takes up to `most`, and none when fewer than `least` are left. With w_j the work of
 * job j in GPU-seconds, counted at the size and place that it gets:
 *
 *   T_rem = max( sum_j w_j / k ,  max_j w_j / min(k, most_j) )
 *
 * A job without GPUs is taken to lose as much by its placement as the others do on average
 * (weighted by work). For an app of one job that is its remaining time on these GPUs.
 */
#ifndef HSIM_POLICY_THEMIS_AGENT_H
#define HSIM_POLICY_THEMIS_AGENT_H

#include "hsim/types.h"
#include "hsim/view.h"

/* Seconds until job number `task` of the agent is done on `workers` GPUs of its type with the given
 * span; infinity when it cannot run so. */
typedef double themis_seconds_fn(const void *context, int task, int workers, enum hsim_span span);

/* A job of the app that is not done and runs on the agent's type. */
struct themis_task {
  int job; /* job index */
  int least, most;
  double work;            /* GPU-seconds left at `least` GPUs placed together */
  int first_held, n_held; /* shares on which it runs now: agent.on */
  int first_memo;         /* seconds by size and span, NaN: not asked yet */
  int number;             /* as `seconds` counts */
  int cap;                /* <= most: what it can use of the bundle that is being split */
  /* Of the last split. */
  int size;
  int first_take; /* index + 1 in agent.takes, 0: none */
};

struct themis_take {
  struct hsim_share share;
  int open; /* GPUs that have not been named yet; for whoever names them */
  int next; /* index + 1, 0: none */
};

enum themis_valuation { THEMIS_RHO, THEMIS_SPEEDUP };

struct themis_agent {
  const struct hsim_cluster *cluster;
  int app;          /* its number: ties, rotations */
  int type;         /* of GPUs */
  double elapsed_s; /* since the app arrived */
  double ideal_s;   /* T_id */
  double restart_s; /* added to bids for more GPUs */
  double boast;     /* factor on V of every bundle but the empty one: bid errors and lies */
  enum themis_valuation valuation;

  struct themis_task *tasks;
  int n_tasks;
  int most;     /* GPUs that it can use: sum over its jobs */
  int smallest; /* least of the jobs' `least` */
  double work;  /* sum */
  bool flat;    /* no job takes more than one GPU: only their number matters */

  struct hsim_share *held; /* GPUs under leases */
  int n_held, held_gpus;

  themis_seconds_fn *seconds;
  const void *context;

  /* Owned; kept from one use to the next. */
  struct hsim_share *on;
  double *memo, *by_gpus;
  struct themis_take *takes;
  struct hsim_share *sum, *left;
  int n_on, n_takes;
  size_t tasks_capacity, held_capacity, on_capacity, memo_capacity, by_gpus_capacity,
      takes_capacity, sum_capacity, left_capacity;
};

void themis_agent_free(struct themis_agent *agent);

/* Building: begin, then a task for each job (its gang's shares are copied), then the held GPUs,
 * then finish. Everything that is a plain number above is the caller's to set. */
void themis_agent_begin(struct themis_agent *agent, const struct hsim_cluster *cluster,
                        themis_seconds_fn *seconds, const void *context);
void themis_agent_task(struct themis_agent *agent, int job, int least, int most,
                       const struct hsim_share *on, int n_on);
void themis_agent_hold(struct themis_agent *agent, int bay, int gpus);
void themis_agent_finish(struct themis_agent *agent);

/* T_rem with what it holds and these; infinity without a GPU that it can use. */
double themis_agent_remaining(struct themis_agent *agent, const struct hsim_share *more, int n);
/* T_rem on its smallest usable number of GPUs, placed together. */
double themis_agent_smallest_remaining(struct themis_agent *agent);
/* T_sh = elapsed + T_rem, restart included when `more` is not empty. */
double themis_agent_shared(struct themis_agent *agent, const struct hsim_share *more, int n);
/* V = 1 / rho = T_id / T_sh, or (THEMIS_SPEEDUP) work / T_rem. 0 when it cannot run. */
double themis_agent_value(struct themis_agent *agent, const struct hsim_share *more, int n);

/* Gives the GPUs `all` to the jobs: tasks[].size and first_take. Returns how many GPUs are used. */
int themis_agent_split(struct themis_agent *agent, const struct hsim_share *all, int n);

/* After a split: the job's rate over that of a gang of its size inside one slot, 0 to 1. */
double themis_agent_score(struct themis_agent *agent, const struct themis_task *task);

/* The least number of further GPUs that some job could use, 0 when none could. */
int themis_agent_step(struct themis_agent *agent);

#endif
