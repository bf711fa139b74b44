/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What bundles are worth to an app, and which of them it bids for. */
#include "themis_fixture.h"

/* ---- Where gangs stand ---- */

static enum hsim_span span_of(const struct cluster *cluster, const char *gpus) {
  struct hsim_share shares[8];
  int n = 0;
  for (int bay = 0; gpus[bay]; bay++)
    if (gpus[bay] > '0')
      shares[n++] = (struct hsim_share){bay, gpus[bay] - '0'};
  return themis_span(&cluster->view, shares, n);
}

static void test_spans(void **state) {
  (void)state;
  struct cluster cluster = {0};
  fixture_cluster(&cluster, "4/2 4/2 | 4/2");
  assert_int_equal(span_of(&cluster, "2"), HSIM_SPAN_SLOT);
  assert_int_equal(span_of(&cluster, "3"), HSIM_SPAN_NODE);
  assert_int_equal(span_of(&cluster, "11"), HSIM_SPAN_RACK);
  assert_int_equal(span_of(&cluster, "011"), HSIM_SPAN_CLUSTER);
  assert_int_equal(span_of(&cluster, "111"), HSIM_SPAN_CLUSTER);
  assert_int_equal(span_of(&cluster, "401"), HSIM_SPAN_CLUSTER);
  cluster_free(&cluster);
  /* Nodes without a rack are in none with any other. */
  struct hsim_error error = {0};
  struct cluster bare = {0};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(cluster_add_node(&bare, NULL, NULL, 0, &error), HSIM_OK);
    assert_int_equal(cluster_add_bay(&bare, "gpu", 2, &error), HSIM_OK);
  }
  assert_int_equal(cluster_finish(&bare, "bare", &error), HSIM_OK);
  assert_int_equal(span_of(&bare, "2"), HSIM_SPAN_NODE);
  assert_int_equal(span_of(&bare, "11"), HSIM_SPAN_CLUSTER);
  cluster_free(&bare);
}

/* ---- Worked examples ---- */

struct expected {
  int first, second;
  double values[3];
};

static void test_two_apps(void **state) {
  (void)state;
  static const struct expected rows[] = {
      {0, 0, {0, 0, 0}},       {1, 0, {0.5, 0.5, 0}},   {0, 1, {0.5, 0.5, 0}},
      {2, 0, {1, 1, 0}},       {0, 2, {1, 1, 0}},       {1, 1, {0.72, 0.98, 0}},
      {2, 1, {1.08, 1.47, 0}}, {1, 2, {1.08, 1.47, 0}}, {2, 2, {1.44, 1.96, 0}}};
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  fixture_two_apps(&f, &settings);
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
    for (int app = 0; app < 2; app++)
      assert_near(fixture_value(&f.market.seats[app], rows[r].first, rows[r].second),
                  rows[r].values[app], 1e-4);
  struct themis_table tables[2] = {0};
  fixture_program(&f, 2, tables);
  assert_near(tables[0].empty_value, 0.005, 1e-12);
  /* (1,1) is worth 0.72 to A, (2,0) 1; but (1,1) uses less of M1: it stays. */
  assert_int_equal(tables[0].n, 8);
  fixture_free(&f);
  for (int i = 0; i < 2; i++)
    themis_table_free(&tables[i]);
}

static const struct expected four_apps[] = {
    {0, 0, {0, 0, 0.7843}},           {1, 0, {0.3810, 0.4444, 0.9091}},
    {0, 1, {0.3810, 0.4444, 1.0811}}, {2, 0, {0.6667, 0.7619, 1.1348}},
    {1, 1, {0.6566, 0.5963, 1.1348}}, {0, 2, {0.6667, 0.7619, 1.3333}},
    {3, 0, {0.8889, 1.0000, -1}},     {2, 1, {0.8770, 0.8045, -1}},
    {1, 2, {0.8770, 0.8045, -1}},     {4, 0, {1.0667, 1.1852, -1}},
    {3, 1, {1.0538, 0.9746, -1}},     {2, 2, {1.0538, 0.9746, -1}},
};

