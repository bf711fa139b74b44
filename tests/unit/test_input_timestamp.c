/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/timestamp.h"
#include "input_fixture.h"

#define PACIFIC "PST8PDT,M3.2.0,M11.1.0"

static struct time_zone zone_of(const char *text, bool second) {
  struct time_zone zone = {.second = second};
  struct hsim_error error = {.text = ""};
  if (time_zone_parse(text, &zone, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  return zone;
}

/* Seconds since 1970 (GNU date -d "... UTC" +%s), or -1 with what went wrong. */
static double unix_time(const char *text, const struct time_zone *zone,
                        enum timestamp_status *status) {
  static const struct time_zone utc = {0};
  double epoch, seconds;
  assert_int_equal(timestamp_parse("1970-01-01 00:00:00", 19, &utc, &epoch), TIMESTAMP_OK);
  *status = timestamp_parse(text, strlen(text), zone, &seconds);
  return *status == TIMESTAMP_OK ? seconds - epoch : -1;
}

static void expect_unix(const char *text, const struct time_zone *zone, double expected) {
  enum timestamp_status status;
  double seconds = unix_time(text, zone, &status);
  if (seconds != expected)
    fail_msg("%s: %.0f, expected %.0f", text, seconds, expected);
}

/* The seconds are those of TZ=America/Los_Angeles date -d ... +%s. */
static void test_pacific_time(void **state) {
  (void)state;
  struct time_zone first = zone_of(PACIFIC, false), second = zone_of(PACIFIC, true);
  expect_unix("2017-10-09 07:01:55", &first, 1507557715);
  expect_unix("2017-12-09 07:01:55", &first, 1512831715);
  expect_unix("2017-11-05 00:59:59", &first, 1509868799);
  expect_unix("2017-11-05 01:00:00", &first, 1509868800); /* PDT */
  expect_unix("2017-11-05 01:59:59", &first, 1509872399);
  expect_unix("2017-11-05 01:00:00", &second, 1509872400); /* PST */
  expect_unix("2017-11-05 01:59:59", &second, 1509875999);
  expect_unix("2017-11-05 02:00:00", &first, 1509876000);
  expect_unix("2017-11-05 02:00:00", &second, 1509876000);
  expect_unix("2017-03-12 01:59:59", &first, 1489312799);
  expect_unix("2017-03-12 03:00:00", &first, 1489312800);
}

static void test_skipped_hour(void **state) {
  (void)state;
  struct time_zone zone = zone_of(PACIFIC, false);
  enum timestamp_status status;
  unix_time("2017-03-12 02:00:00", &zone, &status);
  assert_int_equal(status, TIMESTAMP_SKIPPED);
  unix_time("2017-03-12 02:59:59", &zone, &status);
  assert_int_equal(status, TIMESTAMP_SKIPPED);
}

/* TZ=Australia/Sydney, TZ=Europe/Berlin (week 5: the last Sunday). */
static void test_other_rules(void **state) {
  (void)state;
  struct time_zone sydney = zone_of("AEST-10AEDT,M10.1.0,M4.1.0/3", false);
  expect_unix("2020-01-15 12:00:00", &sydney, 1579050000);
  expect_unix("2020-07-15 12:00:00", &sydney, 1594778400);
  expect_unix("2020-12-15 12:00:00", &sydney, 1607994000);
  struct time_zone berlin = zone_of("CET-1CEST,M3.5.0,M10.5.0/3", true);
  expect_unix("2021-03-28 01:59:59", &berlin, 1616893199);
  expect_unix("2021-03-28 03:00:00", &berlin, 1616893200);
  expect_unix("2021-10-31 02:30:00", &berlin, 1635643800);
  struct time_zone half = zone_of("<+0545>-5:45", false);
  expect_unix("1970-01-02 05:45:00", &half, 86400);
}

static void test_offsets(void **state) {
  (void)state;
  struct time_zone utc = zone_of("UTC", false), shanghai = zone_of("+08:00", false);
  expect_unix("2020-06-09 18:41:01", &utc, 1591728061);
  expect_unix("2020-06-09 18:41:01", &shanghai, 1591699261);
  expect_unix("2020-06-09T18:41:01", &shanghai, 1591699261);
  /* What the text says wins. */
  expect_unix("2020-06-09 18:41:01+00:00", &shanghai, 1591728061);
  expect_unix("2020-06-09 18:41:01Z", &shanghai, 1591728061);
  expect_unix("2020-06-09 18:41:01+08:00", &utc, 1591699261);
  expect_unix("2020-06-09 18:41:01-05:30", &utc, 1591747861);
}

static void test_malformed(void **state) {
  (void)state;
  static const char *const bad[] = {"2020-06-09 18:41:01+8:00",
                                    "2020-06-09 18:41:01+15:00",
                                    "2020-06-09 18:41:01+00:60",
                                    "2020-06-09 18:41:01z",
                                    "2020-06-09 18:41:01 +0800",
                                    "2020-06-09 18:41:01+0800",
                                    "1591728061",
                                    ""};
  struct time_zone utc = {0};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    enum timestamp_status status;
    unix_time(bad[i], &utc, &status);
    assert_int_equal(status, TIMESTAMP_MALFORMED);
  }
}

static void test_bad_zones(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    "utc",
                                    "PST",
                                    "America/Los_Angeles",
                                    "+8",
                                    "+0800",
                                    "+-8:00",
                                    "PST8PDT",
                                    "PST8PDT,M3.2.0",
                                    "PST8PDT,M3.2.0,M11.1.0x",
                                    "PST8PDT,M13.2.0,M11.1.0",
                                    "PST8PDT,M3.6.0,M11.1.0",
                                    "PST8PDT,M3.2.7,M11.1.0",
                                    "PST8PDT,J60,J300",
                                    "PST8PDT9,M3.2.0,M11.1.0",
                                    "PST8PDT,M3.2.0,M3.3.0",
                                    "<PST8",
                                    "PST25"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct time_zone zone = {0};
    struct hsim_error error = {.text = ""};
    char expected[200];
    assert_int_equal(time_zone_parse(bad[i], &zone, &error), HSIM_BAD_USAGE);
    snprintf(expected, sizeof expected,
             "option --time-zone: value \"%s\": expected UTC, +HH:MM, -HH:MM, or a POSIX rule such "
             "as PST8PDT,M3.2.0,M11.1.0",
             bad[i]);
    assert_string_equal(error.text, expected);
  }
}

