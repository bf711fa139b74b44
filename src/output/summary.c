/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/json.h"
#include "output/trace_notes.h"

/* The text of choice i of "a|b|c". */
static char *choice_text(const char *choices, int64_t i) {
  const char *at = choices == NULL ? "" : choices;
  for (; i > 0 && strchr(at, '|') != NULL; i--)
    at = strchr(at, '|') + 1;
  return mem_text_n(at, strcspn(at, "|"));
}

static void add_option(cJSON *object, const struct hsim_option *option,
                       const struct hsim_value *value) {
  switch (option->kind) {
  case HSIM_OPTION_BOOL:
    json_add_bool(object, option->name, value->as.i != 0);
    break;
  case HSIM_OPTION_INT:
    json_add_int(object, option->name, value->as.i);
    break;
  case HSIM_OPTION_REAL:
    json_add_number(object, option->name, value->as.real);
    break;
  case HSIM_OPTION_CHOICE: {
    char *text = choice_text(option->choices, value->as.i);
    json_add_text(object, option->name, text);
    free(text);
    break;
  }
  case HSIM_OPTION_TEXT:
    json_add_text(object, option->name, value->text);
    break;
  }
}

static void add_id(cJSON *run, const struct summary_id *id) {
  json_add_text(run, "policy", id->policy);
  cJSON *options = json_object();
  for (int i = 0; i < id->n_options; i++)
    add_option(options, &id->options[i], &id->values[i]);
  json_add(run, "options", options);
  if (id->seeded)
    json_add_count(run, "seed", id->seed);
}

static void add_semantics(cJSON *run, const struct semantics *semantics) {
  cJSON *object = json_object();
  json_add_text(object, "preset", semantics->preset);
  const char *name, *value;
  bool number;
  char buffer[32];
  for (int i = 0; semantics_field(semantics, i, &name, &value, &number, buffer); i++) {
    if (number) {
      json_add(object, name, json_raw_item(value));
    } else {
      json_add_text(object, name, value);
    }
  }
  json_add(run, "semantics", object);
}

static void add_costs(cJSON *run, const struct costs *costs) {
  static const char *const rollbacks[] = {[ROLLBACK_NONE] = "none",
                                          [ROLLBACK_EPOCH] = "epoch",
                                          [ROLLBACK_INTERVAL] = "interval",
                                          [ROLLBACK_FAILURE] = "failure"};
  cJSON *object = json_object();
  json_add_number(object, "start", costs->start);
  json_add_number(object, "move", costs->move);
  json_add_number(object, "resize", costs->resize);
  json_add_text(object, "rollback", rollbacks[costs->rollback]);
  json_add_number(object, "checkpoint_s", costs->checkpoint_s);
  json_add_number(object, "checkpoint_interval_s", costs->checkpoint_interval_s);
  json_add(run, "costs", object);
}

static void add_setting(cJSON *object, const struct summary_run *run) {
  bool rounds = run->mode == HSIM_MODE_ROUND;
  json_add_text(object, "mode", rounds ? "round" : "event");
  json_add_number(object, "round_s", rounds ? run->round_s : NAN);
  if (isfinite(run->until_s))
    json_add_number(object, "until_s", run->until_s);
  add_semantics(object, run->semantics);
  add_costs(object, run->costs);
  cJSON *oracle = json_array();
  if ((run->oracle & HSIM_KNOWS_RATES) != 0)
    json_append(oracle, json_text_item("rates"));
  if ((run->oracle & HSIM_KNOWS_REMAINING) != 0)
    json_append(oracle, json_text_item("remaining"));
  json_add(object, "oracle", oracle);
  if (run->measure_from == 0 && run->measure_to == run->n_jobs)
    return;
  cJSON *measure = json_object();
  json_add_int(measure, "from", run->measure_from);
  json_add_int(measure, "to", run->measure_to);
  json_add(object, "measure", measure);
}

void summary_add_jobs(cJSON *object, const struct figures *f) {
  cJSON *jobs = json_object();
  json_add_count(jobs, "finished", f->finished);
  json_add_count(jobs, "rejected", f->rejected);
  json_add_count(jobs, "dropped", f->dropped);
  json_add_count(jobs, "cancelled", f->cancelled);
  json_add_count(jobs, "unfinished", f->unfinished);
  json_add(object, "jobs", jobs);
}

