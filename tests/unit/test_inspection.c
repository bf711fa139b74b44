/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What inspect finds in traces whose figures are worked out by hand. */
#include <math.h>

#include "input_fixture.h"
#include "output/inspection.h"
#include "output/json.h"

/* Rates: fast does small at 10 (1 worker) and 20 (2), slow at 5 (1); large runs on slow only. */
static const char rates_text[] = "gpu_type,model,workers,steps_per_second\n"
                                 "fast,small,1,10\nfast,small,2,20\nslow,small,1,5\n"
                                 "slow,large,1,1\nslow,large,4,4\n";

static cJSON *inspect(const char *text, const char *cluster) {
  struct world world;
  struct trace trace;
  struct bad_rows bad = {.counts = NULL};
  write_text("r.csv", rates_text);
  bind_world(&world, "r.csv", cluster);
  read_text(&world, text, &trace);
  const struct inspection_input input = {.version = "1",
                                         .trace = &trace,
                                         .cluster = &world.cluster,
                                         .rates = &world.rates,
                                         .oracle = &world.oracle,
                                         .reference = 0,
                                         .reference_name = "fast",
                                         .bad = &bad};
  cJSON *made = inspection_document(&input);
  char *printed = json_print(made, 0);
  cJSON *document = cJSON_Parse(printed);
  assert_non_null(document);
  free(printed);
  cJSON_Delete(made);
  trace_free(&trace);
  free_world(&world);
  unlink("r.csv");
  return document;
}

static double at(const cJSON *document, const char *path) {
  char word[64];
  for (size_t n; *path != '\0'; path += n + (path[n] == '.')) {
    n = strcspn(path, ".");
    snprintf(word, sizeof word, "%.*s", (int)n, path);
    document = word[0] >= '0' && word[0] <= '9' ? cJSON_GetArrayItem(document, atoi(word))
                                                : json_get(document, word);
    if (document == NULL)
      fail_msg("no %s", word);
  }
  return cJSON_IsNumber(document) ? document->valuedouble : NAN;
}

static void expect_at(const cJSON *document, const char *path, double expected) {
  double value = at(document, path);
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
    fail_msg("%s: %.17g, expected %.17g", path, value, expected);
}

/* Four jobs over 100 s on two fast and four slow GPUs:
 *   a  small x1, 1000 steps   100 s on fast, 200 s on slow
 *   b  small x2, 1000 steps    50 s on fast; slow has no rate for 2
 *   c  large x1, 300 steps    300 s on slow only
 *   d  large x4, 400 steps    100 s on slow only */
static const char four[] = "job_id,arrival_s,model,workers,steps,tenant\n"
                           "a,0,small,1,1000,t\nb,20,small,2,1000,u\nc,20,large,1,300,t\n"
                           "d,100,large,4,400,\n";

static void test_load(void **state) {
  (void)state;
  cJSON *d = inspect(four, "fast=1x2,slow=1x4");
  expect_at(d, "arrivals.span_s", 100);
  expect_at(d, "arrivals.ties", 1);
  expect_at(d, "arrivals.gap_s.mean", 100.0 / 3);
  expect_at(d, "arrivals.gap_s.p50", 20);
  expect_at(d, "arrivals.gap_s.max", 80);
  expect_at(d, "duration_s.mean", (100 + 50 + 300 + 100) / 4.0);
  expect_at(d, "gpu_hours", (100 + 2 * 50 + 300 + 4 * 100) / 3600.0);
  expect_at(d, "load.by_type.0.jobs", 2);
  expect_at(d, "load.by_type.0.load", (100 + 100) / 200.0);
  expect_at(d, "load.by_type.0.only_here_jobs", 1);
  expect_at(d, "load.by_type.0.only_here_load", 100 / 200.0);
  expect_at(d, "load.by_type.1.jobs", 3);
  expect_at(d, "load.by_type.1.load", (200 + 300 + 400) / 400.0);
  expect_at(d, "load.by_type.1.only_here_load", 700 / 400.0);
  /* a: fast does 2/100 a second and slow 4/200, together 1/25: 25 s. b 50, c 75, d 100. */
  expect_at(d, "load.whole", (25 + 50 + 75 + 100) / 100.0);
  expect_at(d, "never_jobs", 0);
  const cJSON *warnings = json_get(d, "warnings");
  assert_int_equal(cJSON_GetArraySize(warnings), 2);
  assert_string_equal(cJSON_GetArrayItem(warnings, 1)->valuestring,
                      "2 jobs can run on slow only, and ask 1.75 times for what it has");
  cJSON_Delete(d);
}

static void test_groups(void **state) {
  (void)state;
  cJSON *d = inspect(four, "fast=1x2,slow=1x4");
  assert_int_equal(cJSON_GetArraySize(json_get(d, "by_workers")), 3);
  expect_at(d, "by_workers.0.workers", 1);
  expect_at(d, "by_workers.0.jobs", 2);
  expect_at(d, "by_workers.2.gpu_hours", 400 / 3600.0);
  assert_string_equal(json_text(cJSON_GetArrayItem(json_get(d, "by_model"), 0), "model", ""),
                      "large");
  expect_at(d, "by_model.0.gpu_hours", 700 / 3600.0);
  assert_int_equal(cJSON_GetArraySize(json_get(d, "by_tenant")), 3); /* t, u, and none */
  cJSON_Delete(d);
}

