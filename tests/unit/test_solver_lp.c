/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "solver/lp.h"

/* maximise 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6). */
static void load_textbook(struct lp *lp) {
  lp_begin(lp, 2, 2, LP_MAXIMISE);
  lp_column(lp, 0, 0, 4);
  lp_column(lp, 1, 0, INFINITY);
  lp_cost(lp, 0, 3);
  lp_cost(lp, 1, 5);
  lp_row(lp, 0, -INFINITY, 12);
  lp_entry(lp, 0, 1, 2);
  lp_row(lp, 1, -INFINITY, 18);
  lp_entry(lp, 1, 0, 3);
  lp_entry(lp, 1, 1, 2);
}

static void solves_the_textbook_example_both_ways(void **state) {
  (void)state;
  enum lp_method methods[] = {LP_PRIMAL, LP_DUAL};
  for (int i = 0; i < 2; i++) {
    struct lp *lp = lp_create();
    struct hsim_error error = {0};
    load_textbook(lp);
    assert_int_equal(lp_solve(lp, methods[i], &error), HSIM_OK);
    assert_true(fabs(lp_objective(lp) - 36) < 1e-9);
    assert_true(fabs(lp_value(lp, 0) - 2) < 1e-9);
    assert_true(fabs(lp_value(lp, 1) - 6) < 1e-9);
    assert_int_equal(lp_counters(lp)->solves, 1);
    assert_true(lp_counters(lp)->iterations > 0);
    assert_true(lp_counters(lp)->seconds >= 0);
    lp_destroy(lp);
  }
}

static void minimises(void **state) {
  (void)state;
  struct lp *lp = lp_create();
  lp_begin(lp, 1, 2, LP_MINIMISE);
  lp_row(lp, 0, 3, INFINITY); /* x + y >= 3 */
  for (int j = 0; j < 2; j++) {
    lp_column(lp, j, 0, INFINITY);
    lp_cost(lp, j, j + 1);
    lp_entry(lp, 0, j, 1);
  }
  assert_int_equal(lp_solve(lp, LP_PRIMAL, NULL), HSIM_OK);
  assert_true(fabs(lp_objective(lp) - 3) < 1e-9);
  lp_destroy(lp);
}

static void goes_on_from_its_basis_after_a_change(void **state) {
  (void)state;
  struct lp *lp = lp_create();
  load_textbook(lp);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, NULL), HSIM_OK);
  uint64_t before = lp_counters(lp)->iterations;
  assert_int_equal(lp_solve(lp, LP_PRIMAL, NULL), HSIM_OK);
  assert_int_equal(lp_counters(lp)->iterations, before); /* already there */
  lp_cost(lp, 1, 0);
  lp_column(lp, 0, 0, 3);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, NULL), HSIM_OK);
  assert_true(fabs(lp_objective(lp) - 9) < 1e-9);
  assert_int_equal(lp_counters(lp)->solves, 3);
  lp_destroy(lp);
}

static void says_why_there_is_no_optimum(void **state) {
  (void)state;
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  load_textbook(lp);
  lp_row(lp, 0, -INFINITY, -1);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_FAILED);
  assert_non_null(strstr(error.text, "no feasible solution"));
  assert_true(lp_infeasible(lp));
  lp_begin(lp, 1, 1, LP_MAXIMISE);
  lp_row(lp, 0, 0, INFINITY);
  lp_column(lp, 0, 0, INFINITY);
  lp_cost(lp, 0, 1);
  lp_entry(lp, 0, 0, 1);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_FAILED);
  assert_non_null(strstr(error.text, "unbounded"));
  assert_false(lp_infeasible(lp));
  load_textbook(lp); /* and is of use again */
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
  lp_destroy(lp);
}

