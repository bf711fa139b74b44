/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/csv.h"

#include <unistd.h>

#include "output/events_csv.h"
#include "output/jobs_csv.h"
#include "output/policy_log.h"
#include "output/series_csv.h"
#include "output_random.h"

static FILE *open_out(struct out *out) {
  FILE *file = tmpfile();
  assert_non_null(file);
  out_open_fd(out, fileno(file), "part");
  return file;
}

static void expect(struct out *out, FILE *file, const char *text) {
  struct hsim_error error = {0};
  assert_int_equal(out_flush(out, &error), HSIM_OK);
  char *got = slurp(file);
  assert_string_equal(got, text);
  free(got);
  out_discard(out);
  fclose(file);
}

static void test_fields(void **state) {
  (void)state;
  static const char *const texts[] = {"plain",  "",      "a b",    "a,b",  "say \"x\"", " lead",
                                      "trail ", "\ttab", "li\nne", "c\rr", "#x"};
  struct out out;
  FILE *file = open_out(&out);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    csv_field(&out, texts[i]);
    out_char(&out, ';');
  }
  expect(&out, file,
         "plain;;a b;\"a,b\";\"say \"\"x\"\"\";\" lead\";\"trail "
         "\";\"\ttab\";\"li\nne\";\"c\rr\";#x;");
}

static void test_headers(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  struct out out;
  FILE *file = open_out(&out);
  jobs_csv_header(&out, NULL, false);
  events_csv_header(&out, NULL, true);
  series_csv_header(&out, &w.cluster.view, false);
  const char *odd[] = {"a,\"b"};
  struct hsim_cluster cluster = {.n_types = 1, .type_names = odd};
  series_csv_header(&out, &cluster, false);
  expect(
      &out, file,
      "policy,job_id,app,tenant,model,workers,arrival_s,first_start_s,finish_s,jct_s,queueing_s,"
      "run_s,wait_s,gpu_s,slowdown,starts,preemptions,migrations,resizes,state,reason,copies,rho\n"
      "policy,time_s,round,event,job_id,gang,workers,placement,detail,seed\n"
      "policy,time_s,active,running,queued,held_v100,held_k80\n"
      "policy,time_s,active,running,queued,\"held_a,\"\"b\"\n");
  world_free(&w);
}

static void test_jobs(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  w.trace.jobs[0].app = names_add(&w.trace.apps, "sweep, 1", 8);
  w.trace.jobs[1].tenant = names_add(&w.trace.tenants, "lab", 3);
  w.trace.jobs[3].id = "a \"b\"";
  add_job(&w, "B", 500, 1, 10); /* never arrives */
  struct out out;
  FILE *file = open_out(&out);
  struct sink sink = jobs_csv_sink(&w.info, &out);
  assert_int_equal(replay(&w, sink, NULL), HSIM_OK);
  sink.free(sink.state);
  /* j0's GPUs stay until 220, but it ran until 210; j1 ran 50 + 102 s. On three quarters of v100
   * time and one of k80, j0 alone takes 1800 / 14.4 s and j1 1000 / 8 s. */
  expect(
      &out, file,
      "test,j0,\"sweep, "
      "1\",,A,2,100,100,210,110,0,110,0,220,1.1,1,0,0,0,finished,,1,0.8799999999999999\n"
      "test,j1,,lab,A,1,110,150,302,192,40,152,40,152,1.92,1,0,1,0,finished,,1,1.5359999999999998\n"
      "test,j2,,,A,4,120,,,,,0,0,0,,0,0,0,0,rejected,\"no type holds 4, \"\"sorry\"\"\",0,\n"
      "test,\"a \"\"b\"\"\",,,A,2,130,250,,,120,150,120,300,,1,0,0,0,unfinished,,1,\n"
      "test,j4,,,B,1,500,,,,,,,,,0,0,0,0,unfinished,,0,\n");
  world_free(&w);
}