static void test_never(void **state) {
  (void)state;
  cJSON *d = inspect(four, "fast=1x2,slow=1x3");
  expect_at(d, "never_jobs", 1);
  expect_at(d, "never_unless_types_mix", 0);
  assert_string_equal(json_text(cJSON_GetArrayItem(json_get(d, "never"), 0), "reason", ""),
                      "needs 4 GPUs of one type, the cluster has at most 3 that it can use");
  assert_string_equal(json_text(cJSON_GetArrayItem(json_get(d, "never"), 0), "first", ""), "d");
  expect_at(d, "load.by_type.1.jobs", 2);
  cJSON_Delete(d);
}

static void test_duplicates_and_order(void **state) {
  (void)state;
  cJSON *d = inspect("job_id,arrival_s,model,workers,steps,tenant,weight\n"
                     "a,10,small,1,5,t,1\nb,0,small,1,5,t,1\nc,10,small,1,5,t,1\n"
                     "d,10,small,1,5,u,1\ne,10,small,1,5,t,2\nf,10,small,1,5,t,1\n"
                     "g,5,small,1,5,t,1\n",
                     "fast=1x2");
  expect_at(d, "arrivals.duplicates", 2); /* c and f are a again */
  expect_at(d, "arrivals.out_of_order", 2);
  expect_at(d, "arrivals.ties", 4);
  cJSON_Delete(d);
}

static void test_one_job(void **state) {
  (void)state;
  cJSON *d = inspect("job_id,arrival_s,model,workers,steps\na,7,small,1,5\n", "fast=1x2");
  expect_at(d, "arrivals.first_s", 7);
  expect_at(d, "arrivals.span_s", 0);
  assert_true(isnan(at(d, "load.whole"))); /* no time, no load */
  assert_true(isnan(at(d, "arrivals.gap_s.mean")));
  assert_int_equal(cJSON_GetArraySize(json_get(d, "by_tenant")), 0);
  inspection_print(d, stderr);
  cJSON_Delete(d);
}

static void test_reasons(void **state) {
  (void)state;
  struct bad_rows bad = {.counts = NULL};
  bad_rows_add(&bad, "a:b.csv:3: column workers: value \"0\": expected 1 or more");
  bad_rows_add(&bad,
               "a:b.csv:4: column workers: value \"x\": y\": expected 1 or more; did you mean");
  bad_rows_add(&bad, "a:b.csv:5: a blank line");
  bad_rows_add(&bad, "a:b.csv:9: column workers: value \"\": expected 1 or more");
  assert_int_equal(bad.reasons.n, 2);
  assert_string_equal(bad.reasons.at[0], "column workers: expected 1 or more");
  assert_string_equal(bad.reasons.at[1], "a blank line");
  assert_int_equal(bad.counts[0], 3);
  assert_int_equal(bad.counts[1], 1);
  assert_string_equal(bad.firsts.at[1], "a:b.csv:5: a blank line");
  for (int i = 0; i < 100; i++) {
    char text[64];
    snprintf(text, sizeof text, "f:1: reason %d", i);
    bad_rows_add(&bad, text);
  }
  int sum = 0;
  for (int r = 0; r < bad.reasons.n; r++)
    sum += bad.counts[r];
  assert_int_equal(sum, 104);
  assert_string_equal(bad.reasons.at[bad.reasons.n - 1], "other reasons");
  bad_rows_free(&bad);
}

/* Entries of a JSON log: neither their numbers nor their values make a reason of their own. */
static void test_reasons_of_json(void **state) {
  (void)state;
  struct bad_rows bad = {.counts = NULL};
  for (int i = 0; i < 150; i++) {
    char text[200];
    snprintf(text, sizeof text,
             "f:1: [%d].attempts[%d].end_time: value \"%d\": expected a date; did you", i, i % 3,
             i);
    bad_rows_add(&bad, text);
    snprintf(text, sizeof text, "f:1: [%d].submitted_time: value %d: expected a date", i, i);
    bad_rows_add(&bad, text);
  }
  bad_rows_add(&bad, "f:1: [7]: value is an array: expected an object");
  assert_int_equal(bad.reasons.n, 3);
  assert_string_equal(bad.reasons.at[0], "[].attempts[].end_time: expected a date");
  assert_string_equal(bad.reasons.at[1], "[].submitted_time: expected a date");
  assert_string_equal(bad.reasons.at[2], "[]: expected an object");
  assert_int_equal(bad.counts[0], 150);
  assert_string_equal(bad.firsts.at[1], "f:1: [0].submitted_time: value 0: expected a date");
  bad_rows_free(&bad);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_load),
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_never),
      cmocka_unit_test(test_duplicates_and_order),
      cmocka_unit_test(test_one_job),
      cmocka_unit_test(test_reasons),
      cmocka_unit_test(test_reasons_of_json),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
