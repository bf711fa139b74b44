/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/rates.h"

#include <string.h>

#include "input/csv.h"
#include "input/rates_json.h"
#include "input/source.h"
#include "model/memory.h"

/* ---- CSV ---- */

enum { GPU_TYPE, MODEL, WORKERS, RATE, CONSOLIDATED, PARTNER, PARTNER_RATE, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"gpu_type",
                                               "model",
                                               "workers",
                                               "steps_per_second",
                                               "consolidated",
                                               "partner",
                                               "partner_steps_per_second"};

/* The cells of a row that has a partner. */
static enum hsim_status take_pair(struct rates *rates, const struct row *row, int32_t workers,
                                  double rate, struct hsim_error *error) {
  double other = 0;
  if (row_has(row, CONSOLIDATED))
    return row_bad(row, CONSOLIDATED, error, "nothing beside a partner: pairs stand on one node");
  enum hsim_status status = row_real(row, PARTNER_RATE, ROW_NOT_NEGATIVE, &other, error);
  if (status != HSIM_OK)
    return status;
  return row_place(row,
                   rates_add_pair(rates, row->cells[GPU_TYPE].text, row->cells[MODEL].text,
                                  row->cells[PARTNER].text, workers, rate, other, error),
                   error);
}

static enum hsim_status take_row(void *state, const struct row *row, struct hsim_error *error) {
  struct rates *rates = state;
  int32_t workers = 0, consolidated = 1;
  double rate = 0;
  enum hsim_status status = row_text(row, GPU_TYPE, error);
  if (status == HSIM_OK)
    status = row_text(row, MODEL, error);
  if (status == HSIM_OK)
    status = row_int(row, WORKERS, 1, INT32_MAX, &workers, error);
  if (status == HSIM_OK)
    status = row_real(row, RATE, ROW_NOT_NEGATIVE, &rate, error);
  if (status == HSIM_OK && row_has(row, CONSOLIDATED))
    status = row_int(row, CONSOLIDATED, 0, 1, &consolidated, error);
  if (status != HSIM_OK)
    return status;
  if (row_has(row, PARTNER))
    return take_pair(rates, row, workers, rate, error);
  if (row_has(row, PARTNER_RATE))
    return row_bad(row, PARTNER_RATE, error, "nothing without a partner");
  return row_place(row,
                   rates_add(rates, row->cells[GPU_TYPE].text, row->cells[MODEL].text, workers,
                             consolidated == 1, rate, error),
                   error);
}

static enum hsim_status read_csv(struct source *source, struct rates *rates,
                                 struct hsim_error *error) {
  const struct csv_table table = {.columns = columns,
                                  .n_columns = N_COLUMNS,
                                  .required = 1 << GPU_TYPE | 1 << MODEL | 1 << WORKERS | 1 << RATE,
                                  .ignores_x = true,
                                  .what = "a rates table",
                                  .row = take_row};
  return csv_read(source, &table, rates, NULL, error);
}

/* ---- either ---- */

static bool looks_like_json(const struct source *source) {
  size_t n;
  const char *text = source_peek(source, &n);
  size_t i = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (i < n && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0')
    i++;
  return i < n && (text[i] == '{' || text[i] == '[');
}

static enum hsim_status read_table(struct source *source, struct rates *rates,
                                   struct hsim_error *error) {
  enum hsim_status status = looks_like_json(source) ? rates_read_json(source, rates, error)
                                                    : read_csv(source, rates, error);
  if (status == HSIM_OK)
    status = source_digest(source, rates->sha256, error);
  if (status == HSIM_OK && rates->cells.n == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: has no rate", source_name(source));
  return status == HSIM_OK ? rates_finish(rates, error) : status;
}

enum hsim_status rates_read(const char *path, struct rates *rates, struct hsim_error *error) {
  struct source *source;
  *rates = (struct rates){0};
  enum hsim_status status = source_open(path, &source, error);
  if (status != HSIM_OK)
    return status;
  rates->file = mem_text(path);
  status = read_table(source, rates, error);
  source_close(source);
  if (status != HSIM_OK)
    rates_free(rates);
  return status;
}
