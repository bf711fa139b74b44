/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TABLE = 64, MOST_SIZES = 64 };

/* ---- cells ---- */

static uint64_t hash_of(const struct rate_cell *cell) {
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t what = (uint64_t)(uint32_t)cell->model << 32 | (uint32_t)cell->other;
  uint64_t where = (uint64_t)(uint32_t)cell->type << 32 | (uint32_t)cell->workers;
  uint64_t hash = what * odd;
  hash = ((hash ^ hash >> 32) ^ where) * odd;
  return hash ^ hash >> 32;
}

static bool same_cell(const struct rate_cell *a, const struct rate_cell *b) {
  return a->type == b->type && a->workers == b->workers && a->model == b->model &&
         a->other == b->other;
}

/* The slot of the cell, or the empty slot where it belongs. The table is never full. */
static size_t slot_of(const struct rate_cells *cells, const struct rate_cell *cell) {
  size_t mask = cells->table_size - 1;
  size_t slot = (size_t)hash_of(cell) & mask;
  while (cells->table[slot] >= 0 && !same_cell(&cells->at[cells->table[slot]], cell))
    slot = (slot + 1) & mask;
  return slot;
}

static const struct rate_cell *find_cell(const struct rate_cells *cells,
                                         const struct rate_cell *cell) {
  if (cells->n == 0)
    return NULL;
  int32_t i = cells->table[slot_of(cells, cell)];
  return i < 0 ? NULL : &cells->at[i];
}

static void enlarge_table(struct rate_cells *cells) {
  cells->table_size = cells->table_size == 0 ? FIRST_TABLE : 2 * cells->table_size;
  cells->table = mem_resize(cells->table, cells->table_size, sizeof *cells->table);
  for (size_t slot = 0; slot < cells->table_size; slot++)
    cells->table[slot] = -1;
  for (size_t i = 0; i < cells->n; i++)
    cells->table[slot_of(cells, &cells->at[i])] = (int32_t)i;
}

/* Returns the cell that is there already, else NULL, having added this one. */
static const struct rate_cell *add_cell(struct rate_cells *cells, const struct rate_cell *cell) {
  if (2 * (cells->n + 1) > cells->table_size)
    enlarge_table(cells);
  size_t slot = slot_of(cells, cell);
  if (cells->table[slot] >= 0)
    return &cells->at[cells->table[slot]];
  cells->at = mem_grow(cells->at, cells->n + 1, &cells->capacity, sizeof *cells->at);
  cells->table[slot] = (int32_t)cells->n;
  cells->at[cells->n++] = *cell;
  return NULL;
}

static void free_cells(struct rate_cells *cells) {
  free(cells->at);
  free(cells->table);
}

/* ---- building ---- */

static bool is_rate(double rate) {
  return isfinite(rate) && rate >= 0;
}

static enum hsim_status check_cell(const char *type, const char *model, int workers,
                                   struct hsim_error *error) {
  if (type[0] == '\0')
    return hsim_fail(error, HSIM_BAD_INPUT, "a rate of model \"%s\" names no GPU type", model);
  if (model[0] == '\0')
    return hsim_fail(error, HSIM_BAD_INPUT, "a rate on GPU type \"%s\" names no model", type);
  if (workers < 1)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "rates of model \"%s\" on GPU type \"%s\": %d workers; expected 1 or more",
                     model, type, workers);
  return HSIM_OK;
}

enum hsim_status rates_add(struct rates *rates, const char *type, const char *model, int workers,
                           bool consolidated, double rate, struct hsim_error *error) {
  if (check_cell(type, model, workers, error) != HSIM_OK)
    return HSIM_BAD_INPUT;
  if (!is_rate(rate))
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "rate of model \"%s\" on GPU type \"%s\" with %d workers is %g; expected a "
                     "number of steps per second, 0 or more",
                     model, type, workers, rate);
  struct rate_cell cell = {.type = names_add(&rates->types, type, strlen(type)),
                           .workers = workers,
                           .model = names_add(&rates->models, model, strlen(model)),
                           .other = consolidated,
                           .rate = rate};
  if (add_cell(&rates->cells, &cell) != NULL)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "rate of model \"%s\" on GPU type \"%s\" with %d workers (%s) is given twice",
                     model, type, workers, consolidated ? "on one node" : "over several nodes");
  return HSIM_OK;
}