/* maximise 8a + 11b + 6c + 4d, 5a + 7b + 4c + 3d <= 14, each 0 or 1: 21 by b, c, d; 22 relaxed. */
static void load_knapsack(struct lp *lp) {
  static const double worth[] = {8, 11, 6, 4}, weight[] = {5, 7, 4, 3};
  lp_begin(lp, 1, 4, LP_MAXIMISE);
  lp_row(lp, 0, -INFINITY, 14);
  for (int j = 0; j < 4; j++) {
    lp_column(lp, j, 0, 1);
    lp_integer(lp, j);
    lp_cost(lp, j, worth[j]);
    lp_entry(lp, 0, j, weight[j]);
  }
}

static void finds_the_best_whole_numbers(void **state) {
  (void)state;
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  struct lp_integer_result result;
  load_knapsack(lp);
  assert_int_equal(lp_solve_integer(lp, 0, &result, &error), HSIM_FAILED);
  assert_non_null(strstr(error.text, "relaxation is not solved"));
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
  assert_true(fabs(lp_objective(lp) - 22) < 1e-9);
  assert_int_equal(lp_solve_integer(lp, 0, &result, &error), HSIM_OK);
  assert_true(result.proven);
  assert_true(result.nodes > 0);
  assert_true(fabs(result.bound - 21) < 1e-9);
  assert_true(fabs(lp_objective(lp) - 21) < 1e-9);
  for (int j = 0; j < 4; j++)
    assert_true(fabs(lp_value(lp, j) - (j > 0)) < 1e-9);
  assert_int_equal(lp_counters(lp)->searches, 1);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
  assert_true(fabs(lp_objective(lp) - 22) < 1e-9); /* the relaxation again */
  lp_destroy(lp);
}

static void a_node_limit_ends_the_search(void **state) {
  (void)state;
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  struct lp_integer_result result;
  load_knapsack(lp);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
  assert_int_equal(lp_solve_integer(lp, 1, &result, &error), HSIM_FAILED);
  assert_non_null(strstr(error.text, "node limit"));
  lp_destroy(lp);
}

/* A solution that is known comes back when none is better; a wrong one is refused. */
static void a_known_solution_is_beaten_or_stands(void **state) {
  (void)state;
  static const double poor[] = {1, 0, 2, 0}, too_large[] = {1, 1, 1, 0}, half[] = {0.5, 0, 0, 0};
  static const double known[][4] = {{0, 0, 0, 0}, {1, 1, 0, 0}, {0, 1, 1, 1}};
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  struct lp_integer_result result;
  for (int k = 0; k < 3; k++) {
    load_knapsack(lp);
    assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
    lp_split_first(lp, k);
    assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
    lp_known(lp, known[k]);
    assert_int_equal(lp_solve_integer(lp, 0, &result, &error), HSIM_OK);
    assert_true(result.proven);
    assert_true(fabs(result.bound - 21) < 1e-9);
    assert_true(fabs(lp_objective(lp) - 21) < 1e-9);
    for (int j = 0; j < 4; j++)
      assert_true(fabs(lp_value(lp, j) - (j > 0)) < 1e-9);
    assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
    assert_true(fabs(lp_objective(lp) - 22) < 1e-9); /* no trace is left of it */
  }
  static const double *const wrong[] = {poor, too_large, half};
  for (int k = 0; k < 3; k++) {
    load_knapsack(lp);
    assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
    lp_known(lp, wrong[k]);
    assert_int_equal(lp_solve_integer(lp, 0, &result, &error), HSIM_FAILED);
    assert_non_null(strstr(error.text, "known solution"));
  }
  lp_destroy(lp);
}

/* The textbook's multipliers: 3/2 for its second row, 1 for its third. */
static void tells_multipliers(void **state) {
  (void)state;
  struct lp *lp = lp_create();
  load_textbook(lp);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, NULL), HSIM_OK);
  assert_true(fabs(lp_dual(lp, 0) - 1.5) < 1e-9);
  assert_true(fabs(lp_dual(lp, 1) - 1) < 1e-9);
  assert_true(fabs(lp_reduced_cost(lp, 0)) < 1e-9);
  lp_destroy(lp);
}

