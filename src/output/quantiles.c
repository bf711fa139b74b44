/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/quantiles.h"

#include <math.h>
#include <stddef.h>

/* Puts the value of rank k at k, smaller ones before and larger ones behind it, among values[first
 * ..last] (Hoare's selection as in Wirth, Algorithms + Data Structures): few ranks need no sort. */
static double select_rank(double *values, ptrdiff_t first, ptrdiff_t last, ptrdiff_t k) {
  while (first < last) {
    double pivot = values[k];
    ptrdiff_t i = first, j = last;
    while (i <= j) {
      while (values[i] < pivot)
        i++;
      while (values[j] > pivot)
        j--;
      if (i > j)
        break;
      double swap = values[i];
      values[i++] = values[j];
      values[j--] = swap;
    }
    if (j < k)
      first = i;
    if (k < i)
      last = j;
  }
  return values[k];
}

/* The smallest value with at least `percent` % of the values at or below it. */
static ptrdiff_t nearest_rank(size_t n, size_t percent) {
  size_t rank = (percent * n + 99) / 100; /* ceil, in whole numbers: no rounding decides */
  return rank == 0 ? 0 : (ptrdiff_t)rank - 1;
}

struct quantiles quantiles_of(double *values, size_t n) {
  if (n == 0)
    return (struct quantiles){0, NAN, NAN, NAN, NAN, NAN};
  double sum = 0.0, max = values[0];
  for (size_t i = 0; i < n; i++) {
    sum += values[i];
    max = values[i] > max ? values[i] : max;
  }
  ptrdiff_t last = (ptrdiff_t)n - 1, p50 = nearest_rank(n, 50), p90 = nearest_rank(n, 90);
  struct quantiles q = {.n = n, .mean = sum / (double)n, .max = max};
  q.p50 = select_rank(values, 0, last, p50);
  q.p90 = select_rank(values, p50, last, p90);
  q.p99 = select_rank(values, p90, last, nearest_rank(n, 99));
  return q;
}
