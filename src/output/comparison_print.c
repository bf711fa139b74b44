/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a comparison as tables for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/comparison.h"
#include "output/figure_columns.h"
#include "output/json.h"
#include "output/text_table.h"

static const struct count_column {
  const char *path, *heading;
} count_columns[] = {
    {"counts.rounds", "rounds"}, {"counts.preemptions", " stops"}, {"counts.migrations", " moves"}};

enum {
  COLUMN_LABEL,
  COLUMN_JOBS,
  FIRST_FIGURE,
  FIRST_COUNT = FIRST_FIGURE + N_FIGURE_COLUMNS,
  N_COLUMNS = FIRST_COUNT + 3
};

static const char lowest_mark[] = "\u25be", highest_mark[] = "\u25b4"; /* triangles down and up */

double comparison_mean(const cJSON *row, const char *path) {
  return json_number(json_get(json_get(row, "figures"), path), "mean");
}

static bool has_figures(const cJSON *row) {
  const cJSON *figures = json_get(row, "figures");
  return figures && figures->child;
}

static double finished_of(const cJSON *row) {
  return comparison_mean(row, "jobs.finished");
}

static double jobs_of(const cJSON *row) {
  double n = 0;
  const cJSON *figure;
  cJSON_ArrayForEach(figure, json_get(row, "figures")) {
    if (strncmp(figure->string, "jobs.", 5) == 0)
      n += json_number(figure, "mean");
  }
  return n;
}

int comparison_runs_each(const cJSON *document, const cJSON *rows) {
  int n = cJSON_GetArraySize(rows);
  return n > 0 ? cJSON_GetArraySize(json_get(document, "runs")) / n : 0;
}

bool comparison_is_partial(const cJSON *row) {
  return has_figures(row) && finished_of(row) < jobs_of(row);
}

/* What the cells of a table depend on beside their row. */
struct look {
  bool partial;                /* some row is */
  bool repeated;               /* some row has several runs */
  bool best[N_FIGURE_COLUMNS]; /* the column has a mark */
  double best_value[N_FIGURE_COLUMNS];
  double most_finished;
};

static bool competes(const struct look *look, const cJSON *row) {
  return has_figures(row) && finished_of(row) == look->most_finished;
}

/* No mark where all are equal, or one row stands alone. */
static void find_best(struct look *look, int c, const cJSON *rows) {
  const struct figure_column *column = &figure_columns[c];
  double best = NAN;
  bool differ = false;
  const cJSON *row;
  cJSON_ArrayForEach(row, rows) {
    double value = comparison_mean(row, column->path);
    if (!competes(look, row) || isnan(value))
      continue;
    differ = differ || (!isnan(best) && value != best);
    if (isnan(best) || (column->better > 0 ? value > best : value < best))
      best = value;
  }
  look->best[c] = differ && column->better != 0;
  look->best_value[c] = best;
}

static struct look look_at(const cJSON *rows) {
  struct look look = {.most_finished = -1};
  const cJSON *row;
  cJSON_ArrayForEach(row, rows) {
    look.partial = look.partial || comparison_is_partial(row);
    look.repeated = look.repeated || cJSON_GetArraySize(json_get(row, "seeds")) > 1;
    if (has_figures(row))
      look.most_finished = fmax(look.most_finished, finished_of(row));
  }
  for (int c = 0; c < N_FIGURE_COLUMNS; c++)
    find_best(&look, c, rows);
  return look;
}

static double half_width(const cJSON *item) {
  const cJSON *interval = json_get(item, "ci95");
  if (!cJSON_IsArray(interval))
    return NAN;
  const cJSON *low = cJSON_GetArrayItem(interval, 0), *high = cJSON_GetArrayItem(interval, 1);
  return cJSON_IsNumber(low) && cJSON_IsNumber(high) ? (high->valuedouble - low->valuedouble) / 2
                                                     : (double)NAN;
}

double comparison_half_width(const cJSON *row, const char *path) {
  return half_width(json_get(json_get(row, "figures"), path));
}

/* A blank takes the place of a mark that another cell of the column has, so that digits stay
 * aligned. */
static void set_figure(struct text_table *table, const struct look *look, const cJSON *row, int c) {
  const struct figure_column *column = &figure_columns[c];
  const cJSON *item = json_get(json_get(row, "figures"), column->path);
  double value = json_number(item, "mean"), half = half_width(item);
  char number[16], width[16] = "";
  text_number(value * column->scale, number);
  if (!isnan(half))
    text_number(half * column->scale, width);
  const char *star = "", *mark = "";
  if (column->over_finished && look->partial)
    star = comparison_is_partial(row) && !isnan(value) ? "*" : " ";
  if (look->best[c])
    mark = !competes(look, row) || value != look->best_value[c] ? " "
           : column->better > 0                                 ? highest_mark
                                                                : lowest_mark;
  text_table_set(table, FIRST_FIGURE + c, "%s%s%s%s%s", number, width[0] ? "\u00b1" : "", width,
                 star, mark);
}

static void set_count(struct text_table *table, int column, double value, bool dash_for_none) {
  char text[16];
  text_number(value, text);
  if (dash_for_none && value == 0)
    text_table_set(table, column, "-");
  else if (value < 99999.5)
    text_table_set(table, column, "%.0f", value);
  else
    text_table_set(table, column, "%s", text);
}

