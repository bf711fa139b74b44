/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of options. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/option_table.h"

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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_percent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
