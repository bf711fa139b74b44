/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "solver/assignment.h"

enum { MOST = 6 };

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_best_of_all_permutations),
      cmocka_unit_test(breaks_ties_as_published),
      cmocka_unit_test(no_rows_are_no_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