/* 3x + 5y with 3y instead of 2y in the first row: y <= 4, so 3x + 2y <= 18 leaves x = 10/3. */
static void replaces_a_column(void **state) {
  (void)state;
  static const int rows[] = {0, 1};
  static const double coefficients[] = {3, 2};
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  load_textbook(lp);
  lp_replace(lp, 1, 2, rows, coefficients);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_FAILED);
  load_textbook(lp);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
  lp_replace(lp, 1, 2, rows, coefficients);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
  assert_true(fabs(lp_objective(lp) - 30) < 1e-9);
  lp_destroy(lp);
}

/* Each would end the process inside GLPK, or make its answer worthless. */
static void refuses_what_glpk_would_abort_over(void **state) {
  (void)state;
  for (int fault = 0; fault < 11; fault++) {
    struct lp *lp = lp_create();
    struct hsim_error error = {0};
    load_textbook(lp);
    switch (fault) {
    case 0:
      lp_cost(lp, 0, NAN);
      break;
    case 1:
      lp_cost(lp, 0, INFINITY);
      break;
    case 2:
      lp_row(lp, 0, NAN, 1);
      break;
    case 3:
      lp_row(lp, 0, 2, 1);
      break;
    case 4:
      lp_column(lp, 0, INFINITY, INFINITY);
      break;
    case 5:
      lp_entry(lp, 0, 0, NAN);
      break;
    case 6:
      lp_entry(lp, 0, 0, 0.0);
      break;
    case 7:
      lp_entry(lp, 2, 0, 1.0);
      break;
    case 8:
      lp_entry(lp, 0, -1, 1.0);
      break;
    case 9:
      lp_begin(lp, 0, 3, LP_MAXIMISE);
      break;
    default:
      lp_entry(lp, 1, 1, 7.0);
      break; /* a place named twice: only GLPK sees it */
    }
    assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_FAILED);
    assert_non_null(strstr(error.text, "linear program: "));
    assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_FAILED); /* still */
    load_textbook(lp);
    assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
    assert_true(fabs(lp_objective(lp) - 36) < 1e-9);
    lp_destroy(lp);
  }
}

static void one_solver_outlives_another(void **state) {
  (void)state;
  struct lp *first = lp_create(), *second = lp_create();
  load_textbook(first);
  load_textbook(second);
  lp_destroy(first);
  assert_int_equal(lp_solve(second, LP_PRIMAL, NULL), HSIM_OK);
  lp_destroy(second);
  lp_destroy(NULL);
}

/* maximise sum c_j x_j, sum a_j x_j <= b, 0 <= x <= 1: filling by c_j / a_j is optimal. */
static void agrees_with_filling_a_knapsack(void **state) {
  (void)state;
  unsigned seed = 20240611;
  print_message("seed %u\n", seed);
  struct lp *lp = lp_create();
  for (int round = 0; round < 50; round++) {
    enum { N = 12 };
    double c[N], a[N], room = 5.0, best = 0.0;
    bool used[N] = {false};
    lp_begin(lp, 1, N, LP_MAXIMISE);
    lp_row(lp, 0, -INFINITY, room);
    for (int j = 0; j < N; j++) {
      seed = seed * 1664525u + 1013904223u;
      c[j] = 1 + (double)(seed >> 20);
      seed = seed * 1664525u + 1013904223u;
      a[j] = 0.1 + (double)(seed >> 20) / 4096.0;
      lp_column(lp, j, 0, 1);
      lp_cost(lp, j, c[j]);
      lp_entry(lp, 0, j, a[j]);
    }
    for (int k = 0; k < N && room > 0; k++) {
      int top = -1;
      for (int j = 0; j < N; j++)
        if (!used[j] && (top < 0 || c[j] / a[j] > c[top] / a[top]))
          top = j;
      used[top] = true;
      double x = a[top] <= room ? 1.0 : room / a[top];
      best += x * c[top];
      room -= x * a[top];
    }
    assert_int_equal(lp_solve(lp, round % 2 ? LP_DUAL : LP_PRIMAL, NULL), HSIM_OK);
    assert_true(fabs(lp_objective(lp) - best) < 1e-7 * best);
  }
  lp_destroy(lp);
}

