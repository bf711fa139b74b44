/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Winner determination with all that makes it quick, against the same integer program as it is
 * written: one row a participant, one row a bay, and GLPK. */
#include "themis_fixture.h"

enum { APPS_MAX = 10, BAYS = 12, ROOM_MAX = 8, SEEDS = 12 };

struct crowd {
  struct themis_program program;
  struct themis_table tables[APPS_MAX];
  bool forced[APPS_MAX];
  int room[BAYS];
};

/* 8 to 10 apps that want 2 to 32 GPUs, some 30 rows each; placements on one bay, and on as many as
 * it takes. Equal values are the rule: a row's worth is its size and how many bays it takes. */
static void crowd_init(struct crowd *x, uint64_t seed) {
  uint64_t random = seed;
  memset(x, 0, sizeof *x);
  x->program = (struct themis_program){.n = 8 + (int)(next(&random) % 3),
                                       .tables = x->tables,
                                       .forced = x->forced,
                                       .room = x->room,
                                       .n_bays = BAYS};
  for (int bay = 0; bay < BAYS; bay++)
    x->room[bay] = (int)(next(&random) % (ROOM_MAX + 1));
  for (int i = 0; i < x->program.n; i++) {
    int wants = 2 << next(&random) % 5, elapsed = (int)(next(&random) % 100);
    bool holds = next(&random) % 4 == 0;
    double spread = 0.5 + 0.005 * (double)(next(&random) % 100);
    x->forced[i] = seed % 4 == 0 && i == 0;
    themis_table_begin(&x->tables[i], holds ? 1 / (elapsed + 100.0) : 0);
    for (int b = 0; b < 30; b++) {
      struct hsim_share parts[BAYS];
      int gpus = 1 + (int)(next(&random) % (uint64_t)wants), rest = gpus, n = 0;
      for (int bay = (int)(next(&random) % BAYS), m = 0; m < BAYS && rest > 0; m++) {
        int at = (bay + m) % BAYS, take = x->room[at] < rest ? x->room[at] : rest;
        if (take > 0)
          n = themis_bundle_put(parts, n, at, take);
        rest -= take;
      }
      if (rest == 0)
        themis_table_offer(&x->tables[i], parts, n,
                           1 / (elapsed + 100 / (gpus * (n > 1 ? spread : 1))));
    }
    themis_table_finish(&x->tables[i], 0.01);
  }
}

static void crowd_free(struct crowd *x) {
  for (int i = 0; i < APPS_MAX; i++)
    themis_table_free(&x->tables[i]);
}

/* The optimum without one participant, or with all; NAN when the forced cannot be served. */
static double plain(const struct themis_program *program, int without) {
  struct lp *lp = lp_create();
  struct hsim_error error;
  struct lp_integer_result result;
  int columns = 0;
  double value = 0;
  for (int i = 0; i < program->n; i++)
    columns += program->tables[i].n;
  lp_begin(lp, program->n + BAYS, columns, LP_MAXIMISE);
  for (int bay = 0; bay < BAYS; bay++)
    lp_row(lp, program->n + bay, 0, program->room[bay]);
  for (int i = 0, column = 0; i < program->n; i++) {
    const struct themis_table *table = &program->tables[i];
    value += i == without ? 0 : table->empty_log;
    lp_row(lp, i, i != without && program->forced[i] && table->n > 0, i != without);
    for (int b = 0; b < table->n; b++, column++) {
      lp_column(lp, column, 0, 1);
      lp_integer(lp, column);
      lp_cost(lp, column, table->rows[b].log_value - table->empty_log);
      lp_entry(lp, i, column, 1);
      for (int p = 0; p < table->rows[b].n; p++) {
        const struct hsim_share *part = &themis_row_parts(table, &table->rows[b])[p];
        lp_entry(lp, program->n + part->bay, column, part->gpus);
      }
    }
  }
  bool found = lp_solve(lp, LP_PRIMAL, &error) == HSIM_OK &&
               lp_solve_integer(lp, 0, &result, &error) == HSIM_OK && result.proven;
  value = found ? value + lp_objective(lp) : (double)NAN;
  lp_destroy(lp);
  return value;
}

static bool fits(const struct themis_program *program, const int *row) {
  int left[BAYS];
  memcpy(left, program->room, sizeof left);
  for (int i = 0; i < program->n; i++)
    for (int p = 0; row[i] >= 0 && p < program->tables[i].rows[row[i]].n; p++) {
      const struct hsim_share *part =
          &themis_row_parts(&program->tables[i], &program->tables[i].rows[row[i]])[p];
      left[part->bay] -= part->gpus;
      if (left[part->bay] < 0)
        return false;
    }
  return true;
}

/* GLPK proves the plain program to 1e-7 of its objective, which is below 100. */
static void test_plain(void **state) {
  (void)state;
  double contended = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct crowd x;
    struct themis_solver solver;
    int row[APPS_MAX], other_row[APPS_MAX], nodes = 0;
    double c[APPS_MAX];
    struct themis_answer answer = {.row = row}, other = {.row = other_row};
    crowd_init(&x, seed);
    themis_solver_init(&solver, THEMIS_MILP, 0, THEMIS_COLUMNS_MAX);
    themis_solver_load(&solver, &x.program);
    themis_solve(&solver, &x.program, -1, NULL, &answer);
    check(seed, answer.how == THEMIS_PROVEN && fits(&x.program, row));
    check(seed, fabs(answer.log_value - plain(&x.program, -1)) < 1e-5);
    check(seed, !x.forced[0] || x.tables[0].n == 0 || row[0] >= 0);
    themis_payments(&solver, &x.program, &answer, c, &nodes);
    for (int i = 0; i < x.program.n; i++) {
      double without = plain(&x.program, i);
      double raw = exp(themis_log_value(&x.program, i, row) - without);
      check(seed, fabs(c[i] - (row[i] < 0 ? 1 : fmin(raw, 1))) < 1e-5);
      themis_solve(&solver, &x.program, i, row, &other);
      check(seed, other.how == THEMIS_PROVEN && other_row[i] < 0 && fits(&x.program, other_row));
      check(seed, fabs(other.log_value - without) < 1e-5);
      contended += c[i] < 1;
    }
    themis_solver_free(&solver);
    crowd_free(&x);
  }
  assert_true(contended > 2 * SEEDS); /* else the test says little */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
