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

struct trace {
  struct hsim_job *jobs; /* [n_jobs], sorted */
  int n_jobs;
  struct names tenants;
  struct names apps;
  struct arena texts; /* ids and phases */

  char *file;          /* as given */
  char sha256[65];     /* of the bytes read (the compressed ones for .gz) */
  const char *format;  /* static name of the reader */
  int rows;            /* data rows in the file */
  int skipped_rows;    /* bad rows under --on-bad-row skip */
  double gpu_s;        /* GPU-seconds of work on the reference type (a job that cannot run there: on
                          its fastest), one-node rates */
  int derived_rates;   /* jobs whose steps or rate come from a derived table cell */
  int other_reference; /* jobs whose duration was turned into steps on another type than the
                          reference, since they cannot run there */
  int not_modelled;    /* rows with a feature that hsim reads but does not model (batch modes) */
  const char *assigned; /* rule that gave the models, NULL when the trace names them */
};

void trace_free(struct trace *trace);

#endif
