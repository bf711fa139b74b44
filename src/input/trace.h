/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a job trace. The format is recognised from the first line that is not blank; what each
 * holds, and where it comes from, is in docs/formats.md and beside its description
 * (trace_formats.c, trace_native.c, trace_gavel.c, trace_swf.c, trace_sacct.c, trace_philly_log.c).
 */
#ifndef HSIM_INPUT_TRACE_H
#define HSIM_INPUT_TRACE_H

#include "hsim/types.h"
#include "input/elastic.h"
#include "input/timestamp.h"
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

/* A job that asks for a part of a GPU: hsim gives whole ones. */
enum fractional_rule { FRACTIONAL_ERROR, FRACTIONAL_UP, FRACTIONAL_SKIP };

/* A log with several attempts a job: one job that does the work of all, or a job an attempt. */
enum attempts_rule { ATTEMPTS_SUM, ATTEMPTS_EACH };

/* Unit of times where the file does not state it. */
enum time_unit { UNIT_BY_FORMAT, UNIT_SECONDS, UNIT_MILLISECONDS, UNIT_MINUTES, UNIT_HOURS };

/* What a log leaves open, as the user settles it. All zero: the defaults. */
struct trace_reading {
  enum fractional_rule fractional;
  enum attempts_rule attempts;
  enum time_unit unit;   /* bad usage with a format that states its own */
  struct time_zone zone; /* of dates and times that name none */
};

/* Sets one of them by the name of its option: time-unit, time-zone, repeated-hour, fractional,
 * attempts. Fails with HSIM_BAD_USAGE. */
enum hsim_status trace_reading_set(struct trace_reading *reading, const char *option,
                                   const char *value, struct hsim_error *error);

struct trace_options {
  const char *file;   /* path, or "-" */
  const char *format; /* NULL: from the content; else a trace_format_name */
  bool skip_bad_rows; /* else the first one is an error */
  void (*warn)(void *state, const char *message); /* the first bad rows and their count; or NULL */
  void *warn_state;
  void (*bad_row)(void *state, const char *message); /* every bad row that is skipped; or NULL */
  void *bad_row_state;
  enum assign_rule assign;
  const char *reference; /* GPU type of durations; NULL: v100, which need not exist unused */
  struct elastic_range elastic;
  struct trace_reading reading;
  struct trace_selection selection;
  int limit;   /* > 0: only the first jobs in arrival order, after the selection */
  bool rebase; /* the first arrival becomes 0; deadlines move along */
  uint64_t seed;
};

/* Format i by name, NULL past the last. */
const char *trace_format_name(int i);

/* Defaults of everything but the file. */
struct trace_options trace_options_default(const char *file);

/* `oracle` gives the rates, the cluster whose type numbers the jobs' gpu_types use, and the rule
 * for sizes without a row; it need not outlive the call. On failure *trace is empty. The trace is
 * freed with trace_free. */
enum hsim_status trace_read(const struct trace_options *options, const struct hsim_oracle *oracle,
                            struct trace *trace, struct hsim_error *error);

#endif
