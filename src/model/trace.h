/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace in memory: jobs in arrival order (arrival, then row), and what its reader found.
 * Readers make it (src/input/trace.h); nothing changes it afterwards.
 */
#ifndef HSIM_MODEL_TRACE_H
#define HSIM_MODEL_TRACE_H

#include "hsim/types.h"
#include "model/memory.h"
#include "model/names.h"

/* What its reader did with rows, and with how many: left out for one reason, or loaded in spite of
 * something. In the order in which it first happened. */
struct trace_count {
  const char *what; /* static, a few words: "no GPUs" */
  int n;
  bool skipped; /* the rows are no jobs; the n of these add up to skipped_rows */
};
enum { TRACE_MOST_COUNTS = 16 };
#define TRACE_BAD_ROWS "bad rows" /* `what` of those of --on-bad-row skip, whatever is wrong */

/* The latest and the longest time of a trace, in seconds: a double still tells milliseconds apart.
 */
#define TRACE_LATEST_S 1e12

struct trace {
  struct hsim_job *jobs; /* [n_jobs], sorted */
  int n_jobs;
  struct names tenants;
  struct names apps;
  struct arena texts; /* ids and phases */

  char *file;         /* as given */
  char sha256[65];    /* of the bytes read (the compressed ones for .gz) */
  const char *format; /* static name of the reader */
  const char *unit;   /* of its times, where the file does not state it, else NULL: "minutes" */
  int rows;           /* data rows in the file = jobs before --limit + skipped_rows */
  int skipped_rows;   /* bad rows under --on-bad-row skip, and rows that are no jobs */
  struct trace_count counts[TRACE_MOST_COUNTS];
  int n_counts;
  double gpu_s;        /* GPU-seconds of work on the reference type (a job that cannot run there: on
                          its fastest), one-node rates */
  int derived_rates;   /* jobs whose steps or rate come from a derived table cell */
  int other_reference; /* jobs whose duration was turned into steps on another type than the
                          reference, since they cannot run there */
  int not_modelled;    /* rows with a feature that hsim reads but does not model (batch modes) */
  double shake;        /* noise that arrivals and work were given, 0: none */
  const char *assigned; /* rule that gave the models, NULL when the trace names them */
};

void trace_free(struct trace *trace);

#endif
