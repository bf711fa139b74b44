/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "input_fixture.h"

static int number_of(const struct names *names, const char *name) {
  int n = names_find(names, name, strlen(name));
  assert_true(n >= 0);
  return n;
}

static double thr(const struct rates *rates, const char *model, const char *type, int workers) {
  return rates_thr(rates, MISSING_REJECT, number_of(&rates->models, model),
                   number_of(&rates->types, type), workers, NULL);
}

static void read_ok_rates(const char *path, struct rates *rates) {
  struct hsim_error error = {.text = ""};
  if (rates_read(path, rates, &error) != HSIM_OK)
    fail_msg("%s", error.text);
}

/* Figures as the file prints them. */
static void test_builtin(void **state) {
  (void)state;
  struct rates rates;
  double a, b;
  read_ok_rates(RATES_DEFAULT, &rates);
  assert_int_equal(rates.types.n, 3);
  assert_int_equal(rates.models.n, 26);
  assert_string_equal(rates.file, "builtin:gavel_simulation");
  assert_int_equal(strlen(rates.sha256), 64);
  const char *resnet = "ResNet-18 (batch size 32)";
  assert_true(thr(&rates, resnet, "v100", 1) == 29.947157347732464);
  assert_true(thr(&rates, resnet, "p100", 1) == 35.82535355155143);
  assert_true(thr(&rates, "ResNet-50 (batch size 128)", "k80", 2) == 0);
  assert_true(thr(&rates, "CycleGAN", "v100", 2) == 0);
  int k80 = number_of(&rates.types, "k80");
  int small = number_of(&rates.models, "ResNet-18 (batch size 16)");
  int other = number_of(&rates.models, resnet);
  assert_true(rates_pair(&rates, small, other, k80, 1, &a, &b));
  assert_true(a == 2.539979567443098 && b == 3.1201925448827033);
  assert_true(rates_pair(&rates, other, small, k80, 1, &a, &b));
  assert_true(b == 2.539979567443098 && a == 3.1201925448827033);
  assert_false(rates_pair(&rates, small, other, k80, 2, &a, &b));
  int v100 = number_of(&rates.types, "v100"), lm = number_of(&rates.models, "LM (batch size 20)");
  assert_true(rates_spread(&rates, lm, v100, 4) < 0.31);
  assert_true(rates_spread(&rates, lm, v100, 4) > 0.30);
  rates_free(&rates);
}

static void test_json(void **state) {
  (void)state;
  struct rates rates;
  write_text("r", "\xef\xbb\xbf {\"g\": {\"('a', 1)\": {\"null\": 2}, "
                  "\"(\\\"it's, b\\\", 2)\": {\"null\": 3.5}}, "
                  "\"g_unconsolidated\": {\"('a', 1)\": {\"null\": 1, \"whatever\": 5}}}");
  read_ok_rates("r", &rates);
  assert_int_equal(rates.types.n, 1);
  assert_true(thr(&rates, "a", "g", 1) == 2);
  assert_true(thr(&rates, "it's, b", "g", 2) == 3.5);
  assert_true(rates_spread(&rates, 0, 0, 1) == 0.5);
  rates_free(&rates);
  unlink("r");
}

