/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What repeated runs say of a figure: mean, spread, and how sure the mean is. */
#ifndef HSIM_OUTPUT_STATISTICS_H
#define HSIM_OUTPUT_STATISTICS_H

#include <stddef.h>

/* Of n values. What does not exist is NaN: everything for n = 0, all but the mean for n = 1. */
struct statistics {
  size_t n;
  double mean;
  double sd;        /* standard deviation of the sample, n - 1 in the divisor */
  double low, high; /* 95 % confidence interval of the mean: mean -+ t * sd / sqrt(n), t being
                       Student's quantile for 0.975 and n - 1 degrees of freedom */
};

/* Summed in the order given. No NaNs. */
struct statistics statistics_of(const double *values, size_t n);

/*
 * Of the ratios a[i] / b[i] of n pairs: mean is the geometric one, so that A to B and B to A agree;
 * low and high come from the logarithms' interval; sd is NaN. n = 0 when a value is not above 0.
 */
struct statistics statistics_of_ratios(const double *a, const double *b, size_t n);

#endif
