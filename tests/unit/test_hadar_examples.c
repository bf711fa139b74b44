/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two clusters worked out by hand, to the digits: a gang of mixed types, and the price gate. */
#include "hadar_fixture.h"

#define CLOSE(got, expected, tolerance) assert_true(fabs((got) - (expected)) <= (tolerance))

enum { V100, P100 };
enum { V100_B, K80_B };

static void example_a(struct fixture *f, enum hadar_utility utility) {
  fixture_init(f, "v100=2 p100=2");
  f->settings.utility = utility;
  fixture_job(f, 3, (double[]){5, 4.5}, 54000, 0);
  fixture_job(f, 1, (double[]){6, 3}, 21600, 0);
  fixture_job(f, 2, (double[]){4, 2}, 28800, 1800);
  fixture_price(f);
}

static double price_of(const struct fixture *f, int cls, int taken) {
  const struct hadar_bay *bay = &f->classes.bays[f->classes.at[cls].first_bay];
  return hadar_price(&f->prices, bay, bay->gpus - taken);
}

static void test_a_bounds_and_prices(void **state) {
  (void)state;
  struct fixture f;
  example_a(&f, HADAR_NORM);
  CLOSE(f.prices.inverse_eta, 5, 1e-12);
  CLOSE(f.prices.low[V100], .015625, 1e-15);
  CLOSE(f.prices.low[P100], .015625, 1e-15);
  CLOSE(f.prices.high[V100], 1, 1e-12);
  CLOSE(f.prices.high[P100], .5, 1e-12);
  CLOSE(f.prices.alpha, 4.159, 5e-4);
  CLOSE(price_of(&f, V100, 0), .015625, 1e-12);
  CLOSE(price_of(&f, V100, 1), .125, 1e-12);
  CLOSE(price_of(&f, V100, 2), 1, 1e-12);
  CLOSE(price_of(&f, P100, 1), .0883883, 5e-8);
  CLOSE(price_of(&f, P100, 2), .5, 1e-12);
  fixture_free(&f);
}

/* The candidate of `job` on the empty cluster with these GPUs. */
static const struct hadar_candidate *candidate(struct fixture *f, int job, int first, int second) {
  struct hadar_entry entries[8];
  struct hadar_room room = {.at = entries};
  hadar_room_all(&f->classes, &room);
  hadar_find(&f->market, &room, &f->jobs[job], &f->found);
  for (int i = 0; i < f->found.n; i++) {
    const struct hadar_candidate *c = &f->found.at[i];
    const struct hadar_part *parts = &f->found.parts[c->first_part];
    if (fixture_gpus(f, parts, c->n_parts, 0) == first &&
        fixture_gpus(f, parts, c->n_parts, 1) == second)
      return c;
  }
  fail_msg("job %d has no candidate with %d + %d GPUs", job, first, second);
  return NULL;
}

static void expect(const struct hadar_candidate *c, double rate, double utility, double cost,
                   double payoff) {
  CLOSE(c->rate, rate, 5e-5);
  CLOSE(c->utility, utility, 5e-7);
  CLOSE(c->cost, cost, 5e-7);
  CLOSE(c->payoff, payoff, 5e-7);
}

static void test_a_candidates(void **state) {
  (void)state;
  struct fixture f;
  example_a(&f, HADAR_NORM);
  expect(candidate(&f, 1, 1, 0), 6, .997230, .015625, .981605);
  expect(candidate(&f, 1, 0, 1), 3, .499307, .015625, .483682);
  expect(candidate(&f, 2, 2, 0), 8, .665434, .03125, .634184);
  expect(candidate(&f, 2, 0, 2), 4, .399556, .03125, .368306);
  expect(candidate(&f, 0, 1, 2), 12.15, .808182, .046875, .761307);
  fixture_free(&f);
}

static void expect_mixed_plan(const struct fixture *f) {
  const struct hadar_choice *fast = fixture_choice(f, 1), *mixed = fixture_choice(f, 0);
  assert_int_equal(f->dp.n_choices, 2);
  assert_non_null(fast);
  assert_non_null(mixed);
  assert_int_equal(fixture_gpus(f, &f->dp.parts[fast->first_part], fast->n_parts, V100), 1);
  assert_int_equal(fixture_gpus(f, &f->dp.parts[mixed->first_part], mixed->n_parts, V100), 1);
  assert_int_equal(fixture_gpus(f, &f->dp.parts[mixed->first_part], mixed->n_parts, P100), 2);
}

static void test_a_queue_and_choice(void **state) {
  (void)state;
  struct fixture f;
  example_a(&f, HADAR_NORM);
  fixture_queue(&f);
  assert_int_equal(f.queue.jobs[0], 1);
  assert_int_equal(f.queue.jobs[1], 2);
  assert_int_equal(f.queue.jobs[2], 0);
  CLOSE(-f.queue.ranks[0].key, .0981605, 5e-8);
  CLOSE(-f.queue.ranks[1].key, .0317092, 5e-8);
  CLOSE(-f.queue.ranks[2].key, .0253769, 5e-8);
  CLOSE(fixture_dp(&f, 1000000), 1.633537, 5e-7);
  expect_mixed_plan(&f);
  CLOSE(fixture_choice(&f, 1)->payoff, .981605, 5e-7);
  CLOSE(fixture_choice(&f, 0)->payoff, .651932, 5e-7);
  CLOSE(fixture_choice(&f, 0)->rate, 12.15, 1e-9);
  fixture_free(&f);
}

/* The next round: both jobs hold their shapes and lose nothing; the third job's payoff has fallen
 * while it waited. */
