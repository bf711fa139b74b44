/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/result_swf.h"

#include "output_random.h"
#include "output_text.h"

static void test_story(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  w.info.policy = "a\nb";
  w.trace.jobs[0].estimate_s = 500.4;
  w.trace.jobs[1].app = names_add(&w.trace.apps, "sweep", 5);
  w.trace.jobs[2].tenant = names_add(&w.trace.tenants, "lab\n; x", 7);
  char *text = sink_text(&w, result_swf_sink);
  assert_string_equal(text, "; Version: 2.2\n"
                            "; MaxJobs: 4\n"
                            "; MaxRecords: 4\n"
                            "; MaxNodes: 2\n"
                            "; MaxProcs: 8\n"
                            "; Computer: small\n"
                            "; Note: processors are GPUs; simulated by hsim\n"
                            "; Policy: a b\n"
                            "; Executable 1: A\n"
                            "; User 1: lab ; x\n"
                            "; Group 1: sweep\n"
                            "1 100 0 110 2 110 -1 2 500 -1 1 -1 -1 1 -1 -1 -1 -1\n"
                            "2 110 40 152 1 152 -1 1 -1 -1 1 -1 1 1 -1 -1 -1 -1\n"
                            "3 120 -1 -1 -1 -1 -1 4 -1 -1 5 1 -1 1 -1 -1 -1 -1\n"
                            "4 130 120 -1 2 -1 -1 2 -1 -1 -1 -1 -1 1 -1 -1 -1 -1\n");
  free(text);
  world_free(&w);
}

/* A job that held nothing for half of the time, then was dropped; times that are not whole. */
static void test_stopped(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "A", 0.6, 2, 1000)->id = "17";
  struct hsim_gang *a = GANG(&w, 0, 0, 18, 0, 1);
  w.now = 0.6;
  say(&w, RECORD_ARRIVE, 0);
  w.now = 10.4;
  say_gang(&w, RECORD_START, a);
  say_gang(&w, RECORD_GANG_BEGIN, a);
  w.now = 30.4;
  say_gang(&w, RECORD_GANG_END, a);
  say(&w, RECORD_PREEMPT, 0);
  w.now = 50.6;
  say(&w, RECORD_DROP, 0);
  say(&w, RECORD_END, -1);
  char *text = sink_text(&w, result_swf_sink), *line = lines_with(text, "17 ");
  assert_string_equal(line, "17 1 9 41 2 20 -1 2 -1 -1 0 -1 -1 1 -1 -1 -1 -1\n");
  free(line);
  free(text);
  world_free(&w);
}

/* 18 numbers a job; submit + wait + run is the end of a finished one. */
static void test_random(void **state) {
  (void)state;
  int finished = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct world w;
    world_init(&w);
    random_stream(&w, seed, 20, 5e4);
    double end[20];
    for (size_t i = 0; i < w.stream.n; i++)
      if (w.stream.at[i].kind == RECORD_FINISH)
        end[w.stream.at[i].job] = w.stream.at[i].time;
    char *text = sink_text(&w, result_swf_sink);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
      double v[18];
      int used = 0, n = 0;
      if (*line == ';')
        continue;
      for (const char *at = line; n < 18 && sscanf(at, "%lf%n", &v[n], &used) == 1; at += used)
        n++;
      assert_int_equal(n, 18);
      assert_true(v[10] == 1 || v[10] == 5 || v[10] == -1);
      if (v[10] != 1)
        continue;
      assert_true(v[1] + v[2] + v[3] == round(end[(int)v[0] - 1]));
      assert_true(v[4] >= 1 && v[4] <= v[7] && v[5] <= v[3] + 1);
      finished++;
    }
    free(text);
    world_free(&w);
  }
  assert_true(finished > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_story),
      cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
