/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/check.h"

#include <math.h>
#include <unistd.h>

#include "output/summary.h"
#include "output_document.h"

static const char base_text[] =
    "{\"schema\":\"hsim.summary/1\",\"hsim_version\":\"1\","
    "\"trace\":{\"file\":\"a.csv\",\"sha256\":\"aa\",\"jobs\":10},"
    "\"cluster\":{\"name\":\"c\",\"nodes\":2,\"gpus\":{\"v100\":8}},"
    "\"rates\":{\"file\":\"r\",\"sha256\":\"bb\"},\"seed\":7,\"runs\":["
    "{\"policy\":\"hadar\",\"options\":{\"beam\":16,\"alpha\":0.1},\"mode\":\"round\","
    "\"round_s\":360,\"semantics\":{\"steps\":\"real\"},\"costs\":{\"start\":10},"
    "\"oracle\":[\"rates\"],\"jct_s\":{\"mean\":1000,\"p50\":null},\"end_s\":0,"
    "\"policy_stats\":{\"file\":3},\"timing\":{\"wall_s\":1}},"
    "{\"policy\":\"hadar\",\"options\":{\"beam\":4,\"alpha\":0.1},\"end_s\":5},"
    "{\"policy\":\"fifo\",\"options\":{},\"end_s\":9}]}";

static char *changed(const char *from, const char *to) {
  return replaced(base_text, from, to);
}

static enum hsim_status compare(const char *now_text, const char *old_text, double tolerance,
                                char **table, struct hsim_error *error) {
  static const struct check_options options[] = {{document_options, N_DOCUMENT_OPTIONS},
                                                 {document_options, N_DOCUMENT_OPTIONS},
                                                 {document_options, N_DOCUMENT_OPTIONS},
                                                 {document_options, N_DOCUMENT_OPTIONS}};
  cJSON *now = cJSON_Parse(now_text), *old = cJSON_Parse(old_text);
  assert_non_null(now);
  assert_non_null(old);
  FILE *file = tmpfile();
  struct check_report report;
  enum hsim_status status = check_compare(now, old, options, tolerance, &report, error);
  check_report_print(&report, file);
  check_report_free(&report);
  *table = slurp(file);
  fclose(file);
  cJSON_Delete(now);
  cJSON_Delete(old);
  return status;
}

/* Runs of blanks become one: the widths are the table's business. */
static void squeeze(char *text) {
  char *to = text;
  for (const char *from = text; *from != '\0'; from++) {
    if (*from != ' ' || to == text || to[-1] != ' ')
      *to++ = *from;
  }
  *to = '\0';
}

static void differs(const char *now, const char *old, double tolerance, const char *line) {
  char *table;
  struct hsim_error error = {0};
  if (compare(now, old, tolerance, &table, &error) != HSIM_DIFFERS)
    fail_msg("equal: %s", line);
  squeeze(table);
  if (strstr(table, line) == NULL)
    fail_msg("\"%s\" is not in\n%s", line, table);
  free(table);
}

static void equals(const char *now, const char *old, double tolerance) {
  char *table;
  struct hsim_error error = {0};
  if (compare(now, old, tolerance, &table, &error) != HSIM_OK)
    fail_msg("%s", table);
  assert_string_equal(table, "");
  free(table);
}

