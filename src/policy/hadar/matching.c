/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/matching.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

bool hadar_can_match(const struct hadar_classes *classes, const struct hadar_job *jobs, int n) {
  for (int c = 0; c < classes->n; c++)
    if (classes->at[c].gpus != 1)
      return false;
  for (int i = 0; i < n; i++)
    if (jobs[i].kind->workers != 1 || jobs[i].forced)
      return false;
  return true;
}

/* The candidate on a node of the class, NULL when there is none. */
static const struct hadar_candidate *on_class(const struct hadar_found *found, int cls) {
  for (int i = 0; i < found->n; i++)
    if (found->parts[found->at[i].first_part].cls == cls)
      return &found->at[i];
  return NULL;
}

/* Payoffs of one job on each node, in the order of classes->nodes. */
static void list_weights(const struct hadar_market *market, const struct hadar_room *all,
                         const struct hadar_job *job, struct hadar_found *found, double *weights) {
  const struct hadar_classes *classes = market->classes;
  hadar_find(market, all, job, found);
  for (int c = 0; c < classes->n; c++) {
    const struct hadar_class *cls = &classes->at[c];
    const struct hadar_candidate *candidate = on_class(found, c);
    for (int node = cls->first_node; node < cls->first_node + cls->n_nodes; node++)
      weights[node] = candidate != NULL ? candidate->payoff : 0;
  }
}

struct matrix {
  const double *weights;
  int rows, columns;
};

/* Behind the nodes there is a column a job in which it is left out. */
static void row_costs(const void *context, int row, double *costs) {
  const struct matrix *matrix = context;
  const double *weights = matrix->weights + (size_t)row * (size_t)matrix->columns;
  for (int j = 0; j < matrix->columns; j++)
    costs[j] = weights[j] > 0 ? -weights[j] : (double)INFINITY;
  for (int j = 0; j < matrix->rows; j++)
    costs[matrix->columns + j] = 0;
}

static void add_choices(struct hadar_matching *m, const struct hadar_market *market,
                        const struct hadar_room *all, const struct hadar_job *jobs,
                        const int *queue, int n, struct hadar_found *found, struct hadar_dp *dp) {
  for (int i = 0; i < n; i++) {
    if (m->place_of[i] < 0)
      continue;
    hadar_find(market, all, &jobs[queue[i]], found);
    const struct hadar_candidate *c = on_class(found, market->classes->class_of[m->place_of[i]]);
    assert(c != NULL); /* the weight of this place came from it */
    struct hadar_choice choice = {
        .job = queue[i], .n_parts = c->n_parts, .rate = c->rate, .payoff = c->payoff};
    hadar_dp_add(dp, &choice, &found->parts[c->first_part]);
    dp->value += c->payoff;
  }
}

void hadar_match(struct hadar_matching *m, const struct hadar_market *market,
                 const struct hadar_job *jobs, const int *queue, int n, struct hadar_found *found,
                 struct hadar_dp *dp) {
  int nodes = market->classes->n_nodes;
  size_t cells = (size_t)n * (size_t)nodes;
  m->weights = mem_grow(m->weights, cells, &m->weights_capacity, sizeof *m->weights);
  m->place_of = mem_grow(m->place_of, (size_t)n, &m->places_capacity, sizeof *m->place_of);
  struct hadar_room all = {.at =
                               mem_alloc((size_t)market->classes->max_entries + 1, sizeof *all.at)};
  hadar_room_all(market->classes, &all);
  for (int i = 0; i < n; i++)
    list_weights(market, &all, &jobs[queue[i]], found, &m->weights[(size_t)i * (size_t)nodes]);
  struct matrix matrix = {m->weights, n, nodes};
  lap_solve(&m->lap, n, nodes + n, row_costs, &matrix, m->place_of); /* leaving all out is one */
  for (int i = 0; i < n; i++)
    if (m->place_of[i] >= nodes)
      m->place_of[i] = -1;
  dp->n_choices = 0;
  dp->n_parts = 0;
  dp->value = 0;
  add_choices(m, market, &all, jobs, queue, n, found, dp);
  free(all.at);
}

void hadar_matching_free(struct hadar_matching *m) {
  lap_free(&m->lap);
  free(m->weights);
  free(m->place_of);
  *m = (struct hadar_matching){0};
}
