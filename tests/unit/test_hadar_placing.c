/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After the dual subroutine: backfill, upgrade, nodes for places, and the log line. */
#include "hadar_fixture.h"
#include "policy/hadar/mapping.h"
#include "policy/hadar/report.h"

enum { N_RANDOM = 200 };

static int backfill(struct fixture *f) {
  return hadar_backfill(&f->board, &f->market, f->jobs, f->queue.jobs, f->queue.n, &f->found);
}

static int upgrade(struct fixture *f) {
  return hadar_upgrade(&f->board, &f->market, f->jobs, f->queue.jobs, f->queue.n, &f->found);
}

static void check_work_conserving(struct fixture *f) {
  for (int j = 0; j < f->n; j++) {
    if (f->board.grants[j].n_seats > 0)
      continue;
    hadar_find(&f->market, &f->board.room, &f->jobs[j], &f->found);
    assert_int_equal(f->found.n, 0);
  }
}

/* The histogram and the places agree. */
static void check_board(const struct fixture *f) {
  int gpus = 0;
  for (int p = 0; p < f->classes.n_nodes; p++)
    gpus += hadar_level_gpus(&f->classes, f->classes.class_of[p], f->board.levels[p]);
  assert_int_equal(gpus, f->board.room.gpus);
  for (int e = 0; e < f->board.room.n; e++) {
    int nodes = 0;
    for (int p = 0; p < f->classes.n_nodes; p++)
      nodes += f->classes.class_of[p] == f->board.room.at[e].cls &&
               f->board.levels[p] == f->board.room.at[e].level;
    assert_int_equal(nodes, f->board.room.at[e].nodes);
  }
}

static void test_work_conserving(void **state) {
  (void)state;
  uint64_t seed = 60;
  print_message("seed %llu\n", (unsigned long long)seed);
  int backfilled = 0, upgraded = 0;
  for (int r = 0; r < N_RANDOM; r++) {
    struct fixture f;
    fixture_init(&f, r % 2 ? "a=4 a=4 b=4 b=4 c=4" : "a+b=2 a+b=2 c=4 b=2");
    f.settings.order = (enum hadar_order)fixture_below(&seed, HADAR_ARRIVAL + 1);
    f.settings.whole_schedule = fixture_below(&seed, 2);
    int n = 1 + fixture_below(&seed, 14);
    for (int i = 0; i < n; i++) {
      double pace[3];
      for (int t = 0; t < 3; t++)
        pace[t] = t > 0 && fixture_below(&seed, 4) == 0 ? 0 : fixture_uniform(&seed, .5, 8);
      fixture_job(&f, 1 + fixture_below(&seed, 5), pace, fixture_uniform(&seed, 1000, 1e5),
                  fixture_uniform(&seed, 0, 1e5));
    }
    fixture_price(&f);
    fixture_queue(&f);
    fixture_dp(&f, 1 + fixture_below(&seed, 16));
    fixture_board(&f);
    check_board(&f);
    backfilled += backfill(&f);
    check_work_conserving(&f);
    double before[FIXTURE_MAX];
    for (int j = 0; j < f.n; j++)
      before[j] = f.board.grants[j].rate;
    upgraded += upgrade(&f);
    check_board(&f);
    for (int j = 0; j < f.n; j++)
      assert_true(f.board.grants[j].how == HADAR_BY_UPGRADE
                      ? f.board.grants[j].rate > 1.05 * before[j]
                      : f.board.grants[j].rate == before[j]);
    backfill(&f);
    check_work_conserving(&f);
    check_board(&f);
    fixture_free(&f);
  }
  assert_true(backfilled > 0 && upgraded > 0);
}

/* ---- Mapping ---- */

/* Job `at` held `delta` of real node `node`. */
static void hold(struct fixture *f, struct hadar_seat *seat, int at, int node, uint32_t delta) {
  *seat = (struct hadar_seat){node, delta};
  f->jobs[at].seats = seat;
  f->jobs[at].held_nodes = 1;
}

static void give(struct fixture *f, int job, int cls, uint32_t level, uint32_t delta) {
  struct hadar_part part = {cls, level, delta, 1};
  struct hadar_grant terms = {.rate = 1};
  hadar_board_give(&f->board, job, &part, 1, &terms);
}

static int node_of(const struct fixture *f, int job) {
  return f->board.seats[f->board.grants[job].first_seat].node;
}

static void mapping_world(struct fixture *f, const char *nodes, int n) {
  fixture_init(f, nodes);
  for (int i = 0; i < n; i++)
    fixture_job(f, 2, (double[]){1, 1}, 100, 0);
  hadar_board_reset(&f->board, &f->classes, n);
}

/* Pairs that sat together are dealt out across places: all get home all the same. */
static void test_shuffled_pairs(void **state) {
  (void)state;
  struct fixture f;
  struct hadar_seat seats[4];
  mapping_world(&f, "a=4 a=4 a=4", 4);
  hold(&f, &seats[0], 0, 2, 2);
  hold(&f, &seats[1], 1, 2, 2);
  hold(&f, &seats[2], 2, 1, 2);
  hold(&f, &seats[3], 3, 1, 2);
  give(&f, 0, 0, 4, 2);
  give(&f, 2, 0, 4, 2);
  give(&f, 3, 0, 2, 2); /* next to job 0 */
  give(&f, 1, 0, 2, 2); /* next to job 2 */
  struct hadar_mapping mapping = {0};
  hadar_map(&mapping, &f.board, f.jobs);
  assert_int_equal(node_of(&f, 0), 2);
  assert_int_equal(node_of(&f, 1), 2);
  assert_int_equal(node_of(&f, 2), 1);
  assert_int_equal(node_of(&f, 3), 1);
  hadar_mapping_free(&mapping);
  fixture_free(&f);
}

