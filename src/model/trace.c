/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/trace.h"

#include <stdlib.h>

void trace_free(struct trace *trace) {
  free(trace->jobs);
  free(trace->file);
  names_free(&trace->tenants);
  names_free(&trace->apps);
  arena_free(&trace->texts);
  *trace = (struct trace){0};
}
