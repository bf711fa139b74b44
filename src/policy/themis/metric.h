/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The metric: rho = T_sh / T_id of each app, with three readings of the ideal time (Mahajan et al.,
 * Themis, NSDI'20, section 2; docs/themis.md).
 *
 *   share       T_id(N) = max( sum_j U_j N, max_j M_j ): alone on 1/N of the GPUs of every type,
 *               U_j and M_j job j's time on the whole cluster when its gang is divisible without
 *               limit, and when it runs at its largest size all the time. For one job on one type:
 *               W / min(R_c / N, D).
 *   paper       N T_id(1): N times its time alone on the whole cluster, W / min(R_c, D)
 *   contention  max_j M_j times the mean of max(1, GPUs that all jobs could use / GPUs)
 *
 * N is the number of active apps averaged over the app's life. Arrivals and ends count at their
 * exact times, so the figure does not depend on when the policy is asked.
 */
#ifndef HSIM_POLICY_THEMIS_METRIC_H
#define HSIM_POLICY_THEMIS_METRIC_H

#include "hsim/policy.h"

enum themis_ideal { THEMIS_SHARE, THEMIS_PAPER, THEMIS_CONTENTION, THEMIS_N_IDEALS };

struct themis_app {
  int first_job;
  double arrival_s, end_s;      /* end of its last job so far */
  int active;                   /* jobs that arrived and have not ended */
  bool finished;                /* some of its jobs ended by finishing */
  double away_s;                /* between jobs: nobody's, but its own share of N is 1 there too */
  int tasks;                    /* metric.tasks of its jobs; -1: none */
  double divisible_s;           /* sum U_j */
  double longest_s;             /* max M_j */
  double crowd_from, load_from; /* integrals when it arrived */
  double crowd, load;           /* their means over its life, once it has ended */
};

/* What a job adds to its app. A job that ends otherwise than by finishing takes it along. */
struct themis_task_time {
  int job;
  double divisible_s, longest_s;
  int next; /* of the same app; -1: the last */
};

struct themis_event {
  double time;
  int job, app; /* job: breaks ties */
  bool arrives, finished;
  double divisible_s, longest_s; /* of an arriving job */
  double demand;                 /* GPUs that it could use */
};

struct themis_metric {
  struct themis_app *apps;
  int n_apps;
  double time;        /* up to which the integrals are counted */
  int n_active;       /* apps */
  double demand;      /* GPUs that active jobs could use */
  double gpus;        /* of the cluster */
  double crowd, load; /* integrals of n_active and of max(1, demand / gpus) */
  struct themis_task_time *tasks;
  struct themis_event *events; /* told since the last themis_metric_update */
  size_t n_events, n_tasks, apps_capacity, events_capacity, tasks_capacity;
};

void themis_metric_free(struct themis_metric *metric);

/* A new app; returns its number. */
int themis_metric_app(struct themis_metric *metric, int first_job);
void themis_metric_tell(struct themis_metric *metric, struct themis_event event);
/* Takes the events in, in order of time. */
void themis_metric_update(struct themis_metric *metric);

/* N and mean load of an active app from its arrival to `now`, or just now (`instant`). */
double themis_metric_crowd(const struct themis_metric *metric, int app, double now, bool instant);
double themis_metric_load(const struct themis_metric *metric, int app, double now, bool instant);

/* T_id by a reading, N and load given. */
double themis_ideal_s(const struct themis_app *app, enum themis_ideal ideal, double crowd,
                      double load);
/* T_id of an active app. */
double themis_metric_ideal_s(const struct themis_metric *metric, int app, enum themis_ideal ideal,
                             double now, bool instant);

/* Figures over the apps that are done: rho by all three readings, mean completion time. */
void themis_metric_report(const struct themis_metric *metric, const struct hsim_view *view);

#endif