static void add_row(struct text_table *table, const struct look *look, const cJSON *row,
                    bool marked) {
  text_table_row(table);
  text_table_set(table, COLUMN_LABEL, "%s%s", json_text(row, "label", "?"),
                 marked ? " \u2020" : "");
  if (!has_figures(row)) {
    bool stopped = json_number(row, "interrupted") > 0;
    text_table_set(table, COLUMN_JOBS, "%s", stopped ? "interrupted" : "failed");
    return;
  }
  text_table_set(table, COLUMN_JOBS, "%.6g/%.6g", finished_of(row), jobs_of(row));
  for (int c = 0; c < N_FIGURE_COLUMNS; c++)
    set_figure(table, look, row, c);
  for (int c = 0; c < 3 && !look->repeated; c++) /* a policy that acts on events has no rounds */
    set_count(table, FIRST_COUNT + c, comparison_mean(row, count_columns[c].path), c == 0);
}

static void add_headings(struct text_table *table, const struct look *look) {
  static const char *const left[2][2] = {{"", "finished"}, {"policy", "of jobs"}};
  for (int h = 0; h < 2; h++) {
    text_table_row(table);
    for (int c = 0; c < FIRST_FIGURE; c++)
      text_table_set(table, c, "%s", left[h][c]);
    for (int c = 0; c < N_FIGURE_COLUMNS; c++)
      text_table_set(table, FIRST_FIGURE + c, "%s%s%s", figure_columns[c].heading[h],
                     look->partial && figure_columns[c].over_finished ? " " : "",
                     look->best[c] ? " " : "");
    for (int c = 0; c < 3 && !look->repeated; c++)
      text_table_set(table, FIRST_COUNT + c, "%s", h == 1 ? count_columns[c].heading : "");
  }
}

bool comparison_print(const cJSON *rows, const bool *marked, FILE *out) {
  struct look look = look_at(rows);
  struct text_table table;
  text_table_init(&table, look.repeated ? FIRST_COUNT : N_COLUMNS);
  add_headings(&table, &look);
  int i = 0;
  const cJSON *row;
  cJSON_ArrayForEach(row, rows) {
    add_row(&table, &look, row, marked && marked[i]);
    i++;
  }
  bool cut = text_table_print(&table, 0, out);
  text_table_free(&table);
  return cut;
}

/* ---- ratios ---- */

/* Ratios are near 1: three places tell them apart. */
static void ratio_number(double value, char out[16]) {
  if (value < 100)
    snprintf(out, 16, "%.3f", value);
  else
    text_number(value, out); /* NaN, too */
}

static void set_ratio(struct text_table *table, int c, const cJSON *row, bool partial) {
  const cJSON *figure = json_get(json_get(row, "figures"), figure_columns[c].path);
  const cJSON *ratio = json_get(figure, "ratio");
  double value = json_number(ratio, "mean"), half = half_width(ratio);
  char number[16], width[16] = "";
  ratio_number(value, number);
  const char *star = partial && figure_columns[c].over_finished && !isnan(value) ? "*" : "";
  if (isnan(half)) {
    text_table_set(table, 1 + c, "%s%s ", number, star);
    return;
  }
  ratio_number(half, width);
  const cJSON *low = json_get(ratio, "ci95")->child;
  bool includes_1 = low->valuedouble <= 1 && low->next->valuedouble >= 1;
  text_table_set(table, 1 + c, "%s\u00b1%s%s%s", number, width, star, includes_1 ? "~" : " ");
}

static bool can_be_compared(const cJSON *row) {
  for (int c = 0; c < N_FIGURE_COLUMNS; c++) {
    const cJSON *figure = json_get(json_get(row, "figures"), figure_columns[c].path);
    if (!isnan(json_number(json_get(figure, "ratio"), "mean")))
      return true;
  }
  return false;
}

void comparison_print_ratios(const cJSON *rows, FILE *out) {
  const cJSON *row, *first = rows ? rows->child : NULL;
  struct text_table table;
  text_table_init(&table, 1 + N_FIGURE_COLUMNS);
  for (int h = 0; h < 2; h++) {
    text_table_row(&table);
    text_table_set(&table, 0, "%s", h == 0 ? "ratio to" : json_text(first, "label", "?"));
    for (int c = 0; c < N_FIGURE_COLUMNS; c++)
      text_table_set(&table, 1 + c, "%s ", figure_columns[c].ratio[h]);
  }
  bool any = false, repeated = false;
  cJSON_ArrayForEach(row, rows) {
    if (row == first || !can_be_compared(row))
      continue;
    any = true;
    repeated = repeated || cJSON_GetArraySize(json_get(row, "seeds")) > 1;
    text_table_row(&table);
    text_table_set(&table, 0, "%s", json_text(row, "label", "?"));
    for (int c = 0; c < N_FIGURE_COLUMNS; c++)
      set_ratio(&table, c, row, comparison_is_partial(row) || comparison_is_partial(first));
  }
  if (any) {
    fputc('\n', out);
    text_table_print(&table, 0, out);
    if (repeated)
      text_paragraph(out, 2,
                     "ratios are geometric means over the seeds that both have; ~ the interval "
                     "includes 1");
  }
  text_table_free(&table);
}
