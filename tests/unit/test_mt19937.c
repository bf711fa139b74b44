/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every expected value was drawn with CPython's random.Random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/mt19937.h"

static void draws_doubles(void **state) {
  (void)state;
  struct mt19937 mt;
  mt19937_seed(&mt, 2);
  assert_true(mt19937_random(&mt) == 0.9560342718892494);
  assert_true(mt19937_random(&mt) == 0.9478274870593494);
}

static void seeds_with_two_words(void **state) {
  (void)state;
  struct mt19937 mt;
  mt19937_seed(&mt, (UINT64_C(1) << 40) + 7);
  assert_true(mt19937_random(&mt) == 0.6137037779936511);
  for (int i = 0; i < 999; i++)
    mt19937_random(&mt);
  assert_true(mt19937_random(&mt) == 0.14249275419160679);
}

static void draws_below(void **state) {
  (void)state;
  static const struct {
    uint64_t seed;
    uint32_t n;
    uint32_t drawn[12];
  } cases[] = {{0, 3, {1, 1, 0, 1, 2, 1, 1, 1, 1, 1, 2, 0}},
               {1, 3, {0, 2, 0, 1, 0, 1, 1, 1, 2, 1, 0, 0}},
               {0, 2, {1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1}}};
  for (int c = 0; c < 3; c++) {
    struct mt19937 mt;
    mt19937_seed(&mt, cases[c].seed);
    for (int i = 0; i < 12; i++)
      assert_int_equal(mt19937_below(&mt, cases[c].n), cases[c].drawn[i]);
  }
}

static void draws_bits_and_ranges(void **state) {
  (void)state;
  struct mt19937 mt;
  mt19937_seed(&mt, 9);
  assert_int_equal(mt19937_bits(&mt, 32), 1988601454u);
  assert_int_equal(mt19937_bits(&mt, 5), 19u);
  assert_true(mt19937_uniform(&mt, 1.5, 3.0) == 2.0599678970925632);
  assert_int_equal(mt19937_below(&mt, 0xffffffffu), 595022250u);
}

/* Gavel's order of types, v100 p100 k80 being 0 1 2, each time from a fresh list. */
static void shuffles(void **state) {
  (void)state;
  static const int orders[8][3] = {{0, 1, 2}, {0, 1, 2}, {1, 0, 2}, {2, 0, 1},
                                   {1, 0, 2}, {1, 2, 0}, {0, 2, 1}, {2, 1, 0}};
  struct mt19937 mt;
  mt19937_seed(&mt, 5);
  for (int i = 0; i < 8; i++) {
    int list[3] = {0, 1, 2};
    mt19937_shuffle(&mt, list, 3);
    assert_memory_equal(list, orders[i], sizeof list);
  }
  static const int first[8] = {0, 0, 1, 0, 1, 1, 1, 1};
  mt19937_seed(&mt, 5);
  for (int i = 0; i < 8; i++) {
    int list[2] = {0, 1};
    mt19937_shuffle(&mt, list, 2);
    assert_int_equal(list[0], first[i]);
  }
}

static void samples_two(void **state) {
  (void)state;
  static const uint32_t few[6][2] = {{6, 9}, {0, 4}, {8, 7}, {6, 4}, {7, 5}, {9, 3}};
  static const uint32_t many[6][2] = {{27, 12}, {24, 28}, {13, 1}, {8, 16}, {15, 12}, {29, 25}};
  struct mt19937 mt;
  uint32_t drawn[2];
  mt19937_seed(&mt, 0);
  for (int i = 0; i < 6; i++) {
    mt19937_sample_two(&mt, 10, drawn);
    assert_memory_equal(drawn, few[i], sizeof drawn);
  }
  mt19937_seed(&mt, 0);
  for (int i = 0; i < 6; i++) {
    mt19937_sample_two(&mt, 30, drawn);
    assert_memory_equal(drawn, many[i], sizeof drawn);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_doubles), cmocka_unit_test(seeds_with_two_words),
      cmocka_unit_test(draws_below),   cmocka_unit_test(draws_bits_and_ranges),
      cmocka_unit_test(shuffles),      cmocka_unit_test(samples_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
