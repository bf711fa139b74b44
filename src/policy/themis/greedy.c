/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Without the solver: good allocations, and the canonical one of equally good ones. */
#include <math.h>

#include "policy/themis/solve.h"

/* Pair moves that are made at most. */
enum { PAIR_MOVES = 200 };

/* The walk's view of an allocation that may change. */
struct walk {
  const struct themis_program *program;
  int *left; /* [bays] GPUs that nobody has */
  int *row;
};

static double gain_of(const struct themis_table *table, int row) {
  return row < 0 ? 0 : table->rows[row].log_value - table->empty_log;
}

static int gpus_of(const struct themis_table *table, int row) {
  return row < 0 ? 0 : table->rows[row].gpus;
}

static void move_gpus(struct walk *walk, int i, int row, int sign) {
  if (row < 0)
    return;
  const struct themis_table *table = &walk->program->tables[i];
  const struct themis_row *r = &table->rows[row];
  for (int p = r->first; p < r->first + r->n; p++)
    walk->left[table->parts[p].bay] += sign * table->parts[p].gpus;
}

static bool fits(const struct walk *walk, int i, int row) {
  if (row < 0)
    return true;
  const struct themis_table *table = &walk->program->tables[i];
  const struct themis_row *r = &table->rows[row];
  for (int p = r->first; p < r->first + r->n; p++)
    if (walk->left[table->parts[p].bay] < table->parts[p].gpus)
      return false;
  return true;
}

static void set_row(struct walk *walk, int i, int row) {
  move_gpus(walk, i, walk->row[i], +1);
  walk->row[i] = row;
  move_gpus(walk, i, row, -1);
}

static bool may_be_empty(const struct walk *walk, int i) {
  return walk->program->forced == NULL || !walk->program->forced[i];
}

/* ---- One at a time ---- */

struct change {
  int i, row;
  double per_gpu; /* infinity: no further GPU for a gain */
  double gain;
};

static bool better(const struct change *a, const struct change *b) {
  if (a->per_gpu != b->per_gpu)
    return a->per_gpu > b->per_gpu;
  return a->gain > b->gain;
}

static void best_change_of(struct walk *walk, int i, struct change *best) {
  const struct themis_table *table = &walk->program->tables[i];
  int now = walk->row[i];
  move_gpus(walk, i, now, +1);
  for (int b = 0; b < table->n; b++) {
    double gain = gain_of(table, b) - gain_of(table, now);
    int more = gpus_of(table, b) - gpus_of(table, now);
    struct change change = {i, b, more > 0 ? gain / more : (double)INFINITY, gain};
    if (gain > 1e-12 && better(&change, best) && fits(walk, i, b))
      *best = change;
  }
  move_gpus(walk, i, now, -1);
}

/* Forced participants first: the smallest row that fits. */
static void serve_forced(struct walk *walk, int without) {
  for (int i = 0; i < walk->program->n; i++) {
    if (i == without || may_be_empty(walk, i))
      continue;
    for (int b = 0; b < walk->program->tables[i].n && walk->row[i] < 0; b++)
      if (fits(walk, i, b))
        set_row(walk, i, b);
  }
}

static void grow(struct walk *walk, int without) {
  for (;;) {
    struct change best = {.i = -1, .per_gpu = 0};
    for (int i = 0; i < walk->program->n; i++)
      if (i != without)
        best_change_of(walk, i, &best);
    if (best.i < 0)
      return;
    set_row(walk, best.i, best.row);
  }
}

/* ---- Two at a time ---- */

/* With both rows taken back: the first pair of rows worth more than `worth`. */
static bool find_pair(struct walk *walk, int i, int j, double worth, int *row_i, int *row_j) {
  const struct themis_table *a = &walk->program->tables[i], *b = &walk->program->tables[j];
  for (*row_i = may_be_empty(walk, i) ? -1 : 0; *row_i < a->n; ++*row_i) {
    if (!fits(walk, i, *row_i))
      continue;
    move_gpus(walk, i, *row_i, -1);
    bool found = false;
    for (*row_j = may_be_empty(walk, j) ? -1 : 0; *row_j < b->n && !found;)
      if (gain_of(a, *row_i) + gain_of(b, *row_j) > worth && fits(walk, j, *row_j))
        found = true;
      else
        ++*row_j;
    move_gpus(walk, i, *row_i, +1);
    if (found)
      return true;
  }
  return false;
}

