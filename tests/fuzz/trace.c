/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace reader of FUZZ_FORMAT, or of whatever the content looks like when that is "any". */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "input/cluster.h"
#include "input/rates.h"
#include "input/trace.h"

static struct fuzz_file file;
static struct rates rates;
static struct cluster cluster;
static struct semantics semantics;
static struct hsim_oracle oracle;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  struct hsim_error error;
  (void)argc;
  (void)argv;
  fuzz_file_make(&file);
  FUZZ_CHECK(rates_read(RATES_DEFAULT, &rates, &error) == HSIM_OK);
  FUZZ_CHECK(cluster_read(CLUSTER_DEFAULT, &cluster, &error) == HSIM_OK);
  FUZZ_CHECK(semantics_preset("default", &semantics, &error) == HSIM_OK);
  oracle_init(&oracle, &rates, &cluster.view, &semantics);
  return 0;
}

/* Whatever a reader lets through, a simulation has to be able to run. */
static void check(const struct trace *trace) {
  int skipped = 0;
  for (int i = 0; i < trace->n_counts; i++)
    skipped += trace->counts[i].skipped ? trace->counts[i].n : 0;
  FUZZ_CHECK(skipped == trace->skipped_rows);
  FUZZ_CHECK(trace->n_jobs + trace->skipped_rows == trace->rows);
  for (int i = 0; i < trace->n_jobs; i++) {
    const struct hsim_job *job = &trace->jobs[i];
    FUZZ_CHECK(job->workers >= 1 && job->min_workers >= 1 && job->max_workers >= job->min_workers);
    FUZZ_CHECK(isfinite(job->arrival_s) && job->arrival_s >= 0);
    FUZZ_CHECK(isfinite(job->steps) && job->steps > 0);
    FUZZ_CHECK(job->model >= 0 && job->model < rates.models.n);
    FUZZ_CHECK(job->tenant >= -1 && job->tenant < trace->tenants.n);
    FUZZ_CHECK(job->app >= -1 && job->app < trace->apps.n);
    FUZZ_CHECK(job->id[0] != '\0' && job->line >= 1 && job->row >= 1);
    FUZZ_CHECK(i == 0 || trace->jobs[i - 1].arrival_s <= job->arrival_s);
  }
}

/* The input is the file alone, so that real files are seeds; its length chooses the options. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct time_zone pacific = {.winter = -28800,
                                           .summer = -25200,
                                           .has_summer = true,
                                           .begins = {3, 2, 0, 7200},
                                           .ends = {11, 1, 0, 7200}};
  struct trace_options options = trace_options_default(file.path);
  struct hsim_error error = {.text = ""};
  struct trace trace;
  options.format = strcmp(FUZZ_FORMAT, "any") == 0 ? NULL : FUZZ_FORMAT;
  options.skip_bad_rows = size % 2 == 1;
  options.reading.fractional = (enum fractional_rule)(size / 2 % 3);
  options.reading.attempts = (enum attempts_rule)(size / 6 % 2);
  if (size / 12 % 2 == 1)
    options.reading.zone = pacific;
  fuzz_file_fill(&file, data, size);
  enum hsim_status status = trace_read(&options, &oracle, &trace, &error);
  fuzz_check_status(status, &error);
  if (status == HSIM_OK) {
    check(&trace);
    trace_free(&trace);
  }
  return 0;
}
