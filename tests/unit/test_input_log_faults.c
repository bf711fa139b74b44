/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logs that are no CSV against every kind of fault, with the message word for word. */
#include "input_fixture.h"

#define A_COUNT_OR_0 "expected a whole number from 0 to 2147483647"

/* ---- SWF ---- */

#define SWF(job, submit, run, processors, state)                                                   \
  job " " submit " 1 " run " " processors " -1 -1 -1 -1 -1 " state " 1 1 1 1 1 -1 -1\n"
#define GOOD_SWF SWF("1", "5", "10", "4", "1")

static void test_swf(void **state) {
  static const struct fault faults[] = {
      {NULL, GOOD_SWF SWF("1", "6", "10", "4", "1"),
       "t:2: column job number: value \"1\": expected an id of its own; line 1 has the same"},
      {NULL, GOOD_SWF "2 6 1 10\n",
       "t:2: a line of 4 fields: expected 18 (the Standard Workload Format)"},
      {NULL, ";\n" SWF("1", "6", "10", "4", "1 7"),
       "t:2: a line of 19 fields: expected 18 (the Standard Workload Format)"},
      {NULL, GOOD_SWF SWF("-1", "6", "10", "4", "1"),
       "t:2: column job number: value \"-1\": expected a whole number from 0 to "
       "9223372036854775807"},
      {NULL, GOOD_SWF SWF("x", "6", "10", "4", "1"),
       "t:2: column job number: value \"x\": expected a whole number from 0 to "
       "9223372036854775807"},
      {NULL, GOOD_SWF SWF("2", "-1", "10", "4", "1"),
       "t:2: column submit time: value \"-1\": expected a number of at least 0"},
      {NULL, GOOD_SWF SWF("2", "6", "-2", "4", "1"),
       "t:2: column run time: value \"-2\": expected a number of at least 0"},
      {NULL, GOOD_SWF SWF("2", "6", "1e13", "4", "1"),
       "t:2: column run time: value \"1e13\": expected at most 1e12 seconds"},
      {NULL, GOOD_SWF SWF("2", "6", "10", "4.5", "1"),
       "t:2: column allocated processors: value \"4.5\": " A_COUNT_OR_0},
      {NULL, GOOD_SWF SWF("2", "6", "10", "4", "6"),
       "t:2: column status: value \"6\": expected a whole number from -1 to 5"},
      {NULL, SWF("2", "6", "-1", "4", "1"),
       "t: no job: all 1 rows are left out (unknown run time: 1)"},
      {NULL, "; only a comment\n", "t: no job: expected lines of 18 numbers"},
      {"swf", "", "t: no job: expected lines of 18 numbers"},
  };
  EXPECT_FAULTS(*state, faults);
  struct trace_options options = options_for(*state, "t");
  options.format = "swf";
  write_bytes("t", "1 2\0 3", 6);
  expect_failure(*state, &options, HSIM_BAD_INPUT, "t:1: a zero byte: expected text");
  unlink("t");
}

/* ---- sacct ---- */

#define SACCT_HEAD "JobID|Submit|Start|End|Elapsed|ReqTRES|AllocTRES\n"
#define SACCT(id, submit, start, end, elapsed, tres)                                               \
  id "|" submit "|" start "|" end "|" elapsed "|" tres "|\n"
#define T "2024-03-01T00:00:00"
#define SACCT_NEEDS                                                                                \
  "t:1: sacct output needs the fields JobID or JobIDRaw, Submit, Elapsed or ElapsedRaw or both "   \
  "Start and End, and ReqTRES or AllocTRES: "
#define A_SACCT_DATE "expected a date and time like 2024-03-01T07:01:55"
#define TRES                                                                                       \
  "expected resources like cpu=8,mem=64G,gres/gpu=4,gres/gpu:a100=4 with GPUs from 0 to "          \
  "2147483647"