enum hsim_status rates_add_pair(struct rates *rates, const char *type, const char *model_a,
                                const char *model_b, int workers, double rate_a, double rate_b,
                                struct hsim_error *error) {
  if (check_cell(type, model_a, workers, error) != HSIM_OK ||
      check_cell(type, model_b, workers, error) != HSIM_OK)
    return HSIM_BAD_INPUT;
  if (!is_rate(rate_a) || !is_rate(rate_b))
    return hsim_fail(
        error, HSIM_BAD_INPUT,
        "rates of models \"%s\" and \"%s\" together on GPU type \"%s\" with %d workers "
        "are %g and %g; expected numbers of steps per second, 0 or more",
        model_a, model_b, type, workers, rate_a, rate_b);
  struct rate_cell cell = {.type = names_add(&rates->types, type, strlen(type)),
                           .workers = workers,
                           .model = names_add(&rates->models, model_a, strlen(model_a)),
                           .other = names_add(&rates->models, model_b, strlen(model_b)),
                           .rate = rate_a,
                           .rate_other = rate_b};
  if (cell.model > cell.other)
    cell = (struct rate_cell){cell.type, workers, cell.other, cell.model, rate_b, rate_a};
  const struct rate_cell *known = add_cell(&rates->pairs, &cell);
  if (known != NULL && (known->rate != cell.rate || known->rate_other != cell.rate_other))
    return hsim_fail(
        error, HSIM_BAD_INPUT,
        "rates of models \"%s\" and \"%s\" together on GPU type \"%s\" with %d workers "
        "are given twice and differ (%g and %g)",
        model_a, model_b, type, workers, rate_a, rate_b);
  return HSIM_OK;
}

enum hsim_status rates_set_speedup(struct rates *rates, int model, int workers, double speedup,
                                   struct hsim_error *error) {
  const char *name = rates->models.at[model];
  if (workers < 1)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "speedup of model \"%s\": %d workers; expected 1 or more", name, workers);
  if (!is_rate(speedup))
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "speedup of model \"%s\" with %d workers is %g; expected a number, 0 or more",
                     name, workers, speedup);
  if (workers == 1 && speedup != 1)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "speedup of model \"%s\" with 1 worker is %g; expected 1, being the speedup "
                     "over one worker",
                     name, speedup);
  for (size_t i = 0; i < rates->n_speedups; i++)
    if (rates->speedups[i].model == model && rates->speedups[i].workers == workers)
      return hsim_fail(error, HSIM_BAD_INPUT,
                       "speedup of model \"%s\" with %d workers is given twice", name, workers);
  rates->speedups = mem_grow(rates->speedups, rates->n_speedups + 1, &rates->speedups_capacity,
                             sizeof *rates->speedups);
  rates->speedups[rates->n_speedups++] = (struct rate_speedup){model, workers, speedup};
  return HSIM_OK;
}

static int order(int a, int b) {
  return (a > b) - (a < b);
}

static int cell_order(const void *left, const void *right) {
  const struct rate_cell *a = left, *b = right;
  if (a->type != b->type)
    return order(a->type, b->type);
  if (a->model != b->model)
    return order(a->model, b->model);
  return a->workers != b->workers ? order(a->workers, b->workers) : order(a->other, b->other);
}

static int speedup_order(const void *left, const void *right) {
  const struct rate_speedup *a = left, *b = right;
  return a->model != b->model ? order(a->model, b->model) : order(a->workers, b->workers);
}

static struct rate_rows *rows_of(const struct rates *rates, int model, int type) {
  return &rates->rows[(size_t)type * (size_t)rates->models.n + (size_t)model];
}

