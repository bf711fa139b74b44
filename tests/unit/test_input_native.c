/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "input_fixture.h"

#define HEAD "job_id,arrival_s,model,workers,steps\n"
#define LM20 "LM (batch size 20)"

static void test_all_columns(void **state) {
  struct trace trace;
  read_text(*state,
            "job_id,arrival_s,model,workers,steps,duration_s,min_workers,max_workers,gpu_types,"
            "epochs,weight,priority,tenant,app,deadline_s,estimate_s,phases,x_note\n"
            "\" a \"\"b\"\"\",1.5,CycleGAN,2,100,,1,4,k80 v100,7,2.5,-3,t1,app1,1e3,50,"
            "10:A3C;20.5:" LM20 ",anything\n"
            "c,0,CycleGAN,1,1,,,,,,,,,,,,,\n",
            &trace);
  assert_int_equal(trace.n_jobs, 2);
  assert_string_equal(trace.format, "native");
  assert_null(trace.assigned);
  const struct hsim_job *late = &trace.jobs[1], *early = &trace.jobs[0];
  assert_string_equal(late->id, " a \"b\"");
  assert_true(late->arrival_s == 1.5 && late->steps == 100 && late->weight == 2.5);
  assert_true(late->priority == -3 && late->deadline_s == 1000 && late->estimate_s == 50);
  assert_int_equal(late->workers, 2);
  assert_int_equal(late->min_workers, 1);
  assert_int_equal(late->max_workers, 4);
  assert_int_equal(late->gpu_types, 5); /* v100 is 0, p100 1, k80 2 */
  assert_int_equal(late->epochs, 7);
  assert_int_equal(late->n_phases, 2);
  assert_true(late->phases[0].from_step == 10 && late->phases[1].from_step == 20.5);
  const struct world *world = *state;
  assert_string_equal(world->rates.models.at[late->phases[1].model], LM20);
  assert_string_equal(trace.tenants.at[late->tenant], "t1");
  assert_string_equal(trace.apps.at[late->app], "app1");
  assert_int_equal(late->row, 1);
  assert_int_equal(late->line, 2);

  assert_string_equal(early->id, "c");
  assert_int_equal(early->gpu_types, 7);
  assert_true(early->weight == 1 && early->priority == 0);
  assert_true(isnan(early->deadline_s) && isnan(early->estimate_s));
  assert_int_equal(early->tenant, -1);
  assert_int_equal(early->app, -1);
  assert_int_equal(early->epochs, 0);
  assert_null(early->phases);
  trace_free(&trace);
}

static void test_files(void **state) {
  struct trace trace;
  read_text(*state, "\xef\xbb\xbf" HEAD "a,0,A3C,1,5", &trace);
  assert_int_equal(trace.n_jobs, 1);
  trace_free(&trace);
  read_text(*state, "steps,workers,model,arrival_s,job_id\r\n5,1,A3C,0,a\r\n\r\n", &trace);
  assert_int_equal(trace.n_jobs, 1);
  trace_free(&trace);
  expect_bad(*state, "", "t: is empty: expected a job trace");
  expect_bad(*state, "\n\n", "t: is empty: expected a job trace");
  expect_bad(*state, HEAD, "t: no job: the header is all there is");
  struct trace_options options = options_for(*state, "none");
  expect_failure(*state, &options, HSIM_BAD_INPUT,
                 "none: cannot be read: No such file or directory");
  options.file = "/";
  expect_failure(*state, &options, HSIM_BAD_INPUT, "/: is a directory: expected a file");
}

