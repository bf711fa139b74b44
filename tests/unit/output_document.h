/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summary documents of the story in output_world.h, for the tests of summary and check. */
#ifndef OUTPUT_DOCUMENT_H
#define OUTPUT_DOCUMENT_H

#include "output/json.h"
#include "output/summary.h"
#include "output_world.h"

/* `text` with the first `from`, which must be there, replaced by `to`; to be freed. */
__attribute__((unused)) static char *replaced(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  if (at == NULL)
    fail_msg("no %s", from);
  size_t n = strlen(text) + strlen(to) + 1;
  char *made = mem_alloc(n, 1);
  snprintf(made, n, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return made;
}

static const struct hsim_option document_options[] = {
    {.name = "beam", .kind = HSIM_OPTION_INT, .fallback = "16", .min = 1, .max = 100},
    {.name = "alpha", .kind = HSIM_OPTION_REAL, .fallback = "0.1", .min = 0, .max = 1},
    {.name = "fast", .kind = HSIM_OPTION_BOOL, .fallback = "1"},
    {.name = "order", .kind = HSIM_OPTION_CHOICE, .fallback = "dens", .choices = "fifo|dens|sjf"},
    {.name = "file", .kind = HSIM_OPTION_TEXT, .fallback = ""},
};
enum { N_DOCUMENT_OPTIONS = 5 };

struct document_run {
  struct hsim_value values[N_DOCUMENT_OPTIONS];
  struct semantics semantics;
  struct costs costs;
  struct summary_run summary;
};

/* A run of the story; `figures` must stay. */
__attribute__((unused)) static void document_run_init(struct document_run *run, struct world *w,
                                                      const char *policy,
                                                      const struct figures *figures) {
  static const struct summary_pair stats[] = {{"price_mean", 0.1}, {"nothing", NAN}};
  memset(run, 0, sizeof *run);
  run->values[0].as.i = 16;
  run->values[1].as.real = 0.1;
  run->values[2].as.i = 1;
  run->values[3].as.i = 1;
  run->values[4].text = "";
  assert_int_equal(semantics_preset("default", &run->semantics, NULL), HSIM_OK);
  assert_int_equal(costs_preset("default", &run->costs, NULL), HSIM_OK);
  run->summary = (struct summary_run){.id = {.policy = policy,
                                             .options = document_options,
                                             .values = run->values,
                                             .n_options = N_DOCUMENT_OPTIONS},
                                      .mode = HSIM_MODE_ROUND,
                                      .round_s = 360,
                                      .until_s = INFINITY,
                                      .semantics = &run->semantics,
                                      .costs = &run->costs,
                                      .oracle = HSIM_KNOWS_REMAINING,
                                      .n_jobs = w->trace.n_jobs,
                                      .measure_from = 0,
                                      .measure_to = w->trace.n_jobs,
                                      .cluster = &w->cluster.view,
                                      .figures = figures,
                                      .stats = stats,
                                      .n_stats = 2};
}

__attribute__((unused)) static void story_figures(struct world *w, struct metrics **metrics,
                                                  struct figures *figures) {
  tell_story(w);
  *metrics = metrics_create(&w->info, 0, w->trace.n_jobs);
  replay(w, metrics_sink(*metrics), NULL);
  metrics_figures(*metrics, figures);
}

__attribute__((unused)) static char *document_of(struct world *w, const char *const *runs,
                                                 size_t n) {
  w->trace.file = mem_text("traces/st\xc3\xb6ry.csv");
  snprintf(w->trace.sha256, sizeof w->trace.sha256, "00ff");
  w->trace.format = "native";
  w->trace.rows = 5;
  w->trace.skipped_rows = 1;
  w->trace.counts[0] = (struct trace_count){"bad rows", 1, true};
  w->trace.counts[1] = (struct trace_count){"jobs with a part of a GPU, rounded up", 2, false};
  w->trace.n_counts = 2;
  w->trace.unit = "minutes";
  w->trace.gpu_s = 12.25 * 3600;
  free(w->rates.file);
  w->rates.file = mem_text("builtin:gavel");
  snprintf(w->rates.sha256, sizeof w->rates.sha256, "11ee");
  struct summary_document document = {.version = "0.1.0",
                                      .trace = &w->trace,
                                      .cluster = &w->cluster,
                                      .rates = &w->rates,
                                      .seed = UINT64_MAX,
                                      .runs = runs,
                                      .n_runs = n};
  char *text = summary_document_text(&document);
  free(w->trace.file);
  w->trace.file = NULL;
  return text;
}

#endif
