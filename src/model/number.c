/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

__extension__ typedef unsigned __int128 wide;

enum {
  MANTISSA_BITS = 53,
  MAX_DIGITS = 17,     /* enough for any double */
  FIRST_EXPONENT = -5, /* decimal exponents printed without "e": -5 .. 16 */
  LAST_EXPONENT = 16,
  EXACT_POWERS = 20, /* 10^0 .. 10^19 fit in 64 bits */
  MOST_SAVED_DIGITS = 19
};

static const uint64_t power_of_ten[EXACT_POWERS] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    10000000000000000000u,
};

/* ---- printing ---- */

static char *print_whole(uint64_t n, char *out) {
  char digits[20];
  int first = 20;
  do {
    digits[--first] = (char)('0' + n % 10);
    n /= 10;
  } while (n > 0);
  memcpy(out, digits + first, (size_t)(20 - first));
  return out + (20 - first);
}

/*
 * The digits after the point, as few as single out the double: the fixed-point fraction printing of
 * Steele and White (PLDI 1990, algorithm (FP)^3). The fraction is rest / 2^shift and all is exact;
 * `half` is half the distance of doubles here. A decimal that is just so far away has more digits
 * than the double itself, so that it does not matter to whom it belongs; nor does it matter that
 * below a power of two doubles are closer, since 2^-1 .. 2^-16 have less than 17 digits.
 */
static char *print_fraction(wide rest, int shift, wide half, char *out) {
  wide one = (wide)1 << shift;
  for (;;) {
    rest *= 10;
    half *= 10;
    int digit = (int)(rest >> shift);
    rest &= one - 1;
    bool low = rest<half, high = rest + half> one;
    if (low || high) {
      bool up = high && (!low || 2 * rest > one || (2 * rest == one && digit % 2 == 1));
      *out++ = (char)('0' + digit + up);
      return out;
    }
    *out++ = (char)('0' + digit);
  }
}

/* The same with one machine word: shift <= 60. */
static char *print_short_fraction(uint64_t rest, int shift, uint64_t half, char *out) {
  uint64_t one = UINT64_C(1) << shift;
  for (;;) {
    rest *= 10;
    half *= 10;
    int digit = (int)(rest >> shift);
    rest &= one - 1;
    bool low = rest<half, high = rest + half> one;
    if (low || high) {
      bool up = high && (!low || 2 * rest > one || (2 * rest == one && digit % 2 == 1));
      *out++ = (char)('0' + digit + up);
      return out;
    }
    *out++ = (char)('0' + digit);
  }
}

/* 10^FIRST_EXPONENT <= value < 2^53, not a whole number. */
static char *print_decimal(double value, char *out) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint64_t hidden = UINT64_C(1) << (MANTISSA_BITS - 1);
  uint64_t mantissa = (bits & (hidden - 1)) | hidden;
  int shift = 1023 + MANTISSA_BITS - 1 - (int)(bits >> (MANTISSA_BITS - 1));
  /* value = mantissa / 2^shift, 1 <= shift <= 69 */
  wide whole = (wide)mantissa >> shift;
  out = print_whole((uint64_t)whole, out);
  *out++ = '.';
  wide rest = ((wide)mantissa - (whole << shift)) << 1; /* one more bit holds half a last place */
  shift++;
  if (shift <= 60)
    return print_short_fraction((uint64_t)rest, shift, 1, out);
  return print_fraction(rest, shift, 1, out);
}

/* Digits and decimal exponent (of the first digit) of any finite value > 0. */
static int shortest_digits(double value, char digits[MAX_DIGITS + 1], int *exponent) {
  /* 15 digits survive the way through a normal double, so that fewer need no trial. */
  for (int n = value < 2.2250738585072014e-308 ? 1 : 15;; n++) {
    char text[NUMBER_SIZE];
    snprintf(text, sizeof text, "%.*e", n - 1, value);
    int count = 0;
    const char *at = text;
    for (; *at != 'e'; at++) /* the point may be any character of the locale */
      if (*at >= '0' && *at <= '9')
        digits[count++] = *at;
    digits[count] = '\0';
    *exponent = (int)strtol(at + 1, NULL, 10);
    char back[2 * NUMBER_SIZE];
    snprintf(back, sizeof back, "%se%d", digits, *exponent - (count - 1));
    if (n == MAX_DIGITS || strtod(back, NULL) == value) {
      while (count > 1 && digits[count - 1] == '0')
        count--;
      return count;
    }
  }
}

static char *print_any(double value, char *out) {
  char digits[MAX_DIGITS + 1];
  int exponent;
  int n = shortest_digits(value, digits, &exponent);
  if (exponent >= 0 && exponent <= LAST_EXPONENT) { /* 2^53 and more: whole */
    memcpy(out, digits, (size_t)n);
    memset(out + n, '0', (size_t)(exponent + 1 - n));
    return out + exponent + 1;
  }
  *out++ = digits[0];
  if (n > 1) {
    *out++ = '.';
    memcpy(out, digits + 1, (size_t)(n - 1));
    out += n - 1;
  }
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  int size = abs(exponent);
  if (size < 10)
    *out++ = '0';
  return print_whole((uint64_t)size, out);
}

size_t number_print(double value, char out[NUMBER_SIZE]) {
  char *at = out;
  if (isnan(value)) {
    memcpy(out, "nan", 4);
    return 3;
  }
  if (signbit(value)) {
    *at++ = '-';
    value = -value;
  }
  if (isinf(value)) {
    memcpy(at, "inf", 3);
    at += 3;
  } else if (value <= 9007199254740992.0 && value == (double)(uint64_t)value) {
    at = print_whole((uint64_t)value, at);
  } else if (value >= 1e-5 && value < 9007199254740992.0) {
    at = print_decimal(value, at);
  } else {
    at = print_any(value, at);
  }
  *at = '\0';
  return (size_t)(at - out);
}

