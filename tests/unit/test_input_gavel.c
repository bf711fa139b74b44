/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "input_fixture.h"

static void test_ten_columns(void **state) {
  struct world *world = *state;
  struct trace_options options = options_for(world, DATA("gavel10.trace"));
  struct trace trace;
  read_ok(world, &options, &trace);
  assert_string_equal(trace.format, "gavel");
  assert_null(trace.assigned);
  assert_int_equal(trace.n_jobs, 4);
  const struct hsim_job *job = &trace.jobs[0];
  assert_string_equal(job->id, "0");
  assert_string_equal(world->rates.models.at[job->model], "ResNet-18 (batch size 128)");
  assert_true(job->steps == 925982 && job->weight == 1 && job->arrival_s == 0);
  assert_true(isnan(job->deadline_s));
  assert_int_equal(job->workers, 4);
  assert_int_equal(job->line, 1);
  assert_string_equal(trace.jobs[3].id, "3");
  assert_int_equal(trace.not_modelled, 0);
  trace_free(&trace);
}

static void test_seven_columns(void **state) {
  struct trace_options options = options_for(*state, DATA("gavel7.trace"));
  struct trace trace;
  read_ok(*state, &options, &trace);
  assert_int_equal(trace.n_jobs, 3);
  assert_true(trace.jobs[2].arrival_s == 76902 && trace.jobs[2].steps == 3248);
  assert_int_equal(trace.jobs[2].workers, 8);
  assert_true(trace.jobs[2].weight == 1);
  trace_free(&trace);
}

static void test_twelve_columns(void **state) {
  struct trace_options options = options_for(*state, DATA("shockwave12.trace"));
  struct trace trace;
  read_ok(*state, &options, &trace);
  assert_int_equal(trace.n_jobs, 4);
  assert_int_equal(trace.not_modelled, 3);
  assert_true(trace.jobs[3].arrival_s == 1322 && trace.jobs[3].steps == 121931);
  assert_true(isnan(trace.jobs[3].deadline_s));
  trace_free(&trace);
  read_text(*state, "A3C\tc\td\ts\t1\t10\t1\tstatic\t2.5\t1.5\t100\t50\n", &trace);
  assert_true(trace.jobs[0].deadline_s == 200 && trace.jobs[0].weight == 2.5);
  trace_free(&trace);
}

/* Commands hold commas, quotes and blanks, and mean nothing. */
static void test_lines(void **state) {
  struct trace trace;
  read_text(*state, "A3C\tpython \"a,b\tn\t1\t5\t9\t1\r\nA3C\t\t\t\t6\t3\t2", &trace);
  assert_int_equal(trace.n_jobs, 2);
  assert_string_equal(trace.jobs[0].id, "1");
  assert_int_equal(trace.jobs[0].workers, 2);
  trace_free(&trace);
  read_text(*state,
            "\xef\xbb\xbf"
            "A3C\tc\tn\t1\t5\t9\t1\n\n\n",
            &trace);
  assert_int_equal(trace.n_jobs, 1);
  trace_free(&trace);
  read_text(*state, "\nA3C\tc\tn\t1\t5\t9\t1\n", &trace);
  assert_string_equal(trace.jobs[0].id, "1"); /* a line number */
  trace_free(&trace);
}

#define SEVEN(type, steps, arrival, scale) type "\tc\tn\t1\t" steps "\t" arrival "\t" scale "\n"
#define GOOD SEVEN("A3C", "5", "0", "1")
#define TEN(weight, slo) "A3C\tc\td\tn\t1\t5\t1\t" weight "\t" slo "\t0\n"
#define TWELVE(mode, slo, duration) "A3C\tc\td\tn\t1\t5\t1\t" mode "\t1\t" slo "\t" duration "\t0\n"