/* Two texts in the hour that comes twice, the later one with the smaller digits. */
static void test_reorder(void **state) {
  (void)state;
  static const char start[] = "2017-11-05 01:50:00", end[] = "2017-11-05 01:10:00";
  for (int second = 0; second < 2; second++) {
    struct time_zone zone = {.second = second == 1};
    struct hsim_error error;
    double from = 0, to = 0, expected = 0;
    assert_false(timestamp_reorder(start, end, &zone, &from, &to));
    assert_int_equal(time_zone_parse("PST8PDT,M3.2.0,M11.1.0", &zone, &error), HSIM_OK);
    assert_true(timestamp_reorder(start, end, &zone, &from, &to));
    assert_int_equal(timestamp_parse("2017-11-05 08:50:00Z", 20, &zone, &expected), TIMESTAMP_OK);
    assert_true(from == expected && to == expected + 1200);
    /* outside the hour, on another day, with zones of their own: no second reading */
    assert_false(timestamp_reorder("2017-11-05 02:10:00", end, &zone, &from, &to));
    assert_false(
        timestamp_reorder("2017-11-04 01:50:00", "2017-11-04 01:10:00", &zone, &from, &to));
    assert_false(
        timestamp_reorder("2017-11-05 01:50:00Z", "2017-11-05 01:10:00Z", &zone, &from, &to));
    assert_true(from == expected && to == expected + 1200);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pacific_time), cmocka_unit_test(test_skipped_hour),
      cmocka_unit_test(test_other_rules),  cmocka_unit_test(test_offsets),
      cmocka_unit_test(test_malformed),    cmocka_unit_test(test_bad_zones),
      cmocka_unit_test(test_reorder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
