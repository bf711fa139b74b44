/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/series_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/csv.h"
#include "output/levels.h"

struct series_csv {
  const struct run_info *info;
  struct out *out;
  double time;                   /* of the instant being taken in, NaN before the first */
  struct levels levels, written; /* `written` owns nothing */
  bool any_row;
};

void series_csv_header(struct out *out, const struct hsim_cluster *cluster, bool seeded) {
  out_text(out, "policy,time_s,active,running,queued");
  for (int t = 0; t < cluster->n_types; t++) {
    bool quoted = csv_needs_quotes(cluster->type_names[t]);
    out_text(out, quoted ? ",\"held_" : ",held_");
    csv_escaped(out, cluster->type_names[t]);
    if (quoted)
      out_char(out, '"');
  }
  csv_end_header(out, seeded);
}

static struct series_csv *create(const struct run_info *info, struct out *out) {
  struct series_csv *csv = mem_zero(1, sizeof *csv);
  csv->info = info;
  csv->out = out;
  csv->time = NAN;
  levels_init(&csv->levels, info);
  return csv;
}

static void destroy(void *state) {
  struct series_csv *csv = state;
  levels_free(&csv->levels);
  free(csv);
}

static bool same(const struct levels *a, const struct levels *b) {
  return a->active == b->active && a->running == b->running &&
         memcmp(a->held, b->held, (size_t)a->cluster->n_types * sizeof a->held[0]) == 0;
}

static void write_row(struct series_csv *csv) {
  struct out *out = csv->out;
  const struct levels *now = &csv->levels;
  csv_field(out, csv->info->policy);
  out_char(out, ',');
  out_number(out, csv->time);
  out_char(out, ',');
  out_int(out, now->active);
  out_char(out, ',');
  out_int(out, now->running);
  out_char(out, ',');
  out_int(out, now->active - now->running);
  for (int t = 0; t < csv->info->cluster->n_types; t++) {
    out_char(out, ',');
    out_int(out, now->held[t]);
  }
  csv_end_row(out, csv->info);
}

static void end_instant(struct series_csv *csv) {
  if (isnan(csv->time) || (csv->any_row && same(&csv->levels, &csv->written)))
    return;
  write_row(csv);
  csv->written = csv->levels;
  csv->any_row = true;
}

static void take_record(void *state, const struct record *r) {
  struct series_csv *csv = state;
  if (r->time != csv->time) {
    end_instant(csv);
    csv->time = r->time;
  }
  levels_record(&csv->levels, r);
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct series_csv *csv = state;
  end_instant(csv);
  return out_flush(csv->out, error);
}

struct sink series_csv_sink(const struct run_info *info, struct out *out) {
  return (struct sink){
      .state = create(info, out), .record = take_record, .end = finish, .free = destroy};
}
