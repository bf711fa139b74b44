/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The published logs that are a CSV with a job a row. */
#include "input/trace_table.h"

#define N(columns) (int)(sizeof(columns) / sizeof(columns)[0])

/* Microsoft Philly 2017 (Jeon et al., USENIX ATC'19), the CSV published with Qiao et al., Pollux,
 * OSDI'21. gpu_time is num_gpus * duration. */
static const struct table_column philly[] = {
    {.name = "timestamp", .role = ROLE_SUBMIT, .required = true},
    {.name = "duration", .role = ROLE_DURATION, .required = true},
    {.name = "num_gpus", .role = ROLE_GPUS, .required = true},
    {.name = "gpu_time"},
    {.name = "cluster", .role = ROLE_TENANT},
};

/* SenseTime Helios 2020 (Hu et al., SC'21). Half of the jobs are CPU jobs. */
static const struct table_column helios[] = {
    {.name = "job_id", .role = ROLE_ID, .required = true},
    {.name = "user"},
    {.name = "vc", .role = ROLE_TENANT},
    {.name = "gpu_num", .role = ROLE_GPUS, .required = true, .zero_what = READER_NO_GPUS},
    {.name = "cpu_num"},
    {.name = "node_num"},
    {.name = "state"},
    {.name = "submit_time", .role = ROLE_SUBMIT, .required = true},
    {.name = "start_time"},
    {.name = "end_time"},
    {.name = "duration",
     .role = ROLE_DURATION,
     .required = true,
     .none = "|None|nan",
     .none_what = READER_NOT_STARTED,
     .zero_what = READER_NO_RUN_TIME},
    {.name = "queue"},
};

/* Shanghai AI Laboratory Acme 2023 (Hu et al., NSDI'24): Seren and Kalos, which has more columns.
 * The duration of Kalos contains the time in the queue; end - start is right for both. */
static const struct table_column acme[] = {
    {.name = "job_id", .role = ROLE_ID, .required = true},
    {.name = "user", .role = ROLE_TENANT},
    {.name = "node_num"},
    {.name = "gpu_num", .role = ROLE_GPUS, .required = true, .zero_what = READER_NO_GPUS},
    {.name = "cpu_num"},
    {.name = "mem_per_pod_GB"},
    {.name = "shared_mem_per_pod"},
    {.name = "type"},
    {.name = "state"},
    {.name = "submit_time", .role = ROLE_SUBMIT, .required = true},
    {.name = "start_time",
     .role = ROLE_START,
     .required = true,
     .none = "|None|nan",
     .none_what = READER_NOT_STARTED},
    {.name = "end_time",
     .role = ROLE_END,
     .required = true,
     .none = "|None|nan",
     .none_what = READER_NOT_ENDED},
    {.name = "fail_time"},
    {.name = "stop_time"},
    {.name = "duration"},
    {.name = "queue"},
    {.name = "gpu_time"},
};

/* Microsoft ITP 2021 (Gu et al., ElasticFlow, ASPLOS'23). */
static const struct table_column itp[] = {
    {.name = "job_id", .role = ROLE_ID, .required = true},
    {.name = "submission_time", .role = ROLE_SUBMIT, .required = true},
    {.name = "duration", .role = ROLE_DURATION, .required = true},
    {.name = "num_gpu", .role = ROLE_GPUS, .required = true},
};

/* Tiresias (Gu et al., NSDI'19), and what grew from its simulator: Muri (Zhao et al., SIGCOMM'22)
 * and Chronus (Gao et al., SoCC'21). Iterations and models are their own simulators', whose rates
 * are not at hand. */
#define TIRESIAS_COLUMNS                                                                           \
  {.name = "job_id", .role = ROLE_ID, .required = true},                                           \
      {.name = "num_gpu", .role = ROLE_GPUS, .required = true, .zero_what = READER_NO_GPUS},       \
      {.name = "submit_time", .role = ROLE_SUBMIT, .required = true}, {.name = "iterations"},      \
      {.name = "model_name"}, {.name = "duration", .role = ROLE_DURATION, .required = true}, {     \
    .name = "interval"                                                                             \
  }
static const struct table_column tiresias[] = {TIRESIAS_COLUMNS};
static const struct table_column muri[] = {
    TIRESIAS_COLUMNS,
    {.name = "batch_size"},
    {.name = "iteration_time"},
    {.name = "resource_time_0"},
    {.name = "resource_time_1"},
    {.name = "resource_time_2"},
    {.name = "priority"},
};
static const struct table_column chronus[] = {
    TIRESIAS_COLUMNS,
    {.name = "user", .role = ROLE_TENANT},
    {.name = "expect_time_list"},
    {.name = "expect_value_list"},
    {.name = "best_effort"},
    {.name = "job_type"},
};

