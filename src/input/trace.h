/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a job trace. The format is recognised from the first line that is not blank:
 *
 *   native  CSV with a header: job_id, arrival_s, model, workers, steps or duration_s, ...
 *   philly  CSV with the header timestamp,duration,num_gpus,gpu_time,cluster (Microsoft Philly
 *           2017, Jeon et al., USENIX ATC'19, as published with Qiao et al., Pollux, OSDI'21)
 *   gavel   tab-separated lines of 7, 10 (Narayanan et al., Gavel, OSDI'20) or 12 columns (Zheng et
 *           al., Shockwave, NSDI'23)
 */
#ifndef HSIM_INPUT_TRACE_H
#define HSIM_INPUT_TRACE_H

#include "hsim/types.h"
#include "input/elastic.h"
#include "input/trace_select.h"
#include "model/rates.h"
#include "model/trace.h"

/* Which model a job gets when its trace names none. */
enum assign_rule {
  /* By GPU-hours = workers * duration / 3600: up to 1 "ResNet-18 (batch size 128)"; up to 10
   * "CycleGAN" for one worker, else the ResNet-18; up to 60 a coin between "LM (batch size 20)" and
   * "Transformer (batch size 64)"; above "ResNet-50 (batch size 64)". When that one cannot run at
   * the job's size on any GPU type of the cluster: as ASSIGN_UNIFORM. */
  ASSIGN_HADAR,
  /* Uniform over the models that can run at the job's size on a GPU type of the cluster. */
  ASSIGN_UNIFORM
};

struct trace_options {
  const char *file;   /* path, or "-" */
  const char *format; /* NULL: from the content; else native, philly or gavel */
  bool skip_bad_rows; /* else the first one is an error */
  void (*warn)(void *state, const char *message); /* the first bad rows and their count; or NULL */
  void *warn_state;
  void (*bad_row)(void *state, const char *message); /* every bad row that is skipped; or NULL */
  void *bad_row_state;
  enum assign_rule assign;
  const char *reference; /* GPU type of durations; NULL: v100, which need not exist unused */
  struct elastic_range elastic;
  struct trace_selection selection;
  int limit;   /* > 0: only the first jobs in arrival order, after the selection */
  bool rebase; /* the first arrival becomes 0; deadlines move along */
  uint64_t seed;
};

/* Defaults of everything but the file. */
struct trace_options trace_options_default(const char *file);

/* `oracle` gives the rates, the cluster whose type numbers the jobs' gpu_types use, and the rule
 * for sizes without a row; it need not outlive the call. On failure *trace is empty. The trace is
 * freed with trace_free. */
enum hsim_status trace_read(const struct trace_options *options, const struct hsim_oracle *oracle,
                            struct trace *trace, struct hsim_error *error);

#endif
