/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published logs: cuts of the real files, and what hsim has to make of their rows. */
#include <math.h>

#include "input_fixture.h"

struct expected_job {
  const char *id;
  double arrival_s;
  int workers;
  double duration_s; /* steps / rate of the assigned model would do, but GPU-hours are simpler */
  const char *tenant;
};

static void read_as(struct world *world, const char *file, const struct trace_reading *reading,
                    struct trace *trace) {
  struct trace_options options = options_for(world, file);
  if (reading != NULL)
    options.reading = *reading;
  read_ok(world, &options, trace);
  assert_int_equal(trace->rows, trace->n_jobs + trace->skipped_rows);
  int skipped = 0;
  for (int i = 0; i < trace->n_counts; i++)
    skipped += trace->counts[i].skipped ? trace->counts[i].n : 0;
  assert_int_equal(skipped, trace->skipped_rows);
}

static int counted(const struct trace *trace, const char *what) {
  for (int i = 0; i < trace->n_counts; i++)
    if (strcmp(trace->counts[i].what, what) == 0)
      return trace->counts[i].n;
  return 0;
}

/* Jobs in arrival order; durations show in the GPU-seconds. */
static void expect_jobs(const struct trace *trace, const char *format, const char *unit,
                        const struct expected_job *jobs, int n) {
  double gpu_s = 0;
  assert_string_equal(trace->format, format);
  if (unit == NULL)
    assert_null(trace->unit);
  else
    assert_string_equal(trace->unit, unit);
  assert_non_null(trace->assigned);
  assert_int_equal(trace->n_jobs, n);
  for (int i = 0; i < n; i++) {
    const struct hsim_job *job = &trace->jobs[i];
    assert_string_equal(job->id, jobs[i].id);
    assert_int_equal(job->workers, jobs[i].workers);
    if (job->arrival_s != jobs[i].arrival_s)
      fail_msg("%s arrives at %.17g", job->id, job->arrival_s);
    if (jobs[i].tenant == NULL)
      assert_int_equal(job->tenant, -1);
    else
      assert_string_equal(trace->tenants.at[job->tenant], jobs[i].tenant);
    gpu_s += jobs[i].duration_s * jobs[i].workers;
  }
  if (!near_enough(trace->gpu_s, gpu_s))
    fail_msg("%.17g GPU-seconds, expected %.17g", trace->gpu_s, gpu_s);
}

#define EXPECT_JOBS(trace, format, unit, jobs)                                                     \
  expect_jobs(trace, format, unit, jobs, (int)(sizeof(jobs) / sizeof(jobs)[0]))

static void test_helios(void **state) {
  static const struct expected_job jobs[] = {{"1425511", 0, 1, 36848, "vcJkd"},
                                             {"1425512", 26, 4, 249, "vchbv"},
                                             {"1425513", 27, 1, 675233, "vcpDC"}};
  struct trace trace;
  read_as(*state, DATA("helios.csv"), NULL, &trace);
  EXPECT_JOBS(&trace, "helios", NULL, jobs);
  trace_free(&trace);
}

/* The times name their zones, and Kalos' durations contain the queue. */
static void test_acme(void **state) {
  static const struct expected_job seren[] = {{"5778432", 0, 8, 117, "u5907"},
                                              {"5778469", 336, 8, 2693, "u5907"}};
  static const struct expected_job kalos[] = {{"dlctk696s0jbvitv", 0, 64, 8, "uf794"},
                                              {"dlc1t2ypl09b8qtp", 1664, 64, 70, "uf794"}};
  struct trace trace;
  read_as(*state, DATA("acme_seren.csv"), NULL, &trace);
  EXPECT_JOBS(&trace, "acme", NULL, seren);
  trace_free(&trace);
  read_as(*state, DATA("acme_kalos.csv"), NULL, &trace);
  EXPECT_JOBS(&trace, "acme", NULL, kalos);
  trace_free(&trace);
}

/* Its first second is not 0 and stays what it is; no newline at the end. */
static void test_itp(void **state) {
  struct trace trace;
  read_as(*state, DATA("itp.csv"), NULL, &trace);
  assert_int_equal(trace.n_jobs, 6);
  assert_string_equal(trace.jobs[0].id, "965d744f-0445-c1a8-12af-97e4c536c66e");
  assert_true(trace.jobs[0].arrival_s == 1932025);
  assert_int_equal(trace.jobs[0].workers, 64);
  assert_string_equal(trace.unit, "seconds");
  trace_free(&trace);
}

