/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a job would take without anybody else: the yardsticks of slowdown and of rho. They come
 * from the rates and the empty cluster alone, never from a schedule. Answers are remembered by
 * (model, workers, accepted types), of which a trace has few.
 */
#ifndef HSIM_OUTPUT_IDEAL_H
#define HSIM_OUTPUT_IDEAL_H

#include "hsim/types.h"
#include "model/rates.h"

struct ideal_entry;

struct ideal {
  const struct hsim_oracle *oracle;
  struct ideal_entry *entries; /* open addressing */
  size_t size, used;
  double *thr; /* [used][n_types] */
};

void ideal_init(struct ideal *ideal, const struct hsim_oracle *oracle);
void ideal_free(struct ideal *ideal);

/* Seconds of all steps at the best rate that a gang of `workers` on one GPU type of the empty
 * cluster has, without costs; NaN when no type can run it. A job with phases stays on one type, the
 * one that is best over all of them. */
double ideal_s(struct ideal *ideal, const struct hsim_job *job);

/* The job alone on a 1/n share of every GPU type: it gets x_g = (N_g / n) / workers of each type's
 * time. `capped`: a job cannot use more than all of its time, x is scaled down to a sum of 1.
 * Seconds of all steps at sum_g thr_g x_g, thr without the spread factor; infinity when it is 0.
 * (The share of Gavel's isolated baseline; for one GPU type, T_id of Mahajan et al., Themis,
 * NSDI'20: W / min(R_c / N, D), or W / (R_c / N) when not capped.) */
double ideal_share_s(struct ideal *ideal, const struct hsim_job *job, double n, bool capped);

#endif
