/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "input_fixture.h"

#define HEAD "timestamp,duration,num_gpus,gpu_time,cluster\n"

static void test_cut_of_the_file(void **state) {
  struct trace_options options = options_for(*state, DATA("philly.csv"));
  struct trace trace;
  read_ok(*state, &options, &trace);
  assert_string_equal(trace.format, "philly");
  assert_string_equal(trace.assigned, "hadar");
  assert_int_equal(trace.rows, 9);
  assert_int_equal(trace.n_jobs, 9);
  const struct hsim_job *first = &trace.jobs[0], *second = &trace.jobs[1];
  assert_string_equal(first->id, "3"); /* 2017-09-29 07:58:32 */
  assert_int_equal(first->line, 4);
  assert_true(first->arrival_s == 0);
  assert_string_equal(second->id, "2");     /* 2017-10-09 06:13:03 */
  assert_true(second->arrival_s == 857671); /* GNU date */
  assert_true(trace.jobs[8].arrival_s == 3456819);
  assert_string_equal(trace.tenants.at[first->tenant], "6c71a0");
  assert_int_equal(trace.tenants.n, 3);
  assert_int_equal(trace.other_reference, 0);
  trace_free(&trace);
}

/* Days across leap years and centuries, against sums of year lengths. */
static void test_calendar(void **state) {
  static const struct {
    const char *from, *to;
    double seconds;
  } spans[] = {{"2016-02-28 23:59:59", "2016-02-29 00:00:00", 1},
               {"2016-02-29 00:00:00", "2016-03-01 00:00:00", 86400},
               {"2017-02-28 00:00:00", "2017-03-01 00:00:00", 86400},
               {"2000-02-28 00:00:00", "2000-03-01 00:00:00", 2 * 86400},
               {"1900-02-28 00:00:00", "1900-03-01 00:00:00", 86400},
               {"2017-12-31 23:59:59", "2018-01-01 00:00:00", 1},
               {"2000-01-01 00:00:00", "2400-01-01 00:00:00", 146097.0 * 86400},
               {"1970-01-01 00:00:00", "2017-10-09 07:01:55", 1507532515},
               {"2017-11-05 01:30:00", "2017-11-05 02:30:00", 3600}};
  for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
    char text[300];
    struct trace trace;
    snprintf(text, sizeof text, HEAD "%s,1,1,1,a\n%s,1,1,1,a\n", spans[i].to, spans[i].from);
    read_text(*state, text, &trace);
    assert_string_equal(trace.jobs[0].id, "2");
    assert_true(trace.jobs[1].arrival_s == spans[i].seconds);
    trace_free(&trace);
  }
}

static void test_bad_timestamps(void **state) {
  static const char *const bad[] = {"",
                                    "2017-10-09",
                                    "2017-10-09_07:01:55",
                                    "2017-10-09 07:01:55 Z",
                                    "2017-10-09 07:01:55.5",
                                    "2017-10-09 07:01:5",
                                    " 2017-10-09 07:01:55",
                                    "2017-13-09 07:01:55",
                                    "2017-00-09 07:01:55",
                                    "2017-10-00 07:01:55",
                                    "2017-02-29 07:01:55",
                                    "2017-04-31 07:01:55",
                                    "2017-10-09 24:01:55",
                                    "2017-10-09 07:60:55",
                                    "2017-10-09 07:01:60",
                                    "0000-10-09 07:01:55",
                                    "2017-1a-09 07:01:55",
                                    "+017-10-09 07:01:55",
                                    "None"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[300], expected[300];
    snprintf(text, sizeof text, HEAD "2017-10-09 07:01:55,1,1,1,a\n%s,1,1,1,a\n", bad[i]);
    snprintf(expected, sizeof expected,
             "t:3: column timestamp: value \"%s\": expected a date and time like 2017-10-09 "
             "07:01:55",
             bad[i]);
    expect_bad(*state, text, expected);
  }
}

