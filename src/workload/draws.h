/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random draws of a workload: GSL's distributions over hsim's own random numbers. */
#ifndef HSIM_WORKLOAD_DRAWS_H
#define HSIM_WORKLOAD_DRAWS_H

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "workload/workload.h"

/* The stream of a purpose; freed with gsl_rng_free. */
gsl_rng *draws_stream(uint64_t seed, const char *purpose);

/* Arrival times one after the other. */
struct arrival_process {
  const struct arrivals *arrivals;
  gsl_rng *rng;
  double now;
  unsigned left_in_burst;
  bool begun;
};
struct arrival_process arrivals_begin(const struct arrivals *arrivals, uint64_t seed);
double arrivals_next(struct arrival_process *process); /* rounded to milliseconds */
void arrivals_end(struct arrival_process *process);

/* NaN: a thousand draws in a row lay outside least..most. Rounded to milliseconds. */
double draw_duration(const struct durations *durations, gsl_rng *rng);

/* Values by weight; freed with gsl_ran_discrete_free. `mix` is not empty. */
gsl_ran_discrete_t *draws_prepare(const struct mix *mix);

double to_milliseconds(double seconds);

#endif
