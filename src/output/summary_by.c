/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of groups of jobs in the summary, and their table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/comparison.h"
#include "output/json.h"
#include "output/summary.h"
#include "output/text_table.h"

cJSON *summary_by_item(const struct summary_run *run) {
  cJSON *by = json_object(), *groups = json_array();
  json_add_text(by, "key", group_key_names[run->by]);
  for (size_t i = 0; i < run->n_groups; i++) {
    const struct group *group = &run->groups[i];
    cJSON *item = json_object();
    if (run->by == GROUP_WORKERS)
      json_add_int(item, "name", group->workers);
    else
      json_add_text(item, "name", group->name);
    summary_add_jobs(item, &group->figures);
    json_add_number(item, "gpu_hours", group->gpu_s / 3600.0);
    summary_add_job_figures(item, &group->figures);
    json_append(groups, item);
  }
  json_add(by, "groups", groups);
  return by;
}

/* ---- for people ---- */

static const struct column {
  const char *object, *member; /* of a group; "" : the member of the group itself */
  const char *heading[2];
  double scale;
  bool over_finished;
} columns[] = {
    {"", "gpu_hours", {"GPU", "hours"}, 1, false},
    {"jct_s", "mean", {"JCT h", "mean"}, 1 / 3600.0, true},
    {"jct_s", "p50", {"JCT h", "p50"}, 1 / 3600.0, true},
    {"jct_s", "p99", {"JCT h", "p99"}, 1 / 3600.0, true},
    {"queueing_s", "mean", {"queue h", "mean"}, 1 / 3600.0, true},
    {"slowdown", "mean", {"slowdown", "mean"}, 1, true},
    {"slowdown", "max", {"slowdown", "max"}, 1, true},
    {"rho", "mean", {"rho", "mean"}, 1, true},
    {"rho", "max", {"rho", "max"}, 1, true},
};
enum { COLUMN_POLICY, COLUMN_GROUP, COLUMN_JOBS, COLUMN_FIRST };
enum { N_FIGURES = sizeof columns / sizeof columns[0], N_COLUMNS = COLUMN_FIRST + N_FIGURES };

/* A group of one run of a row. */
struct entry {
  const cJSON *name, *group;
  int run;
};

static int by_name(const cJSON *a, const cJSON *b) {
  if (cJSON_IsNumber(a) && cJSON_IsNumber(b))
    return (a->valuedouble > b->valuedouble) - (a->valuedouble < b->valuedouble);
  if (cJSON_IsString(a) && cJSON_IsString(b))
    return strcmp(a->valuestring, b->valuestring);
  return cJSON_IsNull(a) - cJSON_IsNull(b);
}

static int by_name_and_run(const void *x, const void *y) {
  const struct entry *a = x, *b = y;
  int order = by_name(a->name, b->name);
  return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

/* All groups of the runs, sorted; to be freed. */
static struct entry *entries_of(const cJSON *runs, int first, int n_runs, size_t *n) {
  struct entry *entries = NULL;
  size_t capacity = 0;
  *n = 0;
  for (int i = first; i < first + n_runs; i++) {
    const cJSON *by = json_get(cJSON_GetArrayItem(runs, i), "by"), *group;
    cJSON_ArrayForEach(group, json_get(by, "groups")) {
      entries = mem_grow(entries, *n + 1, &capacity, sizeof *entries);
      entries[(*n)++] = (struct entry){json_get(group, "name"), group, i};
    }
  }
  if (entries)
    qsort(entries, *n, sizeof *entries, by_name_and_run);
  return entries;
}

/* The mean over the groups that have the figure. */
static double mean_of(const struct entry *entries, size_t n, const char *object,
                      const char *member) {
  double sum = 0;
  int known = 0;
  for (size_t i = 0; i < n; i++) {
    const cJSON *group = entries[i].group;
    double value = json_number(object[0] ? json_get(group, object) : group, member);
    if (isnan(value))
      continue;
    sum += value;
    known++;
  }
  return known > 0 ? sum / known : (double)NAN;
}

static double jobs_of(const struct entry *entries, size_t n) {
  double jobs = 0;
  const cJSON *count;
  for (size_t i = 0; i < n; i++) {
    cJSON_ArrayForEach(count, json_get(entries[i].group, "jobs")) {
      jobs += count->valuedouble;
    }
  }
  return jobs / (double)n;
}

/* The groups of one name, each of another seed. */
static void add_row(struct text_table *table, const char *label, const struct entry *entries,
                    size_t n) {
  double finished = mean_of(entries, n, "jobs", "finished"), jobs = jobs_of(entries, n);
  const cJSON *name = entries[0].name;
  text_table_row(table);
  text_table_set(table, COLUMN_POLICY, "%s", label);
  if (cJSON_IsNumber(name))
    text_table_set(table, COLUMN_GROUP, "%.0f", name->valuedouble);
  else
    text_table_set(table, COLUMN_GROUP, "%s", cJSON_IsString(name) ? name->valuestring : "-");
  text_table_set(table, COLUMN_JOBS, "%.6g/%.6g", finished, jobs);
  for (int c = 0; c < N_FIGURES; c++) {
    char text[16];
    double value = mean_of(entries, n, columns[c].object, columns[c].member) * columns[c].scale;
    text_number(value, text);
    bool starred = columns[c].over_finished && finished < jobs && !isnan(value);
    text_table_set(table, COLUMN_FIRST + c, "%s%s", text, starred ? "*" : "");
  }
}

static void add_headings(struct text_table *table, const char *key) {
  static const char *const left[2][COLUMN_FIRST] = {{"", "", "finished"},
                                                    {"policy", "", "of jobs"}};
  for (int h = 0; h < 2; h++) {
    text_table_row(table);
    for (int c = 0; c < COLUMN_FIRST; c++)
      text_table_set(table, c, "%s", left[h][c]);
    for (int c = 0; c < N_FIGURES; c++)
      text_table_set(table, COLUMN_FIRST + c, "%s", columns[c].heading[h]);
  }
  text_table_set(table, COLUMN_GROUP, "%s", key);
}

void summary_by_table(const cJSON *document, const cJSON *rows, FILE *out) {
  /* Runs stand policy by policy, so many of each row. */
  const cJSON *runs = json_get(document, "runs"), *run, *row, *by = NULL;
  int each = comparison_runs_each(document, rows), r = 0;
  cJSON_ArrayForEach(run, runs) {
    by = by ? by : json_get(run, "by");
  }
  if (!by)
    return;
  struct text_table table;
  text_table_init(&table, N_COLUMNS);
  add_headings(&table, json_text(by, "key", "?"));
  cJSON_ArrayForEach(row, rows) {
    size_t n;
    struct entry *entries = entries_of(runs, r++ * each, each, &n);
    for (size_t i = 0, end = 0; i < n; i = end) {
      while (end < n && by_name(entries[i].name, entries[end].name) == 0)
        end++;
      add_row(&table, json_text(row, "label", "?"), entries + i, end - i);
    }
    free(entries);
  }
  fputc('\n', out);
  text_table_print(&table, 1U << COLUMN_GROUP, out);
  text_table_free(&table);
}
