/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

/* Of larger bays only what they can hold is a row: the others are many, and cut off little. */
enum { CUT_ROOM_MAX = 16 };

void themis_linear_init(struct themis_linear *linear) {
  *linear = (struct themis_linear){.lp = lp_create()};
  lp_cuts(linear->lp, true);
}

void themis_linear_free(struct themis_linear *linear) {
  lp_destroy(linear->lp);
  free(linear->first);
  free(linear->column);
  free(linear->sum);
  free(linear->bay_at);
  free(linear->most);
  free(linear->taken);
  free(linear->cut_at);
  free(linear->cut);
}

void themis_linear_begin(struct themis_linear *linear, const struct themis_program *program) {
  linear->first = mem_grow(linear->first, (size_t)program->n, &linear->first_capacity, sizeof(int));
  linear->n_rows = 0;
  for (int i = 0; i < program->n; i++) {
    linear->first[i] = linear->n_rows;
    linear->n_rows += program->tables[i].n;
  }
  size_t rows = (size_t)linear->n_rows;
  linear->column = mem_grow(linear->column, rows, &linear->column_capacity, sizeof(int));
  linear->sum = mem_grow(linear->sum, rows, &linear->sum_capacity, sizeof(int));
}

/* ---- Columns ---- */

static bool fits_offer(const struct themis_program *program, const struct themis_table *table,
                       const struct themis_row *row) {
  for (int p = row->first; p < row->first + row->n; p++)
    if (table->parts[p].gpus > program->room[table->parts[p].bay])
      return false;
  return true;
}

static void number_columns(struct themis_linear *linear, const struct themis_program *program,
                           const bool *kept) {
  linear->n_columns = 0;
  for (int i = 0; i < program->n; i++)
    for (int b = 0; b < program->tables[i].n; b++) {
      int j = linear->first[i] + b;
      bool keep = (kept == NULL || kept[j]) &&
                  fits_offer(program, &program->tables[i], &program->tables[i].rows[b]);
      linear->column[j] = keep ? linear->n_columns++ : -1;
      linear->sum[j] = -1;
    }
}

/* Groups of at least two kept rows that are worth the same. Returns how many. */
static int number_sums(struct themis_linear *linear, const struct themis_program *program) {
  int n = 0;
  for (int i = 0; i < program->n; i++) {
    const struct themis_table *table = &program->tables[i];
    const int *column = &linear->column[linear->first[i]];
    int *sum = &linear->sum[linear->first[i]];
    for (int a = 0; a < table->n; a++) {
      bool open = column[a] >= 0 && sum[a] < 0, found = false;
      for (int b = a + 1; b < table->n && open; b++)
        if (column[b] >= 0 && sum[b] < 0 &&
            fabs(table->rows[b].log_value - table->rows[a].log_value) <= 1e-12) {
          sum[b] = linear->n_columns;
          found = true;
        }
      if (found) {
        sum[a] = linear->n_columns++;
        n++;
      }
    }
  }
  return n;
}

/* ---- Rows of a bay ---- */

/* The largest whole number below (k + 1) gpus / room. */
static int rounded(int k, int room, int gpus) {
  return gpus == 0 ? 0 : ((k + 1) * gpus - 1) / room;
}

/* Which sizes are asked for, and how many participants ask for so many at most. */
static void count_sizes(struct themis_linear *linear, const struct themis_program *program) {
  size_t bays = (size_t)program->n_bays, all = 0;
  linear->bay_at = mem_grow(linear->bay_at, bays + 1, &linear->bay_capacity, sizeof(int));
  for (size_t bay = 0; bay < bays; bay++) {
    linear->bay_at[bay] = (int)all;
    all += (size_t)program->room[bay] + 1;
  }
  linear->most = mem_grow(linear->most, all, &linear->most_capacity, sizeof(int));
  linear->taken = mem_grow(linear->taken, all, &linear->taken_capacity, sizeof(bool));
  memset(linear->most, 0, all * sizeof *linear->most);
  memset(linear->taken, 0, all * sizeof *linear->taken);
  int *largest = mem_zero(bays, sizeof *largest); /* of one participant */
  for (int i = 0; i < program->n; i++) {
    const struct themis_table *table = &program->tables[i];
    for (int b = 0; b < table->n; b++)
      for (int p = 0; p < table->rows[b].n && linear->column[linear->first[i] + b] >= 0; p++) {
        const struct hsim_share *part = &table->parts[table->rows[b].first + p];
        linear->taken[linear->bay_at[part->bay] + part->gpus] = true;
        if (part->gpus > largest[part->bay]) {
          linear->most[linear->bay_at[part->bay] + largest[part->bay]]--;
          linear->most[linear->bay_at[part->bay] + part->gpus]++;
          largest[part->bay] = part->gpus;
        }
      }
    memset(largest, 0, bays * sizeof *largest);
  }
  free(largest);
}

/* More than k could come together. */
static bool can_bind(const int *most, int room, int k) {
  int sum = 0;
  for (int gpus = 1; gpus <= room; gpus++)
    sum += most[gpus] * rounded(k, room, gpus);
  return sum > k;
}

