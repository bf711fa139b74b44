/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/seeds.h"

static void expect(const char *text, size_t n, const uint64_t *seeds) {
  struct seed_list list = {0};
  struct hsim_error error = {0};
  assert_int_equal(seeds_parse(text, &list, &error), HSIM_OK);
  assert_int_equal(list.n, n);
  for (size_t i = 0; i < n; i++)
    assert_true(list.at[i] == seeds[i]);
  seeds_free(&list);
}

static void test_lists(void **state) {
  (void)state;
  expect("0", 1, (const uint64_t[]){0});
  expect("3-5", 3, (const uint64_t[]){3, 4, 5});
  expect("9,1-2,0", 4, (const uint64_t[]){9, 1, 2, 0});
  expect("9007199254740990-9007199254740991", 2,
         (const uint64_t[]){9007199254740990u, 9007199254740991u});
}

static void test_the_most(void **state) {
  (void)state;
  struct seed_list list = {0};
  struct hsim_error error = {0};
  assert_int_equal(seeds_parse("0-9999", &list, &error), HSIM_OK);
  assert_int_equal(list.n, MOST_SEEDS);
  assert_int_equal(seeds_parse("0-9999,10000", &list, &error), HSIM_BAD_USAGE);
  seeds_free(&list);
}

static void test_faults(void **state) {
  (void)state;
  static const char *const bad[] = {"",     ",",       "1,",  "-1",
                                    "1-",   "5-3",     "1,1", "1-3,2",
                                    "x",    "1.5",     " 1",  "9007199254740992",
                                    "1--3", "0-10000", "1;2", "0-9223372036854775807"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct seed_list list = {0};
    struct hsim_error error = {0};
    assert_int_equal(seeds_parse(bad[i], &list, &error), HSIM_BAD_USAGE);
    assert_non_null(strstr(error.text, "option --seeds: value \""));
    assert_null(list.at);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_the_most),
                                     cmocka_unit_test(test_faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
