/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of run and bound as values: groups of options, and what excludes what. */
#include "cli/options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 32 };

/* Words split at blanks, after the program's name. */
static enum hsim_status parse(const char *line, struct cli_options *options,
                              struct hsim_error *error) {
  static char text[512];
  char *argv[MOST] = {(char[]){"hsim"}};
  int argc = 1;
  snprintf(text, sizeof text, "%s", line);
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
    argv[argc++] = word;
  return cli_options_parse(argc, argv, options, error);
}

static void good(const char *line, struct cli_options *options) {
  struct hsim_error error = {.text = ""};
  if (parse(line, options, &error) != HSIM_OK)
    fail_msg("%s: %s", line, error.text);
}

static void bad(const char *line, const char *message) {
  struct cli_options options;
  struct hsim_error error = {.text = ""};
  if (parse(line, &options, &error) != HSIM_BAD_USAGE)
    fail_msg("%s is taken", line);
  if (strstr(error.text, message) == NULL)
    fail_msg("%s: \"%s\" is not in: %s", line, message, error.text);
}

#define RUN "--policy las --trace t "

static void test_defaults(void **state) {
  (void)state;
  struct cli_options o;
  good("--policy las,hadar:beam=1 --trace t", &o);
  assert_int_equal(o.command, COMMAND_RUN);
  assert_int_equal(o.policies.n, 2);
  assert_true(o.round_s == 360 && isinf(o.until) && isnan(o.restart_cost));
  assert_true(o.measure_from == 0 && o.measure_to == INT32_MAX);
  assert_true(cli_n_seeds(&o) == 1 && cli_seed(&o, 0) == 0);
  assert_true(isnan(o.faults.mtbf_h) && isnan(o.faults.slow_share) && !o.faults.events_in);
  assert_string_equal(o.input.cluster, "builtin:hadar60");
  assert_true(o.input.selection.shake == 0 && o.input.selection.scale_arrivals == 1);
  cli_options_free(&o);
}

static void test_input_options(void **state) {
  (void)state;
  struct cli_options o;
  good(RUN "--cluster c --rates r --assign uniform --on-bad-row skip --sample 3 --limit 2 --shake "
           "10%",
       &o);
  assert_string_equal(o.input.cluster, "c");
  assert_string_equal(o.input.rates, "r");
  assert_int_equal(o.input.assign, ASSIGN_UNIFORM);
  assert_true(o.input.skip_bad_rows && o.input.selection.sample == 3 && o.input.limit == 2);
  assert_true(o.input.selection.shake == 0.1);
  cli_options_free(&o);
  good(RUN "--tenant a --tenant b --from 5 --to 7 --rebase", &o);
  assert_true(o.input.selection.n_tenants == 2 && o.input.rebase);
  assert_string_equal(o.input.selection.tenants[1], "b");
  assert_true(o.input.selection.from_s == 5 && o.input.selection.to_s == 7);
  cli_options_free(&o);
  bad(RUN "--assign x", "option --assign: value \"x\"");
  bad(RUN "--sample 0", "option --sample: value \"0\"");
  bad(RUN "--limit 1.5", "option --limit: value \"1.5\"");
  bad(RUN "--from -1", "option --from: value \"-1\"");
  bad(RUN "--fractional maybe", "fractional");
  bad("--policy las", "--trace is missing");
  bad("--trace t", "--policy is missing");
}

static void test_fault_options(void **state) {
  (void)state;
  struct cli_options o;
  good(RUN "--mtbf 48 --mttr 2 --mtbf-shape 0.5 --stragglers 0.25:0.5 --events-in e", &o);
  assert_true(o.faults.mtbf_h == 48 && o.faults.mttr_h == 2 && o.faults.mtbf_shape == 0.5);
  assert_true(o.faults.slow_share == 0.25 && o.faults.slow_factor == 0.5);
  assert_string_equal(o.faults.events_in, "e");
  cli_options_free(&o);
  good(RUN "--checkpoint-interval 60 --checkpoint-cost 1", &o);
  assert_true(o.faults.checkpoint_interval == 60 && o.faults.checkpoint_cost == 1);
  cli_options_free(&o);
  bad(RUN "--mttr 2", "--mttr and --mtbf-shape go with --mtbf");
  bad(RUN "--mtbf-shape 2", "--mttr and --mtbf-shape go with --mtbf");
  bad(RUN "--checkpoint-cost 2", "--checkpoint-cost goes with --checkpoint-interval");
  bad(RUN "--mtbf 0", "option --mtbf: value \"0\": expected a number of hours from 0.001");
  static const char *const slow[] = {"0.5", "0:0.5", "0.5:0", "1.1:1", "0.5:1.1", "a:b", ":", "1:"};
  for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
    char line[100];
    snprintf(line, sizeof line, RUN "--stragglers %s", slow[i]);
    bad(line, "expected SHARE:FACTOR, both above 0 and at most 1");
  }
}

static void test_seeds(void **state) {
  (void)state;
  struct cli_options o;
  good(RUN "--seeds 4,2-3", &o);
  assert_true(cli_n_seeds(&o) == 3 && cli_seed(&o, 0) == 4 && cli_seed(&o, 2) == 3);
  assert_true(o.input.seed == 4);
  cli_options_free(&o);
  good(RUN "--seed 9", &o);
  assert_true(cli_n_seeds(&o) == 1 && cli_seed(&o, 0) == 9);
  cli_options_free(&o);
  bad(RUN "--seeds 1 --seed 1", "--seed and --seeds exclude each other");
  bad("bound --trace t --seeds 1,2", "hsim bound takes one seed");
}

static void test_words(void **state) {
  (void)state;
  struct cli_options o;
  good("run " RUN, &o);
  assert_int_equal(o.command, COMMAND_RUN);
  cli_options_free(&o);
  good("bound --trace t", &o);
  assert_int_equal(o.command, COMMAND_BOUND);
  cli_options_free(&o);
  good("--list-policies las", &o);
  assert_int_equal(o.command, COMMAND_LIST_POLICIES);
  assert_string_equal(o.list_policy, "las");
  cli_options_free(&o);
  bad("walk " RUN, "\"walk\" is neither an option nor a command");
  bad(RUN "--rond 5", "did you mean --round?");
  bad(RUN "--round", "option --round needs a value");
  bad(RUN "--json=1", "option --json takes no value");
  bad(RUN "--tolerance 1%", "--tolerance goes with --check");
  bad(RUN "--junit x", "--junit goes with --check");
  bad(RUN "--costs none --restart-cost 1", "exclude each other");
  bad(RUN "--measure 5:5", "option --measure: value \"5:5\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults),
                                     cmocka_unit_test(test_input_options),
                                     cmocka_unit_test(test_fault_options),
                                     cmocka_unit_test(test_seeds), cmocka_unit_test(test_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