/* f_other / other >= f_k / k for all sizes; of equal rows the smaller k implies. */
static bool implies(const bool *taken, int room, int other, int k) {
  bool equal = true;
  for (int gpus = 1; gpus <= room; gpus++) {
    int difference =
        taken[gpus] ? rounded(other, room, gpus) * k - rounded(k, room, gpus) * other : 0;
    if (difference < 0)
      return false;
    equal = equal && difference == 0;
  }
  return !equal || other < k;
}

static bool is_needed(const struct themis_linear *linear, int bay, int room, int k) {
  if (!can_bind(&linear->most[linear->bay_at[bay]], room, k))
    return false;
  for (int other = room > CUT_ROOM_MAX ? room : 1; other <= room; other++)
    if (other != k && implies(&linear->taken[linear->bay_at[bay]], room, other, k))
      return false;
  return true;
}

static int list_cuts(struct themis_linear *linear, const struct themis_program *program) {
  size_t n = 0, bays = (size_t)program->n_bays;
  linear->cut_at = mem_grow(linear->cut_at, bays + 1, &linear->cut_at_capacity, sizeof(int));
  for (int bay = 0; bay < program->n_bays; bay++) {
    int room = program->room[bay];
    linear->cut_at[bay] = (int)n;
    for (int k = room > CUT_ROOM_MAX ? room : 1; k <= room; k++)
      if (is_needed(linear, bay, room, k)) {
        linear->cut = mem_grow(linear->cut, n + 1, &linear->cut_capacity, sizeof(int));
        linear->cut[n++] = k;
      }
  }
  linear->cut_at[bays] = (int)n;
  return (int)n;
}

/* ---- The program ---- */

static void load_row(struct themis_linear *linear, const struct themis_program *program, int i,
                     int b, bool whole) {
  const struct themis_table *table = &program->tables[i];
  const struct themis_row *row = &table->rows[b];
  int column = linear->column[linear->first[i] + b];
  lp_column(linear->lp, column, 0, 1);
  lp_cost(linear->lp, column, row->log_value - table->empty_log);
  lp_entry(linear->lp, i, column, 1);
  if (whole)
    lp_integer(linear->lp, column);
  for (int p = row->first; p < row->first + row->n; p++) {
    int bay = table->parts[p].bay;
    for (int cut = linear->cut_at[bay]; cut < linear->cut_at[bay + 1]; cut++) {
      int part = rounded(linear->cut[cut], program->room[bay], table->parts[p].gpus);
      if (part > 0)
        lp_entry(linear->lp, program->n + cut, column, part);
    }
  }
}

/* The sums follow the rows' columns, their definitions the cuts. */
static void load_sums(struct themis_linear *linear, int n_sums, int first_row) {
  int first_sum = linear->n_columns - n_sums;
  for (int s = 0; s < n_sums; s++) {
    lp_row(linear->lp, first_row + s, 0, 0);
    lp_column(linear->lp, first_sum + s, 0, 1);
    lp_integer(linear->lp, first_sum + s);
    lp_split_first(linear->lp, first_sum + s);
    lp_entry(linear->lp, first_row + s, first_sum + s, -1);
  }
  for (int j = 0; j < linear->n_rows; j++)
    if (linear->sum[j] >= 0)
      lp_entry(linear->lp, first_row + linear->sum[j] - first_sum, linear->column[j], 1);
}

void themis_linear_load(struct themis_linear *linear, const struct themis_program *program,
                        const bool *kept, bool whole) {
  number_columns(linear, program, kept);
  int n_sums = whole ? number_sums(linear, program) : 0;
  count_sizes(linear, program);
  int n_cuts = list_cuts(linear, program);
  lp_begin(linear->lp, program->n + n_cuts + n_sums, linear->n_columns, LP_MAXIMISE);
  for (int i = 0; i < program->n; i++) {
    bool some = false;
    for (int b = 0; b < program->tables[i].n; b++)
      if (linear->column[linear->first[i] + b] >= 0) {
        load_row(linear, program, i, b, whole);
        some = true;
      }
    bool forced = some && program->forced != NULL && program->forced[i];
    lp_row(linear->lp, i, forced ? 1 : 0, 1);
  }
  for (int cut = 0; cut < n_cuts; cut++)
    lp_row(linear->lp, program->n + cut, 0, linear->cut[cut]);
  load_sums(linear, n_sums, program->n + n_cuts);
}

double themis_linear_part(const struct themis_linear *linear, int row) {
  return linear->column[row] >= 0 ? lp_value(linear->lp, linear->column[row]) : 0;
}

void themis_linear_known(struct themis_linear *linear, const struct themis_program *program,
                         const int *row) {
  double *values = mem_zero((size_t)linear->n_columns, sizeof *values);
  for (int i = 0; i < program->n; i++) {
    if (row[i] < 0)
      continue;
    int j = linear->first[i] + row[i];
    values[linear->column[j]] = 1;
    if (linear->sum[j] >= 0)
      values[linear->sum[j]] = 1;
  }
  lp_known(linear->lp, values);
  free(values);
}
