/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sort.h"

#include <stdlib.h>

static int by_gpu(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int by_bay(const void *a, const void *b) {
  const struct hsim_share *x = a, *y = b;
  return (x->bay > y->bay) - (x->bay < y->bay);
}

void sort_gpus(int *gpus, size_t n) {
  for (size_t i = 1; i < n; i++) {
    if (gpus[i - 1] <= gpus[i])
      continue;
    qsort(gpus, n, sizeof *gpus, by_gpu);
    return;
  }
}

void sort_shares(struct hsim_share *shares, size_t n) {
  for (size_t i = 1; i < n; i++) {
    if (shares[i - 1].bay <= shares[i].bay)
      continue;
    qsort(shares, n, sizeof *shares, by_bay);
    return;
  }
}
