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
  lp_begin(lp, 1, 1, LP_MAXIMISE);
  lp_row(lp, 0, 0, INFINITY);
  lp_column(lp, 0, 0, INFINITY);
  lp_cost(lp, 0, 1);
  lp_entry(lp, 0, 0, 1);
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_FAILED);
  assert_non_null(strstr(error.text, "unbounded"));
  load_textbook(lp); /* and is of use again */
  assert_int_equal(lp_solve(lp, LP_PRIMAL, &error), HSIM_OK);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_the_textbook_example_both_ways),
      cmocka_unit_test(minimises),
      cmocka_unit_test(goes_on_from_its_basis_after_a_change),
      cmocka_unit_test(says_why_there_is_no_optimum),
      cmocka_unit_test(refuses_what_glpk_would_abort_over),
      cmocka_unit_test(one_solver_outlives_another),
      cmocka_unit_test(agrees_with_filling_a_knapsack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