static void test_bad_lines(void **state) {
  static const struct {
    const char *text, *expected;
  } bad[] = {
      {GOOD SEVEN("LM (batch size 21)", "5", "0", "1"),
       "t:2: column job type: value \"LM (batch size 21)\": expected a model of the rates table; "
       "did you mean \"LM (batch size 20)\"?"},
      {GOOD SEVEN("A3C", "5.5", "0", "1"), "t:2: column total steps: value \"5.5\": expected a "
                                           "whole number from 1 to 9223372036854775807"},
      {GOOD SEVEN("A3C", "0", "0", "1"), "t:2: column total steps: value \"0\": expected a whole "
                                         "number from 1 to 9223372036854775807"},
      {GOOD SEVEN("A3C", "9223372036854775808", "0", "1"),
       "t:2: column total steps: value \"9223372036854775808\": expected a whole number from 1 to "
       "9223372036854775807"},
      {GOOD SEVEN("A3C", "5", "-1", "1"),
       "t:2: column arrival: value \"-1\": expected a number of at least 0"},
      {GOOD SEVEN("A3C", "5", "nan", "1"),
       "t:2: column arrival: value \"nan\": expected a number of at least 0"},
      {GOOD SEVEN("A3C", "5", "0", "0"),
       "t:2: column scale factor: value \"0\": expected a whole number from 1 to 2147483647 (0 "
       "marks a line that Gavel's first reader left out; skipping bad rows does the same)"},
      {GOOD SEVEN("A3C", "5", "0", "2147483648"), "t:2: column scale factor: value \"2147483648\": "
                                                  "expected a whole number from 1 to 2147483647"},
      {TEN("0", "-1"), "t:1: column weight: value \"0\": expected a number above 0"},
      {TEN("1", "inf"), "t:1: column SLO multiplier: value \"inf\": expected a number"},
      {TWELVE("gsn", "-1", "5"),
       "t:1: column mode: value \"gsn\": expected static, accordion or gns; did you mean "
       "\"gns\"?"},
      {TWELVE("gns", "-1", "0"), "t:1: column duration: value \"0\": expected a number above 0"},
      {GOOD "A3C\tc\tn\n", "t:2: a line of 3 tab-separated columns: expected 7, as in the first "
                           "one"},
      {GOOD "A3C\n", "t:2: a line of 1 tab-separated column: expected 7, as in the first one"},
      {GOOD "\n" GOOD, "t:2: a blank line: expected 7 tab-separated columns"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    expect_bad(*state, bad[i].text, bad[i].expected);
}

static void test_skipped_lines(void **state) {
  struct world *world = *state;
  struct trace_options options = options_for(world, "t");
  struct trace trace;
  options.skip_bad_rows = true;
  write_text("t", GOOD "\n" SEVEN("A3C", "5", "0", "0") "A3C\n" GOOD);
  read_ok(world, &options, &trace);
  assert_int_equal(trace.n_jobs, 2);
  assert_int_equal(trace.rows, 5);
  assert_int_equal(trace.skipped_rows, 3);
  assert_string_equal(trace.jobs[1].id, "4");
  assert_int_equal(trace.jobs[1].row, 5);
  trace_free(&trace);
  unlink("t");
}

static void test_unknown_shapes(void **state) {
  struct trace_options options = options_for(*state, "t");
  write_text("t", "a\tb\tc\n");
  expect_failure(*state, &options, HSIM_BAD_INPUT,
                 "t:1: unknown trace format: a line of 3 tab-separated columns, \"a b c\"; known "
                 "are " KNOWN_FORMATS " (docs/formats.md)");
  options.format = "gavel";
  expect_failure(*state, &options, HSIM_BAD_INPUT,
                 "t:1: a line of 3 tab-separated columns: expected 7, 10 or 12 (a Gavel trace)");
  write_text("t", "");
  expect_failure(*state, &options, HSIM_BAD_INPUT, "t: is empty: expected a Gavel trace");
  write_bytes("t", "A3C\tc\0\tn", 9);
  expect_failure(*state, &options, HSIM_BAD_INPUT, "t:1: a zero byte: expected text");
  unlink("t");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ten_columns),    cmocka_unit_test(test_seven_columns),
      cmocka_unit_test(test_twelve_columns), cmocka_unit_test(test_lines),
      cmocka_unit_test(test_bad_lines),      cmocka_unit_test(test_skipped_lines),
      cmocka_unit_test(test_unknown_shapes),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