/* Any point of x + y + z = 1 is optimal: simplex ends in a corner, this in the middle. */
static void the_interior_point_is_the_middle(void **state) {
  (void)state;
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  lp_begin(lp, 1, 3, LP_MAXIMISE);
  lp_row(lp, 0, -INFINITY, 1);
  for (int j = 0; j < 3; j++) {
    lp_column(lp, j, 0, INFINITY);
    lp_cost(lp, j, 2);
    lp_entry(lp, 0, j, 1);
  }
  assert_int_equal(lp_solve_interior(lp, &error), HSIM_OK);
  assert_true(fabs(lp_objective(lp) - 2) < 1e-6);
  for (int j = 0; j < 3; j++)
    assert_true(fabs(lp_value(lp, j) - 1.0 / 3) < 1e-6);
  assert_int_equal(lp_counters(lp)->interior, 1);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
  assert_true(lp_value(lp, 0) == 1 || lp_value(lp, 1) == 1 || lp_value(lp, 2) == 1);
  lp_begin(lp, 1, 1, LP_MAXIMISE); /* x <= -1, x >= 0 */
  lp_column(lp, 0, 0, INFINITY);
  lp_entry(lp, 0, 0, 1);
  lp_row(lp, 0, -INFINITY, -1);
  assert_int_equal(lp_solve_interior(lp, &error), HSIM_FAILED);
  lp_destroy(lp);
}

/* One column in 100 rows: x_i >= t, sum of x = 50. */
static void the_interior_point_method_bears_dense_columns(void **state) {
  (void)state;
  enum { N = 100 };
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  lp_begin(lp, N + 1, N + 1, LP_MAXIMISE);
  lp_column(lp, N, 0, INFINITY);
  lp_cost(lp, N, 1);
  lp_row(lp, N, -INFINITY, 50);
  for (int i = 0; i < N; i++) {
    lp_column(lp, i, 0, INFINITY);
    lp_entry(lp, i, i, 1);
    lp_entry(lp, i, N, -1);
    lp_entry(lp, N, i, 1);
    lp_row(lp, i, 0, INFINITY);
  }
  assert_int_equal(lp_solve_interior(lp, &error), HSIM_OK);
  assert_true(fabs(lp_objective(lp) - 0.5) < 1e-6);
  for (int j = 0; j <= N; j++)
    assert_true(fabs(lp_value(lp, j) - 0.5) < 1e-6);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK); /* the program itself is as it was */
  assert_true(fabs(lp_objective(lp) - 0.5) < 1e-9);
  lp_destroy(lp);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_the_textbook_example_both_ways),
      cmocka_unit_test(minimises),
      cmocka_unit_test(goes_on_from_its_basis_after_a_change),
      cmocka_unit_test(finds_the_best_whole_numbers),
      cmocka_unit_test(a_node_limit_ends_the_search),
      cmocka_unit_test(a_known_solution_is_beaten_or_stands),
      cmocka_unit_test(tells_multipliers),
      cmocka_unit_test(replaces_a_column),
      cmocka_unit_test(says_why_there_is_no_optimum),
      cmocka_unit_test(refuses_what_glpk_would_abort_over),
      cmocka_unit_test(one_solver_outlives_another),
      cmocka_unit_test(agrees_with_filling_a_knapsack),
      cmocka_unit_test(the_interior_point_is_the_middle),
      cmocka_unit_test(the_interior_point_method_bears_dense_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
