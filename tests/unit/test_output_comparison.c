/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs side by side: which make a row, and what is said of a row's figures. */
#include "output/comparison.h"

#include <math.h>

#include "output/json.h"
#include "output/statistics.h"
#include "output_document.h"

/* ---- statistics ---- */

static void near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
    fail_msg("%.17g, expected %.17g", value, expected);
}

/* Student's t for 0.975: 12.7062047364 with 1, 4.3026527297 with 2, 2.7764451052 with 4 degrees of
 * freedom (any table of the distribution). */
static void test_intervals(void **state) {
  (void)state;
  const double values[] = {2, 4, 4, 4, 6};
  struct statistics s = statistics_of(values, 5);
  assert_int_equal(s.n, 5);
  near(s.mean, 4);
  near(s.sd, sqrt(2));
  near(s.high - s.mean, 2.7764451051977934 * sqrt(2) / sqrt(5));
  near(s.mean - s.low, s.high - s.mean);
  s = statistics_of(values, 2);
  near(s.high, 3 + 12.706204736174694 * sqrt(2) / sqrt(2));
  s = statistics_of(values, 1);
  assert_true(s.mean == 2 && isnan(s.sd) && isnan(s.low) && isnan(s.high));
  s = statistics_of(NULL, 0);
  assert_true(s.n == 0 && isnan(s.mean));
}

static void test_ratios(void **state) {
  (void)state;
  const double a[] = {2, 8, 4}, b[] = {1, 1, 1};
  struct statistics s = statistics_of_ratios(a, b, 3), inverse = statistics_of_ratios(b, a, 3);
  near(s.mean, 4);
  near(inverse.mean, 0.25);
  near(s.high, exp(log(4) + 4.302652729749464 * log(2) / sqrt(3)));
  near(s.low * inverse.high, 1);
  assert_true(isnan(s.sd));
  s = statistics_of_ratios((const double[]){0.3}, (const double[]){0.1}, 1);
  assert_true(s.mean == 0.3 / 0.1);
  s = statistics_of_ratios((const double[]){1, 0}, (const double[]){1, 1}, 2);
  assert_true(s.n == 0 && isnan(s.mean));
}

/* ---- rows ---- */

/* A document of one trace; `runs` are its runs. */
static cJSON *document_with(const char *sha, const char *seed, const char *runs) {
  size_t n = strlen(runs) + 300;
  char *text = mem_alloc(n, 1);
  snprintf(text, n,
           "{\"trace\":{\"sha256\":\"%s\",\"jobs\":2},\"cluster\":{\"name\":\"c\"},"
           "\"rates\":{\"sha256\":\"r\"},\"seed\":%s,\"runs\":[%s]}",
           sha, seed, runs);
  cJSON *document = cJSON_Parse(text);
  free(text);
  assert_non_null(document);
  return document;
}

