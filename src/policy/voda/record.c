/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speedups and remaining time from finished epochs. */
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/voda/tables.h"

void voda_record_init(struct voda_record *record, bool literal, int max, double epochs,
                      double one_s) {
  size_t n = (size_t)max;
  *record = (struct voda_record){
      .literal = literal, .max = max, .epochs = epochs, .one_s = literal ? 1 : one_s};
  record->left_s = epochs * record->one_s;
  record->speedup = mem_alloc(n + 2, sizeof *record->speedup);
  record->seen = mem_zero(n + 1, sizeof *record->seen);
  for (size_t k = 0; k <= n; k++)
    record->speedup[k] = (double)k;
  record->speedup[n + 1] = record->speedup[n];
}

void voda_record_free(struct voda_record *record) {
  free(record->speedup);
  free(record->seen);
  free(record->rows);
  *record = (struct voda_record){0};
}

void voda_record_add(struct voda_record *record, int workers, double n, double first_s,
                     double epoch_s) {
  if (record->n_rows == record->rows_capacity)
    record->rows =
        mem_grow(record->rows, record->n_rows + 1, &record->rows_capacity, sizeof *record->rows);
  record->rows[record->n_rows++] = (struct voda_rows){workers, n, first_s, epoch_s};
}

/* Moves the epochs that finished up to t into the sums. */
static bool take_rows(struct voda_record *record, double t) {
  size_t left = 0;
  bool any = false;
  for (size_t i = 0; i < record->n_rows; i++) {
    struct voda_rows rows = record->rows[i];
    double n = rows.first_s > t ? 0 : fmin(rows.n, floor((t - rows.first_s) / rows.epoch_s) + 1);
    if (n > 0) {
      record->seen[rows.workers].epochs += n;
      record->seen[rows.workers].seconds += n * rows.epoch_s;
      record->done += n;
      any = true;
    }
    rows.n -= n;
    rows.first_s += n * rows.epoch_s;
    if (rows.n > 0)
      record->rows[left++] = rows;
  }
  record->n_rows = left;
  return any;
}

static double mean_s(const struct voda_seen *seen) {
  return seen->seconds / seen->epochs;
}

/* The published collector. It skips a job whose last epoch's index it has seen before, and takes
 * the first index, 0, for seen. What was not measured keeps the prior's 1 second. */
static void compute_literal(struct voda_record *record) {
  if (record->done < 2)
    return;
  record->one_s = record->seen[1].epochs > 0 ? mean_s(&record->seen[1]) : 1;
  for (int k = 1; k <= record->max; k++) {
    double epoch_s = record->seen[k].epochs > 0 ? mean_s(&record->seen[k]) : 1;
    record->speedup[k] = record->one_s / epoch_s;
  }
  record->left_s = record->one_s * fmax(record->epochs - record->done, 0);
}

/* Epochs per second: measured, linear between measured neighbours (0 workers do 0), and beyond the
 * largest one at the gain of the last stretch. */
static void compute_learnt(struct voda_record *record) {
  int below = 0;
  double *speed = record->speedup, slope = 0;
  for (int k = 1; k <= record->max; k++) {
    if (record->seen[k].epochs <= 0)
      continue;
    speed[k] = 1 / mean_s(&record->seen[k]);
    slope = (speed[k] - speed[below]) / (k - below);
    for (int i = below + 1; i < k; i++)
      speed[i] = speed[below] + slope * (i - below);
    below = k;
  }
  for (int k = below + 1; k <= record->max; k++)
    speed[k] = speed[below] + fmax(slope, 0) * (k - below);
  double one = speed[1];
  for (int k = 1; k <= record->max; k++)
    speed[k] /= one;
  record->one_s = 1 / one;
  record->left_s = record->one_s * fmax(record->epochs - record->done, 0);
}

void voda_record_collect(struct voda_record *record, double t) {
  if (!take_rows(record, t))
    return;
  if (record->literal)
    compute_literal(record);
  else
    compute_learnt(record);
  record->speedup[record->max + 1] = record->speedup[record->max];
}
