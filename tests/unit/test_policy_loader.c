/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "policy/loader.h"
#include "policy_world.h"

#ifndef HSIM_POLICIES_DIR
#define HSIM_POLICIES_DIR "."
#endif

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static enum hsim_status no_schedule(void *state, const struct hsim_view *view,
                                    struct hsim_plan *plan, struct hsim_error *error) {
  (void)state;
  (void)view;
  (void)plan;
  (void)error;
  return HSIM_OK;
}

static void no_dump(const void *state, char *text, size_t size) {
  (void)state;
  (void)text;
  (void)size;
}

static struct hsim_policy sound(void) {
  return (struct hsim_policy){.version = HSIM_POLICY_VERSION,
                              .size = sizeof(struct hsim_policy),
                              .name = "mine",
                              .mode = HSIM_MODE_EVENT,
                              .state_size = 8,
                              .schedule = no_schedule,
                              .dump = no_dump};
}

static void paths(void **state) {
  (void)state;
  assert_true(policy_is_path("./mine.so"));
  assert_true(policy_is_path("/a/b"));
  assert_false(policy_is_path("fifo"));
  assert_false(policy_is_path("mine.so"));
}

/* A table of an older header ends earlier: what it lacks is zero. */
static void older_table(void **state) {
  (void)state;
  struct hsim_policy table = sound(), taken;
  struct hsim_error error = {0};
  table.size = (uint32_t)offsetof(struct hsim_policy, dump);
  assert_int_equal(policy_take_table(&table, "x.so", &taken, &error), HSIM_OK);
  assert_ptr_equal(taken.schedule, table.schedule);
  assert_null(taken.dump);
  assert_int_equal(taken.size, sizeof taken);
}

/* A table of a newer header is longer: what we do not know is left out. */
static void newer_table(void **state) {
  (void)state;
  struct {
    struct hsim_policy known;
    char more[64];
  } table;
  memset(&table, 0xff, sizeof table);
  table.known = sound();
  table.known.size = sizeof table;
  struct hsim_policy taken;
  struct hsim_error error = {0};
  assert_int_equal(policy_take_table(&table, "x.so", &taken, &error), HSIM_OK);
  assert_ptr_equal(taken.dump, table.known.dump);
  assert_int_equal(taken.size, sizeof taken);
}

static void expect_refusal(const struct hsim_policy *table, const char *message) {
  struct hsim_policy taken;
  struct hsim_error error = {0};
  assert_int_equal(policy_take_table(table, "x.so", &taken, &error), HSIM_BAD_USAGE);
  if (!strstr(error.text, message) || !strstr(error.text, "x.so"))
    fail_msg("\"%s\" lacks \"%s\"", error.text, message);
}

static void unsound_tables(void **state) {
  (void)state;
  struct hsim_policy table = sound();
  table.version = HSIM_POLICY_VERSION + 1;
  expect_refusal(&table, "compile it against this hsim's include/hsim");
  table = sound();
  table.size = (uint32_t)offsetof(struct hsim_policy, schedule);
  expect_refusal(&table, "set .size = sizeof(struct hsim_policy)");
  table = sound();
  table.size = UINT32_MAX;
  expect_refusal(&table, "set .size = sizeof(struct hsim_policy)");
  table = sound();
  table.name = NULL;
  expect_refusal(&table, "a policy's name must consist of");
  table = sound();
  table.name = "a:b";
  expect_refusal(&table, "not \"a:b\"");
  table = sound();
  table.schedule = NULL;
  expect_refusal(&table, "has no schedule function");
  table = sound();
  table.mode = (enum hsim_mode)7;
  expect_refusal(&table, "has no mode (7)");
  table = sound();
  table.state_size = SIZE_MAX;
  expect_refusal(&table, "wants a state of");
  table = sound();
  table.n_options = 2;
  expect_refusal(&table, "a table of 2 options is missing");
  static const struct hsim_option bad = {
      .name = "a", .kind = HSIM_OPTION_INT, .fallback = "5", .min = 0, .max = 1};
  table = sound();
  table.options = &bad;
  table.n_options = 1;
  expect_refusal(&table, "its default is not a value that it takes");
}

static void no_library(void **state) {
  (void)state;
  struct loaded_policy policy;
  struct hsim_error error = {0};
  assert_int_equal(policy_load("./is_not_there.so", &policy, &error), HSIM_BAD_USAGE);
  assert_non_null(strstr(error.text, "cannot load policy library ./is_not_there.so: "));
  assert_null(policy.library);
  char path[] = "/tmp/hsim_loader_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, "text\n", 5), 5);
  close(file);
  assert_int_equal(policy_load(path, &policy, &error), HSIM_BAD_USAGE);
  unlink(path);
  assert_null(policy.library);
}

/* Job 0 on slow (2/s, until 10), job 1 on fast, job 2 after job 1. */
static void runs(const struct hsim_policy *policy) {
  static const struct world_job jobs[] = {
      {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 20},
      {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 20},
      {.arrival = 1, .model = MODEL_FAST, .workers = 2, .steps = 20},
  };
  struct world world;
  world_init(&world, "slow=2 fast=2");
  world_set_jobs(&world, jobs, COUNT(jobs));
  world_run(&world, policy, ":alpha=2");
  world_expect(&world, (const double[]){10, 5, 10});
  world_free(&world);
}

static void libraries(void **state) {
  (void)state;
  static const struct {
    const char *file, *message; /* NULL: loads */
  } cases[] = {{"loader_sound.so", NULL}, {"loader_no_table.so", "it exports no table"}};
  if (access(HSIM_POLICIES_DIR "/loader_sound.so", R_OK) != 0)
    skip();
  for (int i = 0; i < COUNT(cases); i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", HSIM_POLICIES_DIR, cases[i].file);
    struct loaded_policy policy;
    struct hsim_error error = {0};
    enum hsim_status status = policy_load(path, &policy, &error);
    if (cases[i].message) {
      assert_int_equal(status, HSIM_BAD_USAGE);
      assert_non_null(strstr(error.text, cases[i].message));
      continue;
    }
    if (status != HSIM_OK)
      fail_msg("%s", error.text);
    assert_string_equal(policy.table.name, "sound");
    assert_int_equal(policy.table.n_options, 1);
    runs(&policy.table);
    loaded_policy_close(&policy);
    assert_null(policy.library);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths),       cmocka_unit_test(older_table),
      cmocka_unit_test(newer_table), cmocka_unit_test(unsound_tables),
      cmocka_unit_test(no_library),  cmocka_unit_test(libraries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