static void test_headers(void **state) {
  expect_bad(*state, "job_id,arrival_s,model,steps\na,0,A3C,1\n",
             "t:1: a native trace needs the column workers; the header has job_id, arrival_s, "
             "model, steps");
  expect_bad(*state, "model,steps\nA3C,1\n",
             "t:1: a native trace needs the columns job_id, arrival_s, workers; the header has "
             "model, steps");
  expect_bad(*state, "job_id,arrival_s,model,workers\na,0,A3C,1\n",
             "t:1: a native trace needs the column steps or duration_s; the header has neither");
  expect_bad(*state, "job_id,arrival_s,model,worker,steps\na,0,A3C,1,1\n",
             "t:1: unknown column \"worker\"; did you mean \"workers\"? (the names of additional "
             "columns start with x_)");
  expect_bad(*state, "job_id,arrival_s,workers,steps,phases\n",
             "t:1: the column phases needs the column model");
  expect_bad(*state, "job_id,colour,shape,size\n1,2,3,4\n",
             "t:1: unknown trace format: a line of 4 comma-separated columns, "
             "\"job_id,colour,shape,size\"; known are " KNOWN_FORMATS " (docs/formats.md)");
  struct trace_options options = options_for(*state, "t");
  write_text("t", "job_id,num_gpu\n");
  options.format = "native";
  expect_failure(*state, &options, HSIM_BAD_INPUT,
                 "t:1: unknown column \"num_gpu\" (the names of additional columns start with "
                 "x_)");
  options.format = "nativ";
  expect_failure(*state, &options, HSIM_BAD_USAGE,
                 "trace format \"nativ\": expected " KNOWN_FORMATS "; did you mean \"native\"?");
  unlink("t");
}

/* What each column refuses, in a row that is good otherwise. */
static void expect_bad_cell(struct world *world, const char *column, const char *value,
                            const char *expected) {
  static const char *const names[] = {"job_id",     "arrival_s",  "model",       "workers",
                                      "steps",      "duration_s", "min_workers", "max_workers",
                                      "gpu_types",  "epochs",     "weight",      "priority",
                                      "deadline_s", "estimate_s", "phases"};
  static const char *const good[] = {"a", "0", "A3C", "1", "10", "", "", "",
                                     "",  "",  "",    "",  "",   "", ""};
  char text[2000] = "", message[1100];
  bool duration = strcmp(column, "duration_s") == 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < 15; i++) {
      const char *cell = good[i];
      if (strcmp(names[i], column) == 0)
        cell = value;
      else if (duration && strcmp(names[i], "steps") == 0)
        cell = "";
      size_t used = strlen(text);
      snprintf(text + used, sizeof text - used, "%s%s", pass == 0 ? names[i] : cell,
               i < 14 ? "," : "\n");
    }
  snprintf(message, sizeof message, "t:2: column %s: value \"%s\": expected %s", column, value,
           expected);
  expect_bad(world, text, message);
}

static void test_reals(void **state) {
  static const struct {
    const char *column, *kind;
    bool zero, negative;
  } columns[] = {{"arrival_s", "a number of at least 0", true, false},
                 {"steps", "a number above 0", false, false},
                 {"duration_s", "a number above 0", false, false},
                 {"weight", "a number above 0", false, false},
                 {"priority", "a number", true, true},
                 {"deadline_s", "a number of at least 0", true, false},
                 {"estimate_s", "a number above 0", false, false}};
  static const char *const malformed[] = {"x",    "nan", "NaN",   "inf",      "-inf",
                                          "0x10", " 1",  "1 ",    "1s",       "1e",
                                          "--1",  ".",   "1_000", "infinity", "1.2.3"};
  for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
    char expected[100];
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++)
      expect_bad_cell(*state, columns[c].column, malformed[i], columns[c].kind);
    if (!columns[c].zero)
      expect_bad_cell(*state, columns[c].column, "0", columns[c].kind);
    if (!columns[c].zero)
      expect_bad_cell(*state, columns[c].column, "-0.0", columns[c].kind);
    if (!columns[c].negative)
      expect_bad_cell(*state, columns[c].column, "-1", columns[c].kind);
    snprintf(expected, sizeof expected, "%s within +-1.7976931348623157e308", columns[c].kind);
    expect_bad_cell(*state, columns[c].column, "1e309", expected);
  }
  expect_bad(*state, HEAD "a,0,A3C,1,\"1,000\"\n",
             "t:2: column steps: value \"1,000\": expected a number above 0");
  expect_bad_cell(*state, "arrival_s", "", "a number of at least 0");
}

static void test_whole_numbers(void **state) {
  static const char *const columns[] = {"workers", "min_workers", "max_workers", "epochs"};
  static const char *const bad[] = {"0",   "-1",  "1.5", "1e3",        "x",
                                    "nan", "inf", " 1",  "2147483648", "99999999999999999999999"};
  for (size_t c = 0; c < 4; c++)
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
      expect_bad_cell(*state, columns[c], bad[i], "a whole number from 1 to 2147483647");
  expect_bad_cell(*state, "workers", "", "a whole number from 1 to 2147483647");
}

