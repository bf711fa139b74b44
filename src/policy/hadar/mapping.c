/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/mapping.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

/* GPUs that jobs on `place` held on `node`. */
struct hadar_pair {
  int place;
  int node;
  int gpus;
};

/* A gang on one node. */
struct hadar_swap {
  int cls;
  uint32_t delta;
  int job;
  int node; /* where it would go */
  int want; /* where it held the same, -1 when nowhere */
};

static int by_place(const void *x, const void *y) {
  const struct hadar_pair *a = x, *b = y;
  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

static int by_gpus(const void *x, const void *y) {
  const struct hadar_pair *a = x, *b = y;
  if (a->gpus != b->gpus)
    return a->gpus > b->gpus ? -1 : 1;
  return by_place(x, y);
}

static int by_shape(const void *x, const void *y) {
  const struct hadar_swap *a = x, *b = y;
  if (a->cls != b->cls)
    return a->cls < b->cls ? -1 : 1;
  if (a->delta != b->delta)
    return a->delta < b->delta ? -1 : 1;
  return (a->job > b->job) - (a->job < b->job);
}

static int common_gpus(const struct hadar_classes *classes, int cls, uint32_t a, uint32_t b) {
  const struct hadar_class *c = &classes->at[cls];
  int gpus = 0;
  for (int i = 0; i < c->n_bays; i++) {
    const struct hadar_bay *bay = &classes->bays[c->first_bay + i];
    int x = hadar_bay_gpus(bay, a), y = hadar_bay_gpus(bay, b);
    gpus += x < y ? x : y;
  }
  return gpus;
}

static void add_pairs(struct hadar_mapping *m, const struct hadar_board *board,
                      const struct hadar_grant *grant, const struct hadar_job *job) {
  const struct hadar_classes *classes = board->classes;
  for (int s = 0; s < grant->n_seats; s++)
    for (int h = 0; h < job->held_nodes; h++) {
      const struct hadar_seat *seat = &board->seats[grant->first_seat + s];
      const struct hadar_seat *held = &job->seats[h];
      int cls = classes->class_of[seat->node];
      if (classes->class_of_node[held->node] != cls)
        continue;
      int gpus = common_gpus(classes, cls, seat->delta, held->delta);
      if (gpus == 0)
        continue;
      m->pairs = mem_grow(m->pairs, m->n_pairs + 1, &m->pairs_capacity, sizeof *m->pairs);
      m->pairs[m->n_pairs++] = (struct hadar_pair){seat->node, held->node, gpus};
    }
}

/* Sums the pairs of equal place and node. */
static void join_pairs(struct hadar_mapping *m) {
  if (m->n_pairs == 0)
    return;
  qsort(m->pairs, m->n_pairs, sizeof *m->pairs, by_place);
  size_t n = 0;
  for (size_t i = 0; i < m->n_pairs; i++) {
    if (n > 0 && by_place(&m->pairs[n - 1], &m->pairs[i]) == 0)
      m->pairs[n - 1].gpus += m->pairs[i].gpus;
    else
      m->pairs[n++] = m->pairs[i];
  }
  m->n_pairs = n;
  qsort(m->pairs, m->n_pairs, sizeof *m->pairs, by_gpus);
}

static void assign_nodes(struct hadar_mapping *m, const struct hadar_classes *classes) {
  int n = classes->n_nodes, all = 0;
  if (n == 0)
    return;
  for (int i = 0; i < n; i++)
    all = classes->nodes[i] >= all ? classes->nodes[i] + 1 : all;
  m->node_of = mem_grow(m->node_of, (size_t)n, &m->nodes_capacity, sizeof *m->node_of);
  m->taken = mem_grow(m->taken, (size_t)all, &m->taken_capacity, sizeof *m->taken);
  memset(m->taken, 0, (size_t)all * sizeof *m->taken);
  for (int i = 0; i < n; i++)
    m->node_of[i] = -1;
  for (size_t i = 0; i < m->n_pairs; i++) {
    const struct hadar_pair *pair = &m->pairs[i];
    if (m->node_of[pair->place] >= 0 || m->taken[pair->node])
      continue;
    m->node_of[pair->place] = pair->node;
    m->taken[pair->node] = true;
  }
  for (int c = 0; c < classes->n; c++) {
    int next = classes->at[c].first_node, end = next + classes->at[c].n_nodes;
    for (int place = next; place < end; place++) {
      if (m->node_of[place] >= 0)
        continue;
      while (m->taken[classes->nodes[next]])
        next++;
      m->node_of[place] = classes->nodes[next++];
    }
  }
}

static void move_seats(const struct hadar_mapping *m, struct hadar_board *board, int job) {
  const struct hadar_grant *grant = &board->grants[job];
  struct hadar_seat *seats = &board->seats[grant->first_seat];
  for (int i = 0; i < grant->n_seats; i++) {
    struct hadar_seat seat = {m->node_of[seats[i].node], seats[i].delta};
    int at = i;
    for (; at > 0 && seats[at - 1].node > seat.node; at--)
      seats[at] = seats[at - 1];
    seats[at] = seat;
  }
}

static void list_swaps(struct hadar_mapping *m, const struct hadar_board *board,
                       const struct hadar_job *jobs) {
  m->n_swaps = 0;
  for (int j = 0; j < board->n_jobs; j++) {
    if (board->grants[j].n_seats != 1)
      continue;
    const struct hadar_seat *seat = &board->seats[board->grants[j].first_seat];
    int cls = board->classes->class_of_node[seat->node], want = -1;
    const struct hadar_seat *held = jobs[j].seats;
    if (jobs[j].held_nodes == 1 && held->delta == seat->delta &&
        board->classes->class_of_node[held->node] == cls)
      want = held->node;
    m->swaps = mem_grow(m->swaps, m->n_swaps + 1, &m->swaps_capacity, sizeof *m->swaps);
    m->swaps[m->n_swaps++] = (struct hadar_swap){cls, seat->delta, j, seat->node, want};
  }
  if (m->n_swaps > 0)
    qsort(m->swaps, m->n_swaps, sizeof *m->swaps, by_shape);
}

/* Every swap brings one job home and takes none away from its home, so the order does not matter
 * for how many get home. */
static void swap_home(struct hadar_swap *swaps, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (swaps[i].want < 0 || swaps[i].want == swaps[i].node)
      continue;
    for (size_t k = 0; k < n; k++) {
      if (swaps[k].node != swaps[i].want || swaps[k].want == swaps[k].node)
        continue;
      swaps[k].node = swaps[i].node;
      swaps[i].node = swaps[i].want;
      break;
    }
  }
}

void hadar_map(struct hadar_mapping *m, struct hadar_board *board, const struct hadar_job *jobs) {
  m->n_pairs = 0;
  for (int j = 0; j < board->n_jobs; j++)
    add_pairs(m, board, &board->grants[j], &jobs[j]);
  join_pairs(m);
  assign_nodes(m, board->classes);
  for (int j = 0; j < board->n_jobs; j++)
    move_seats(m, board, j);
  list_swaps(m, board, jobs);
  for (size_t i = 0, end; i < m->n_swaps; i = end) {
    for (end = i + 1; end < m->n_swaps && m->swaps[end].cls == m->swaps[i].cls &&
                      m->swaps[end].delta == m->swaps[i].delta;)
      end++;
    swap_home(&m->swaps[i], end - i);
  }
  for (size_t i = 0; i < m->n_swaps; i++)
    board->seats[board->grants[m->swaps[i].job].first_seat].node = m->swaps[i].node;
}

void hadar_mapping_free(struct hadar_mapping *mapping) {
  free(mapping->node_of);
  free(mapping->taken);
  free(mapping->pairs);
  free(mapping->swaps);
  *mapping = (struct hadar_mapping){0};
}
