/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FIFO by lot, FIFO with packing, equal parts. */
#include "gavel_moment.h"

#include "model/mt19937.h"

enum { NONE = -1 };

static void as_coded_books_a_type_twice(void **state) {
  (void)state;
  static const int all_on_v100[8] = {V100, V100, V100, V100, V100, V100, V100, V100};
  static const int six[8] = {V100, V100, P100, P100, K80, K80, NONE, NONE};
  for (uint64_t seed = 0; seed < 4; seed++) {
    struct moment moment;
    moment_open(&moment, &objective_fifo, true, seed);
    moment_next(&moment, 2, 2, 2);
    for (int i = 0; i < 8; i++)
      moment_job(&moment, i, 1, 3, 2, 1);
    moment_expect_types(&moment, seed % 2 ? six : all_on_v100);
    moment_expect_types(&moment, seed % 2 ? six : all_on_v100); /* choices last */
    moment_close(&moment);
  }
}

/* Seed 1 books six; job 0 ends and hands its v100 to job 6, though job 1 has the other one. */
static void as_coded_hands_on_what_a_job_leaves(void **state) {
  (void)state;
  struct moment moment;
  moment_open(&moment, &objective_fifo, true, 1);
  moment_next(&moment, 2, 2, 2);
  for (int i = 0; i < 8; i++)
    moment_job(&moment, i, 1, 3, 2, 1);
  moment_expect_types(&moment, (int[]){V100, V100, P100, P100, K80, K80, NONE, NONE});
  moment_next(&moment, 2, 2, 2);
  for (int i = 1; i < 8; i++)
    moment_job(&moment, i, 1, 3, 2, 1);
  moment_expect_types(&moment, (int[]){V100, P100, P100, K80, K80, V100, NONE});
  moment_close(&moment);
}

/* The gang of two gets both v100 that job 0 leaves, before job 1, which has one, is counted. */
static void as_coded_books_too_much_when_a_job_ends(void **state) {
  (void)state;
  struct moment moment;
  moment_open(&moment, &objective_fifo, true, 0);
  moment_next(&moment, 2, 0, 0);
  moment_job(&moment, 0, 1, 1, 0, 0);
  moment_job(&moment, 1, 1, 1, 0, 0);
  moment_expect_types(&moment, (int[]){V100, V100});
  moment_next(&moment, 2, 0, 0);
  moment_job(&moment, 1, 1, 1, 0, 0);
  moment_job(&moment, 2, 2, 1, 0, 0);
  moment_expect_types(&moment, (int[]){V100, V100});
  moment_close(&moment);
}

/* The generator that the objective has, next to it. */
static void draws_among_the_types_with_room(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct moment moment;
    struct mt19937 random;
    mt19937_seed(&random, seed);
    moment_open(&moment, &objective_fifo, false, seed);
    moment_next(&moment, 2, 1, 2);
    moment_job(&moment, 0, 1, 3, 2, 1);
    moment_job(&moment, 1, 2, 3, 2, 1); /* not on the p100 */
    moment_job(&moment, 2, 1, 3, 0, 1); /* neither */
    int room[N_TYPES] = {2, 1, 2}, types[3] = {NONE, NONE, NONE};
    for (int i = 0; i < 3; i++) {
      static const int order[N_TYPES] = {K80, P100, V100};
      int with_room[N_TYPES], n = 0;
      for (int k = 0; k < N_TYPES; k++)
        if (room[order[k]] >= moment.workers[i] && moment.rates[i * N_TYPES + order[k]] > 0)
          with_room[n++] = order[k];
      types[i] = n > 0 ? with_room[mt19937_below(&random, (uint32_t)n)] : NONE;
      if (n == 0)
        break;
      room[types[i]] -= moment.workers[i];
    }
    moment_expect_types(&moment, types);
    moment_expect_types(&moment, types); /* choices last */
    moment_close(&moment);
  }
}

static void a_job_blocks_those_behind_it(void **state) {
  (void)state;
  struct moment moment;
  moment_open(&moment, &objective_fifo, false, 0);
  moment_next(&moment, 2, 0, 0);
  moment_job(&moment, 0, 1, 1, 0, 0);
  moment_job(&moment, 1, 1, 0, 0, 0); /* can run nowhere: waits alone */
  moment_job(&moment, 2, 2, 1, 0, 0);
  moment_job(&moment, 3, 1, 1, 0, 0);
  moment_expect_types(&moment, (int[]){V100, NONE, NONE, NONE});
  moment_next(&moment, 2, 0, 0); /* job 0 ended */
  moment_job(&moment, 2, 2, 1, 0, 0);
  moment_job(&moment, 3, 1, 1, 0, 0);
  moment_expect_types(&moment, (int[]){V100, NONE});
  moment_close(&moment);
}

static void a_type_that_lost_its_gpus_is_given_up(void **state) {
  (void)state;
  struct moment moment;
  moment_open(&moment, &objective_fifo, false, 0);
  moment_next(&moment, 2, 0, 0);
  moment_job(&moment, 0, 1, 1, 1, 0);
  moment_job(&moment, 1, 1, 1, 1, 0);
  moment_expect_types(&moment, (int[]){V100, V100});
  moment_next(&moment, 1, 1, 0);
  moment_job(&moment, 0, 1, 1, 1, 0);
  moment_job(&moment, 1, 1, 1, 1, 0);
  moment_expect_types(&moment, (int[]){V100, P100});
  moment_next(&moment, 0, 0, 0);
  moment_job(&moment, 0, 1, 0, 0, 0);
  moment_job(&moment, 1, 1, 0, 0, 0);
  moment_expect_types(&moment, (int[]){NONE, NONE});
  moment_close(&moment);
}

