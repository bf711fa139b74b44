/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worked examples of Voda's algorithms, also in all orders of the input. */
#include "voda_jobs.h"

static struct jobs jobs;

static int prepare(void **state) {
  (void)state;
  memset(&jobs, 0, sizeof jobs);
  jobs.rules.compaction = 10;
  return 0;
}

static int tidy(void **state) {
  (void)state;
  free_jobs(&jobs);
  return 0;
}

static void fifo_gives_minima_in_order(void **state) {
  (void)state;
  load_g8(&jobs);
  allocate(&jobs, VODA_FIFO, 8);
  expect_got(&jobs, 2, 4, 0, 1);
  load_f8(&jobs);
  allocate(&jobs, VODA_FIFO, 8);
  expect_got(&jobs, 1, 1, 1, 1);
}

static void elastic_fifo_grows_in_passes(void **state) {
  (void)state;
  load_g8(&jobs);
  allocate(&jobs, VODA_ELASTIC_FIFO, 8);
  expect_got(&jobs, 3, 4, 0, 1);
  load_f8(&jobs);
  allocate(&jobs, VODA_ELASTIC_FIFO, 8);
  expect_got(&jobs, 2, 2, 2, 2);
  clear_jobs(&jobs);
  for (int i = 0; i < 5; i++)
    add_job(&jobs, 1, 2, 4, 1, NULL);
  allocate(&jobs, VODA_ELASTIC_FIFO, 12);
  expect_got(&jobs, 3, 3, 2, 2, 2);
}

/* T6: as coded an unfit job gets single GPUs and the check of the result panics. */
static void elastic_fifo_grows_only_what_started(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    jobs.rules.as_coded = coded;
    clear_jobs(&jobs);
    add_job(&jobs, 2, 2, 2, 1, NULL);
    add_job(&jobs, 8, 8, 8, 1, NULL);
    add_job(&jobs, 1, 1, 4, 1, NULL);
    allocate(&jobs, VODA_ELASTIC_FIFO, 8);
    expect_got(&jobs, 2, 0, 4);
    assert_int_equal(jobs.panicked, coded);
  }
}

static void srjf_goes_by_remaining_time(void **state) {
  (void)state;
  load_g8(&jobs);
  allocate(&jobs, VODA_SRJF, 8);
  expect_got(&jobs, 2, 0, 3, 1);
  allocate(&jobs, VODA_ELASTIC_SRJF, 8);
  expect_got(&jobs, 2, 0, 4, 2);
  load_f8(&jobs);
  allocate(&jobs, VODA_ELASTIC_SRJF, 8);
  expect_got(&jobs, 2, 2, 2, 2);
  allocate(&jobs, VODA_ELASTIC_SRJF, 9); /* the order is C, B, D, A */
  expect_got(&jobs, 2, 2, 3, 2);
}

/* T7: as coded a rigid job grows past its max. */
static void elastic_srjf_leaves_rigid_jobs_alone(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    jobs.rules.as_coded = coded;
    clear_jobs(&jobs);
    add_job(&jobs, 2, 2, 2, 10, NULL);
    add_job(&jobs, 1, 1, 4, 20, NULL);
    allocate(&jobs, VODA_ELASTIC_SRJF, 8);
    expect_got(&jobs, 2, 4);
    assert_int_equal(jobs.panicked, coded);
  }
}

static void load_tiresias(void) {
  clear_jobs(&jobs);
  add_job(&jobs, 1, 4, 8, 1, NULL)->first_start_s = 100;
  add_job(&jobs, 1, 6, 8, 1, NULL);
  struct voda_job *r = add_job(&jobs, 1, 2, 8, 1, NULL), *s = add_job(&jobs, 1, 4, 8, 1, NULL);
  r->first_start_s = 50;
  s->first_start_s = 80;
  r->queue = s->queue = 1;
}

static void tiresias_goes_by_queue_and_first_start(void **state) {
  (void)state;
  load_tiresias();
  allocate(&jobs, VODA_TIRESIAS, 8);
  expect_got(&jobs, 4, 0, 2, 0);
  load_f8(&jobs);
  for (int i = 0; i < 4; i++)
    jobs.at[i].first_start_s = 100 * (i + 1);
  allocate(&jobs, VODA_TIRESIAS, 8);
  expect_got(&jobs, 4, 2, 2, 0);
}

/* T8: jobs that never started sort first. T5: a priority without a queue gets nothing. */
static void tiresias_as_coded(void **state) {
  (void)state;
  jobs.rules.as_coded = jobs.rules.never_first = true;
  load_tiresias();
  allocate(&jobs, VODA_TIRESIAS, 8);
  expect_got(&jobs, 0, 6, 2, 0);
  assert_false(jobs.panicked);
  clear_jobs(&jobs);
  add_job(&jobs, 1, 1, 1, 1, NULL)->queue = 5;
  allocate(&jobs, VODA_TIRESIAS, 8);
  expect_got(&jobs, 0);
}

static struct voda_job *add_started(int np, int max, const double *speedups, int queue,
                                    double start_s) {
  struct voda_job *job = add_job(&jobs, 1, np, max, 1, speedups);
  job->queue = queue;
  job->first_start_s = start_s;
  return job;
}

