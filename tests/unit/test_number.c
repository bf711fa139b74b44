/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hsim/view.h"
#include "model/number.h"

enum { SEED = 20240607, TRIALS = 1000000 };

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void assert_prints(double value, const char *expected) {
  char text[NUMBER_SIZE];
  size_t length = number_print(value, text);
  assert_string_equal(text, expected);
  assert_int_equal(length, strlen(expected));
}

static void prints_as_people_write(void **state) {
  (void)state;
  assert_prints(0, "0");
  assert_prints(-0.0, "-0");
  assert_prints(1, "1");
  assert_prints(-360, "-360");
  assert_prints(0.5, "0.5");
  assert_prints(-0.1, "-0.1");
  assert_prints(123.25, "123.25");
  assert_prints(0.1 + 0.2, "0.30000000000000004");
  assert_prints(2.0 / 3, "0.6666666666666666");
  assert_prints(100.0 / 3, "33.333333333333336");
  assert_prints(1e15 + 0.3, "1000000000000000.2"); /* 1e15 + 0.25: both .2 and .3 would do */
  assert_prints(1e15 + 0.75, "1000000000000000.8");
  assert_prints(4503599627370495.5, "4503599627370495.5");
  assert_prints(0.000123, "0.000123");
  assert_prints(NAN, "nan");
  assert_prints(INFINITY, "inf");
  assert_prints(-INFINITY, "-inf");
}

static void prints_an_exponent_only_outside(void **state) {
  (void)state;
  assert_prints(1e-5, "0.00001");
  assert_prints(nextafter(1e-5, 0), "9.999999999999999e-06");
  assert_prints(9007199254740991, "9007199254740991");
  assert_prints(9007199254740992, "9007199254740992");
  assert_prints(9007199254740994, "9007199254740994");
  assert_prints(12345678901234568, "12345678901234568");
  assert_prints(1e16, "10000000000000000");
  assert_prints(nextafter(1e17, 0), "99999999999999980");
  assert_prints(1e17, "1e+17");
  assert_prints(-1.5e300, "-1.5e+300");
  assert_prints(1e23, "1e+23");
  assert_prints(DBL_MAX, "1.7976931348623157e+308");
  assert_prints(DBL_MIN, "2.2250738585072014e-308");
  assert_prints(5e-324, "5e-324");
  assert_prints(1e-7, "1e-07");
}

static int digits_in(const char *text) {
  int n = 0, zeros = 0;
  for (; *text != '\0' && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (n == 0 && *text == '0'))
      continue;
    zeros = *text == '0' ? zeros + 1 : 0;
    n++;
  }
  return n - zeros;
}

/* The fewest digits with which printf would do. */
static int digits_needed(double value) {
  char text[64];
  int n = fabs(value) < DBL_MIN ? 1 : 15;
  for (; n < 17; n++) {
    snprintf(text, sizeof text, "%.*e", n - 1, value);
    if (strtod(text, NULL) == value)
      break;
  }
  snprintf(text, sizeof text, "%.*e", n - 1, value);
  return digits_in(text);
}

static void check_round_trip(double value) {
  char text[NUMBER_SIZE];
  size_t length = number_print(value, text);
  double back = 0;
  if (number_parse(text, length, &back) != NUMBER_OK || bits_of(back) != bits_of(value) ||
      bits_of(strtod(text, NULL)) != bits_of(value))
    fail_msg("%a prints as %s and reads back as %a", value, text, back);
  if (digits_in(text) > digits_needed(value))
    fail_msg("%a prints as %s, which is too long", value, text);
  double size = fabs(value);
  if ((strchr(text, 'e') == NULL) != (size == 0 || (size >= 1e-5 && size < 1e17)))
    fail_msg("%a prints as %s", value, text);
}

static void random_doubles_round_trip(void **state) {
  (void)state;
  struct hsim_rng rng;
  hsim_rng_init(&rng, SEED, "random_doubles_round_trip");
  print_message("seed %d\n", SEED);
  for (int i = 0; i < TRIALS; i++) {
    double value;
    switch (i % 4) {
    case 0: /* any bits */
      value = double_of(hsim_rng_next(&rng));
      break;
    case 1: /* seconds of a simulation */
      value = hsim_rng_uniform(&rng) * 1e7;
      break;
    case 2: /* any size that prints without an exponent, and a little more */
      value = ldexp(0.5 + hsim_rng_uniform(&rng) / 2, (int)hsim_rng_below(&rng, 80) - 20);
      break;
    default: /* few digits */
      value = (double)hsim_rng_below(&rng, 1000000) / pow(10, (double)hsim_rng_below(&rng, 7));
      break;
    }
    if (isfinite(value))
      check_round_trip(value);
  }
}