static void test_tiresias(void **state) {
  static const struct trace_reading minutes = {.unit = UNIT_MINUTES};
  struct trace trace;
  read_as(*state, DATA("tiresias.csv"), NULL, &trace);
  assert_string_equal(trace.format, "tiresias");
  assert_int_equal(trace.n_jobs, 6);
  assert_true(trace.jobs[1].arrival_s == 30 && trace.jobs[1].workers == 8);
  double gpu_s = trace.gpu_s;
  trace_free(&trace);
  read_as(*state, DATA("tiresias.csv"), &minutes, &trace);
  assert_string_equal(trace.unit, "minutes");
  assert_true(trace.jobs[1].arrival_s == 1800);
  assert_true(near_enough(trace.gpu_s, 60 * gpu_s));
  trace_free(&trace);
}

static void test_muri(void **state) {
  struct trace trace;
  read_as(*state, DATA("muri.csv"), NULL, &trace);
  assert_string_equal(trace.format, "muri");
  assert_string_equal(trace.unit, "milliseconds");
  assert_int_equal(trace.n_jobs, 5);
  assert_true(trace.jobs[4].arrival_s == 512036);
  trace_free(&trace);
}

static void test_chronus(void **state) {
  static const struct expected_job jobs[] = {{"1", 60 * 832, 1, 60 * 98, "vc_ed69ec"},
                                             {"0", 60 * 8555, 1, 60 * 747, "vc_6214e9"},
                                             {"2", 60 * 14341, 1, 60 * 30, "vc_ee9e8c"},
                                             {"3", 60 * 16962, 1, 60 * 158, "vc_6214e9"}};
  struct trace trace;
  read_as(*state, DATA("chronus.csv"), NULL, &trace);
  EXPECT_JOBS(&trace, "chronus", "minutes", jobs);
  assert_int_equal(counted(&trace, "no GPUs"), 2);
  trace_free(&trace);
}

static void test_openb(void **state) {
  static const struct trace_reading up = {.fractional = FRACTIONAL_UP};
  static const struct trace_reading leave = {.fractional = FRACTIONAL_SKIP};
  static const struct expected_job rounded[] = {
      {"openb-pod-0000", 0, 1, 12537496, NULL},
      {"openb-pod-0001", 427061, 1, 12902960 - 427061, NULL},
      {"openb-pod-0002", 1558381, 1, 12902960 - 1558381, NULL},
      {"openb-pod-0017", 9437497, 8, 10769854 - 9437497, NULL}};
  static const struct expected_job whole[] = {
      {"openb-pod-0000", 0, 1, 12537496, NULL},
      {"openb-pod-0002", 1558381, 1, 12902960 - 1558381, NULL},
      {"openb-pod-0017", 9437497, 8, 10769854 - 9437497, NULL}};
  struct trace trace;
  read_as(*state, DATA("openb_pods.csv"), &up, &trace);
  EXPECT_JOBS(&trace, "openb", "seconds", rounded);
  assert_int_equal(counted(&trace, "never started"), 2);
  assert_int_equal(counted(&trace, "no GPUs"), 1);
  assert_int_equal(counted(&trace, "jobs with a part of a GPU, rounded up"), 1);
  assert_int_equal(trace.skipped_rows, 3);
  trace_free(&trace);
  read_as(*state, DATA("openb_pods.csv"), &leave, &trace);
  EXPECT_JOBS(&trace, "openb", "seconds", whole);
  assert_int_equal(counted(&trace, "a part of a GPU"), 1);
  trace_free(&trace);
  struct trace_options options = options_for(*state, DATA("openb_pods.csv"));
  expect_failure(*state, &options, HSIM_BAD_INPUT,
                 DATA("openb_pods.csv") ":3: column gpu_milli: value \"460\": expected whole GPUs "
                                        "(--fractional up rounds up, --fractional skip leaves the "
                                        "job out)");
}

