/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a bid table: which are kept, and in which order. */
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/themis/bids.h"
#include "policy/themis/bundle.h"

void themis_table_free(struct themis_table *table) {
  free(table->rows);
  free(table->parts);
}

void themis_table_begin(struct themis_table *table, double value_now) {
  table->n = 0;
  table->n_parts = 0;
  table->empty_value = value_now;
  table->floored = !(value_now > 0);
}

void themis_table_add(struct themis_table *table, const struct hsim_share *parts, int n,
                      double value) {
  table->rows =
      mem_grow(table->rows, (size_t)table->n + 1, &table->rows_capacity, sizeof *table->rows);
  table->parts = mem_grow(table->parts, table->n_parts + (size_t)n, &table->parts_capacity,
                          sizeof *table->parts);
  table->rows[table->n++] = (struct themis_row){.first = (int)table->n_parts,
                                                .n = n,
                                                .gpus = themis_bundle_gpus(parts, n),
                                                .value = value,
                                                .log_value = log(value)};
  for (int i = 0; i < n; i++)
    table->parts[table->n_parts++] = parts[i];
}

void themis_table_offer(struct themis_table *table, const struct hsim_share *parts, int n,
                        double value) {
  if (!(value > table->empty_value))
    return;
  int gpus = themis_bundle_gpus(parts, n);
  for (int i = 0; i < table->n; i++) {
    const struct themis_row *row = &table->rows[i];
    if (row->gpus <= gpus && row->value >= value &&
        themis_bundle_within(themis_row_parts(table, row), row->n, parts, n))
      return;
  }
  for (int i = 0; i < table->n; i++) {
    struct themis_row *row = &table->rows[i];
    row->dead = row->gpus >= gpus && row->value <= value &&
                themis_bundle_within(parts, n, themis_row_parts(table, row), row->n);
  }
  int kept = 0;
  for (int i = 0; i < table->n; i++)
    if (!table->rows[i].dead)
      table->rows[kept++] = table->rows[i];
  table->n = kept;
  themis_table_add(table, parts, n, value);
}

/* Fewer GPUs first, then the canonical order of bundles. */
static bool comes_before(const struct themis_table *table, const struct themis_row *a,
                         const struct themis_row *b) {
  if (a->gpus != b->gpus)
    return a->gpus < b->gpus;
  return themis_bundle_compare(themis_row_parts(table, a), a->n, themis_row_parts(table, b), b->n) <
         0;
}

void themis_table_finish(struct themis_table *table, double eta) {
  double smallest = INFINITY;
  for (int i = 0; i < table->n; i++) {
    struct themis_row row = table->rows[i];
    int at = i;
    for (; at > 0 && comes_before(table, &row, &table->rows[at - 1]); at--)
      table->rows[at] = table->rows[at - 1];
    table->rows[at] = row;
    smallest = fmin(smallest, row.value);
  }
  if (table->floored)
    table->empty_value = table->n > 0 ? eta * smallest : 1;
  table->empty_log = log(table->empty_value);
}
