/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a trace in one of the formats that hsim reads: its own CSV, the 10 columns of Gavel
 * (Narayanan et al., OSDI'20), and the Standard Workload Format, version 2.2 (Chapin et al.,
 * JSSPP'99). What the format has no place for is counted, so that it can be told.
 */
#ifndef HSIM_OUTPUT_TRACE_WRITE_H
#define HSIM_OUTPUT_TRACE_WRITE_H

#include "model/trace.h"
#include "output/atomic_file.h"

enum trace_target { TARGET_NATIVE, TARGET_GAVEL, TARGET_SWF, N_TARGETS };
extern const char *const trace_target_names[N_TARGETS];

/* What may be lost. */
enum trace_loss {
  LOSS_ID,        /* another one stands there */
  LOSS_STEPS,     /* not whole: cut, but at least 1 */
  LOSS_SECONDS,   /* times that are not whole: rounded; a duration is at least 1 */
  LOSS_MODEL,     /* a number stands for it, its name in a comment */
  LOSS_ELASTIC,   /* a range other than 1 to `workers` */
  LOSS_GPU_TYPES, /* restricted to some types */
  LOSS_PHASES,
  LOSS_WEIGHT, /* other than 1 */
  LOSS_PRIORITY,
  LOSS_TENANT, /* in SWF as models */
  LOSS_APP,    /* in SWF as models */
  LOSS_EPOCHS,
  LOSS_DEADLINE,
  LOSS_ESTIMATE,
  N_LOSSES
};

struct trace_to_write {
  const struct trace *trace;
  const struct names *models;         /* hsim_job.model's names; the job's -1: no model */
  const struct hsim_cluster *cluster; /* names of gpu_types; NULL: no job is restricted */
  const double *durations_s; /* [n_jobs] seconds on the reference type. Native: NULL writes steps.
                                SWF needs them, Gavel's columns do not use them */
};

/* The losses are counted in jobs. Errors of writing are kept in `out`. HSIM_BAD_INPUT: what
 * the format cannot hold in any way (a tab or line end in a model's name and steps of 2^63 or more,
 * for Gavel; times over 1e12 s, for SWF); nothing is written then. */
enum hsim_status trace_write(const struct trace_to_write *from, enum trace_target target,
                             struct out *out, int losses[N_LOSSES], struct hsim_error *error);

/* Of a loss, for people: "ids: lines are numbered from 0 instead". */
const char *trace_loss_text(enum trace_target target, enum trace_loss loss);

/* The parts, one a file (trace_write_*.c). */
void trace_write_native(const struct trace_to_write *from, struct out *out); /* loses nothing */
void trace_write_gavel(const struct trace_to_write *from, struct out *out, int losses[N_LOSSES]);
void trace_write_swf(const struct trace_to_write *from, struct out *out, int losses[N_LOSSES]);

/* Counts what neither Gavel's columns nor SWF have: range, types, phases, priority, epochs,
 * deadline; and tenant and app, which SWF has in its own way. */
void trace_write_count(const struct trace_to_write *from, const struct hsim_job *job,
                       int losses[N_LOSSES]);

#endif