static void test_changes(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    double tolerance;
    const char *line; /* NULL: no difference */
  } cases[] = {
      {"\"aa\"", "\"aa\"", 0, NULL},
      {"a.csv", "elsewhere/b.csv", 0, NULL},
      {"\"hsim_version\":\"1\"", "\"hsim_version\":\"2\"", 0, NULL},
      {"\"wall_s\":1", "\"wall_s\":2", 0, NULL},
      {"\"timing\":{\"wall_s\":1}", "\"policy_stats_2\":1", 0, "policy_stats_2"},
      {"\"aa\"", "\"ab\"", 1, "(all) trace.sha256 aa ab"},
      {"\"jobs\":10", "\"jobs\":11", 1, "trace.jobs"},
      {"\"v100\":8", "\"v100\":9", 1, "cluster.gpus.v100"},
      {"\"v100\":8", "\"v100\":8,\"k80\":1", 1, "cluster.gpus.k80 missing 1"},
      {"\"bb\"", "\"cc\"", 1, "rates.sha256"},
      {"\"seed\":7", "\"seed\":8", 1, "seed"},
      {"\"round\"", "\"event\"", 1, "mode"},
      {"\"round_s\":360", "\"round_s\":361", 1, "round_s"},
      {"\"real\"", "\"whole\"", 1, "semantics.steps"},
      {"\"start\":10", "\"start\":10.5", 1, "costs.start"},
      {"[\"rates\"]", "[]", 1, "oracle"},
      {"\"mean\":1000", "\"mean\":1004", 0.005, NULL},
      {"\"mean\":1000", "\"mean\":1005", 0.005, NULL},
      {"\"mean\":1000", "\"mean\":1006", 0.005, "jct_s.mean 1000 1006 +0.6%"},
      {"\"mean\":1000", "\"mean\":994", 0.005, "-0.6%"},
      {"\"mean\":1000", "\"mean\":1000.0000001", 0, "+1.0e-08%"},
      {"\"mean\":1000", "\"mean\":null", 1, "jct_s.mean 1000 null"},
      {"\"p50\":null", "\"p50\":3", 1, "jct_s.p50 null 3"},
      {"\"mean\":1000,", "", 1, "jct_s.mean 1000 missing"},
      {"\"p50\":null", "\"p50\":null,\"p90\":2", 1, "jct_s.p90 missing 2"},
      {"\"end_s\":0", "\"end_s\":1e-9", 1, "end_s 0 1e-09"},
      /* Figures that baselines of earlier versions lack. */
      {"\"end_s\":0", "\"end_s\":0,\"faults\":{\"restarts\":1}", 0, NULL},
      {"\"file\":3", "\"file\":4", 0, "policy_stats.file"},
      {"{\"policy\":\"fifo\",\"options\":{},\"end_s\":9}",
       "{\"policy\":\"fifo\",\"options\":{},\"error\":\"crashed\"}", 1,
       "fifo error missing crashed"},
      {"\"fifo\"", "\"sjf\"", 1, "sjf (the run) missing {...}"},
      {"\"fifo\"", "\"sjf\"", 1, "fifo (the run) {...} missing"},
      /* Options: one that the baseline lacks counts unless it is at its default. */
      {"\"beam\":4", "\"beam\":4,\"fast\":true", 0, NULL},
      {"\"beam\":4", "\"beam\":4,\"fast\":false", 0, "(the run)"},
      {"\"beam\":4", "\"beam\":4,\"order\":\"dens\",\"file\":\"\"", 0, NULL},
      {"\"beam\":4", "\"beam\":4,\"order\":\"fifo\"", 0, "(the run)"},
      {"\"beam\":4", "\"beam\":5", 0, "hadar:beam=5"},
      {"\"beam\":4,\"alpha\":0.1", "\"beam\":4", 0, "(the run)"},
      {"\"beam\":4", "\"beam\":4,\"unknown\":1", 0, "(the run)"},
      {"\"beam\":4,", "\"beam\":4,\"alph\":1,", 0, "(the run)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *now = changed(cases[i].from, cases[i].to);
    if (cases[i].line == NULL) {
      equals(now, base_text, cases[i].tolerance);
    } else {
      differs(now, base_text, cases[i].tolerance, cases[i].line);
    }
    free(now);
  }
  /* The other way round: the baseline has an option that is gone. */
  char *old = changed("\"beam\":4", "\"beam\":4,\"fast\":true");
  differs(base_text, old, 0, "(the run)");
  free(old);
}

/* New numeric defaults: alpha (0.1) and beam (16) are missing in the baseline. */
static void test_numeric_defaults(void **state) {
  (void)state;
  char *old = changed("\"beam\":16,\"alpha\":0.1", "");
  equals(base_text, old, 0);
  char *now = changed("\"alpha\":0.1", "\"alpha\":0.2");
  differs(now, old, 0, "(the run)");
  free(now);
  free(old);
}

static void test_message(void **state) {
  (void)state;
  char *table, *now = changed("\"end_s\":5", "\"end_s\":6");
  struct hsim_error error = {0};
  assert_int_equal(compare(now, base_text, 0, &table, &error), HSIM_DIFFERS);
  assert_int_equal(error.status, HSIM_DIFFERS);
  assert_string_equal(error.text, "1 figure differs from the baseline");
  assert_string_equal(table, "run           figure  baseline  now  difference\n"
                             "hadar:beam=4  end_s          5    6        +20%\n");
  free(table);
  free(now);
}

