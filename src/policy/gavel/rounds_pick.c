/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Priorities, and what runs in the next round. */
#include <stdlib.h>

#include "model/memory.h"
#include "policy/gavel/rounds.h"

struct rounds_key {
  double priority, deficit, share;
  double rate; /* 0 where it must not matter */
  int combination, type;
};

static int best_first(const void *left, const void *right) {
  const struct rounds_key *x = left, *y = right;
  if (x->priority != y->priority)
    return x->priority > y->priority ? -1 : 1;
  if (x->deficit != y->deficit)
    return x->deficit > y->deficit ? -1 : 1;
  if (x->share != y->share)
    return x->share > y->share ? -1 : 1;
  if (x->combination != y->combination)
    return x->combination < y->combination ? -1 : 1;
  if (x->rate != y->rate)
    return x->rate > y->rate ? -1 : 1;
  return x->type < y->type ? -1 : x->type > y->type;
}

/* A combination that never ran on a type since the restart cannot have received nothing there
 * (half a round is given), save for a pair that was created since: Gavel's stand-in for infinity.
 */
static const double OWED_EVERYTHING = 1e9;

static double priority_as_coded(const struct rounds_cell *cell, double type_time) {
  double fraction = type_time == 0.0 ? 0.0 : cell->received / type_time;
  return fraction > 0.0 ? cell->share / fraction : cell->share * OWED_EVERYTHING;
}

/* Time received, less what was owed before. Below half a round it shrinks towards 0 but stays
 * positive, so that the order by what is owed goes on there. */
static double received_net(const struct rounds_cell *cell, double half_round) {
  double net = cell->received - cell->deficit;
  return net >= half_round ? net : half_round * half_round / (2 * half_round - net);
}

static double priority_as_published(const struct rounds_cell *cell, double half_round, bool carry) {
  double received = carry ? received_net(cell, half_round) : cell->received;
  return received > 0.0 ? cell->share / received : cell->share * OWED_EVERYTHING;
}

enum flavour { CODED, PUBLISHED, PUBLISHED_CARRYING };

static void set_priorities(struct rounds *rounds, enum flavour flavour) {
  for (int c = 0; c < rounds->n; c++) {
    bool covered = rounds->at[c].covered;
    struct rounds_cell *cells = rounds_cells(rounds, c);
    for (int g = 0; g < rounds->n_types; g++) {
      struct rounds_cell *cell = &cells[g];
      if (!covered || cell->share == 0.0 || cell->rate <= 0.0)
        cell->priority = 0.0;
      else if (flavour == CODED)
        cell->priority = priority_as_coded(cell, rounds->type_time[g]);
      else
        cell->priority =
            priority_as_published(cell, rounds->half_round, flavour == PUBLISHED_CARRYING);
    }
  }
}

static struct rounds_key key_of(const struct rounds *rounds, int c, int g, bool with_rate) {
  const struct rounds_cell *cell = &rounds_cells(rounds, c)[g];
  return (struct rounds_key){.priority = cell->priority,
                             .deficit = cell->deficit,
                             .share = rounds->at[c].covered ? cell->share : 0.0,
                             .rate = with_rate ? cell->rate : 0.0,
                             .combination = c,
                             .type = g};
}

static bool already_picked(const struct rounds *rounds, const struct combination *combination) {
  return rounds->picked_in[combination->a] == rounds->round ||
         (combination->b >= 0 && rounds->picked_in[combination->b] == rounds->round);
}

/* Takes the combination if it can run there now; returns the number of picks. */
static int take(struct rounds *rounds, const struct rounds_key *key, int *free, bool positive_only,
                int n_picks) {
  const struct combination *combination = &rounds->at[key->combination];
  if (rounds_cells(rounds, key->combination)[key->type].rate <= 0.0 ||
      (positive_only && key->priority <= 0.0) || combination->workers > free[key->type] ||
      already_picked(rounds, combination))
    return n_picks;
  free[key->type] -= combination->workers;
  rounds->picked_in[combination->a] = rounds->round;
  if (combination->b >= 0)
    rounds->picked_in[combination->b] = rounds->round;
  rounds->picks[n_picks] = (struct rounds_pick){key->combination, key->type};
  return n_picks + 1;
}

