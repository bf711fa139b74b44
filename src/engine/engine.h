/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run: replays a trace under one policy. The engine owns time, progress and capacity; it alone
 * changes state, checks every plan and writes the event record.
 */
#ifndef HSIM_ENGINE_ENGINE_H
#define HSIM_ENGINE_ENGINE_H

#include <signal.h>

#include "hsim/policy.h"
#include "model/cluster.h"
#include "model/outages.h"
#include "model/rates.h"
#include "model/record.h"
#include "model/semantics.h"
#include "model/trace.h"

/* Seconds: beyond it a double no longer tells hundredths of a second apart, and a run ends with an
 * error. */
#define ENGINE_TIME_MAX 1e13

struct engine_config {
  const struct trace *trace;
  const struct hsim_cluster *cluster;
  const struct rates *rates;
  struct semantics semantics;
  struct costs costs;
  double round_s; /* > 0 */
  double until;   /* infinity: never */
  uint64_t seed;
  int measure_from, measure_to; /* jobs in arrival order; the run ends when they are done */

  const struct hsim_policy *policy;
  const struct hsim_value *values; /* [policy->n_options] */

  const struct node_event *node_events; /* ascending time; may be NULL */
  size_t n_node_events;
  const struct cancel_event *cancels; /* ascending time; may be NULL */
  size_t n_cancels;
  struct fault_rule faults; /* random ones, beside node_events */
  const double *node_speed; /* [n_nodes] in (0, 1], NULL: all 1 */

  struct sink *sinks;
  size_t n_sinks;
  bool logging; /* some sink takes emitted lines */
  bool timing;  /* measure the policy's wall clock */

  /* Not 0: somebody wants the run to end after the present instant; may be NULL. */
  const volatile sig_atomic_t *stop;
};

/* A figure that the policy reported by hsim_stat, in the order of first report. */
struct engine_stat {
  char *name;
  double value;
};

struct engine_result {
  double end_s;
  bool interrupted;      /* it ended because of `stop` */
  uint64_t rounds;       /* policy calls in round mode, skipped quiet ones included */
  uint64_t policy_calls; /* calls really made */
  double policy_seconds; /* wall clock inside the policy (for --timing only) */
  struct engine_stat *stats;
  size_t n_stats, stats_capacity;
};

/* Runs to the end. On failure *error says why; sinks have still had their `end`. */
enum hsim_status engine_run(const struct engine_config *config, struct engine_result *result,
                            struct hsim_error *error);
void engine_result_free(struct engine_result *result);

#endif