/* Types that the cluster has bind the job; of a list with an unknown one nothing is known. */
static void test_openb_types(void **state) {
#define PODS                                                                                       \
  "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"              \
  "deletion_time,scheduled_time\n"
  struct trace trace;
  read_text(*state,
            PODS "a,1,1,1,1000,v100|k80,LS,Running,0,10,0\nb,1,1,1,1000,v100|V100M16,,,1,10,2\n"
                 "c,1,1,1,1000,,,,2,10,2\n",
            &trace);
  assert_int_equal(trace.jobs[0].gpu_types, 1 | 4); /* v100, p100, k80 */
  assert_int_equal(trace.jobs[1].gpu_types, 7);
  assert_int_equal(trace.jobs[2].gpu_types, 7);
  assert_int_equal(
      counted(&trace, "jobs whose GPU type is in neither cluster nor rates: may use any"), 1);
  trace_free(&trace);
}

/* A part is a part of each worker's GPU, even when all parts together make whole ones. */
static void test_openb_parts(void **state) {
  static const struct trace_reading up = {.fractional = FRACTIONAL_UP};
  static const struct trace_reading leave = {.fractional = FRACTIONAL_SKIP};
  static const struct expected_job jobs[] = {
      {"a", 0, 2, 10, NULL}, {"b", 1, 4, 9, NULL}, {"c", 2, 3, 8, NULL}, {"d", 3, 2, 7, NULL}};
  static const struct expected_job whole[] = {{"d", 3, 2, 7, NULL}};
  static const char pods[] = PODS "a,1,1,2,500,,,,0,10,0\nb,1,1,4,750,,,,1,10,1\n"
                                  "c,1,1,3,500,,,,2,10,2\nd,1,1,2,1000,,,,3,10,3\n";
  struct trace trace;
  write_text("t", pods);
  read_as(*state, "t", &up, &trace);
  EXPECT_JOBS(&trace, "openb", "seconds", jobs);
  assert_int_equal(counted(&trace, "jobs with a part of a GPU, rounded up"), 3);
  trace_free(&trace);
  read_as(*state, "t", &leave, &trace);
  EXPECT_JOBS(&trace, "openb", "seconds", whole);
  assert_int_equal(counted(&trace, "a part of a GPU"), 3);
  trace_free(&trace);
  expect_bad(*state, pods,
             "t:2: column gpu_milli: value \"500\": expected whole GPUs (--fractional up rounds "
             "up, --fractional skip leaves the job out)");
}

/* Published without a header; the first row is the one in its description. */
static void test_pai(void **state) {
  static const struct trace_reading up = {.fractional = FRACTIONAL_UP};
  static const struct expected_job one[] = {
      {"4f057009a5d481acec67b088/tensorflow", 1739162, 1, 38, NULL}};
  static const struct expected_job more[] = {{"j/worker", 100, 6, 50, NULL},
                                             {"j/chief", 100, 2, 60, NULL}};
  struct trace trace;
  read_as(*state, DATA("pai_task_table.csv"), &up, &trace);
  EXPECT_JOBS(&trace, "pai", "seconds", one);
  assert_string_equal(trace.apps.at[trace.jobs[0].app], "4f057009a5d481acec67b088");
  trace_free(&trace);
  write_text("t", "j,ps,1.0,Terminated,100.0,150.0,600.0,29.3,,\n"
                  "j,worker,3.0,Terminated,100.0,150.0,600.0,29.3,150.0,T4\n"
                  "j,chief,1.0,Failed,100.0,160.0,600.0,29.3,200.0,T4\n"
                  "j,evaluator,,Waiting,,,600.0,29.3,100.0,T4\n"
                  "k,worker,1.0,Running,100.0,,600.0,29.3,100.0,T4\n"
                  "l,worker,1.0,Failed,100.0,100.0,600.0,29.3,100.0,T4\n"
                  "m,worker,1.0,Waiting,,,600.0,29.3,100.0,T4\n");
  read_as(*state, "t", &up, &trace);
  EXPECT_JOBS(&trace, "pai", "seconds", more);
  assert_int_equal(trace.apps.n, 1);
  assert_int_equal(counted(&trace, "no GPUs"), 1);
  assert_int_equal(counted(&trace, "unknown number of instances"), 1);
  assert_int_equal(counted(&trace, "not ended"), 1);
  assert_int_equal(counted(&trace, "no run time"), 1);
  assert_int_equal(counted(&trace, "never started"), 1);
  assert_int_equal(counted(&trace, "jobs with a part of a GPU, rounded up"), 1);
  trace_free(&trace);
  write_text("t", "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,"
                  "plan_gpu,gpu_type\nj,w,1,Terminated,1,3,600.0,29.3,100,T4\n");
  read_as(*state, "t", NULL, &trace);
  assert_string_equal(trace.jobs[0].id, "j/w");
  trace_free(&trace);
  unlink("t");
  expect_bad(*state, "4b3f,8cb3,5854,Terminated,4550879.0,4551416.0\n",
             "t:1: PAI's job table says nothing of GPUs: expected its task table "
             "(pai_task_table)");
}