static void add_quantiles(cJSON *object, const char *name, const struct quantiles *q) {
  cJSON *item = json_object();
  json_add_number(item, "mean", q->mean);
  json_add_number(item, "p50", q->p50);
  json_add_number(item, "p90", q->p90);
  json_add_number(item, "p99", q->p99);
  json_add_number(item, "max", q->max);
  json_add(object, name, item);
}

static void add_rho(cJSON *object, const struct figures *f) {
  cJSON *rho = json_object();
  json_add_number(rho, "mean", f->rho.mean);
  json_add_number(rho, "p50", f->rho.p50);
  json_add_number(rho, "p99", f->rho.p99);
  json_add_number(rho, "max", f->rho.max);
  json_add_number(rho, "unfair_fraction", f->unfair_fraction);
  json_add_number(rho, "jain", f->jain);
  json_add(object, "rho", rho);
}

void summary_add_job_figures(cJSON *object, const struct figures *f) {
  add_quantiles(object, "jct_s", &f->jct);
  add_quantiles(object, "queueing_s", &f->queueing);
  add_quantiles(object, "slowdown", &f->slowdown);
  add_rho(object, f);
}

static void add_utilisation(cJSON *object, const struct figures *f,
                            const struct hsim_cluster *cluster) {
  cJSON *item = json_object(), *types = json_object();
  json_add_number(item, "held", f->held);
  json_add_number(item, "busy", f->busy);
  json_add_number(item, "productive", f->productive);
  for (int t = 0; t < cluster->n_types; t++)
    json_add_number(types, cluster->type_names[t], f->held_by_type[t]);
  json_add(item, "held_by_type", types);
  json_add_number(item, "node_mean", f->node_mean);
  json_add(object, "utilisation", item);
}

static void add_faults(cJSON *object, const struct figures *f) {
  cJSON *item = json_object();
  json_add_number(item, "availability", f->availability);
  json_add_number(item, "lost_gpu_h", f->lost_gpu_s / 3600.0);
  json_add_count(item, "restarts", f->restarts);
  json_add(object, "faults", item);
}

static void add_counts(cJSON *object, const struct figures *f) {
  cJSON *counts = json_object();
  json_add_count(counts, "rounds", f->rounds);
  json_add_count(counts, "starts", f->starts);
  json_add_count(counts, "preemptions", f->preemptions);
  json_add_count(counts, "migrations", f->migrations);
  json_add_count(counts, "resizes", f->resizes);
  json_add_count(counts, "moved_workers", f->moved_workers);
  json_add(object, "counts", counts);
}

static void add_waits(cJSON *object, const struct figures *f) {
  cJSON *waits = json_object();
  for (int r = 0; r < HSIM_N_REASONS; r++)
    json_add_number(waits, metrics_reason_name((enum hsim_reason)r), f->wait_s[r]);
  json_add(object, "wait_by_reason_s", waits);
}

static void add_reasons(cJSON *object, const char *name, const struct reason_count *reasons,
                        int n) {
  if (n == 0)
    return;
  cJSON *item = json_object();
  for (int i = 0; i < n; i++)
    json_add_count(item, reasons[i].text, reasons[i].n);
  json_add(object, name, item);
}

static void add_pairs(cJSON *object, const char *name, const struct summary_pair *pairs, size_t n) {
  cJSON *item = json_object();
  for (size_t i = 0; i < n; i++)
    json_add_number(item, pairs[i].name, pairs[i].value);
  json_add(object, name, item);
}

/* Prints a run for its place in the document: an item of an array in an object. */
static char *print_run(cJSON *run) {
  char *text = json_print(run, 2);
  cJSON_Delete(run);
  return text;
}

char *summary_run_text(const struct summary_run *run) {
  const struct figures *f = run->figures;
  cJSON *object = json_object();
  add_id(object, &run->id);
  add_setting(object, run);
  if (run->interrupted)
    json_add_bool(object, "interrupted", true);
  summary_add_jobs(object, f);
  json_add_number(object, "end_s", f->end_s);
  json_add_number(object, "makespan_s", f->makespan_s);
  summary_add_job_figures(object, f);
  add_utilisation(object, f, run->cluster);
  add_counts(object, f);
  add_faults(object, f);
  add_waits(object, f);
  add_reasons(object, "rejected_by_reason", f->rejected_by, f->n_rejected_by);
  add_reasons(object, "dropped_by_reason", f->dropped_by, f->n_dropped_by);
  if (run->by != GROUP_NONE)
    json_add(object, "by", summary_by_item(run));
  if (run->bound)
    json_add(object, "bound", summary_run_bound_item(run));
  add_pairs(object, "policy_stats", run->stats, run->n_stats);
  if (run->n_timing > 0)
    add_pairs(object, "timing", run->timing, run->n_timing);
  return print_run(object);
}