/* Cells of one (type, model) become its rows. */
static void make_rows(struct rates *rates) {
  size_t n = rates->cells.n;
  struct rate_cell *sorted = mem_alloc(n, sizeof *sorted);
  memcpy(sorted, rates->cells.at, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, cell_order);
  struct rate_row *next = arena_alloc(&rates->made, n * sizeof *next);
  for (size_t i = 0; i < n; i++) {
    const struct rate_cell *cell = &sorted[i];
    struct rate_rows *rows = rows_of(rates, cell->model, cell->type);
    if (rows->n == 0)
      rows->at = next;
    if (rows->n == 0 || rows->at[rows->n - 1].workers != cell->workers) {
      *next++ = (struct rate_row){cell->workers, NAN, NAN};
      rows->n++;
    }
    struct rate_row *row = &rows->at[rows->n - 1];
    if (cell->other)
      row->one_node = cell->rate;
    else
      row->spread = cell->rate;
  }
  free(sorted);
}

/* The row with exactly this many workers, NULL when there is none. */
static const struct rate_row *find_row(const struct rate_rows *rows, int workers) {
  int low = 0, high = rows->n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (rows->at[middle].workers < workers)
      low = middle + 1;
    else
      high = middle;
  }
  return low < rows->n && rows->at[low].workers == workers ? &rows->at[low] : NULL;
}

/* ---- sizes without a row ---- */

/* Above the largest row the last doubling repeats, at best twofold and at worst without gain. With
 * one row only nothing is known about growth. */
static double beyond_largest(const struct rate_row *before, const struct rate_row *last,
                             int workers) {
  if (before == NULL || last->one_node == 0)
    return 0;
  double doublings = log2((double)last->workers / before->workers);
  double growth = pow(last->one_node / before->one_node, 1 / doublings);
  growth = fmin(fmax(growth, 1), 2);
  return last->one_node * pow(growth, log2((double)workers / last->workers));
}

/* Linear in log2(workers); 0 next to a row of 0, since there it is not known where it ends. */
static double between(const struct rate_row *a, const struct rate_row *b, int workers) {
  if (a->one_node == 0 || b->one_node == 0)
    return 0;
  double part = log2((double)workers / a->workers) / log2((double)b->workers / a->workers);
  return a->one_node + (b->one_node - a->one_node) * part;
}

static double derived_thr(const struct rate_rows *rows, int workers) {
  const struct rate_row *before = NULL, *below = NULL, *above = NULL;
  for (int i = 0; i < rows->n && above == NULL; i++) {
    const struct rate_row *row = &rows->at[i];
    if (isnan(row->one_node))
      continue;
    if (row->workers > workers) {
      above = row;
    } else {
      before = below;
      below = row;
    }
  }
  if (above != NULL && below != NULL)
    return between(below, above, workers);
  if (above != NULL)
    return above->one_node * workers / above->workers;
  return below == NULL ? 0 : beyond_largest(before, below, workers);
}

static struct rate_size make_size(const struct rate_rows *rows, int workers) {
  const struct rate_row *row = find_row(rows, workers);
  struct rate_size size = {.spread = NAN, .row = row != NULL && !isnan(row->one_node)};
  size.thr = size.row ? row->one_node : derived_thr(rows, workers);
  if (size.row && !isnan(row->spread) && row->one_node > 0)
    size.spread = fmin(1, row->spread / row->one_node);
  return size;
}

/* ---- finishing ---- */

/* Replaces the rows of a (type, model) by one for each of its n speedups, and one for 1 worker. */
static void apply_speedups(struct rates *rates, struct rate_rows *rows,
                           const struct rate_speedup *speedups, int n) {
  struct rate_rows made = {.at = arena_alloc(&rates->made, (size_t)(n + 1) * sizeof *made.at)};
  double alone = make_size(rows, 1).thr;
  if (speedups[0].workers > 1)
    made.at[made.n++] = (struct rate_row){1, alone, NAN};
  for (int i = 0; i < n; i++)
    made.at[made.n++] = (struct rate_row){speedups[i].workers, alone * speedups[i].speedup, NAN};
  for (int i = 0; i < made.n; i++)
    made.at[i].spread = made.at[i].one_node * make_size(rows, made.at[i].workers).spread;
  *rows = made;
}

