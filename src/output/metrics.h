/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every figure of a run, computed from the event record alone. A sink: metrics_create, hand
 * metrics_sink to the run, then metrics_figures, then metrics_free.
 *
 * A figure that does not exist is NaN. Definitions beyond the names:
 * - JCT, queueing and slowdown are over finished jobs; a job that no single GPU type can run at its
 *   size has no slowdown.
 * - Held, busy and productive GPU-seconds count up to the last finish; a segment that goes on
 *   beyond it counts in proportion. GPUs that two jobs share count half for each.
 * - With a window FROM..TO of the arrival order, `jobs`, makespan, JCT, queueing, slowdown, rho
 *   (apps whose first job is inside), starts, preemptions, migrations, resizes, moved workers,
 * waits and reasons are those of its jobs only; end_s, rounds and utilisation (from the first
 * arrival to the last finish of all jobs) are the whole run's.
 */
#ifndef HSIM_OUTPUT_METRICS_H
#define HSIM_OUTPUT_METRICS_H

#include "model/record.h"
#include "output/quantiles.h"

/* How many jobs ended for the same stated reason. */
struct reason_count {
  const char *text; /* owned by the metrics */
  uint64_t n;
};

struct figures {
  uint64_t finished, rejected, dropped, cancelled, unfinished;
  double end_s, makespan_s;
  struct quantiles jct, queueing, slowdown, rho;
  double unfair_fraction, jain;
  double held, busy, productive; /* fractions of the GPU time that was up */
  double held_by_type[HSIM_MAX_TYPES];
  double node_mean;
  double availability; /* GPU time that was up, of all between first arrival and last finish */
  double lost_gpu_s;   /* of work that was done and lost, in the whole run */
  uint64_t restarts;   /* starts of jobs that had started before */
  uint64_t rounds, starts, preemptions, migrations, resizes, moved_workers;
  double wait_s[HSIM_N_REASONS];
  const struct reason_count *rejected_by, *dropped_by; /* in the order of first appearance */
  int n_rejected_by, n_dropped_by;
};

struct metrics;

/* `info` and what it points to must outlive the metrics. The window is [from, to). */
struct metrics *metrics_create(const struct run_info *info, int from, int to);
struct sink metrics_sink(struct metrics *metrics);
/* After the run's RECORD_END. */
void metrics_figures(struct metrics *metrics, struct figures *figures);
void metrics_free(struct metrics *metrics);

/* Names of the summary: "outranked", "no_capacity", ... */
const char *metrics_reason_name(enum hsim_reason reason);

#endif