/* Two equal runs match two equal runs, one leaves one over; order does not matter. */
static void test_matching(void **state) {
  (void)state;
  char *twice = changed("{\"policy\":\"fifo\"",
                        "{\"policy\":\"fifo\",\"options\":{},\"end_s\":9},{\"policy\":\"fifo\"");
  equals(twice, twice, 0);
  differs(twice, base_text, 0, "fifo (the run) missing {...}");
  differs(base_text, twice, 0, "fifo (the run) {...} missing");
  free(twice);
  char *both = changed("{\"policy\":\"fifo\",\"options\":{},\"end_s\":9}",
                       "{\"policy\":\"fifo\",\"options\":{},\"error\":\"x\"}");
  equals(both, both, 0);
  differs(base_text, both, 0, "fifo error x missing");
  free(both);
}

/* Groups of jobs are compared by name, within the tolerance, where both documents have them. */
static void test_by(void **state) {
  (void)state;
  static const char with[] =
      "{\"schema\":\"hsim.summary/1\",\"runs\":[{\"policy\":\"las\",\"options\":{},"
      "\"jct_s\":{\"mean\":5},\"by\":{\"key\":\"tenant\",\"groups\":["
      "{\"name\":\"a\",\"jobs\":{\"finished\":2},\"jct_s\":{\"mean\":1000}},"
      "{\"name\":null,\"jobs\":{\"finished\":1},\"jct_s\":{\"mean\":null}}]}}]}";
  static const char without[] =
      "{\"schema\":\"hsim.summary/1\",\"runs\":[{\"policy\":\"las\",\"options\":{},"
      "\"jct_s\":{\"mean\":5}}]}";
  static const struct {
    const char *from, *to;
    double tolerance;
    const char *line;
  } cases[] = {
      {"1000", "1004", 0.005, NULL},
      {"1000", "1006", 0.005, "by[a].jct_s.mean 1000 1006 +0.6%"},
      {"\"finished\":1", "\"finished\":3", 0.005, "by[null].jobs.finished 1 3"},
      {"\"a\"", "\"b\"", 1, "by[a] {...} missing"},
      {"\"a\"", "\"b\"", 1, "by[b] missing {...}"},
      {"\"tenant\"", "\"model\"", 1, "by.key tenant model"},
  };
  equals(with, with, 0);
  equals(with, without, 0);
  equals(without, with, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char changed[sizeof with + 32];
    const char *at = strstr(with, cases[i].from);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - with), with, cases[i].to,
             at + strlen(cases[i].from));
    if (cases[i].line == NULL)
      equals(changed, with, cases[i].tolerance);
    else
      differs(changed, with, cases[i].tolerance, cases[i].line);
  }
}

static void loads(const char *text, size_t n, enum hsim_status expected, const char *message) {
  char path[] = "/tmp/hsim-check-XXXXXX";
  int fd = mkstemp(path);
  assert_int_equal(write(fd, text, n), n);
  close(fd);
  cJSON *document;
  struct hsim_error error = {0};
  enum hsim_status status = check_load(path, &document, &error);
  unlink(path);
  assert_int_equal(status, expected);
  if (status == HSIM_OK) {
    assert_non_null(document);
  } else {
    assert_null(document);
    assert_non_null(strstr(error.text, path));
    if (strstr(error.text, message) == NULL)
      fail_msg("%s", error.text);
  }
  cJSON_Delete(document);
}

static void test_load(void **state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text, "%s\r\n \n", base_text);
  loads(text, strlen(text), HSIM_OK, "");
  snprintf(text, sizeof text, "%s x", base_text);
  loads(text, strlen(text), HSIM_BAD_INPUT, ": not valid JSON");
  loads("", 0, HSIM_BAD_INPUT, ":1:1: not valid JSON");
  loads("{\n \"a\": 1,\n \"b\" 2}", 18, HSIM_BAD_INPUT, ":3:");
  loads("{\"schema\": \"hsim.summary/1\", \"runs\": [", 38, HSIM_BAD_INPUT, ": not valid JSON");
  loads("{}", 2, HSIM_BAD_INPUT, "expected \"hsim.summary/1\"");
  loads("[]", 2, HSIM_BAD_INPUT, "schema");
  loads("{\"schema\":\"hsim.summary/2\"}", 27, HSIM_BAD_INPUT, "\"hsim.summary/2\", expected");
  loads("{\"schema\":\"hsim.summary/1\"}", 27, HSIM_BAD_INPUT, "key runs");
  const char *odd =
      "{\"schema\":\"hsim.summary/1\",\"runs\":[{\"policy\":\"a\",\"options\":{}},7]}";
  loads(odd, strlen(odd), HSIM_BAD_INPUT, "key runs[1]");
  odd = "{\"schema\":\"hsim.summary/1\",\"runs\":[{\"policy\":\"a\",\"options\":[1]}]}";
  loads(odd, strlen(odd), HSIM_BAD_INPUT, "key runs[0]");
  loads("{}\0{}", 5, HSIM_BAD_INPUT, "");
  cJSON *document;
  struct hsim_error error = {0};
  assert_int_equal(check_load("/none/base.json", &document, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, "/none/base.json: cannot read it: No such file or directory");
  assert_int_equal(check_load("/tmp", &document, &error), HSIM_BAD_INPUT);
  assert_non_null(strstr(error.text, "Is a directory"));
}

