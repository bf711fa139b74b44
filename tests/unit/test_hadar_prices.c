/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The price function, node classes and kinds. */
#include "hadar_fixture.h"

enum { N_RANDOM = 200 };

/* Random jobs on a random cluster of three types; some jobs cannot run on some types. */
static void random_market(struct fixture *f, uint64_t *seed) {
  static const char *const clusters[] = {"a=4 a=4 b=2 c=1", "a=1 b=8 b=8 b=8 c=4",
                                         "a+b=2 a+b=2 c=4", "a=3 b=3 c=3 a=2"};
  fixture_init(f, clusters[fixture_below(seed, 4)]);
  f->settings.utility = fixture_below(seed, 2) ? HADAR_RAW : HADAR_NORM;
  int n = 1 + fixture_below(seed, 12);
  for (int i = 0; i < n; i++) {
    double pace[3];
    for (int t = 0; t < 3; t++)
      pace[t] = fixture_below(seed, 5) ? fixture_uniform(seed, .1, 10) : 0;
    if (pace[0] <= 0 && pace[1] <= 0 && pace[2] <= 0)
      pace[0] = 1;
    fixture_job(f, 1 + fixture_below(seed, 4), pace, fixture_uniform(seed, 10, 1e6),
                fixture_uniform(seed, 0, 1e5));
  }
  fixture_price(f);
}

static void check_bay(const struct fixture *f, const struct hadar_bay *bay) {
  double low = f->prices.low[bay->type], high = f->prices.high[bay->type];
  assert_true(hadar_price(&f->prices, bay, bay->gpus) == low);
  assert_true(hadar_price(&f->prices, bay, 0) == high);
  assert_true(low > 0 && low <= high);
  for (int unused = 1; low < high && unused <= bay->gpus; unused++)
    assert_true(hadar_price(&f->prices, bay, unused) < hadar_price(&f->prices, bay, unused - 1));
}

/* No job can pay for a full node of any type: its utility there is below the price. */
static void check_full_nodes(const struct fixture *f) {
  for (int j = 0; j < f->n; j++) {
    const struct hadar_kind *kind = f->jobs[j].kind;
    for (int i = 0; i < kind->n_types; i++) {
      double duration = f->stakes[j].steps / kind->one_node[kind->type[i]];
      double utility = f->stakes[j].worth / duration;
      assert_true(f->prices.high[kind->type[i]] >= utility / kind->workers * (1 - 1e-12));
    }
  }
}

static void test_price_curve(void **state) {
  (void)state;
  uint64_t seed = 20240517;
  print_message("seed %llu\n", (unsigned long long)seed);
  for (int r = 0; r < N_RANDOM; r++) {
    struct fixture f;
    random_market(&f, &seed);
    for (int b = 0; b < f.classes.n_bays; b++)
      check_bay(&f, &f.classes.bays[b]);
    check_full_nodes(&f);
    assert_true(f.prices.alpha >= 1);
    fixture_free(&f);
  }
}

static void test_variants(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "v100=4 k80=1");
  fixture_job(&f, 3, (double[]){5, 1}, 54000, 0);
  fixture_job(&f, 1, (double[]){4, 1}, 14400, 14400);
  fixture_price(&f);
  double low = f.prices.low[0];
  f.settings.eta_over_rounds = true; /* the longest job takes 50 rounds */
  fixture_price(&f);
  assert_true(fabs(f.prices.low[0] - low / 50) < 1e-15);
  f.settings.eta_over_rounds = false;
  f.settings.global_cap = true;
  fixture_price(&f);
  assert_true(fabs(f.prices.high[0] - 1) < 1e-12);
  assert_true(fabs(f.prices.high[1] - 1) < 1e-12); /* .25 with a cap per type */
  assert_true(fabs(f.prices.low[0] - low) < 1e-15);
  fixture_free(&f);
}

/* Without any job that can run, and on types that none can use, prices are flat but exist. */
static void test_no_jobs(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "v100=4 k80=1");
  fixture_price(&f);
  assert_true(f.prices.low[0] == f.prices.high[0] && f.prices.low[0] > 0);
  fixture_job(&f, 1, (double[]){4, 0}, 14400, 0);
  fixture_price(&f);
  assert_true(f.prices.low[1] == f.prices.high[1] && f.prices.low[1] > 0);
  assert_true(f.prices.low[0] < f.prices.high[0]);
  fixture_free(&f);
}

