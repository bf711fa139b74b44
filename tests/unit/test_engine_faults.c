/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "engine/faults.h"

enum { N_NODES = 200, N_CHANGES = 80000 };

/* Means and, for the Weibull shape, the part of failures before the mean: 1 - exp(-gamma(1+1/k)^k).
 */
static void check_rule(double shape) {
  struct fault_rule rule = {.mtbf_s = 1000, .mttr_s = 50, .shape = shape};
  struct faults faults;
  faults_init(&faults, &rule, N_NODES, 7, 100);
  double since[N_NODES], last = 100, up = 0, down = 0;
  int ups = 0, downs = 0, early = 0;
  for (int i = 0; i < N_NODES; i++)
    since[i] = 100;
  for (int i = 0; i < N_CHANGES; i++) {
    assert_true(faults_time(&faults) >= last);
    struct node_fault fault = faults_take(&faults);
    last = fault.time;
    double lasted = fault.time - since[fault.node];
    since[fault.node] = fault.time;
    if (fault.up) {
      down += lasted;
      downs++;
    } else {
      up += lasted;
      ups++;
      early += lasted < 1000;
    }
  }
  faults_free(&faults);
  assert_true(fabs(up / ups - 1000) < 30);
  assert_true(fabs(down / downs - 50) < 1.5);
  double expected = 1 - exp(-pow(tgamma(1 + 1 / shape), shape));
  assert_true(fabs((double)early / ups - expected) < 0.01);
}

static void draws_what_the_rule_says(void **state) {
  (void)state;
  check_rule(1);
  check_rule(2);
  check_rule(0.7);
}

/* A node's changes are the same in a larger cluster. */
static void nodes_are_independent(void **state) {
  (void)state;
  struct fault_rule rule = {.mtbf_s = 10, .mttr_s = 1, .shape = 1};
  struct faults one, many;
  faults_init(&one, &rule, 1, 3, 0);
  faults_init(&many, &rule, 50, 3, 0);
  for (int i = 0; i < 100; i++) {
    struct node_fault wanted = faults_take(&one), got;
    do
      got = faults_take(&many);
    while (got.node != 0);
    assert_true(got.time == wanted.time && got.up == wanted.up);
  }
  faults_free(&one);
  faults_free(&many);
}

static void without_a_rule_nothing_fails(void **state) {
  (void)state;
  struct fault_rule rule = {0};
  struct faults faults;
  faults_init(&faults, &rule, 5, 0, 0);
  assert_true(isinf(faults_time(&faults)));
  faults_free(&faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_what_the_rule_says),
      cmocka_unit_test(nodes_are_independent),
      cmocka_unit_test(without_a_rule_nothing_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
