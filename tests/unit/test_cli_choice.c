/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NAME:KEY=NUMBER values, and tables of options. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/choice.h"
#include "cli/option_table.h"

static const struct choice choices[] = {
    {"none", "", {{0}}},
    {"some", "", {{"size", 3, 1, 10, true, "how many"}, {"rate", NAN, 0, 2, false, "how fast"}}},
};

static void expect_choice_fault(const char *text, const char *message) {
  struct choice_value value;
  struct hsim_error error = {.text = ""};
  assert_int_equal(choice_parse("what", text, choices, 2, &value, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text, message);
}

static void test_choices(void **state) {
  (void)state;
  struct choice_value value;
  assert_int_equal(choice_parse("what", "none", choices, 2, &value, NULL), HSIM_OK);
  assert_int_equal(value.choice, 0);
  assert_int_equal(choice_parse("what", "some:rate=0.5", choices, 2, &value, NULL), HSIM_OK);
  assert_true(value.choice == 1 && value.values[0] == 3 && value.values[1] == 0.5);
  assert_true(!value.given[0] && value.given[1]);
  assert_int_equal(choice_parse("what", "some:rate=1:size=1e1:rate=2", choices, 2, &value, NULL),
                   HSIM_OK);
  assert_true(value.values[0] == 10 && value.values[1] == 2);
}

static void test_choice_faults(void **state) {
  (void)state;
  expect_choice_fault("", "option --what: value \"\": expected none or some");
  expect_choice_fault("soma", "option --what: value \"soma\": expected none or some; did you mean "
                              "some?");
  expect_choice_fault("none:x=1", "option --what: none takes no values, not \"x=1\"");
  expect_choice_fault("some", "option --what: some needs rate: how fast");
  expect_choice_fault("some:rat=1",
                      "option --what: key \"rat\": expected size or rate; did you mean rate?");
  expect_choice_fault("some:rate", "option --what: some: rate \"\": expected a number from 0 to 2");
  expect_choice_fault("some:rate=",
                      "option --what: some: rate \"\": expected a number from 0 to 2");
  expect_choice_fault("some:rate=nan",
                      "option --what: some: rate \"nan\": expected a number from 0 to 2");
  expect_choice_fault("some:size=2.5",
                      "option --what: some: size \"2.5\": expected a whole number from 1 to 10");
  expect_choice_fault("some:", "option --what: key \"\": expected size or rate");
}

struct seen {
  int keys[8];
  const char *texts[8];
  int n;
};

static enum hsim_status see(void *target, int key, const char *text, struct hsim_error *error) {
  struct seen *seen = target;
  if (text != NULL && strcmp(text, "bad") == 0)
    return option_bad(error, "size", text, "better");
  seen->keys[seen->n] = key;
  seen->texts[seen->n++] = text;
  return HSIM_OK;
}

static const struct option_row first[] = {{300, "size", "N", "x"}};
static const struct option_row second[] = {{301, "flag", NULL, "x"}, {'h', "help", NULL, "x"}};

static enum hsim_status parse(const char *const *words, int n, struct seen *seen, int *first_word,
                              struct hsim_error *error) {
  char *argv[9] = {NULL};
  const struct option_group groups[] = {{"A", first, 1, see, seen}, {NULL, second, 2, see, seen}};
  const struct option_table table = {.command = "prog", .groups = groups, .n_groups = 2};
  *seen = (struct seen){.n = 0};
  for (int i = 0; i < n; i++)
    argv[i] = strdup(words[i]);
  enum hsim_status status = option_table_parse(&table, n, argv, first_word, error);
  for (int i = 0; i < n; i++)
    free(argv[i]); /* the texts seen are gone: tests look at keys only */
  return status;
}

static void test_options(void **state) {
  (void)state;
  struct seen seen;
  int word;
  const char *words[] = {"prog", "file", "--size", "3", "--flag", "--size=4", "-h"};
  assert_int_equal(parse(words, 7, &seen, &word, NULL), HSIM_OK);
  static const int keys[] = {300, 301, 300, 'h'};
  assert_int_equal(seen.n, 4);
  assert_memory_equal(seen.keys, keys, sizeof keys);
  assert_int_equal(word, 6);
}

static void expect_fault(const char *word, const char *message) {
  struct seen seen;
  struct hsim_error error = {.text = ""};
  int first_word;
  const char *words[] = {"prog", word};
  assert_int_equal(parse(words, 2, &seen, &first_word, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text, message);
}

static void test_option_faults(void **state) {
  (void)state;
  expect_fault("--size", "option --size needs a value: N");
  expect_fault("--flag=1", "option --flag takes no value");
  expect_fault("--help=1", "option --help takes no value");
  expect_fault("--sise=1", "unknown option --sise; did you mean --size?");
  expect_fault("-x", "unknown option -x (prog --help lists them)");
  expect_fault("-hx", "unknown option -hx (prog --help lists them)");
  expect_fault("--size=bad", "option --size: value \"bad\": expected better");
}

static void test_values(void **state) {
  (void)state;
  static const char *const three[] = {"a", "b", "c"};
  struct hsim_error error = {.text = ""};
  double real;
  int n;
  assert_int_equal(option_seconds("x", "1e12", 0, &real, NULL), HSIM_OK);
  assert_int_equal(option_seconds("x", "1e13", 0, &real, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text,
                      "option --x: value \"1e13\": expected a number of seconds from 0 to 1e+12");
  assert_int_equal(option_one_of("x", "c", three, 3, &n, NULL), HSIM_OK);
  assert_int_equal(n, 2);
  assert_int_equal(option_one_of("x", "d", three, 3, &n, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text, "option --x: value \"d\": expected a, b or c");
  assert_int_equal(option_count("x", "0", &n, &error), HSIM_BAD_USAGE);
}

static void test_percent(void **state) {
  (void)state;
  double fraction = -1;
  struct hsim_error error = {0};
  assert_int_equal(option_percent("tolerance", "0.5%", INFINITY, &fraction, &error), HSIM_OK);
  assert_true(fraction == 0.005);
  assert_int_equal(option_percent("tolerance", "0", INFINITY, &fraction, &error), HSIM_OK);
  assert_true(fraction == 0);
  assert_int_equal(option_percent("tolerance", "200%", INFINITY, &fraction, &error), HSIM_OK);
  assert_true(fraction == 2);
  static const char *const bad[] = {"", "%", "0.5", "-1%", "1 %", "nan%", "1%%", "x%", "1e999%"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(option_percent("tolerance", bad[i], INFINITY, &fraction, &error),
                     HSIM_BAD_USAGE);
    assert_non_null(strstr(error.text, "--tolerance"));
    assert_non_null(strstr(error.text, bad[i]));
  }
  assert_int_equal(option_percent("shake", "99.5%", 99, &fraction, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text, "option --shake: value \"99.5%\": expected a percentage such as "
                                  "0.5% up to 99%, or 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_percent),       cmocka_unit_test(test_choices),
      cmocka_unit_test(test_choice_faults), cmocka_unit_test(test_options),
      cmocka_unit_test(test_option_faults), cmocka_unit_test(test_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