static void test_texts(void **state) {
  expect_bad_cell(*state, "job_id", "", "a text that is not empty");
  expect_bad_cell(*state, "model", "", "a model of the rates table");
  expect_bad_cell(*state, "model", "CycleGan",
                  "a model of the rates table; did you mean "
                  "\"CycleGAN\"?");
  expect_bad_cell(*state, "model", "A3C ", "a model of the rates table; did you mean \"A3C\"?");
  expect_bad_cell(*state, "model", "something else entirely", "a model of the rates table");
  expect_bad_cell(*state, "gpu_types", "v100 p10",
                  "GPU types of the rates table; not \"p10\"; did you mean \"p100\"?");
  expect_bad_cell(*state, "gpu_types", "v100  p100",
                  "names of GPU types with one blank between them");
  expect_bad_cell(*state, "gpu_types", " v100", "names of GPU types with one blank between them");
  expect_bad_cell(*state, "gpu_types", "v100 ", "names of GPU types with one blank between them");
  expect_bad(*state, HEAD "a,0,A3C,1,1\nb,0,A3C,1,1\na,0,A3C,1,1\n",
             "t:4: column job_id: value \"a\": expected an id of its own; line 2 has the same");
}

static void test_phases(void **state) {
  expect_bad_cell(*state, "phases", "A3C", "STEP:MODEL joined by semicolons; not \"A3C\"");
  expect_bad_cell(*state, "phases", "x:A3C", "STEP:MODEL joined by semicolons; not \"x:A3C\"");
  expect_bad_cell(*state, "phases", "5:A3C;", "STEP:MODEL joined by semicolons; not \"\"");
  expect_bad_cell(*state, "phases", "0:A3C", "ascending steps above 0; not \"0\"");
  expect_bad_cell(*state, "phases", "5:A3C;5:A3C", "ascending steps above 0; not \"5\"");
  expect_bad_cell(*state, "phases", "5:A3C;9:A3D",
                  "a model of the rates table; not \"A3D\"; did you mean \"A3C\"?");
}

static void test_work(void **state) {
  const char *head = "job_id,arrival_s,model,workers,steps,duration_s\n";
  char text[200];
  snprintf(text, sizeof text, "%sa,0,A3C,1,10,20\n", head);
  expect_bad(*state, text,
             "t:2: column duration_s: value \"20\": expected it to be empty, since "
             "steps is filled in; it is \"10\"");
  snprintf(text, sizeof text, "%sa,0,A3C,1,,\n", head);
  expect_bad(*state, text,
             "t:2: columns steps and duration_s: both are empty: expected one of "
             "them to be filled in");
  expect_bad_cell(*state, "duration_s", "1.0000001e12", "at most 1e12 seconds");
  expect_bad_cell(*state, "duration_s", "1e300", "at most 1e12 seconds");
  struct trace trace;
  snprintf(text, sizeof text, "%sa,0,A3C,1,,1e12\n", head);
  read_text(*state, text, &trace);
  assert_int_equal(trace.n_jobs, 1);
  trace_free(&trace);
}

static void test_countless_steps(void **state) {
  (void)state;
  struct world world;
  write_text("r.csv", "gpu_type,model,workers,steps_per_second\nv100,m,1,1e300\n");
  bind_world(&world, "r.csv", "v100=1x1");
  expect_bad(
      &world, "job_id,arrival_s,model,workers,duration_s\na,0,m,1,1e12\n",
      "t:2: the duration of 1000000000000 seconds: expected one whose steps a double can count");
  free_world(&world);
  unlink("r.csv");
}

static void test_range(void **state) {
  const char *head = "job_id,arrival_s,model,workers,steps,min_workers,max_workers\n";
  char text[300];
  struct trace trace;
  snprintf(text, sizeof text, "%sa,0,A3C,1,10,3,2\n", head);
  expect_bad(*state, text,
             "t:2: column min_workers: value \"3\": expected at most max_workers; it is 2");
  snprintf(text, sizeof text, "%sa,0,A3C,2,10,3,\nb,0,A3C,2,10,,1\nc,0,A3C,4,1,,\n", head);
  read_text(*state, text, &trace);
  assert_int_equal(trace.jobs[0].min_workers, 3); /* what the row gives stands */
  assert_int_equal(trace.jobs[0].max_workers, 3);
  assert_int_equal(trace.jobs[1].min_workers, 1);
  assert_int_equal(trace.jobs[1].max_workers, 1);
  assert_int_equal(trace.jobs[2].min_workers, 1);
  assert_int_equal(trace.jobs[2].max_workers, 4);
  trace_free(&trace);
}

