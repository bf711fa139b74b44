/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress: what a run tells and when, and the line that is drawn of it. */
#include "output_world.h"

#include <stdio.h>
#include <stdlib.h>

#include "output/progress.h"
#include "output/progress_line.h"

static double now; /* the clock of these tests */

static double test_clock(void) {
  return now;
}

/* ---- what a run tells ---- */

struct heard {
  int n;
  struct progress_state last;
};

static void hear(void *listener, const struct progress_state *state) {
  struct heard *heard = listener;
  heard->n++;
  heard->last = *state;
}

static void give(struct sink *sink, enum record_kind kind, double time, int job, uint64_t count) {
  const struct record record = {.kind = kind, .time = time, .job = job, .node = -1, .count = count};
  sink->record(sink->state, &record);
}

static void test_told(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  double origin = w.info.trace->jobs[0].arrival_s;
  struct heard heard = {0};
  now = 100;
  struct progress *progress = progress_create(&w.info, 1, 3, test_clock, hear, &heard);
  struct sink sink = progress_sink(progress);
  give(&sink, RECORD_ARRIVE, origin, 0, 0);
  assert_int_equal(heard.n, 0); /* nothing that counts */
  give(&sink, RECORD_ROUND, origin + 5, -1, 1);
  assert_int_equal(heard.n, 1);
  assert_float_equal(heard.last.simulated_s, 5, 0);
  give(&sink, RECORD_ROUND, origin + 6, -1, 3);
  give(&sink, RECORD_FINISH, origin + 7, 0, 0); /* not in the window */
  give(&sink, RECORD_REJECT, origin + 7, 1, 0);
  now += 0.05;
  give(&sink, RECORD_CANCEL, origin + 8, 2, 0);
  assert_int_equal(heard.n, 1); /* not more often than a line is worth it */
  now += 0.1;
  give(&sink, RECORD_FINISH, origin + 9, 3, 0); /* behind the window */
  assert_int_equal(heard.n, 2);
  assert_int_equal(heard.last.ended, 2);
  assert_int_equal(heard.last.rounds, 4);
  assert_float_equal(heard.last.simulated_s, 9, 0);
  progress_free(progress);
  world_free(&w);
}

/* ---- the line ---- */

struct screen {
  FILE *file;
  char *text;
  size_t size, seen;
};

static struct progress_line *open_line(struct screen *screen, size_t n_runs, int jobs,
                                       int columns) {
  *screen = (struct screen){0};
  screen->file = open_memstream(&screen->text, &screen->size);
  assert_non_null(screen->file);
  return progress_line_create(&(struct progress_line_options){.title = "las",
                                                              .n_runs = n_runs,
                                                              .jobs = jobs,
                                                              .stream = screen->file,
                                                              .columns = columns,
                                                              .clock = test_clock});
}

/* What has been drawn since the last look. */
static void expect_drawn(struct screen *screen, const char *expected) {
  fflush(screen->file);
  assert_string_equal(screen->text + screen->seen, expected);
  screen->seen = screen->size;
}

static void close_screen(struct screen *screen) {
  fclose(screen->file);
  free(screen->text);
}

static struct progress_state state_of(double simulated_s, uint64_t rounds, int ended) {
  return (struct progress_state){simulated_s, rounds, ended};
}

