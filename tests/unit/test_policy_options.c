/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "policy/options.h"
#include "policy/registry.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const struct hsim_option some_options[] = {
    {.name = "flag", .kind = HSIM_OPTION_BOOL, .fallback = "1", .help = "a flag"},
    {.name = "beam", .kind = HSIM_OPTION_INT, .fallback = "16", .min = 1, .max = 64},
    {.name = "alpha", .kind = HSIM_OPTION_REAL, .fallback = "0.5", .min = 0, .max = INFINITY},
    {.name = "order", .kind = HSIM_OPTION_CHOICE, .fallback = "payoff", .choices = "payoff|dens"},
    {.name = "note", .kind = HSIM_OPTION_TEXT, .fallback = ""},
};

static const struct hsim_policy some = {.name = "some",
                                        .summary = "A policy",
                                        .mode = HSIM_MODE_ROUND,
                                        .options = some_options,
                                        .n_options = COUNT(some_options)};

static void specs_are_split(void **state) {
  (void)state;
  struct policy_specs specs = {0};
  struct hsim_error error = {0};
  assert_int_equal(policy_specs_parse(&specs, "fifo,hadar:order=dens:beam=4", &error), HSIM_OK);
  assert_int_equal(policy_specs_parse(&specs, "./a\\:b\\,c.so:x=1\\:2\\,3\\4=5:y", &error),
                   HSIM_OK);
  assert_int_equal(specs.n, 3);
  assert_string_equal(specs.at[0].name, "fifo");
  assert_int_equal(specs.at[0].n_settings, 0);
  assert_string_equal(specs.at[1].name, "hadar");
  assert_int_equal(specs.at[1].n_settings, 2);
  assert_string_equal(specs.at[1].settings[0].key, "order");
  assert_string_equal(specs.at[1].settings[0].value, "dens");
  assert_string_equal(specs.at[1].settings[1].value, "4");
  assert_string_equal(specs.at[2].name, "./a:b,c.so");
  assert_string_equal(specs.at[2].settings[0].key, "x");
  assert_string_equal(specs.at[2].settings[0].value, "1:2,3\\4=5");
  assert_string_equal(specs.at[2].settings[1].key, "y");
  assert_null(specs.at[2].settings[1].value);
  policy_specs_free(&specs);
}

static void bad_specs(void **state) {
  (void)state;
  static const char *const texts[] = {"",          ",",     "fifo,",     ":a=1",
                                      "fifo,,las", "fifo:", "fifo::a=1", "fifo:=1"};
  for (int i = 0; i < COUNT(texts); i++) {
    struct policy_specs specs = {0};
    struct hsim_error error = {0};
    assert_int_equal(policy_specs_parse(&specs, texts[i], &error), HSIM_BAD_USAGE);
    assert_non_null(strstr(error.text, "has no name"));
    policy_specs_free(&specs);
  }
}

/* Makes values from what was typed after the policy's name. */
static enum hsim_status make(const char *typed, struct policy_values *values,
                             struct hsim_error *error) {
  char text[256];
  snprintf(text, sizeof text, "some%s", typed);
  struct policy_specs specs = {0};
  *error = (struct hsim_error){0};
  assert_int_equal(policy_specs_parse(&specs, text, error), HSIM_OK);
  enum hsim_status status = policy_values_make(&some, &specs.at[0], values, error);
  policy_specs_free(&specs);
  return status;
}

static void values_are_typed(void **state) {
  (void)state;
  struct policy_values values;
  struct hsim_error error;
  assert_int_equal(make("", &values, &error), HSIM_OK);
  assert_int_equal(values.n, COUNT(some_options));
  assert_true(values.at[0].as.i == 1 && !values.at[0].given);
  assert_true(values.at[1].as.i == 16);
  assert_true(values.at[2].as.real == 0.5);
  assert_true(values.at[3].as.i == 0);
  assert_string_equal(values.at[3].text, "payoff");
  assert_string_equal(values.at[4].text, "");
  policy_values_free(&values);
  assert_int_equal(make(":alpha=1e3:flag=0:order=dens:note=a=b:beam=64", &values, &error), HSIM_OK);
  assert_true(values.at[0].as.i == 0 && values.at[0].given);
  assert_true(values.at[1].as.i == 64);
  assert_true(values.at[2].as.real == 1000);
  assert_string_equal(values.at[2].text, "1e3");
  assert_true(values.at[3].as.i == 1);
  assert_string_equal(values.at[4].text, "a=b");
  policy_values_free(&values);
}