/* Jobs 0 and 1 have the GPUs; 2 fits better with 1, 3 with what is left. */
static void packs_where_it_pays_most(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    moment_open(&moment, &objective_fifo_packed, coded, 0);
    moment_next(&moment, 1, 1, 0);
    moment_job(&moment, 0, 1, 4, 3, 0);
    moment_job(&moment, 1, 1, 4, 3, 0);
    moment_job(&moment, 2, 1, 8, 7, 0);
    moment_job(&moment, 3, 1, 8, 7, 0);
    moment_job(&moment, 4, 1, 8, 7, 0);
    moment_pair(&moment, 0, 2, 0.8);
    moment_pair(&moment, 1, 2, 0.9);
    moment_pair(&moment, 0, 3, 0.8);
    moment_pair(&moment, 1, 3, 0.9);
    moment_pair(&moment, 2, 3, 1.0); /* neither has GPUs alone */
    moment_pair(&moment, 0, 4, 0.9);
    moment_expect_types(&moment,
                        (int[]){NONE, NONE, NONE, NONE, NONE, NONE, P100, V100, NONE, NONE, NONE});
    moment_close(&moment);
  }
}

/* One and a half jobs are not enough, and the first job that cannot be packed ends it. */
static void packing_must_pay(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    moment_open(&moment, &objective_fifo_packed, coded, 0);
    moment_next(&moment, 1, 0, 0);
    moment_job(&moment, 0, 1, 4, 0, 0);
    moment_job(&moment, 1, 1, 4, 0, 0);
    moment_job(&moment, 2, 1, 4, 0, 0);
    moment_pair(&moment, 0, 1, 0.75);
    moment_pair(&moment, 0, 2, 1.0);
    moment_expect_types(&moment, (int[]){V100, NONE, NONE, NONE, NONE});
    moment_close(&moment);
  }
}

/* A gang of two finds one GPU: as coded it is lost and the next in line is packed, else it comes
 * first and, having no pair, ends it. */
static void as_coded_the_blocked_job_is_lost(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    moment_open(&moment, &objective_fifo_packed, coded, 0);
    moment_next(&moment, 2, 0, 0);
    moment_job(&moment, 0, 1, 4, 0, 0);
    moment_job(&moment, 1, 2, 4, 0, 0);
    moment_job(&moment, 2, 1, 4, 0, 0);
    moment_pair(&moment, 0, 2, 1.0);
    moment_expect_types(&moment,
                        coded ? (int[]){NONE, NONE, NONE, V100} : (int[]){V100, NONE, NONE, NONE});
    moment_close(&moment);
  }
}

/* No GPU is left over: the job in front is not lost as coded either. */
static void the_first_of_a_full_cluster_is_packed(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    moment_open(&moment, &objective_fifo_packed, coded, 0);
    moment_next(&moment, 1, 0, 0);
    moment_job(&moment, 0, 1, 4, 0, 0);
    moment_job(&moment, 1, 1, 4, 0, 0);
    moment_pair(&moment, 0, 1, 0.9);
    moment_expect_types(&moment, (int[]){NONE, NONE, V100});
    moment_close(&moment);
  }
}

static void isolated_is_the_same_part_for_all(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct moment moment;
    moment_open(&moment, &objective_isolated, coded, 0);
    moment_next(&moment, 2, 4, 6);
    moment_job(&moment, 0, 1, 3, 2, 0);
    moment_job(&moment, 1, 4, 3, 2, 1);
    moment_job(&moment, 2, 1, 3, 2, 1);
    assert_int_equal(moment_allocate(&moment), HSIM_OK);
    /* 2/3, 4/3 and 2 GPUs: for one worker 4 times too much. */
    double sum = 2.0 / 3 + 4.0 / 3 + 2;
    assert_true(fabs(moment_share(&moment, 2, V100) - 2.0 / 3 / sum) < 1e-15);
    assert_true(fabs(moment_share(&moment, 2, K80) - 2 / sum) < 1e-15);
    assert_true(fabs(moment_share(&moment, 1, P100) - 1.0 / 3) < 1e-15);
    assert_true(moment_share(&moment, 0, V100) == moment_share(&moment, 2, V100));
    assert_true(moment_share(&moment, 0, K80) == (coded ? moment_share(&moment, 2, K80) : 0));
    moment_close(&moment);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_coded_books_a_type_twice),
      cmocka_unit_test(as_coded_hands_on_what_a_job_leaves),
      cmocka_unit_test(as_coded_books_too_much_when_a_job_ends),
      cmocka_unit_test(draws_among_the_types_with_room),
      cmocka_unit_test(a_job_blocks_those_behind_it),
      cmocka_unit_test(a_type_that_lost_its_gpus_is_given_up),
      cmocka_unit_test(packs_where_it_pays_most),
      cmocka_unit_test(packing_must_pay),
      cmocka_unit_test(as_coded_the_blocked_job_is_lost),
      cmocka_unit_test(the_first_of_a_full_cluster_is_packed),
      cmocka_unit_test(isolated_is_the_same_part_for_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