static bool lists(const struct themis_table *table, int first, int second) {
  for (int i = 0; i < table->n; i++) {
    int gpus[2] = {0, 0};
    for (int p = 0; p < table->rows[i].n; p++)
      gpus[themis_row_parts(table, &table->rows[i])[p].bay] =
          themis_row_parts(table, &table->rows[i])[p].gpus;
    if (gpus[0] == first && gpus[1] == second)
      return true;
  }
  return false;
}

static void test_four_apps(void **state) {
  (void)state;
  static const double keys[] = {2.625, 2.25, 1.275, 7.0 / 6};
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  fixture_four_apps(&f, &settings);
  for (int app = 0; app < 4; app++)
    assert_near(f.market.seats[app].key, keys[app], 1e-9);
  for (size_t r = 0; r < sizeof four_apps / sizeof four_apps[0]; r++)
    for (int app = 0; app < 3; app++)
      if (four_apps[r].values[app] >= 0)
        assert_near(fixture_value(&f.market.seats[app], four_apps[r].first, four_apps[r].second),
                    four_apps[r].values[app], 1e-4);
  struct themis_table tables[3] = {0};
  fixture_program(&f, 3, tables);
  for (int app = 0; app < 3; app++)
    for (size_t r = 1; r < sizeof four_apps / sizeof four_apps[0]; r++) {
      const struct expected *row = &four_apps[r];
      /* (3,0) is worth 1 to A, (3,1) less. */
      bool matched = app == APP_A && row->first == 3 && row->second == 1;
      assert_true(lists(&tables[app], row->first, row->second) ==
                  (row->values[app] >= 0 && !matched));
    }
  assert_near(tables[APP_A].empty_value, 0.00444, 1e-5);
  assert_near(tables[APP_B].empty_value, 0.00381, 1e-5);
  assert_near(tables[APP_C].empty_value, 0.7843, 1e-4);
  fixture_free(&f);
  for (int i = 0; i < 3; i++)
    themis_table_free(&tables[i]);
}

/* ---- More GPUs are not always better ---- */

static void test_not_monotone(void **state) {
  (void)state;
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  fixture_init(&f, "4 | 1", &settings);
  fixture_app(&f, 0, 100);
  fixture_job(&f, 1000, 5, VGG16);
  struct themis_seat *seat = fixture_ready(&f);
  assert_near(fixture_value(seat, 4, 1) / fixture_value(seat, 1, 0), 2.6, 1e-9);
  struct themis_table table = {0};
  fixture_program(&f, 1, &table);
  /* One to four GPUs near each other, the far one alone, and (1,1): 2 * 0.52 is more than 1. */
  assert_int_equal(table.n, 6);
  for (int i = 0; i < table.n; i++)
    assert_true(table.rows[i].gpus < 5);
  fixture_free(&f);
  themis_table_free(&table);
}

/* ---- Random offers ---- */

static void check_table(const struct themis_table *table, const struct fixture *f, int rows_max,
                        uint64_t seed) {
  check(seed, table->n <= rows_max);
  for (int i = 0; i < table->n; i++) {
    const struct themis_row *row = &table->rows[i];
    const struct hsim_share *parts = themis_row_parts(table, row);
    check(seed, row->value > table->empty_value);
    for (int p = 0; p < row->n; p++) {
      check(seed, parts[p].gpus > 0 && parts[p].gpus <= f->roster.leases.free[parts[p].bay]);
      check(seed, p == 0 || parts[p].bay > parts[p - 1].bay);
    }
    for (int j = 0; j < table->n; j++) {
      const struct themis_row *other = &table->rows[j];
      bool matched = themis_bundle_within(themis_row_parts(table, other), other->n, parts, row->n);
      check(seed, !(i != j && matched && other->value >= row->value));
      if (j == i + 1)
        check(seed, row->gpus < other->gpus ||
                        (row->gpus == other->gpus &&
                         themis_bundle_compare(parts, row->n, themis_row_parts(table, other),
                                               other->n) < 0));
    }
  }
}