static void bad_values(void **state) {
  (void)state;
  static const struct {
    const char *typed;
    const char *message; /* a part of it */
  } cases[] = {
      {":flag", "option flag has no value: expected flag=0 or 1"},
      {":flag=yes", "flag=yes: expected 0 or 1"},
      {":flag=", "flag=: expected 0 or 1"},
      {":beam=0", "beam=0: expected whole number from 1 to 64 (default 16)"},
      {":beam=65", "beam=65: expected whole number from 1 to 64"},
      {":beam=4.0", "beam=4.0: expected whole number"},
      {":beam=99999999999999999999", "expected whole number from 1 to 64"},
      {":alpha=-1", "alpha=-1: expected number >= 0"},
      {":alpha=nan", "alpha=nan: expected number >= 0"},
      {":alpha=inf", "alpha=inf: expected number >= 0"},
      {":alpha=0x10", "alpha=0x10: expected number >= 0"},
      {":order=pay", "order=pay: expected payoff|dens; did you mean payoff?"},
      {":order=", "order=: expected payoff|dens"},
      {":order=payoff|dens", "expected payoff|dens"},
      {":bean=3", "unknown option \"bean\" (did you mean \"beam\"?); it has flag, beam, alpha"},
      {":zzzzzzzz=3", "unknown option \"zzzzzzzz\"; it has flag"},
      {":beam=3:flag=1:beam=4", "option beam is given twice: 3 and 4"},
  };
  for (int i = 0; i < COUNT(cases); i++) {
    struct policy_values values;
    struct hsim_error error;
    assert_int_equal(make(cases[i].typed, &values, &error), HSIM_BAD_USAGE);
    if (!strstr(error.text, cases[i].message))
      fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].typed, error.text, cases[i].message);
    assert_int_equal(values.n, 0);
    assert_null(values.at);
  }
}

static void unsound_tables(void **state) {
  (void)state;
  static const struct hsim_option tables[][2] = {
      {{.name = "a", .kind = HSIM_OPTION_INT, .fallback = "5", .min = 0, .max = 4}},
      {{.name = "a", .kind = HSIM_OPTION_TEXT}},
      {{.name = "a=b", .kind = HSIM_OPTION_TEXT, .fallback = ""}},
      {{.name = NULL, .kind = HSIM_OPTION_TEXT, .fallback = ""}},
      {{.name = "a", .kind = HSIM_OPTION_CHOICE, .fallback = "x"}},
      {{.name = "a", .kind = HSIM_OPTION_CHOICE, .fallback = "x", .choices = "y|z"}},
      {{.name = "a", .kind = (enum hsim_option_kind)17, .fallback = "x"}},
  };
  for (int i = 0; i < COUNT(tables); i++) {
    struct hsim_policy policy = {.name = "some", .options = tables[i], .n_options = 1};
    struct hsim_error error = {0};
    assert_int_equal(policy_options_check(&policy, &error), HSIM_BAD_USAGE);
  }
  static const struct hsim_option twice[] = {
      {.name = "a", .kind = HSIM_OPTION_TEXT, .fallback = ""},
      {.name = "a", .kind = HSIM_OPTION_TEXT, .fallback = ""}};
  struct hsim_policy policy = {.name = "some", .options = twice, .n_options = 2};
  struct hsim_error error = {0};
  assert_int_equal(policy_options_check(&policy, &error), HSIM_BAD_USAGE);
  assert_non_null(strstr(error.text, "another option has its name"));
}

static char *printed(const struct hsim_policy *policy) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  policy_print(out, policy);
  fclose(out);
  return text;
}

static void is_printed_aligned(void **state) {
  (void)state;
  char *text = printed(&some);
  assert_string_equal(text, "some: A policy (round mode)\n"
                            "  flag  = 1       0 or 1                     a flag\n"
                            "  beam  = 16      whole number from 1 to 64\n"
                            "  alpha = 0.5     number >= 0\n"
                            "  order = payoff  payoff|dens\n"
                            "  note  =         text\n");
  free(text);
}

