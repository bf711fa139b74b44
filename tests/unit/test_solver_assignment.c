/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "hsim/view.h"
#include "solver/assignment.h"
#include "solver/lp.h"

enum { MOST = 6, MANY = 40 };

struct matrix {
  int rows, columns;
  double at[MOST * MOST];
};

static void costs(const void *context, int row, double *into) {
  const struct matrix *matrix = context;
  memcpy(into, matrix->at + row * matrix->columns, (size_t)matrix->columns * sizeof *into);
}

/* Of the rows from this one on, over all choices of columns. */
static double least(const struct matrix *matrix, int row, unsigned taken) {
  if (row == matrix->rows)
    return 0;
  double best = INFINITY;
  for (int j = 0; j < matrix->columns; j++)
    if (!(taken >> j & 1u))
      best = fmin(best,
                  matrix->at[row * matrix->columns + j] + least(matrix, row + 1, taken | 1u << j));
  return best;
}

static double total(const struct matrix *matrix, const int *column_of) {
  unsigned taken = 0;
  double sum = 0;
  for (int i = 0; i < matrix->rows; i++) {
    assert_true(column_of[i] >= 0 && column_of[i] < matrix->columns);
    assert_false(taken >> column_of[i] & 1u);
    taken |= 1u << column_of[i];
    sum += matrix->at[i * matrix->columns + column_of[i]];
  }
  return sum;
}

static unsigned draw(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

/* Small whole numbers, so that sums are exact and ties are many; some places are closed. */
static void finds_the_best_of_all_permutations(void **state) {
  (void)state;
  unsigned seed = 20;
  print_message("seed %u\n", seed);
  struct lap lap = {0};
  int without = 0, rectangular = 0;
  for (int round = 0; round < 3000; round++) {
    struct matrix matrix = {.rows = 1 + (int)(draw(&seed) % MOST)};
    matrix.columns = matrix.rows + (int)(draw(&seed) % (unsigned)(MOST + 1 - matrix.rows));
    rectangular += matrix.columns > matrix.rows;
    unsigned range = round % 3 ? 10 : 1000, closed = round % 5 ? 0 : 2;
    for (int i = 0; i < matrix.rows * matrix.columns; i++) {
      matrix.at[i] = draw(&seed) % range - range / 4.0;
      if (closed && draw(&seed) % closed == 0)
        matrix.at[i] = INFINITY;
    }
    int column_of[MOST];
    double best = least(&matrix, 0, 0);
    bool found = lap_solve(&lap, matrix.rows, matrix.columns, costs, &matrix, column_of);
    assert_int_equal(found, isfinite(best));
    if (found)
      assert_true(total(&matrix, column_of) == best);
    else
      without++;
  }
  assert_true(without > 50 && rectangular > 500);
  lap_free(&lap);
}

static void expect_columns(const struct matrix *matrix, const int *wanted) {
  struct lap lap = {0};
  int column_of[MOST];
  assert_true(lap_solve(&lap, matrix->rows, matrix->columns, costs, matrix, column_of));
  for (int i = 0; i < matrix->rows; i++)
    assert_int_equal(column_of[i], wanted[i]);
  lap_free(&lap);
}

/* Worked out by hand from the rule: columns in descending order, a free column at the same length
 * replaces the one before. */
static void breaks_ties_as_published(void **state) {
  (void)state;
  const struct matrix equal = {.rows = 3, .columns = 5};
  expect_columns(&equal, (int[]){0, 1, 2});
  const struct matrix two_best = {2, 3, {1, 1, 2, 1, 1, 2}};
  expect_columns(&two_best, (int[]){0, 1});
  const struct matrix one_best = {3, 3, {0, 1, 1, 0, 1, 1, 0, 1, 1}};
  expect_columns(&one_best, (int[]){0, 1, 2});
  const struct matrix moves_on = {2, 2, {1, 1, 1, 5}};
  expect_columns(&moves_on, (int[]){1, 0});
  /* A path over a column that is taken ends at the free one seen first at this length. */
  const struct matrix path = {2, 3, {0, 3, 3, 0, 3, 3}};
  expect_columns(&path, (int[]){0, 1});
}

static void no_rows_are_no_problem(void **state) {
  (void)state;
  struct lap lap = {0};
  const struct matrix none = {0};
  assert_true(lap_solve(&lap, 0, 0, costs, &none, NULL));
  lap_free(&lap);
}

/* ---- larger ones ---- */

struct large {
  int rows, columns;
  double at[MANY * MANY];
};

static void large_costs(const void *context, int row, double *into) {
  const struct large *large = context;
  memcpy(into, large->at + row * large->columns, (size_t)large->columns * sizeof *into);
}

static void random_large(struct large *large, uint64_t seed) {
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, "large assignment");
  large->columns = 7 + (int)hsim_rng_below(&rng, MANY - 6);
  large->rows = 5 + (int)hsim_rng_below(&rng, (uint64_t)large->columns - 4);
  for (int i = 0; i < large->rows * large->columns; i++)
    large->at[i] = seed % 2 ? 100 * hsim_rng_uniform(&rng) - 50
                            : (double)hsim_rng_below(&rng, 9) - 4; /* many ties */
}

/* The optimum of the linear program, whose vertices are assignments. */
static double by_glpk(const struct large *large) {
  int rows = large->rows, columns = large->columns;
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  lp_begin(lp, rows + columns, rows * columns, LP_MINIMISE);
  for (int r = 0; r < rows; r++)
    lp_row(lp, r, 1, 1);
  for (int c = 0; c < columns; c++)
    lp_row(lp, rows + c, -INFINITY, 1);
  for (int x = 0; x < rows * columns; x++) {
    lp_column(lp, x, 0, INFINITY);
    lp_cost(lp, x, large->at[x]);
    lp_entry(lp, x / columns, x, 1);
    lp_entry(lp, rows + x % columns, x, 1);
  }
  if (lp_solve(lp, LP_PRIMAL, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  double best = lp_objective(lp);
  lp_destroy(lp);
  return best;
}

/* And the same columns whatever the scratch was used for before. */
static void finds_what_glpk_finds(void **state) {
  (void)state;
  struct lap used = {0};
  for (uint64_t seed = 0; seed < 40; seed++) {
    struct large large;
    struct lap fresh = {0};
    int column_of[MANY], again[MANY];
    random_large(&large, seed);
    assert_true(lap_solve(&used, large.rows, large.columns, large_costs, &large, column_of));
    assert_true(lap_solve(&fresh, large.rows, large.columns, large_costs, &large, again));
    assert_memory_equal(column_of, again, (size_t)large.rows * sizeof *again);
    uint64_t taken = 0;
    double found = 0, best = by_glpk(&large);
    for (int r = 0; r < large.rows; r++) {
      assert_false(taken >> column_of[r] & 1);
      taken |= UINT64_C(1) << column_of[r];
      found += large.at[r * large.columns + column_of[r]];
    }
    if (fabs(found - best) > 1e-6)
      fail_msg("seed %llu: %d x %d: cost %.17g, GLPK %.17g", (unsigned long long)seed, large.rows,
               large.columns, found, best);
    lap_free(&fresh);
  }
  lap_free(&used);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_best_of_all_permutations),
      cmocka_unit_test(breaks_ties_as_published),
      cmocka_unit_test(no_rows_are_no_problem),
      cmocka_unit_test(finds_what_glpk_finds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