static void begin_round(struct rounds *rounds, size_t n_keys) {
  rounds->round++;
  rounds->keys = mem_grow(rounds->keys, n_keys, &rounds->keys_capacity, sizeof *rounds->keys);
  rounds->picks =
      mem_grow(rounds->picks, (size_t)rounds->n, &rounds->picks_capacity, sizeof *rounds->picks);
}

/* A heap with the best entry on top: of thousands of pairs a round takes a few. */
static void sift_down(struct rounds_key *heap, size_t n, size_t at) {
  struct rounds_key moved = heap[at];
  for (size_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && best_first(&heap[child + 1], &heap[child]) < 0)
      child++;
    if (best_first(&moved, &heap[child]) < 0)
      break;
    heap[at] = heap[child];
  }
  heap[at] = moved;
}

static void make_heap(struct rounds_key *keys, size_t n) {
  for (size_t i = n / 2; i-- > 0;)
    sift_down(keys, n, i);
}

/* Takes the best entry off. */
static struct rounds_key pop(struct rounds_key *heap, size_t *n) {
  struct rounds_key best = heap[0];
  heap[0] = heap[--*n];
  if (*n > 0)
    sift_down(heap, *n, 0);
  return best;
}

int rounds_pick_global(struct rounds *rounds, int *free, bool carry, bool positive_only,
                       const struct rounds_pick **picks) {
  set_priorities(rounds, carry ? PUBLISHED_CARRYING : PUBLISHED);
  begin_round(rounds, (size_t)rounds->n * (size_t)rounds->n_types);
  int total = 0, n_picks = 0;
  for (int g = 0; g < rounds->n_types; g++)
    total += free[g];
  size_t n_keys = 0;
  for (int c = 0; c < rounds->n; c++)
    for (int g = 0; g < rounds->n_types; g++) {
      struct rounds_key key = key_of(rounds, c, g, true);
      bool wanted = key.priority > 0.0 || (!positive_only && rounds->at[c].b < 0);
      if (wanted && key.rate > 0.0 && rounds->at[c].workers <= free[g])
        rounds->keys[n_keys++] = key;
    }
  make_heap(rounds->keys, n_keys);
  while (n_keys > 0 && total > 0) {
    struct rounds_key key = pop(rounds->keys, &n_keys);
    int before = n_picks;
    n_picks = take(rounds, &key, free, positive_only, n_picks);
    if (n_picks > before)
      total -= rounds->at[key.combination].workers;
  }
  *picks = rounds->picks;
  return n_picks;
}

/* What could run on the type now, as a heap. */
static size_t fill_heap(struct rounds *rounds, int g, const int *free, bool positive_only) {
  size_t n = 0;
  for (int c = 0; c < rounds->n; c++) {
    const struct rounds_cell *cell = &rounds_cells(rounds, c)[g];
    if (cell->rate > 0.0 && !(positive_only && cell->priority <= 0.0) &&
        rounds->at[c].workers <= free[g] && !already_picked(rounds, &rounds->at[c]))
      rounds->keys[n++] = key_of(rounds, c, g, false);
  }
  make_heap(rounds->keys, n);
  return n;
}

int rounds_pick_by_type(struct rounds *rounds, const int *type_order, int n_order, int *free,
                        bool positive_only, const struct rounds_pick **picks) {
  set_priorities(rounds, CODED);
  begin_round(rounds, (size_t)rounds->n);
  int n_picks = 0;
  for (int i = 0; i < n_order; i++) {
    int g = type_order[i];
    size_t n = free[g] > 0 ? fill_heap(rounds, g, free, positive_only) : 0;
    while (n > 0 && free[g] > 0) {
      struct rounds_key key = pop(rounds->keys, &n);
      n_picks = take(rounds, &key, free, positive_only, n_picks);
    }
  }
  *picks = rounds->picks;
  return n_picks;
}
