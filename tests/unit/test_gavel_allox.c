/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gavel_moment.h"

enum { NONE = -1 };

static void only_jobs_of_one_gpu_as_coded(void **state) {
  (void)state;
  struct moment moment;
  moment_open(&moment, &objective_allox, true, 0);
  moment_next(&moment, 4, 0, 0);
  moment_job(&moment, 3, 1, 1, 0, 0);
  moment_job(&moment, 17, 2, 1, 0, 0);
  assert_int_equal(moment_allocate(&moment), HSIM_BAD_INPUT);
  assert_non_null(strstr(moment.error.text, "job 17 "));
  assert_non_null(strstr(moment.error.text, "2 workers"));
  moment_close(&moment);
}

/* One GPU: the shortest runs first, which is at the largest place from the end. */
static void the_shortest_job_first(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    moment_open(&moment, &objective_allox, coded, 0);
    moment_next(&moment, 1, 0, 0);
    moment_job(&moment, 0, 1, 3, 0, 0);
    moment_job(&moment, 1, 1, 9, 0, 0);
    moment_job(&moment, 2, 1, 5, 0, 0);
    moment_expect_types(&moment, (int[]){NONE, V100, NONE});
    /* It stays, however long it still takes; then the next. */
    moment.remaining[1] = 1e6;
    moment_expect_types(&moment, (int[]){NONE, V100, NONE});
    moment_next(&moment, 1, 0, 0);
    moment_job(&moment, 0, 1, 3, 0, 0);
    moment_job(&moment, 2, 1, 5, 0, 0);
    moment_expect_types(&moment, (int[]){NONE, V100});
    moment_close(&moment);
  }
}

/* Times on v100 and k80: job 0 2 and 3, job 1 2 and 20. Sum 5, not 22. */
static void who_loses_least_takes_the_slow_type(void **state) {
  (void)state;
  struct moment moment;
  moment_open(&moment, &objective_allox, false, 0);
  moment_next(&moment, 1, 0, 1);
  moment_job(&moment, 0, 1, 1.0 / 2, 0, 1.0 / 3);
  moment_job(&moment, 1, 1, 1.0 / 2, 0, 1.0 / 20);
  moment_job(&moment, 2, 1, 0, 1, 0); /* no p100 there: left out */
  moment_expect_types(&moment, (int[]){K80, V100, NONE});
  moment_close(&moment);
}

