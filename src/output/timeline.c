/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/rates.h"
#include "model/trace.h"
#include "output/json.h"
#include "output/levels.h"

enum { LANES = 2 }; /* jobs on one GPU at a time */

/* Which gang is on a track of a GPU, since when. */
struct lane {
  int job; /* -1: none */
  int copy;
  double begin;
  bool named; /* the track has its metadata */
};

struct timeline {
  const struct run_info *info;
  struct out *out;
  bool any_event;
  bool overfull; /* more jobs on a GPU than there are lanes */
  double time;   /* of the instant being taken in, NaN before the first */
  bool any_level;
  struct levels levels;
  int queued, held[HSIM_MAX_TYPES]; /* as written */
  int *node_of;                     /* [n_gpus] */
  struct lane *lanes;               /* [n_gpus][LANES] */
};

void timeline_header(struct out *out, const struct hsim_cluster *cluster, bool seeded) {
  (void)cluster;
  (void)seeded;
  out_text(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
}

/* Processes and tracks are numbered from 1: first the cluster's, then by node and by GPU. */
static int process_of(const struct timeline *t, int node) {
  return t->info->run * (t->info->cluster->n_nodes + 1) + node + 2;
}

static int cluster_process(const struct timeline *t) {
  return process_of(t, -1);
}

static int jobs_track(const struct timeline *t) {
  return t->info->run * (LANES * t->info->cluster->n_gpus + 1) + 1;
}

static int track_of(const struct timeline *t, int gpu, int lane) {
  return jobs_track(t) + 1 + LANES * gpu + lane;
}

/* ---- writing ---- */

static void put_quoted(struct out *out, const char *text) {
  char *quoted = json_quote(text);
  out_text(out, quoted);
  free(quoted);
}

static void put_key_int(struct out *out, const char *key, long long value) {
  out_text(out, ",\"");
  out_text(out, key);
  out_text(out, "\":");
  out_int(out, value);
}

static double microseconds(double seconds) {
  return round(seconds * 1e6);
}

static void put_time(struct out *out, const char *key, double microseconds) {
  out_text(out, ",\"");
  out_text(out, key);
  out_text(out, "\":");
  out_number(out, microseconds);
}

/* The part that all events have; `track` 0: none. */
static void begin_event(struct timeline *t, char phase, int process, int track) {
  if (t->any_event)
    out_text(t->out, TIMELINE_BETWEEN);
  t->any_event = true;
  out_text(t->out, "{\"ph\":\"");
  out_char(t->out, phase);
  out_char(t->out, '"');
  put_key_int(t->out, "pid", process);
  if (track > 0)
    put_key_int(t->out, "tid", track);
}

static void name_process(struct timeline *t, int process, const char *name) {
  begin_event(t, 'M', process, 0);
  out_text(t->out, ",\"name\":\"process_name\",\"args\":{\"name\":");
  char seed[40] = "";
  if (t->info->seeded)
    snprintf(seed, sizeof seed, " seed %" PRIu64, t->info->seed);
  size_t n = strlen(t->info->policy) + strlen(seed) + strlen(name) + 3;
  char *text = mem_alloc(n, 1);
  snprintf(text, n, "%s%s: %s", t->info->policy, seed, name);
  put_quoted(t->out, text);
  free(text);
  out_text(t->out, "}}");
  begin_event(t, 'M', process, 0);
  out_text(t->out, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":");
  out_int(t->out, process);
  out_text(t->out, "}}");
}

static void name_track(struct timeline *t, int process, int track, const char *name) {
  begin_event(t, 'M', process, track);
  out_text(t->out, ",\"name\":\"thread_name\",\"args\":{\"name\":");
  put_quoted(t->out, name);
  out_text(t->out, "}}");
  begin_event(t, 'M', process, track);
  out_text(t->out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":");
  out_int(t->out, track);
  out_text(t->out, "}}");
}

/* "v100 3", by its place in the node; a second track of it says so. */
static void name_lane(struct timeline *t, int node, const char *type, int gpu, int lane) {
  const struct hsim_cluster *cluster = t->info->cluster;
  int first = cluster->bays[cluster->nodes[node].first_bay].first_gpu;
  size_t n = strlen(type) + 40;
  char *name = mem_alloc(n, 1);
  snprintf(name, n, "%s %d%s", type, gpu - first, lane > 0 ? " (shared)" : "");
  name_track(t, process_of(t, node), track_of(t, gpu, lane), name);
  free(name);
  t->lanes[gpu * LANES + lane].named = true;
}

static void name_all(struct timeline *t) {
  const struct hsim_cluster *cluster = t->info->cluster;
  name_process(t, cluster_process(t), "cluster");
  name_track(t, cluster_process(t), jobs_track(t), "jobs");
  for (int i = 0; i < cluster->n_nodes; i++) {
    const struct hsim_node *node = &cluster->nodes[i];
    name_process(t, process_of(t, i), node->name);
    for (int b = node->first_bay; b < node->first_bay + node->n_bays; b++) {
      const struct hsim_bay *bay = &cluster->bays[b];
      for (int gpu = bay->first_gpu; gpu < bay->first_gpu + bay->gpus; gpu++) {
        t->node_of[gpu] = i;
        name_lane(t, i, cluster->type_names[bay->type], gpu, 0);
      }
    }
  }
}

/* ---- gangs ---- */

static struct lane *find_lane(struct timeline *t, int gpu, int job, int copy) {
  for (int l = 0; l < LANES; l++) {
    struct lane *lane = &t->lanes[gpu * LANES + l];
    if (lane->job == job && (job < 0 || lane->copy == copy))
      return lane;
  }
  return NULL;
}

static void begin_gang(struct timeline *t, const struct record *r) {
  const struct hsim_cluster *cluster = t->info->cluster;
  const struct hsim_gang *gang = r->gang;
  const int *gpu = gang->gpus;
  for (int s = 0; s < gang->n_shares; s++) {
    const struct hsim_bay *bay = &cluster->bays[gang->shares[s].bay];
    for (int i = 0; i < gang->shares[s].gpus; i++, gpu++) {
      struct lane *lane = find_lane(t, *gpu, -1, 0);
      if (!lane) {
        t->overfull = true;
        continue;
      }
      lane->job = r->job;
      lane->copy = gang->copy;
      lane->begin = r->time;
      if (!lane->named)
        name_lane(t, bay->node, cluster->type_names[bay->type], *gpu,
                  (int)(lane - t->lanes) % LANES);
    }
  }
}

/* What the slices of a gang have in common: from its name to the end of the event. */
static char *slice_text(const struct timeline *t, const struct hsim_gang *gang) {
  const struct hsim_job *job = &t->info->trace->jobs[gang->job];
  char *id = json_quote(job->id);
  char *model = json_quote(job->model >= 0 ? t->info->rates->models.at[job->model] : "");
  size_t n = 2 * strlen(id) + strlen(model) + 120;
  char *text = mem_alloc(n, 1);
  snprintf(text, n,
           ",\"cat\":\"gang\",\"name\":%s,\"args\":{\"job\":%s,\"model\":%s,\"workers\":%d,"
           "\"copy\":%d}}",
           id, id, model, gang->size, gang->copy);
  free(id);
  free(model);
  return text;
}

static void end_gang(struct timeline *t, const struct record *r) {
  const struct hsim_gang *gang = r->gang;
  char *text = slice_text(t, gang);
  for (int i = 0; i < gang->size; i++) {
    int gpu = gang->gpus[i];
    struct lane *lane = find_lane(t, gpu, r->job, gang->copy);
    if (!lane)
      continue; /* overfull */
    double begin = microseconds(lane->begin);
    begin_event(t, 'X', process_of(t, t->node_of[gpu]),
                track_of(t, gpu, (int)(lane - t->lanes) % LANES));
    put_time(t->out, "ts", begin);
    put_time(t->out, "dur", microseconds(r->time) - begin);
    out_text(t->out, text);
    lane->job = -1;
  }
  free(text);
}

/* ---- instants and counters ---- */

static void put_job_instant(struct timeline *t, const struct record *r, const char *what) {
  const struct hsim_job *job = &t->info->trace->jobs[r->job];
  begin_event(t, 'i', cluster_process(t), jobs_track(t));
  put_time(t->out, "ts", microseconds(r->time));
  out_text(t->out, ",\"s\":\"t\",\"cat\":\"job\",\"name\":\"");
  out_text(t->out, what);
  out_text(t->out, "\",\"args\":{\"job\":");
  put_quoted(t->out, job->id);
  if (r->detail && r->detail[0]) {
    out_text(t->out, ",\"detail\":");
    put_quoted(t->out, r->detail);
  }
  out_text(t->out, "}}");
}

static void put_node_instant(struct timeline *t, const struct record *r, const char *what) {
  const struct hsim_cluster *cluster = t->info->cluster;
  int gpu = cluster->bays[cluster->nodes[r->node].first_bay].first_gpu;
  begin_event(t, 'i', process_of(t, r->node), track_of(t, gpu, 0));
  put_time(t->out, "ts", microseconds(r->time));
  out_text(t->out, ",\"s\":\"p\",\"cat\":\"node\",\"name\":\"");
  out_text(t->out, what);
  out_text(t->out, "\"}");
}

static void put_counter(struct timeline *t, const char *name, const char *type, const char *unit,
                        int value) {
  begin_event(t, 'C', cluster_process(t), 0);
  put_time(t->out, "ts", microseconds(t->time));
  size_t n = strlen(name) + strlen(type) + 1;
  char *text = mem_alloc(n, 1);
  snprintf(text, n, "%s%s", name, type);
  out_text(t->out, ",\"name\":");
  put_quoted(t->out, text);
  free(text);
  out_text(t->out, ",\"args\":{\"");
  out_text(t->out, unit);
  out_text(t->out, "\":");
  out_int(t->out, value);
  out_text(t->out, "}}");
}

/* What differs from the instant before. */
static void end_instant(struct timeline *t) {
  if (isnan(t->time))
    return;
  int queued = t->levels.active - t->levels.running;
  if (!t->any_level || queued != t->queued)
    put_counter(t, "queued jobs", "", "jobs", queued);
  t->queued = queued;
  for (int type = 0; type < t->info->cluster->n_types; type++) {
    int held = t->levels.held[type];
    if (!t->any_level || held != t->held[type])
      put_counter(t, "held GPUs: ", t->info->cluster->type_names[type], "GPUs", held);
    t->held[type] = held;
  }
  t->any_level = true;
}

/* ---- the sink ---- */

static void take_record(void *state, const struct record *r) {
  struct timeline *t = state;
  if (r->time != t->time) {
    end_instant(t);
    t->time = r->time;
  }
  levels_record(&t->levels, r);
  switch (r->kind) {
  case RECORD_GANG_BEGIN:
    begin_gang(t, r);
    break;
  case RECORD_GANG_END:
    end_gang(t, r);
    break;
  case RECORD_ARRIVE:
    put_job_instant(t, r, "arrive");
    break;
  case RECORD_REJECT:
    put_job_instant(t, r, "reject");
    break;
  case RECORD_DROP:
    put_job_instant(t, r, "drop");
    break;
  case RECORD_CANCEL:
    put_job_instant(t, r, "cancel");
    break;
  case RECORD_MIGRATE:
    if (r->counts)
      put_job_instant(t, r, "migrate");
    break;
  case RECORD_NODE_DOWN:
    put_node_instant(t, r, "down");
    break;
  case RECORD_NODE_UP:
    put_node_instant(t, r, "up");
    break;
  default:
    break;
  }
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct timeline *t = state;
  end_instant(t);
  if (t->overfull)
    return hsim_fail(error, HSIM_BUG, "bug: more than %d jobs on one GPU in the timeline", LANES);
  return out_flush(t->out, error);
}

static void destroy(void *state) {
  struct timeline *t = state;
  levels_free(&t->levels);
  free(t->node_of);
  free(t->lanes);
  free(t);
}

struct sink timeline_sink(const struct run_info *info, struct out *out) {
  struct timeline *t = mem_zero(1, sizeof *t);
  size_t n_gpus = (size_t)info->cluster->n_gpus;
  t->info = info;
  t->out = out;
  t->time = NAN;
  t->node_of = mem_alloc(n_gpus, sizeof *t->node_of);
  t->lanes = mem_zero(n_gpus * LANES, sizeof *t->lanes);
  for (size_t i = 0; i < n_gpus * LANES; i++)
    t->lanes[i].job = -1;
  levels_init(&t->levels, info);
  name_all(t);
  return (struct sink){.state = t, .record = take_record, .end = finish, .free = destroy};
}