static void test_bad_rows(void **state) {
  struct world *world = *state;
  expect_bad(world, HEAD "2017-10-09 07:01:55,0,1,0,a\n",
             "t:2: column duration: value \"0\": expected a number above 0");
  expect_bad(world, HEAD "2017-10-09 07:01:55,5.0,0,0,a\n",
             "t:2: column num_gpus: value \"0\": expected a whole number from 1 to 2147483647");
  expect_bad(world, HEAD "2017-10-09 07:01:55,5.0,1.0,0,a\n",
             "t:2: column num_gpus: value \"1.0\": expected a whole number from 1 to 2147483647");
  expect_bad(world, "timestamp,num_gpus,gpu_time\n",
             "t:1: a Philly trace needs the column duration; the header has timestamp, num_gpus, "
             "gpu_time");
  expect_bad(world, HEAD, "t: no job: the header is all there is");
  /* Seconds count from the earliest row that is no bad one. */
  struct trace_options options = options_for(world, "t");
  struct trace trace;
  options.skip_bad_rows = true;
  write_text("t", HEAD "2017-10-09 07:00:00,0,1,0,a\n2017-10-09 07:00:30,1,1,1,\n"
                       "2017-10-09 07:00:10,1,1,1,b\n");
  read_ok(world, &options, &trace);
  assert_int_equal(trace.n_jobs, 2);
  assert_string_equal(trace.jobs[0].id, "3");
  assert_true(trace.jobs[0].arrival_s == 0 && trace.jobs[1].arrival_s == 20);
  assert_int_equal(trace.jobs[1].tenant, -1);
  trace_free(&trace);
  unlink("t");
}

static const char *model_of(const struct world *world, const struct hsim_job *job) {
  return world->rates.models.at[job->model];
}

static double rate_of(const struct world *world, const struct hsim_job *job, const char *type) {
  int t = names_find(&world->rates.types, type, strlen(type));
  assert_true(t >= 0);
  return rates_thr(&world->rates, MISSING_INTERPOLATE, job->model, t, job->workers, NULL);
}

/* The classes of the rule, at and around their borders. */
static void test_hadar_rule(void **state) {
  struct world *world = *state;
  struct trace trace;
  read_text(world,
            HEAD "2017-01-01 00:00:00,3600,1,0,a\n2017-01-01 00:00:01,900,4,0,a\n"
                 "2017-01-01 00:00:02,3601,1,0,a\n2017-01-01 00:00:03,36000,1,0,a\n"
                 "2017-01-01 00:00:04,3600,2,0,a\n2017-01-01 00:00:05,36001,1,0,a\n"
                 "2017-01-01 00:00:06,27000,8,0,a\n2017-01-01 00:00:07,27001,8,0,a\n"
                 "2017-01-01 00:00:08,99999999,16,0,a\n",
            &trace);
  const char *small = "ResNet-18 (batch size 128)", *large = "ResNet-50 (batch size 64)";
  const char *expected[] = {small, small, "CycleGAN", "CycleGAN", small, NULL, NULL, large, large};
  for (int i = 0; i < 9; i++) {
    const char *model = model_of(world, &trace.jobs[i]);
    if (expected[i] != NULL)
      assert_string_equal(model, expected[i]);
    else
      assert_true(strcmp(model, "LM (batch size 20)") == 0 ||
                  strcmp(model, "Transformer (batch size 64)") == 0);
  }
  assert_true(trace.jobs[0].steps == 3600 * rate_of(world, &trace.jobs[0], "v100"));
  assert_int_equal(trace.derived_rates, 1); /* 16 workers */
  trace_free(&trace);
}

/* Many long jobs: both sides of the coin come up, the seed decides, and neither a limit nor other
 * rows' contents change what a job gets. */
