/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/names.h"

static void numbers_follow_first_appearance(void **state) {
  (void)state;
  struct names names = {0};
  assert_int_equal(names_find(&names, "v100", 4), -1);
  assert_int_equal(names_add(&names, "v100", 4), 0);
  assert_int_equal(names_add(&names, "k80", 3), 1);
  assert_int_equal(names_add(&names, "v100", 4), 0);
  assert_int_equal(names_add(&names, "v100-xyz", 5), 2);
  assert_string_equal(names.at[2], "v100-");
  assert_int_equal(names.n, 3);
  assert_int_equal(names_find(&names, "k80", 3), 1);
  assert_int_equal(names_find(&names, "k80", 2), -1);
  assert_int_equal(names_find(&names, "K80", 3), -1);
  names_free(&names);
  assert_int_equal(names.n, 0);
  assert_int_equal(names_find(&names, "v100", 4), -1);
}

static void any_bytes_may_be_a_name(void **state) {
  (void)state;
  struct names names = {0};
  assert_int_equal(names_add(&names, "", 0), 0);
  assert_int_equal(names_add(&names, "a\0b", 3), 1);
  assert_int_equal(names_add(&names, "a", 1), 2);
  assert_int_equal(names_add(&names, "a\0", 2), 3);
  assert_int_equal(names_add(&names, "a\0c", 3), 4);
  assert_int_equal(names_find(&names, "a\0b", 3), 1);
  assert_int_equal(names_find(&names, "", 0), 0);
  assert_int_equal(names_find(&names, "a", 1), 2);
  names_free(&names);
}

static void many_names_are_found_again(void **state) {
  (void)state;
  enum { N = 50000 };
  struct names names = {0};
  char text[64];
  for (int i = 0; i < N; i++) {
    int length = snprintf(text, sizeof text, "%.*s%d", i % 20, "some-long-name-of-a-job", i);
    assert_int_equal(names_add(&names, text, (size_t)length), i);
  }
  const char *first = names.at[0];
  for (int i = 0; i < N; i++) {
    int length = snprintf(text, sizeof text, "%.*s%d", i % 20, "some-long-name-of-a-job", i);
    assert_int_equal(names_find(&names, text, (size_t)length), i);
    assert_int_equal(names_add(&names, text, (size_t)length), i);
    assert_string_equal(names.at[i], text);
  }
  assert_int_equal(names.n, N);
  assert_ptr_equal(first, names.at[0]);
  assert_int_equal(names_find(&names, "some-", 5), -1);
  names_free(&names);
}

static const char *const policies[] = {"hadar", "gavel", "fifo", "srtf", "las", "themis"};
static const char *const models[] = {"ResNet-50 (batch size 16)", "ResNet-50 (batch size 32)",
                                     "ResNet-18 (batch size 16)", "LM (batch size 5)"};

static const char *policy_near(const char *text) {
  return names_suggest(policies, 6, text);
}
static const char *model_near(const char *text) {
  return names_suggest(models, 4, text);
}

static void suggestions_are_near(void **state) {
  (void)state;
  assert_string_equal(policy_near("hader"), "hadar");
  assert_string_equal(policy_near("HADAR"), "hadar");
  assert_string_equal(policy_near("fiof"), "fifo"); /* a swap is one change */
  assert_string_equal(policy_near("thmis"), "themis");
  assert_string_equal(policy_near("gavell"), "gavel");
  assert_string_equal(policy_near("la"), "las");
  assert_null(policy_near("fxyz"));
  assert_null(policy_near(""));
  assert_null(policy_near("tiresias"));
  assert_null(names_suggest(policies, 0, "hadar"));
  assert_string_equal(model_near("ResNet-50 (batchsize 32)"), models[1]);
  assert_string_equal(model_near("LM (batch size 10)"), models[3]);
}

static void suggestions_break_ties_by_order(void **state) {
  (void)state;
  assert_string_equal(model_near("ResNet-50 (batch size 64)"), models[0]);
  static const char *const names[] = {"aab", "aac"};
  assert_string_equal(names_suggest(names, 2, "aad"), "aab");
}

static void a_beginning_suggests_the_whole(void **state) {
  (void)state;
  assert_string_equal(model_near("resnet-50"), models[0]);
  assert_null(model_near("Re"));
  assert_null(model_near("ResNet-152x"));
}

static void long_texts_are_no_trouble(void **state) {
  (void)state;
  char text[1000];
  memset(text, 'r', sizeof text);
  text[999] = '\0';
  assert_null(model_near(text));
  text[128] = '\0';
  const char *candidates[] = {text + 1, text, models[0]};
  assert_ptr_equal(names_suggest(candidates, 3, text), text);
  text[127] = 'x';
  assert_ptr_equal(names_suggest(candidates, 1, text), text + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_follow_first_appearance),
      cmocka_unit_test(any_bytes_may_be_a_name),
      cmocka_unit_test(many_names_are_found_again),
      cmocka_unit_test(suggestions_are_near),
      cmocka_unit_test(suggestions_break_ties_by_order),
      cmocka_unit_test(a_beginning_suggests_the_whole),
      cmocka_unit_test(long_texts_are_no_trouble),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
