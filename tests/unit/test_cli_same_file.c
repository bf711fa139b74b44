/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of one file. */
#include "cli/same_file.h"

#include <sys/stat.h>

#include "input_fixture.h"

static void test_same_file(void **state) {
  (void)state;
  char folder[64], absolute[100];
  enter_folder(folder);
  write_text("a", "1");
  write_text("b", "1");
  assert_int_equal(mkdir("d", 0700), 0);
  assert_int_equal(link("a", "hard"), 0);
  assert_int_equal(symlink("a", "soft"), 0);
  assert_int_equal(symlink("d", "e"), 0);
  assert_int_equal(symlink("d/new", "dangling"), 0);
  snprintf(absolute, sizeof absolute, "%s/a", folder);
  static const char *const same[][2] = {{"a", "./a"},      {"a", "hard"},    {"a", "soft"},
                                        {"d/../a", "a"},   {"new", "./new"}, /* yet to be made */
                                        {"d/new", "e/new"}};
  static const char *const other[][2] = {{"a", "b"},
                                         {"a", "new"},
                                         {"new", "d/new"},
                                         {"nowhere/x", "nowhere/x"}, /* no such folder */
                                         {"/dev/null", "/dev/null"},
                                         {"-", "-"}, /* standard input and output */
                                         {"-", "./-"}};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if (!same_file(same[i][0], same[i][1]))
      fail_msg("%s is %s", same[i][0], same[i][1]);
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (same_file(other[i][0], other[i][1]))
      fail_msg("%s is not %s", other[i][0], other[i][1]);
  assert_true(same_file(absolute, "a"));
  unlink("a"), unlink("b"), unlink("hard"), unlink("soft"), unlink("e"), unlink("dangling");
  rmdir("d");
  assert_int_equal(chdir("/"), 0);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
