/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lower bounds in the summary, and how far the runs are above them. */
#include <math.h>

#include "output/comparison.h"
#include "output/json.h"
#include "output/summary.h"
#include "output/text_table.h"

cJSON *summary_bound_item(const struct summary_bound *bound) {
  cJSON *item = json_object();
  json_add_text(item, "rules", bound->rules);
  json_add_int(item, "jobs", bound->jobs);
  json_add_number(item, "makespan_s", bound->makespan_s);
  json_add_number(item, "jct_mean_s", bound->jct_mean_s);
  json_add_number(item, "slowdown_max", bound->slowdown_max);
  json_add_number(item, "longest_s", bound->longest_s);
  json_add_number(item, "work_s", bound->work_s);
  json_add_int(item, "intervals", bound->intervals);
  json_add_int(item, "classes", bound->classes);
  json_add_int(item, "unsolved", bound->unsolved);
  return item;
}

/* Percent above the bound; NaN when there is nothing to compare. */
static double distance(double figure, double bound) {
  return bound > 0 ? 100 * (figure / bound - 1) : (double)NAN;
}

cJSON *summary_run_bound_item(const struct summary_run *run) {
  const struct summary_bound *bound = run->bound;
  const struct figures *f = run->figures;
  /* A job that cannot run never finishes, so equal numbers mean the same jobs. */
  bool all = f->finished == (uint64_t)bound->jobs && run->measure_from == 0 &&
             run->measure_to == run->n_jobs;
  cJSON *item = summary_bound_item(bound), *percent = json_object();
  json_add_number(percent, "makespan", all ? distance(f->makespan_s, bound->makespan_s) : NAN);
  json_add_number(percent, "jct_mean", all ? distance(f->jct.mean, bound->jct_mean_s) : NAN);
  json_add_number(percent, "slowdown_max",
                  all ? distance(f->slowdown.max, bound->slowdown_max) : NAN);
  json_add(item, "distance_percent", percent);
  return item;
}

/* ---- for people ---- */

enum column {
  COLUMN_POLICY,
  COLUMN_MAKESPAN,
  COLUMN_MAKESPAN_ABOVE,
  COLUMN_JCT,
  COLUMN_JCT_ABOVE,
  COLUMN_SLOWDOWN,
  COLUMN_SLOWDOWN_ABOVE,
  COLUMN_RULES,
  N_COLUMNS
};

static const char *const headings[2][N_COLUMNS] = {
    {"", "makespan h", "run", "JCT mean h", "run", "slowdown max", "run", ""},
    {"bounds of", "at least", "above", "at least", "above", "at least", "above", "allowing for"}};

/* The mean, with half the width of its interval where there are several runs. */
static void set_figure(struct text_table *table, int column, const cJSON *row, const char *path,
                       double scale, const char *unit) {
  double value = comparison_mean(row, path), half = comparison_half_width(row, path);
  char number[16], width[16] = "";
  text_number(value * scale, number);
  if (!isnan(half))
    text_number(half * scale, width);
  text_table_set(table, column, "%s%s%s%s", number, width[0] ? "\u00b1" : "", width,
                 isnan(value) ? "" : unit);
}

static void add_row(struct text_table *table, const cJSON *row, const char *rules) {
  static const struct {
    const char *bound, *above;
    double scale;
  } pairs[] = {{"bound.makespan_s", "bound.distance_percent.makespan", 1 / 3600.0},
               {"bound.jct_mean_s", "bound.distance_percent.jct_mean", 1 / 3600.0},
               {"bound.slowdown_max", "bound.distance_percent.slowdown_max", 1}};
  text_table_row(table);
  text_table_set(table, COLUMN_POLICY, "%s", json_text(row, "label", "?"));
  for (int i = 0; i < 3; i++) {
    set_figure(table, COLUMN_MAKESPAN + 2 * i, row, pairs[i].bound, pairs[i].scale, "");
    set_figure(table, COLUMN_MAKESPAN_ABOVE + 2 * i, row, pairs[i].above, 1, " %");
  }
  text_table_set(table, COLUMN_RULES, "%s", rules);
}

static void print_notes(const cJSON *bound, double unsolved, FILE *out) {
  text_paragraph(out, 2, "intervals of time in the largest program: %.0f, classes of jobs: %.0f",
                 json_number(bound, "intervals"), json_number(bound, "classes"));
  if (unsolved > 0)
    text_paragraph(out, 2, "programs that the solver gave up, so that bounds may be loose: %.0f",
                   unsolved);
}

void summary_bound_table(const cJSON *document, const cJSON *rows, FILE *out) {
  struct text_table table;
  text_table_init(&table, N_COLUMNS);
  for (int h = 0; h < 2; h++) {
    text_table_row(&table);
    for (int c = 0; c < N_COLUMNS; c++)
      text_table_set(&table, c, "%s", headings[h][c]);
  }
  /* Runs stand policy by policy, so many of each row. */
  const cJSON *runs = json_get(document, "runs"), *any = NULL, *row;
  int each = comparison_runs_each(document, rows), r = 0;
  double unsolved = 0;
  cJSON_ArrayForEach(row, rows) {
    const cJSON *bound = json_get(cJSON_GetArrayItem(runs, r++ * each), "bound");
    if (!bound)
      continue;
    add_row(&table, row, json_text(bound, "rules", "?"));
    any = bound;
    unsolved += comparison_mean(row, "bound.unsolved");
  }
  if (any) {
    fputc('\n', out);
    text_table_print(&table, 1u << COLUMN_RULES, out);
    print_notes(any, unsolved, out);
  }
  text_table_free(&table);
}
