/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speedups and remaining time from finished epochs: as the published collector has them, and as
 * they are learnt. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/voda/tables.h"

#define expect_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* T1: seconds and the prior's 1 in one ratio. The numbers of the specification. */
static void the_literal_collector(void **state) {
  (void)state;
  struct voda_record record;
  voda_record_init(&record, true, 4, 10, 77);
  expect_near(record.left_s, 10); /* a count of epochs */
  expect_near(record.speedup[3], 3);
  voda_record_add(&record, 2, 1, 60, 60);
  voda_record_collect(&record, 60);
  expect_near(record.speedup[2], 2); /* the index of the first epoch is taken for seen */
  voda_record_add(&record, 2, 1, 122, 62);
  voda_record_collect(&record, 119);
  expect_near(record.speedup[2], 2);
  voda_record_collect(&record, 180);
  expect_near(record.speedup[2], 1.0 / 61);
  expect_near(record.speedup[1], 1);
  expect_near(record.speedup[4], 1);
  expect_near(record.left_s, 8);
  voda_record_add(&record, 1, 1, 232, 110);
  voda_record_add(&record, 1, 1, 344, 112);
  voda_record_collect(&record, 360);
  expect_near(record.speedup[1], 1);
  expect_near(record.speedup[2], 111.0 / 61);
  expect_near(record.speedup[3], 111);
  expect_near(record.speedup[4], 111);
  expect_near(record.speedup[5], 111);
  expect_near(record.left_s, 666);
  voda_record_free(&record);
}

static void learns_by_interpolation(void **state) {
  (void)state;
  struct voda_record record;
  voda_record_init(&record, false, 6, 10, 50);
  expect_near(record.left_s, 500);
  voda_record_add(&record, 2, 2, 60, 60); /* one at 60, one at 120 */
  voda_record_collect(&record, 60);
  expect_near(record.left_s, 9 * 120); /* one worker is half of two */
  expect_near(record.speedup[2], 2);
  expect_near(record.speedup[4], 4);
  voda_record_collect(&record, 120);
  expect_near(record.left_s, 8 * 120);
  /* 1/60 with 2, 1/40 with 4: a half of 1/60 with 1, in the middle with 3, on by as much with 5. */
  voda_record_add(&record, 4, 1, 160, 40);
  voda_record_collect(&record, 180);
  expect_near(record.speedup[1], 1);
  expect_near(record.speedup[2], 2);
  expect_near(record.speedup[3], 2.5);
  expect_near(record.speedup[4], 3);
  expect_near(record.speedup[5], 3.5);
  expect_near(record.speedup[6], 4);
  expect_near(record.speedup[7], 4);
  expect_near(record.left_s, 7 * 120);
  /* Slower with 5 than with 4: no gain beyond. */
  voda_record_add(&record, 5, 1, 205, 50);
  voda_record_collect(&record, 240);
  expect_near(record.speedup[5], 2.4);
  expect_near(record.speedup[6], 2.4);
  voda_record_free(&record);
}

static void takes_the_mean_of_all_epochs(void **state) {
  (void)state;
  struct voda_record record;
  voda_record_init(&record, false, 2, 10, 50);
  voda_record_add(&record, 1, 1, 100, 100);
  voda_record_add(&record, 1, 3, 160, 60);
  voda_record_collect(&record, 1000);
  expect_near(record.one_s, 70);
  expect_near(record.left_s, 6 * 70);
  expect_near(record.done, 4);
  voda_record_free(&record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_literal_collector),
      cmocka_unit_test(learns_by_interpolation),
      cmocka_unit_test(takes_the_mean_of_all_epochs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
