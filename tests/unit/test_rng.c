/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hsim/view.h"

/* The first outputs of the published generator from the state 1, 2, 3, 4. */
static void next_is_the_published_generator(void **state) {
  (void)state;
  static const uint64_t expected[] = {
      UINT64_C(11520),
      UINT64_C(0),
      UINT64_C(1509978240),
      UINT64_C(1215971899390074240),
      UINT64_C(1216172134540287360),
      UINT64_C(607988272756665600),
      UINT64_C(16172922978634559625),
      UINT64_C(8476171486693032832),
      UINT64_C(10595114339597558777),
      UINT64_C(2904607092377533576),
  };
  struct hsim_rng rng = {{1, 2, 3, 4}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    assert_true(hsim_rng_next(&rng) == expected[i]);
}

/* Written apart from the library's: the i-th output for a start, by multiplication. */
static uint64_t splitmix(uint64_t start, uint64_t i) {
  uint64_t z = start + (i + 1) * UINT64_C(11400714819323198485);
  z = (z ^ z >> 30) * UINT64_C(13787848793156543929);
  z = (z ^ z >> 27) * UINT64_C(10723151780598845931);
  return z ^ z >> 31;
}

static uint64_t fnv(const char *text) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < strlen(text); i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
  return hash;
}

static void seeding_is_splitmix_of_seed_and_name(void **state) {
  (void)state;
  /* Published values: splitmix64 from 1234567, and FNV-1a of "" and "foobar". */
  assert_true(splitmix(1234567, 0) == UINT64_C(6457827717110365317));
  assert_true(splitmix(1234567, 1) == UINT64_C(3203168211198807973));
  assert_true(splitmix(1234567, 4) == UINT64_C(16408922859458223821));
  assert_true(fnv("") == UINT64_C(0xcbf29ce484222325));
  assert_true(fnv("foobar") == UINT64_C(0x85944171f73967e8));
  static const char *const names[] = {"", "assign", "gavel.pairs", "\xc3\xa9"};
  static const uint64_t seeds[] = {0, 1, 42, UINT64_MAX};
  for (size_t n = 0; n < 4; n++)
    for (size_t s = 0; s < 4; s++) {
      struct hsim_rng rng;
      hsim_rng_init(&rng, seeds[s], names[n]);
      for (uint64_t i = 0; i < 4; i++)
        assert_true(rng.s[i] == splitmix(splitmix(seeds[s], 0) ^ fnv(names[n]), i));
    }
}

static void streams_differ(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "c", "ab", "ba", "assign", "noise"};
  uint64_t first[7 * 100];
  size_t n = 0;
  for (size_t name = 0; name < 7; name++)
    for (uint64_t seed = 0; seed < 100; seed++) {
      struct hsim_rng rng;
      hsim_rng_init(&rng, seed, names[name]);
      first[n] = hsim_rng_next(&rng);
      for (size_t i = 0; i < n; i++)
        assert_true(first[i] != first[n]);
      n++;
    }
}

static void uniform_is_the_high_bits(void **state) {
  (void)state;
  struct hsim_rng rng, same;
  hsim_rng_init(&rng, 3, "uniform");
  same = rng;
  double sum = 0, squares = 0;
  enum { N = 200000 };
  for (int i = 0; i < N; i++) {
    double x = hsim_rng_uniform(&rng);
    assert_true(x >= 0 && x < 1);
    assert_true(x == ldexp((double)(hsim_rng_next(&same) >> 11), -53));
    sum += x;
    squares += x * x;
  }
  assert_true(fabs(sum / N - 0.5) < 0.003);
  assert_true(fabs(squares / N - 1.0 / 3) < 0.003);
  struct hsim_rng most = {{0, UINT64_MAX, 0, 0}};
  for (int i = 0; i < 100; i++)
    assert_true(hsim_rng_uniform(&most) < 1);
}

static void below_is_even(void **state) {
  (void)state;
  enum { BINS = 7, N = 140000 };
  struct hsim_rng rng;
  hsim_rng_init(&rng, 5, "below");
  int counts[BINS] = {0};
  for (int i = 0; i < N; i++) {
    uint64_t x = hsim_rng_below(&rng, BINS);
    assert_in_range(x, 0, BINS - 1);
    counts[x]++;
  }
  double chi = 0;
  for (int i = 0; i < BINS; i++)
    chi += pow(counts[i] - N / BINS, 2) / (N / BINS);
  assert_true(chi < 22.5); /* 6 degrees of freedom: above in 1 of 1000 seeds */
}

static void below_takes_any_n(void **state) {
  (void)state;
  struct hsim_rng rng;
  hsim_rng_init(&rng, 6, "below");
  for (int i = 0; i < 1000; i++)
    assert_true(hsim_rng_below(&rng, 1) == 0);
  /* With 3 quarters of the range every fourth value has to be drawn again; without that the
   * lowest third of the results would come up twice as often. */
  uint64_t n = (UINT64_C(1) << 63) + (UINT64_C(1) << 62);
  int low = 0;
  for (int i = 0; i < 30000; i++) {
    uint64_t x = hsim_rng_below(&rng, n);
    assert_true(x < n);
    low += x < n / 3;
  }
  assert_in_range(low, 9600, 10400);
  uint64_t whole = hsim_rng_below(&rng, UINT64_MAX);
  assert_true(whole < UINT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(next_is_the_published_generator),
      cmocka_unit_test(seeding_is_splitmix_of_seed_and_name),
      cmocka_unit_test(streams_differ),
      cmocka_unit_test(uniform_is_the_high_bits),
      cmocka_unit_test(below_is_even),
      cmocka_unit_test(below_takes_any_n),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
