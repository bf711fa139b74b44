/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finish-time fairness rho of each app (Mahajan et al., Themis, NSDI'20): the time that it took
 * in the shared cluster, divided by the time T_id alone on its 1/N share of every GPU type, N
 * being the mean number of active apps over its life.
 *
 * An app lives from the arrival of its first job to the end of its last. It has a rho when all its
 * jobs have ended and at least one of them finished; T_id is over the finished ones:
 *   T_id = max( sum_j U_j, max_j T_j )
 * with T_j job j's time on the share when it cannot use more than all of its own time, and U_j
 * its time were its gang divisible without limit; for a single job that is T_j.
 */
#ifndef HSIM_OUTPUT_FAIRNESS_H
#define HSIM_OUTPUT_FAIRNESS_H

#include "model/trace.h"
#include "output/ideal.h"
#include "output/job_figures.h"
#include "output/quantiles.h"

struct fairness_input {
  const struct trace *trace;
  struct ideal *ideal;
  double end_s; /* the clock at the end */
  int from, to; /* apps whose first job is within [from, to) of the arrival order are reported */
  const void *state;
  job_fate_of *job;
};

/* Writes the rho of each reported app in the order of first arrivals, and its first job to
 * first_job (NULL: not wanted); both have room for one a job. Returns how many. */
size_t fairness_rho(const struct fairness_input *input, double *rho, int *first_job);

struct fairness_figures {
  struct quantiles rho;
  double unfair_fraction; /* rho > 1 */
  double jain;            /* Jain's index (sum rho)^2 / (n sum rho^2) */
};

/* Of n apps; `rho` is reordered. */
struct fairness_figures fairness_figures_of(double *rho, size_t n);

/* Into rho[j] for each job the rho of its app, NaN where that has none. `from` and `to` are not
 * read. */
void fairness_rho_of_jobs(const struct fairness_input *input, double *rho);

#endif
