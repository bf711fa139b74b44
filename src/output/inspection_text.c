/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "output/inspection.h"
#include "output/json.h"
#include "output/text_table.h"
#include "output/trace_notes.h"

enum { MOST_ROWS = 12 };

static void number(const cJSON *object, const char *name, double unit, char out[16]) {
  text_number(json_number(object, name) / unit, out);
}

static void print_note(void *out, const char *text) {
  text_paragraph(out, 13, "           %s", text);
}

static void print_trace(const cJSON *document, FILE *out) {
  const cJSON *trace = json_get(document, "trace"), *reason;
  const char *assigned = json_text(trace, "assigned", NULL);
  double loaded = json_number(trace, "loaded_rows"), jobs = json_number(trace, "jobs");
  text_paragraph(out, 11, "trace      %s (%s): %.0f rows read, %.0f loaded, %.0f skipped%s%s",
                 json_text(trace, "file", "?"), json_text(trace, "format", "?"),
                 json_number(trace, "rows"), loaded, json_number(trace, "skipped_rows"),
                 assigned ? "; models assigned by rule " : "", assigned ? assigned : "");
  cJSON_ArrayForEach(reason, json_get(document, "skipped")) {
    text_paragraph(out, 13, "           %.0f x %s", json_number(reason, "rows"),
                   json_text(reason, "reason", "?"));
    if (json_text(reason, "first", NULL))
      text_paragraph(out, 15, "             first: %s", json_text(reason, "first", "?"));
  }
  trace_notes_reading(trace, print_note, out);
  if (jobs != loaded)
    text_paragraph(out, 11, "selected   %.0f jobs of these", jobs);
}

static void print_arrivals(const cJSON *document, FILE *out) {
  const cJSON *arrivals = json_get(document, "arrivals"), *gaps = json_get(arrivals, "gap_s");
  char first[16], last[16], hours[16], mean[16], p50[16], p99[16], max[16];
  number(arrivals, "first_s", 1, first);
  number(arrivals, "last_s", 1, last);
  number(arrivals, "span_s", 3600, hours);
  number(gaps, "mean", 1, mean);
  number(gaps, "p50", 1, p50);
  number(gaps, "p99", 1, p99);
  number(gaps, "max", 1, max);
  text_paragraph(out, 11,
                 "arrivals   from %s to %s s: %s h; gaps: mean %s s, median %s, p99 %s, "
                 "longest %s",
                 first, last, hours, mean, p50, p99, max);
  text_paragraph(out, 11,
                 "           ties %.0f, rows out of order %.0f, duplicates but for the id "
                 "%.0f",
                 json_number(arrivals, "ties"), json_number(arrivals, "out_of_order"),
                 json_number(arrivals, "duplicates"));
}

static void print_durations(const cJSON *document, FILE *out) {
  const cJSON *durations = json_get(document, "duration_s");
  static const char *const names[] = {"mean", "p50", "p90", "p99", "max"};
  char texts[5][16], work[16];
  bool hours = json_number(durations, "mean") >= 3600;
  for (int i = 0; i < 5; i++)
    number(durations, names[i], hours ? 3600 : 1, texts[i]);
  number(document, "gpu_hours", 1, work);
  text_paragraph(out, 11,
                 "durations  on %s, %s: mean %s, median %s, p90 %s, p99 %s, longest %s; %s "
                 "GPU-hours in all",
                 json_text(document, "reference_gpu", "?"), hours ? "hours" : "seconds", texts[0],
                 texts[1], texts[2], texts[3], texts[4], work);
  if (json_number(document, "without_rate") > 0)
    text_paragraph(out, 11, "           %.0f jobs have no rate on any type: not among these",
                   json_number(document, "without_rate"));
}

/* ---- groups ---- */

struct sums {
  int n;
  double jobs, hours;
};

static void set_group(struct text_table *table, double jobs, double hours, double all_jobs,
                      double all_hours) {
  char work[16];
  text_number(hours, work);
  text_table_set(table, 1, "%.0f", jobs);
  text_table_set(table, 2, "%.1f", 100 * jobs / all_jobs);
  text_table_set(table, 3, "%s", work);
  text_table_set(table, 4, "%.1f", all_hours > 0 ? 100 * hours / all_hours : 0);
}