static void test_draws(void **state) {
  enum { JOBS = 400 };
  struct world *world = *state;
  char *text = malloc(64 * JOBS);
  assert_non_null(text);
  for (int variant = 0; variant < 2; variant++) {
    size_t used = (size_t)sprintf(text, HEAD);
    for (int i = 0; i < JOBS; i++)
      used += (size_t)sprintf(text + used, "2017-01-01 %02d:%02d:00,%d,1,0,a\n", i / 60, i % 60,
                              variant == 1 && i % 2 == 1 ? 60 : 180000);
    write_text(variant == 0 ? "t" : "u", text);
  }
  free(text);
  struct trace a, b, c, d, e;
  struct trace_options options = options_for(world, "t");
  read_ok(world, &options, &a);
  options.limit = 100;
  read_ok(world, &options, &b);
  options.limit = 0;
  options.seed = 1;
  read_ok(world, &options, &c);
  options.seed = 0;
  options.file = "u";
  read_ok(world, &options, &d);
  options.file = "t";
  options.assign = ASSIGN_UNIFORM;
  read_ok(world, &options, &e);
  assert_string_equal(e.assigned, "uniform");
  int lm = 0, differ = 0, kinds = 0, last = -1;
  for (int i = 0; i < JOBS; i++) {
    lm += strncmp(model_of(world, &a.jobs[i]), "LM", 2) == 0;
    differ += a.jobs[i].model != c.jobs[i].model;
    if (i < 100)
      assert_int_equal(a.jobs[i].model, b.jobs[i].model);
    if (i % 2 == 0)
      assert_int_equal(a.jobs[i].model, d.jobs[i].model);
    kinds += e.jobs[i].model != last;
    last = e.jobs[i].model;
  }
  assert_in_range(lm, JOBS / 2 - 60, JOBS / 2 + 60);
  assert_true(differ > 100);
  assert_true(kinds > JOBS / 2);
  trace_free(&a);
  trace_free(&b);
  trace_free(&c);
  trace_free(&d);
  trace_free(&e);
  unlink("t");
  unlink("u");
}

/* A table in which the rule's models cannot run, or not at the job's size. */
static void test_assign_falls_back(void **state) {
  (void)state;
  struct world world;
  struct trace trace;
  write_text("r.csv", "gpu_type,model,workers,steps_per_second\n"
                      "a100,one,1,5\na100,many,1,2\na100,many,4,6\n"
                      "a100,ResNet-18 (batch size 128),1,7\nother,wide,64,1\nother,wide,128,1\n");
  bind_world(&world, "r.csv", "a100=2x4");
  struct trace_options options = options_for(&world, "t");
  options.reference = "a100";
  write_text("t", HEAD "2017-01-01 00:00:00,60,1,0,a\n2017-01-01 00:00:01,60,4,0,a\n"
                       "2017-01-01 00:00:02,9999999,8,0,a\n");
  read_ok(&world, &options, &trace);
  assert_string_equal(model_of(&world, &trace.jobs[0]), "ResNet-18 (batch size 128)");
  assert_string_equal(model_of(&world, &trace.jobs[1]), "many");
  assert_string_equal(model_of(&world, &trace.jobs[2]), "many");
  assert_int_equal(trace.derived_rates, 1);
  trace_free(&trace);
  /* Nothing runs on 8 workers when sizes without a row are refused: some model, and some steps. */
  world.oracle.rules.missing_size = MISSING_REJECT;
  read_ok(&world, &options, &trace);
  assert_true(trace.jobs[2].model >= 0 && trace.jobs[2].steps == 9999999);
  assert_int_equal(trace.other_reference, 0);
  trace_free(&trace);
  options.reference = NULL;
  expect_failure(&world, &options, HSIM_BAD_USAGE,
                 "durations need a reference GPU type of the rates table, such as a100: the "
                 "default, v100, is none of them");
  options.reference = "a10";
  expect_failure(&world, &options, HSIM_BAD_USAGE,
                 "reference GPU type \"a10\": expected a type of the rates table; did you mean "
                 "\"a100\"?");
  free_world(&world);
  unlink("r.csv");
  unlink("t");
}

