/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/semantics.h"

static struct semantics parse(const char *text) {
  struct semantics semantics;
  struct hsim_error error = {0};
  if (semantics_parse(text, &semantics, &error) != HSIM_OK)
    fail_msg("\"%s\": %s", text, error.text);
  return semantics;
}

static void assert_refused(const char *text, const char *part) {
  struct semantics semantics;
  struct hsim_error error = {0};
  if (semantics_parse(text, &semantics, &error) != HSIM_BAD_USAGE)
    fail_msg("\"%s\" is accepted", text);
  assert_int_equal(error.status, HSIM_BAD_USAGE);
  if (strstr(error.text, part) == NULL)
    fail_msg("\"%s\" lacks \"%s\"", error.text, part);
  assert_null(semantics.spread_file);
}

static void the_default_preset(void **state) {
  (void)state;
  struct semantics s = parse("default");
  assert_string_equal(s.preset, "default");
  assert_int_equal(s.round_end, ROUND_END_GRID);
  assert_int_equal(s.steps, STEPS_REAL);
  assert_int_equal(s.clock_jump, JUMP_NEXT_EVENT);
  assert_int_equal(s.charge_from, CHARGE_START);
  assert_int_equal(s.drop_after, 0);
  assert_int_equal(s.pair_finish, PAIR_OWN);
  assert_int_equal(s.missing_size, MISSING_INTERPOLATE);
  assert_int_equal(s.spread, SPREAD_TABLE);
  assert_true(s.spread_default == 0.9);
  assert_int_equal(s.grid, GRID_RESTART);
  assert_int_equal(s.freed, FREED_BY_POLICY);
  semantics_free(&s);
}

static void the_gavel_preset(void **state) {
  (void)state;
  struct semantics s = parse("gavel");
  assert_string_equal(s.preset, "gavel");
  assert_int_equal(s.round_end, ROUND_END_SLOWEST);
  assert_int_equal(s.steps, STEPS_WHOLE);
  assert_int_equal(s.clock_jump, JUMP_NEXT_ARRIVAL);
  assert_int_equal(s.charge_from, CHARGE_PREVIOUS_ROUND_END);
  assert_int_equal(s.drop_after, 5);
  assert_int_equal(s.pair_finish, PAIR_LATER);
  assert_int_equal(s.missing_size, MISSING_REJECT);
  assert_int_equal(s.spread, SPREAD_IGNORE);
  assert_int_equal(s.freed, FREED_ROUND);
  semantics_free(&s);
}

static void fields_override_the_preset(void **state) {
  (void)state;
  struct semantics s = parse("gavel:round_end=grid:drop_after=12:spread=table:spread_default=0.75:"
                             "grid=absolute:freed=event:missing_size=interpolate:steps=real:"
                             "clock_jump=next_event:charge_from=start:pair_finish=own");
  assert_string_equal(s.preset, "gavel");
  assert_int_equal(s.round_end, ROUND_END_GRID);
  assert_int_equal(s.steps, STEPS_REAL);
  assert_int_equal(s.clock_jump, JUMP_NEXT_EVENT);
  assert_int_equal(s.charge_from, CHARGE_START);
  assert_int_equal(s.drop_after, 12);
  assert_int_equal(s.pair_finish, PAIR_OWN);
  assert_int_equal(s.missing_size, MISSING_INTERPOLATE);
  assert_int_equal(s.spread, SPREAD_TABLE);
  assert_true(s.spread_default == 0.75);
  assert_int_equal(s.grid, GRID_ABSOLUTE);
  assert_int_equal(s.freed, FREED_EVENT);
  semantics_free(&s);
  s = parse("default:spread=ignore:round_end=slowest:steps=whole:clock_jump=next_arrival:"
            "charge_from=previous_round_end:pair_finish=later:missing_size=reject:freed=policy");
  assert_int_equal(s.spread, SPREAD_IGNORE);
  assert_int_equal(s.round_end, ROUND_END_SLOWEST);
  assert_int_equal(s.steps, STEPS_WHOLE);
  assert_int_equal(s.clock_jump, JUMP_NEXT_ARRIVAL);
  assert_int_equal(s.charge_from, CHARGE_PREVIOUS_ROUND_END);
  assert_int_equal(s.pair_finish, PAIR_LATER);
  assert_int_equal(s.missing_size, MISSING_REJECT);
  semantics_free(&s);
}

static void spread_takes_a_file(void **state) {
  (void)state;
  struct semantics s = parse("default:spread=C\\:/my\\,dir/a\\b=c.csv:drop_after=1");
  assert_int_equal(s.spread, SPREAD_FILE);
  assert_string_equal(s.spread_file, "C:/my,dir/a\\b=c.csv");
  assert_int_equal(s.drop_after, 1);
  semantics_free(&s);
  assert_null(s.spread_file);
  s = parse("default:spread=x\\");
  assert_string_equal(s.spread_file, "x\\");
  semantics_free(&s);
}

static void numbers_have_ranges(void **state) {
  (void)state;
  struct semantics s = parse("default:spread_default=1:drop_after=0");
  assert_true(s.spread_default == 1);
  semantics_free(&s);
  s = parse("default:spread_default=1e-3");
  assert_true(s.spread_default == 0.001);
  semantics_free(&s);
  static const char *const wrong[] = {
      "spread_default=0", "spread_default=1.0001", "spread_default=-1",    "spread_default=nan",
      "spread_default=",  "spread_default=0,9",    "drop_after=-1",        "drop_after=2.5",
      "drop_after=never", "drop_after=",           "drop_after=5000000000"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    char text[100];
    snprintf(text, sizeof text, "default:spread=file.csv:%s", wrong[i]);
    assert_refused(text, strncmp(wrong[i], "drop", 4) == 0 ? "drop_after is \"" : "at most 1");
  }
}

