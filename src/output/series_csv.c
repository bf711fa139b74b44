/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/series_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/trace.h"
#include "output/csv.h"

struct levels {
  int active, running;
  int held[HSIM_MAX_TYPES];
};

struct job {
  int32_t gangs; /* that it holds */
  bool active;
};

struct series_csv {
  const struct run_info *info;
  struct out *out;
  double time; /* of the instant being taken in, NaN before the first */
  struct levels now, written;
  bool any_row;
  struct job *jobs;
  uint8_t *users; /* [n_gpus] jobs that hold the GPU */
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
  csv->jobs = mem_zero((size_t)info->trace->n_jobs, sizeof *csv->jobs);
  csv->users = mem_zero((size_t)info->cluster->n_gpus, 1);
  return csv;
}

static void destroy(void *state) {
  struct series_csv *csv = state;
  free(csv->jobs);
  free(csv->users);
  free(csv);
}

static bool same(const struct levels *a, const struct levels *b, int n_types) {
  return a->active == b->active && a->running == b->running &&
         memcmp(a->held, b->held, (size_t)n_types * sizeof a->held[0]) == 0;
}

static void write_row(struct series_csv *csv) {
  struct out *out = csv->out;
  const struct levels *now = &csv->now;
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
  if (isnan(csv->time))
    return;
  if (csv->any_row && same(&csv->now, &csv->written, csv->info->cluster->n_types))
    return;
  write_row(csv);
  csv->written = csv->now;
  csv->any_row = true;
}

static void set_active(struct series_csv *csv, struct job *job, bool active) {
  if (job->active == active)
    return;
  int change = active ? 1 : -1;
  job->active = active;
  csv->now.active += change;
  if (job->gangs > 0)
    csv->now.running += change;
}

static void hold(struct series_csv *csv, struct job *job, const struct hsim_gang *gang) {
  if (job->gangs++ == 0 && job->active)
    csv->now.running++;
  const int *gpu = gang->gpus;
  for (int s = 0; s < gang->n_shares; s++) {
    int *held = &csv->now.held[csv->info->cluster->bays[gang->shares[s].bay].type];
    for (int i = 0; i < gang->shares[s].gpus; i++)
      *held += csv->users[*gpu++]++ == 0;
  }
}

static void let_go(struct series_csv *csv, struct job *job, const struct hsim_gang *gang) {
  if (--job->gangs == 0 && job->active)
    csv->now.running--;
  const int *gpu = gang->gpus;
  for (int s = 0; s < gang->n_shares; s++) {
    int *held = &csv->now.held[csv->info->cluster->bays[gang->shares[s].bay].type];
    for (int i = 0; i < gang->shares[s].gpus; i++)
      *held -= --csv->users[*gpu++] == 0;
  }
}

static void take_record(void *state, const struct record *r) {
  struct series_csv *csv = state;
  if (r->time != csv->time) {
    end_instant(csv);
    csv->time = r->time;
  }
  if (r->job < 0)
    return;
  struct job *job = &csv->jobs[r->job];
  switch (r->kind) {
  case RECORD_ARRIVE:
    set_active(csv, job, true);
    break;
  case RECORD_FINISH:
  case RECORD_REJECT:
  case RECORD_DROP:
  case RECORD_CANCEL:
    set_active(csv, job, false);
    break;
  case RECORD_GANG_BEGIN:
    hold(csv, job, r->gang);
    break;
  case RECORD_GANG_END:
    let_go(csv, job, r->gang);
    break;
  default:
    break;
  }
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
