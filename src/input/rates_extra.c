/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables beside the rates: speedups, and efficiencies by span. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/csv.h"
#include "input/rates.h"
#include "input/source.h"
#include "model/memory.h"
#include "model/names.h"

static enum hsim_status read_csv(const char *path, const struct csv_table *table, void *state,
                                 struct hsim_error *error) {
  struct source *source;
  enum hsim_status status = source_open(path, &source, error);
  if (status != HSIM_OK)
    return status;
  status = csv_read(source, table, state, NULL, error);
  source_close(source);
  return status;
}

static enum hsim_status no_such_model(const struct row *row, const struct rates *rates, int column,
                                      const char *expected, struct hsim_error *error) {
  char hint[HINT_SIZE];
  return row_bad(row, column, error, "%s%s", expected,
                 hint_near(hint, (const char *const *)rates->models.at, (size_t)rates->models.n,
                           row->cells[column].text));
}

/* ---- speedups ---- */

enum { SPEEDUP_MODEL, SPEEDUP_WORKERS, SPEEDUP, N_SPEEDUP_COLUMNS };
static const char *const speedup_columns[] = {"model", "workers", "speedup"};

static enum hsim_status take_speedup(void *state, const struct row *row, struct hsim_error *error) {
  struct rates *rates = state;
  const struct cell *name = &row->cells[SPEEDUP_MODEL];
  int model = names_find(&rates->models, name->text, name->length);
  int32_t workers = 0;
  double speedup = 0;
  if (model < 0)
    return no_such_model(row, rates, SPEEDUP_MODEL, "a model of the rates table", error);
  enum hsim_status status = row_int(row, SPEEDUP_WORKERS, 1, INT32_MAX, &workers, error);
  if (status == HSIM_OK)
    status = row_real(row, SPEEDUP, ROW_NOT_NEGATIVE, &speedup, error);
  if (status == HSIM_OK)
    status = row_place(row, rates_set_speedup(rates, model, workers, speedup, error), error);
  return status;
}

enum hsim_status rates_read_speedup(const char *path, struct rates *rates,
                                    struct hsim_error *error) {
  const struct csv_table table = {.columns = speedup_columns,
                                  .n_columns = N_SPEEDUP_COLUMNS,
                                  .required = 7,
                                  .ignores_x = true,
                                  .what = "a speedup table",
                                  .row = take_speedup};
  enum hsim_status status = read_csv(path, &table, rates, error);
  return status == HSIM_OK ? rates_finish(rates, error) : status;
}

/* ---- efficiencies ---- */

enum { EFFICIENCY_MODEL, FIRST_LEVEL, N_LEVELS = 4, N_EFFICIENCY_COLUMNS = 1 + N_LEVELS };
static const char *const efficiency_columns[] = {"model", "slot", "node", "rack", "cluster"};

struct efficiency_file {
  struct rates *rates;
  bool *by_name;      /* [models] its row names the model itself */
  struct names names; /* of the rows */
  int *lines;         /* [names] */
  size_t lines_capacity;
};

static bool is_of_family(const char *model, const char *family, size_t length) {
  return strncmp(model, family, length) == 0 &&
         strncmp(model + length, " (batch size", strlen(" (batch size")) == 0;
}

static enum hsim_status take_levels(const struct row *row, double levels[N_LEVELS],
                                    struct hsim_error *error) {
  for (int level = 0; level < N_LEVELS; level++) {
    int column = FIRST_LEVEL + level;
    enum hsim_status status = row_real(row, column, ROW_ANY, &levels[level], error);
    if (status != HSIM_OK)
      return status;
    if (!(levels[level] > 0 && levels[level] <= 1))
      return row_bad(row, column, error, "a number above 0, at most 1");
  }
  return HSIM_OK;
}

/* Returns how many models the row is about. */
static int set_levels(struct efficiency_file *file, const struct cell *name,
                      const double levels[N_LEVELS]) {
  int found = 0;
  for (int m = 0; m < file->rates->models.n; m++) {
    const char *model = file->rates->models.at[m];
    bool by_name = strcmp(model, name->text) == 0;
    if (!by_name && !is_of_family(model, name->text, name->length))
      continue;
    found++;
    if (by_name || !file->by_name[m])
      memcpy(file->rates->efficiency + N_LEVELS * m, levels, N_LEVELS * sizeof *levels);
    file->by_name[m] = file->by_name[m] || by_name;
  }
  return found;
}

static enum hsim_status take_efficiency(void *state, const struct row *row,
                                        struct hsim_error *error) {
  struct efficiency_file *file = state;
  const struct cell *name = &row->cells[EFFICIENCY_MODEL];
  double levels[N_LEVELS];
  enum hsim_status status = take_levels(row, levels, error);
  if (status != HSIM_OK)
    return status;
  int known = file->names.n;
  int number = names_add(&file->names, name->text, name->length);
  if (number < known)
    return row_bad(row, EFFICIENCY_MODEL, error, "each name once; line %d has the same",
                   file->lines[number]);
  file->lines =
      mem_grow(file->lines, (size_t)known + 1, &file->lines_capacity, sizeof *file->lines);
  file->lines[number] = row->line;
  if (set_levels(file, name, levels) == 0)
    return no_such_model(row, file->rates, EFFICIENCY_MODEL,
                         "a model of the rates table, or the family of some", error);
  return HSIM_OK;
}

enum hsim_status rates_read_efficiency(const char *path, struct rates *rates,
                                       struct hsim_error *error) {
  const struct csv_table table = {.columns = efficiency_columns,
                                  .n_columns = N_EFFICIENCY_COLUMNS,
                                  .required = 31,
                                  .ignores_x = true,
                                  .what = "an efficiency table",
                                  .row = take_efficiency};
  size_t n = (size_t)rates->models.n;
  struct efficiency_file file = {.rates = rates, .by_name = mem_zero(n, sizeof *file.by_name)};
  free(rates->efficiency);
  rates->efficiency = mem_alloc(n * N_LEVELS, sizeof *rates->efficiency);
  for (size_t i = 0; i < n * N_LEVELS; i++)
    rates->efficiency[i] = NAN;
  enum hsim_status status = read_csv(path, &table, &file, error);
  free(file.by_name);
  free(file.lines);
  names_free(&file.names);
  return status;
}
