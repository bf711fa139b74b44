/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The FfDL optimizer: over the admitted jobs, the shares with the largest sum of speedups, by
 * dynamic programming over jobs and GPUs.
 *
 * Row j of the table is asked only for numbers of GPUs that later jobs can leave: at least all
 * GPUs less their maxima, at most all less their minima. The rest is not computed.
 */
#include <math.h>

#include "model/memory.h"
#include "policy/voda/allocate.h"

/* The published program's value of what is not feasible. */
static const double AS_CODED_INFEASIBLE = -10000;

static int admit(struct voda_allocator *allocator, const struct voda_list *list,
                 const struct voda_rules *rules, int gpus) {
  size_t count = (size_t)list->n;
  if (count > allocator->list_capacity)
    allocator->list =
        mem_grow(allocator->list, count, &allocator->list_capacity, sizeof *allocator->list);
  int n = 0, left = gpus;
  for (int i = 0; i < list->n && left > 0; i++) {
    int least = rules->as_coded ? 1 : list->at[i]->min;
    if (least <= left) {
      allocator->list[n++] = list->at[i];
      left -= least;
    } else if (!rules->ffdl_skip) {
      break;
    }
  }
  return n;
}

static void reserve(struct voda_allocator *allocator, int n, int gpus) {
  size_t width = (size_t)gpus + 1;
  if (2 * width > allocator->sums_capacity)
    allocator->sums =
        mem_grow(allocator->sums, 2 * width, &allocator->sums_capacity, sizeof *allocator->sums);
  if ((size_t)n * width > allocator->shares_capacity)
    allocator->shares = mem_grow(allocator->shares, (size_t)n * width, &allocator->shares_capacity,
                                 sizeof *allocator->shares);
}

struct row {
  const double *before; /* best sum of the jobs before, by GPUs */
  int before_min;       /* GPUs that they need */
  double *best;
  int *share;
  int low, high; /* GPUs that are asked for */
};

static double add(double a, double b, bool as_coded) {
  return as_coded ? (double)((float)a + (float)b) : a + b;
}

/* The smallest share of those with the largest sum, for each number of GPUs. As coded in single
 * precision, from 1 worker up, and what is not feasible is no more than a low sum. */
static void fill(const struct voda_job *job, const struct row *row, bool as_coded) {
  int least = as_coded ? 1 : job->min;
  double tie = as_coded ? 0 : VODA_TIE, infeasible = as_coded ? AS_CODED_INFEASIBLE : -INFINITY;
  for (int k = row->low; k <= row->high; k++) {
    int most = k - row->before_min, share = 0;
    if (most > job->max)
      most = job->max;
    double best = infeasible;
    for (int g = least; g <= most; g++) {
      double sum = add(job->speedup[g], row->before[k - g], as_coded);
      if (sum > best + tie) {
        best = sum;
        share = g;
      }
    }
    row->best[k] = best;
    row->share[k] = share;
  }
}

/* Sums of the minima and maxima of the jobs that are still to come. As coded a minimum is 0. */
struct rest {
  long long min, max;
};

static struct rest rest_of(struct voda_job *const *jobs, int n, bool as_coded) {
  struct rest rest = {0};
  for (int j = 0; j < n; j++) {
    rest.min += as_coded ? 0 : jobs[j]->min;
    rest.max += jobs[j]->max;
  }
  return rest;
}

/* Fills the table; returns the best sum over all jobs. */
static double fill_all(struct voda_allocator *allocator, int n, bool as_coded, int gpus) {
  struct voda_job **jobs = allocator->list;
  size_t width = (size_t)gpus + 1;
  double *before = allocator->sums, *best = allocator->sums + width;
  for (size_t k = 0; k < width; k++)
    before[k] = 0;
  struct rest later = rest_of(jobs, n, as_coded);
  int before_min = 0;
  for (int j = 0; j < n; j++) {
    int min = as_coded ? 0 : jobs[j]->min;
    later.min -= min;
    later.max -= jobs[j]->max;
    struct row row = {.before = before,
                      .before_min = before_min,
                      .best = best,
                      .share = allocator->shares + (size_t)j * width,
                      .low = later.max < gpus ? gpus - (int)later.max : 0,
                      .high = gpus - (int)later.min};
    fill(jobs[j], &row, as_coded);
    before_min += min;
    best = before;
    before = row.best;
  }
  return before[gpus];
}

bool voda_ffdl(struct voda_allocator *allocator, const struct voda_list *list,
               const struct voda_rules *rules, int gpus) {
  int n = admit(allocator, list, rules, gpus);
  if (n == 0)
    return true;
  reserve(allocator, n, gpus);
  if (fill_all(allocator, n, rules->as_coded, gpus) <= 0 && rules->as_coded)
    return false;
  for (int j = n - 1, k = gpus; j >= 0; j--) {
    struct voda_job *job = allocator->list[j];
    job->got = allocator->shares[(size_t)j * ((size_t)gpus + 1) + (size_t)k];
    k -= job->got;
  }
  return true;
}