/* ---- parsing ---- */

/* A decimal taken apart: +-digits * 10^exponent. */
struct decimal {
  bool negative;
  bool exact;       /* `digits` holds all that is not 0 */
  uint64_t digits;  /* the first MOST_SAVED_DIGITS significant ones */
  int64_t exponent; /* of the last digit in `digits` */
};

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Reads one run of digits into `d`; `after_point` says on which side it stands. */
static const char *take_digits(const char *at, const char *end, bool after_point, int *saved,
                               struct decimal *d) {
  for (; at < end && is_digit(*at); at++) {
    if (*saved < MOST_SAVED_DIGITS) {
      d->digits = 10 * d->digits + (uint64_t)(*at - '0');
      *saved += d->digits > 0;
      d->exponent -= after_point;
    } else {
      d->exact = d->exact && *at == '0';
      d->exponent += !after_point;
    }
  }
  return at;
}

/* The exponent after "e"; NULL when it has no digit. Its size is capped far beyond any double. */
static const char *take_exponent(const char *at, const char *end, struct decimal *d) {
  bool negative = false;
  if (at < end && (*at == '-' || *at == '+'))
    negative = *at++ == '-';
  if (at == end || !is_digit(*at))
    return NULL;
  const int64_t cap = INT64_C(1000000000000000);
  int64_t exponent = 0;
  for (; at < end && is_digit(*at); at++)
    if (exponent < cap)
      exponent = 10 * exponent + (*at - '0');
  d->exponent += negative ? -exponent : exponent;
  return at;
}

static bool take_apart(const char *text, size_t length, struct decimal *d) {
  const char *at = text, *end = text + length;
  *d = (struct decimal){.exact = true};
  if (at < end && (*at == '-' || *at == '+'))
    d->negative = *at++ == '-';
  int saved = 0;
  const char *start = at;
  at = take_digits(at, end, false, &saved, d);
  ptrdiff_t n = at - start;
  if (at < end && *at == '.') {
    start = ++at;
    at = take_digits(at, end, true, &saved, d);
    n += at - start;
  }
  if (n == 0)
    return false;
  if (at < end && (*at == 'e' || *at == 'E'))
    at = take_exponent(at + 1, end, d);
  return at == end;
}

/* digits * 10^exponent correctly rounded, |exponent| < EXACT_POWERS, digits > 0. */
static double scale_exactly(uint64_t digits, int exponent) {
  if (exponent >= 0)
    return (double)((wide)digits * power_of_ten[exponent]);
  /* A quotient of at least 64 bits whose last one stands for the remainder too: rounding it to 53
   * bits is rounding the true quotient. */
  int up = __builtin_clzll(digits);
  wide dividend = (wide)(digits << up) << 64;
  wide divisor = power_of_ten[-exponent];
  wide quotient = dividend / divisor;
  quotient |= quotient * divisor != dividend;
  return ldexp((double)quotient, -64 - up);
}

/* strtod knows the locale's point only; without a point there is nothing to know. */
static double scale_by_library(const char *text, size_t length, const struct decimal *d) {
  char *plain = mem_alloc(length + NUMBER_SIZE, 1);
  size_t n = 0, after_point = 0;
  bool point = false;
  size_t i = 0;
  for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
    if (text[i] == '.')
      point = true;
    if (!is_digit(text[i]))
      continue;
    plain[n++] = text[i];
    after_point += point;
  }
  struct decimal tail = {.exponent = -(int64_t)after_point};
  if (i < length)
    take_exponent(text + i + 1, text + length, &tail);
  snprintf(plain + n, NUMBER_SIZE, "e%lld", (long long)tail.exponent);
  double value = strtod(plain, NULL);
  free(plain);
  return d->negative ? -value : value;
}

enum number_status number_parse(const char *text, size_t length, double *value) {
  struct decimal d;
  if (!take_apart(text, length, &d))
    return NUMBER_MALFORMED;
  if (d.digits == 0) {
    *value = d.negative ? -0.0 : 0.0;
    return NUMBER_OK;
  }
  if (!d.exact || d.exponent <= -EXACT_POWERS || d.exponent >= EXACT_POWERS) {
    *value = scale_by_library(text, length, &d);
    return isinf(*value) ? NUMBER_OVERFLOW : NUMBER_OK;
  }
  double size;
  int exponent = (int)d.exponent;
  if (d.digits <= UINT64_C(1) << MANTISSA_BITS && exponent <= 0) {
    /* Both are doubles without error (10^19 < 5^22 * 2^53): one rounding, in the division. */
    size = (double)d.digits / (double)power_of_ten[-exponent];
  } else {
    size = scale_exactly(d.digits, exponent);
  }
  *value = d.negative ? -size : size;
  return NUMBER_OK;
}

enum number_status number_parse_int(const char *text, size_t length, int64_t *value) {
  const char *at = text, *end = text + length;
  bool negative = false, fits = true;
  if (at < end && (*at == '-' || *at == '+'))
    negative = *at++ == '-';
  if (at == end)
    return NUMBER_MALFORMED;
  int64_t n = 0; /* downwards, since the smallest number has no counterpart */
  for (; at < end; at++) {
    if (!is_digit(*at))
      return NUMBER_MALFORMED;
    fits = fits && !__builtin_mul_overflow(n, 10, &n) && !__builtin_sub_overflow(n, *at - '0', &n);
  }
  if (!fits || (!negative && n == INT64_MIN))
    return NUMBER_OVERFLOW;
  *value = negative ? n : -n;
  return NUMBER_OK;
}