/* A job with two copies, one of them for a while only: time holding anything, GPUs of both. */
static void test_jobs_copies(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "B", 0, 1, 2500);
  struct hsim_gang *a = GANG(&w, 0, 1, 10, 0), *b = GANG(&w, 0, 2, 10, 4);
  say(&w, RECORD_ARRIVE, 0);
  w.now = 10;
  say_gang(&w, RECORD_START, a);
  say_gang(&w, RECORD_START, b)->counts = false;
  say_gang(&w, RECORD_GANG_BEGIN, a);
  say_gang(&w, RECORD_GANG_BEGIN, b);
  w.now = 60;
  say_gang(&w, RECORD_GANG_END, b);
  say_gang(&w, RECORD_RESIZE, a);
  w.now = 100;
  say_gang(&w, RECORD_GANG_END, a);
  say(&w, RECORD_PREEMPT, 0);
  w.now = 105;
  say(&w, RECORD_DROP, 0)->detail = "gone";
  say(&w, RECORD_END, -1);
  struct out out;
  FILE *file = open_out(&out);
  struct sink sink = jobs_csv_sink(&w.info, &out);
  replay(&w, sink, NULL);
  sink.free(sink.state);
  expect(&out, file, "test,j0,,,B,1,0,10,,,10,90,15,140,,1,1,0,1,dropped,gone,2,\n");
  world_free(&w);
}

static void test_events(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  w.stream.n -= 4;
  w.now = 310.5;
  struct hsim_gang *gang = GANG(&w, 3, 2, 10, 0, 1, 3, 4, 5, 7);
  struct record *r = say_gang(&w, RECORD_RESIZE, gang);
  r->moved = 4;
  r->round = 12;
  r = say(&w, RECORD_NODE_DOWN, -1);
  r->node = 1;
  r = say(&w, RECORD_NODE_UP, -1);
  r->node = 0;
  say(&w, RECORD_PREEMPT, 3)->copy = 2;
  struct out out;
  FILE *file = open_out(&out);
  struct sink sink = events_csv_sink(&w.info, &out);
  replay(&w, sink, NULL);
  sink.free(sink.state);
  expect(&out, file,
         "test,100,0,arrive,j0,0,,,\n"
         "test,100,0,start,j0,0,2,n0:v100:0-1,\n"
         "test,110,0,arrive,j1,0,,,\n"
         "test,120,0,arrive,j2,0,,,\n"
         "test,120,0,reject,j2,0,,,\"no type holds 4, \"\"sorry\"\"\"\n"
         "test,130,0,arrive,j3,0,,,\n"
         "test,150,0,start,j1,0,1,n1:k80:2,\n"
         "test,200,0,migrate,j1,0,1,n0:v100:2,moved=1\n"
         "test,210,0,finish,j0,0,,,\n"
         "test,250,0,start,j3,0,2,n1:v100:0-1,\n"
         "test,310.5,12,resize,j3,2,6,\"n0:v100:0-1,3;n1:v100:0-1;n1:k80:3\",moved=4\n"
         "test,310.5,0,node_down,,,,n1:v100:0-1;n1:k80:2-3,n1\n"
         "test,310.5,0,node_up,,,,n0:v100:0-3,n0\n"
         "test,310.5,0,preempt,j3,2,,,\n");
  world_free(&w);
}

static void test_series(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  struct out out;
  FILE *file = open_out(&out);
  struct sink sink = series_csv_sink(&w.info, &out);
  replay(&w, sink, NULL);
  sink.free(sink.state);
  /* Nothing changes at 120 (arrived and rejected at once); at 210 j0 is done, its GPUs still
   * held. */
  expect(&out, file,
         "test,100,1,1,0,2,0\n"
         "test,110,2,1,1,2,0\n"
         "test,130,3,1,2,2,0\n"
         "test,150,3,2,1,2,1\n"
         "test,200,3,2,1,3,0\n"
         "test,210,2,1,1,3,0\n"
         "test,220,2,1,1,1,0\n"
         "test,250,2,2,0,3,0\n"
         "test,302,1,1,0,2,0\n"
         "test,400,1,0,1,0,0\n");
  world_free(&w);
}