static void powers_of_two_round_trip(void **state) {
  (void)state;
  for (int exponent = -1074; exponent < 1024; exponent++) {
    double value = ldexp(1, exponent);
    check_round_trip(value);
    check_round_trip(nextafter(value, 0));
    check_round_trip(-nextafter(value, INFINITY));
  }
}

static void assert_parses(const char *text, double expected) {
  double value = 12345;
  assert_int_equal(number_parse(text, strlen(text), &value), NUMBER_OK);
  if (bits_of(value) != bits_of(expected))
    fail_msg("%s reads as %a, expected %a", text, value, expected);
}

static void parses_plain_decimals(void **state) {
  (void)state;
  assert_parses("0", 0);
  assert_parses("-0", -0.0);
  assert_parses("-0.000e5", -0.0);
  assert_parses("+7", 7);
  assert_parses("007", 7);
  assert_parses("1.5", 1.5);
  assert_parses(".5", 0.5);
  assert_parses("5.", 5);
  assert_parses("1e3", 1000);
  assert_parses("0.00000000000000000000000123456789", 1.23456789e-24);
  assert_parses("00000000000000000000000123456789", 123456789);
  assert_parses("10000000000000000000000", 1e22);
  assert_parses("1E+3", 1000);
  assert_parses("25e-1", 2.5);
  assert_parses("1e-400", 0);
  assert_parses("0e99999999999999999999999", 0);
  assert_parses("1e-99999999999999999999999", 0);
  assert_parses("9007199254740993", 9007199254740992.0); /* half way, to even */
  assert_parses("9007199254740995", 9007199254740996.0);
  assert_parses("9007199254740993.0000000000000000000000001", 9007199254740994.0);
  assert_parses("1.7976931348623157e308", DBL_MAX);
  assert_parses("4.9e-324", 5e-324);
  assert_parses("0.1000000000000000055511151231257827021181583404541015625", 0.1);
  double value = 0;
  assert_int_equal(number_parse("12345", 2, &value), NUMBER_OK); /* no NUL needed */
  assert_true(value == 12);
}

static void parses_nothing_else(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",     " ",   " 1", "1 ",  "1,000",    "1_000", "0x10", "1p3", "inf", "-inf",  "nan",
      "NAN",  "e5",  "1e", "1e+", "1e5.0",    "1.2.3", ".",    "-",   "+-1", "--1",   "1-",
      "1e5e", "1\t", "$1", "1f",  "infinity", "1d0",   "-.",   ".e1", "1\n", "\"1\"", "1e--5"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    double value = 12345;
    if (number_parse(texts[i], strlen(texts[i]), &value) != NUMBER_MALFORMED || value != 12345)
      fail_msg("\"%s\" is taken for a number", texts[i]);
  }
  double value;
  assert_int_equal(number_parse("1\0", 2, &value), NUMBER_MALFORMED);
}

static void too_large_is_told_apart(void **state) {
  (void)state;
  double value;
  assert_int_equal(number_parse("1e309", 5, &value), NUMBER_OVERFLOW);
  assert_int_equal(number_parse("-1e999999999999999999", 21, &value), NUMBER_OVERFLOW);
  char digits[401];
  memset(digits, '9', 400);
  assert_int_equal(number_parse(digits, 400, &value), NUMBER_OVERFLOW);
  assert_int_equal(number_parse(digits, 300, &value), NUMBER_OK);
  assert_true(value == 1e300);
}

/* Against the C library, on texts of all lengths: the short cuts must not cost a bit. */
static void parses_as_the_library_does(void **state) {
  (void)state;
  struct hsim_rng rng;
  hsim_rng_init(&rng, SEED, "parses_as_the_library_does");
  print_message("seed %d\n", SEED);
  for (int i = 0; i < TRIALS; i++) {
    char text[80];
    size_t n = 0;
    if (hsim_rng_below(&rng, 4) == 0)
      text[n++] = '-';
    size_t digits = 1 + hsim_rng_below(&rng, 24), point = hsim_rng_below(&rng, digits + 3);
    for (size_t d = 0; d < digits; d++) {
      if (d == point)
        text[n++] = '.';
      text[n++] = (char)('0' + (hsim_rng_below(&rng, 8) == 0 ? 0 : hsim_rng_below(&rng, 10)));
    }
    text[n] = '\0';
    if (hsim_rng_below(&rng, 3) == 0)
      n += (size_t)snprintf(text + n, sizeof text - n, "e%d", (int)hsim_rng_below(&rng, 60) - 30);
    assert_parses(text, strtod(text, NULL));
  }
}