static void test_a_second_round(void **state) {
  (void)state;
  struct fixture f;
  example_a(&f, HADAR_NORM);
  struct hadar_seat seats[] = {{0, 1}, {1, 2}, {0, 1}};
  struct hadar_take takes[] = {{1, 2, 1}, {0, 1, 1}, {0, 1, 1}};
  f.jobs[0].remaining -= 350 * 12.15;
  f.jobs[1].remaining -= 350 * 6;
  f.jobs[0].seats = &seats[0], f.jobs[0].held_nodes = 2;
  f.jobs[0].held = &takes[0], f.jobs[0].n_held = 2;
  f.jobs[1].seats = &seats[2], f.jobs[1].held_nodes = 1;
  f.jobs[1].held = &takes[2], f.jobs[1].n_held = 1;
  for (int i = 0; i < 3; i++)
    f.jobs[i].age += 360;
  fixture_set_peaks(&f);
  CLOSE(candidate(&f, 2, 2, 0)->payoff, .592667, 5e-7);
  assert_true(candidate(&f, 0, 1, 2)->stays);
  fixture_queue(&f);
  fixture_dp(&f, 1000000);
  expect_mixed_plan(&f);
  /* Predicted without a loss: the finish has not moved. */
  CLOSE(fixture_choice(&f, 1)->payoff, .981605, 5e-7);
  fixture_free(&f);
}

static void test_a_raw_utility(void **state) {
  (void)state;
  struct fixture f;
  example_a(&f, HADAR_RAW);
  CLOSE(f.prices.low[V100], .125, 1e-12);
  CLOSE(f.prices.high[V100], 6, 1e-12);
  CLOSE(f.prices.high[P100], 4.5, 1e-12);
  CLOSE(price_of(&f, V100, 1), .866025, 5e-7);
  CLOSE(price_of(&f, P100, 1), .75, 1e-12);
  fixture_queue(&f);
  CLOSE(fixture_dp(&f, 1000000), 16.8651, 5e-5);
  expect_mixed_plan(&f);
  CLOSE(fixture_choice(&f, 1)->payoff, 5.85838, 5e-6);
  CLOSE(fixture_choice(&f, 0)->payoff, 11.0067, 5e-5);
  fixture_free(&f);
}

static void example_b(struct fixture *f) {
  fixture_init(f, "v100=4 k80=1");
  fixture_job(f, 3, (double[]){5, 1}, 54000, 0);
  fixture_job(f, 1, (double[]){4, 1}, 14400, 14400);
  fixture_price(f);
}

static void test_b_prices_and_candidates(void **state) {
  (void)state;
  struct fixture f;
  example_b(&f);
  CLOSE(f.prices.inverse_eta, 8, 1e-12);
  CLOSE(f.prices.low[V100_B], .00266667, 5e-9);
  CLOSE(f.prices.high[V100_B], 1, 1e-12);
  CLOSE(f.prices.high[K80_B], .25, 1e-12);
  CLOSE(price_of(&f, V100_B, 1), .0117348, 5e-8);
  CLOSE(price_of(&f, V100_B, 2), .0516398, 5e-8);
  CLOSE(price_of(&f, V100_B, 3), .227244, 5e-7);
  CLOSE(price_of(&f, V100_B, 4), 1, 1e-12);
  CLOSE(price_of(&f, K80_B, 0), .00266667, 5e-9);
  CLOSE(price_of(&f, K80_B, 1), .25, 1e-12);
  expect(candidate(&f, 0, 3, 0), 15, .99723, .008, .98923);
  CLOSE(candidate(&f, 0, 2, 1)->rate, 2.7, 1e-9);
  CLOSE(candidate(&f, 0, 2, 1)->payoff, .17191, 5e-6);
  CLOSE(candidate(&f, 1, 1, 0)->payoff, .197222, 5e-7);
  CLOSE(candidate(&f, 1, 0, 1)->payoff, .12229, 5e-6);
  fixture_free(&f);
}

static void test_b_gate_and_upgrade(void **state) {
  (void)state;
  struct fixture f;
  example_b(&f);
  fixture_queue(&f);
  CLOSE(fixture_dp(&f, 1000000), 1.11152, 5e-6);
  const struct hadar_choice *small = fixture_choice(&f, 1);
  assert_int_equal(f.dp.n_choices, 2);
  assert_int_equal(fixture_gpus(&f, &f.dp.parts[small->first_part], small->n_parts, K80_B), 1);
  fixture_board(&f);
  /* The last V100 costs more than it is worth to the second job. */
  hadar_find(&f.market, &f.board.room, &f.jobs[1], &f.found);
  CLOSE(hadar_best(&f.found)->payoff, -.0273549, 5e-8);
  assert_int_equal(hadar_backfill(&f.board, &f.market, f.jobs, f.queue.jobs, f.queue.n, &f.found),
                   0);
  assert_int_equal(hadar_upgrade(&f.board, &f.market, f.jobs, f.queue.jobs, f.queue.n, &f.found),
                   1);
  CLOSE(f.board.grants[1].rate, 4, 1e-12);
  assert_int_equal(f.board.room.gpus, 1);
  assert_int_equal(f.board.room.n, 1);
  assert_int_equal(f.board.room.at[0].cls, K80_B);
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_bounds_and_prices), cmocka_unit_test(test_a_candidates),
      cmocka_unit_test(test_a_queue_and_choice),  cmocka_unit_test(test_a_second_round),
      cmocka_unit_test(test_a_raw_utility),       cmocka_unit_test(test_b_prices_and_candidates),
      cmocka_unit_test(test_b_gate_and_upgrade),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