/* A document equals itself after a trip through its text, and any one changed figure is found. */
static void test_real_document(void **state) {
  (void)state;
  struct world w;
  struct metrics *metrics;
  struct figures figures;
  struct document_run run;
  world_init(&w);
  story_figures(&w, &metrics, &figures);
  document_run_init(&run, &w, "hadar", &figures);
  char *one = summary_run_text(&run.summary);
  char *old = document_of(&w, (const char *const[]){one}, 1);
  equals(old, old, 0);
  double *const values[] = {
      &figures.makespan_s,      &figures.jct.p90,   &figures.rho.max,           &figures.jain,
      &figures.held_by_type[1], &figures.node_mean, &figures.wait_s[HSIM_PRICE]};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    double before = *values[i];
    *values[i] = nextafter(before, INFINITY);
    free(one);
    one = summary_run_text(&run.summary);
    char *now = document_of(&w, (const char *const[]){one}, 1);
    differs(now, old, 0, "hadar");
    *values[i] = before;
    free(now);
  }
  free(one);
  free(old);
  metrics_free(metrics);
  world_free(&w);
}

/* Each run is a case, and so is what they share; texts are escaped, bytes that XML cannot hold are
 * replaced. */
static void test_junit(void **state) {
  (void)state;
  struct check_report report = {0};
  check_report_case(&report, "(all)");
  check_report_case(&report, "las:q=\"<1>\"&\x01\xff");
  check_report_add(&report, "makespan_s", "100", "101", 0.01);
  check_report_add(&report, "jct_s.mean", "null", "3", NAN);
  FILE *file = tmpfile();
  struct out out;
  out_open_fd(&out, fileno(file), "junit");
  check_report_junit(&report, "base.json", &out);
  struct hsim_error error;
  assert_int_equal(out_flush(&out, &error), HSIM_OK);
  out_discard(&out);
  char *text = slurp(file);
  assert_string_equal(
      text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites tests=\"2\" failures=\"1\">\n"
            "  <testsuite name=\"hsim --check base.json\" tests=\"2\" failures=\"1\" errors=\"0\" "
            "skipped=\"0\">\n"
            "    <testcase classname=\"hsim.check\" name=\"(all)\"/>\n"
            "    <testcase classname=\"hsim.check\" "
            "name=\"las:q=&quot;&lt;1&gt;&quot;&amp;\ufffd\ufffd\">\n"
            "      <failure type=\"difference\" message=\"2 figures differ from the baseline\">"
            "makespan_s: baseline 100, now 101, difference +1%\n"
            "jct_s.mean: baseline null, now 3\n"
            "</failure>\n"
            "    </testcase>\n"
            "  </testsuite>\n"
            "</testsuites>\n");
  free(text);
  fclose(file);
  check_report_free(&report);
}

/* Runs of one policy with several seeds are matched by their seeds. */
static void test_seeds(void **state) {
  (void)state;
#define SEEDED(a, b)                                                                               \
  "{\"schema\":\"hsim.summary/1\",\"seed\":0,\"runs\":["                                           \
  "{\"policy\":\"las\",\"options\":{},\"seed\":" a ",\"end_s\":" a "},"                            \
  "{\"policy\":\"las\",\"options\":{},\"seed\":" b ",\"end_s\":" b "}]}"
  equals(SEEDED("1", "2"), SEEDED("2", "1"), 0);
  differs(SEEDED("1", "3"), SEEDED("1", "2"), 0, "las seed 3 (the run) missing {...}");
  differs(SEEDED("1", "3"), SEEDED("1", "2"), 0, "las seed 2 (the run) {...} missing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changes),
      cmocka_unit_test(test_numeric_defaults),
      cmocka_unit_test(test_message),
      cmocka_unit_test(test_matching),
      cmocka_unit_test(test_junit),
      cmocka_unit_test(test_seeds),
      cmocka_unit_test(test_by),
      cmocka_unit_test(test_load),
      cmocka_unit_test(test_real_document),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
