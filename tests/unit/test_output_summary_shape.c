/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/summary_shape.h"

#include "output_document.h"

static const char base_text[] =
    "{\"schema\":\"hsim.summary/1\",\"hsim_version\":\"1\","
    "\"trace\":{\"sha256\":\"aa\",\"jobs\":10},\"cluster\":{\"gpus\":{\"v100\":8}},"
    "\"rates\":{\"sha256\":\"bb\"},\"seed\":7,\"runs\":["
    "{\"policy\":\"gone\",\"options\":{},\"error\":\"crashed\"},"
    "{\"policy\":\"hadar\",\"options\":{\"beam\":16},\"mode\":\"round\",\"round_s\":360,"
    "\"semantics\":{},\"costs\":{},\"jobs\":{\"finished\":10,\"unfinished\":0},\"end_s\":9,"
    "\"makespan_s\":9,\"jct_s\":{\"mean\":1000,\"p50\":null,\"p99\":1},"
    "\"queueing_s\":{\"mean\":0},\"slowdown\":{},\"rho\":{\"mean\":1,\"max\":2},"
    "\"utilisation\":{\"busy\":0.5,\"held_by_type\":{\"v100\":0.5}},\"counts\":{\"rounds\":3}}]}";

/* The verdict on base_text with the first `from` replaced by `to`. */
static enum hsim_status judge(const char *from, const char *to, bool whole,
                              struct hsim_error *error) {
  char *text = replaced(base_text, from, to);
  cJSON *document = cJSON_Parse(text);
  assert_non_null(document);
  enum hsim_status status = summary_check_shape("f.json", document, whole, error);
  cJSON_Delete(document);
  free(text);
  return status;
}

static void test_whole_document(void **state) {
  (void)state;
  struct hsim_error error = {0};
  assert_int_equal(judge("\"1\"", "\"1\"", true, &error), HSIM_OK);
  /* What hsim does not write is not looked at. */
  assert_int_equal(judge("\"seed\":7", "\"seed\":7,\"mine\":[{}]", true, &error), HSIM_OK);
}

static void test_faults(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"\"1\"", "1", "f.json: key hsim_version: 1, expected a text"},
      {"\"jobs\":10}", "\"jobs\":1.5}",
       "f.json: key trace.jobs: 1.5, expected a whole number from 0 on"},
      {"\"jobs\":10}", "\"jobs\":-1}",
       "f.json: key trace.jobs: -1, expected a whole number from 0 on"},
      {"\"seed\":7", "\"seed\":\"7\"",
       "f.json: key seed: \"7\", expected a whole number from 0 on"},
      {"{\"gpus\":{\"v100\":8}}", "[]", "f.json: key cluster: [], expected an object"},
      {"\"runs\":[", "\"runs\":{},\"x\":[", "f.json: key runs: {}, expected an array"},
      {"\"runs\":[", "\"runs\":[7,", "f.json: key runs[0].policy: absent, expected a text"},
      {"\"gone\"", "null", "f.json: key runs[0].policy: null, expected a text"},
      {"\"crashed\"", "4", "f.json: key runs[0].error: 4, expected a text"},
      {"\"options\":{\"beam\":16}", "\"options\":[]",
       "f.json: key runs[1].options: [], expected an object"},
      {"\"mean\":1000", "\"mean\":\"1000\"",
       "f.json: key runs[1].jct_s.mean: \"1000\", expected a number or null"},
      {"\"mean\":1000", "\"mean\":1e999",
       "f.json: key runs[1].jct_s.mean: null, expected a number or null"},
      {"{\"v100\":0.5}", "{\"v100\":true}",
       "f.json: key runs[1].utilisation.held_by_type.v100: true, expected a number or null"},
      {"{\"rounds\":3}", "3", "f.json: key runs[1].counts: 3, expected an object of figures"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int whole = 0; whole <= 1; whole++) {
      struct hsim_error error = {0};
      assert_int_equal(judge(cases[i].from, cases[i].to, whole, &error), HSIM_BAD_INPUT);
      assert_string_equal(error.text, cases[i].message);
    }
}

static void test_absent(void **state) {
  (void)state;
  static const struct {
    const char *gone, *message;
  } cases[] = {
      {"\"rates\":{\"sha256\":\"bb\"},", "f.json: key rates: absent, expected an object"},
      {"\"sha256\":\"aa\",", "f.json: key trace.sha256: absent, expected a text"},
      {"\"mode\":\"round\",", "f.json: key runs[1].mode: absent, expected a text"},
      {"\"makespan_s\":9,", "f.json: key runs[1].makespan_s: absent, expected a number or null"},
      {"\"p50\":null,", "f.json: key runs[1].jct_s.p50: absent, expected a number or null"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct hsim_error error = {0};
    assert_int_equal(judge(cases[i].gone, "", true, &error), HSIM_BAD_INPUT);
    assert_string_equal(error.text, cases[i].message);
    assert_int_equal(judge(cases[i].gone, "", false, &error), HSIM_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole_document),
                                     cmocka_unit_test(test_faults), cmocka_unit_test(test_absent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