/* Alibaba 2023 (Weng et al., USENIX ATC'23), the pods. gpu_milli is the share of each GPU. */
static const struct table_column openb[] = {
    {.name = "name", .role = ROLE_ID, .required = true},
    {.name = "cpu_milli"},
    {.name = "memory_mib"},
    {.name = "num_gpu", .role = ROLE_GPUS, .required = true, .zero_what = READER_NO_GPUS},
    {.name = "gpu_milli",
     .role = ROLE_GPUS,
     .required = true,
     .zero_what = READER_NO_GPUS,
     .per = 1000},
    {.name = "gpu_spec", .role = ROLE_GPU_TYPE},
    {.name = "qos"},
    {.name = "pod_phase"},
    {.name = "creation_time", .role = ROLE_SUBMIT, .required = true},
    {.name = "deletion_time",
     .role = ROLE_END,
     .required = true,
     .none = "",
     .none_what = READER_NOT_ENDED},
    {.name = "scheduled_time",
     .role = ROLE_START,
     .required = true,
     .none = "",
     .none_what = READER_NOT_STARTED},
};

/* Alibaba PAI 2020 (Weng et al., NSDI'22), pai_task_table: published without its header. plan_gpu
 * is in percent of one GPU for each instance. gpu_type is what the task got, not what it asked. */
static const struct table_column pai[] = {
    {.name = "job_name", .role = ROLE_ID, .required = true},
    {.name = "task_name", .role = ROLE_PART, .required = true},
    {.name = "inst_num",
     .role = ROLE_INSTANCES,
     .required = true,
     .none = "",
     .none_what = "unknown number of instances"},
    {.name = "status"},
    {.name = "start_time",
     .role = ROLE_START,
     .required = true,
     .none = "",
     .none_what = READER_NOT_STARTED},
    {.name = "end_time",
     .role = ROLE_END,
     .required = true,
     .none = "",
     .none_what = READER_NOT_ENDED},
    {.name = "plan_cpu"},
    {.name = "plan_mem"},
    {.name = "plan_gpu",
     .role = ROLE_GPUS,
     .required = true,
     .none = "",
     .none_what = READER_NO_GPUS,
     .zero_what = READER_NO_GPUS,
     .per = 100},
    {.name = "gpu_type"},
};

/* Alibaba spot GPUs 2026 (Duan et al., GFS, ASPLOS'26), job_info_df. */
static const struct table_column spot[] = {
    {.name = "job_name", .role = ROLE_ID, .required = true},
    {.name = "organization", .role = ROLE_TENANT},
    {.name = "gpu_model", .role = ROLE_GPU_TYPE},
    {.name = "cpu_request"},
    {.name = "gpu_request",
     .role = ROLE_GPUS,
     .required = true,
     .zero_what = READER_NO_GPUS,
     .per = 1},
    {.name = "worker_num", .role = ROLE_INSTANCES, .required = true},
    {.name = "submit_time", .role = ROLE_SUBMIT, .required = true},
    {.name = "duration", .role = ROLE_DURATION, .required = true, .zero_what = READER_NO_RUN_TIME},
    {.name = "job_type"},
};

const struct trace_table trace_tables[] = {
    {"philly", "a Philly trace", philly, N(philly), .dates = true},
    {"helios", "a Helios trace", helios, N(helios), .dates = true},
    {"acme", "an Acme trace", acme, N(acme), .dates = true},
    {"itp", "an ITP trace", itp, N(itp), .unit = UNIT_SECONDS},
    {"tiresias", "a Tiresias trace", tiresias, N(tiresias), .unit = UNIT_SECONDS},
    {"muri", "a Muri trace", muri, N(muri), .unit = UNIT_MILLISECONDS},
    {"chronus", "a Chronus trace", chronus, N(chronus), .unit = UNIT_MINUTES},
    {"openb", "an openb pod list", openb, N(openb), .unit = UNIT_SECONDS},
    {"pai", "a PAI task table", pai, N(pai), .unit = UNIT_SECONDS, .headerless = true},
    {"spot", "an Alibaba spot job table", spot, N(spot), .unit = UNIT_SECONDS},
};
const int n_trace_tables = N(trace_tables);
