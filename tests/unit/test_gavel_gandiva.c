/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gavel_moment.h"

#include "model/mt19937.h"

static void add_jobs(struct moment *moment, int from, int n) {
  for (int id = from; id < from + n; id++)
    moment_job(moment, id, 1, 4, 2, 1);
}

static int find(const struct moment *moment, int a, int b) {
  int pair = shares_find_pair(&moment->problem, a, b);
  assert_true(pair >= 0);
  return moment->problem.n_jobs + pair;
}

static double given(const struct moment *moment, int combination) {
  double sum = 0;
  for (int g = 0; g < N_TYPES; g++)
    sum += moment_share(moment, combination, g);
  return sum;
}

static int count_with_a_share(const struct moment *moment, int from, int to) {
  int n = 0;
  for (int c = from; c < to; c++)
    n += given(moment, c) > 0;
  return n;
}

static int count_pairs(const struct moment *moment) {
  int jobs = moment->problem.n_jobs;
  return count_with_a_share(moment, jobs, jobs + moment->problem.n_pairs);
}

static void with_gpus_enough_jobs_stay_alone(void **state) {
  (void)state;
  struct moment moment;
  moment_open(&moment, &objective_gandiva, true, 0);
  moment_next(&moment, 1, 2, 1);
  add_jobs(&moment, 0, 4);
  moment_all_pairs(&moment, 0.9);
  assert_int_equal(moment_allocate(&moment), HSIM_OK);
  assert_int_equal(count_pairs(&moment), 0);
  for (int i = 0; i < 4; i++) {
    assert_true(moment_share(&moment, i, V100) == 0.25);
    assert_true(moment_share(&moment, i, P100) == 0.5);
    assert_true(moment_share(&moment, i, K80) == 0.25);
  }
  moment_close(&moment);
}

/* random.sample with seed 0 of ten: (6, 9), then of the eight left, and so on; jobs stay in order.
 */
static void pairs_are_the_drawn_ones(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 5; seed++) {
    struct moment moment;
    struct mt19937 random;
    mt19937_seed(&random, seed);
    moment_open(&moment, &objective_gandiva, true, seed);
    moment_next(&moment, 1, 2, 1);
    add_jobs(&moment, 0, 10);
    moment_all_pairs(&moment, 0.9);
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    assert_int_equal(count_pairs(&moment), 5);
    assert_int_equal(count_with_a_share(&moment, 0, 10), 0);
    int left[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (int n = 10; n > 1; n -= 2) {
      uint32_t drawn[2];
      mt19937_sample_two(&random, (uint32_t)n, drawn);
      int low = (int)(drawn[0] < drawn[1] ? drawn[0] : drawn[1]);
      int high = (int)(drawn[0] < drawn[1] ? drawn[1] : drawn[0]);
      if (seed == 0 && n == 10)
        assert_true(left[low] == 6 && left[high] == 9);
      int pair = find(&moment, left[low], left[high]);
      assert_true(moment_share(&moment, pair, V100) == 1.0 / 5);
      assert_true(moment_share(&moment, pair, P100) == 2.0 / 5);
      int kept = 0;
      for (int i = 0; i < n; i++)
        if (i != low && i != high)
          left[kept++] = left[i];
    }
    moment_close(&moment);
  }
}

/* With two jobs the pair is certain. Ids 0 and 1, then 1 gone: 0 pairs with 2. */
static void pairs_last_until_a_member_ends(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    moment_open(&moment, &objective_gandiva, coded, 3);
    moment_next(&moment, 1, 0, 0);
    add_jobs(&moment, 0, 2);
    moment_all_pairs(&moment, 0.5); /* together exactly as good as one alone: kept */
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    assert_true(moment_share(&moment, find(&moment, 0, 1), V100) == 1.0);
    moment_next(&moment, 1, 0, 0);
    add_jobs(&moment, 0, 4);
    moment_all_pairs(&moment, 0.5);
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    assert_true(moment_share(&moment, find(&moment, 0, 1), V100) == 0.5);
    assert_true(moment_share(&moment, find(&moment, 2, 3), V100) == 0.5);
    moment_next(&moment, 5, 0, 0); /* room for all: alone, but the pairs are remembered */
    add_jobs(&moment, 0, 4);
    moment_all_pairs(&moment, 0.5);
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    assert_int_equal(count_pairs(&moment), 0);
    moment_next(&moment, 1, 0, 0);
    moment_job(&moment, 0, 1, 4, 2, 1);
    add_jobs(&moment, 2, 3);
    moment_all_pairs(&moment, 0.5);
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    assert_true(moment_share(&moment, find(&moment, 1, 2), V100) == 0.5); /* jobs 2 and 3 */
    assert_true(moment_share(&moment, find(&moment, 0, 3), V100) == 0.5); /* jobs 0 and 4 */
    moment_close(&moment);
  }
}

/* 0.4 of both rates on each of three types: the sum over types, 2.4, keeps it as coded; the mean,
 * 0.8, does not. */