static void apply_all_speedups(struct rates *rates) {
  struct rate_speedup *all = rates->speedups;
  size_t n = rates->n_speedups;
  if (n > 0)
    qsort(all, n, sizeof *all, speedup_order);
  for (size_t first = 0, end; first < n; first = end) {
    for (end = first; end < n && all[end].model == all[first].model;)
      end++;
    for (int type = 0; type < rates->types.n; type++) {
      struct rate_rows *rows = rows_of(rates, all[first].model, type);
      if (rows->n > 0)
        apply_speedups(rates, rows, &all[first], (int)(end - first));
    }
  }
}

/* A rate times a speedup may be more than a double holds. */
static enum hsim_status check_finite(const struct rates *rates, struct hsim_error *error) {
  for (int type = 0; type < rates->types.n; type++)
    for (int model = 0; model < rates->models.n; model++) {
      const struct rate_rows *rows = &rates->rows[type * rates->models.n + model];
      for (int i = 0; i < rows->n; i++)
        if (isinf(rows->at[i].one_node))
          return hsim_fail(error, HSIM_BAD_INPUT,
                           "model \"%s\" on %s with %d workers: its rate times its speedup is more "
                           "than a double holds",
                           rates->models.at[model], rates->types.at[type], rows->at[i].workers);
    }
  return HSIM_OK;
}

static void make_sizes(struct rates *rates, struct rate_rows *rows) {
  if (rows->n == 0)
    return;
  int largest = rows->at[rows->n - 1].workers;
  rows->n_sizes = largest < MOST_SIZES ? largest : MOST_SIZES;
  struct rate_size *sizes = arena_alloc(&rates->made, (size_t)rows->n_sizes * sizeof *sizes);
  for (int i = 0; i < rows->n_sizes; i++)
    sizes[i] = make_size(rows, i + 1);
  rows->sizes = sizes;
}

enum hsim_status rates_finish(struct rates *rates, struct hsim_error *error) {
  if (rates->cells.n == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "the rates table is empty");
  size_t n = (size_t)rates->types.n * (size_t)rates->models.n;
  arena_free(&rates->made);
  free(rates->rows);
  rates->rows = mem_zero(n, sizeof *rates->rows);
  make_rows(rates);
  apply_all_speedups(rates);
  enum hsim_status status = check_finite(rates, error);
  if (status != HSIM_OK)
    return status;
  for (size_t i = 0; i < n; i++)
    make_sizes(rates, &rates->rows[i]);
  return HSIM_OK;
}

void rates_free(struct rates *rates) {
  names_free(&rates->types);
  names_free(&rates->models);
  free_cells(&rates->cells);
  free_cells(&rates->pairs);
  arena_free(&rates->made);
  free(rates->rows);
  free(rates->speedups);
  free(rates->efficiency);
  free(rates->file);
  *rates = (struct rates){0};
}

/* ---- asking ---- */

static struct rate_size size_of(const struct rate_rows *rows, int workers) {
  if (workers <= rows->n_sizes)
    return rows->sizes[workers - 1];
  return make_size(rows, workers);
}

double rates_thr(const struct rates *rates, enum missing_size missing_size, int model, int type,
                 int workers, bool *derived) {
  if (derived != NULL)
    *derived = false;
  if (model < 0 || type < 0 || workers < 1)
    return 0;
  struct rate_size size = size_of(rows_of(rates, model, type), workers);
  if (size.row)
    return size.thr;
  if (missing_size == MISSING_REJECT)
    return 0;
  if (derived != NULL)
    *derived = size.thr > 0;
  return size.thr;
}

double rates_spread(const struct rates *rates, int model, int type, int workers) {
  return size_of(rows_of(rates, model, type), workers).spread;
}

bool rates_pair(const struct rates *rates, int model_a, int model_b, int type, int workers,
                double *rate_a, double *rate_b) {
  bool swapped = model_a > model_b;
  struct rate_cell wanted = {.type = type,
                             .workers = workers,
                             .model = swapped ? model_b : model_a,
                             .other = swapped ? model_a : model_b};
  const struct rate_cell *cell = find_cell(&rates->pairs, &wanted);
  *rate_a = *rate_b = 0;
  if (cell == NULL || (cell->rate == 0 && cell->rate_other == 0))
    return false;
  *rate_a = swapped ? cell->rate_other : cell->rate;
  *rate_b = swapped ? cell->rate : cell->rate_other;
  return true;
}
