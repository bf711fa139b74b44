/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/batsim.h"

#include "output_random.h"
#include "output_text.h"

static void expect_text(char *text, const char *wanted) {
  assert_string_equal(text, wanted);
  free(text);
}

static void test_jobs(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  w.trace.jobs[0].estimate_s = 500.5;
  w.trace.jobs[3].id = "a \"b\"";
  add_job(&w, "B", 500, 1, 10)->model = -1; /* never arrives */
  expect_text(sink_text(&w, batsim_jobs_sink),
              "j0,w0,A,100,2,500.5,1,COMPLETED_SUCCESSFULLY,100,110,210,0,110,1,0-1,-1,\"\"\n"
              "j1,w0,A,110,1,-1,1,COMPLETED_SUCCESSFULLY,150,152,302,40,192,1.263157894736842,2 6,"
              "-1,\"\"\n"
              "j2,w0,A,120,4,-1,0,REJECTED,,,,,,,,,\"\"\n"
              "\"a \"\"b\"\"\",w0,A,130,2,-1,0,RUNNING,250,,,120,,,4-5,-1,\"\"\n"
              "j4,w0,,500,1,-1,0,NOT_SUBMITTED,,,,,,,,,\"\"\n");
  world_free(&w);
}

/* Killed after it began, in the instant in which it began, and before. */
static void test_killed(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  for (int j = 0; j < 4; j++)
    add_job(&w, "A", 0, 2, 1000);
  struct hsim_gang *a = GANG(&w, 0, 0, 18, 0, 2), *b = GANG(&w, 0, 0, 18, 1, 2);
  for (int j = 0; j < 4; j++)
    say(&w, RECORD_ARRIVE, j);
  w.now = 5;
  say_gang(&w, RECORD_START, a);
  say_gang(&w, RECORD_GANG_BEGIN, a);
  w.now = 15;
  say_gang(&w, RECORD_GANG_END, a);
  say_gang(&w, RECORD_MIGRATE, b);
  say_gang(&w, RECORD_GANG_BEGIN, b);
  w.now = 25;
  say_gang(&w, RECORD_GANG_END, b);
  say(&w, RECORD_CANCEL, 0);
  struct hsim_gang *c = GANG(&w, 1, 0, 18, 4, 5);
  say_gang(&w, RECORD_START, c);
  say_gang(&w, RECORD_GANG_BEGIN, c);
  say_gang(&w, RECORD_GANG_END, c);
  say(&w, RECORD_DROP, 1);
  say(&w, RECORD_DROP, 2);
  say(&w, RECORD_END, -1);
  expect_text(sink_text(&w, batsim_jobs_sink),
              "j0,w0,A,0,2,-1,0,COMPLETED_KILLED,5,20,25,5,25,1.25,0-2,-1,\"\"\n"
              "j1,w0,A,0,2,-1,0,COMPLETED_KILLED,25,0,25,25,25,,4-5,-1,\"\"\n"
              "j2,w0,A,0,2,-1,0,REJECTED,,,,,,,,,\"\"\n"
              "j3,w0,A,0,2,-1,0,SUBMITTED,,,,,,,,,\"\"\n");
  world_free(&w);
}

static void test_segments(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  expect_text(sink_text(&w, batsim_segments_sink), "j1,w0,110,1,150,50,200,40,6,0,0\n"
                                                   "j0,w0,100,2,100,120,220,0,0-1,0,0\n"
                                                   "j1,w0,110,1,200,102,302,90,2,1,0\n"
                                                   "j3,w0,130,2,250,150,400,120,4-5,0,0\n");
  world_free(&w);
}

/* Two jobs on one GPU, and a copy. */
static void test_segments_shared(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "A", 0, 1, 1);
  add_job(&w, "A", 0, 1, 1);
  struct hsim_gang *a = GANG(&w, 0, 0, 10, 6), *b = GANG(&w, 1, 3, 10, 6);
  say_gang(&w, RECORD_GANG_BEGIN, a);
  w.now = 1;
  say_gang(&w, RECORD_GANG_BEGIN, b);
  w.now = 5;
  say_gang(&w, RECORD_GANG_END, a);
  w.now = 6;
  say_gang(&w, RECORD_GANG_BEGIN, a);
  say_gang(&w, RECORD_GANG_END, b);
  w.now = 8;
  say_gang(&w, RECORD_GANG_END, a);
  say(&w, RECORD_END, -1);
  expect_text(sink_text(&w, batsim_segments_sink), "j0,w0,0,1,0,5,5,0,6,0,0\n"
                                                   "j1,w0,0,1,1,5,6,1,6,0,3\n"
                                                   "j0,w0,0,1,6,2,8,6,6,1,0\n");
  world_free(&w);
}

static void test_headers_and_resources(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  FILE *file = tmpfile();
  assert_non_null(file);
  struct out out;
  out_open_fd(&out, fileno(file), "resources");
  batsim_jobs_header(&out, &w.cluster.view, false);
  batsim_segments_header(&out, &w.cluster.view, false);
  batsim_resources(&out, &w.cluster.view, false);
  assert_int_equal(out_flush(&out, NULL), HSIM_OK);
  expect_text(slurp(file),
              "job_id,workload_name,profile,submission_time,requested_number_of_resources,"
              "requested_time,success,final_state,starting_time,execution_time,finish_time,"
              "waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata\n"
              "job_id,workload_name,submission_time,requested_number_of_resources,starting_time,"
              "execution_time,finish_time,waiting_time,allocated_resources,segment,copy\n"
              "resource,node,gpu_type,index\n"
              "0,n0,v100,0\n1,n0,v100,1\n2,n0,v100,2\n3,n0,v100,3\n"
              "4,n1,v100,0\n5,n1,v100,1\n6,n1,k80,2\n7,n1,k80,3\n");
  out_discard(&out);
  fclose(file);
  world_free(&w);
}

/* The n-th cell, from 0, as a number. */
static double cell(const char *line, int n) {
  for (; n > 0; n--)
    line += strcspn(line, ",\n") + 1;
  double value;
  assert_int_equal(number_parse(line, strcspn(line, ",\n"), &value), NUMBER_OK);
  return value;
}

static int resources(const char *line, int n) {
  for (; n > 0; n--)
    line += strcspn(line, ",\n") + 1;
  int count = 0;
  while (*line != ',') {
    char *end;
    long first = strtol(line, &end, 10), last = first;
    if (*end == '-')
      last = strtol(end + 1, &end, 10);
    count += (int)(last - first) + 1;
    line = *end == ' ' ? end + 1 : end;
  }
  return count;
}

/* All GPU-seconds that gangs held are in the segments. */
static void test_random(void **state) {
  (void)state;
  double total = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct world w;
    world_init(&w);
    random_stream(&w, seed, 20, 5e4);
    double held = held_gpu_s(&w), written = 0;
    char *text = sink_text(&w, batsim_segments_sink);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
      written += cell(line, 5) * resources(line, 8);
    if (fabs(written - held) > 1e-6)
      fail_msg("seed %llu: %.17g instead of %.17g", (unsigned long long)seed, written, held);
    total += held;
    free(text);
    world_free(&w);
  }
  assert_true(total > 1e5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jobs),
      cmocka_unit_test(test_killed),
      cmocka_unit_test(test_segments),
      cmocka_unit_test(test_segments_shared),
      cmocka_unit_test(test_headers_and_resources),
      cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
