/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/events_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/trace.h"
#include "output/csv.h"
#include "output/intervals.h"

struct events_csv {
  const struct run_info *info;
  struct out *out;
  bool names_need_quotes; /* some node or type name does, alone or in a list */
  double time;            /* that `time_text` prints: many events share an instant */
  size_t time_length;
  char time_text[NUMBER_SIZE];
};

static bool names_need_quotes(const struct hsim_cluster *cluster) {
  for (int i = 0; i < cluster->n_nodes; i++) {
    if (csv_needs_quotes(cluster->nodes[i].name))
      return true;
  }
  for (int t = 0; t < cluster->n_types; t++) {
    if (csv_needs_quotes(cluster->type_names[t]))
      return true;
  }
  return false;
}

void events_csv_header(struct out *out, const struct hsim_cluster *cluster, bool seeded) {
  (void)cluster;
  out_text(out, "policy,time_s,round,event,job_id,gang,workers,placement,detail");
  csv_end_header(out, seeded);
}

static struct events_csv *create(const struct run_info *info, struct out *out) {
  struct events_csv *csv = mem_zero(1, sizeof *csv);
  csv->info = info;
  csv->out = out;
  csv->time = NAN;
  csv->names_need_quotes = names_need_quotes(info->cluster);
  return csv;
}

static const char *event_name(enum record_kind kind) {
  switch (kind) {
  case RECORD_ARRIVE:
    return "arrive";
  case RECORD_START:
    return "start";
  case RECORD_RESIZE:
    return "resize";
  case RECORD_MIGRATE:
    return "migrate";
  case RECORD_PREEMPT:
    return "preempt";
  case RECORD_FINISH:
    return "finish";
  case RECORD_REJECT:
    return "reject";
  case RECORD_DROP:
    return "drop";
  case RECORD_CANCEL:
    return "cancel";
  case RECORD_NODE_DOWN:
    return "node_down";
  case RECORD_NODE_UP:
    return "node_up";
  default:
    return NULL;
  }
}

static void write_bay(struct events_csv *csv, const struct hsim_bay *bay) {
  const struct hsim_cluster *cluster = csv->info->cluster;
  csv_escaped(csv->out, cluster->nodes[bay->node].name);
  out_char(csv->out, ':');
  csv_escaped(csv->out, cluster->type_names[bay->type]);
  out_char(csv->out, ':');
}

static int node_first_gpu(const struct hsim_cluster *cluster, int node) {
  return cluster->bays[cluster->nodes[node].first_bay].first_gpu;
}

static bool has_gap(const struct hsim_gang *gang) {
  int i = 0;
  for (int s = 0; s < gang->n_shares; s++) {
    int n = gang->shares[s].gpus;
    if (n > 0 && gang->gpus[i + n - 1] - gang->gpus[i] != n - 1)
      return true;
    i += n;
  }
  return false;
}

static void write_gang(struct events_csv *csv, const struct hsim_gang *gang) {
  const struct hsim_cluster *cluster = csv->info->cluster;
  bool quoted = csv->names_need_quotes || has_gap(gang); /* a gap makes a comma */
  if (quoted)
    out_char(csv->out, '"');
  const int *gpus = gang->gpus;
  for (int s = 0; s < gang->n_shares; s++) {
    const struct hsim_bay *bay = &cluster->bays[gang->shares[s].bay];
    if (s > 0)
      out_char(csv->out, ';');
    write_bay(csv, bay);
    put_intervals(csv->out, gpus, gang->shares[s].gpus, node_first_gpu(cluster, bay->node), ',');
    gpus += gang->shares[s].gpus;
  }
  if (quoted)
    out_char(csv->out, '"');
}

static void write_node(struct events_csv *csv, int node_index) {
  const struct hsim_cluster *cluster = csv->info->cluster;
  const struct hsim_node *node = &cluster->nodes[node_index];
  if (csv->names_need_quotes)
    out_char(csv->out, '"');
  for (int b = node->first_bay; b < node->first_bay + node->n_bays; b++) {
    const struct hsim_bay *bay = &cluster->bays[b];
    int first = bay->first_gpu - node_first_gpu(cluster, node_index);
    if (b > node->first_bay)
      out_char(csv->out, ';');
    write_bay(csv, bay);
    out_int(csv->out, first);
    if (bay->gpus > 1) {
      out_char(csv->out, '-');
      out_int(csv->out, first + bay->gpus - 1);
    }
  }
  if (csv->names_need_quotes)
    out_char(csv->out, '"');
}

static void write_time(struct events_csv *csv, double time) {
  if (time != csv->time) {
    csv->time = time;
    csv->time_length = number_print(time, csv->time_text);
  }
  out_bytes(csv->out, csv->time_text, csv->time_length);
}

static void write_detail(struct events_csv *csv, const struct record *r) {
  bool ended = r->gang == NULL && r->detail != NULL && r->detail[0] != '\0';
  if ((r->kind == RECORD_RESIZE || r->kind == RECORD_MIGRATE) && !ended) {
    out_text(csv->out, "moved=");
    out_int(csv->out, r->moved);
  } else if (r->kind == RECORD_NODE_DOWN || r->kind == RECORD_NODE_UP) {
    csv_field(csv->out, csv->info->cluster->nodes[r->node].name);
  } else if (r->detail != NULL) {
    csv_field(csv->out, r->detail);
  }
}

static void take_record(void *state, const struct record *r) {
  struct events_csv *csv = state;
  const char *event = event_name(r->kind);
  if (event == NULL)
    return;
  struct out *out = csv->out;
  bool of_node = r->kind == RECORD_NODE_DOWN || r->kind == RECORD_NODE_UP;
  csv_field(out, csv->info->policy);
  out_char(out, ',');
  write_time(csv, r->time);
  out_char(out, ',');
  out_int(out, (long long)r->round);
  out_char(out, ',');
  out_text(out, event);
  out_char(out, ',');
  if (!of_node)
    csv_field(out, csv->info->trace->jobs[r->job].id);
  out_char(out, ',');
  if (!of_node)
    out_int(out, r->copy);
  out_char(out, ',');
  if (!of_node && r->gang != NULL)
    out_int(out, r->gang->size);
  out_char(out, ',');
  if (of_node) {
    write_node(csv, r->node);
  } else if (r->gang != NULL) {
    write_gang(csv, r->gang);
  }
  out_char(out, ',');
  write_detail(csv, r);
  csv_end_row(out, csv->info);
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct events_csv *csv = state;
  return out_flush(csv->out, error);
}

struct sink events_csv_sink(const struct run_info *info, struct out *out) {
  return (struct sink){
      .state = create(info, out), .record = take_record, .end = finish, .free = free};
}