/* Tables hold no row that another matches, stay within the offer and their size. */
static void test_random_tables(void **state) {
  (void)state;
  static const char *const clusters[] = {"4/2 4/2 2/2 1 | 4/2 4/2 2/2 1", "2 2 2 | 2 2 | 4 4 8",
                                         "1 1 1 1 1 1 1 1", "8 8", "4 4 4"};
  static const double *const kinds[] = {VGG16, INCEPTION, ALEXNET};
  for (uint64_t seed = 1; seed <= 300; seed++) {
    uint64_t random = seed;
    struct themis_settings settings = fixture_settings();
    settings.bids.rows_max = 1 + (int)(next(&random) % 64);
    settings.bids.alternatives = 1 + (int)(next(&random) % 6);
    struct fixture f;
    fixture_init(&f, clusters[next(&random) % 5], &settings);
    fixture_app(&f, (double)(next(&random) % 100), 50);
    int jobs = 1 + (int)(next(&random) % 4);
    for (int j = 0; j < jobs; j++)
      fixture_job(&f, (double)(1 + next(&random) % 999), 1 + (int)(next(&random) % 8),
                  kinds[next(&random) % 3]);
    int hold = (int)(next(&random) % 3);
    for (int h = 0; h < hold; h++) {
      int bay = (int)(next(&random) % (unsigned)f.cluster.view.n_bays);
      if (f.roster.leases.free[bay] > 0)
        fixture_hold(&f, bay, 1);
    }
    fixture_ready(&f);
    struct themis_table table = {0};
    fixture_program(&f, 1, &table);
    if (f.market.seats[0].agent.held_gpus < f.market.seats[0].agent.most)
      check(seed, table.n > 0 || f.market.seats[0].agent.held_gpus > 0);
    check_table(&table, &f, settings.bids.rows_max, seed);
    fixture_free(&f);
    themis_table_free(&table);
  }
}

/* ---- Apps with several jobs ---- */

static void test_many_jobs(void **state) {
  (void)state;
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  fixture_init(&f, "4 4", &settings);
  fixture_app(&f, 10, 100);
  fixture_job(&f, 90, 1, VGG16);
  fixture_job(&f, 60, 1, VGG16);
  fixture_job(&f, 30, 1, VGG16);
  struct themis_seat *seat = fixture_ready(&f);
  assert_true(seat->agent.flat);
  /* max( sum w / k, max w / 1 ) */
  struct hsim_share one = {0, 1}, two = {0, 2}, far[2] = {{0, 1}, {1, 1}};
  assert_near(themis_agent_remaining(&seat->agent, &one, 1), 180, 1e-12);
  assert_near(themis_agent_remaining(&seat->agent, &two, 1), 90, 1e-12);
  assert_near(themis_agent_remaining(&seat->agent, far, 2), 90, 1e-12);
  assert_near(themis_agent_smallest_remaining(&seat->agent), 180, 1e-12);
  assert_near(themis_agent_value(&seat->agent, &two, 1), 1, 1e-12);
  fixture_free(&f);
  /* Two gangs: the longer per GPU first; the third GPU goes to the other, on its own machine. */
  fixture_init(&f, "2 1", &settings);
  fixture_app(&f, 0, 100);
  fixture_job(&f, 100, 2, VGG16);
  fixture_job(&f, 40, 2, VGG16);
  seat = fixture_ready(&f);
  struct hsim_share all[2] = {{0, 2}, {1, 1}};
  assert_int_equal(themis_agent_split(&seat->agent, all, 2), 3);
  assert_int_equal(seat->agent.tasks[0].size, 2);
  assert_int_equal(seat->agent.tasks[1].size, 1);
  assert_near(themis_agent_remaining(&seat->agent, all, 2), 50, 1e-12); /* 140/3 < 100/2 */
  /* On (1,1) the longer one is spread, and the other is taken to lose as much. */
  assert_near(themis_agent_remaining(&seat->agent, far, 2), 140 / 0.72 / 2, 1e-9);
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spans),         cmocka_unit_test(test_two_apps),
      cmocka_unit_test(test_four_apps),     cmocka_unit_test(test_not_monotone),
      cmocka_unit_test(test_random_tables), cmocka_unit_test(test_many_jobs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
