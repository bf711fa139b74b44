/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/events.h"

#include <stdlib.h>
#include <string.h>

#include "input/csv.h"
#include "model/memory.h"
#include "model/number.h"

enum { TIME, EVENT, TARGET, GPUS, N_COLUMNS };
static const char *const COLUMNS[N_COLUMNS] = {"time_s", "event", "target", "gpus"};

enum kind { KIND_DOWN, KIND_UP, KIND_DRAIN, KIND_UNDRAIN, KIND_ADD, KIND_CANCEL, N_KINDS };
static const char *const KINDS[N_KINDS] = {"node_down", "node_up",  "drain",
                                           "undrain",   "add_node", "cancel"};

struct event {
  double time;
  enum kind kind;
  int node;     /* not of cancel */
  char *job_id; /* of cancel, owned */
  int line;
};

struct events {
  char *path;
  char sha256[65];
  struct cluster *cluster;
  int n_given; /* nodes of the cluster's own description */
  struct event *at;
  size_t n, capacity;
};

static int find_node(const struct cluster *cluster, const char *name) {
  for (int i = 0; i < cluster->view.n_nodes; i++)
    if (strcmp(cluster->nodes[i].name, name) == 0)
      return i;
  return -1;
}

static enum hsim_status read_kind(const struct row *row, enum kind *kind,
                                  struct hsim_error *error) {
  for (int k = 0; k < N_KINDS; k++)
    if (strcmp(row->cells[EVENT].text, KINDS[k]) == 0) {
      *kind = (enum kind)k;
      return HSIM_OK;
    }
  char hint[HINT_SIZE];
  return row_bad(row, EVENT, error, "node_down, node_up, drain, undrain, add_node or cancel%s",
                 hint_near(hint, KINDS, N_KINDS, row->cells[EVENT].text));
}

/* "v100=4 k80=2" */
static enum hsim_status add_bays(const struct row *row, struct cluster *cluster,
                                 struct hsim_error *error) {
  for (const char *at = row->cells[GPUS].text;;) {
    size_t length = strcspn(at, " "), name = strcspn(at, "= ");
    int64_t gpus = 0;
    if (name == 0 || name >= length ||
        number_parse_int(at + name + 1, length - name - 1, &gpus) != NUMBER_OK || gpus < 1 ||
        gpus > CLUSTER_MAX_GPUS)
      return row_bad(row, GPUS, error, "TYPE=NUMBER of the new node's GPUs, joined by one blank");
    char *type = mem_text_n(at, name);
    enum hsim_status status =
        row_place(row, cluster_add_bay(cluster, type, (int)gpus, error), error);
    free(type);
    if (status != HSIM_OK)
      return status;
    if (!at[length])
      return HSIM_OK;
    at += length + 1;
  }
}

static enum hsim_status add_node(const struct row *row, struct events *events, int *node,
                                 struct hsim_error *error) {
  struct cluster *cluster = events->cluster;
  const char *name = row->cells[TARGET].text;
  *node = find_node(cluster, name);
  if (*node >= 0)
    return row_bad(row, TARGET, error, "the name of a node that does not exist yet");
  enum hsim_status status = row_place(row, cluster_add_node(cluster, name, NULL, 0, error), error);
  if (status == HSIM_OK)
    status = add_bays(row, cluster, error);
  *node = cluster->view.n_nodes - 1;
  return status;
}

static enum hsim_status find_target(const struct row *row, struct events *events,
                                    struct event *event, struct hsim_error *error) {
  if (event->kind == KIND_ADD)
    return add_node(row, events, &event->node, error);
  if (row_has(row, GPUS))
    return row_bad(row, GPUS, error, "nothing but beside add_node");
  if (event->kind == KIND_CANCEL) {
    event->job_id = mem_text(row->cells[TARGET].text);
    return HSIM_OK;
  }
  event->node = find_node(events->cluster, row->cells[TARGET].text);
  if (event->node < 0)
    return row_bad(row, TARGET, error,
                   "a node of the cluster, such as %s, or of an add_node before it",
                   events->cluster->nodes[0].name);
  return HSIM_OK;
}

static enum hsim_status take_row(void *state, const struct row *row, struct hsim_error *error) {
  struct events *events = state;
  struct event event = {.node = -1, .line = row->line};
  enum hsim_status status = row_time(row, TIME, &event.time, error);
  if (status == HSIM_OK)
    status = read_kind(row, &event.kind, error);
  if (status == HSIM_OK)
    status = row_text(row, TARGET, error);
  if (status == HSIM_OK)
    status = find_target(row, events, &event, error);
  if (status != HSIM_OK)
    return status;
  events->at = mem_grow(events->at, events->n + 1, &events->capacity, sizeof *events->at);
  events->at[events->n++] = event;
  return HSIM_OK;
}