static void test_classes(void **state) {
  (void)state;
  struct fixture f;
  /* The third node has the bays of the second one in another order. */
  fixture_init(&f, "a=4 a+b=2 b+a=2 a=4 b=4");
  assert_int_equal(f.classes.n, 3);
  assert_int_equal(f.classes.at[0].n_nodes, 2);
  assert_int_equal(f.classes.at[1].n_nodes, 2);
  assert_int_equal(f.classes.at[1].full, 2 + 2 * 3);
  assert_int_equal(f.classes.class_of_node[3], 0);
  assert_int_equal(f.classes.type_gpus[0], 12);
  assert_int_equal(f.classes.type_gpus[1], 8);
  assert_true(f.classes.mixed);
  hadar_classes_free(&f.classes);
  f.up[1] = 0;
  struct hsim_error error = {0};
  assert_int_equal(hadar_classes_init(&f.classes, &f.cluster.view, f.up, &error), HSIM_OK);
  assert_int_equal(f.classes.class_of_node[1], -1);
  assert_int_equal(f.classes.n_nodes, 4);
  assert_int_equal(f.classes.n_gpus, 16);
  fixture_free(&f);
}

static void test_too_many_levels(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a=1");
  struct cluster huge = {0};
  struct hsim_error error = {0};
  assert_int_equal(cluster_add_node(&huge, "big", NULL, 0, &error), HSIM_OK);
  for (int t = 0; t < 5; t++) {
    char name[16];
    snprintf(name, sizeof name, "t%d", t);
    assert_int_equal(cluster_add_bay(&huge, name, 99, &error), HSIM_OK);
  }
  assert_int_equal(cluster_finish(&huge, "huge", &error), HSIM_OK);
  struct hadar_classes classes;
  assert_int_equal(hadar_classes_init(&classes, &huge.view, f.up, &error), HSIM_BAD_INPUT);
  assert_non_null(strstr(error.text, "'big'"));
  hadar_classes_free(&classes);
  cluster_free(&huge);
  fixture_free(&f);
}

static void test_room(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a=4 a=4 a=4");
  struct hadar_entry entries[4];
  struct hadar_room room = {.at = entries};
  hadar_room_all(&f.classes, &room);
  struct hadar_part part = {0, 4, 3, 2};
  hadar_room_take(&room, &part, 1, 6);
  assert_int_equal(room.n, 2);
  assert_int_equal(room.gpus, 6);
  assert_int_equal(room.at[0].level, 1);
  assert_int_equal(room.at[0].nodes, 2);
  hadar_room_shift(&room, 0, 1, 0, 2); /* full nodes are not listed */
  assert_int_equal(room.n, 1);
  hadar_room_shift(&room, 0, 0, 4, 2);
  assert_int_equal(room.n, 1);
  assert_int_equal(room.at[0].nodes, 3);
  fixture_free(&f);
}

static void test_kinds(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a=2 b=2 b=2");
  struct hadar_job *job = fixture_job(&f, 3, (double[]){5, 4}, 100, 0);
  struct hadar_kind *kind = &f.kinds[0];
  assert_int_equal(kind->type[0], 0);
  assert_true(kind->fastest == 15);
  /* No single node holds three; the fastest gang has only b, or a mix at b's pace. */
  assert_true(fabs(job->kind->best - 3 * 4 * .9) < 1e-12);
  /* Of equally fast types the lowest one is ranked last. */
  fixture_job(&f, 1, (double[]){2, 2}, 100, 0);
  assert_int_equal(f.kinds[1].rank[0], 1);
  /* Types that are not allowed have no rank. */
  f.kinds[1].types = 2;
  hadar_kind_rank(&f.kinds[1], 2);
  assert_int_equal(f.kinds[1].n_types, 1);
  assert_int_equal(f.kinds[1].rank[0], -1);
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_price_curve),     cmocka_unit_test(test_variants),
      cmocka_unit_test(test_no_jobs),         cmocka_unit_test(test_classes),
      cmocka_unit_test(test_too_many_levels), cmocka_unit_test(test_room),
      cmocka_unit_test(test_kinds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