static void test_one_run(void **state) {
  (void)state;
  struct screen screen;
  now = 1000;
  struct progress_line *line = open_line(&screen, 1, 480, 0);
  struct progress_state at = state_of(0, 1, 0);
  progress_line_take(line, 0, &at); /* no time has passed: no rate, nothing to guess from */
  expect_drawn(&screen, "\rlas [........................] 0 of 480 jobs, day 0 00:00\033[K");
  now += 0.05;
  at = state_of(100, 20, 10);
  progress_line_take(line, 0, &at); /* too early for a redraw */
  expect_drawn(&screen, "");
  now += 9.95;
  at = state_of(3 * 86400 + 4 * 3600 + 12 * 60, 15200, 120);
  progress_line_take(line, 0, &at);
  expect_drawn(&screen, "\rlas [######..................] 120 of 480 jobs, day 3 04:12, "
                        "1520 rounds/s, 0:30 left\033[K");
  now += 5000;
  at = state_of(3 * 86400, 0, 240); /* a policy without rounds */
  progress_line_take(line, 0, &at);
  expect_drawn(&screen, "\rlas [############............] 240 of 480 jobs, day 3 00:00, "
                        "1:23:30 left\033[K");
  progress_line_free(line);
  expect_drawn(&screen, "\r\033[K");
  close_screen(&screen);
}

static void test_several_runs(void **state) {
  (void)state;
  struct screen screen;
  now = 0;
  struct progress_line *line = open_line(&screen, 4, 100, 0);
  struct progress_state at = state_of(86400, 100, 40);
  now = 10;
  progress_line_take(line, 1, &at);
  expect_drawn(&screen, "\r4 runs [##......................] 0 done, 40 of 400 jobs, day 1 00:00, "
                        "10 rounds/s, 1:30 left\033[K");
  now = 20;
  at = state_of(3600, 300, 20); /* further behind */
  progress_line_take(line, 0, &at);
  expect_drawn(&screen, "\r4 runs [###.....................] 0 done, 60 of 400 jobs, day 0 01:00, "
                        "20 rounds/s, 1:53 left\033[K");
  now = 30;
  progress_line_end(line, 0); /* failed or not: nothing is left to do */
  expect_drawn(&screen, "\r4 runs [########................] 1 done, 140 of 400 jobs, day 1 00:00, "
                        "13 rounds/s, 0:55 left\033[K");
  now = 40;
  progress_line_end(line, 1); /* none is under way */
  expect_drawn(&screen, "\r4 runs [############............] 2 done, 200 of 400 jobs, "
                        "10 rounds/s, 0:40 left\033[K");
  progress_line_wipe(line);
  progress_line_wipe(line); /* once is enough */
  expect_drawn(&screen, "\r\033[K");
  progress_line_free(line);
  expect_drawn(&screen, "");
  progress_line_free(NULL);
  close_screen(&screen);
}

static void test_narrow(void **state) {
  (void)state;
  struct screen screen;
  now = 0;
  struct progress_line *line = open_line(&screen, 1, 10, 40);
  struct progress_state at = state_of(1, 1, 5);
  now = 1;
  progress_line_take(line, 0, &at);
  expect_drawn(&screen, "\rlas [############............] 5 of 10 \033[K"); /* 39 columns */
  progress_line_free(line);
  close_screen(&screen);
}

/* An empty window and an estimate of centuries are drawn, too. */
static void test_extremes(void **state) {
  (void)state;
  struct screen screen;
  now = 0;
  struct progress_line *line = open_line(&screen, 1, 0, 0);
  struct progress_state at = state_of(0, 0, 0);
  now = 1;
  progress_line_take(line, 0, &at);
  expect_drawn(&screen, "\rlas [........................] 0 of 0 jobs, day 0 00:00\033[K");
  progress_line_free(line);
  close_screen(&screen);

  now = 0;
  line = open_line(&screen, 1000, INT32_MAX, 0);
  now = 1e6;
  at = state_of(1e13, UINT64_MAX, 1);
  progress_line_take(line, 0, &at);
  expect_drawn(&screen,
               "\r1000 runs [........................] 0 done, 1 of 2147483647000 jobs, day "
               "115740740 17:46, 18446744073710 rounds/s, 277777:46:40 left\033[K");
  progress_line_free(line);
  close_screen(&screen);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_told),         cmocka_unit_test(test_one_run),
      cmocka_unit_test(test_several_runs), cmocka_unit_test(test_narrow),
      cmocka_unit_test(test_extremes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
