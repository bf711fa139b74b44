/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/voda/tables.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

static int largest_node(const struct hsim_cluster *cluster, int type) {
  int largest = 0;
  for (int b = 0; b < cluster->n_bays; b++)
    if (cluster->bays[b].type == type && cluster->bays[b].gpus > largest)
      largest = cluster->bays[b].gpus;
  return largest;
}

/* Whether a gang of k workers makes progress, in each phase that the job still has before it. */
static bool runs(const struct hsim_view *view, const struct hsim_active *active, int type, int k,
                 enum hsim_span span) {
  if (active->job->n_phases > 0)
    return isfinite(hsim_remaining_s(view, active, type, k, span));
  return hsim_rate_on(view->oracle, active, type, k, span) > 0;
}

static void find_range(struct voda_table *table, const struct hsim_view *view,
                       const struct hsim_active *active) {
  int type = table->type, most = view->cluster->type_gpus[type];
  int one_node = largest_node(view->cluster, type);
  if (most > table->asked_max)
    most = table->asked_max;
  for (int k = table->asked_min; k <= most; k++) {
    enum hsim_span span = k <= one_node ? HSIM_SPAN_NODE : HSIM_SPAN_CLUSTER;
    if (runs(view, active, type, k, span)) {
      table->max = k;
      if (table->min == 0)
        table->min = k;
    } else if (table->min > 0) {
      break;
    }
  }
}

static void fill_speedups(struct voda_table *table, const struct hsim_view *view,
                          const struct hsim_active *active) {
  table->speedup = mem_zero((size_t)table->max + 2, sizeof *table->speedup);
  table->one_rate = hsim_rate_on(view->oracle, active, table->type, 1, HSIM_SPAN_NODE);
  if (table->one_rate <= 0)
    table->one_rate =
        hsim_rate_on(view->oracle, active, table->type, table->min, HSIM_SPAN_NODE) / table->min;
  for (int k = 1; k <= table->max; k++)
    table->speedup[k] =
        hsim_rate_on(view->oracle, active, table->type, k, HSIM_SPAN_NODE) / table->one_rate;
  table->speedup[table->max + 1] = table->speedup[table->max];
}

static bool same_key(const struct voda_table *a, const struct voda_table *b) {
  return a->model == b->model && a->type == b->type && a->asked_min == b->asked_min &&
         a->asked_max == b->asked_max && a->job == b->job;
}

const struct voda_table *voda_tables_get(struct voda_tables *tables, const struct hsim_view *view,
                                         const struct hsim_active *active, int type) {
  struct voda_table wanted = {.model = active->model,
                              .type = type,
                              .asked_min = active->job->min_workers,
                              .asked_max = active->job->max_workers,
                              .job = active->job->n_phases > 0 ? active->index : -1};
  for (size_t i = 0; i < tables->n; i++)
    if (same_key(tables->at[i], &wanted))
      return tables->at[i];
  struct voda_table *table = mem_alloc(1, sizeof *table);
  *table = wanted;
  find_range(table, view, active);
  if (table->max > 0)
    fill_speedups(table, view, active);
  if (tables->n == tables->capacity)
    tables->at = mem_grow(tables->at, tables->n + 1, &tables->capacity, sizeof *tables->at);
  tables->at[tables->n++] = table;
  return table;
}

void voda_tables_free(struct voda_tables *tables) {
  for (size_t i = 0; i < tables->n; i++) {
    free(tables->at[i]->speedup);
    free(tables->at[i]);
  }
  free(tables->at);
  *tables = (struct voda_tables){0};
}

double voda_left_s(const struct hsim_view *view, const struct hsim_active *active,
                   const struct voda_table *table) {
  if (active->job->n_phases > 0) {
    double left_s = hsim_remaining_s(view, active, table->type, 1, HSIM_SPAN_NODE);
    if (isfinite(left_s))
      return left_s;
    return table->min * hsim_remaining_s(view, active, table->type, table->min, HSIM_SPAN_NODE);
  }
  return hsim_remaining_steps(view, active) / table->one_rate;
}
