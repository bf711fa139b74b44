/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of the Standard Workload Format, version 2.2 (Chapin et al., JSSPP'99): comments that
 * begin with a semicolon, then 18 numbers a job, -1 where something is not known. A processor is a
 * GPU; users are tenants, groups apps, and executables models, whose names the comments give.
 */
#ifndef HSIM_OUTPUT_SWF_H
#define HSIM_OUTPUT_SWF_H

#include "model/trace.h"
#include "output/atomic_file.h"

/* What differs between what was asked for and what a run made of it. Whole seconds, -1: unknown. */
struct swf_times {
  double submit, wait, run;
  double processors; /* allocated */
  double cpu;        /* seconds in use of each of them, on average */
  int status;        /* 1 completed, 0 failed, 5 cancelled, -1 */
};

struct swf {
  const struct trace *trace;
  const struct names *models;
  struct out *out;
  bool ids_are_numbers; /* from 1, in at most 18 digits: they stay; else 1, 2, ... */
};

struct swf swf_begin(const struct trace *trace, const struct names *models, struct out *out);

/* The comments in their order: version and numbers of jobs, others of the caller, the names. */
void swf_head(const struct swf *swf);
void swf_comment(const struct swf *swf, const char *label, const char *text);
void swf_names(const struct swf *swf);

void swf_job(const struct swf *swf, int index, const struct swf_times *times);

#endif
