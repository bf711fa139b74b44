/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/trace_notes.h"

#include <stdio.h>

#include "output/json.h"

enum { NOTE_SIZE = 300 };

static void add_counts(cJSON *item, const struct trace *trace, const char *name, bool skipped) {
  cJSON *counts = NULL;
  for (int i = 0; i < trace->n_counts; i++) {
    const struct trace_count *count = &trace->counts[i];
    if (count->skipped != skipped)
      continue;
    if (counts == NULL)
      counts = json_object();
    json_add_int(counts, count->what, count->n);
  }
  if (counts != NULL)
    json_add(item, name, counts);
}

void trace_notes_add_skipped(cJSON *item, const struct trace *trace) {
  add_counts(item, trace, "skipped_by_reason", true);
}

void trace_notes_add_remarks(cJSON *item, const struct trace *trace) {
  add_counts(item, trace, "remarks", false);
}

void trace_notes_add_unit(cJSON *item, const struct trace *trace) {
  if (trace->unit != NULL)
    json_add_text(item, "time_unit", trace->unit);
}

/* A line a count of the trace's rows. */
static void tell_counts(const cJSON *item, const char *name, const char *before,
                        trace_note_function *tell, void *state) {
  const cJSON *count;
  cJSON_ArrayForEach(count, json_get(item, name)) {
    char text[NOTE_SIZE];
    snprintf(text, sizeof text, "%s%s: %.0f", before, count->string, count->valuedouble);
    tell(state, text);
  }
}

void trace_notes_reading(const cJSON *item, trace_note_function *tell, void *state) {
  const char *unit = json_text(item, "time_unit", NULL);
  if (unit != NULL) {
    char text[NOTE_SIZE];
    snprintf(text, sizeof text, "times of the trace are read as %s (--time-unit)", unit);
    tell(state, text);
  }
  tell_counts(item, "skipped_by_reason", "rows of the trace that were skipped, ", tell, state);
  tell_counts(item, "remarks", "", tell, state);
}

void trace_notes_work(const cJSON *item, trace_note_function *tell, void *state) {
  static const char *const notes[][2] = {
      {"derived_rates",
       "jobs whose rates the table lacks, so that they were derived from other gang sizes"},
      {"other_reference",
       "jobs that cannot run on the reference GPU type, whose duration was taken to be that on "
       "their fastest type"},
      {"not_modelled", "jobs with a batch mode that is not modelled"}};
  for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
    double n = json_number(item, notes[i][0]);
    char text[NOTE_SIZE];
    if (!(n > 0.0))
      continue;
    snprintf(text, sizeof text, "%s: %.0f", notes[i][1], n);
    tell(state, text);
  }
}