static bool improve_pair(struct walk *walk, int i, int j) {
  const struct themis_table *a = &walk->program->tables[i], *b = &walk->program->tables[j];
  double worth = gain_of(a, walk->row[i]) + gain_of(b, walk->row[j]) + 1e-12;
  int old_i = walk->row[i], old_j = walk->row[j], row_i = 0, row_j = 0;
  if (a->n == 0 || b->n == 0)
    return false;
  move_gpus(walk, i, old_i, +1);
  move_gpus(walk, j, old_j, +1);
  bool found = find_pair(walk, i, j, worth, &row_i, &row_j);
  move_gpus(walk, i, old_i, -1);
  move_gpus(walk, j, old_j, -1);
  if (found) {
    set_row(walk, i, -1);
    set_row(walk, j, -1);
    set_row(walk, i, row_i);
    set_row(walk, j, row_j);
  }
  return found;
}

static void improve_pairs(struct walk *walk, int without) {
  int moves = 0;
  bool moved = true;
  while (moved && moves < PAIR_MOVES) {
    moved = false;
    for (int i = 0; i < walk->program->n; i++)
      for (int j = i + 1; j < walk->program->n && moves < PAIR_MOVES; j++)
        if (i != without && j != without && improve_pair(walk, i, j)) {
          moved = true;
          moves++;
        }
  }
}

static struct walk begin_walk(const struct themis_program *program, int *left, int *row) {
  for (int bay = 0; bay < program->n_bays; bay++)
    left[bay] = program->room[bay];
  return (struct walk){.program = program, .left = left, .row = row};
}

void themis_greedy(const struct themis_program *program, int without, int *left,
                   struct themis_answer *answer) {
  struct walk walk = begin_walk(program, left, answer->row);
  for (int i = 0; i < program->n; i++)
    answer->row[i] = -1;
  serve_forced(&walk, without);
  grow(&walk, without);
  improve_pairs(&walk, without);
  answer->how = THEMIS_GREEDY;
  answer->nodes = 0;
  answer->log_value = themis_log_value(program, without, answer->row);
}

/* The walk from an allocation, of which what `without` holds is dropped. */
static struct walk begin_from(const struct themis_program *program, int without, int *left,
                              int *row) {
  struct walk walk = begin_walk(program, left, row);
  if (without >= 0)
    row[without] = -1;
  for (int i = 0; i < program->n; i++)
    move_gpus(&walk, i, row[i], -1);
  return walk;
}

void themis_extend(const struct themis_program *program, int without, int *left,
                   struct themis_answer *answer) {
  struct walk walk = begin_from(program, without, left, answer->row);
  grow(&walk, without);
  answer->log_value = themis_log_value(program, without, answer->row);
}

void themis_improve(const struct themis_program *program, int without, int *left,
                    struct themis_answer *answer) {
  struct walk walk = begin_from(program, without, left, answer->row);
  grow(&walk, without);
  improve_pairs(&walk, without);
  answer->log_value = themis_log_value(program, without, answer->row);
}

/* ---- Ties ---- */

static bool same_worth(const struct themis_table *table, int a, int b) {
  const struct themis_row *x = &table->rows[a], *y = &table->rows[b];
  return x->gpus == y->gpus && fabs(x->value - y->value) <= 1e-12 * x->value;
}

/* Participant j goes to an equal row that leaves room for i's row b. Both rows are taken back. */
static bool make_way(struct walk *walk, int i, int b, int j) {
  const struct themis_table *table = &walk->program->tables[j];
  int now = walk->row[j];
  if (now < 0)
    return false;
  move_gpus(walk, j, now, +1);
  bool both = fits(walk, i, b);
  if (both) {
    move_gpus(walk, i, b, -1);
    int way = 0;
    while (way < table->n && !(same_worth(table, way, now) && fits(walk, j, way)))
      way++;
    both = way < table->n;
    move_gpus(walk, i, b, +1);
    if (both) {
      walk->row[j] = way;
      now = way;
    }
  }
  move_gpus(walk, j, now, -1);
  return both;
}

static void settle(struct walk *walk, int i) {
  const struct themis_table *table = &walk->program->tables[i];
  int now = walk->row[i];
  move_gpus(walk, i, now, +1);
  for (int b = 0; b < now && walk->row[i] == now; b++) {
    if (!same_worth(table, b, now))
      continue;
    bool moves = fits(walk, i, b);
    for (int j = i + 1; j < walk->program->n && !moves; j++)
      moves = make_way(walk, i, b, j);
    if (moves)
      walk->row[i] = b;
  }
  move_gpus(walk, i, walk->row[i], -1);
}

void themis_canonical(const struct themis_program *program, int *left,
                      struct themis_answer *answer) {
  struct walk walk = begin_walk(program, left, answer->row);
  for (int i = 0; i < program->n; i++)
    move_gpus(&walk, i, answer->row[i], -1);
  for (int i = 0; i < program->n; i++)
    if (answer->row[i] >= 0)
      settle(&walk, i);
}
