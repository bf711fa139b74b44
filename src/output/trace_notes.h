/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What reading made of a trace's rows, in the words that all commands use: as keys of the object
 * `trace` of a document, and as lines for people that are made from such an object, read back from
 * its text.
 */
#ifndef HSIM_OUTPUT_TRACE_NOTES_H
#define HSIM_OUTPUT_TRACE_NOTES_H

#include <cjson/cJSON.h>

#include "model/trace.h"

/* `skipped_by_reason` and `remarks`: an object of numbers, only if there are any; `time_unit`: only
 * where the file does not state it. */
void trace_notes_add_skipped(cJSON *item, const struct trace *trace);
void trace_notes_add_remarks(cJSON *item, const struct trace *trace);
void trace_notes_add_unit(cJSON *item, const struct trace *trace);

typedef void trace_note_function(void *state, const char *text);

/* A call for each of the three keys' notes. */
void trace_notes_reading(const cJSON *item, trace_note_function *tell, void *state);
/* A call for each of `derived_rates`, `other_reference` and `not_modelled` that is there and not 0.
 */
void trace_notes_work(const cJSON *item, trace_note_function *tell, void *state);

#endif