/* Its header is known by its names, wherever they stand, and each column is read by its own. */
static void test_pai_headers(void **state) {
#define REORDERED "task_name,job_name,inst_num,status,start_time,end_time,plan_cpu,gpu_type,"
#define ROW "w,j,1,Terminated,1,3,600.0,T4,100,200\n"
  static const char *const texts[] = {
      REORDERED "plan_gpu,plan_mem\n" ROW,
      "\n\r\n" REORDERED "plan_gpu,plan_mem\n" ROW,
      "\xef\xbb\xbf\"task_name\",\"job_name\",\"inst_num\",\"status\",\"start_time\",\"end_time\","
      "\"plan_cpu\",\"gpu_type\",\"plan_gpu\",\"plan_mem\"\n" ROW,
      "plan_gpu,inst_num,end_time,start_time,job_name,task_name\n100,1,3,1,j,w\n",
      "j,w,1,Terminated,1,3,600.0,200,100,T4\n",
      "\nj,w,1,Terminated,1,3,600.0,200,100,T4\n",
      "job_name,w,1,Terminated,1,3,600.0,200,100,T4\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    bool named = strstr(texts[i], "job_name,w") != NULL; /* a job of that name */
    struct trace trace;
    write_text("t", texts[i]);
    for (int given = 0; given < 2; given++) {
      struct trace_options options = options_for(*state, "t");
      options.skip_bad_rows = true;
      options.format = given == 1 ? "pai" : NULL;
      read_ok(*state, &options, &trace);
      assert_string_equal(trace.format, "pai");
      assert_int_equal(trace.rows, 1);
      assert_int_equal(trace.n_jobs, 1);
      assert_string_equal(trace.jobs[0].id, named ? "job_name/w" : "j/w");
      assert_int_equal(trace.jobs[0].workers, 1);
      trace_free(&trace);
    }
  }
  unlink("t");
}

static void test_spot(void **state) {
  static const struct expected_job jobs[] = {{"239255", 0, 1, 2764799, "13"},
                                             {"253689", 0, 1, 15897599, "13"},
                                             {"437260", 9589663, 16, 41060, "57"},
                                             {"437261", 9589663, 94, 71718, "57"}};
  struct trace trace;
  read_as(*state, DATA("spot.csv"), NULL, &trace);
  EXPECT_JOBS(&trace, "spot", "seconds", jobs);
  trace_free(&trace);
}

static void test_swf(void **state) {
  struct trace trace;
  read_as(*state, DATA("kth.swf"), NULL, &trace);
  assert_string_equal(trace.format, "swf");
  assert_null(trace.unit);
  assert_int_equal(trace.n_jobs, 9);
  assert_string_equal(trace.jobs[1].id, "2");
  assert_true(trace.jobs[1].arrival_s == 1000 && trace.jobs[1].workers == 80);
  assert_string_equal(trace.tenants.at[trace.jobs[0].tenant], "17");
  trace_free(&trace);
  read_as(*state, DATA("accasim.swf"), NULL, &trace); /* begins with blanks, not with a comment */
  assert_int_equal(trace.n_jobs, 4);
  assert_string_equal(trace.jobs[0].id, "184");
  assert_true(trace.jobs[0].arrival_s == 561553 && trace.jobs[0].workers == 16);
  trace_free(&trace);
}

