/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a trace. */
#include <math.h>

#include "input_fixture.h"

enum { N = 20 };

/* Jobs at 0, 10, 20... of two tenants, with ids 0 to 19. */
static void read_part(struct world *world, struct trace_options *options, struct trace *trace) {
  char text[2000] = "job_id,arrival_s,model,workers,steps,tenant,deadline_s\n";
  for (int i = 0; i < N; i++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%d,%d,A3C,1,1,%s,%d\n", i, 10 * i,
             i % 2 ? "odd" : "even", 10 * i + 5);
  }
  options->file = "t";
  write_text("t", text);
  read_ok(world, options, trace);
  unlink("t");
}

static void expect_ids(const struct trace *trace, const char *expected) {
  char ids[300] = "";
  for (int i = 0; i < trace->n_jobs; i++) {
    strcat(ids, i > 0 ? " " : "");
    strcat(ids, trace->jobs[i].id);
  }
  assert_string_equal(ids, expected);
}

static void test_windows(void **state) {
  struct trace_options options = options_for(*state, "t");
  struct trace trace;
  options.selection.from_s = 10;
  options.selection.to_s = 40;
  read_part(*state, &options, &trace);
  expect_ids(&trace, "1 2 3");
  assert_int_equal(trace.rows, N);
  assert_int_equal(trace.skipped_rows, 0);
  trace_free(&trace);
  static const char *const odd[] = {"odd"};
  options.selection.tenants = odd;
  options.selection.n_tenants = 1;
  read_part(*state, &options, &trace);
  expect_ids(&trace, "1 3");
  trace_free(&trace);
}

static void test_scaled_then_rebased(void **state) {
  struct trace_options options = options_for(*state, "t");
  struct trace trace;
  options.selection.from_s = 100;
  options.selection.scale_arrivals = 0.25;
  options.limit = 2;
  read_part(*state, &options, &trace);
  assert_true(trace.jobs[0].arrival_s == 100 && trace.jobs[1].arrival_s == 102.5);
  assert_true(trace.jobs[1].deadline_s == 107.5);
  trace_free(&trace);
  options.rebase = true;
  read_part(*state, &options, &trace);
  assert_true(trace.jobs[0].arrival_s == 0 && trace.jobs[1].arrival_s == 2.5);
  assert_true(trace.jobs[1].deadline_s == 7.5);
  trace_free(&trace);
}

/* Over many seeds each job is in the sample equally often, and pairs are, too. */
static void test_samples_are_uniform(void **state) {
  enum { SEEDS = 4000, K = 5 };
  struct trace whole;
  struct trace_options options = options_for(*state, "t");
  int counts[N] = {0}, pairs = 0;
  read_part(*state, &options, &whole);
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct hsim_job jobs[N];
    struct trace part = whole;
    struct trace_selection selection = trace_selection_all();
    memcpy(jobs, whole.jobs, sizeof jobs);
    part.jobs = jobs;
    selection.sample = K;
    assert_int_equal(trace_select(&part, &selection, seed, NULL), HSIM_OK);
    assert_int_equal(part.n_jobs, K);
    bool first = false, last = false;
    for (int i = 0; i < K; i++) {
      assert_true(i == 0 || part.jobs[i].arrival_s > part.jobs[i - 1].arrival_s);
      counts[part.jobs[i].row - 1]++;
      first = first || part.jobs[i].row == 1;
      last = last || part.jobs[i].row == N;
    }
    pairs += first && last;
  }
  for (int i = 0; i < N; i++) /* K / N = 1/4 of the seeds, 4.5 standard deviations */
    assert_true(abs(counts[i] - SEEDS / 4) < 4.5 * sqrt(SEEDS * 3.0 / 16));
  double p = (double)K * (K - 1) / (N * (N - 1));
  assert_true(fabs(pairs - SEEDS * p) < 4.5 * sqrt(SEEDS * p * (1 - p)));
  trace_free(&whole);
}

static void test_all_of_it_is_a_sample(void **state) {
  struct trace_options options = options_for(*state, "t");
  struct trace trace;
  options.selection.sample = N;
  read_part(*state, &options, &trace);
  assert_int_equal(trace.n_jobs, N);
  trace_free(&trace);
}

/* Gaps and work within the shake of what they were, never the same twice; the order and the first
 * arrival stay; the same seed gives the same noise. */
