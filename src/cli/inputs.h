/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that a call reads before it runs: policies, rates, cluster, trace, costs. */
#ifndef HSIM_CLI_INPUTS_H
#define HSIM_CLI_INPUTS_H

#include "cli/options.h"
#include "input/events.h"
#include "model/cluster.h"
#include "model/outages.h"
#include "model/rates.h"
#include "model/semantics.h"
#include "model/trace.h"
#include "policy/loader.h"

/* One policy of the call with the rules that hold for its run. */
struct planned_run {
  struct loaded_policy policy;
  struct policy_values values;
  struct semantics semantics;
  struct costs costs;
};

struct inputs {
  struct rates rates;
  struct cluster cluster;
  uint64_t seed; /* the trace's and the outages' */
  struct trace trace;
  struct events *events; /* of --events-in, or NULL */
  struct outages outages;
  struct planned_run *runs;
  size_t n_runs;
};

/* Policies and rules first, so that wrong usage shows before a large trace is read. */
enum hsim_status inputs_load(const struct cli_options *options, struct inputs *inputs,
                             struct hsim_error *error);

/* Whether the trace or the slow nodes are others with another seed: models are assigned, the trace
 * is sampled or shaken, nodes are slow. */
bool inputs_depend_on_seed(const struct cli_options *options, const struct inputs *inputs);

/* Makes the inputs those of another seed; the trace is read again where it depends on it. After a
 * failure the inputs can only be freed. */
enum hsim_status inputs_reseed(const struct cli_options *options, struct inputs *inputs,
                               uint64_t seed, struct hsim_error *error);

void inputs_free(struct inputs *inputs);

#endif