/* Two jobs on one GPU hold it once. */
static void test_series_pair(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "A", 0, 1, 1);
  add_job(&w, "A", 0, 1, 1);
  struct hsim_gang *a = GANG(&w, 0, 0, 10, 6), *b = GANG(&w, 1, 0, 10, 6);
  say(&w, RECORD_ARRIVE, 0);
  say(&w, RECORD_ARRIVE, 1);
  say_gang(&w, RECORD_GANG_BEGIN, a);
  say_gang(&w, RECORD_GANG_BEGIN, b);
  w.now = 5;
  say_gang(&w, RECORD_GANG_END, a);
  say(&w, RECORD_FINISH, 0);
  w.now = 6;
  say_gang(&w, RECORD_GANG_END, b);
  say(&w, RECORD_FINISH, 1);
  struct out out;
  FILE *file = open_out(&out);
  struct sink sink = series_csv_sink(&w.info, &out);
  replay(&w, sink, NULL);
  sink.free(sink.state);
  expect(&out, file, "test,0,2,2,0,0,1\ntest,5,1,1,0,0,1\ntest,6,0,0,0,0,0\n");
  world_free(&w);
}

static void test_policy_log(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  w.info.policy = "my\"one";
  struct out out;
  FILE *file = open_out(&out);
  struct sink sink = policy_log_sink(&w.info, &out);
  sink.emit(sink.state, 0.1, 3, "{\"a\":\r\n [1,\n2]}");
  sink.emit(sink.state, 1e6, 4, "{}");
  assert_int_equal(sink.end(sink.state, NULL), HSIM_OK);
  sink.free(sink.state);
  expect(&out, file,
         "{\"policy\":\"my\\\"one\",\"time_s\":0.1,\"round\":3,\"record\":{\"a\":   [1, 2]}}\n"
         "{\"policy\":\"my\\\"one\",\"time_s\":1000000,\"round\":4,\"record\":{}}\n");
  world_free(&w);
}

/* A write error comes out of the sink's end. */
static void test_full_disk(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  FILE *full = fopen("/dev/full", "w");
  assert_non_null(full);
  struct out out;
  out_open_fd(&out, fileno(full), "events.csv");
  struct sink sink = events_csv_sink(&w.info, &out);
  struct hsim_error error = {0};
  assert_int_equal(replay(&w, sink, &error), HSIM_FAILED);
  assert_string_equal(error.text, "events.csv: cannot write: No space left on device");
  sink.free(sink.state);
  out_discard(&out);
  fclose(full);
  world_free(&w);
}

/* run_s + wait_s is the time from arrival to the end, whatever happens in between. */
static void test_random_jobs(void **state) {
  (void)state;
  int rows = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    struct world w;
    world_init(&w);
    random_stream(&w, seed, 30, 1e5);
    struct out out;
    FILE *file = open_out(&out);
    struct sink sink = jobs_csv_sink(&w.info, &out);
    replay(&w, sink, NULL);
    sink.free(sink.state);
    out_discard(&out);
    char *text = slurp(file), *line = text;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
      double v[5]; /* jct, queueing, run, wait, gpu */
      const char *cell = line;
      bool complete = true;
      for (int i = 0; i < 14; i++) {
        size_t n = strcspn(cell, ",\n");
        if (i >= 9)
          complete = complete && number_parse(cell, n, &v[i - 9]) == NUMBER_OK;
        cell += n + 1;
      }
      if (!complete)
        continue;
      if (fabs(v[2] + v[3] - v[0]) > 1e-6 || v[3] < v[1] - 1e-6 || v[4] < v[2] - 1e-6)
        fail_msg("seed %llu: %s", (unsigned long long)seed, line);
      rows++;
    }
    free(text);
    fclose(file);
    world_free(&w);
  }
  assert_true(rows > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fields),      cmocka_unit_test(test_headers),
      cmocka_unit_test(test_jobs),        cmocka_unit_test(test_jobs_copies),
      cmocka_unit_test(test_events),      cmocka_unit_test(test_series),
      cmocka_unit_test(test_series_pair), cmocka_unit_test(test_policy_log),
      cmocka_unit_test(test_full_disk),   cmocka_unit_test(test_random_jobs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
