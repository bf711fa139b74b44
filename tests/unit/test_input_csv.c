/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input_fixture.h"

#include "input/csv.h"

/* Rows as "number@line:[a][b]\n"; a row whose first cell is "bad" is refused. */
struct seen {
  char text[2000];
  char errors[2000];
  bool skips;
};

static const char *const columns[] = {"a", "b"};

static enum hsim_status take(void *state, const struct row *row, struct hsim_error *error) {
  struct seen *seen = state;
  size_t used = strlen(seen->text);
  if (strcmp(row->cells[0].text, "bad") == 0)
    return row_bad(row, 0, error, "no such thing");
  assert_int_equal(strlen(row->cells[0].text), row->cells[0].length);
  snprintf(seen->text + used, sizeof seen->text - used, "%d@%d:[%s][%s]\n", row->number, row->line,
           row->cells[0].text, row->cells[1].text);
  return HSIM_OK;
}

static bool pass_over(void *state, const struct hsim_error *error) {
  struct seen *seen = state;
  size_t used = strlen(seen->errors);
  snprintf(seen->errors + used, sizeof seen->errors - used, "%s\n", error->text);
  return seen->skips;
}

static enum hsim_status parse(const void *text, size_t n, struct seen *seen, int *rows,
                              struct hsim_error *error) {
  const struct csv_table table = {.columns = columns,
                                  .n_columns = 2,
                                  .required = 1,
                                  .ignores_x = true,
                                  .what = "a test",
                                  .row = take,
                                  .skip = pass_over};
  struct source *source;
  error->text[0] = '\0';
  assert_int_equal(source_open_memory("f", text, n, &source, error), HSIM_OK);
  enum hsim_status status = csv_read(source, &table, seen, rows, error);
  source_close(source);
  return status;
}