static void built_in_tables_are_sound(void **state) {
  (void)state;
  size_t n;
  const struct hsim_policy *const *policies = registry_policies(&n);
  assert_true(n >= 8);
  for (size_t i = 0; i < n; i++) {
    struct hsim_error error = {0};
    if (policy_options_check(policies[i], &error) != HSIM_OK)
      fail_msg("%s", error.text);
    assert_int_equal(policies[i]->version, HSIM_POLICY_VERSION);
    assert_int_equal(policies[i]->size, sizeof(struct hsim_policy));
    assert_non_null(policies[i]->schedule);
    assert_non_null(policies[i]->summary);
    assert_ptr_equal(registry_find(policies[i]->name), policies[i]);
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(policies[j]->name, policies[i]->name);
    for (int o = 0; o < policies[i]->n_options; o++)
      assert_non_null(policies[i]->options[o].help);
  }
}

static void unknown_policies(void **state) {
  (void)state;
  static const struct {
    const char *name, *message;
  } cases[] = {{"fifoo", "did you mean \"fifo\"?"},
               {"hadr", "did you mean \"hadar\"?"},
               {"nothing_like_it", "unknown policy \"nothing_like_it\"; there are fifo, "},
               {"mine.so", "to load a policy library write ./mine.so"}};
  for (int i = 0; i < COUNT(cases); i++) {
    struct loaded_policy policy;
    struct hsim_error error = {0};
    assert_int_equal(registry_open(cases[i].name, &policy, &error), HSIM_BAD_USAGE);
    if (!strstr(error.text, cases[i].message))
      fail_msg("\"%s\" lacks \"%s\"", error.text, cases[i].message);
  }
  struct loaded_policy policy;
  assert_int_equal(registry_open("las", &policy, NULL), HSIM_OK);
  assert_string_equal(policy.table.name, "las");
  assert_null(policy.library);
  loaded_policy_close(&policy);
}

/* The text of an option after the policy's own rules: name "" ends. */
static void expect_settled(const char *typed, const char *const (*wanted)[2]) {
  struct policy_specs specs = {0};
  struct policy_values values;
  struct hsim_error error = {.text = ""};
  assert_int_equal(policy_specs_parse(&specs, typed, &error), HSIM_OK);
  const struct hsim_policy *policy = registry_find(specs.at[0].name);
  assert_int_equal(policy_values_make(policy, &specs.at[0], &values, &error), HSIM_OK);
  for (; (*wanted)[0][0]; wanted++) {
    int i = 0;
    while (strcmp(policy->options[i].name, (*wanted)[0]) != 0)
      i++;
    assert_string_equal(values.at[i].text, (*wanted)[1]);
  }
  policy_values_free(&values);
  policy_specs_free(&specs);
}

/* What a profile or a goal decides stands in the summary as what it is. */
static void options_are_settled(void **state) {
  (void)state;
  expect_settled("fifo",
                 (const char *const[][2]){{"type", "fastest"}, {"backfill", "0"}, {"", ""}});
  expect_settled("fifo:profile=yarn",
                 (const char *const[][2]){
                     {"type", "first"}, {"consolidate", "any"}, {"backfill", "1"}, {"", ""}});
  expect_settled("fifo:backfill=0:profile=yarn",
                 (const char *const[][2]){{"type", "first"}, {"backfill", "0"}, {"", ""}});
  expect_settled("hadar", (const char *const[][2]){
                              {"order", "area"}, {"utility", "norm"}, {"beam", "16"}, {"", ""}});
  expect_settled("hadar:order=densr", (const char *const[][2]){{"beam", "1"}, {"", ""}});
  expect_settled("hadar:profile=paper:upgrade=1", (const char *const[][2]){{"order", "arrival"},
                                                                           {"utility", "raw"},
                                                                           {"branch", "1"},
                                                                           {"backfill", "0"},
                                                                           {"upgrade", "1"},
                                                                           {"", ""}});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(specs_are_split),
      cmocka_unit_test(bad_specs),
      cmocka_unit_test(values_are_typed),
      cmocka_unit_test(bad_values),
      cmocka_unit_test(unsound_tables),
      cmocka_unit_test(is_printed_aligned),
      cmocka_unit_test(built_in_tables_are_sound),
      cmocka_unit_test(unknown_policies),
      cmocka_unit_test(options_are_settled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
