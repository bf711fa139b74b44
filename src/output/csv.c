/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/csv.h"

#include <string.h>

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool csv_needs_quotes(const char *text) {
  if (text[0] == '\0')
    return false;
  size_t n = 0;
  for (; text[n] != '\0'; n++) {
    char c = text[n];
    if (c == ',' || c == '"' || c == '\r' || c == '\n')
      return true;
  }
  return is_blank(text[0]) || is_blank(text[n - 1]);
}

void csv_escaped(struct out *out, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '"')
      out_char(out, '"');
    out_char(out, *text);
  }
}

void csv_field(struct out *out, const char *text) {
  if (!csv_needs_quotes(text)) {
    out_text(out, text);
    return;
  }
  out_char(out, '"');
  csv_escaped(out, text);
  out_char(out, '"');
}

void csv_end_row(struct out *out, const struct run_info *info) {
  if (info->seeded) {
    out_char(out, ',');
    out_int(out, (long long)info->seed);
  }
  out_char(out, '\n');
}

void csv_header(struct out *out, enum csv_kind kind, const struct hsim_cluster *cluster,
                bool seeded) {
  switch (kind) {
  case CSV_JOBS:
    out_text(out, "policy,job_id,app,tenant,model,workers,arrival_s,first_start_s,finish_s,jct_s,"
                  "queueing_s,run_s,wait_s,gpu_s,slowdown,starts,preemptions,migrations,resizes,"
                  "state,reason,copies,rho");
    break;
  case CSV_EVENTS:
    out_text(out, "policy,time_s,round,event,job_id,gang,workers,placement,detail");
    break;
  case CSV_SERIES:
    out_text(out, "policy,time_s,active,running,queued");
    for (int t = 0; t < cluster->n_types; t++) {
      bool quoted = csv_needs_quotes(cluster->type_names[t]);
      out_text(out, quoted ? ",\"held_" : ",held_");
      csv_escaped(out, cluster->type_names[t]);
      if (quoted)
        out_char(out, '"');
    }
    break;
  }
  out_text(out, seeded ? ",seed\n" : "\n");
}
