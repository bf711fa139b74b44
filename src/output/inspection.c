/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/inspection.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/inspection_work.h"
#include "output/json.h"
#include "output/trace_notes.h"

static void add_reason(cJSON *list, const char *what, int rows, const char *first) {
  cJSON *reason = json_object();
  json_add_text(reason, "reason", what);
  json_add_int(reason, "rows", rows);
  json_add_text(reason, "first", first);
  json_append(list, reason);
}

/* Rows that are no jobs, and bad rows by what is wrong with them. */
static void add_skipped(cJSON *document, const struct inspection_input *in) {
  const struct trace *trace = in->trace;
  cJSON *skipped = json_array();
  for (int i = 0; i < trace->n_counts; i++)
    if (trace->counts[i].skipped && strcmp(trace->counts[i].what, TRACE_BAD_ROWS) != 0)
      add_reason(skipped, trace->counts[i].what, trace->counts[i].n, NULL);
  for (int r = 0; r < in->bad->reasons.n; r++)
    add_reason(skipped, in->bad->reasons.at[r], in->bad->counts[r], in->bad->firsts.at[r]);
  json_add(document, "skipped", skipped);
}

static void add_trace(cJSON *document, const struct inspection_input *in) {
  const struct trace *trace = in->trace;
  cJSON *item = json_object();
  json_add_text(item, "file", trace->file);
  json_add_text(item, "sha256", trace->sha256);
  json_add_text(item, "format", trace->format);
  json_add_int(item, "rows", trace->rows);
  json_add_int(item, "loaded_rows", trace->rows - trace->skipped_rows);
  json_add_int(item, "skipped_rows", trace->skipped_rows);
  json_add_int(item, "jobs", trace->n_jobs);
  json_add_text(item, "assigned", trace->assigned);
  json_add_int(item, "derived_rates", trace->derived_rates);
  json_add_int(item, "other_reference", trace->other_reference);
  json_add_int(item, "not_modelled", trace->not_modelled);
  trace_notes_add_unit(item, trace);
  trace_notes_add_remarks(item, trace);
  json_add(document, "trace", item);
  add_skipped(document, in);
}

static cJSON *quantiles_item(const struct quantiles *q) {
  cJSON *item = json_object();
  json_add_number(item, "mean", q->mean);
  json_add_number(item, "p50", q->p50);
  json_add_number(item, "p90", q->p90);
  json_add_number(item, "p99", q->p99);
  json_add_number(item, "max", q->max);
  return item;
}

static void add_arrivals(cJSON *document, const struct inspection_input *in, const double *work_s) {
  const struct trace *trace = in->trace;
  double first = trace->jobs[0].arrival_s, last = trace->jobs[trace->n_jobs - 1].arrival_s;
  struct arrival_figures figures = inspection_arrivals(in, work_s);
  cJSON *item = json_object();
  json_add_number(item, "first_s", first);
  json_add_number(item, "last_s", last);
  json_add_number(item, "span_s", last - first);
  json_add(item, "gap_s", quantiles_item(&figures.gaps_s));
  json_add_int(item, "ties", figures.ties);
  json_add_int(item, "out_of_order", figures.out_of_order);
  json_add_int(item, "duplicates", figures.duplicates);
  json_add(document, "arrivals", item);
}

static void add_durations(cJSON *document, const struct inspection_input *in,
                          const double *work_s) {
  double *values = mem_alloc((size_t)in->trace->n_jobs, sizeof *values), gpu_s = 0;
  size_t n = 0;
  for (int i = 0; i < in->trace->n_jobs; i++)
    if (!isnan(work_s[i])) {
      values[n++] = work_s[i];
      gpu_s += work_s[i] * in->trace->jobs[i].workers;
    }
  struct quantiles q = quantiles_of(values, n);
  json_add_text(document, "reference_gpu", in->reference_name);
  json_add(document, "duration_s", quantiles_item(&q));
  json_add_int(document, "without_rate", in->trace->n_jobs - (int)n);
  json_add_number(document, "gpu_hours", gpu_s / 3600);
  free(values);
}

static void add_groups(cJSON *document, const struct inspection_input *in, const double *work_s,
                       enum group_by by) {
  static const char *const names[] = {"by_workers", "by_model", "by_tenant"};
  struct groups groups = inspection_groups(in, work_s, by);
  cJSON *list = json_array();
  for (size_t i = 0; i < groups.n; i++) {
    const struct group *group = &groups.at[i];
    cJSON *item = json_object();
    if (by == BY_WORKERS)
      json_add_int(item, "workers", group->number);
    else if (by == BY_MODEL)
      json_add_text(item, "model", in->rates->models.at[group->number]);
    else
      json_add_text(item, "tenant",
                    group->number < 0 ? NULL : in->trace->tenants.at[group->number]);
    json_add_int(item, "jobs", group->jobs);
    json_add_number(item, "gpu_hours", group->gpu_s / 3600);
    json_append(list, item);
  }
  if (by == BY_TENANT && in->trace->tenants.n == 0) {
    cJSON_Delete(list);
    list = json_array();
  }
  json_add(document, names[by], list);
  free(groups.at);
}