static void expect_error(const char *text, const char *expected) {
  struct rates rates;
  struct hsim_error error = {.text = ""};
  write_text("r", text);
  assert_int_equal(rates_read("r", &rates, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, expected);
  assert_null(rates.file);
  unlink("r");
}

#define KEY_FORM "a key like ('ResNet-50 (batch size 64)', 4): a name of at most 255 bytes, GPUs"

static void test_bad_json(void **state) {
  (void)state;
  static const struct {
    const char *text, *expected;
  } bad[] = {
      {"{", "r:1:2: not valid JSON: it ends too early"},
      {"[]", "r: value is an array: expected an object of GPU types"},
      {"{}", "r: has no rate"},
      {"{\"g\": 5}", "r: g: value 5: expected an object of job keys"},
      {"{\"g\": {}}", "r: has no rate"},
      {"{\"_unconsolidated\": {\"('a', 1)\": {\"null\": null}}}",
       "r: _unconsolidated[\"('a', 1)\"].null: value null: expected a number of at least 0"},
      {"{\"g\": {\"('a', 1)\": {\"null\": -1}}}",
       "r: g[\"('a', 1)\"].null: value -1: expected a number of at least 0"},
      {"{\"g\": {\"('a', 1)\": {\"null\": 1e999}}}",
       "r: g[\"('a', 1)\"].null: value inf: expected a number of at least 0"},
      {"{\"g\": {\"('a', 1)\": 5}}",
       "r: g[\"('a', 1)\"]: value 5: expected an object with the key \"null\""},
      {"{\"g\": {\"('a', 1)\": {\"null\": 1}, \"('a', 1)\": {\"null\": 1}}}",
       "r: g[\"('a', 1)\"].null: rate of model \"a\" on GPU type \"g\" with 1 workers (on one "
       "node) is given twice"},
      {"{\"g\": {\"('a', 1)\": {\"('b', 2)\": [1, 1]}}}",
       "r: g[\"('a', 1)\"][\"('b', 2)\"]: value is an array: expected a partner of the same size, "
       "1"},
      {"{\"g\": {\"('a', 1)\": {\"('b', 1)\": [1]}}}",
       "r: g[\"('a', 1)\"][\"('b', 1)\"]: value is an array: expected an array of two rates"},
      {"{\"g\": {\"('a', 1)\": {\"('b', 1)\": [1, \"x\"]}}}",
       "r: g[\"('a', 1)\"][\"('b', 1)\"][1]: value \"x\": expected a number of at least 0"},
      {"{\"g\": {\"('a', 1)\": {\"b\": [1, 1]}}}",
       "r: g[\"('a', 1)\"].b: value is an array: expected \"null\" or " KEY_FORM},
      {"{\"g\": {\"('a', 1)\": {\"('b', 1)\": [1, 2]}, \"('b', 1)\": {\"('a', 1)\": [1, 2]}}}",
       "r: g[\"('b', 1)\"][\"('a', 1)\"]: rates of models \"b\" and \"a\" together on GPU type "
       "\"g\" with 1 workers are given twice and differ (1 and 2)"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    expect_error(bad[i].text, bad[i].expected);
  static const char *const keys[] = {"a",          "('a', 0)",    "('a', -1)", "('a',1)",
                                     "('a', 1",    "('a\\\", 1)", "('a', x)",  "('', 1)",
                                     "('a', 1.5)", "(a, 1)"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    char text[200];
    struct rates rates;
    struct hsim_error error = {.text = ""};
    snprintf(text, sizeof text, "{\"g\": {\"%s\": {\"null\": 1}}}", keys[i]);
    write_text("r", text);
    assert_int_equal(rates_read("r", &rates, &error), HSIM_BAD_INPUT);
    assert_non_null(strstr(error.text, KEY_FORM));
  }
  unlink("r");
}

#define PAIRS_HEAD                                                                                 \
  "gpu_type,model,workers,steps_per_second,consolidated,partner,partner_steps_per_second\n"

static void test_csv_pairs(void **state) {
  (void)state;
  struct rates rates;
  double a, b;
  write_text("r", PAIRS_HEAD "g,m,1,5,,,\ng,n,1,4,,,\ng,m,1,3,,n,2\ng,n,1,2,,m,3\n");
  read_ok_rates("r", &rates);
  assert_true(thr(&rates, "m", "g", 1) == 5);
  assert_true(rates_pair(&rates, 0, 1, 0, 1, &a, &b));
  assert_true(a == 3 && b == 2);
  assert_false(rates_pair(&rates, 0, 0, 0, 1, &a, &b));
  rates_free(&rates);
  expect_error(PAIRS_HEAD "g,m,1,5,1,n,2\n",
               "r:2: column consolidated: value \"1\": expected nothing beside a partner: pairs "
               "stand on one node");
  expect_error(PAIRS_HEAD "g,m,1,5,,,2\n",
               "r:2: column partner_steps_per_second: value \"2\": expected nothing without a "
               "partner");
  expect_error(PAIRS_HEAD "g,m,1,5,,n,\n",
               "r:2: column partner_steps_per_second: value \"\": expected a number of at least 0");
  expect_error(PAIRS_HEAD "g,m,1,3,,n,2\ng,n,1,2,,m,4\n",
               "r:3: rates of models \"n\" and \"m\" together on GPU type \"g\" with 1 workers are "
               "given twice and differ (2 and 4)");
  unlink("r");
}

/* The table that is compiled in says what Gavel's own file says. */
static void test_builtin_is_gavels(void **state) {
  (void)state;
  struct rates csv, json;
  read_ok_rates(RATES_DEFAULT, &csv);
  read_ok_rates(HSIM_SOURCE_DIR "/configs/rates/gavel_simulation.json", &json);
  assert_int_equal(csv.types.n, json.types.n);
  assert_int_equal(csv.models.n, json.models.n);
  for (int t = 0; t < csv.types.n; t++)
    assert_string_equal(csv.types.at[t], json.types.at[t]);
  for (int m = 0; m < csv.models.n; m++)
    assert_string_equal(csv.models.at[m], json.models.at[m]);
  assert_int_equal(csv.cells.n, json.cells.n);
  int pairs = 0;
  for (int t = 0; t < csv.types.n; t++)
    for (int m = 0; m < csv.models.n; m++) {
      const struct rate_rows *x = &csv.rows[t * csv.models.n + m];
      const struct rate_rows *y = &json.rows[t * csv.models.n + m];
      assert_int_equal(x->n, y->n);
      for (int i = 0; i < x->n; i++) {
        assert_int_equal(x->at[i].workers, y->at[i].workers);
        assert_memory_equal(&x->at[i].one_node, &y->at[i].one_node, sizeof(double));
        assert_memory_equal(&x->at[i].spread, &y->at[i].spread, sizeof(double));
      }
      for (int other = 0; other < csv.models.n; other++)
        for (int k = 1; k <= 8; k *= 2) {
          double a, b, c, d;
          bool may = rates_pair(&csv, m, other, t, k, &a, &b);
          assert_int_equal(may, rates_pair(&json, m, other, t, k, &c, &d));
          assert_true(!may || (a == c && b == d));
          pairs += may;
        }
    }
  assert_true(pairs > 1000);
  rates_free(&csv);
  rates_free(&json);
}

static void test_csv(void **state) {
  (void)state;
  struct rates rates;
  write_text("r", "gpu_type,model,workers,steps_per_second,consolidated\r\n"
                  "a,\"m, n\",1,5,1\r\na,\"m, n\",1,4,0\r\nb,\"m, n\",2,0,\r\n");
  read_ok_rates("r", &rates);
  assert_true(thr(&rates, "m, n", "a", 1) == 5);
  assert_true(rates_spread(&rates, 0, 0, 1) == 0.8);
  assert_true(thr(&rates, "m, n", "b", 2) == 0);
  rates_free(&rates);
#define HEAD "gpu_type,model,workers,steps_per_second,consolidated\n"
  expect_error("", "r: is empty: expected a rates table");
  expect_error(HEAD, "r: has no rate");
  expect_error("gpu_type,model,workers\n",
               "r:1: a rates table needs the column steps_per_second; the header has gpu_type, "
               "model, workers");
  expect_error(HEAD ",m,1,1,1\n",
               "r:2: column gpu_type: value \"\": expected a text that is not empty");
  expect_error(HEAD "a,,1,1,1\n",
               "r:2: column model: value \"\": expected a text that is not empty");
  expect_error(HEAD "a,m,0,1,1\n",
               "r:2: column workers: value \"0\": expected a whole number from 1 to 2147483647");
  expect_error(HEAD "a,m,1,-1,1\n",
               "r:2: column steps_per_second: value \"-1\": expected a number of at least 0");
  expect_error(HEAD "a,m,1,1,2\n",
               "r:2: column consolidated: value \"2\": expected a whole number from 0 to 1");
  expect_error(HEAD "a,m,1,1,1\na,m,1,2,\n",
               "r:3: rate of model \"m\" on GPU type \"a\" with 1 workers (on one node) is given "
               "twice");
}

static enum hsim_status read_beside(struct rates *rates, bool speedup, const char *text,
                                    struct hsim_error *error) {
  error->text[0] = '\0';
  write_text("s", text);
  enum hsim_status status =
      speedup ? rates_read_speedup("s", rates, error) : rates_read_efficiency("s", rates, error);
  unlink("s");
  return status;
}

static void test_speedups(void **state) {
  (void)state;
  struct rates rates;
  struct hsim_error error;
  read_ok_rates(RATES_DEFAULT, &rates);
  double alone = thr(&rates, "CycleGAN", "v100", 1);
  assert_int_equal(read_beside(&rates, true, "model,workers,speedup\nCycleGAN,4,2.5\n", &error),
                   HSIM_OK);
  assert_true(thr(&rates, "CycleGAN", "v100", 4) == 2.5 * alone);
  read_beside(&rates, true, "model,workers,speedup\nCycleGan,4,2.5\n", &error);
  assert_string_equal(error.text, "s:2: column model: value \"CycleGan\": expected a model of the "
                                  "rates table; did you mean \"CycleGAN\"?");
  read_beside(&rates, true, "model,workers,speedup\nA3C,1,2\n", &error);
  assert_string_equal(error.text, "s:2: speedup of model \"A3C\" with 1 worker is 2; expected 1, "
                                  "being the speedup over one worker");
  read_beside(&rates, true, "model,workers,speedup\nA3C,2,-1\n", &error);
  assert_string_equal(error.text, "s:2: column speedup: value \"-1\": expected a number of at "
                                  "least 0");
  rates_free(&rates);
}

static void test_efficiencies(void **state) {
  (void)state;
  struct rates rates;
  struct hsim_error error;
  read_ok_rates(RATES_DEFAULT, &rates);
#define LEVELS "model,slot,node,rack,cluster\n"
  assert_int_equal(read_beside(&rates, false,
                               LEVELS "LM (batch size 20),1,0.9,0.8,0.7\nLM,1,1,0.5,0.4\n"
                                      "CycleGAN,1,1,1,0.25\n",
                               &error),
                   HSIM_OK);
  const double *one = rates.efficiency + 4 * number_of(&rates.models, "LM (batch size 20)");
  const double *family = rates.efficiency + 4 * number_of(&rates.models, "LM (batch size 40)");
  const double *gan = rates.efficiency + 4 * number_of(&rates.models, "CycleGAN");
  const double *none = rates.efficiency + 4 * number_of(&rates.models, "A3C");
  assert_true(one[0] == 1 && one[1] == 0.9 && one[2] == 0.8 && one[3] == 0.7);
  assert_true(family[2] == 0.5 && family[3] == 0.4 && gan[3] == 0.25 && isnan(none[0]));
  read_beside(&rates, false, LEVELS "LM,1,1,0,1\n", &error);
  assert_string_equal(error.text,
                      "s:2: column rack: value \"0\": expected a number above 0, at most 1");
  read_beside(&rates, false, LEVELS "LM,1,1,1.5,1\n", &error);
  assert_string_equal(error.text,
                      "s:2: column rack: value \"1.5\": expected a number above 0, at most 1");
  read_beside(&rates, false, LEVELS "LM,1,1,1,1\nA3C,1,1,1,1\nLM,1,1,1,1\n", &error);
  assert_string_equal(error.text,
                      "s:4: column model: value \"LM\": expected each name once; line 2 "
                      "has the same");
  read_beside(&rates, false, LEVELS "ResNet,1,1,1,1\n", &error);
  assert_string_equal(error.text, "s:2: column model: value \"ResNet\": expected a model of the "
                                  "rates table, or the family of some; did you mean "
                                  "\"ResNet-18 (batch size 16)\"?");
  rates_free(&rates);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_builtin),   cmocka_unit_test(test_json),
      cmocka_unit_test(test_bad_json),  cmocka_unit_test(test_csv),
      cmocka_unit_test(test_csv_pairs), cmocka_unit_test(test_builtin_is_gavels),
      cmocka_unit_test(test_speedups),  cmocka_unit_test(test_efficiencies),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