static void as_coded_the_types_are_summed(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    int redrawn = 0;
    moment_open(&moment, &objective_gandiva, coded, 1);
    for (int call = 0; call < 20; call++) {
      moment_next(&moment, 1, 1, 1);
      add_jobs(&moment, 0, 6);
      moment_all_pairs(&moment, 0.4);
      double before[MOMENT_PAIRS];
      for (int c = 0; c < 6 + moment.problem.n_pairs; c++)
        before[c] = moment_share(&moment, c, V100);
      assert_int_equal(moment_allocate(&moment), HSIM_OK);
      assert_int_equal(count_pairs(&moment), 3);
      for (int c = 0; call > 0 && c < 6 + moment.problem.n_pairs; c++)
        redrawn += before[c] != moment_share(&moment, c, V100);
    }
    assert_true(coded ? redrawn == 0 : redrawn > 0);
    moment_close(&moment);
  }
}

/* A pair that can run nowhere: as coded it has its part of the cluster until the next call; else it
 * is not formed. */
static void pairs_that_cannot_run(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    moment_open(&moment, &objective_gandiva, coded, 1);
    moment_next(&moment, 1, 0, 0);
    add_jobs(&moment, 0, 3);
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    assert_int_equal(count_with_a_share(&moment, 0, 3), coded ? 1 : 3);
    double alone = 0;
    for (int i = 0; i < 3; i++)
      alone = fmax(alone, moment_share(&moment, i, V100));
    assert_true(alone == (coded ? 1.0 / 2 : 1.0 / 3));
    moment_close(&moment);
  }
}

/* A pair that is fine where it can run, and cannot run on every type. */
static void one_type_is_enough_for_the_paper(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    moment_open(&moment, &objective_gandiva, coded, 1);
    moment_next(&moment, 1, 0, 0);
    moment_job(&moment, 0, 1, 4, 2, 0);
    moment_job(&moment, 1, 1, 4, 2, 0);
    moment_pair(&moment, 0, 1, 0.9);
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    assert_true(moment_share(&moment, 2, V100) == 1.0);
    moment_next(&moment, 1, 0, 0); /* job 2 could be drawn in place of the other two */
    moment_job(&moment, 0, 1, 4, 2, 0);
    moment_job(&moment, 1, 1, 4, 2, 0);
    moment_job(&moment, 2, 2, 4, 2, 0);
    moment_pair(&moment, 0, 1, 0.9);
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    if (!coded)
      assert_true(moment_share(&moment, 3, V100) == 0.5 && moment_share(&moment, 3, K80) == 0);
    moment_close(&moment);
  }
}

/* Any crowd: each job is in exactly one combination, parts are equal, nothing is overbooked. */
static void holds_on_random_crowds(void **state) {
  (void)state;
  unsigned seed = 11;
  print_message("seed %u\n", seed);
  static struct moment moment;
  for (int coded = 0; coded < 2; coded++) {
    moment_open(&moment, &objective_gandiva, coded, 5);
    for (int call = 0; call < 200; call++) {
      moment_next(&moment, call % 3, 1 + call % 4, 2);
      for (int id = 0; id < MOMENT_JOBS; id++) {
        seed = seed * 1664525u + 1013904223u;
        if (seed >> 30 != 0)
          continue;
        unsigned kind = (unsigned)id * 7919u;
        moment_job(&moment, id, 1 + (int)(kind % 3 == 0), kind % 5 ? 4 : 0, 2, kind % 7 ? 1 : 0);
      }
      for (int b = 0; b < moment.problem.n_jobs; b++)
        for (int a = 0; a < b; a++)
          if (moment.workers[a] == moment.workers[b] && (moment.ids[a] + moment.ids[b]) % 4)
            moment_pair(&moment, a, b, (moment.ids[a] + moment.ids[b]) % 3 ? 0.8 : 0.3);
      if (moment.problem.n_jobs == 0)
        continue;
      assert_int_equal(moment_allocate(&moment), HSIM_OK);
      int in[MOMENT_JOBS] = {0};
      double used[N_TYPES] = {0};
      for (int c = 0; c < moment.problem.n_jobs + moment.problem.n_pairs; c++) {
        bool pair = c >= moment.problem.n_jobs;
        int a = pair ? moment.pairs[c - moment.problem.n_jobs].a : c;
        assert_true(given(&moment, c) <= 1 + 1e-12);
        for (int g = 0; g < N_TYPES; g++)
          used[g] += moment_share(&moment, c, g) * moment.workers[a];
        if (given(&moment, c) > 0) {
          in[a]++;
          if (pair)
            in[moment.pairs[c - moment.problem.n_jobs].b]++;
        }
      }
      for (int i = 0; i < moment.problem.n_jobs; i++)
        assert_true(in[i] == 1 || (coded && in[i] == 0));
      for (int g = 0; g < N_TYPES; g++)
        assert_true(used[g] <= moment.gpus[g] + 1e-9);
    }
    moment_close(&moment);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(with_gpus_enough_jobs_stay_alone),
      cmocka_unit_test(pairs_are_the_drawn_ones),
      cmocka_unit_test(pairs_last_until_a_member_ends),
      cmocka_unit_test(as_coded_the_types_are_summed),
      cmocka_unit_test(pairs_that_cannot_run),
      cmocka_unit_test(one_type_is_enough_for_the_paper),
      cmocka_unit_test(holds_on_random_crowds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