/* Nodes move when others are added, so the view is made anew. */
static enum hsim_status finish_cluster(struct cluster *cluster, struct hsim_error *error) {
  char *name = mem_text(cluster->view.name);
  enum hsim_status status = cluster_finish(cluster, name, error);
  free(name);
  return status;
}

enum hsim_status events_read(const char *path, struct cluster *cluster, struct events **events,
                             struct hsim_error *error) {
  *events = mem_zero(1, sizeof **events);
  (*events)->path = mem_text(path);
  (*events)->cluster = cluster;
  (*events)->n_given = cluster->view.n_nodes;
  struct source *source;
  enum hsim_status status = source_open(path, &source, error);
  if (status != HSIM_OK)
    return status;
  const struct csv_table table = {.columns = COLUMNS,
                                  .n_columns = N_COLUMNS,
                                  .required = 1u << TIME | 1u << EVENT | 1u << TARGET,
                                  .ignores_x = true,
                                  .what = "a file of events",
                                  .row = take_row};
  status = csv_read(source, &table, *events, NULL, error);
  if (status == HSIM_OK)
    status = source_digest(source, (*events)->sha256, error);
  source_close(source);
  return status == HSIM_OK ? finish_cluster(cluster, error) : status;
}

/* By time, then by place in the file. */
static int by_time(const void *left, const void *right) {
  const struct event *x = left, *y = right;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->line < y->line ? -1 : x->line > y->line;
}

static enum hsim_status find_job(const struct events *events, const struct event *event,
                                 const struct trace *trace, int *job, struct hsim_error *error) {
  for (*job = 0; *job < trace->n_jobs; (*job)++)
    if (strcmp(trace->jobs[*job].id, event->job_id) == 0)
      break;
  if (*job == trace->n_jobs)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "%s:%d: column target: value \"%.80s\": expected the id of a job of %s",
                     events->path, event->line, event->job_id, trace->file);
  if (event->time < trace->jobs[*job].arrival_s)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "%s:%d: column time_s: value %.17g: expected a time not before the arrival "
                     "of job %.80s at %.17g s",
                     events->path, event->line, event->time, event->job_id,
                     trace->jobs[*job].arrival_s);
  return HSIM_OK;
}

enum hsim_status events_resolve(const struct events *events, const struct trace *trace,
                                struct outages *outages, struct hsim_error *error) {
  size_t n = events->n, added = (size_t)(events->cluster->view.n_nodes - events->n_given);
  struct event *sorted = mem_alloc(n, sizeof *sorted);
  if (n > 0)
    memcpy(sorted, events->at, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, by_time);
  outages->file = mem_text(events->path);
  memcpy(outages->sha256, events->sha256, sizeof outages->sha256);
  outages->nodes = mem_alloc(n + added, sizeof *outages->nodes);
  outages->cancels = mem_alloc(n, sizeof *outages->cancels);
  /* New nodes are part of the cluster from the first, and down. */
  for (int i = events->n_given; i < events->cluster->view.n_nodes; i++)
    outages->nodes[outages->n_nodes++] = (struct node_event){0, i, NODE_DRAINED};
  static const enum node_state STATES[N_KINDS] = {[KIND_DOWN] = NODE_DOWN,
                                                  [KIND_UP] = NODE_UP,
                                                  [KIND_DRAIN] = NODE_DRAINED,
                                                  [KIND_UNDRAIN] = NODE_UP,
                                                  [KIND_ADD] = NODE_UP};
  enum hsim_status status = HSIM_OK;
  for (size_t i = 0; i < n && status == HSIM_OK; i++) {
    const struct event *event = &sorted[i];
    if (event->kind != KIND_CANCEL) {
      outages->nodes[outages->n_nodes++] =
          (struct node_event){event->time, event->node, STATES[event->kind]};
      continue;
    }
    int job;
    status = find_job(events, event, trace, &job, error);
    if (status == HSIM_OK)
      outages->cancels[outages->n_cancels++] = (struct cancel_event){event->time, job};
  }
  free(sorted);
  return status;
}

void events_free(struct events *events) {
  if (!events)
    return;
  for (size_t i = 0; i < events->n; i++)
    free(events->at[i].job_id);
  free(events->at);
  free(events->path);
  free(events);
}

void outages_free(struct outages *outages) {
  free(outages->nodes);
  free(outages->cancels);
  free(outages->node_speed);
  free(outages->file);
  *outages = (struct outages){0};
}
