/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/faults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/memory.h"

static bool before(const struct node_fault *a, const struct node_fault *b) {
  return a->time != b->time ? a->time < b->time : a->node < b->node;
}

static void sink(struct faults *faults, int at) {
  struct node_fault moved = faults->heap[at];
  for (int child; (child = 2 * at + 1) < faults->n; at = child) {
    if (child + 1 < faults->n && before(&faults->heap[child + 1], &faults->heap[child]))
      child++;
    if (!before(&faults->heap[child], &moved))
      break;
    faults->heap[at] = faults->heap[child];
  }
  faults->heap[at] = moved;
}

/* -ln of a number in (0, 1]: exponential with mean 1. */
static double exponential(struct hsim_rng *rng) {
  return -log(1.0 - hsim_rng_uniform(rng));
}

static double time_up(struct faults *faults, int node) {
  double e = exponential(&faults->streams[node]);
  return faults->scale * (faults->rule.shape == 1.0 ? e : pow(e, 1.0 / faults->rule.shape));
}

void faults_init(struct faults *faults, const struct fault_rule *rule, int n_nodes, uint64_t seed,
                 double begin) {
  *faults = (struct faults){.rule = *rule};
  if (!(rule->mtbf_s > 0))
    return;
  faults->scale = rule->mtbf_s / tgamma(1.0 + 1.0 / rule->shape);
  faults->n = n_nodes;
  faults->heap = mem_alloc((size_t)n_nodes, sizeof *faults->heap);
  faults->streams = mem_alloc((size_t)n_nodes, sizeof *faults->streams);
  for (int i = 0; i < n_nodes; i++) {
    char purpose[32];
    snprintf(purpose, sizeof purpose, "faults of node %d", i);
    hsim_rng_init(&faults->streams[i], seed, purpose);
    faults->heap[i] = (struct node_fault){begin + time_up(faults, i), i, false};
  }
  for (int i = n_nodes / 2 - 1; i >= 0; i--)
    sink(faults, i);
}

void faults_free(struct faults *faults) {
  free(faults->heap);
  free(faults->streams);
  *faults = (struct faults){0};
}

double faults_time(const struct faults *faults) {
  return faults->n > 0 ? faults->heap[0].time : INFINITY;
}

struct node_fault faults_take(struct faults *faults) {
  struct node_fault taken = faults->heap[0];
  double lasts = taken.up ? time_up(faults, taken.node)
                          : faults->rule.mttr_s * exponential(&faults->streams[taken.node]);
  faults->heap[0].time += lasts;
  faults->heap[0].up = !taken.up;
  sink(faults, 0);
  return taken;
}
