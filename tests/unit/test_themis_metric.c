/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rho, the average number of apps, and how many of them are offered GPUs. */
#include "themis_fixture.h"

static void tell(struct themis_metric *metric, double time, int job, bool arrives, double demand) {
  themis_metric_tell(metric, (struct themis_event){.time = time,
                                                   .job = job,
                                                   .app = job,
                                                   .arrives = arrives,
                                                   .finished = !arrives,
                                                   .divisible_s = 10,
                                                   .longest_s = 40,
                                                   .demand = demand});
}

/* One app at 0, another from 10 to 30: N is 1, then 2, then 1. */
static void test_crowd_by_hand(void **state) {
  (void)state;
  struct themis_metric metric = {.gpus = 4};
  for (int i = 0; i < 2; i++)
    assert_int_equal(themis_metric_app(&metric, i), i);
  tell(&metric, 10, 1, true, 6); /* told out of order: a job that came in the same round */
  tell(&metric, 0, 0, true, 2);
  themis_metric_update(&metric);
  assert_near(themis_metric_crowd(&metric, 0, 10, false), 1, 0);
  assert_near(themis_metric_crowd(&metric, 1, 10, false), 2, 0); /* it has just come */
  assert_near(themis_metric_crowd(&metric, 0, 20, false), 1.5, 1e-15);
  assert_near(themis_metric_crowd(&metric, 0, 20, true), 2, 0);
  assert_near(themis_metric_load(&metric, 0, 20, false), 1.5, 1e-15); /* 1, then 8 / 4 */
  tell(&metric, 30, 1, false, 6);
  themis_metric_update(&metric);
  assert_near(metric.apps[1].crowd, 2, 0);
  assert_near(themis_metric_crowd(&metric, 0, 40, false), (10 + 20 * 2 + 10) / 40.0, 1e-15);
  tell(&metric, 50, 0, false, 2);
  themis_metric_update(&metric);
  assert_near(metric.apps[0].crowd, (10 + 20 * 2 + 20) / 50.0, 1e-15);
  assert_near(metric.apps[0].load, (10 + 20 * 2 + 20) / 50.0, 1e-15);
  assert_int_equal(metric.n_active, 0);
  assert_true(metric.demand == 0);
  themis_metric_free(&metric);
}

/* At one instant one app ends before the next arrives. */
static void test_ends_before_arrivals(void **state) {
  (void)state;
  struct themis_metric metric = {.gpus = 4};
  for (int i = 0; i < 2; i++)
    themis_metric_app(&metric, i);
  tell(&metric, 0, 0, true, 4);
  tell(&metric, 5, 1, true, 4);
  tell(&metric, 5, 0, false, 4);
  themis_metric_update(&metric);
  assert_near(metric.apps[0].crowd, 1, 0);
  assert_near(themis_metric_crowd(&metric, 1, 9, false), 1, 0);
  themis_metric_free(&metric);
}

/* W = 4 * 100, D = 4, R_c = 256, N = 20: a share of 12.8 GPUs is enough for the job. */
static void test_readings(void **state) {
  (void)state;
  double work = 400, gpus = 256, most = 4;
  struct themis_app app = {.divisible_s = work / gpus, .longest_s = work / most};
  assert_near(themis_ideal_s(&app, THEMIS_SHARE, 20, 1), work / 4, 1e-12);
  assert_near(themis_ideal_s(&app, THEMIS_PAPER, 20, 1), 20 * work / 4, 1e-9);
  assert_near(themis_ideal_s(&app, THEMIS_CONTENTION, 20, 1.5), 1.5 * work / 4, 1e-12);
  /* A share of less than a GPU; and with D at least R_c share and paper agree. */
  assert_near(themis_ideal_s(&app, THEMIS_SHARE, 512, 1), work / 0.5, 1e-9);
  app.longest_s = work / gpus;
  assert_near(themis_ideal_s(&app, THEMIS_SHARE, 7, 1), themis_ideal_s(&app, THEMIS_PAPER, 7, 1),
              1e-12);
}

static void test_participants(void **state) {
  (void)state;
  static const int n[] = {1, 4, 5, 10, 15, 30}, p[] = {1, 1, 1, 2, 3, 6};
  for (int i = 0; i < 6; i++) {
    assert_int_equal(themis_participants(0.8, n[i]), p[i]);
    assert_int_equal(themis_participants(1, n[i]), 1);
    assert_int_equal(themis_participants(0, n[i]), n[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crowd_by_hand),
      cmocka_unit_test(test_ends_before_arrivals),
      cmocka_unit_test(test_readings),
      cmocka_unit_test(test_participants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