/* Durations of jobs with a model, with phases, and of one that the reference cannot run. */
static void test_durations(void **state) {
  (void)state;
  struct world world;
  struct trace trace;
  write_text("r.csv", "gpu_type,model,workers,steps_per_second\n"
                      "v100,a,1,10\nv100,b,1,2\nv100,c,1,0\nk80,a,1,1\nk80,b,1,1\nk80,c,1,3\n"
                      "p100,c,1,4\nv100,a,2,16\n");
  bind_world(&world, "r.csv", "k80=1x4");
  read_text(&world,
            "job_id,arrival_s,model,workers,duration_s,phases\n"
            "1,0,a,1,100,\n"
            "2,0,a,1,100,400:b\n"  /* 40 s for 400 steps, then 60 s at 2 */
            "3,0,a,1,100,2000:b\n" /* ends before the phase */
            "4,0,c,1,100,\n"       /* not on v100; p100 is faster than k80 */
            "5,0,a,1,100,500:c\n"  /* c not on v100: k80, 100 steps of a */
            "6,0,a,2,100,\n"
            "7,0,a,3,100,\n"  /* derived */
            "8,0,b,2,100,\n", /* nowhere */
            &trace);
  static const double steps[] = {1000, 520, 1000, 400, 100, 1600, 0, 100};
  for (int i = 0; i < 8; i++)
    if (i != 6)
      assert_true(near_enough(trace.jobs[i].steps, steps[i]));
  assert_true(trace.jobs[6].steps > 1600 && trace.jobs[6].steps < 3000);
  assert_int_equal(trace.other_reference, 2);
  assert_int_equal(trace.derived_rates, 1);
  assert_null(trace.assigned);
  trace_free(&trace);
  free_world(&world);
  unlink("r.csv");
}

/* GPU-seconds: of durations as they stand, of steps on the reference type (v100), of a job that
 * cannot run there on its fastest type, through its phases; of one that runs nowhere none. */
static void test_gpu_seconds(void **state) {
  (void)state;
  struct world world;
  struct trace trace;
  write_text("r.csv", "gpu_type,model,workers,steps_per_second\n"
                      "v100,a,1,10\nv100,a,2,20\nv100,b,1,2\nk80,a,1,1\nk80,c,1,3\np100,c,1,4\n");
  bind_world(&world, "r.csv", "k80=1x4");
  read_text(&world,
            "job_id,arrival_s,model,workers,duration_s,steps,phases\n"
            "1,0,a,2,100,,\n"     /* 200 */
            "2,0,a,2,,1000,\n"    /* 50 s on 2 GPUs */
            "3,0,a,1,,100,50:b\n" /* 5 s and 25 s */
            "4,0,c,1,,100,\n"     /* 25 s on p100 */
            "5,0,b,2,,100,\n",    /* nowhere */
            &trace);
  assert_true(near_enough(trace.gpu_s, 200 + 100 + 30 + 25));
  trace_free(&trace);
  free_world(&world);
  unlink("r.csv");
}

static void test_native_without_models(void **state) {
  struct trace_options options = options_for(*state, "t");
  struct trace trace;
  write_text("t", "job_id,arrival_s,workers,steps,duration_s\na,0,1,,60\nb,0,1,50,\n");
  expect_failure(*state, &options, HSIM_BAD_INPUT,
                 "t:3: column duration_s: value \"\": expected a duration: the trace names no "
                 "model, and the rule hadar chooses one by GPU-hours");
  options.assign = ASSIGN_UNIFORM;
  read_ok(*state, &options, &trace);
  assert_true(trace.jobs[1].steps == 50);
  assert_string_equal(trace.assigned, "uniform");
  trace_free(&trace);
  unlink("t");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cut_of_the_file),   cmocka_unit_test(test_calendar),
      cmocka_unit_test(test_bad_timestamps),    cmocka_unit_test(test_bad_rows),
      cmocka_unit_test(test_hadar_rule),        cmocka_unit_test(test_draws),
      cmocka_unit_test(test_assign_falls_back), cmocka_unit_test(test_durations),
      cmocka_unit_test(test_gpu_seconds),       cmocka_unit_test(test_native_without_models),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
