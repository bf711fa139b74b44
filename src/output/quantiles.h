/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mean and nearest-rank quantiles of a list: the p-quantile is the smallest value with at least
 * p percent of the values at or below it.
 */
#ifndef HSIM_OUTPUT_QUANTILES_H
#define HSIM_OUTPUT_QUANTILES_H

#include <stddef.h>

struct quantiles {
  size_t n;
  double mean, p50, p90, p99, max; /* NaN when n is 0 */
};

/* The mean is summed in the order given; the values are reordered in place. No NaNs. */
struct quantiles quantiles_of(double *values, size_t n);

#endif