static cJSON *rows_of(const cJSON *const *documents, size_t n) {
  static const char *const files[] = {"a.json", "b.json", "c.json", "d.json"};
  struct comparison_source sources[4];
  for (size_t i = 0; i < n; i++)
    sources[i] = (struct comparison_source){documents[i], files[i], false};
  cJSON *rows;
  struct hsim_error error = {0};
  if (comparison_rows(sources, n, &rows, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  char *text = json_print(rows, 0); /* as its readers get it */
  cJSON_Delete(rows);
  rows = cJSON_Parse(text);
  free(text);
  return rows;
}

static double at(const cJSON *rows, int row, const char *figure, const char *part) {
  return json_number(json_get(json_get(cJSON_GetArrayItem(rows, row), "figures"), figure), part);
}

static double pair_at(const cJSON *rows, int row, const char *figure, const char *kind,
                      const char *part) {
  const cJSON *item = json_get(json_get(cJSON_GetArrayItem(rows, row), "figures"), figure);
  return json_number(json_get(item, kind), part);
}

static void expect_label(const cJSON *rows, int row, const char *label) {
  assert_string_equal(json_text(cJSON_GetArrayItem(rows, row), "label", "none"), label);
}

#define RUN(policy, options, seed, x)                                                              \
  "{\"policy\":\"" policy "\",\"options\":{" options "},\"seed\":" seed                            \
  ",\"costs\":{\"start\":10},\"end_s\":" x ",\"jct_s\":{\"mean\":" x ",\"p50\":null}}"

/* Seeds in another order pair all the same; the figures of a row are over its seeds. */
static void test_seeds_make_a_row(void **state) {
  (void)state;
  cJSON *d = document_with("aa", "0",
                           RUN("las", "", "0", "10") "," RUN("las", "", "1", "20") "," RUN(
                               "fifo", "", "1", "40") "," RUN("fifo", "", "0", "30"));
  cJSON *rows = rows_of((const cJSON *[]){d}, 1);
  assert_int_equal(cJSON_GetArraySize(rows), 2);
  expect_label(rows, 0, "las");
  expect_label(rows, 1, "fifo");
  near(at(rows, 0, "jct_s.mean", "mean"), 15);
  near(at(rows, 1, "jct_s.mean", "mean"), 35);
  near(at(rows, 1, "jct_s.mean", "sd"), sqrt(50));
  assert_true(at(rows, 1, "jct_s.p50", "n") == 0);
  near(pair_at(rows, 1, "end_s", "difference", "mean"), 20); /* 30 - 10, 40 - 20 */
  near(pair_at(rows, 1, "end_s", "ratio", "mean"), sqrt(6)); /* 3, 2 */
  assert_true(pair_at(rows, 1, "end_s", "ratio", "n") == 2);
  assert_null(json_get(json_get(json_get(rows->child, "figures"), "end_s"), "ratio"));
  /* settings are no figures */
  assert_null(json_get(json_get(rows->child, "figures"), "costs.start"));
  assert_null(json_get(json_get(rows->child, "figures"), "seed"));
  assert_true(cJSON_IsFalse(json_get(rows->child, "identical")));
  cJSON_Delete(rows);
  cJSON_Delete(d);
}

static void test_options_settings_and_traces_make_rows(void **state) {
  (void)state;
  cJSON *a = document_with("aa", "3",
                           RUN("las", "\"q\":1", "0", "10") "," RUN("las", "\"q\":2", "0", "20"));
  cJSON *b = document_with("bb", "3", RUN("las", "\"q\":2", "1", "40"));
  cJSON *rows = rows_of((const cJSON *[]){a, b}, 2);
  assert_int_equal(cJSON_GetArraySize(rows), 3);
  expect_label(rows, 0, "las:q=1");
  expect_label(rows, 1, "las:q=2 (a.json)");
  expect_label(rows, 2, "las:q=2 (b.json)");
  assert_true(pair_at(rows, 1, "end_s", "ratio", "mean") == 2);
  assert_true(pair_at(rows, 2, "end_s", "ratio", "n") == 0); /* no seed in common */
  cJSON_Delete(rows);
  cJSON_Delete(a);
  cJSON_Delete(b);
}

/* Documents of one seed each make a row; the same seed once more begins another. */
static void test_files_of_seeds(void **state) {
  (void)state;
#define PLAIN(x) "{\"policy\":\"las\",\"options\":{},\"end_s\":" x "}"
  cJSON *a = document_with("aa", "1", PLAIN("10")), *b = document_with("aa", "2", PLAIN("30"));
  cJSON *c = document_with("aa", "1", PLAIN("11"));
  cJSON *rows = rows_of((const cJSON *[]){a, b, c}, 3);
  assert_int_equal(cJSON_GetArraySize(rows), 2);
  near(at(rows, 0, "end_s", "mean"), 20);
  near(at(rows, 1, "end_s", "mean"), 11);
  expect_label(rows, 0, "las (a.json)");
  expect_label(rows, 1, "las (c.json)");
  near(pair_at(rows, 1, "end_s", "difference", "mean"), 1);
  assert_true(pair_at(rows, 1, "end_s", "difference", "n") == 1);
  cJSON_Delete(rows);
  cJSON_Delete(a);
  cJSON_Delete(b);
  cJSON_Delete(c);
}

/* A failed run belongs to its policy's row, whatever its place, and its seed pairs with none. */
static void test_failures(void **state) {
  (void)state;
#define FAILED(policy, seed)                                                                       \
  "{\"policy\":\"" policy "\",\"options\":{},\"seed\":" seed ",\"error\":\"x\"}"
  cJSON *d = document_with(
      "aa", "0",
      FAILED("las", "0") "," RUN("las", "", "1", "20") "," RUN("las", "", "2", "20") "," RUN(
          "fifo", "", "0", "5") "," RUN("fifo", "", "1", "10") "," FAILED("lost", "0"));
  cJSON *rows = rows_of((const cJSON *[]){d}, 1);
  assert_int_equal(cJSON_GetArraySize(rows), 3);
  expect_label(rows, 0, "las");
  expect_label(rows, 2, "lost");
  assert_true(json_number(rows->child, "failed") == 1);
  assert_true(at(rows, 0, "end_s", "n") == 2);
  assert_true(cJSON_IsTrue(json_get(rows->child, "identical")));
  assert_true(pair_at(rows, 1, "end_s", "ratio", "n") == 1);
  assert_true(pair_at(rows, 1, "end_s", "ratio", "mean") == 0.5);
  assert_null(json_get(cJSON_GetArrayItem(rows, 2), "figures")->child);
  cJSON_Delete(rows);
  cJSON_Delete(d);
}

/* What was interrupted is no sample; alone it is shown as it is. */
static void test_interrupted(void **state) {
  (void)state;
#define STOPPED(seed, x)                                                                           \
  "{\"policy\":\"las\",\"options\":{},\"seed\":" seed ",\"interrupted\":true,\"end_s\":" x "}"
  cJSON *d = document_with("aa", "0",
                           STOPPED("0", "0") "," STOPPED("1", "0") "," RUN(
                               "fifo", "", "0", "5") "," RUN("fifo", "", "1", "7"));
  cJSON *rows = rows_of((const cJSON *[]){d}, 1);
  assert_true(json_number(rows->child, "interrupted") == 2);
  assert_true(cJSON_IsFalse(json_get(rows->child, "identical")));
  assert_null(json_get(rows->child, "figures")->child);
  assert_true(isnan(pair_at(rows, 1, "end_s", "ratio", "mean")));
  cJSON_Delete(rows);
  cJSON_Delete(d);
  d = document_with("aa", "0", STOPPED("0", "3"));
  rows = rows_of((const cJSON *[]){d}, 1);
  assert_true(at(rows, 0, "end_s", "mean") == 3);
  cJSON_Delete(rows);
  cJSON_Delete(d);
}

static void test_bad_seed(void **state) {
  (void)state;
  static const char *const bad[] = {"null", "-1", "0.5", "9007199254740992", "\"1\""};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cJSON *d = document_with("aa", bad[i], PLAIN("1")), *rows;
    struct comparison_source source = {d, "x.json", false};
    struct hsim_error error = {0};
    assert_int_equal(comparison_rows(&source, 1, &rows, &error), HSIM_BAD_INPUT);
    assert_non_null(strstr(error.text, "x.json: key seed: expected a whole number"));
    source.one_seed = true;
    assert_int_equal(comparison_rows(&source, 1, &rows, &error), HSIM_OK);
    cJSON_Delete(rows);
    cJSON_Delete(d);
  }
}

/* ---- tables ---- */

static void expect_lines(const cJSON *rows, const char *figures, const char *ratios) {
  FILE *file = tmpfile();
  comparison_print(rows, NULL, file);
  comparison_print_ratios(rows, file);
  char *text = slurp(file);
  fclose(file);
  if (strstr(text, figures) == NULL || strstr(text, ratios) == NULL)
    fail_msg("\"%s\" and \"%s\" are not both in\n%s", figures, ratios, text);
  for (const char *line = text; (line = strchr(line, '\n')) != NULL; line++)
    assert_true(line == text || line[-1] != ' ');
  free(text);
}

/* The best is marked among the rows with the most finished jobs: b is lower, but has done less. */
static void test_tables(void **state) {
  (void)state;
#define JOBS(policy, seed, done, left, x)                                                          \
  "{\"policy\":\"" policy "\",\"options\":{},\"seed\":" seed ",\"jobs\":{\"finished\":" done       \
  ",\"unfinished\":" left "},\"makespan_s\":" x ",\"utilisation\":{\"busy\":0.5}}"
  cJSON *d = document_with("aa", "0",
                           JOBS("a", "0", "4", "0", "7200") "," JOBS(
                               "b", "0", "3", "1", "3600") "," JOBS("c", "0", "4", "0", "10800"));
  cJSON *rows = rows_of((const cJSON *[]){d}, 1);
  assert_false(comparison_is_partial(rows->child));
  assert_true(comparison_is_partial(rows->child->next));
  expect_lines(rows, "a            4/4      2.00 \u25be", "c            1.500");
  expect_lines(rows, "b            3/4      1.00* ", "b           0.500*");
  cJSON_Delete(rows);
  cJSON_Delete(d);
  d = document_with("aa", "0",
                    JOBS("a", "0", "4", "0", "7200") "," JOBS("a", "1", "4", "0", "10800") "," JOBS(
                        "b", "0", "4", "0", "3600") "," JOBS("b", "1", "4", "0", "36000"));
  rows = rows_of((const cJSON *[]){d}, 1);
  /* t * sd / sqrt(2) = 12.706 * 0.7071 / 1.4142 */
  expect_lines(rows, "2.50\u00b16.35\u25be", "~");
  cJSON_Delete(rows);
  cJSON_Delete(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_intervals),
      cmocka_unit_test(test_ratios),
      cmocka_unit_test(test_seeds_make_a_row),
      cmocka_unit_test(test_options_settings_and_traces_make_rows),
      cmocka_unit_test(test_files_of_seeds),
      cmocka_unit_test(test_failures),
      cmocka_unit_test(test_interrupted),
      cmocka_unit_test(test_bad_seed),
      cmocka_unit_test(test_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