static void load_et1(void) {
  clear_jobs(&jobs);
  add_started(4, 4, SP_A, 1, 10);
  add_started(4, 4, SP_B, 1, 20);
  add_started(2, 4, SP_C, 0, 5);
  add_started(3, 4, SP_D, 0, 30);
}

static void load_et2(void) {
  static const double long_a[] = {1, 1.9, 2.7, 3.4, 3.9, 4.3, 4.6, 4.8, 0};
  clear_jobs(&jobs);
  add_started(4, 4, SP_A, 1, 10);
  add_started(4, 4, SP_B, 1, 20);
  add_started(2, 4, SP_C, 0, 5);
  add_started(8, 8, SP_D, 0, 40);
  add_started(8, 8, long_a, 0, 50);
}

/* Every order of the input: Heap's algorithm. */
static void permute(int n, void check(void)) {
  int counters[8] = {0};
  check();
  for (int i = 0; i < n;) {
    if (counters[i] >= i) {
      counters[i++] = 0;
      continue;
    }
    int other = i % 2 == 0 ? 0 : counters[i];
    struct voda_job job = jobs.at[other];
    jobs.at[other] = jobs.at[i];
    jobs.at[i] = job;
    check();
    counters[i]++;
    i = 0;
  }
}

static void check_et1(void) {
  allocate(&jobs, VODA_ELASTIC_TIRESIAS, 8);
  expect_got(&jobs, 2, 1, 2, 3);
  assert_false(jobs.panicked);
}

static void check_et2_compact(void) {
  allocate(&jobs, VODA_ELASTIC_TIRESIAS, 8);
  expect_got(&jobs, 2, 1, 2, 1, 2);
  assert_false(jobs.panicked);
}

static void check_et2(void) {
  allocate(&jobs, VODA_ELASTIC_TIRESIAS, 8);
  expect_got(&jobs, 4, 0, 2, 1, 1);
  assert_false(jobs.panicked);
}

static void elastic_tiresias_goes_by_gain(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) { /* the published program agrees on all three */
    jobs.rules.as_coded = coded;
    jobs.rules.compaction = 10;
    load_et1();
    permute(4, check_et1);
    load_et2();
    permute(5, check_et2);
    jobs.rules.compaction = 1;
    load_et2();
    permute(5, check_et2_compact);
  }
}

/* T10: as coded a running job is held to its minimum, too. */
static void elastic_tiresias_lets_running_jobs_grow(void **state) {
  (void)state;
  clear_jobs(&jobs);
  add_job(&jobs, 2, 2, 4, 1, NULL)->first_start_s = 0;
  allocate(&jobs, VODA_ELASTIC_TIRESIAS, 3);
  expect_got(&jobs, 3);
  jobs.rules.as_coded = true;
  allocate(&jobs, VODA_ELASTIC_TIRESIAS, 3);
  expect_got(&jobs, 2);
  assert_false(jobs.panicked);
}

/* T9: as coded a rigid job that the gain starts gets a second grant. The first job takes part in
 * no queue's base: priorities behind the last queue are served by gain only. */
static void elastic_tiresias_stops_at_max(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    jobs.rules.as_coded = coded;
    clear_jobs(&jobs);
    add_job(&jobs, 1, 1, 1, 1, NULL)->queue = VODA_QUEUES;
    allocate(&jobs, VODA_ELASTIC_TIRESIAS, 2);
    expect_got(&jobs, 1);
    assert_int_equal(jobs.panicked, coded);
  }
}

static void elastic_tiresias_idles_when_nothing_gains(void **state) {
  (void)state;
  static const double flat[] = {1, 1, 0};
  clear_jobs(&jobs);
  add_job(&jobs, 1, 1, 4, 1, flat)->first_start_s = 0;
  allocate(&jobs, VODA_ELASTIC_TIRESIAS, 4);
  expect_got(&jobs, 1);
}

static void ffdl_has_the_largest_sum(void **state) {
  (void)state;
  load_f8(&jobs);
  allocate(&jobs, VODA_FFDL, 8);
  expect_got(&jobs, 4, 2, 1, 1);
  double sum = 0;
  for (int i = 0; i < 4; i++)
    sum += jobs.at[i].speedup[jobs.at[i].got];
  assert_true(fabs(sum - 7.2) < 1e-9);
}

static void ffdl_trims_by_submission(void **state) {
  (void)state;
  clear_jobs(&jobs);
  for (int i = 0; i < 10; i++)
    add_job(&jobs, 1, 2, 4, 1, SP_A);
  allocate(&jobs, VODA_FFDL, 8);
  expect_got(&jobs, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0);
  load_g8(&jobs);
  allocate(&jobs, VODA_FFDL, 8);
  expect_got(&jobs, 4, 4, 0, 0);
  jobs.rules.ffdl_skip = true;
  allocate(&jobs, VODA_FFDL, 8); /* C does not fit, D does */
  expect_got(&jobs, 3, 4, 0, 1);
}