static void test_sacct(void **state) {
  static const struct fault faults[] = {
      {"sacct", "", "t: is empty: expected sacct output"},
      {NULL, SACCT_HEAD, "t: no job: the header is all there is"},
      {NULL, "Submit|Elapsed|ReqTRES\n", SACCT_NEEDS "the header has no id"},
      {NULL, "JobID|Elapsed|ReqTRES\n", SACCT_NEEDS "the header has no Submit"},
      {NULL, "JobID|Submit|Start|ReqTRES\n", SACCT_NEEDS "the header has no run time"},
      {NULL, "JobID|Submit|Elapsed|State\n", SACCT_NEEDS "the header has no GPUs"},
      {NULL, "JobID|User|AllocTRES\n", SACCT_NEEDS "the header has no Submit"},
      {NULL, "User|JobIDRaw\n", SACCT_NEEDS "the header has no Submit"},
      {NULL, "ElapsedRaw|AllocTRES\n", SACCT_NEEDS "the header has no id"},
      {NULL, "JobID|Submit|Submit|Elapsed\n", "t:1: column Submit stands there twice"},
      {NULL, SACCT_HEAD "1|" T "\n", "t:2: a line of 2 fields: expected 7, as in the header"},
      {NULL, SACCT_HEAD SACCT("1", T, T, T, "00:01:00", "gres/gpu=1|a"),
       "t:2: a line of 8 fields: expected 7, as in the header"},
      {NULL,
       SACCT_HEAD SACCT("1", T, T, T, "00:01:00", "gres/gpu=1")
           SACCT("1", T, T, T, "00:01:00", "gres/gpu=1"),
       "t:3: column JobID: value \"1\": expected an id of its own; line 2 has the same"},
      {NULL, SACCT_HEAD SACCT("", T, T, T, "00:01:00", "gres/gpu=1"),
       "t:2: column JobID: value \"\": expected a text that is not empty"},
      {NULL, SACCT_HEAD SACCT("1", "Unknown", T, T, "00:01:00", "gres/gpu=1"),
       "t:2: column Submit: value \"Unknown\": " A_SACCT_DATE},
      {NULL, SACCT_HEAD SACCT("1", "1709251200", T, T, "00:01:00", "gres/gpu=1"),
       "t:2: column Submit: value \"1709251200\": " A_SACCT_DATE ", or Unknown"},
      {NULL, SACCT_HEAD SACCT("1", T, "noon", T, "00:01:00", "gres/gpu=1"),
       "t:2: column Start: value \"noon\": " A_SACCT_DATE ", or Unknown"},
      {NULL, SACCT_HEAD SACCT("1", T, T, T, "60", "gres/gpu=1"),
       "t:2: column Elapsed: value \"60\": expected a time like 1-02:03:04 or 02:03:04"},
      {NULL, SACCT_HEAD SACCT("1", T, T, T, "24:00:00", "gres/gpu=1"),
       "t:2: column Elapsed: value \"24:00:00\": expected a time like 1-02:03:04 or 02:03:04"},
      {NULL, SACCT_HEAD SACCT("1", T, "2024-03-01T00:00:01", T, "", "gres/gpu=1"),
       "t:2: column End: value \"2024-03-01T00:00:00\": expected no earlier time than Start; it is "
       "\"2024-03-01T00:00:01\""},
      {NULL, "JobID|Submit|ElapsedRaw|ReqTRES\n1|" T "|-1|gres/gpu=1\n",
       "t:2: column ElapsedRaw: value \"-1\": expected a number of at least 0"},
      {NULL, SACCT_HEAD SACCT("1", T, T, T, "00:01:00", "gres/gpu=-1"),
       "t:2: column ReqTRES: value \"gres/gpu=-1\": " TRES},
      {NULL, SACCT_HEAD SACCT("1", T, T, T, "00:01:00", "gres/gpu=2147483648"),
       "t:2: column ReqTRES: value \"gres/gpu=2147483648\": " TRES},
      {NULL, SACCT_HEAD SACCT("1", T, T, T, "00:01:00", "8 GPUs"),
       "t:2: column ReqTRES: value \"8 GPUs\": " TRES},
      {NULL, SACCT_HEAD SACCT("1", T, T, T, "00:01:00", "gres/gpu=1,gres/gpu:v100=2"),
       "t:2: column ReqTRES: value \"gres/gpu=1,gres/gpu:v100=2\": " TRES},
  };
  EXPECT_FAULTS(*state, faults);
  struct trace_options options = options_for(*state, "t");
  write_bytes("t", "JobID|Submit|\0|\n", 16);
  expect_failure(*state, &options, HSIM_BAD_INPUT, "t:1: a zero byte: expected text");
  unlink("t");
}

