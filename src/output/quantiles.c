/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/quantiles.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double nearest_rank(const double *sorted, size_t n, size_t percent) {
  size_t rank = (percent * n + 99) / 100; /* ceil, in whole numbers: no rounding decides */
  return sorted[rank == 0 ? 0 : rank - 1];
}

struct quantiles quantiles_of(double *values, size_t n) {
  if (n == 0)
    return (struct quantiles){0, NAN, NAN, NAN, NAN, NAN};
  double sum = 0.0;
  for (size_t i = 0; i < n; i++)
    sum += values[i];
  qsort(values, n, sizeof *values, by_value);
  return (struct quantiles){.n = n,
                            .mean = sum / (double)n,
                            .p50 = nearest_rank(values, n, 50),
                            .p90 = nearest_rank(values, n, 90),
                            .p99 = nearest_rank(values, n, 99),
                            .max = values[n - 1]};
}