/* The place with more GPUs at home has the first say; newcomers take what is left, lowest first;
 * a job that changed its class does not count. */
static void test_most_gpus_first(void **state) {
  (void)state;
  struct fixture f;
  struct hadar_seat seats[3];
  mapping_world(&f, "a=4 a=4 a=4 b=4", 4);
  hold(&f, &seats[0], 0, 1, 1);
  hold(&f, &seats[1], 1, 1, 3);
  hold(&f, &seats[2], 2, 3, 4);
  give(&f, 0, 0, 4, 1); /* place 0 */
  give(&f, 1, 0, 4, 3); /* place 1 */
  give(&f, 2, 0, 4, 4); /* place 2, was on the other class */
  give(&f, 3, 1, 4, 4); /* new */
  struct hadar_mapping mapping = {0};
  hadar_map(&mapping, &f.board, f.jobs);
  assert_int_equal(node_of(&f, 1), 1);
  assert_int_equal(node_of(&f, 0), 0);
  assert_int_equal(node_of(&f, 2), 2);
  assert_int_equal(node_of(&f, 3), 3);
  hadar_mapping_free(&mapping);
  fixture_free(&f);
}

static void test_spread_gang_stays(void **state) {
  (void)state;
  struct fixture f;
  mapping_world(&f, "a=4 a=4 a=4", 2);
  struct hadar_seat seats[] = {{1, 4}, {2, 4}};
  f.jobs[0].seats = seats;
  f.jobs[0].held_nodes = 2;
  struct hadar_part whole[] = {{0, 4, 4, 2}};
  struct hadar_grant terms = {.rate = 1};
  give(&f, 1, 0, 4, 2);
  hadar_board_give(&f.board, 0, whole, 1, &terms);
  struct hadar_mapping mapping = {0};
  hadar_map(&mapping, &f.board, f.jobs);
  const struct hadar_seat *now = &f.board.seats[f.board.grants[0].first_seat];
  assert_int_equal(now[0].node, 1);
  assert_int_equal(now[1].node, 2);
  assert_int_equal(node_of(&f, 1), 0);
  hadar_mapping_free(&mapping);
  fixture_free(&f);
}

/* Whatever was held before: every place becomes a node of its own, and nothing is taken twice. */
static void test_random_mapping(void **state) {
  (void)state;
  uint64_t seed = 8;
  print_message("seed %llu\n", (unsigned long long)seed);
  for (int r = 0; r < N_RANDOM; r++) {
    struct fixture f;
    struct hadar_seat seats[40];
    mapping_world(&f, "a=4 b=4 a=4 b=4 a=4 a=4", 20);
    int n_given = 0;
    for (int j = 0; j < 20; j++) {
      if (fixture_below(&seed, 3))
        hold(&f, &seats[j], j, fixture_below(&seed, 6), 1 + (uint32_t)fixture_below(&seed, 3));
      if (f.board.room.n == 0)
        continue;
      const struct hadar_entry entry = f.board.room.at[fixture_below(&seed, f.board.room.n)];
      give(&f, j, entry.cls, entry.level, 1 + (uint32_t)fixture_below(&seed, (int)entry.level));
      n_given++;
    }
    struct hadar_mapping mapping = {0};
    hadar_map(&mapping, &f.board, f.jobs);
    int used[6] = {0}, seen = 0;
    for (int j = 0; j < 20; j++)
      if (f.board.grants[j].n_seats > 0) {
        used[node_of(&f, j)] += (int)f.board.seats[f.board.grants[j].first_seat].delta;
        seen++;
      }
    assert_int_equal(seen, n_given);
    for (int n = 0; n < 6; n++)
      assert_true(used[n] <= 4);
    hadar_mapping_free(&mapping);
    fixture_free(&f);
  }
}

/* ---- The log line ---- */

static void test_report(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "v100=2");
  fixture_job(&f, 1, (double[]){1}, 1440, 0);
  fixture_price(&f);
  fixture_queue(&f);
  fixture_dp(&f, 1);
  fixture_board(&f);
  struct hsim_job job = {.id = "a\"b\n"};
  struct hsim_active active = {.job = &job};
  const struct hsim_active *list[] = {&active};
  struct hadar_report report = {0};
  /* n = 4 rounds, 1/eta = 4 / 2, Umin = 2 / 4 * 1 / 4 = .125, Umax = 1, U = 1440 / 1450. */
  hadar_report_round(&report, &f.cluster.view, &f.market, .5, &f.board, list, f.queue.jobs,
                     f.queue.n, "");
  char expected[256];
  snprintf(expected, sizeof expected,
           "{\"alpha\":%.17g,\"inverse_eta\":2,\"prices\":{\"v100\":[0.125,1]},\"value\":0.5,"
           "\"served\":[{\"job\":\"a\\\"b\\u000a\",\"payoff\":",
           log(8));
  assert_memory_equal(report.text, expected, strlen(expected));
  assert_non_null(strstr(report.text, ",\"rate\":1,\"by\":\"payoff\"}]}"));
  hadar_report_free(&report);
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_work_conserving), cmocka_unit_test(test_shuffled_pairs),
      cmocka_unit_test(test_most_gpus_first), cmocka_unit_test(test_spread_gang_stays),
      cmocka_unit_test(test_random_mapping),  cmocka_unit_test(test_report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
