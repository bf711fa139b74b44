/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/usage.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

void usage_init(struct usage *usage, const struct hsim_cluster *cluster, double begin) {
  *usage = (struct usage){.cluster = cluster, .begin = begin, .last_finish = -INFINITY};
  usage->type_held = mem_zero((size_t)cluster->n_types, sizeof *usage->type_held);
  usage->node_busy = mem_zero((size_t)cluster->n_nodes, sizeof *usage->node_busy);
}

void usage_free(struct usage *usage) {
  free(usage->type_held);
  free(usage->node_busy);
  free(usage->changes);
  *usage = (struct usage){0};
}

static void add(const struct usage *usage, struct clipped_sum *sum, double inside, double beyond) {
  if (sum->finishes != usage->finishes) {
    sum->inside += sum->beyond;
    sum->beyond = 0.0;
    sum->finishes = usage->finishes;
  }
  sum->inside += inside;
  sum->beyond += beyond;
}

static double value(const struct usage *usage, const struct clipped_sum *sum) {
  return sum->finishes == usage->finishes ? sum->inside : sum->inside + sum->beyond;
}

/* The part of the segment up to `limit`, as fractions of its held, busy and productive time. */
static double part(double from, double to, double limit) {
  if (limit >= to)
    return 1.0;
  return limit <= from ? 0.0 : (limit - from) / (to - from);
}

static void add_segment(struct usage *usage, const struct record *r) {
  const struct hsim_gang *gang = r->gang;
  double limit = usage->last_finish;
  double share = gang->partner >= 0 ? 0.5 : 1.0;
  double held = (r->time - r->from) * share, held_part = part(r->from, r->time, limit);
  double busy = (r->stop - r->from) * share, busy_part = part(r->from, r->stop, limit);
  double productive = r->productive * share * gang->size;
  double productive_part = part(r->from + r->stall, r->stop, limit);
  add(usage, &usage->held, held * held_part * gang->size, held * (1.0 - held_part) * gang->size);
  add(usage, &usage->busy, busy * busy_part * gang->size, busy * (1.0 - busy_part) * gang->size);
  add(usage, &usage->productive, productive * productive_part,
      productive * (1.0 - productive_part));
  if (r->lost_steps > 0.0)
    usage->lost += r->lost_steps / gang->rate * share * gang->size;
  for (int i = 0; i < gang->n_shares; i++) {
    const struct hsim_bay *bay = &usage->cluster->bays[gang->shares[i].bay];
    int gpus = gang->shares[i].gpus;
    add(usage, &usage->type_held[bay->type], held * held_part * gpus,
        held * (1.0 - held_part) * gpus);
    add(usage, &usage->node_busy[bay->node], busy * busy_part * gpus,
        busy * (1.0 - busy_part) * gpus);
  }
}

static void add_change(struct usage *usage, const struct record *r) {
  usage->changes = mem_grow(usage->changes, usage->n_changes + 1, &usage->changes_capacity,
                            sizeof *usage->changes);
  usage->changes[usage->n_changes++] =
      (struct node_change){r->time, r->node, r->kind == RECORD_NODE_UP};
}

void usage_record(struct usage *usage, const struct record *record) {
  switch (record->kind) {
  case RECORD_SEGMENT:
    add_segment(usage, record);
    break;
  case RECORD_FINISH:
    usage->last_finish = record->time;
    usage->finishes++;
    break;
  case RECORD_NODE_DOWN:
  case RECORD_NODE_UP:
    add_change(usage, record);
    break;
  default:
    break;
  }
}

/* Seconds that each node was up between the first arrival and the last finish. */
static double *up_seconds(const struct usage *usage) {
  size_t n = (size_t)usage->cluster->n_nodes;
  double *up_s = mem_zero(n, sizeof *up_s);
  double *since = mem_alloc(n, sizeof *since); /* NaN while down */
  for (size_t i = 0; i < n; i++)
    since[i] = usage->begin;
  for (size_t i = 0; i < usage->n_changes; i++) {
    const struct node_change *change = &usage->changes[i];
    double time = fmin(fmax(change->time, usage->begin), usage->last_finish);
    int node = change->node;
    if (change->up && isnan(since[node])) {
      since[node] = time;
    } else if (!change->up && !isnan(since[node])) {
      up_s[node] += time - since[node];
      since[node] = NAN;
    }
  }
  for (size_t i = 0; i < n; i++) {
    if (!isnan(since[i]))
      up_s[i] += usage->last_finish - since[i];
  }
  free(since);
  return up_s;
}

static double divide(double a, double b) {
  return b > 0.0 ? a / b : NAN;
}

void usage_fractions(const struct usage *usage, struct usage_fractions *fractions) {
  const struct hsim_cluster *cluster = usage->cluster;
  double type_up[HSIM_MAX_TYPES] = {0}, up = 0.0, node_sum = 0.0;
  int nodes_up = 0;
  if (usage->last_finish > usage->begin) {
    double *up_s = up_seconds(usage);
    for (int i = 0; i < cluster->n_bays; i++) {
      type_up[cluster->bays[i].type] += up_s[cluster->bays[i].node] * cluster->bays[i].gpus;
    }
    for (int i = 0; i < cluster->n_nodes; i++) {
      double gpu_s = up_s[i] * cluster->nodes[i].gpus;
      up += gpu_s;
      if (gpu_s <= 0.0)
        continue;
      node_sum += value(usage, &usage->node_busy[i]) / gpu_s;
      nodes_up++;
    }
    free(up_s);
  }
  fractions->held = divide(value(usage, &usage->held), up);
  fractions->busy = divide(value(usage, &usage->busy), up);
  fractions->productive = divide(value(usage, &usage->productive), up);
  fractions->node_mean = divide(node_sum, nodes_up);
  fractions->availability = divide(up, (usage->last_finish - usage->begin) * cluster->n_gpus);
  for (int t = 0; t < cluster->n_types; t++) {
    fractions->held_by_type[t] = divide(value(usage, &usage->type_held[t]), type_up[t]);
  }
}