static void add_cluster(cJSON *document, const struct inspection_input *in) {
  const struct hsim_cluster *view = &in->cluster->view;
  cJSON *item = json_object();
  json_add_text(item, "name", view->name);
  json_add_int(item, "nodes", view->n_nodes);
  json_add_int(item, "gpus", view->n_gpus);
  json_add(document, "cluster", item);
  cJSON *rates = json_object();
  json_add_text(rates, "file", in->rates->file);
  json_add_text(rates, "sha256", in->rates->sha256);
  json_add(document, "rates", rates);
}

/* ---- load ---- */

static double share(double gpu_s, int gpus, double span_s) {
  return span_s > 0 ? gpu_s / (gpus * span_s) : NAN;
}

static void add_types(cJSON *item, const struct inspection_input *in,
                      const struct load_figures *load) {
  const struct hsim_cluster *view = &in->cluster->view;
  cJSON *types = json_array();
  for (int t = 0; t < view->n_types; t++) {
    const struct load_of_type *here = &load->types[t];
    cJSON *type = json_object();
    json_add_text(type, "gpu_type", view->type_names[t]);
    json_add_int(type, "gpus", view->type_gpus[t]);
    json_add_int(type, "jobs", here->jobs);
    json_add_number(type, "gpu_hours", here->gpu_s / 3600);
    json_add_number(type, "load", share(here->gpu_s, view->type_gpus[t], load->span_s));
    json_add_int(type, "only_here_jobs", here->only_here);
    json_add_number(type, "only_here_load",
                    share(here->only_here_gpu_s, view->type_gpus[t], load->span_s));
    json_append(types, type);
  }
  json_add(item, "by_type", types);
}

static void add_never(cJSON *document, const struct inspection_input *in,
                      const struct load_figures *load) {
  cJSON *never = json_array();
  for (size_t r = 0; r < load->n_why; r++) {
    cJSON *reason = json_object();
    json_add_text(reason, "reason", load->never.at[r]);
    json_add_int(reason, "jobs", load->why[r].jobs);
    json_add_text(reason, "first", in->trace->jobs[load->why[r].first].id);
    json_append(never, reason);
  }
  json_add(document, "never", never);
  json_add_int(document, "never_jobs", load->never_total);
  json_add_int(document, "never_unless_types_mix", load->never_unless_mixed);
}

static void warn(cJSON *warnings, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(cJSON *warnings, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  json_append(warnings, json_text_item(text));
}

static void add_warnings(cJSON *document, const struct inspection_input *in,
                         const struct load_figures *load) {
  const struct hsim_cluster *view = &in->cluster->view;
  cJSON *warnings = json_array();
  double whole = load->span_s > 0 ? load->whole_s / load->span_s : NAN;
  if (whole > 1)
    warn(warnings,
         "the offered load is %.2f times what the cluster can serve while jobs arrive: queues grow "
         "until the last arrival",
         whole);
  for (int t = 0; t < view->n_types; t++) {
    double only = share(load->types[t].only_here_gpu_s, view->type_gpus[t], load->span_s);
    if (only > 1)
      warn(warnings, "%d jobs can run on %.80s only, and ask %.2f times for what it has",
           load->types[t].only_here, view->type_names[t], only);
  }
  if (load->never_total > 0)
    warn(warnings, "%d job%s can never run on this cluster%s", load->never_total,
         load->never_total == 1 ? "" : "s",
         load->never_unless_mixed > 0 ? ", unless a policy mixes GPU types in a gang" : "");
  int bad_rows = 0;
  for (int r = 0; r < in->bad->reasons.n; r++)
    bad_rows += in->bad->counts[r];
  if (bad_rows > 0)
    warn(warnings, "%d bad row%s skipped", bad_rows, bad_rows == 1 ? " is" : "s are");
  if (in->trace->not_modelled > 0)
    warn(warnings, "%d rows have a feature that hsim does not model", in->trace->not_modelled);
  json_add(document, "warnings", warnings);
}

static void add_load(cJSON *document, const struct inspection_input *in) {
  struct load_figures load;
  inspection_load(in, &load);
  cJSON *item = json_object();
  json_add_number(item, "span_s", load.span_s);
  json_add_number(item, "whole", load.span_s > 0 ? load.whole_s / load.span_s : NAN);
  json_add_number(item, "whole_hours", load.whole_s / 3600);
  add_types(item, in, &load);
  json_add(document, "load", item);
  add_never(document, in, &load);
  add_warnings(document, in, &load);
  inspection_load_free(&load);
}

cJSON *inspection_document(const struct inspection_input *input) {
  cJSON *document = json_object();
  double *work_s = inspection_work(input);
  json_add_text(document, "schema", "hsim.inspection/1");
  json_add_text(document, "hsim_version", input->version);
  add_trace(document, input);
  add_arrivals(document, input, work_s);
  add_durations(document, input, work_s);
  for (int by = BY_WORKERS; by <= BY_TENANT; by++)
    add_groups(document, input, work_s, (enum group_by)by);
  free(work_s);
  add_cluster(document, input);
  add_load(document, input);
  return document;
}
