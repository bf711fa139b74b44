/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/solve.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

void themis_solver_init(struct themis_solver *solver, enum themis_solver_kind kind, int node_cap,
                        int columns_max) {
  *solver = (struct themis_solver){
      .lp = lp_create(), .kind = kind, .node_cap = node_cap, .columns_max = columns_max};
}

void themis_solver_free(struct themis_solver *solver) {
  lp_destroy(solver->lp);
  free(solver->lp_bay);
  free(solver->first);
  free(solver->left);
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

static bool solve_exactly(struct themis_solver *solver, const struct themis_program *program,
                          int without, struct themis_answer *answer) {
  struct hsim_error error;
  struct lp_integer_result result;
  if (without >= 0)
    lp_row(solver->lp, without, 0, 0);
  bool found = lp_solve(solver->lp, LP_PRIMAL, &error) == HSIM_OK &&
               lp_solve_integer(solver->lp, solver->node_cap, &result, &error) == HSIM_OK;
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
  if (without >= 0) {
    bool forced = program->forced != NULL && program->forced[without];
    lp_row(solver->lp, without, forced && program->tables[without].n > 0 ? 1 : 0, 1);
  }
  return found;
}

static bool serves_forced(const struct themis_program *program, int without, const int *row) {
  for (int i = 0; i < program->n; i++)
    if (i != without && program->forced != NULL && program->forced[i] && row[i] < 0)
      return false;
  return true;
}

/* Where the search was cut short the greedy may know better. */
static void compare_with_greedy(struct themis_solver *solver, const struct themis_program *program,
                                int without, struct themis_answer *answer) {
  struct themis_answer greedy = {.row = mem_alloc((size_t)program->n, sizeof *greedy.row)};
  themis_greedy(program, without, solver->left, &greedy);
  if (greedy.log_value > answer->log_value && serves_forced(program, without, greedy.row)) {
    for (int i = 0; i < program->n; i++)
      answer->row[i] = greedy.row[i];
    answer->log_value = greedy.log_value;
    answer->how = THEMIS_GREEDY;
    solver->greedy_used++;
  }
  free(greedy.row);
}

void themis_solve(struct themis_solver *solver, const struct themis_program *program, int without,
                  struct themis_answer *answer) {
  solver->solves++;
  answer->nodes = 0;
  if (!solver->loaded || !solve_exactly(solver, program, without, answer)) {
    themis_greedy(program, without, solver->left, answer);
    answer->how = columns_of(program) == 0 ? THEMIS_PROVEN : THEMIS_GREEDY;
    solver->greedy_used += answer->how == THEMIS_GREEDY;
    return;
  }
  if (answer->how == THEMIS_PROVEN)
    return;
  solver->limited++;
  compare_with_greedy(solver, program, without, answer);
}