static void print_groups(const cJSON *document, const char *list, const char *key, FILE *out) {
  const cJSON *group, *groups = json_get(document, list);
  double all_jobs = json_number(json_get(document, "trace"), "jobs");
  double all_hours = json_number(document, "gpu_hours");
  struct text_table table;
  struct sums shown = {0, 0, 0};
  int n = cJSON_GetArraySize(groups);
  if (n == 0)
    return;
  text_table_init(&table, 5);
  text_table_row(&table);
  text_table_set(&table, 0, "%s", key);
  text_table_set(&table, 1, "jobs");
  text_table_set(&table, 2, "%%");
  text_table_set(&table, 3, "GPU-hours");
  text_table_set(&table, 4, "%%");
  cJSON_ArrayForEach(group, groups) {
    if (shown.n == MOST_ROWS && n > MOST_ROWS + 1)
      break;
    text_table_row(&table);
    const cJSON *name = json_get(group, key);
    if (cJSON_IsNumber(name) || cJSON_IsRaw(name))
      text_table_set(&table, 0, "%.0f", json_number(group, key));
    else
      text_table_set(&table, 0, "%s", json_text(group, key, "(none)"));
    set_group(&table, json_number(group, "jobs"), json_number(group, "gpu_hours"), all_jobs,
              all_hours);
    shown.n++;
    shown.jobs += json_number(group, "jobs");
    shown.hours += json_number(group, "gpu_hours");
  }
  if (shown.n < n) {
    text_table_row(&table);
    text_table_set(&table, 0, "%d others", n - shown.n);
    set_group(&table, all_jobs - shown.jobs, fmax(all_hours - shown.hours, 0), all_jobs, all_hours);
  }
  fputc('\n', out);
  text_table_print(&table, 0, out);
  text_table_free(&table);
}

/* ---- load ---- */

static void set_load(struct text_table *table, int column, double load) {
  if (isnan(load))
    text_table_set(table, column, "-");
  else
    text_table_set(table, column, "%.3f", load);
}

static void print_load(const cJSON *document, FILE *out) {
  static const char *const heads[] = {"GPU type", "GPUs",      "jobs",         "GPU-hours",
                                      "load",     "only here", "load of these"};
  const cJSON *cluster = json_get(document, "cluster"), *load = json_get(document, "load"), *type;
  struct text_table table;
  text_table_init(&table, 7);
  text_table_row(&table);
  for (int c = 0; c < 7; c++)
    text_table_set(&table, c, "%s", heads[c]);
  cJSON_ArrayForEach(type, json_get(load, "by_type")) {
    char work[16];
    number(type, "gpu_hours", 1, work);
    text_table_row(&table);
    text_table_set(&table, 0, "%s", json_text(type, "gpu_type", "?"));
    text_table_set(&table, 1, "%.0f", json_number(type, "gpus"));
    text_table_set(&table, 2, "%.0f", json_number(type, "jobs"));
    text_table_set(&table, 3, "%s", work);
    set_load(&table, 4, json_number(type, "load"));
    text_table_set(&table, 5, "%.0f", json_number(type, "only_here_jobs"));
    set_load(&table, 6, json_number(type, "only_here_load"));
  }
  fputc('\n', out);
  text_paragraph(out, 11, "cluster    %s: %.0f nodes, %.0f GPUs", json_text(cluster, "name", "?"),
                 json_number(cluster, "nodes"), json_number(cluster, "gpus"));
  fputs("load       of each type if all jobs that fit there ran there, over the time of arrivals\n",
        out);
  text_table_print(&table, 0, out);
  text_table_free(&table);
  char hours[16];
  number(load, "whole_hours", 1, hours);
  double whole = json_number(load, "whole");
  if (isnan(whole))
    text_paragraph(out, 2, "all types together need %s h; all jobs arrive at once", hours);
  else
    text_paragraph(out, 2, "all types together: load %.3f (%s h of work)", whole, hours);
}

static void print_never(const cJSON *document, FILE *out) {
  const cJSON *reason, *reasons = json_get(document, "never");
  int shown = 0;
  if (cJSON_GetArraySize(reasons) == 0)
    return;
  text_paragraph(out, 0, "\njobs that can never run: %.0f, of which %.0f can where gangs mix types",
                 json_number(document, "never_jobs"),
                 json_number(document, "never_unless_types_mix"));
  cJSON_ArrayForEach(reason, reasons) {
    if (shown++ == MOST_ROWS)
      break;
    text_paragraph(out, 4, "  %.0f: %s (first: %s)", json_number(reason, "jobs"),
                   json_text(reason, "reason", "?"), json_text(reason, "first", "?"));
  }
  if (shown > MOST_ROWS)
    text_paragraph(out, 4, "  and %d more reasons (--json has all)",
                   cJSON_GetArraySize(reasons) - MOST_ROWS);
}

void inspection_print(const cJSON *document, FILE *out) {
  const cJSON *warning, *warnings = json_get(document, "warnings");
  print_trace(document, out);
  print_arrivals(document, out);
  print_durations(document, out);
  print_groups(document, "by_workers", "workers", out);
  print_groups(document, "by_model", "model", out);
  print_groups(document, "by_tenant", "tenant", out);
  print_load(document, out);
  print_never(document, out);
  if (cJSON_GetArraySize(warnings) > 0)
    fputc('\n', out);
  cJSON_ArrayForEach(warning, warnings) {
    text_paragraph(out, 2, "warning: %s", warning->valuestring);
  }
}
