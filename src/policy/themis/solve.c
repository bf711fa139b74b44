/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

/* Of a sum of logarithms: beyond the rounding of the simplex method. */
#define FIX_MARGIN 1e-6

void themis_solver_init(struct themis_solver *solver, enum themis_solver_kind kind, int node_cap,
                        int columns_max) {
  *solver = (struct themis_solver){
      .lp = lp_create(), .kind = kind, .node_cap = node_cap, .columns_max = columns_max};
  lp_cuts(solver->lp, true);
}

void themis_solver_free(struct themis_solver *solver) {
  lp_destroy(solver->lp);
  free(solver->lp_bay);
  free(solver->first);
  free(solver->left);
  free(solver->fixed);
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

/* Bays that participants could ask for more than there is of; the others bind nobody. Returns how
 * many. */
static int number_bays(struct themis_solver *solver, const struct themis_program *program) {
  size_t size = (size_t)program->n_bays;
  solver->lp_bay = mem_grow(solver->lp_bay, size, &solver->lp_bay_capacity, sizeof(int));
  solver->left = mem_grow(solver->left, size, &solver->left_capacity, sizeof(int));
  int *most = mem_zero(size, sizeof *most), *wanted = mem_zero(size, sizeof *wanted);
  for (int i = 0; i < program->n; i++) {
    const struct themis_table *table = &program->tables[i];
    for (size_t p = 0; p < table->n_parts; p++)
      if (table->parts[p].gpus > most[table->parts[p].bay])
        most[table->parts[p].bay] = table->parts[p].gpus;
    for (size_t p = 0; p < table->n_parts; p++) {
      wanted[table->parts[p].bay] += most[table->parts[p].bay];
      most[table->parts[p].bay] = 0;
    }
  }
  int n = 0;
  for (int bay = 0; bay < program->n_bays; bay++)
    solver->lp_bay[bay] = wanted[bay] > program->room[bay] ? program->n + n++ : -1;
  free(most);
  free(wanted);
  return n;
}

static bool wants_lp(const struct themis_solver *solver, int columns) {
  return columns > 0 && solver->kind != THEMIS_BY_GREED && !solver->fails &&
         (solver->kind == THEMIS_MILP || columns <= solver->columns_max);
}

static void add_columns(struct themis_solver *solver, const struct themis_program *program, int i,
                        int column) {
  const struct themis_table *table = &program->tables[i];
  bool forced = program->forced != NULL && program->forced[i];
  lp_row(solver->lp, i, forced && table->n > 0 ? 1 : 0, 1);
  solver->first[i] = column;
  for (int b = 0; b < table->n; b++, column++) {
    const struct themis_row *row = &table->rows[b];
    lp_column(solver->lp, column, 0, 1);
    lp_integer(solver->lp, column);
    lp_cost(solver->lp, column, row->log_value - table->empty_log);
    lp_entry(solver->lp, i, column, 1);
    for (int p = row->first; p < row->first + row->n; p++)
      if (solver->lp_bay[table->parts[p].bay] >= 0)
        lp_entry(solver->lp, solver->lp_bay[table->parts[p].bay], column, table->parts[p].gpus);
  }
}

void themis_solver_load(struct themis_solver *solver, const struct themis_program *program) {
  int bays = number_bays(solver, program), columns = columns_of(program), column = 0;
  solver->loaded = wants_lp(solver, columns);
  if (!solver->loaded)
    return;
  solver->first = mem_grow(solver->first, (size_t)program->n, &solver->first_capacity, sizeof(int));
  lp_begin(solver->lp, program->n + bays, columns, LP_MAXIMISE);
  for (int bay = 0; bay < program->n_bays; bay++)
    if (solver->lp_bay[bay] >= 0)
      lp_row(solver->lp, solver->lp_bay[bay], 0, program->room[bay]);
  for (int i = 0; i < program->n; i++) {
    add_columns(solver, program, i, column);
    column += program->tables[i].n;
  }
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
  lp_row(solver->lp, i, open && forced ? 1 : 0, open ? 1 : 0);
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

/* Takes out columns that no allocation as good as `known` (a sum of gains) can have: with one of
 * them the relaxation, and so every allocation, is worse. Returns whether there were any. */
static bool fix_columns(struct themis_solver *solver, int columns, double known) {
  double relaxed = lp_objective(solver->lp);
  bool fixed = false;
  for (int j = 0; j < columns; j++) {
    solver->fixed[j] = lp_value(solver->lp, j) < 1e-9 &&
                       relaxed + lp_reduced_cost(solver->lp, j) < known - FIX_MARGIN;
    fixed = fixed || solver->fixed[j];
  }
  for (int j = 0; j < columns; j++)
    if (solver->fixed[j])
      lp_column(solver->lp, j, 0, 0);
  return fixed;
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
        if (lp_value(solver->lp, solver->first[i] + b) < 0.1 * tenths)
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

static bool search(struct themis_solver *solver, const struct themis_program *program, int without,
                   struct themis_answer *known, struct lp_integer_result *result) {
  struct hsim_error error;
  size_t columns = (size_t)columns_of(program);
  solver->fixed = mem_grow(solver->fixed, columns, &solver->fixed_capacity, sizeof *solver->fixed);
  memset(solver->fixed, 0, columns * sizeof *solver->fixed);
  if (lp_solve(solver->lp, LP_PRIMAL, &error) != HSIM_OK)
    return false;
  struct themis_answer rounded = {.row = mem_alloc((size_t)program->n, sizeof *rounded.row)};
  round_relaxation(solver, program, without, &rounded);
  if (serves_forced(program, without, rounded.row) && rounded.log_value > known->log_value)
    copy_answer(program, &rounded, known);
  free(rounded.row);
  double gain = serves_forced(program, without, known->row)
                    ? known->log_value - empty_log(program, without)
                    : -INFINITY;
  if (fix_columns(solver, (int)columns, gain) && lp_solve(solver->lp, LP_PRIMAL, &error) != HSIM_OK)
    return false;
  return lp_solve_integer(solver->lp, solver->node_cap, result, &error) == HSIM_OK;
}

static void release_columns(struct themis_solver *solver, const struct themis_program *program) {
  int columns = columns_of(program);
  for (int j = 0; j < columns; j++)
    if (solver->fixed[j])
      lp_column(solver->lp, j, 0, 1);
}

/* `known`: a good allocation; becomes a better one if one is found on the way. */
static bool solve_exactly(struct themis_solver *solver, const struct themis_program *program,
                          int without, struct themis_answer *known, struct themis_answer *answer) {
  struct lp_integer_result result;
  if (without >= 0)
    bound_participant(solver, program, without, false);
  bool found = search(solver, program, without, known, &result);
  if (found) {
    answer->how = result.proven ? THEMIS_PROVEN : THEMIS_LIMITED;
    answer->nodes = result.nodes;
    for (int i = 0; i < program->n; i++) {
      answer->row[i] = -1;
      for (int b = 0; b < program->tables[i].n; b++)
        if (i != without && lp_value(solver->lp, solver->first[i] + b) > 0.5)
          answer->row[i] = b;
    }
    answer->log_value = themis_log_value(program, without, answer->row);
  }
  release_columns(solver, program);
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