static void unknown_words_get_a_suggestion(void **state) {
  (void)state;
  assert_refused("gavl", "\"gavl\" is unknown; did you mean \"gavel\"? Expected one of: default, "
                         "gavel");
  assert_refused("hadar", "\"hadar\" is unknown; expected one of: default, gavel");
  assert_refused("", "preset \"\" is unknown");
  assert_refused("default:roundend=grid", "did you mean \"round_end\"?");
  assert_refused("default:costs=none", "field \"costs\" is unknown");
  assert_refused("default:steps=hole", "steps: value \"hole\" is unknown; did you mean \"whole\"?");
  assert_refused("default:grid=",
                 "grid: value \"\" is unknown; expected one of: restart, absolute");
  assert_refused("default:freed", "\"freed\" has no \"=\"");
  assert_refused("default:", "\"\" has no \"=\"");
  assert_refused("default:grid=restart:", "\"\" has no \"=\"");
  assert_refused("default:grid=restart:grid=absolute", "grid is given twice");
  assert_refused("default:spread=f.csv:spread=table", "spread is given twice");
  assert_refused("default:spread=", "spread is empty");
  assert_refused("Default", "did you mean \"default\"");
}

static void fields_are_listed(void **state) {
  (void)state;
  static const char *const expected[][2] = {{"round_end", "slowest"},
                                            {"steps", "whole"},
                                            {"clock_jump", "next_event"},
                                            {"charge_from", "previous_round_end"},
                                            {"drop_after", "5"},
                                            {"pair_finish", "later"},
                                            {"missing_size", "reject"},
                                            {"spread", "phi.csv"},
                                            {"spread_default", "0.85"},
                                            {"grid", "absolute"},
                                            {"freed", "round"}};
  struct semantics s =
      parse("gavel:spread=phi.csv:spread_default=0.85:clock_jump=next_event:grid=absolute");
  const char *name, *value;
  bool number;
  char buffer[32];
  int i = 0;
  for (; semantics_field(&s, i, &name, &value, &number, buffer); i++) {
    assert_in_range(i, 0, 10);
    assert_string_equal(name, expected[i][0]);
    assert_string_equal(value, expected[i][1]);
    assert_int_equal(number, i == 4 || i == 8);
  }
  assert_int_equal(i, 11);
  assert_false(semantics_field(&s, -1, &name, &value, &number, buffer));
  semantics_free(&s);
}

/* What the summary lists can be typed again. */
static void listed_fields_parse_back(void **state) {
  (void)state;
  static const char *const presets[] = {"default", "gavel"};
  for (int p = 0; p < 2; p++) {
    struct semantics s = parse(presets[p]);
    char text[1000];
    int length = snprintf(text, sizeof text, "%s", presets[1 - p]);
    const char *name, *value;
    bool number;
    char buffer[32];
    for (int i = 0; semantics_field(&s, i, &name, &value, &number, buffer); i++)
      length += snprintf(text + length, sizeof text - (size_t)length, ":%s=%s", name, value);
    struct semantics same = parse(text);
    for (int i = 0; semantics_field(&s, i, &name, &value, &number, buffer); i++) {
      const char *other;
      char second[32];
      assert_true(semantics_field(&same, i, &name, &other, &number, second));
      assert_string_equal(value, other);
    }
    semantics_free(&s);
    semantics_free(&same);
  }
}

static void costs_have_presets(void **state) {
  (void)state;
  static const struct costs expected[] = {
      {.preset = "default", .start = 10, .move = 10, .resize = 10},
      {.preset = "none"},
      {.preset = "gavel"},
      {.preset = "hadar", .start = 10, .move = 10, .resize = 10},
      {.preset = "voda", .start = 100, .move = 60, .resize = 60, .rollback = ROLLBACK_EPOCH}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    struct costs costs;
    memset(&costs, 0x55, sizeof costs);
    assert_int_equal(costs_preset(expected[i].preset, &costs, NULL), HSIM_OK);
    assert_string_equal(costs.preset, expected[i].preset);
    assert_true(costs.start == expected[i].start && costs.move == expected[i].move &&
                costs.resize == expected[i].resize && costs.checkpoint_s == 0 &&
                costs.checkpoint_interval_s == 0);
    assert_int_equal(costs.rollback, expected[i].rollback);
  }
  struct costs costs;
  struct hsim_error error = {0};
  assert_int_equal(costs_preset("vodka", &costs, &error), HSIM_BAD_USAGE);
  assert_non_null(strstr(error.text, "costs preset \"vodka\" is unknown; did you mean \"voda\"?"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_default_preset),
      cmocka_unit_test(the_gavel_preset),
      cmocka_unit_test(fields_override_the_preset),
      cmocka_unit_test(spread_takes_a_file),
      cmocka_unit_test(numbers_have_ranges),
      cmocka_unit_test(unknown_words_get_a_suggestion),
      cmocka_unit_test(fields_are_listed),
      cmocka_unit_test(listed_fields_parse_back),
      cmocka_unit_test(costs_have_presets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
