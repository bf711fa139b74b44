/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the readers share: files in a folder of their own, default rates, cluster. */
#ifndef HSIM_TESTS_INPUT_FIXTURE_H
#define HSIM_TESTS_INPUT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/cluster.h"
#include "input/rates.h"
#include "input/trace.h"

#define DATA(name) HSIM_SOURCE_DIR "/tests/data/input/" name

#define KNOWN_FORMATS                                                                              \
  "native, gavel, philly-log, swf, sacct, philly, helios, acme, itp, tiresias, muri, chronus, "    \
  "openb, pai or spot"

struct world {
  struct rates rates;
  struct cluster cluster;
  struct semantics semantics;
  struct hsim_oracle oracle;
  char warnings[4096]; /* one a line */
};

/* Tests write into a new folder and leave it empty, so that messages hold plain file names. */
static inline void enter_folder(char folder[64]) {
  strcpy(folder, "/tmp/hsim-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
}

static inline void write_bytes(const char *name, const void *bytes, size_t n) {
  FILE *file = fopen(name, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *name, const char *text) {
  write_bytes(name, text, strlen(text));
}

static inline void bind_world(struct world *world, const char *rates, const char *cluster) {
  struct hsim_error error = {.text = ""};
  memset(world, 0, sizeof *world);
  if (rates_read(rates, &world->rates, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  if (cluster_read(cluster, &world->cluster, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  assert_int_equal(semantics_preset("default", &world->semantics, &error), HSIM_OK);
  oracle_init(&world->oracle, &world->rates, &world->cluster.view, &world->semantics);
}

static inline void free_world(struct world *world) {
  rates_free(&world->rates);
  cluster_free(&world->cluster);
  semantics_free(&world->semantics);
}

static inline void take_warning(void *state, const char *message) {
  struct world *world = state;
  size_t used = strlen(world->warnings);
  snprintf(world->warnings + used, sizeof world->warnings - used, "%s\n", message);
}

static inline struct trace_options options_for(struct world *world, const char *file) {
  struct trace_options options = trace_options_default(file);
  world->warnings[0] = '\0';
  options.warn = take_warning;
  options.warn_state = world;
  return options;
}

static inline void read_ok(struct world *world, const struct trace_options *options,
                           struct trace *trace) {
  struct hsim_error error = {.text = ""};
  if (trace_read(options, &world->oracle, trace, &error) != HSIM_OK)
    fail_msg("%s", error.text);
}

static inline void read_text(struct world *world, const char *text, struct trace *trace) {
  struct trace_options options = options_for(world, "t");
  write_text("t", text);
  read_ok(world, &options, trace);
  unlink("t");
}

/* Reading with these options fails, and says exactly this. */
static inline void expect_failure(struct world *world, const struct trace_options *options,
                                  enum hsim_status status, const char *expected) {
  struct hsim_error error = {.text = ""};
  struct trace trace;
  enum hsim_status got = trace_read(options, &world->oracle, &trace, &error);
  assert_string_equal(error.text, expected);
  assert_int_equal(got, status);
  assert_int_equal(error.status, status);
  assert_null(trace.jobs);
  assert_null(trace.file);
}

static inline void expect_bad(struct world *world, const char *text, const char *expected) {
  struct trace_options options = options_for(world, "t");
  write_text("t", text);
  expect_failure(world, &options, HSIM_BAD_INPUT, expected);
  unlink("t");
}

/* A file that its reader refuses, and the words. */
struct fault {
  const char *format, *text, *expected;
};

static inline void expect_faults(struct world *world, const struct fault *faults, size_t n) {
  for (size_t i = 0; i < n; i++) {
    struct trace_options options = options_for(world, "t");
    options.format = faults[i].format;
    write_text("t", faults[i].text);
    expect_failure(world, &options, HSIM_BAD_INPUT, faults[i].expected);
  }
  unlink("t");
}

#define EXPECT_FAULTS(world, faults)                                                               \
  expect_faults(world, faults, sizeof(faults) / sizeof(faults)[0])

static inline bool near_enough(double a, double b) {
  return a == b || (a > b ? a - b : b - a) <= 1e-12 * (a > b ? a : b);
}

/* Group setup and teardown: *state is a world with the built-in rates and cluster. */
static inline int open_world(void **state) {
  char folder[64];
  struct world *world = malloc(sizeof *world);
  assert_non_null(world);
  enter_folder(folder);
  bind_world(world, RATES_DEFAULT, CLUSTER_DEFAULT);
  *state = world;
  return 0;
}

static inline int close_world(void **state) {
  char folder[64];
  free_world(*state);
  free(*state);
  assert_non_null(getcwd(folder, sizeof folder));
  assert_int_equal(chdir("/"), 0);
  assert_int_equal(rmdir(folder), 0);
  return 0;
}

#endif
