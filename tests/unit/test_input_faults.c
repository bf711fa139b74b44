/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reader of a published log against every kind of fault, with the message word for word. */
#include "input_fixture.h"

/* ---- what all CSV formats have in common ---- */

struct format {
  const char *name, *what;
  const char *header, *row;   /* a good file, both without the line's end */
  const char *id_column, *id; /* NULL: ids are row numbers */
  const char *required[8];    /* columns that the header must have */
};

static const struct format formats[] = {
    {"philly",
     "a Philly trace",
     "timestamp,duration,num_gpus",
     "2017-10-09 07:01:55,5,1",
     NULL,
     NULL,
     {"timestamp", "duration", "num_gpus"}},
    {"helios",
     "a Helios trace",
     "job_id,gpu_num,submit_time,duration",
     "7,1,2020-06-09 18:41:01,5",
     "job_id",
     "7",
     {"job_id", "gpu_num", "submit_time", "duration"}},
    {"acme",
     "an Acme trace",
     "job_id,gpu_num,submit_time,start_time,end_time",
     "7,1,2023-03-01 00:18:22+08:00,2023-03-01 00:18:23+08:00,2023-03-01 00:18:24+08:00",
     "job_id",
     "7",
     {"job_id", "gpu_num", "submit_time", "start_time", "end_time"}},
    {"itp",
     "an ITP trace",
     "job_id,submission_time,duration,num_gpu",
     "7,1,5,1",
     "job_id",
     "7",
     {"job_id", "submission_time", "duration", "num_gpu"}},
    {"tiresias",
     "a Tiresias trace",
     "job_id,num_gpu,submit_time,duration",
     "7,1,0,5",
     "job_id",
     "7",
     {"job_id", "num_gpu", "submit_time", "duration"}},
    {"muri",
     "a Muri trace",
     "job_id,num_gpu,submit_time,duration",
     "7,1,0,5",
     "job_id",
     "7",
     {"job_id", "num_gpu", "submit_time", "duration"}},
    {"chronus",
     "a Chronus trace",
     "job_id,num_gpu,submit_time,duration",
     "7,1,0,5",
     "job_id",
     "7",
     {"job_id", "num_gpu", "submit_time", "duration"}},
    {"openb",
     "an openb pod list",
     "name,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time",
     "7,1,1000,0,9,4",
     "name",
     "7",
     {"name", "num_gpu", "gpu_milli", "creation_time", "deletion_time", "scheduled_time"}},
    {"spot",
     "an Alibaba spot job table",
     "job_name,gpu_request,worker_num,submit_time,duration",
     "7,1,1,0,5",
     "job_name",
     "7",
     {"job_name", "gpu_request", "worker_num", "submit_time", "duration"}},
    {"pai",
     "a PAI task table",
     "job_name,task_name,inst_num,start_time,end_time,plan_gpu",
     "7,w,1.0,0.0,5.0,100.0",
     NULL,
     NULL,
     {"job_name", "task_name", "inst_num", "start_time", "end_time", "plan_gpu"}},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

static void expect_fault(struct world *world, const char *format, const char *text,
                         const char *expected) {
  const struct fault fault = {format, text, expected};
  expect_faults(world, &fault, 1);
}

/* The header without one name. */
static void drop(char *out, const char *header, const char *name) {
  const char *separator = "";
  out[0] = '\0';
  for (const char *at = header; *at != '\0';) {
    size_t length = strcspn(at, ",");
    if (length != strlen(name) || memcmp(at, name, length) != 0) {
      sprintf(out + strlen(out), "%s%.*s", separator, (int)length, at);
      separator = ", ";
    }
    at += length + (at[length] == ',');
  }
}

static void commas(char *out, const char *names) {
  for (; *names != '\0'; names++)
    if (*names != ' ')
      *out++ = *names;
  *out = '\0';
}

static void test_missing_columns(void **state) {
  for (int f = 0; f < N_FORMATS; f++)
    for (int c = 0; c < 8 && formats[f].required[c] != NULL; c++) {
      char names[300], text[600], expected[900];
      drop(names, formats[f].header, formats[f].required[c]);
      commas(text, names);
      strcat(text, "\n");
      snprintf(expected, sizeof expected, "t:1: %s needs the column %s; the header has %s",
               formats[f].what, formats[f].required[c], names);
      expect_fault(*state, formats[f].name, text, expected);
    }
}

static void test_extra_and_double_columns(void **state) {
  for (int f = 0; f < N_FORMATS; f++) {
    char text[600], expected[600];
    snprintf(text, sizeof text, "%s,qqqqq\n%s,1\n", formats[f].header, formats[f].row);
    expect_fault(*state, formats[f].name, text,
                 "t:1: unknown column \"qqqqq\" (the names of additional columns start with x_)");
    snprintf(text, sizeof text, "%s,%s\n", formats[f].header, formats[f].required[1]);
    snprintf(expected, sizeof expected, "t:1: column %s stands there twice",
             formats[f].required[1]);
    expect_fault(*state, formats[f].name, text, expected);
  }
}

static void test_cut_and_binary_files(void **state) {
  for (int f = 0; f < N_FORMATS; f++) {
    char text[600], expected[600];
    int cells = 1;
    for (const char *at = formats[f].header; *at != '\0'; at++)
      cells += *at == ',';
    snprintf(text, sizeof text, "%s\n%s\n8", formats[f].header, formats[f].row);
    snprintf(expected, sizeof expected, "t:3: a row of 1 cell: expected %d, as in the header",
             cells);
    expect_fault(*state, formats[f].name, text, expected);
    snprintf(text, sizeof text, "%s", formats[f].header);
    expect_fault(*state, formats[f].name, text, "t: no job: the header is all there is");
    snprintf(expected, sizeof expected, "t: is empty: expected %s", formats[f].what);
    expect_fault(*state, formats[f].name, "", expected);
    struct trace_options options = options_for(*state, "t");
    options.format = formats[f].name;
    write_bytes("t",
                "\x7f"
                "ELF\x02\0\1\1\n",
                9);
    expect_failure(*state, &options, HSIM_BAD_INPUT, "t:1: a zero byte: expected text");
    unlink("t");
  }
}

static void test_double_ids(void **state) {
  for (int f = 0; f < N_FORMATS; f++) {
    char text[900], expected[600];
    if (formats[f].id == NULL)
      continue;
    snprintf(text, sizeof text, "%s\n%s\n%s\n", formats[f].header, formats[f].row, formats[f].row);
    snprintf(expected, sizeof expected,
             "t:3: column %s: value \"%s\": expected an id of its own; line 2 has the same",
             formats[f].id_column, formats[f].id);
    expect_fault(*state, formats[f].name, text, expected);
  }
  expect_fault(*state, "pai", "j,w,1,Failed,0,5,1,1,100,T4\nj,w,1,Failed,0,5,1,1,100,T4\n",
               "t:2: column task_name: value \"w\": expected a name of its own within job_name; "
               "line 1 has the same for \"j\"");
}

/* Each format's file read as each other's: the first foreign column, or the first row. */
static void test_wrong_formats(void **state) {
  static const struct fault faults[] = {
      {"philly", "job_id,arrival_s\n",
       "t:1: unknown column \"job_id\" (the names of additional columns start with x_)"},
      {"helios", "timestamp,duration,num_gpus\n",
       "t:1: unknown column \"timestamp\" (the names of additional columns start with x_)"},
      {"acme", "job_id,submission_time,duration,num_gpu\n",
       "t:1: unknown column \"submission_time\"; did you mean \"submit_time\"? (the names of "
       "additional columns start with x_)"},
      {"itp", "job_id,num_gpu,submit_time,duration\n",
       "t:1: unknown column \"submit_time\"; did you mean \"submission_time\"? (the names of "
       "additional columns start with x_)"},
      {"tiresias", "name,num_gpu,gpu_milli\n",
       "t:1: unknown column \"name\" (the names of additional columns start with x_)"},
      {"muri", "sn,cpu_milli\n",
       "t:1: unknown column \"sn\" (the names of additional columns start with x_)"},
      {"chronus", "job_id,gpu_num\n",
       "t:1: unknown column \"gpu_num\" (the names of additional columns start with x_)"},
      {"openb", "job_name,gpu_model\n",
       "t:1: unknown column \"job_name\" (the names of additional columns start with x_)"},
      {"spot", "A3C\tc\tn\t1\t5\t9\t1\n",
       "t:1: unknown column \"A3C c n 1 5 9 1\" (the names of additional columns start with x_)"},
      {"pai", "A3C\tc\tn\t1\t5\t9\t1\n", "t:1: a row of 1 cell: expected 10"},
      {"gavel", "job_id,num_gpu\n",
       "t:1: a line of 1 tab-separated columns: expected 7, 10 or 12 (a Gavel trace)"},
      {"swf", "job_id,num_gpu\n",
       "t:1: a line of 1 field: expected 18 (the Standard Workload Format)"},
      {"sacct", "job_id,num_gpu\n",
       "t:1: sacct output needs the fields JobID or JobIDRaw, Submit, Elapsed or ElapsedRaw or "
       "both Start and End, and ReqTRES or AllocTRES: the header has no id"},
      {"philly-log", "timestamp,duration\n",
       "t:1: not valid JSON: expected an array of jobs, which begins with ["},
      {"native", "[{}]\n",
       "t:1: unknown column \"[{}]\" (the names of additional columns start with x_)"},
  };
  EXPECT_FAULTS(*state, faults);
}

/* ---- cells: wrong type, out of range, nothing where something has to be ---- */

#define HELIOS(id, gpus, submit, duration)                                                         \
  "job_id,gpu_num,submit_time,duration\n" id "," gpus "," submit "," duration "\n"
#define ACME(gpus, submit, start, end)                                                             \
  "job_id,gpu_num,submit_time,start_time,end_time\n7," gpus "," submit "," start "," end "\n"
#define DAY "2023-03-01 00:00:00+08:00"
#define DATE "2020-06-09 18:41:01"
#define A_DATE "expected a date and time like 2017-10-09 07:01:55"
#define A_COUNT "expected a whole number from 1 to 2147483647"
#define A_COUNT_OR_0 "expected a whole number from 0 to 2147483647"

static void test_cells_with_dates(void **state) {
  static const struct fault faults[] = {
      {NULL, HELIOS("", "1", DATE, "5"),
       "t:2: column job_id: value \"\": expected a text that is not empty"},
      {NULL, HELIOS("7", "1.5", DATE, "5"), "t:2: column gpu_num: value \"1.5\": " A_COUNT_OR_0},
      {NULL, HELIOS("7", "-1", DATE, "5"), "t:2: column gpu_num: value \"-1\": " A_COUNT_OR_0},
      {NULL, HELIOS("7", "", DATE, "5"), "t:2: column gpu_num: value \"\": " A_COUNT_OR_0},
      {NULL, HELIOS("7", "1", "None", "5"), "t:2: column submit_time: value \"None\": " A_DATE},
      {NULL, HELIOS("7", "1", "1591728061", "5"),
       "t:2: column submit_time: value \"1591728061\": " A_DATE},
      {NULL, HELIOS("7", "1", DATE, "-5"),
       "t:2: column duration: value \"-5\": expected a number of at least 0"},
      {NULL, HELIOS("7", "1", DATE, "1e13"),
       "t:2: column duration: value \"1e13\": expected at most 1e12 seconds"},
      {NULL, HELIOS("7", "1", DATE, "1e999"),
       "t:2: column duration: value \"1e999\": expected a number of at least 0 within "
       "+-1.7976931348623157e308"},
      {NULL, HELIOS("7", "1", DATE, "inf"),
       "t:2: column duration: value \"inf\": expected a number of at least 0"},
      {NULL, HELIOS("7", "1", DATE, "None"),
       "t: no job: all 1 rows are left out (never started: 1)"},
      {NULL, HELIOS("7", "0", DATE, "5"), "t: no job: all 1 rows are left out (no GPUs: 1)"},
      {NULL, ACME("2147483648", DAY, DAY, DAY),
       "t:2: column gpu_num: value \"2147483648\": " A_COUNT_OR_0},
      {NULL, ACME("8", "", DAY, DAY), "t:2: column submit_time: value \"\": " A_DATE},
      {NULL, ACME("8", DAY, "soon", DAY), "t:2: column start_time: value \"soon\": " A_DATE},
      {NULL, ACME("8", DAY, "2023-03-01 00:00:01+08:00", DAY),
       "t:2: column end_time: value \"2023-03-01 00:00:00+08:00\": expected no earlier time than "
       "start_time; it is \"2023-03-01 00:00:01+08:00\""},
      {NULL, ACME("8", DAY, "", DAY), "t: no job: all 1 rows are left out (never started: 1)"},
      {NULL, ACME("8", DAY, DAY, "nan"), "t: no job: all 1 rows are left out (not ended: 1)"},
      {NULL, ACME("8", DAY, DAY, DAY), "t: no job: all 1 rows are left out (no run time: 1)"},
      {NULL, "timestamp,duration,num_gpus\n" DATE ",5,-1\n",
       "t:2: column num_gpus: value \"-1\": " A_COUNT},
  };
  EXPECT_FAULTS(*state, faults);
}

#define ITP(submit, duration, gpus)                                                                \
  "job_id,submission_time,duration,num_gpu\n7," submit "," duration "," gpus "\n"
#define TIRESIAS(gpus, submit, duration)                                                           \
  "job_id,num_gpu,submit_time,duration\n7," gpus "," submit "," duration "\n"
#define OPENB(gpus, milli, creation, deletion, scheduled)                                          \
  "name,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time\n7," gpus "," milli           \
  "," creation "," deletion "," scheduled "\n"
#define PAI(instances, start, end, gpus)                                                           \
  "j,w," instances ",Failed," start "," end ",600.0,29.3," gpus ",T4\n"
#define SPOT(gpus, workers, submit, duration)                                                      \
  "job_name,gpu_request,worker_num,submit_time,duration\n7," gpus "," workers "," submit           \
  "," duration "\n"
#define WHOLE_GPUS                                                                                 \
  "expected whole GPUs (--fractional up rounds up, --fractional skip leaves the job out)"

static void test_cells_with_numbers(void **state) {
  static const struct fault faults[] = {
      {NULL, ITP("-1", "5", "1"),
       "t:2: column submission_time: value \"-1\": expected a number of at least 0"},
      {NULL, ITP("2021-01-01 00:00:00", "5", "1"),
       "t:2: column submission_time: value \"2021-01-01 00:00:00\": expected a number of at least "
       "0"},
      {NULL, ITP("0", "0", "1"), "t:2: column duration: value \"0\": expected a number above 0"},
      {NULL, ITP("0", "None", "1"),
       "t:2: column duration: value \"None\": expected a number above 0"},
      {NULL, ITP("0", "5", "0"), "t:2: column num_gpu: value \"0\": " A_COUNT},
      {NULL, ITP("0", "5", "many"), "t:2: column num_gpu: value \"many\": " A_COUNT},
      {NULL, TIRESIAS("-1", "0", "5"), "t:2: column num_gpu: value \"-1\": " A_COUNT_OR_0},
      {NULL, TIRESIAS("1", "", "5"),
       "t:2: column submit_time: value \"\": expected a number of at least 0"},
      {NULL, TIRESIAS("1", "0", "-1"),
       "t:2: column duration: value \"-1\": expected a number above 0"},
      {"muri", TIRESIAS("1", "nan", "5"),
       "t:2: column submit_time: value \"nan\": expected a number of at least 0"},
      {"muri", TIRESIAS("1", "1e16", "5"),
       "t:2: column submit_time: value \"1e16\": expected at most 1e12 seconds"},
      {"muri", TIRESIAS("0", "0", "5"), "t: no job: all 1 rows are left out (no GPUs: 1)"},
      {"chronus", TIRESIAS("1", "0", "0"),
       "t:2: column duration: value \"0\": expected a number above 0"},
      {"chronus", TIRESIAS("1", "0x10", "5"),
       "t:2: column submit_time: value \"0x10\": expected a number of at least 0"},
      {"chronus", TIRESIAS("1", "1", "1e11"),
       "t:2: column duration: value \"1e11\": expected at most 1e12 seconds"},
      {NULL, OPENB("1", "-460", "0", "9", "4"),
       "t:2: column gpu_milli: value \"-460\": expected a number of at least 0"},
      {NULL, OPENB("1", "", "0", "9", "4"),
       "t:2: column gpu_milli: value \"\": expected a number of at least 0"},
      {NULL, OPENB("1", "1001", "0", "9", "4"),
       "t:2: column gpu_milli: value \"1001\": " WHOLE_GPUS},
      {NULL, OPENB("1.5", "1000", "0", "9", "4"),
       "t:2: column num_gpu: value \"1.5\": " A_COUNT_OR_0},
      {NULL, OPENB("1", "1000", "", "9", "4"),
       "t:2: column creation_time: value \"\": expected a number of at least 0"},
      {NULL, OPENB("1", "1000", "0", "3", "4"),
       "t:2: column deletion_time: value \"3\": expected no earlier time than scheduled_time; it "
       "is \"4\""},
      {NULL, OPENB("1", "1000", "0", "", "4"), "t: no job: all 1 rows are left out (not ended: 1)"},
      {NULL, PAI("1.5", "0", "5", "100"),
       "t:1: column inst_num: value \"1.5\": expected a whole number of at least 1"},
      {NULL, PAI("0", "0", "5", "100"),
       "t:1: column inst_num: value \"0\": expected a number above 0"},
      {NULL, PAI("1", "zero", "5", "100"),
       "t:1: column start_time: value \"zero\": expected a number of at least 0"},
      {NULL, PAI("1", "0", "-5", "100"),
       "t:1: column end_time: value \"-5\": expected a number of at least 0"},
      {NULL, PAI("1", "0", "5", "50.0"), "t:1: column plan_gpu: value \"50.0\": " WHOLE_GPUS},
      {NULL, PAI("1", "0", "5", "nan"),
       "t:1: column plan_gpu: value \"nan\": expected a number of at least 0"},
      {NULL, PAI("1e9", "0", "5", "300"),
       "t:1: column plan_gpu: value \"300\": expected at most 2147483647 GPUs in all"},
      {NULL, SPOT("0.5", "1", "0", "5"), "t:2: column gpu_request: value \"0.5\": " WHOLE_GPUS},
      {NULL, SPOT("1", "", "0", "5"),
       "t:2: column worker_num: value \"\": expected a number above 0"},
      {NULL, SPOT("1", "1", "-1", "5"),
       "t:2: column submit_time: value \"-1\": expected a number of at least 0"},
      {NULL, SPOT("1", "1", "0", ""),
       "t:2: column duration: value \"\": expected a number of at least 0"},
      {NULL, SPOT("1", "1", "0", "0"), "t: no job: all 1 rows are left out (no run time: 1)"},
  };
  EXPECT_FAULTS(*state, faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_missing_columns),      cmocka_unit_test(test_extra_and_double_columns),
      cmocka_unit_test(test_cut_and_binary_files), cmocka_unit_test(test_double_ids),
      cmocka_unit_test(test_wrong_formats),        cmocka_unit_test(test_cells_with_dates),
      cmocka_unit_test(test_cells_with_numbers),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