static void ffdl_gives_earlier_jobs_the_rest(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    jobs.rules.as_coded = coded;
    clear_jobs(&jobs);
    for (int i = 0; i < 5; i++)
      add_job(&jobs, 1, 2, 4, 1, NULL);
    allocate(&jobs, VODA_FFDL, 12);
    expect_got(&jobs, 4, 4, 2, 1, 1);
    assert_false(jobs.panicked);
  }
}

/* T11: -10000 is no infinity, and minima are not looked at. */
static void ffdl_as_coded(void **state) {
  (void)state;
  static const double phantom[] = {1, 20000, 0};
  jobs.rules.as_coded = true;
  clear_jobs(&jobs);
  add_job(&jobs, 1, 1, 4, 1, NULL);
  add_job(&jobs, 1, 1, 4, 1, phantom);
  allocate(&jobs, VODA_FFDL, 2);
  expect_got(&jobs, 0, 2);
  assert_false(jobs.panicked);
  jobs.rules.as_coded = false;
  allocate(&jobs, VODA_FFDL, 2);
  expect_got(&jobs, 1, 1);
  jobs.rules.as_coded = true;
  load_g8(&jobs);
  allocate(&jobs, VODA_FFDL, 8);
  assert_true(jobs.panicked); /* someone below its min */
  expect_got(&jobs, 4, 4, 0, 0);
}

/* The grants one by one: what a further GPU changes. */
static void afs_order(const char *grants, bool as_coded) {
  int got[4] = {0};
  jobs.rules.as_coded = as_coded;
  for (int k = 1; grants[k - 1]; k++) {
    load_f8(&jobs);
    allocate(&jobs, VODA_AFS_L, k);
    got[grants[k - 1] - 'A']++;
    for (int i = 0; i < 4; i++)
      if (jobs.at[i].got != got[i])
        fail_msg("%s, %d GPUs: job %c got %d, expected %d", grants, k, 'A' + i, jobs.at[i].got,
                 got[i]);
  }
}

static void afs_grants_in_the_right_order(void **state) {
  (void)state;
  afs_order("CBDACBDACBAABDCD", false);
  afs_order("CBDACBDABACABDCD", true);
}

/* T12: as coded the challenger's length is taken at the champion's workers. */
static void afs_compares_lengths_at_own_workers(void **state) {
  (void)state;
  clear_jobs(&jobs);
  add_job(&jobs, 1, 1, 4, 500, SP_A);
  add_job(&jobs, 1, 1, 4, 300, SP_C);
  allocate(&jobs, VODA_AFS_L, 5);
  expect_got(&jobs, 3, 2);
  allocate(&jobs, VODA_AFS_L, 6);
  expect_got(&jobs, 4, 2);
  jobs.rules.as_coded = true;
  allocate(&jobs, VODA_AFS_L, 5);
  expect_got(&jobs, 3, 2);
  allocate(&jobs, VODA_AFS_L, 6);
  expect_got(&jobs, 3, 3);
}

static void afs_ties_of_linear_jobs(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    jobs.rules.as_coded = coded;
    clear_jobs(&jobs);
    for (int i = 0; i < 5; i++)
      add_job(&jobs, 1, 1, 4, 50, NULL);
    allocate(&jobs, VODA_AFS_L, 12);
    expect_got(&jobs, 0, 1, 3, 4, 4);
  }
}

static void afs_gives_whole_first_blocks(void **state) {
  (void)state;
  load_g8(&jobs);
  allocate(&jobs, VODA_AFS_L, 8);
  expect_got(&jobs, 3, 0, 3, 2);
}

static void without_jobs_or_gpus(void **state) {
  (void)state;
  for (int a = VODA_FIFO; a <= VODA_AFS_L; a++) {
    clear_jobs(&jobs);
    allocate(&jobs, (enum voda_algorithm)a, 8);
    load_f8(&jobs);
    allocate(&jobs, (enum voda_algorithm)a, 0);
    expect_got(&jobs, 0, 0, 0, 0);
  }
}

int main(void) {
#define example(test) cmocka_unit_test_setup_teardown(test, prepare, tidy)
  const struct CMUnitTest tests[] = {
      example(fifo_gives_minima_in_order),
      example(elastic_fifo_grows_in_passes),
      example(elastic_fifo_grows_only_what_started),
      example(srjf_goes_by_remaining_time),
      example(elastic_srjf_leaves_rigid_jobs_alone),
      example(tiresias_goes_by_queue_and_first_start),
      example(tiresias_as_coded),
      example(elastic_tiresias_goes_by_gain),
      example(elastic_tiresias_lets_running_jobs_grow),
      example(elastic_tiresias_stops_at_max),
      example(elastic_tiresias_idles_when_nothing_gains),
      example(ffdl_has_the_largest_sum),
      example(ffdl_trims_by_submission),
      example(ffdl_gives_earlier_jobs_the_rest),
      example(ffdl_as_coded),
      example(afs_grants_in_the_right_order),
      example(afs_compares_lengths_at_own_workers),
      example(afs_ties_of_linear_jobs),
      example(afs_gives_whole_first_blocks),
      example(without_jobs_or_gpus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
