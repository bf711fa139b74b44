/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hsim/table.h"
#include "input_fixture.h"

enum { NAME, SIZE, RATE, N_COLUMNS };
static const char *const COLUMNS[N_COLUMNS] = {"name", "size", "rate"};

struct seen {
  int rows;
  char names[64];
  int64_t sizes;
  double rates;
};

static enum hsim_status take(void *state, const struct hsim_row *row, struct hsim_error *error) {
  struct seen *seen = state;
  int64_t size;
  double rate = 0;
  enum hsim_status status = hsim_row_int(row, SIZE, 1, 9, &size, error);
  if (status == HSIM_OK && *hsim_row_text(row, RATE))
    status = hsim_row_real(row, RATE, 0.5, 2, &rate, error);
  if (status != HSIM_OK)
    return status;
  if (strcmp(hsim_row_text(row, NAME), "bad") == 0)
    return hsim_row_bad(row, NAME, error, "anything but %s", "bad");
  if (strcmp(hsim_row_text(row, NAME), "twice") == 0)
    return hsim_row_fail(row, error, "said %d times", 2);
  seen->rows++;
  strcat(seen->names, hsim_row_text(row, NAME));
  seen->sizes += size;
  seen->rates += rate;
  return HSIM_OK;
}

static enum hsim_status read_list(const char *text, struct seen *seen, struct hsim_error *error) {
  static const struct hsim_table table = {.what = "a list",
                                          .columns = COLUMNS,
                                          .n_columns = N_COLUMNS,
                                          .required = 1u << NAME | 1u << SIZE,
                                          .row = take};
  write_text("t.csv", text);
  *seen = (struct seen){0};
  enum hsim_status status = hsim_read_table("t.csv", &table, seen, error);
  unlink("t.csv");
  return status;
}

static void reads_columns_in_any_order(void **state) {
  (void)state;
  struct seen seen;
  struct hsim_error error = {0};
  assert_int_equal(read_list("size,name\n3,a\n4,\"b,c\"\n", &seen, &error), HSIM_OK);
  assert_int_equal(seen.rows, 2);
  assert_string_equal(seen.names, "ab,c");
  assert_int_equal(seen.sizes, 7);
  assert_int_equal(read_list("size,rate,name\n3,0.5,a\n4,,b\n", &seen, &error), HSIM_OK);
  assert_true(seen.rates == 0.5);
}

static void says_what_is_wrong_and_where(void **state) {
  (void)state;
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"", "t.csv: is empty: expected a list"},
      {"size\n1\n", "t.csv:1: a list needs the column name; the header has size"},
      {"name,size,colour\n", "t.csv:1: unknown column \"colour\""},
      {"name,size\na,x\n",
       "t.csv:2: column size: value \"x\": expected a whole number from 1 to 9"},
      {"name,size\na,10\n",
       "t.csv:2: column size: value \"10\": expected a whole number from 1 to 9"},
      {"name,size,rate\na,1,3\n",
       "t.csv:2: column rate: value \"3\": expected a number in 0.5 to 2"},
      {"name,size\na,1\nbad,1\n", "t.csv:3: column name: value \"bad\": expected anything but bad"},
      {"name,size\ntwice,1\n", "t.csv:2: said 2 times"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct seen seen;
    struct hsim_error error = {0};
    assert_int_equal(read_list(cases[i].text, &seen, &error), HSIM_BAD_INPUT);
    if (strncmp(error.text, cases[i].expected, strlen(cases[i].expected)) != 0)
      fail_msg("\"%s\" instead of \"%s\"", error.text, cases[i].expected);
  }
}

int main(void) {
  char folder[64];
  enter_folder(folder); /* messages hold plain file names */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_columns_in_any_order),
      cmocka_unit_test(says_what_is_wrong_and_where),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
