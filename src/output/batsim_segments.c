/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "model/memory.h"
#include "model/trace.h"
#include "output/batsim.h"
#include "output/csv.h"
#include "output/intervals.h"
#include "output/open_gangs.h"

struct batsim_segments {
  const struct run_info *info;
  struct out *out;
  struct open_gangs open;
  uint32_t *n; /* [n_jobs] rows written */
};

void batsim_segments_header(struct out *out, const struct hsim_cluster *cluster, bool seeded) {
  (void)cluster;
  (void)seeded;
  out_text(out, "job_id,workload_name,submission_time,requested_number_of_resources,starting_time,"
                "execution_time,finish_time,waiting_time,allocated_resources,segment,copy\n");
}

static void cell(struct out *out, double value) {
  out_number(out, value);
  out_char(out, ',');
}

static void write_row(struct batsim_segments *segments, const struct open_gang *gang, double end) {
  const struct hsim_job *job = &segments->info->trace->jobs[gang->job];
  struct out *out = segments->out;
  csv_field(out, job->id);
  out_text(out, "," BATSIM_WORKLOAD ",");
  cell(out, job->arrival_s);
  cell(out, job->workers);
  cell(out, gang->since);
  cell(out, end - gang->since);
  cell(out, end);
  cell(out, gang->since - job->arrival_s);
  put_intervals(out, gang->gpus, gang->size, 0, ' ');
  out_char(out, ',');
  out_int(out, segments->n[gang->job]++);
  out_char(out, ',');
  out_int(out, gang->copy);
  out_char(out, '\n');
}

static void take_record(void *state, const struct record *r) {
  struct batsim_segments *segments = state;
  if (r->kind == RECORD_GANG_BEGIN)
    open_gangs_add(&segments->open, r);
  if (r->kind != RECORD_GANG_END)
    return;
  struct open_gang *gang = open_gangs_take(&segments->open, r);
  if (gang)
    write_row(segments, gang, r->time);
  free(gang);
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct batsim_segments *segments = state;
  return out_flush(segments->out, error);
}

static void destroy(void *state) {
  struct batsim_segments *segments = state;
  open_gangs_free(&segments->open);
  free(segments->n);
  free(segments);
}

struct sink batsim_segments_sink(const struct run_info *info, struct out *out) {
  struct batsim_segments *segments = mem_zero(1, sizeof *segments);
  segments->info = info;
  segments->out = out;
  segments->n = mem_zero((size_t)info->trace->n_jobs, sizeof *segments->n);
  open_gangs_init(&segments->open, info->cluster);
  return (struct sink){.state = segments, .record = take_record, .end = finish, .free = destroy};
}
