/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hsim's own CSV: every column that some job needs, and no other. */
#include <math.h>
#include <string.h>

#include "output/csv.h"
#include "output/trace_write.h"

/* Columns that a trace may do without, in the order in which they are written. */
enum {
  MODEL,
  RANGE,
  GPU_TYPES,
  EPOCHS,
  WEIGHT,
  PRIORITY,
  TENANT,
  APP,
  DEADLINE,
  ESTIMATE,
  PHASES,
  N_COLUMNS
};

static uint64_t all_types(const struct trace_to_write *from) {
  int n = from->cluster ? from->cluster->n_types : 0;
  return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static void find_columns(const struct trace_to_write *from, bool used[N_COLUMNS]) {
  const struct trace *trace = from->trace;
  uint64_t all = all_types(from);
  memset(used, 0, N_COLUMNS * sizeof *used);
  for (int i = 0; i < trace->n_jobs; i++) {
    const struct hsim_job *job = &trace->jobs[i];
    used[MODEL] |= job->model >= 0;
    used[RANGE] |= job->min_workers != 1 || job->max_workers != job->workers;
    used[GPU_TYPES] |= (job->gpu_types & all) != all;
    used[EPOCHS] |= job->epochs > 0;
    used[WEIGHT] |= job->weight != 1;
    used[PRIORITY] |= job->priority != 0;
    used[TENANT] |= job->tenant >= 0;
    used[APP] |= job->app >= 0;
    used[DEADLINE] |= !isnan(job->deadline_s);
    used[ESTIMATE] |= !isnan(job->estimate_s);
    used[PHASES] |= job->n_phases > 0;
  }
}

static void put_header(const struct trace_to_write *from, const bool used[N_COLUMNS],
                       struct out *out) {
  static const char *const names[N_COLUMNS] = {"model",      "min_workers,max_workers",
                                               "gpu_types",  "epochs",
                                               "weight",     "priority",
                                               "tenant",     "app",
                                               "deadline_s", "estimate_s",
                                               "phases"};
  out_text(out, "job_id,arrival_s,workers,");
  out_text(out, from->durations_s ? "duration_s" : "steps");
  for (int c = 0; c < N_COLUMNS; c++) {
    if (!used[c])
      continue;
    out_char(out, ',');
    out_text(out, names[c]);
  }
  out_char(out, '\n');
}

static void put_types(const struct trace_to_write *from, const struct hsim_job *job,
                      struct out *out) {
  uint64_t types = job->gpu_types & all_types(from);
  const char *gap = "";
  if (types == all_types(from))
    return;
  for (int t = 0; t < from->cluster->n_types; t++)
    if ((types >> t & 1) != 0) {
      out_text(out, gap);
      out_text(out, from->cluster->type_names[t]);
      gap = " ";
    }
}

static void put_phases(const struct trace_to_write *from, const struct hsim_job *job,
                       struct out *out) {
  if (job->n_phases == 0)
    return;
  out_char(out, '"');
  for (int p = 0; p < job->n_phases; p++) {
    if (p > 0)
      out_char(out, ';');
    out_number(out, job->phases[p].from_step);
    out_char(out, ':');
    csv_escaped(out, from->models->at[job->phases[p].model]);
  }
  out_char(out, '"');
}

static void put_name(const struct names *names, int number, struct out *out) {
  if (number >= 0)
    csv_field(out, names->at[number]);
}

static void put_cell(const struct trace_to_write *from, const struct hsim_job *job, int column,
                     struct out *out) {
  switch (column) {
  case MODEL:
    put_name(from->models, job->model, out);
    break;
  case RANGE:
    out_int(out, job->min_workers);
    out_char(out, ',');
    out_int(out, job->max_workers);
    break;
  case GPU_TYPES:
    put_types(from, job, out);
    break;
  case EPOCHS:
    if (job->epochs > 0)
      out_int(out, job->epochs);
    break;
  case WEIGHT:
    out_number(out, job->weight);
    break;
  case PRIORITY:
    out_number(out, job->priority);
    break;
  case TENANT:
    put_name(&from->trace->tenants, job->tenant, out);
    break;
  case APP:
    put_name(&from->trace->apps, job->app, out);
    break;
  case DEADLINE:
    out_number(out, job->deadline_s);
    break;
  case ESTIMATE:
    out_number(out, job->estimate_s);
    break;
  default:
    put_phases(from, job, out);
    break;
  }
}

void trace_write_native(const struct trace_to_write *from, struct out *out) {
  const struct trace *trace = from->trace;
  bool used[N_COLUMNS];
  find_columns(from, used);
  put_header(from, used, out);
  for (int i = 0; i < trace->n_jobs; i++) {
    const struct hsim_job *job = &trace->jobs[i];
    csv_field(out, job->id);
    out_char(out, ',');
    out_number(out, job->arrival_s);
    out_char(out, ',');
    out_int(out, job->workers);
    out_char(out, ',');
    out_number(out, from->durations_s ? from->durations_s[i] : job->steps);
    for (int c = 0; c < N_COLUMNS; c++) {
      if (!used[c])
        continue;
      out_char(out, ',');
      put_cell(from, job, c, out);
    }
    out_char(out, '\n');
  }
}