#define SWF(job, run, allocated, requested, state)                                                 \
  job " 5 1 " run " " allocated " -1 -1 " requested " -1 -1 " state " -1 1 1 1 1 -1 -1\n"

static void test_swf_unknowns(void **state) {
  struct trace trace;
  write_text("t", "; a comment\n" SWF("1", "10", "4", "-1", "1") SWF("2", "-1", "4", "8", "0")
                      SWF("3", "0", "4", "8", "5") SWF("4", "10", "-1", "-1", "1")
                          SWF("5", "10", "4", "4", "2") SWF("5", "20", "4", "8", "1")
                              SWF("6", "10", "4", "0", "1") SWF("7", "10", "0", "0", "1"));
  read_as(*state, "t", NULL, &trace);
  assert_int_equal(trace.n_jobs, 3);
  assert_int_equal(trace.jobs[0].workers, 4);
  assert_int_equal(trace.jobs[0].tenant, -1);
  assert_int_equal(trace.jobs[1].workers, 8);
  assert_int_equal(trace.jobs[2].workers, 4);
  assert_true(near_enough(trace.gpu_s, 40 + 160 + 40));
  assert_int_equal(counted(&trace, "unknown run time"), 1);
  assert_int_equal(counted(&trace, "no run time"), 1);
  assert_int_equal(counted(&trace, "unknown number of processors"), 2);
  assert_int_equal(counted(&trace, "parts of a job of another line"), 1);
  trace_free(&trace);
  unlink("t");
}

static void test_swf_estimates(void **state) {
#define ESTIMATED(job, requested) job " 5 1 10 4 -1 -1 4 " requested " -1 1 -1 1 1 1 1 -1 -1\n"
  struct trace trace;
  read_text(*state, ESTIMATED("1", "3600") ESTIMATED("2", "-1") ESTIMATED("3", "0"), &trace);
  assert_true(trace.jobs[0].estimate_s == 3600);
  assert_true(isnan(trace.jobs[1].estimate_s) && isnan(trace.jobs[2].estimate_s));
  trace_free(&trace);
  expect_bad(*state, ESTIMATED("1", "-2"),
             "t:1: column requested time: value \"-2\": expected a number of at least 0");
}

static void test_sacct(void **state) {
  static const struct expected_job jobs[] = {{"1002_7", 0, 1, 90001, "speech"},
                                             {"1001", 60, 4, 7200, "vision"}};
  struct trace trace;
  read_as(*state, DATA("sacct.txt"), NULL, &trace);
  EXPECT_JOBS(&trace, "sacct", NULL, jobs);
  assert_int_equal(trace.jobs[0].gpu_types, 2); /* asked for a p100 */
  assert_int_equal(trace.jobs[1].gpu_types, 7); /* got v100, asked for none */
  assert_int_equal(counted(&trace, "job steps"), 2);
  assert_int_equal(counted(&trace, "no GPUs"), 1);
  assert_int_equal(counted(&trace, "never started"), 1);
  assert_int_equal(counted(&trace, "not ended"), 1);
  trace_free(&trace);
}

/* Columns in any order, a bar at the end of lines (--parsable), seconds instead of h:m:s. */
static void test_sacct_columns(void **state) {
  struct trace trace;
  read_text(*state,
            "AllocTRES|Submit|ElapsedRaw|JobIDRaw|\r\n"
            "cpu=1,gres/gpu:v100=1,gres/gpu:k80=2,gres/gpumem=5|2024-03-01T00:00:00|77|5|\r\n"
            "gres/gpu=0,gres/gpu:v100=0|2024-03-01T00:00:00|77|6|\r\n"
            "gres/gpu:v100=2,gres/gpu=3|2024-03-01T00:00:30Z|77|7|\r\n",
            &trace);
  assert_int_equal(trace.n_jobs, 2);
  assert_int_equal(trace.jobs[0].workers, 3);
  assert_int_equal(trace.jobs[1].workers, 3);
  assert_true(trace.jobs[1].arrival_s == 30);
  assert_true(near_enough(trace.gpu_s, 6 * 77));
  trace_free(&trace);
  read_text(*state,
            "JobID|Submit|Start|End|ReqTRES\n"
            "5|2024-03-01T00:00:00|2024-03-01T00:00:10|2024-03-01T00:00:30|gres/gpu=1\n",
            &trace);
  assert_true(near_enough(trace.gpu_s, 20));
  trace_free(&trace);
}

