/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The summary of a call: a JSON document ("hsim.summary/1") and the table that people read.
 *
 * Each run is put into words on its own (summary_run_text, in the process that ran it, or
 * summary_failed_text), and summary_document_text joins these texts with what they share. The
 * table is made from the parsed document, so it can say nothing that the document does not.
 *
 * Beyond the keys that every document has, in the order of their place:
 *   trace: `shake` when there is noise, `other_reference`, `not_modelled` (jobs) at its end;
 * cluster: `skipped_nodes`; `seeds` after `seed`, and `seed` after `options` in each run, when
 * policies run with several; `comparison` at the end then (output/comparison.h); `outages` after
 * them when nodes change, fail or are slow, or jobs are withdrawn; run: `oracle` after `costs`
 * (what the policy was told: "rates", "remaining"); `measure` after it when only a window of jobs
 * counts; `rejected_by_reason`, `dropped_by_reason` after `wait_by_reason_s` when there are such
 * jobs; `bound` and `timing` at the end when asked for; semantics: `preset` first; costs:
 * `rollback`, `checkpoint_s`, `checkpoint_interval_s`.
 */
#ifndef HSIM_OUTPUT_SUMMARY_H
#define HSIM_OUTPUT_SUMMARY_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "hsim/policy.h"
#include "model/cluster.h"
#include "model/outages.h"
#include "model/rates.h"
#include "model/semantics.h"
#include "model/trace.h"
#include "output/groups.h"
#include "output/metrics.h"

#define SUMMARY_SCHEMA "hsim.summary/1"

/* A figure with a name of its own. */
struct summary_pair {
  const char *name;
  double value;
};

/* Bounds that no policy of the run's kind can beat; NaN where one does not exist. */
struct summary_bound {
  const char *rules; /* what the bounds allow for: "rigid", "elastic + pairs", ... */
  int jobs;          /* that the bounds are over */
  int intervals, classes;
  int unsolved; /* programs that the solver gave up */
  double longest_s, work_s, makespan_s, jct_mean_s, slowdown_max;
};

/* Which run it is. */
struct summary_id {
  const char *policy; /* as typed, without options */
  const struct hsim_option *options;
  const struct hsim_value *values; /* [n_options] in the order of `options` */
  int n_options;
  bool seeded; /* one of several seeds of its policy */
  uint64_t seed;
};

struct summary_run {
  struct summary_id id;
  enum hsim_mode mode;
  double round_s; /* null in event mode */
  double until_s; /* infinity: no such key */
  const struct semantics *semantics;
  const struct costs *costs;
  unsigned oracle;              /* HSIM_KNOWS_... */
  int n_jobs;                   /* of the trace */
  int measure_from, measure_to; /* 0, n_jobs: all */
  bool interrupted;             /* by the user: the figures are those until then */
  const struct hsim_cluster *cluster;
  const struct figures *figures;
  enum group_key by;          /* GROUP_NONE: no object `by` */
  const struct group *groups; /* [n_groups] */
  size_t n_groups;
  const struct summary_bound *bound; /* NULL: no such object */
  const struct summary_pair *stats;  /* the policy's own figures */
  size_t n_stats;
  const struct summary_pair *timing; /* wall-clock figures; n_timing 0: no such object */
  size_t n_timing;
};

struct summary_document {
  const char *version; /* of hsim */
  const struct trace *trace;
  const struct cluster *cluster;
  const struct rates *rates;
  uint64_t seed;
  const uint64_t *seeds; /* [n_seeds] of repeated runs, NULL when there are none */
  size_t n_seeds;
  const char *input;             /* text of an object of input options; NULL: none */
  const struct outages *outages; /* NULL, or none of its kinds: no such object */
  const char *const *runs;       /* texts of the two functions below */
  size_t n_runs;
  const char *comparison; /* text of the runs' rows, or NULL */
};

/* The texts are the caller's to free; they end without a newline. */
char *summary_run_text(const struct summary_run *run);
char *summary_failed_text(const struct summary_id *id, const char *error);
char *summary_document_text(const struct summary_document *document);

/* The members that a run and a group of its jobs have in common. */
void summary_add_jobs(cJSON *object, const struct figures *figures);
void summary_add_job_figures(cJSON *object, const struct figures *figures);

/* The object `by` of a run, and its table for people; nothing when no run has it. */
cJSON *summary_by_item(const struct summary_run *run);
void summary_by_table(const cJSON *document, const cJSON *rows, FILE *out);

/* The figures of a bound as an object. */
cJSON *summary_bound_item(const struct summary_bound *bound);
/* The object `bound` of a run: these and the distances of its figures in percent, which are null
 * unless all jobs that can run have finished and none is left out by a window. */
cJSON *summary_run_bound_item(const struct summary_run *run);
/* Lines on the distances of the comparison's rows; nothing when no run has a bound. */
void summary_bound_table(const cJSON *document, const cJSON *rows, FILE *out);

/* The table, from a parsed document. At most 110 columns wide. */
void summary_table(const cJSON *document, FILE *out);

/* Name of run i of a parsed document for people: its policy, and the options in which it differs
 * from other runs of the same policy. To be freed. */
char *summary_label(const cJSON *document, int i);

#endif
