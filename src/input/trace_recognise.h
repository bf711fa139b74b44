/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of trace formats, by name and by content; only trace.c includes it. */
#ifndef HSIM_INPUT_TRACE_RECOGNISE_H
#define HSIM_INPUT_TRACE_RECOGNISE_H

#include "input/trace_table.h"

struct trace_format {
  const char *name;
  trace_read_function *read;
  const struct trace_table *table; /* of trace_table_read, else NULL */
};

/* Fails with HSIM_BAD_USAGE. */
enum hsim_status format_named(const char *name, struct trace_format *format,
                              struct hsim_error *error);

/* By the first line that is not blank, or with HSIM_BAD_INPUT. Half of a header's names, and two,
 * are enough: what is wrong with the rest is then told by the format's reader. */
enum hsim_status format_recognise(const struct source *source, struct trace_format *format,
                                  struct hsim_error *error);

#endif