static unsigned draw(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

/* With one GPU a job and rates on all types both ways are the same rule. */
static void both_ways_agree_on_jobs_of_one_gpu(void **state) {
  (void)state;
  unsigned seed = 31;
  print_message("seed %u\n", seed);
  static struct moment moments[2];
  for (int run = 0; run < 10; run++) {
    for (int coded = 0; coded < 2; coded++)
      moment_open(&moments[coded], &objective_allox, coded, 0);
    bool gone[MOMENT_JOBS] = {false};
    for (int call = 0; call < 12; call++) {
      unsigned again = seed;
      for (int coded = 0; coded < 2; coded++) {
        struct moment *moment = &moments[coded];
        seed = again;
        moment_next(moment, 2, 1, 3);
        for (int id = 0; id < 4 * (call + 1) && id < MOMENT_JOBS; id++) {
          unsigned kind = (unsigned)id * 7919u + 1;
          bool leaves = draw(&seed) % 4 == 0 && coded;
          if (gone[id])
            continue;
          int i = moment_job(moment, id, 1, 2 + kind % 7, 1 + kind % 5, 1 + kind % 3);
          moment->remaining[i] = 10 + kind % 11;
          if (leaves)
            gone[id] = true; /* from the next call on: this one has come last */
        }
        if (moment->problem.n_jobs > 0)
          assert_int_equal(moment_allocate(moment), HSIM_OK);
      }
      assert_int_equal(moments[0].problem.n_jobs, moments[1].problem.n_jobs);
      assert_memory_equal(moments[0].shares, moments[1].shares,
                          (size_t)moments[0].problem.n_jobs * N_TYPES * sizeof(double));
    }
    for (int coded = 0; coded < 2; coded++)
      moment_close(&moments[coded]);
  }
}

/* Four GPUs. Work is workers x time: gang 0 is 4 x 10, job 1 is 1 x 20, job 2 1 x 30. The slots of
 * place 2 and above go to nobody else, so all three run first on slots of their own; the cheaper
 * ones take their GPUs first, and the gang finds too few. */
static void a_gang_takes_its_gpus_if_there_is_room(void **state) {
  (void)state;
  struct moment moment;
  moment_open(&moment, &objective_allox, false, 0);
  moment_next(&moment, 4, 0, 0);
  moment_job(&moment, 0, 4, 100, 0, 0);
  moment_job(&moment, 1, 1, 50, 0, 0);
  moment_job(&moment, 2, 1, 1000.0 / 30, 0, 0);
  for (int i = 0; i < 3; i++)
    moment.age_s[i] = 0;
  moment_expect_types(&moment, (int[]){NONE, V100, V100});
  moment_next(&moment, 6, 0, 0);
  moment_job(&moment, 0, 4, 100, 0, 0);
  moment_job(&moment, 1, 1, 50, 0, 0);
  moment_job(&moment, 2, 1, 1000.0 / 30, 0, 0);
  moment_expect_types(&moment, (int[]){V100, V100, V100});
  moment_close(&moment);
}

static void a_type_that_lost_its_gpus_is_given_up(void **state) {
  (void)state;
  struct moment moment;
  moment_open(&moment, &objective_allox, false, 0);
  moment_next(&moment, 2, 0, 0);
  moment_job(&moment, 0, 1, 4, 0, 1);
  moment_job(&moment, 1, 1, 4, 0, 1);
  moment_expect_types(&moment, (int[]){V100, V100});
  moment_next(&moment, 1, 0, 1);
  moment_job(&moment, 0, 1, 4, 0, 1);
  moment_job(&moment, 1, 1, 4, 0, 1);
  moment_expect_types(&moment, (int[]){V100, K80});
  moment_next(&moment, 0, 0, 0);
  moment_job(&moment, 0, 1, 0, 0, 0);
  moment_job(&moment, 1, 1, 0, 0, 0);
  moment_expect_types(&moment, (int[]){NONE, NONE});
  moment_close(&moment);
}

/* Any jobs: nothing is overbooked, nobody stands where it cannot run. */
static void holds_on_random_gangs(void **state) {
  (void)state;
  unsigned seed = 12;
  print_message("seed %u\n", seed);
  static struct moment moment;
  moment_open(&moment, &objective_allox, false, 0);
  int placed = 0;
  for (int call = 0; call < 200; call++) {
    moment_next(&moment, (int)(draw(&seed) % 5), (int)(draw(&seed) % 4), (int)(draw(&seed) % 3));
    for (int id = 0; id < MOMENT_JOBS; id++) {
      unsigned kind = (unsigned)id * 7919u;
      if (draw(&seed) % 3)
        continue;
      int workers = 1 << kind % 3;
      int i = moment_job(&moment, id, workers, 0, 0, 0);
      for (int g = 0; g < N_TYPES; g++)
        if (moment.gpus[g] >= workers && (kind + (unsigned)g) % 4)
          moment.rates[i * N_TYPES + g] = 1 + (kind + (unsigned)g) % 9;
    }
    if (moment.problem.n_jobs == 0)
      continue;
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    int used[N_TYPES] = {0};
    for (int i = 0; i < moment.problem.n_jobs; i++) {
      int g = moment_type(&moment, i);
      if (g == NONE)
        continue;
      placed++;
      used[g] += moment.workers[i];
      assert_true(moment.rates[i * N_TYPES + g] > 0);
    }
    for (int g = 0; g < N_TYPES; g++)
      assert_true(used[g] <= moment.gpus[g]);
  }
  assert_true(placed > 200);
  moment_close(&moment);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_jobs_of_one_gpu_as_coded),
      cmocka_unit_test(the_shortest_job_first),
      cmocka_unit_test(who_loses_least_takes_the_slow_type),
      cmocka_unit_test(both_ways_agree_on_jobs_of_one_gpu),
      cmocka_unit_test(a_gang_takes_its_gpus_if_there_is_room),
      cmocka_unit_test(a_type_that_lost_its_gpus_is_given_up),
      cmocka_unit_test(holds_on_random_gangs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
