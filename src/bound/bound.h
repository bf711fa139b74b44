/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Provable lower bounds on makespan, mean JCT and maximum slowdown: what no policy can beat that is
 * permitted no more than `rules`, whatever it knows and however it decides. docs/bounds.md has the
 * formulas, the proofs and the sources.
 *
 * Each bound is a *certificate*: prices on GPU time under which even the cheapest way to do all
 * work costs more than all GPU time is worth. Linear programs only propose the prices; the bound is
 * worked out from the prices, job by job, in plain arithmetic. Merging intervals and jobs in the
 * programs, or the solver's tolerances, can therefore make a bound looser and never wrong.
 */
#ifndef HSIM_BOUND_BOUND_H
#define HSIM_BOUND_BOUND_H

#include "hsim/policy.h"
#include "model/rates.h"
#include "model/trace.h"

/* What the engine lets a policy do beyond gangs of a job's own size on one GPU type. */
struct bound_rules {
  bool elastic; /* sizes within the job's range */
  bool mixes_types;
  bool pairs; /* two jobs on the same GPUs */
  bool forks; /* copies of any size on distinct nodes, whose rates add up */
};

/* Of a table after its `configure`. */
struct bound_rules bound_rules_of(const struct hsim_policy *table);
bool bound_rules_same(const struct bound_rules *a, const struct bound_rules *b);

struct bound_input {
  const struct trace *trace;
  const struct hsim_oracle *oracle; /* without node speeds: slow nodes only make things worse */
  struct bound_rules rules;
  const double *ideal_s; /* [n_jobs] what slowdown divides by, NaN: the job has no slowdown */
};

/* Figures that do not exist are NaN. Seconds are counted as in the summary: a makespan from the
 * trace's first arrival, a JCT from the job's own. */
struct bounds {
  int jobs;      /* those that can run at all under the rules; the bounds are over all of these */
  int intervals; /* of time in the largest linear program */
  int classes;   /* of jobs in the largest linear program */
  int unsolved;  /* programs that the solver gave up, so that the bounds are not what they could be
                  */
  double longest_s; /* makespan: each job alone at its best rate */
  double work_s;    /* makespan: all work at its best rate a GPU, on all GPUs */
  double makespan_s, jct_mean_s, slowdown_max;
};

void bound_compute(const struct bound_input *input, struct bounds *bounds);

#endif
