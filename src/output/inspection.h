/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a trace looks like before anything runs: what was read, arrivals, sizes, durations, and what
 * all of it asks of a cluster.
 *
 * Work of a job: seconds on the reference type with its own workers on one node, where it cannot
 * run there on the type of the rates table on which it is fastest. GPU-hours = workers * work /
 * 3600.
 *
 * Offered load over the time from first to last arrival:
 *   of a type      GPU-seconds that all jobs which fit there would take there, if they all ran
 *                  there, over its GPUs * time: above 1 it cannot serve them alone;
 *   of the whole   the time that the cluster needs over the time that there is when each job is
 *                  spread over all types that it fits, each doing the job's kind of work at its own
 *                  pace: sum over jobs of 1 / sum over types of GPUs / (workers * seconds there).
 * Costs and spread gangs are left out, so a load below 1 does not promise that queues stay short.
 */
#ifndef HSIM_OUTPUT_INSPECTION_H
#define HSIM_OUTPUT_INSPECTION_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "model/cluster.h"
#include "model/rates.h"
#include "model/trace.h"

/* Bad rows by what is wrong with them. */
struct bad_rows {
  struct names reasons;
  int *counts; /* [reasons.n] */
  size_t capacity;
  struct names firsts; /* the first message of each, in the same order */
};
void bad_rows_add(struct bad_rows *bad, const char *message);
void bad_rows_free(struct bad_rows *bad);

struct inspection_input {
  const char *version;
  const struct trace *trace; /* at least one job */
  const struct cluster *cluster;
  const struct rates *rates;
  const struct hsim_oracle *oracle;
  int reference; /* the rates table's number of the reference type, -1: it lacks it */
  const char *reference_name;
  const struct bad_rows *bad;
};

/* The document "hsim.inspection/1"; freed with cJSON_Delete. */
cJSON *inspection_document(const struct inspection_input *input);

/* The document for people, read back from its text: counts are printed there, not kept. */
void inspection_print(const cJSON *document, FILE *out);

#endif