/* ---- Philly's JSON ---- */

#define ENTRY(id, submitted, attempts)                                                             \
  "{\"jobid\":" id ",\"submitted_time\":" submitted ",\"attempts\":" attempts "}"
#define NOON "\"2017-10-07 12:00:00\""
#define LATER "\"2017-10-07 12:00:09\""
#define RUN(start, end, detail)                                                                    \
  "[{\"start_time\":" start ",\"end_time\":" end ",\"detail\":" detail "}]"
#define GPU "[{\"ip\":\"m\",\"gpus\":[\"gpu0\"]}]"
#define GOOD ENTRY("\"a\"", NOON, RUN(NOON, LATER, GPU))
#define A_LOG_DATE "expected a date and time like 2017-10-09 07:01:55, or \"None\""

static void test_philly_log(void **state) {
  static const struct fault faults[] = {
      {"philly-log", "", "t: is empty: expected a JSON array"},
      {NULL, "[]", "t: no job: the array is empty"},
      {NULL, " \t[]", "t: no job: the array is empty"},
      {NULL, "\xef\xbb\xbf \n\n  \r\n\t[]", "t: no job: the array is empty"},
      {NULL, "  \n [\n7]", "t:3: [0]: value 7: expected an object"},
      {NULL, "[" GOOD ",\n" GOOD "]",
       "t:2: [1].jobid: value \"a\": expected an id of its own; line 1 has the same"},
      {NULL, "[\n{\"jobid\":\"a\",\"attempts\":[]}]",
       "t:2: [0]: value is an object: expected the keys jobid, submitted_time and attempts"},
      {NULL, "[{\"jobid\":\"a\",\"colour\":1}]",
       "t:1: [0].colour: unknown key: expected status, vc, jobid, attempts, submitted_time or "
       "user"},
      {NULL, "[7]", "t:1: [0]: value 7: expected an object"},
      {NULL, "[" ENTRY("7", NOON, "[]") "]",
       "t:1: [0].jobid: value 7: expected a text that is not empty"},
      {NULL, "[" ENTRY("\"\"", NOON, "[]") "]",
       "t:1: [0].jobid: value \"\": expected a text that is not empty"},
      {NULL, "[" ENTRY("\"a\"", "1507377600", "[]") "]",
       "t:1: [0].submitted_time: value 1507377600: " A_LOG_DATE},
      {NULL, "[" ENTRY("\"a\"", "\"noon\"", "[]") "]",
       "t:1: [0].submitted_time: value \"noon\": " A_LOG_DATE},
      {NULL, "[" ENTRY("\"a\"", NOON, "{}") "]",
       "t:1: [0].attempts: value is an object: expected an array of attempts"},
      {NULL, "[" ENTRY("\"a\"", NOON, RUN(LATER, NOON, GPU)) "]",
       "t:1: [0].attempts[0].end_time: value \"2017-10-07 12:00:00\": expected no earlier time "
       "than start_time"},
      {NULL, "[" ENTRY("\"a\"", NOON, RUN("-1", LATER, GPU)) "]",
       "t:1: [0].attempts[0].start_time: value -1: " A_LOG_DATE},
      {NULL, "[" ENTRY("\"a\"", NOON, RUN(NOON, LATER, "8")) "]",
       "t:1: [0].attempts[0].detail: value 8: expected an array of machines"},
      {NULL, "[" ENTRY("\"a\"", NOON, RUN(NOON, LATER, "[{\"gpus\":8}]")) "]",
       "t:1: [0].attempts[0].detail[0].gpus: value 8: expected an array of GPUs"},
      {NULL, "[" ENTRY("\"a\"", NOON, RUN("\"None\"", "\"None\"", "[]")) "]",
       "t: no job: all 1 rows are left out (never started: 1)"},
      {NULL, "[" GOOD ",\n{\"jobid\": \"b\", \"att", "t:2: not valid JSON: it ends too early"},
      {NULL, "[" GOOD "\n", "t:2: not valid JSON: it ends too early"},
      {NULL, "[" GOOD ",]", "t:1: not valid JSON: expected a job before , or ]"},
      {NULL, "[" GOOD "] [", "t:1: not valid JSON: expected nothing behind the array"},
      {NULL, "[" GOOD ",\n{\n\"jobid\" \"b\"}]", "t:3: not valid JSON near \"\"b\"}\""},
      {NULL, "[{\"jobid\":\"\\u0000\"}]", "t:1: a zero character: expected text without one"},
  };
  EXPECT_FAULTS(*state, faults);
  struct trace_options options = options_for(*state, "t");
  write_bytes("t", "[\n{\0}]", 6);
  expect_failure(*state, &options, HSIM_BAD_INPUT, "t:2: not valid JSON: a zero character");
  unlink("t");
}