/* Decimals half way between two doubles, and their neighbours in the last digit. */
static void parses_midpoints_to_even(void **state) {
  (void)state;
  struct hsim_rng rng;
  hsim_rng_init(&rng, SEED, "parses_midpoints_to_even");
  print_message("seed %d\n", SEED);
  for (int i = 0; i < 100000; i++) {
    uint64_t mantissa = (UINT64_C(1) << 52) + hsim_rng_below(&rng, UINT64_C(1) << 52);
    uint64_t middle = 2 * mantissa + 1; /* 54 bits */
    for (uint64_t n = middle - 1; n <= middle + 1; n++) {
      char text[64];
      snprintf(text, sizeof text, "%" PRIu64, n);
      assert_parses(text, strtod(text, NULL));
      snprintf(text, sizeof text, "%" PRIu64 ".%d", n / 2, n % 2 == 0 ? 0 : 5);
      assert_parses(text, strtod(text, NULL));
      snprintf(text, sizeof text, "%" PRIu64 "e-17", n);
      assert_parses(text, strtod(text, NULL));
    }
  }
}

/* Quotients that fall half way but for a remainder: one in some thousand of these. */
static void parses_long_fractions(void **state) {
  (void)state;
  struct hsim_rng rng;
  hsim_rng_init(&rng, SEED, "parses_long_fractions");
  print_message("seed %d\n", SEED);
  for (int i = 0; i < 300000; i++) {
    char text[64];
    uint64_t n =
        UINT64_C(1000000000000000000) + hsim_rng_below(&rng, UINT64_C(9000000000000000000));
    snprintf(text, sizeof text, "0.%" PRIu64, n);
    assert_parses(text, strtod(text, NULL));
    snprintf(text, sizeof text, "%" PRIu64 "e%d", n, (int)hsim_rng_below(&rng, 41) - 20);
    assert_parses(text, strtod(text, NULL));
  }
}

static void assert_parses_int(const char *text, int64_t expected) {
  int64_t value = 12345;
  assert_int_equal(number_parse_int(text, strlen(text), &value), NUMBER_OK);
  assert_true(value == expected);
}

static void parses_whole_numbers(void **state) {
  (void)state;
  assert_parses_int("0", 0);
  assert_parses_int("-0", 0);
  assert_parses_int("+42", 42);
  assert_parses_int("-42", -42);
  assert_parses_int("000000000000000000000000000001", 1);
  assert_parses_int("9223372036854775807", INT64_MAX);
  assert_parses_int("-9223372036854775808", INT64_MIN);
  int64_t value = 12345;
  static const char *const malformed[] = {"", "-", "3.0", "1e3", " 1", "1 ", "0x1", "1,000", "+-1"};
  for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++)
    assert_int_equal(number_parse_int(malformed[i], strlen(malformed[i]), &value),
                     NUMBER_MALFORMED);
  static const char *const large[] = {"9223372036854775808", "-9223372036854775809",
                                      "99999999999999999999999999"};
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
    assert_int_equal(number_parse_int(large[i], strlen(large[i]), &value), NUMBER_OVERFLOW);
  assert_int_equal(number_parse_int("99999999999999999999999999x", 27, &value), NUMBER_MALFORMED);
  assert_int_equal(value, 12345);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prints_as_people_write),
      cmocka_unit_test(prints_an_exponent_only_outside),
      cmocka_unit_test(random_doubles_round_trip),
      cmocka_unit_test(powers_of_two_round_trip),
      cmocka_unit_test(parses_plain_decimals),
      cmocka_unit_test(parses_nothing_else),
      cmocka_unit_test(too_large_is_told_apart),
      cmocka_unit_test(parses_as_the_library_does),
      cmocka_unit_test(parses_midpoints_to_even),
      cmocka_unit_test(parses_long_fractions),
      cmocka_unit_test(parses_whole_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
