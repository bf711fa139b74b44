/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of published logs: their zones, units and origin. */
#include "input_fixture.h"

/* Time starts at the earliest row that is sound, so that what is left out moves no window. */
static void test_origin(void **state) {
  static const char *const texts[] = {
      "job_id,gpu_num,submit_time,duration\n"
      "a,0,2020-04-01 18:00:00,5\nb,1,2020-04-01 19:00:00,5\nc,x,2020-04-01 17:00:00,5\n",
      "JobID|Submit|Elapsed|ReqTRES\n5|2024-03-01T18:00:00|00:00:05|cpu=1\n"
      "6|2024-03-01T19:00:00|00:00:05|gres/gpu=1\n7|2024-03-01T17:00:00|x|gres/gpu=1\n",
      "[{\"jobid\":\"a\",\"submitted_time\":\"2017-11-05 18:00:00\",\"attempts\":[]},"
      "{\"jobid\":\"b\",\"submitted_time\":\"2017-11-05 19:00:00\",\"attempts\":[{\"start_time\":"
      "\"2017-11-05 19:00:00\",\"end_time\":\"2017-11-05 19:00:05\",\"detail\":[{\"ip\":\"m\","
      "\"gpus\":[\"g\"]}]}]},{\"jobid\":7,\"submitted_time\":\"2017-11-05 17:00:00\",\"attempts\":"
      "[]}]"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct trace_options options = options_for(*state, "t");
    struct trace trace;
    options.skip_bad_rows = true;
    write_text("t", texts[i]);
    for (int attempts = ATTEMPTS_SUM; attempts <= ATTEMPTS_EACH; attempts++) {
      options.reading.attempts = (enum attempts_rule)attempts;
      read_ok(*state, &options, &trace);
      assert_int_equal(trace.n_jobs, 1);
      assert_int_equal(trace.skipped_rows, 2);
      assert_true(trace.jobs[0].arrival_s == 3600);
      trace_free(&trace);
    }
  }
  unlink("t");
}

/* The hour that comes twice, and a time that does not exist. */
static void test_zones(void **state) {
#define PHILLY "timestamp,duration,num_gpus,gpu_time,cluster\n"
  struct world *world = *state;
  struct trace_options options = options_for(world, "t");
  struct hsim_error error;
  struct trace trace;
  write_text("t", PHILLY "2017-11-05 00:30:00,1,1,1,a\n2017-11-05 01:30:00,1,1,1,a\n"
                         "2017-11-05 02:30:00,1,1,1,a\n");
  static const struct {
    const char *zone, *hour;
    double second, third;
  } cases[] = {{"UTC", "first", 3600, 7200},
               {"-08:00", "first", 3600, 7200},
               {"PST8PDT,M3.2.0,M11.1.0", "first", 3600, 10800},
               {"PST8PDT,M3.2.0,M11.1.0", "second", 7200, 10800}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(trace_reading_set(&options.reading, "repeated-hour", cases[i].hour, &error),
                     HSIM_OK);
    assert_int_equal(trace_reading_set(&options.reading, "time-zone", cases[i].zone, &error),
                     HSIM_OK);
    read_ok(world, &options, &trace);
    assert_true(trace.jobs[1].arrival_s == cases[i].second);
    assert_true(trace.jobs[2].arrival_s == cases[i].third);
    trace_free(&trace);
  }
  write_text("t", PHILLY "2018-03-11 02:30:00,1,1,1,a\n");
  expect_failure(world, &options, HSIM_BAD_INPUT,
                 "t:2: column timestamp: value \"2018-03-11 02:30:00\": expected a local time that "
                 "exists: the clock passed over it (--time-zone)");
  unlink("t");
}

/* A run that ends, by its digits, before it starts: in the hour that comes twice. */
static void test_span_over_repeated_hour(void **state) {
  static const char *const texts[] = {
      "[{\"jobid\":\"a\",\"submitted_time\":\"2017-11-05 01:40:00\",\"attempts\":[{\"start_time\":"
      "\"2017-11-05 01:50:00\",\"end_time\":\"2017-11-05 01:10:00\",\"detail\":[{\"ip\":\"m\","
      "\"gpus\":[\"g\"]}]}]}]",
      "JobID|Submit|Start|End|ReqTRES\n"
      "5|2017-11-05T01:40:00|2017-11-05T01:50:00|2017-11-05T01:10:00|gres/gpu=1\n",
      "job_id,gpu_num,submit_time,start_time,end_time\n"
      "a,1,2017-11-05 01:40:00,2017-11-05 01:50:00,2017-11-05 01:10:00\n"};
  static const char *const expected[] = {
      "t:1: [0].attempts[0].end_time: value \"2017-11-05 01:10:00\": expected no earlier time than "
      "start_time",
      "t:2: column End: value \"2017-11-05T01:10:00\": expected no earlier time than Start; it "
      "is \"2017-11-05T01:50:00\"",
      "t:2: column end_time: value \"2017-11-05 01:10:00\": expected no earlier time than "
      "start_time; it is \"2017-11-05 01:50:00\""};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct hsim_error error;
    struct trace trace;
    expect_bad(*state, texts[i], expected[i]);
    write_text("t", texts[i]);
    for (int second = 0; second < 2; second++) {
      struct trace_reading reading = {.zone = {.second = second == 1}};
      assert_int_equal(trace_reading_set(&reading, "time-zone", "PST8PDT,M3.2.0,M11.1.0", &error),
                       HSIM_OK);
      struct trace_options options = options_for(*state, "t");
      options.reading = reading;
      read_ok(*state, &options, &trace);
      assert_int_equal(trace.n_jobs, 1);
      assert_true(near_enough(trace.gpu_s, 1200));
      trace_free(&trace);
    }
  }
  unlink("t");
}

static void test_units(void **state) {
  struct world *world = *state;
  struct trace_options options = options_for(world, "t");
  struct hsim_error error;
  struct trace trace;
  static const struct {
    const char *unit;
    double arrival_s;
  } cases[] = {{"milliseconds", 0.25}, {"seconds", 250}, {"minutes", 15000}, {"hours", 900000}};
  write_text("t", "job_id,submission_time,duration,num_gpu\na,250,1,1\n");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(trace_reading_set(&options.reading, "time-unit", cases[i].unit, &error),
                     HSIM_OK);
    read_ok(world, &options, &trace);
    assert_true(trace.jobs[0].arrival_s == cases[i].arrival_s);
    assert_string_equal(trace.unit, cases[i].unit);
    trace_free(&trace);
  }
  write_text("t", "job_id,submission_time,duration,num_gpu\na,1e12,1,1\n");
  expect_failure(world, &options, HSIM_BAD_INPUT,
                 "t:2: column submission_time: value \"1e12\": expected at most 1e12 seconds");
  write_text("t", PHILLY "2018-03-11 02:30:00,1,1,1,a\n");
  expect_failure(world, &options, HSIM_BAD_USAGE,
                 "--time-unit: the format philly fixes its unit: expected no such option");
  unlink("t");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_origin),
      cmocka_unit_test(test_zones),
      cmocka_unit_test(test_span_over_repeated_hour),
      cmocka_unit_test(test_units),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