static void test_elastic(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int workers, min, max;
  } good[] = {{"1:1x", 8, 1, 8},
              {"0.5x:2x", 4, 2, 8},
              {"0.5x:1.5x", 3, 2, 4},
              {"2:4", 16, 2, 4},
              {"2:1x", 1, 1, 1},
              {"0.1x:0.1x", 1, 1, 1},
              {"1:9x", INT32_MAX, 1, INT32_MAX},
              {"1x:1x", 5, 5, 5}};
  struct elastic_range range;
  struct hsim_error error;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    int32_t min, max;
    assert_int_equal(elastic_parse(good[i].text, &range, &error), HSIM_OK);
    elastic_apply(&range, good[i].workers, &min, &max);
    assert_int_equal(min, good[i].min);
    assert_int_equal(max, good[i].max);
  }
  static const char *const bad[] = {"",    "1",    ":",     "1:",     ":1",
                                    "0:1", "1:0",  "-1:1",  "1.5:2",  "0x:1x",
                                    "x:x", "1:1y", "1:2:3", "1:nanx", "2147483648:1x"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char expected[300];
    snprintf(expected, sizeof expected,
             "elastic range \"%s\": expected MIN:MAX, each a number of workers or a multiple of "
             "the job's workers such as 0.5x; the default is 1:1x",
             bad[i]);
    assert_int_equal(elastic_parse(bad[i], &range, &error), HSIM_BAD_USAGE);
    assert_string_equal(error.text, expected);
  }
  assert_int_equal(elastic_parse("4:2", &range, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text,
                      "elastic range \"4:2\": expected a minimum of at most the maximum");
  assert_int_equal(elastic_parse("2x:1x", &range, &error), HSIM_BAD_USAGE);
}

static void expect_order(const struct trace *trace, const char *ids) {
  assert_int_equal(trace->n_jobs, strlen(ids));
  for (int i = 0; i < trace->n_jobs; i++)
    assert_true(trace->jobs[i].id[0] == ids[i]);
}

static void test_order_limit_rebase(void **state) {
  const char *text = "job_id,arrival_s,model,workers,steps,deadline_s\n"
                     "a,30,A3C,1,1,\nb,10,A3C,1,1,50\nc,30,A3C,1,1,\nd,10,A3C,1,1,\n"
                     "e,20,A3C,1,1,\n";
  struct trace_options options = options_for(*state, "t");
  struct trace trace;
  write_text("t", text);
  read_ok(*state, &options, &trace);
  expect_order(&trace, "bdeac");
  assert_int_equal(trace.jobs[3].row, 1);
  trace_free(&trace);
  options.limit = 3;
  options.rebase = true;
  read_ok(*state, &options, &trace);
  expect_order(&trace, "bde");
  assert_int_equal(trace.rows, 5);
  assert_true(trace.jobs[0].arrival_s == 0 && trace.jobs[0].deadline_s == 40);
  assert_true(trace.jobs[2].arrival_s == 10 && isnan(trace.jobs[2].deadline_s));
  trace_free(&trace);
  options.limit = 99;
  read_ok(*state, &options, &trace);
  assert_int_equal(trace.n_jobs, 5);
  trace_free(&trace);
  unlink("t");
  read_text(*state, HEAD "a,7e9,A3C,1,1\nb,7e9,A3C,1,1\nc,7e9,A3C,1,1\n", &trace);
  expect_order(&trace, "abc"); /* all at once, and late */
  assert_true(trace.jobs[0].arrival_s == 7e9);
  trace_free(&trace);
  read_text(*state, HEAD "a,-0,A3C,1,1\n", &trace);
  assert_false(signbit(trace.jobs[0].arrival_s));
  trace_free(&trace);
}

