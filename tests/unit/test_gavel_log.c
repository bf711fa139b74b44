/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/gavel_log.h"

#include "output_text.h"

#define INFO "scheduler:INFO "
#define PLANS "\tPriority: nan\tDeficit: nan\tAllocation: nan\n"

static void test_story(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  w.info.to = 4;
  w.trace.jobs[1].weight = 2.5;
  char *text = sink_text(&w, gavel_log_sink);
  /* A round begins at 150: j0's time until then is a micro-task of its own. */
  assert_string_equal(
      text, INFO
      "[100.0] [Job dispatched]\tJob ID: 0\n" INFO
      "[100.0] [Micro-task scheduled]\tJob ID: 0\tWorker type: v100\tWorker ID(s): 0,1" PLANS INFO
      "[110.0] [Job dispatched]\tJob ID: 1\n" INFO "[120.0] [Job dispatched]\tJob ID: 2\n" INFO
      "[120.0] [Job failed]\tJob ID: 2\tStart timestamp: 120.00\tEnd timestamp: 120.00\t"
      "Duration: 0.00\n" INFO "[120.0] Remaining active jobs: 2\n" INFO
      "[130.0] [Job dispatched]\tJob ID: 3\n" INFO
      "[150.0] [Micro-task succeeded]\tJob ID: 0\tWorker type: v100\tWorker ID(s): [0, 1]\n" INFO
      "[150.0] [Micro-task scheduled]\tJob ID: 0\tWorker type: v100\tWorker ID(s): 0,1" PLANS INFO
      "[150.0] [Micro-task scheduled]\tJob ID: 1\tWorker type: k80\tWorker ID(s): 6" PLANS INFO
      "[200.0] [Micro-task succeeded]\tJob ID: 1\tWorker type: k80\tWorker ID(s): [6]\n" INFO
      "[200.0] [Micro-task scheduled]\tJob ID: 1\tWorker type: v100\tWorker ID(s): 2" PLANS INFO
      "[210.0] [Job succeeded]\tJob ID: 0\tStart timestamp: 100.00\tEnd timestamp: 210.00\t"
      "Duration: 110.00\n" INFO "[210.0] Remaining active jobs: 2\n" INFO
      "[220.0] [Micro-task succeeded]\tJob ID: 0\tWorker type: v100\tWorker ID(s): [0, 1]\n" INFO
      "[250.0] [Micro-task scheduled]\tJob ID: 3\tWorker type: v100\tWorker ID(s): 4,5" PLANS INFO
      "[302.0] [Micro-task succeeded]\tJob ID: 1\tWorker type: v100\tWorker ID(s): [2]\n" INFO
      "[302.0] [Job succeeded]\tJob ID: 1\tStart timestamp: 110.00\tEnd timestamp: 302.00\t"
      "Duration: 192.00\n" INFO "[302.0] Remaining active jobs: 1\n" INFO
      "[400.0] [Micro-task succeeded]\tJob ID: 3\tWorker type: v100\tWorker ID(s): [4, 5]\n"
      "Total duration: 400.000 seconds (0.11 hours)\n"
      "Job completion times:\n"
      "Job 0: 110.000\n"
      "Job 1 (high priority): 192.000\n"
      "Average job completion time: 151.000 seconds (0.04 hours)\n"
      "Average job completion time (low priority): 110.000 seconds (0.03 hours)\n"
      "Average job completion time (high priority): 192.000 seconds (0.05 hours)\n"
      /* (2 * 110 + 50 + 102 + 2 * 150) / (8 * 400) */
      "Cluster utilization: 0.210\n");
  free(text);
  world_free(&w);
}

/* A window: its jobs alone, and its length; a run without a finished job has no completion times.
 */
static void test_window(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  w.info.from = 1;
  w.info.to = 3;
  char *text = sink_text(&w, gavel_log_sink), *end = strstr(text, "Window");
  assert_non_null(end);
  assert_string_equal(end, "Window start time: 110.000000\n"
                           "Window duration: 290.000 seconds (0.08 hours)\n"
                           "Total duration: 400.000 seconds (0.11 hours)\n"
                           "Job completion times:\n"
                           "Job 1: 192.000\n"
                           "Average job completion time: 192.000 seconds (0.05 hours)\n"
                           "Average job completion time (low priority): 192.000 seconds (0.05 "
                           "hours)\n"
                           "Cluster utilization: 0.210\n");
  free(text);
  w.info.from = 2;
  text = sink_text(&w, gavel_log_sink);
  assert_null(strstr(text, "ompletion time"));
  free(text);
  world_free(&w);
}

/* A gang on two GPU types has two lines; two jobs on one GPU use it half each. */
static void test_mixed(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "A", 0, 3, 1);
  add_job(&w, "A", 0, 3, 1);
  w.info.to = 2;
  struct hsim_gang *a = GANG(&w, 0, 0, 10, 3, 5, 6), *b = GANG(&w, 1, 0, 10, 3, 5, 6);
  a->partner = 1;
  b->partner = 0;
  w.now = 0.25;
  say(&w, RECORD_ARRIVE, 0);
  say(&w, RECORD_ARRIVE, 1);
  say_gang(&w, RECORD_GANG_BEGIN, a);
  say_gang(&w, RECORD_GANG_BEGIN, b);
  w.now = 1e3;
  say(&w, RECORD_ROUND, -1); /* count 0: a call between two rounds, or in event mode */
  w.now = 1e7;
  say_segment(&w, a, 0.25, 0, 2e6 + 0.25);
  say_segment(&w, b, 0.25, 0, 2e6 + 0.25);
  say_gang(&w, RECORD_GANG_END, a);
  say_gang(&w, RECORD_GANG_END, b);
  say(&w, RECORD_END, -1);
  char *text = sink_text(&w, gavel_log_sink), *lines = lines_with(text, "Job ID: 1\tW");
  assert_string_equal(
      lines, INFO
      "[0.25] [Micro-task scheduled]\tJob ID: 1\tWorker type: v100\tWorker ID(s): 3,5" PLANS INFO
      "[0.25] [Micro-task scheduled]\tJob ID: 1\tWorker type: k80\tWorker ID(s): 6" PLANS INFO
      "[10000000.0] [Micro-task succeeded]\tJob ID: 1\tWorker type: v100\tWorker ID(s): [3, "
      "5]\n" INFO
      "[10000000.0] [Micro-task succeeded]\tJob ID: 1\tWorker type: k80\tWorker ID(s): [6]\n");
  free(lines);
  assert_non_null(strstr(text, "\nCluster utilization: 0.075\n")); /* 6e6 / 8e7 */
  free(text);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_story),
      cmocka_unit_test(test_window),
      cmocka_unit_test(test_mixed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