static void expect_rows(const char *text, const char *expected) {
  struct seen seen = {.text = ""};
  struct hsim_error error;
  if (parse(text, strlen(text), &seen, NULL, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  assert_string_equal(seen.text, expected);
}

static void expect_bad_text(const char *text, const char *expected) {
  struct seen seen = {.text = ""};
  struct hsim_error error;
  assert_int_equal(parse(text, strlen(text), &seen, NULL, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, expected);
}

static void test_plain(void **state) {
  (void)state;
  expect_rows("a,b\n1,2\n3,4\n", "1@2:[1][2]\n2@3:[3][4]\n");
  expect_rows("a,b\n1,2\n3,4", "1@2:[1][2]\n2@3:[3][4]\n");
  expect_rows("b,a\n1,2\n", "1@2:[2][1]\n");
  expect_rows("a\n1\n2", "1@2:[1][]\n2@3:[2][]\n");
  expect_rows("a,b\n,\n1,", "1@2:[][]\n2@3:[1][]\n");
  expect_rows("a,b\n", "");
  expect_rows("a,b", "");
}

static void test_line_ends_and_mark(void **state) {
  (void)state;
  expect_rows("a,b\r\n1,2\r\n3,4\r\n", "1@2:[1][2]\n2@3:[3][4]\n");
  expect_rows("a,b\r\n1,2\n3,4\r\n5,6", "1@2:[1][2]\n2@3:[3][4]\n3@4:[5][6]\n");
  expect_rows("\xef\xbb\xbf"
              "a,b\n1,2",
              "1@2:[1][2]\n");
  expect_rows("\xef\xbb\xbf\"a\",b\r\n1,2", "1@2:[1][2]\n");
  expect_rows("a,b\n1,2\n\n\n", "1@2:[1][2]\n");
  expect_rows("a,b\r\n1,2\r\n\r\n", "1@2:[1][2]\n");
  expect_rows("\n\r\na,b\n1,2", "1@4:[1][2]\n");
  expect_bad_text("a,b\n1,2\r3,4\n",
                  "f:2: a carriage return without a line feed: expected LF or CRLF line ends");
  expect_bad_text("a,b\n1,2\r\r\n3,4\n",
                  "f:2: a carriage return without a line feed: expected LF or CRLF line ends");
}

static void test_quoting(void **state) {
  (void)state;
  expect_rows("a,b\n\"1,1\",\"say \"\"so\"\"\"\n", "1@2:[1,1][say \"so\"]\n");
  expect_rows("a,b\n\"x\ny\r\nz\",1\n2,3\n", "1@2:[x\ny\r\nz][1]\n2@5:[2][3]\n");
  expect_rows("a,b\n \t1 ,\" 2 \"\n", "1@2:[ \t1 ][ 2 ]\n");
  expect_rows("a,b\n\"\",\"\"\n", "1@2:[][]\n");
  const char *broken =
      "f:3: broken quoting: expected quotes only around a whole cell, and doubled inside one";
  expect_bad_text("a,b\n1,2\n\"x\"y,3\n", broken);
  expect_bad_text("a,b\n1,2\nx\"y\",3\n", broken);
  expect_bad_text("a,b\n1,2\n\"x\" ,3\n", broken);
  expect_bad_text("a,b\n1,2\n\"x,3\n4,5\n", "f:3: a quote that never closes");
}

static void test_rows_that_do_not_fit(void **state) {
  (void)state;
  expect_bad_text("a,b\n1,2\n1\n", "f:3: a row of 1 cell: expected 2, as in the header");
  expect_bad_text("a,b\n1,2,3\n", "f:2: a row of 3 cells: expected 2, as in the header");
  expect_bad_text("a,b\n  \n", "f:2: a row of 1 cell: expected 2, as in the header");
  expect_bad_text("a,b\n1,2\n\n3,4\n", "f:3: a blank line: expected a row of 2 cells");
  expect_bad_text("a,b\nbad,4\n", "f:2: column a: value \"bad\": expected no such thing");
}

static void test_skipping(void **state) {
  (void)state;
  struct seen seen = {.text = "", .skips = true};
  struct hsim_error error;
  int rows;
  const char *text = "a,b\n1,2\n\n\nbad,3\n4\n5,6\n\n";
  assert_int_equal(parse(text, strlen(text), &seen, &rows, &error), HSIM_OK);
  assert_int_equal(rows, 6);
  assert_string_equal(seen.text, "1@2:[1][2]\n6@7:[5][6]\n");
  assert_string_equal(seen.errors, "f:3: a blank line: expected a row of 2 cells\n"
                                   "f:4: a blank line: expected a row of 2 cells\n"
                                   "f:5: column a: value \"bad\": expected no such thing\n"
                                   "f:6: a row of 1 cell: expected 2, as in the header\n");
  /* What follows broken quoting cannot be told apart, so that nothing is skipped. */
  struct seen broken = {.text = "", .skips = true};
  text = "a,b\n\"x\"y,3\n1,2\n";
  assert_int_equal(parse(text, strlen(text), &broken, &rows, &error), HSIM_BAD_INPUT);
}

static void test_header(void **state) {
  (void)state;
  expect_rows("x_mine,a,x_\n1,2,3\n", "1@2:[2][]\n");
  expect_bad_text("b\n1\n", "f:1: a test needs the column a; the header has b");
  expect_bad_text("a,bb\n1,2\n",
                  "f:1: unknown column \"bb\" (the names of additional columns start "
                  "with x_)");
  expect_bad_text("a,\n1,2\n", "f:1: unknown column \"\" (the names of additional columns start "
                               "with x_)");
  expect_bad_text("a,b,a\n", "f:1: column a stands there twice");
  expect_bad_text("", "f: is empty: expected a test");
  expect_bad_text("\n\n", "f: is empty: expected a test");
}

static void test_zero_byte_and_endless_row(void **state) {
  (void)state;
  struct seen seen = {.text = ""};
  struct hsim_error error;
  assert_int_equal(parse("a,b\n1,2\n3,\0\n", 12, &seen, NULL, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, "f:3: a zero byte: expected text");
  assert_string_equal(seen.text, "1@2:[1][2]\n");
  size_t n = 5000000;
  char *much = malloc(n);
  assert_non_null(much);
  memset(much, 'x', n);
  memcpy(much, "a,b\n\"", 5);
  assert_int_equal(parse(much, n, &seen, NULL, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, "f:2: a row of more than 1048576 bytes or 16384 cells (a quote "
                                  "that never closes?)");
  memset(much + 4, ',', n - 4);
  assert_int_equal(parse(much, n, &seen, NULL, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, "f:2: a row of more than 1048576 bytes or 16384 cells (a quote "
                                  "that never closes?)");
  free(much);
}

/* Rows, cells and quoted line ends that cross the blocks in which the input comes. */
static void test_long_input(void **state) {
  (void)state;
  enum { ROWS = 20000 };
  size_t used = 4, size = 64 * ROWS;
  char *text = malloc(size);
  assert_non_null(text);
  memcpy(text, "a,b\n", 4);
  for (int i = 0; i < ROWS; i++)
    used += (size_t)snprintf(text + used, size - used, "\"%d\n\",%d\n", i, 2 * i);
  used += (size_t)snprintf(text + used, size - used, "bad,0\n");
  struct seen seen = {.text = ""};
  struct hsim_error error;
  int rows;
  assert_int_equal(parse(text, used, &seen, &rows, &error), HSIM_BAD_INPUT);
  assert_int_equal(rows, ROWS + 1);
  assert_string_equal(error.text, "f:40002: column a: value \"bad\": expected no such thing");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain),
      cmocka_unit_test(test_line_ends_and_mark),
      cmocka_unit_test(test_quoting),
      cmocka_unit_test(test_rows_that_do_not_fit),
      cmocka_unit_test(test_skipping),
      cmocka_unit_test(test_header),
      cmocka_unit_test(test_zero_byte_and_endless_row),
      cmocka_unit_test(test_long_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