/* The sort against a plain one on random arrivals with many ties. */
static void test_order_at_random(void **state) {
  enum { JOBS = 3000 };
  uint32_t seed = 12345, x = seed;
  print_message("seed %u\n", seed);
  char *text = malloc(64 * JOBS);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, HEAD);
  for (int i = 0; i < JOBS; i++) {
    x = x * 1664525u + 1013904223u;
    used += (size_t)sprintf(text + used, "%d,%u,A3C,1,1\n", i, (x >> 16) % 500);
  }
  struct trace trace;
  read_text(*state, text, &trace);
  assert_int_equal(trace.n_jobs, JOBS);
  bool seen[JOBS] = {false};
  for (int i = 0; i < JOBS; i++) {
    const struct hsim_job *job = &trace.jobs[i];
    assert_int_equal(atoi(job->id) + 1, job->row);
    assert_false(seen[job->row - 1]);
    seen[job->row - 1] = true;
    if (i > 0)
      assert_true(job[-1].arrival_s < job->arrival_s ||
                  (job[-1].arrival_s == job->arrival_s && job[-1].row < job->row));
  }
  trace_free(&trace);
  free(text);
}

static void test_skip(void **state) {
  struct world *world = *state;
  struct trace_options options = options_for(world, "t");
  struct trace trace;
  options.skip_bad_rows = true;
  write_text("t", HEAD "a,0,A3C,1,1\na,1,A3C,1,1\nb,x,A3C,1,1\n\nc,0,A3C,0,1\nd,1,A3C,1,1\n"
                       "e,1,A3C,1\nf,1,A3C,1,0\ng,0,Nope,1,1\nb,2,A3C,1,1\n");
  read_ok(world, &options, &trace);
  expect_order(&trace, "adb");
  assert_int_equal(trace.rows, 10);
  assert_int_equal(trace.skipped_rows, 7);
  assert_string_equal(
      world->warnings,
      "t:3: column job_id: value \"a\": expected an id of its own; line 2 has the same\n"
      "t:4: column arrival_s: value \"x\": expected a number of at least 0\n"
      "t:5: a blank line: expected a row of 5 cells\n"
      "t:6: column workers: value \"0\": expected a whole number from 1 to 2147483647\n"
      "t:8: a row of 4 cells: expected 5, as in the header\n"
      "t: 7 bad rows of 10 skipped\n");
  trace_free(&trace);
  write_text("t", HEAD "a,0,A3C,0,1\n");
  expect_failure(
      world, &options, HSIM_BAD_INPUT,
      "t: no job: all 1 rows are bad: the first: t:2: column workers: value \"0\": expected "
      "a whole number from 1 to 2147483647");
  unlink("t");
}

/* A bad row leaves nothing behind: no tenant, no id. */
static void test_skip_leaves_no_trace(void **state) {
  struct trace_options options = options_for(*state, "t");
  struct trace trace;
  options.skip_bad_rows = true;
  write_text("t", "job_id,arrival_s,model,workers,steps,tenant\n"
                  "a,0,A3C,1,0,bad\nb,0,A3C,1,1,good\na,0,A3C,1,1,good\n");
  read_ok(*state, &options, &trace);
  expect_order(&trace, "ba");
  assert_int_equal(trace.tenants.n, 1);
  assert_string_equal(trace.tenants.at[0], "good");
  trace_free(&trace);
  unlink("t");
}

static void test_types_of_the_cluster(void **state) {
  (void)state;
  struct world world;
  struct trace trace;
  bind_world(&world, RATES_DEFAULT, "k80=1x4,odd=1x1");
  read_text(&world,
            "job_id,arrival_s,model,workers,steps,gpu_types\n"
            "a,0,A3C,1,1,v100\nb,0,A3C,1,1,k80 v100\nc,0,A3C,1,1,\nd,0,A3C,1,1,odd\n",
            &trace);
  assert_int_equal(trace.jobs[0].gpu_types, 0);
  assert_int_equal(trace.jobs[1].gpu_types, 1);
  assert_int_equal(trace.jobs[2].gpu_types, 3);
  assert_int_equal(trace.jobs[3].gpu_types, 2);
  trace_free(&trace);
  free_world(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_columns),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_headers),
      cmocka_unit_test(test_reals),
      cmocka_unit_test(test_whole_numbers),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_phases),
      cmocka_unit_test(test_work),
      cmocka_unit_test(test_countless_steps),
      cmocka_unit_test(test_range),
      cmocka_unit_test(test_elastic),
      cmocka_unit_test(test_order_limit_rebase),
      cmocka_unit_test(test_order_at_random),
      cmocka_unit_test(test_skip),
      cmocka_unit_test(test_skip_leaves_no_trace),
      cmocka_unit_test(test_types_of_the_cluster),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