static void test_shaken(void **state) {
  struct trace_options options = options_for(*state, "t");
  struct trace plain, trace, again, other;
  read_part(*state, &options, &plain);
  options.selection.shake = 0.2;
  read_part(*state, &options, &trace);
  read_part(*state, &options, &again);
  options.seed = 1;
  read_part(*state, &options, &other);
  assert_true(trace.shake == 0.2 && plain.shake == 0);
  assert_true(trace.jobs[0].arrival_s == 0);
  int moved = 0, differs = 0;
  for (int i = 1; i < N; i++) {
    double gap = trace.jobs[i].arrival_s - trace.jobs[i - 1].arrival_s;
    assert_true(gap >= 8 && gap <= 12);
    assert_true(fabs(trace.jobs[i].deadline_s - trace.jobs[i].arrival_s - 5) < 1e-9);
    assert_true(trace.jobs[i].arrival_s == again.jobs[i].arrival_s);
    assert_true(trace.jobs[i].steps >= 0.8 && trace.jobs[i].steps <= 1.2);
    moved += gap != 10;
    differs += trace.jobs[i].arrival_s != other.jobs[i].arrival_s;
  }
  assert_int_equal(moved, N - 1);
  assert_int_equal(differs, N - 1);
  expect_ids(&trace, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19");
  trace_free(&plain);
  trace_free(&trace);
  trace_free(&again);
  trace_free(&other);
}

/* Over many jobs the factors fill their range evenly, for steps, for durations, and for phases
 * as for the steps that they are counted in. */
static void test_shaken_work(void **state) {
  struct world *world = *state;
  struct trace_options options = options_for(world, "t");
  enum { JOBS = 2000 };
  FILE *file = fopen("t", "w");
  fputs("job_id,arrival_s,model,workers,steps,duration_s,phases\n", file);
  for (int i = 0; i < JOBS; i++)
    fprintf(file, i % 2 ? "%d,%d,A3C,1,100000,,50000:A3C\n" : "%d,%d,A3C,1,,1000,\n", i, i);
  fclose(file);
  struct trace plain, trace;
  read_ok(world, &options, &plain);
  options.selection.shake = 0.5;
  read_ok(world, &options, &trace);
  double sum = 0, least = 9, most = 0;
  for (int i = 0; i < JOBS; i++) {
    double factor = trace.jobs[i].steps / plain.jobs[i].steps;
    sum += factor;
    least = fmin(least, factor);
    most = fmax(most, factor);
    if (i % 2)
      assert_true(fabs(trace.jobs[i].phases[0].from_step - trace.jobs[i].steps / 2) < 1e-6);
  }
  assert_true(least >= 0.5 && least < 0.51 && most <= 1.5 && most > 1.49);
  assert_true(fabs(sum / JOBS - 1) < 4 * 0.5 / sqrt(3.0 * JOBS)); /* 4 standard errors */
  assert_true(trace.gpu_s != plain.gpu_s);
  trace_free(&plain);
  trace_free(&trace);
  unlink("t");
}

static void test_faults(void **state) {
  struct world *world = *state;
  struct trace_options options = options_for(world, "t");
  write_text("t", "job_id,arrival_s,model,workers,steps,tenant\na,5,A3C,1,1,x\nb,9,A3C,1,1,\n");
  options.selection.from_s = 6;
  options.selection.to_s = 9;
  expect_failure(world, &options, HSIM_BAD_USAGE,
                 "options --from and --to: no job arrives at 6 s or later and before 9 s; the "
                 "trace's arrivals go from 5 to 9");
  options.selection = trace_selection_all();
  options.selection.sample = 3;
  expect_failure(world, &options, HSIM_BAD_USAGE,
                 "option --sample: value \"3\": expected at most the 2 jobs that there are");
  options.selection = trace_selection_all();
  options.selection.scale_arrivals = 1e12;
  expect_failure(world, &options, HSIM_BAD_USAGE,
                 "option --scale-arrivals: value \"1000000000000\": expected one that leaves the "
                 "last arrival at or before 1e12 s");
  unlink("t");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows),
      cmocka_unit_test(test_scaled_then_rebased),
      cmocka_unit_test(test_samples_are_uniform),
      cmocka_unit_test(test_all_of_it_is_a_sample),
      cmocka_unit_test(test_shaken),
      cmocka_unit_test(test_shaken_work),
      cmocka_unit_test(test_faults),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