/* One job for all attempts, or one an attempt that arrives when the one before it ended. */
static void test_philly_log(void **state) {
  static const struct trace_reading each = {.attempts = ATTEMPTS_EACH};
  static const struct expected_job sum[] = {
      {"application_1506638472019_14199", 0, 8, 74 + 193182, "ee9e8c"}};
  static const struct expected_job two[] = {
      {"application_1506638472019_14199/1", 0, 8, 74, "ee9e8c"},
      {"application_1506638472019_14199/2", 104, 8, 193182, "ee9e8c"}};
  struct trace trace;
  read_as(*state, DATA("philly_log.json"), NULL, &trace);
  EXPECT_JOBS(&trace, "philly-log", NULL, sum);
  trace_free(&trace);
  read_as(*state, DATA("philly_log.json"), &each, &trace);
  EXPECT_JOBS(&trace, "philly-log", NULL, two);
  assert_string_equal(trace.apps.at[trace.jobs[1].app], "application_1506638472019_14199");
  trace_free(&trace);
}

static void test_philly_log_unknowns(void **state) {
  static const struct trace_reading each = {.attempts = ATTEMPTS_EACH};
  static const struct expected_job two[] = {{"c/1", 10, 1, 2, "v"}, {"c/3", 12, 2, 10, "v"}};
  struct trace trace;
  read_as(*state, DATA("philly_log_gaps.json"), NULL, &trace);
  assert_int_equal(trace.rows, 6);
  assert_int_equal(trace.n_jobs, 1);
  assert_int_equal(trace.jobs[0].workers, 2);
  assert_int_equal(trace.jobs[0].line, 10);
  assert_true(near_enough(trace.gpu_s, 2 + 20));
  assert_int_equal(counted(&trace, "never started"), 2);
  assert_int_equal(counted(&trace, "unknown submission"), 1);
  assert_int_equal(counted(&trace, "no GPUs"), 1);
  assert_int_equal(counted(&trace, "no run time"), 1);
  trace_free(&trace);
  read_as(*state, DATA("philly_log_gaps.json"), &each, &trace);
  EXPECT_JOBS(&trace, "philly-log", NULL, two);
  assert_int_equal(trace.rows, 8);
  assert_int_equal(counted(&trace, "not ended"), 1);
  trace_free(&trace);
}

static void test_bad_options(void **state) {
  (void)state;
  static const struct {
    const char *option, *value, *expected;
  } bad[] = {{"time-unit", "days", "seconds, milliseconds, minutes or hours"},
             {"repeated-hour", "third", "first or second"},
             {"fractional", "down", "error, up or skip"},
             {"attempts", "", "sum or each"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct trace_reading reading = {0};
    struct hsim_error error = {.text = ""};
    char expected[200];
    assert_int_equal(trace_reading_set(&reading, bad[i].option, bad[i].value, &error),
                     HSIM_BAD_USAGE);
    snprintf(expected, sizeof expected, "option --%s: value \"%s\": expected %s", bad[i].option,
             bad[i].value, bad[i].expected);
    assert_string_equal(error.text, expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_helios),
      cmocka_unit_test(test_acme),
      cmocka_unit_test(test_itp),
      cmocka_unit_test(test_tiresias),
      cmocka_unit_test(test_muri),
      cmocka_unit_test(test_chronus),
      cmocka_unit_test(test_openb),
      cmocka_unit_test(test_openb_types),
      cmocka_unit_test(test_openb_parts),
      cmocka_unit_test(test_pai_headers),
      cmocka_unit_test(test_pai),
      cmocka_unit_test(test_spot),
      cmocka_unit_test(test_swf),
      cmocka_unit_test(test_swf_unknowns),
      cmocka_unit_test(test_swf_estimates),
      cmocka_unit_test(test_sacct),
      cmocka_unit_test(test_sacct_columns),
      cmocka_unit_test(test_philly_log),
      cmocka_unit_test(test_philly_log_unknowns),
      cmocka_unit_test(test_bad_options),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