/* ---- skipping ---- */

/* Bad rows and rows that are no jobs are told apart, and all add up. */
static void test_skipping(void **state) {
  struct world *world = *state;
  struct trace_options options = options_for(world, "t");
  struct trace trace;
  options.skip_bad_rows = true;
  write_text("t", "job_id,num_gpu,submit_time,duration\na,1,0,5\nb,0,0,5\nc,x,0,5\nd,1,0\n"
                  "a,1,0,5\ne,2,0,5\n");
  options.format = "chronus";
  read_ok(world, &options, &trace);
  assert_int_equal(trace.rows, 6);
  assert_int_equal(trace.n_jobs, 2);
  assert_int_equal(trace.skipped_rows, 4);
  assert_int_equal(trace.n_counts, 2);
  assert_string_equal(trace.counts[0].what, "no GPUs");
  assert_int_equal(trace.counts[0].n, 1);
  assert_string_equal(trace.counts[1].what, "bad rows");
  assert_int_equal(trace.counts[1].n, 3);
  assert_non_null(strstr(world->warnings, "t: 3 bad rows of 6 skipped\n"));
  trace_free(&trace);
  options.format = NULL;
  write_text("t", "[" GOOD "," GOOD ",7," ENTRY("\"b\"", NOON, "[]") "]");
  read_ok(world, &options, &trace);
  assert_int_equal(trace.rows, 4);
  assert_int_equal(trace.n_jobs, 1);
  assert_int_equal(trace.skipped_rows, 3);
  trace_free(&trace);
  options.reading.attempts = ATTEMPTS_EACH;
  read_ok(world, &options, &trace);
  assert_int_equal(trace.rows, trace.n_jobs + trace.skipped_rows);
  trace_free(&trace);
  unlink("t");
}

/* When no row is sound, the first one's fault says where and what. */
static void test_all_bad(void **state) {
  static const struct fault faults[] = {
      {NULL, ";\n" SWF("2", "6", "-2", "4", "1") SWF("3", "6", "-3", "4", "1"),
       "t: no job: all 2 rows are bad: the first: t:2: column run time: value \"-2\": expected a "
       "number of at least 0"},
      {NULL, "[{}]",
       "t: no job: all 1 rows are bad: the first: t:1: [0]: value is an object: expected the keys "
       "jobid, submitted_time and attempts"},
      {NULL, "[\n1]",
       "t: no job: all 1 rows are bad: the first: t:2: [0]: value 1: expected an object"},
      {NULL, "[{\"vc\":\"a\",\"vc\":\"b\"}]",
       "t: no job: all 1 rows are bad: the first: t:1: [0].vc: the key stands there twice"},
      {NULL, SACCT_HEAD "1|" T "\n",
       "t: no job: all 1 rows are bad: the first: t:2: a line of 2 fields: expected 7, as in the "
       "header"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    struct trace_options options = options_for(*state, "t");
    options.skip_bad_rows = true;
    write_text("t", faults[i].text);
    expect_failure(*state, &options, HSIM_BAD_INPUT, faults[i].expected);
  }
  unlink("t");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_swf),        cmocka_unit_test(test_sacct),
      cmocka_unit_test(test_philly_log), cmocka_unit_test(test_skipping),
      cmocka_unit_test(test_all_bad),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
