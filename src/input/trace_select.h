/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part of a trace: a window of arrivals, tenants, a random sample; arrivals closer together or
 * further apart; noise. Steps after reading: models have been assigned by then, so that a job's
 * model does not depend on which part of its trace it is in.
 */
#ifndef HSIM_INPUT_TRACE_SELECT_H
#define HSIM_INPUT_TRACE_SELECT_H

#include "hsim/types.h"
#include "model/trace.h"

struct trace_selection {
  double from_s, to_s;        /* jobs with from_s <= arrival < to_s, on the file's clock */
  const char *const *tenants; /* only jobs of one of these; NULL: of all */
  size_t n_tenants;
  int sample;            /* > 0: so many of the jobs that are left, each as likely, order kept */
  double scale_arrivals; /* > 0: times after the first arrival that is left, times this */
  double shake;          /* 0 to below 1: noise on gaps between arrivals and on work */
};

/* Everything: what a selection is without options. */
struct trace_selection trace_selection_all(void);

/*
 * Leaves the jobs of the window, then of the tenants, then the sample. `jobs` are in arrival order
 * and stay so. Random draws come from the stream "sample" of the seed. HSIM_BAD_USAGE, naming the
 * option, when no job is left, a tenant is not in the trace, or the sample is larger than what is
 * left.
 */
enum hsim_status trace_select(struct trace *trace, const struct trace_selection *selection,
                              uint64_t seed, struct hsim_error *error);

/* arrival = first + factor * (arrival - first); a deadline keeps its distance from the arrival.
 * HSIM_BAD_USAGE when that goes beyond what hsim's clock can tell. */
enum hsim_status trace_scale(struct trace *trace, double factor, struct hsim_error *error);

/*
 * Input shaking (Tsafrir, Ouaknine and Feitelson, MASCOTS 2007): whether a result hangs on details
 * of one log shows when these are changed a little. Each gap between two arrivals and each job's
 * work (its steps, or its duration before it became steps, with the steps of its phases) is
 * multiplied by a number of its own, uniform from 1 - shake to 1 + shake; two draws a job from the
 * stream "shake" of the seed. The first arrival and the order stay; a deadline keeps its distance
 * from the arrival. HSIM_BAD_USAGE as trace_scale.
 */
enum hsim_status trace_shake(struct trace *trace, double shake, uint64_t seed,
                             struct hsim_error *error);

#endif
