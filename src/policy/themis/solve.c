/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

/* Of a sum of logarithms: beyond the rounding of the simplex method. */
#define FIX_MARGIN 1e-6
#define GAP 1e-7

void themis_solver_init(struct themis_solver *solver, enum themis_solver_kind kind, int node_cap,
                        int columns_max) {
  *solver = (struct themis_solver){.kind = kind, .node_cap = node_cap, .columns_max = columns_max};
  themis_linear_init(&solver->all);
  themis_linear_init(&solver->rest);
}

void themis_solver_free(struct themis_solver *solver) {
  themis_linear_free(&solver->all);
  themis_linear_free(&solver->rest);
  free(solver->left);
  free(solver->kept);
}

double themis_log_value(const struct themis_program *program, int without, const int *row) {
  double sum = 0;
  for (int i = 0; i < program->n; i++) {
    const struct themis_table *table = &program->tables[i];
    if (i != without)
      sum += row[i] >= 0 ? table->rows[row[i]].log_value : table->empty_log;
  }
  return sum;
}

/* ---- The program ---- */

static int columns_of(const struct themis_program *program) {
  int columns = 0;
  for (int i = 0; i < program->n; i++)
    columns += program->tables[i].n;
  return columns;
}

static bool wants_lp(const struct themis_solver *solver, int columns) {
  return columns > 0 && solver->kind != THEMIS_BY_GREED && !solver->fails &&
         (solver->kind == THEMIS_MILP || columns <= solver->columns_max);
}

void themis_solver_load(struct themis_solver *solver, const struct themis_program *program) {
  solver->left =
      mem_grow(solver->left, (size_t)program->n_bays, &solver->left_capacity, sizeof(int));
  solver->loaded = wants_lp(solver, columns_of(program));
  if (!solver->loaded)
    return;
  themis_linear_begin(&solver->all, program);
  themis_linear_begin(&solver->rest, program);
  themis_linear_load(&solver->all, program, NULL, false);
  solver->kept = mem_grow(solver->kept, (size_t)solver->all.n_rows, &solver->kept_capacity,
                          sizeof *solver->kept);
}

/* ---- Solving ---- */

static bool serves_forced(const struct themis_program *program, int without, const int *row) {
  for (int i = 0; i < program->n; i++)
    if (i != without && program->forced != NULL && program->forced[i] && row[i] < 0)
      return false;
  return true;
}

static void bound_participant(struct themis_solver *solver, const struct themis_program *program,
                              int i, bool open) {
  bool forced = program->forced != NULL && program->forced[i] && program->tables[i].n > 0;
  lp_row(solver->all.lp, i, open && forced ? 1 : 0, open ? 1 : 0);
}

static double empty_log(const struct themis_program *program, int without) {
  double sum = 0;
  for (int i = 0; i < program->n; i++)
    sum += i == without ? 0 : program->tables[i].empty_log;
  return sum;
}

static void copy_answer(const struct themis_program *program, const struct themis_answer *from,
                        struct themis_answer *to) {
  memcpy(to->row, from->row, (size_t)program->n * sizeof *to->row);
  to->log_value = from->log_value;
}

/* Marks the rows that an allocation better than `known` can have: with another one of them the
 * relaxation, and so every allocation, is worse. The rows of the known one always are marked. */
static void mark_kept(struct themis_solver *solver, const struct themis_program *program,
                      int without, const struct themis_answer *known, double gain) {
  const struct themis_linear *all = &solver->all;
  double relaxed = lp_objective(all->lp);
  for (int i = 0; i < program->n; i++)
    for (int b = 0; b < program->tables[i].n; b++) {
      int j = all->first[i] + b, column = all->column[j];
      solver->kept[j] = i != without && column >= 0 &&
                        (b == known->row[i] || lp_value(all->lp, column) >= 1e-9 ||
                         relaxed + lp_reduced_cost(all->lp, column) >= gain - FIX_MARGIN);
    }
}

/* Rows that the relaxation likes, as far as they fit, largest part first; then what improves them.
 */
static void round_relaxation(struct themis_solver *solver, const struct themis_program *program,
                             int without, struct themis_answer *rounded) {
  for (int i = 0; i < program->n; i++)
    rounded->row[i] = -1;
  memcpy(solver->left, program->room, (size_t)program->n_bays * sizeof *solver->left);
  for (int tenths = 9; tenths > 0; tenths -= 2)
    for (int i = 0; i < program->n; i++)
      for (int b = 0; b < program->tables[i].n && i != without && rounded->row[i] < 0; b++) {
        const struct themis_table *table = &program->tables[i];
        const struct themis_row *row = &table->rows[b];
        if (themis_linear_part(&solver->all, solver->all.first[i] + b) < 0.1 * tenths)
          continue;
        int p = row->first;
        while (p < row->first + row->n && solver->left[table->parts[p].bay] >= table->parts[p].gpus)
          p++;
        if (p < row->first + row->n)
          continue;
        rounded->row[i] = b;
        for (p = row->first; p < row->first + row->n; p++)
          solver->left[table->parts[p].bay] -= table->parts[p].gpus;
      }
  themis_improve(program, without, solver->left, rounded);
}

