/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/statistics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

struct statistics statistics_of(const double *values, size_t n) {
  struct statistics s = {.n = n, .mean = NAN, .sd = NAN, .low = NAN, .high = NAN};
  if (n == 0)
    return s;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    sum += values[i];
  s.mean = sum / (double)n;
  if (n == 1)
    return s;
  for (size_t i = 0; i < n; i++)
    squares += (values[i] - s.mean) * (values[i] - s.mean);
  double freedom = (double)(n - 1);
  s.sd = sqrt(squares / freedom);
  double half = gsl_cdf_tdist_Pinv(0.975, freedom) * s.sd / sqrt((double)n);
  s.low = s.mean - half;
  s.high = s.mean + half;
  return s;
}

struct statistics statistics_of_ratios(const double *a, const double *b, size_t n) {
  double *logarithms = mem_alloc(n, sizeof *logarithms);
  size_t good = 0;
  while (good < n && a[good] > 0 && b[good] > 0) {
    logarithms[good] = log(a[good] / b[good]);
    good++;
  }
  struct statistics s = statistics_of(logarithms, good == n ? n : 0);
  free(logarithms);
  s.mean = s.n == 1 ? a[0] / b[0] : exp(s.mean); /* NaN stays NaN */
  s.low = exp(s.low);
  s.high = exp(s.high);
  s.sd = NAN;
  return s;
}