char *summary_failed_text(const struct summary_id *id, const char *error) {
  cJSON *object = json_object();
  add_id(object, id);
  json_add_text(object, "error", error);
  return print_run(object);
}

static void add_trace(cJSON *document, const struct summary_document *d) {
  const struct trace *trace = d->trace;
  int n = trace->n_jobs;
  cJSON *item = json_object();
  json_add_text(item, "file", trace->file);
  json_add_text(item, "sha256", trace->sha256);
  json_add_text(item, "format", trace->format);
  json_add_int(item, "rows", trace->rows);
  json_add_int(item, "skipped_rows", trace->skipped_rows);
  trace_notes_add_skipped(item, trace);
  trace_notes_add_unit(item, trace);
  if (trace->shake > 0)
    json_add_number(item, "shake", trace->shake);
  json_add_int(item, "jobs", n);
  json_add_text(item, "assigned", trace->assigned);
  json_add_int(item, "derived_rates", trace->derived_rates);
  json_add_number(item, "first_arrival_s", n > 0 ? trace->jobs[0].arrival_s : NAN);
  json_add_number(item, "last_arrival_s", n > 0 ? trace->jobs[n - 1].arrival_s : NAN);
  json_add_number(item, "gpu_hours", trace->gpu_s / 3600.0);
  json_add_int(item, "other_reference", trace->other_reference);
  json_add_int(item, "not_modelled", trace->not_modelled);
  trace_notes_add_remarks(item, trace);
  json_add(document, "trace", item);
}

static void add_cluster(cJSON *document, const struct cluster *cluster) {
  const struct hsim_cluster *view = &cluster->view;
  cJSON *item = json_object(), *gpus = json_object();
  json_add_text(item, "name", view->name);
  json_add_int(item, "nodes", view->n_nodes);
  for (int t = 0; t < view->n_types; t++)
    json_add_int(gpus, view->type_names[t], view->type_gpus[t]);
  json_add(item, "gpus", gpus);
  json_add_int(item, "skipped_nodes", cluster->skipped_nodes);
  json_add(document, "cluster", item);
}

static void add_outages(cJSON *document, const struct outages *outages) {
  if (!outages || !(outages->file || outages->faults.mtbf_s > 0 || outages->node_speed))
    return;
  cJSON *item = json_object();
  if (outages->file) {
    json_add_text(item, "file", outages->file);
    json_add_text(item, "sha256", outages->sha256);
  }
  if (outages->faults.mtbf_s > 0) {
    json_add_number(item, "mtbf_h", outages->faults.mtbf_s / 3600.0);
    json_add_number(item, "mttr_h", outages->faults.mttr_s / 3600.0);
    json_add_number(item, "mtbf_shape", outages->faults.shape);
  }
  if (outages->node_speed) {
    json_add_number(item, "slow_share", outages->slow_share);
    json_add_number(item, "slow_factor", outages->slow_factor);
  }
  json_add(document, "outages", item);
}

static void add_seeds(cJSON *document, const struct summary_document *d) {
  if (d->n_seeds == 0)
    return;
  cJSON *seeds = json_array();
  char text[24];
  for (size_t i = 0; i < d->n_seeds; i++) {
    snprintf(text, sizeof text, "%" PRIu64, d->seeds[i]);
    json_append(seeds, json_raw_item(text));
  }
  json_add(document, "seeds", seeds);
}

char *summary_document_text(const struct summary_document *d) {
  cJSON *document = json_object(), *rates = json_object(), *runs = json_array();
  json_add_text(document, "schema", SUMMARY_SCHEMA);
  json_add_text(document, "hsim_version", d->version);
  add_trace(document, d);
  add_cluster(document, d->cluster);
  json_add_text(rates, "file", d->rates->file);
  json_add_text(rates, "sha256", d->rates->sha256);
  json_add(document, "rates", rates);
  if (d->input)
    json_add(document, "input", json_raw_item(d->input));
  json_add_count(document, "seed", d->seed);
  add_seeds(document, d);
  add_outages(document, d->outages);
  for (size_t i = 0; i < d->n_runs; i++)
    json_append(runs, json_raw_item(d->runs[i]));
  json_add(document, "runs", runs);
  if (d->comparison)
    json_add(document, "comparison", json_raw_item(d->comparison));
  char *text = json_print(document, 0);
  cJSON_Delete(document);
  return text;
}