/* Branch and bound over the rows that are marked. `gain`: what `known` brings, -infinity when it is
 * no allocation. */
static bool search(struct themis_solver *solver, const struct themis_program *program,
                   const struct themis_answer *known, double gain, struct themis_answer *answer) {
  struct themis_linear *rest = &solver->rest;
  struct lp_integer_result result;
  struct hsim_error error;
  themis_linear_load(rest, program, solver->kept, true);
  if (lp_solve(rest->lp, LP_PRIMAL, &error) != HSIM_OK)
    return false;
  if (isfinite(gain))
    themis_linear_known(rest, program, known->row);
  if (lp_solve_integer(rest->lp, solver->node_cap, &result, &error) != HSIM_OK)
    return false;
  answer->how = result.proven ? THEMIS_PROVEN : THEMIS_LIMITED;
  answer->nodes = result.nodes;
  for (int i = 0; i < program->n; i++) {
    answer->row[i] = -1;
    for (int b = 0; b < program->tables[i].n; b++)
      if (themis_linear_part(rest, rest->first[i] + b) > 0.5)
        answer->row[i] = b;
  }
  return true;
}

/* With the relaxation solved. `known` becomes better if rounding finds something better. */
static bool close_gap(struct themis_solver *solver, const struct themis_program *program,
                      int without, struct themis_answer *known, struct themis_answer *answer) {
  struct themis_answer rounded = {.row = mem_alloc((size_t)program->n, sizeof *rounded.row)};
  round_relaxation(solver, program, without, &rounded);
  if (serves_forced(program, without, rounded.row) && rounded.log_value > known->log_value)
    copy_answer(program, &rounded, known);
  free(rounded.row);
  double gain = serves_forced(program, without, known->row)
                    ? known->log_value - empty_log(program, without)
                    : -INFINITY;
  if (lp_objective(solver->all.lp) <= gain + GAP) {
    copy_answer(program, known, answer);
    answer->how = THEMIS_PROVEN;
    return true;
  }
  mark_kept(solver, program, without, known, gain);
  return search(solver, program, known, gain, answer);
}

/* `known`: a good allocation; becomes a better one if one is found on the way. */
static bool solve_exactly(struct themis_solver *solver, const struct themis_program *program,
                          int without, struct themis_answer *known, struct themis_answer *answer) {
  struct hsim_error error;
  if (without >= 0)
    bound_participant(solver, program, without, false);
  bool found = lp_solve(solver->all.lp, LP_PRIMAL, &error) == HSIM_OK &&
               close_gap(solver, program, without, known, answer);
  if (found)
    answer->log_value = themis_log_value(program, without, answer->row);
  if (without >= 0)
    bound_participant(solver, program, without, true);
  return found;
}

/* The greedy's allocation, or the one that was given, improved: whichever is better. */
static void find_known(struct themis_solver *solver, const struct themis_program *program,
                       int without, const int *start, struct themis_answer *known) {
  themis_greedy(program, without, solver->left, known);
  if (start == NULL || !solver->loaded)
    return;
  struct themis_answer other = {.row = mem_alloc((size_t)program->n, sizeof *other.row)};
  memcpy(other.row, start, (size_t)program->n * sizeof *other.row);
  themis_improve(program, without, solver->left, &other);
  if (other.log_value > known->log_value && serves_forced(program, without, other.row))
    copy_answer(program, &other, known);
  free(other.row);
}

void themis_solve(struct themis_solver *solver, const struct themis_program *program, int without,
                  const int *start, struct themis_answer *answer) {
  struct themis_answer known = {.row = mem_alloc((size_t)program->n, sizeof *known.row)};
  find_known(solver, program, without, start, &known);
  solver->solves++;
  answer->nodes = 0;
  bool found = solver->loaded && solve_exactly(solver, program, without, &known, answer);
  solver->limited += found && answer->how == THEMIS_LIMITED;
  /* Where the search was cut short what was known before may be better. */
  if (!found || (answer->how == THEMIS_LIMITED && known.log_value > answer->log_value &&
                 serves_forced(program, without, known.row))) {
    copy_answer(program, &known, answer);
    answer->how = columns_of(program) == 0 ? THEMIS_PROVEN : THEMIS_GREEDY;
    solver->greedy_used += answer->how == THEMIS_GREEDY;
  }
  free(known.row);
}
