/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/cluster.h"
#include "model/rates.h"

/* Types of the cluster, in its order; the table names them in another one. */
enum { V100, K80, A100, UNKNOWN };
enum { N0, N1, N2, N3_V, N3_K, N4, N5, N6 }; /* bays */

struct world {
  struct rates rates;
  struct cluster cluster;
  struct semantics semantics;
  struct hsim_oracle oracle;
};

static void add(struct rates *rates, const char *type, const char *model, int workers,
                double rate) {
  assert_int_equal(rates_add(rates, type, model, workers, true, rate, NULL), HSIM_OK);
}

static void add_spread(struct rates *rates, const char *type, const char *model, int workers,
                       double rate) {
  assert_int_equal(rates_add(rates, type, model, workers, false, rate, NULL), HSIM_OK);
}

static void add_pair(struct rates *rates, const char *type, const char *a, const char *b,
                     int workers, double rate_a, double rate_b) {
  assert_int_equal(rates_add_pair(rates, type, a, b, workers, rate_a, rate_b, NULL), HSIM_OK);
}

static void fill_rates(struct rates *rates) {
  static const double full[] = {10, 18, 30, 48}, zero_middle[] = {10, 18, 0, 48};
  for (int i = 0; i < 4; i++) {
    int workers = 8 >> i; /* any order */
    add(rates, "k80", "full", workers, full[3 - i] / 4);
    add(rates, "v100", "full", workers, full[3 - i]);
    add(rates, "v100", "zero_middle", workers, zero_middle[3 - i]);
  }
  add_spread(rates, "v100", "full", 4, 24);  /* factor 0.8 */
  add_spread(rates, "v100", "full", 8, 60);  /* faster than on one node: factor 1 */
  add_spread(rates, "k80", "full", 4, 1.5);  /* factor 0.2 */
  add_spread(rates, "v100", "full", 16, 99); /* no row on one node */
  add(rates, "v100", "one", 1, 5);
  add(rates, "v100", "late", 4, 12); /* first row at 4 */
  add(rates, "v100", "late", 8, 15);
  add(rates, "v100", "late_zero", 1, 0);
  add(rates, "v100", "late_zero", 2, 6);
  add(rates, "v100", "ends_zero", 1, 3);
  add(rates, "v100", "ends_zero", 2, 0);
  add(rates, "v100", "only_four", 4, 8);
  add(rates, "v100", "shrinks", 1, 10);
  add(rates, "v100", "shrinks", 2, 9);
  add(rates, "v100", "jumps", 1, 2);
  add(rates, "v100", "jumps", 2, 10);
  add(rates, "k80", "jumps", 1, 2);
  add(rates, "a100", "full", 1, 10);
  add(rates, "a100", "full", 4, 30);
  add_pair(rates, "v100", "full", "one", 1, 7, 4);
  add_pair(rates, "v100", "full", "full", 1, 6, 5);
  add_pair(rates, "v100", "full", "one", 2, 0, 0);
  add_pair(rates, "k80", "one", "full", 1, 0, 3);
  assert_int_equal(rates_finish(rates, NULL), HSIM_OK);
}

static void add_node(struct cluster *cluster, const char *rack, int slot_size, const char *type,
                     int gpus) {
  assert_int_equal(cluster_add_node(cluster, NULL, rack, slot_size, NULL), HSIM_OK);
  assert_int_equal(cluster_add_bay(cluster, type, gpus, NULL), HSIM_OK);
}

static void fill_cluster(struct cluster *cluster) {
  add_node(cluster, "r1", 2, "v100", 4);
  add_node(cluster, "r1", 0, "v100", 4);
  add_node(cluster, "r2", 0, "v100", 4);
  add_node(cluster, NULL, 3, "v100", 2); /* a mixed node */
  assert_int_equal(cluster_add_bay(cluster, "k80", 4, NULL), HSIM_OK);
  add_node(cluster, NULL, 0, "k80", 8);
  add_node(cluster, "r2", 0, "a100", 4);
  add_node(cluster, "r2", 0, "unknown", 16);
  assert_int_equal(cluster_finish(cluster, "test", NULL), HSIM_OK);
}

static int set_up(void **state) {
  struct world *world = mem_zero(1, sizeof *world);
  fill_rates(&world->rates);
  fill_cluster(&world->cluster);
  assert_int_equal(semantics_parse("default", &world->semantics, NULL), HSIM_OK);
  oracle_init(&world->oracle, &world->rates, &world->cluster.view, &world->semantics);
  *state = world;
  return 0;
}

static int tear_down(void **state) {
  struct world *world = *state;
  rates_free(&world->rates);
  rates_free(&world->rates);
  cluster_free(&world->cluster);
  semantics_free(&world->semantics);
  free(world);
  return 0;
}

static void use_semantics(struct world *world, const char *text) {
  semantics_free(&world->semantics);
  assert_int_equal(semantics_parse(text, &world->semantics, NULL), HSIM_OK);
  oracle_init(&world->oracle, &world->rates, &world->cluster.view, &world->semantics);
}

static int model_of(const struct world *world, const char *name) {
  int model = names_find(&world->rates.models, name, strlen(name));
  assert_true(model >= 0);
  return model;
}

static void assert_near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
    fail_msg("%.17g, expected %.17g", value, expected);
}

static void assert_thr(const struct world *world, const char *model, int type, int workers,
                       double expected, bool derived_expected) {
  bool derived = !derived_expected;
  double thr = oracle_thr(&world->oracle, model_of(world, model), type, workers, &derived);
  if (!(fabs(thr - expected) <= 1e-12 * expected))
    fail_msg("%s with %d workers: %.17g, expected %.17g", model, workers, thr, expected);
  assert_int_equal(derived, derived_expected);
  assert_true(thr == oracle_thr(&world->oracle, model_of(world, model), type, workers, NULL));
}

static void rows_count_as_they_are(void **state) {
  const struct world *world = *state;
  static const double full[] = {10, 18, 30, 48};
  for (int i = 0; i < 4; i++) {
    double thr = oracle_thr(&world->oracle, model_of(world, "full"), V100, 1 << i, NULL);
    assert_true(thr == full[i]);
    assert_thr(world, "full", V100, 1 << i, full[i], false);
    assert_thr(world, "full", K80, 1 << i, full[i] / 4, false);
  }
  assert_thr(world, "zero_middle", V100, 4, 0, false);
}

static void without_rows_nothing_runs(void **state) {
  const struct world *world = *state;
  assert_thr(world, "one", K80, 1, 0, false);
  assert_thr(world, "full", UNKNOWN, 1, 0, false);
  assert_thr(world, "full", V100, 0, 0, false);
  assert_true(oracle_thr(&world->oracle, -1, V100, 1, NULL) == 0);
  assert_true(oracle_thr(&world->oracle, 0, -1, 1, NULL) == 0);
}

static void between_rows_linear_in_log2(void **state) {
  const struct world *world = *state;
  /* log2(3) = 1.5849625007211562: 18 + 12 * 0.5849625007211562 */
  assert_thr(world, "full", V100, 3, 25.0195500086538744, true);
  /* log2(5) = 2.3219280948873623, log2(6) = 2.5849625007211562, log2(7) = 2.8073549220576042 */
  assert_thr(world, "full", V100, 5, 30 + 18 * 0.3219280948873623, true);
  assert_thr(world, "full", V100, 6, 30 + 18 * 0.5849625007211562, true);
  assert_thr(world, "full", V100, 7, 30 + 18 * 0.8073549220576042, true);
  /* Rows 1 and 4: log2(2) is half of log2(4). */
  assert_thr(world, "full", A100, 2, 20, true);
  assert_thr(world, "late", V100, 6, 12 + 3 * 0.5849625007211562, true);
}

static void next_to_a_zero_row_nothing_runs(void **state) {
  const struct world *world = *state;
  assert_thr(world, "zero_middle", V100, 3, 0, false);
  assert_thr(world, "zero_middle", V100, 6, 0, false);
  assert_thr(world, "zero_middle", V100, 2, 18, false);
  assert_thr(world, "zero_middle", V100, 8, 48, false);
  assert_thr(world, "ends_zero", V100, 3, 0, false);
  assert_thr(world, "ends_zero", V100, 100, 0, false);
  /* Above a largest row that is not 0, growth from a row of 0 is the largest allowed one. */
  assert_thr(world, "late_zero", V100, 1, 0, false);
  assert_thr(world, "late_zero", V100, 4, 12, true);
}

static void above_the_largest_row_growth_repeats(void **state) {
  const struct world *world = *state;
  assert_thr(world, "full", V100, 16, 48 * 1.6, true); /* g = 48/30 a doubling */
  assert_thr(world, "full", V100, 32, 48 * 1.6 * 1.6, true);
  assert_thr(world, "full", V100, 12, 48 * pow(1.6, 0.5849625007211562), true);
  assert_thr(world, "full", A100, 8, 30 * sqrt(3), true); /* two doublings between its rows */
  assert_thr(world, "shrinks", V100, 8, 9, true);         /* g >= 1 */
  assert_thr(world, "jumps", V100, 4, 20, true);          /* g <= 2 */
  assert_thr(world, "jumps", V100, 3, 15, true);          /* 10 * 2^log2(1.5) */
  assert_thr(world, "late", V100, 64, 15 * 1.25 * 1.25 * 1.25, true);
  assert_thr(world, "full", V100, 1024, 48 * pow(1.6, 7), true); /* beyond the prepared sizes */
}

static void below_the_smallest_row_proportional(void **state) {
  const struct world *world = *state;
  assert_thr(world, "late", V100, 1, 3, true);
  assert_thr(world, "late", V100, 3, 9, true);
  assert_thr(world, "only_four", V100, 1, 2, true);
}

static void one_row_says_nothing_about_growth(void **state) {
  const struct world *world = *state;
  assert_thr(world, "one", V100, 1, 5, false);
  assert_thr(world, "one", V100, 2, 0, false);
  assert_thr(world, "one", V100, 100, 0, false);
  assert_thr(world, "jumps", K80, 2, 0, false); /* per type, though v100 has more rows */
  assert_thr(world, "only_four", V100, 8, 0, false);
}

static void reject_knows_rows_only(void **state) {
  struct world *world = *state;
  use_semantics(world, "default:missing_size=reject");
  assert_thr(world, "full", V100, 4, 30, false);
  assert_thr(world, "full", V100, 3, 0, false);
  assert_thr(world, "full", V100, 16, 0, false);
  assert_thr(world, "late", V100, 1, 0, false);
  assert_thr(world, "full", A100, 2, 0, false);
}

static double rate_on(const struct world *world, const char *model, int type, int workers,
                      enum hsim_span span) {
  return oracle_rate_on(&world->oracle, model_of(world, model), type, workers, span);
}

static void the_table_gives_the_spread_factor(void **state) {
  const struct world *world = *state;
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_SLOT), 30);
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_NODE), 30);
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_RACK), 24);
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_CLUSTER), 24);
  assert_near(rate_on(world, "full", V100, 8, HSIM_SPAN_CLUSTER), 48); /* at most 1 */
  assert_near(rate_on(world, "full", V100, 2, HSIM_SPAN_CLUSTER), 18 * 0.9);
  assert_near(rate_on(world, "full", V100, 3, HSIM_SPAN_RACK), 25.0195500086538744 * 0.9);
  /* A spread row without one on one node gives no factor, and is no row. */
  assert_near(rate_on(world, "full", V100, 16, HSIM_SPAN_CLUSTER), 76.8 * 0.9);
  assert_near(rate_on(world, "full", K80, 4, HSIM_SPAN_CLUSTER), 1.5);
  assert_true(rate_on(world, "one", V100, 2, HSIM_SPAN_CLUSTER) == 0);
  assert_true(rate_on(world, "full", UNKNOWN, 2, HSIM_SPAN_CLUSTER) == 0);
}

static void the_spread_rule_is_a_setting(void **state) {
  struct world *world = *state;
  use_semantics(world, "default:spread_default=0.5");
  assert_near(rate_on(world, "full", V100, 2, HSIM_SPAN_CLUSTER), 9);
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_CLUSTER), 24);
  use_semantics(world, "default:spread=ignore");
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_CLUSTER), 30);
  assert_near(rate_on(world, "full", V100, 2, HSIM_SPAN_RACK), 18);
}

#define RATE(world, model, ...)                                                                    \
  oracle_rate(&(world)->oracle, model_of(world, model), (const struct hsim_share[]){__VA_ARGS__},  \
              (int)(sizeof((const struct hsim_share[]){__VA_ARGS__}) / sizeof(struct hsim_share)))

static void placements_have_a_span(void **state) {
  const struct world *world = *state;
  assert_near(RATE(world, "full", {N0, 4}), 30);
  assert_near(RATE(world, "full", {N0, 2}, {N1, 2}), 24);
  assert_near(RATE(world, "full", {N1, 2}, {N2, 2}), 24);
  assert_near(RATE(world, "full", {N0, 1}, {N3_V, 1}), 18 * 0.9);
  assert_near(RATE(world, "full", {N0, 4}, {N1, 4}), 48);
  assert_true(oracle_rate(&world->oracle, 0, NULL, 0) == 0);
}

static void mixed_gangs_go_at_the_slowest_pace(void **state) {
  const struct world *world = *state;
  /* In one node: k80's rate at all 4 workers, no spread. */
  assert_near(RATE(world, "full", {N3_V, 2}, {N3_K, 2}), 7.5);
  assert_near(RATE(world, "full", {N3_K, 2}, {N3_V, 2}), 7.5);
  assert_near(RATE(world, "full", {N3_V, 2}, {N3_K, 1}), 25.0195500086538744 / 4);
  /* Over nodes: k80's factor, not v100's. */
  assert_near(RATE(world, "full", {N0, 2}, {N4, 2}), 1.5);
  assert_near(RATE(world, "full", {N4, 2}, {N0, 2}), 1.5);
  assert_near(RATE(world, "full", {N0, 1}, {N1, 1}, {N4, 1}, {N3_K, 1}), 1.5);
  /* A type on which the model cannot run at this size stops all. */
  assert_true(RATE(world, "one", {N3_V, 1}, {N3_K, 1}) == 0);
  assert_true(RATE(world, "full", {N0, 1}, {N6, 1}) == 0);
  assert_true(RATE(world, "zero_middle", {N0, 2}, {N1, 2}) == 0);
}

static void equal_paces_take_the_lowest_type(void **state) {
  const struct world *world = *state;
  /* v100 and a100 both make 30 with 4; v100 has a spread row (0.8), a100 has none (0.9). */
  assert_near(RATE(world, "full", {N0, 2}, {N5, 2}), 24);
  assert_near(RATE(world, "full", {N5, 2}, {N0, 2}), 24);
}

static void use_efficiency(struct world *world) {
  static const double levels[4] = {1, 0.8, 0.6, 0.3};
  size_t n = (size_t)world->rates.models.n;
  world->rates.efficiency = mem_alloc(4 * n, sizeof(double));
  for (size_t i = 0; i < 4 * n; i++)
    world->rates.efficiency[i] = NAN;
  memcpy(&world->rates.efficiency[4 * model_of(world, "full")], levels, sizeof levels);
  use_semantics(world, "default:spread=file.csv");
}

static void an_efficiency_file_has_four_levels(void **state) {
  struct world *world = *state;
  use_efficiency(world);
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_SLOT), 30);
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_NODE), 24);
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_RACK), 18);
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_CLUSTER), 9);
  assert_near(RATE(world, "full", {N0, 2}), 18);                   /* one slot of 2 */
  assert_near(RATE(world, "full", {N0, 4}), 24);                   /* two slots */
  assert_near(RATE(world, "full", {N1, 2}), 18 * 0.8);             /* no slots: node */
  assert_near(RATE(world, "full", {N0, 2}, {N1, 2}), 18);          /* rack r1 */
  assert_near(RATE(world, "full", {N1, 2}, {N2, 2}), 9);           /* r1 and r2 */
  assert_near(RATE(world, "full", {N0, 1}, {N1, 1}, {N2, 2}), 9);  /* r1 twice, then r2 */
  assert_near(RATE(world, "full", {N0, 1}, {N3_V, 1}), 18 * 0.3);  /* r1 and none */
  assert_near(RATE(world, "full", {N4, 2}, {N3_K, 2}), 7.5 * 0.3); /* both none: no rack */
  assert_near(RATE(world, "full", {N3_V, 2}, {N3_K, 1}), 25.0195500086538744 / 4); /* slot of 3 */
  assert_near(RATE(world, "full", {N3_V, 2}, {N3_K, 2}), 7.5 * 0.8);
  assert_near(RATE(world, "full", {N2, 2}, {N5, 2}), 18); /* two types in rack r2 */
  assert_near(RATE(world, "late", {N0, 4}), 12);          /* not in the file: as the table has it */
  assert_near(RATE(world, "late", {N0, 2}, {N1, 2}), 12 * 0.9);
}

static bool pair(const struct world *world, const char *a, const char *b, int type, int workers,
                 double *rate_a, double *rate_b) {
  *rate_a = *rate_b = 12345;
  return oracle_pair_rate(&world->oracle, model_of(world, a), model_of(world, b), type, workers,
                          rate_a, rate_b);
}

static void pairs_answer_both_ways(void **state) {
  const struct world *world = *state;
  double a, b;
  assert_true(pair(world, "full", "one", V100, 1, &a, &b));
  assert_true(a == 7 && b == 4);
  assert_true(pair(world, "one", "full", V100, 1, &a, &b));
  assert_true(a == 4 && b == 7);
  assert_true(pair(world, "full", "full", V100, 1, &a, &b));
  assert_true(a == 6 && b == 5);
  assert_true(pair(world, "one", "full", K80, 1, &a, &b)); /* one of them stands still */
  assert_true(a == 0 && b == 3);
}

static void absent_or_zero_pairs_may_not_share(void **state) {
  const struct world *world = *state;
  double a, b;
  assert_false(pair(world, "full", "one", V100, 2, &a, &b));
  assert_true(a == 0 && b == 0);
  assert_false(pair(world, "full", "late", V100, 1, &a, &b));
  assert_false(pair(world, "full", "one", V100, 4, &a, &b));
  assert_false(pair(world, "full", "full", K80, 1, &a, &b));
  assert_false(pair(world, "full", "full", UNKNOWN, 1, &a, &b));
  assert_false(oracle_pair_rate(&world->oracle, -1, 0, V100, 1, &a, &b));
  assert_true(a == 0 && b == 0);
}

static void pairs_given_twice_must_agree(void **state) {
  struct world *world = *state;
  struct rates *rates = &world->rates;
  add_pair(rates, "v100", "one", "full", 1, 4, 7);
  add_pair(rates, "v100", "full", "one", 1, 7, 4);
  struct hsim_error error = {0};
  assert_int_equal(rates_add_pair(rates, "v100", "one", "full", 1, 7, 4, &error), HSIM_BAD_INPUT);
  assert_non_null(strstr(error.text, "\"one\" and \"full\" together on GPU type \"v100\" with 1 "));
}

static void the_best_type(void **state) {
  const struct world *world = *state;
  const uint64_t all = UINT64_MAX;
  int full = model_of(world, "full"), type = -2;
  assert_near(oracle_best_rate(&world->oracle, full, all, 4, &type), 30);
  assert_int_equal(type, V100); /* a100 makes 30 too */
  assert_near(oracle_best_rate(&world->oracle, full, UINT64_C(1) << A100, 4, &type), 30);
  assert_int_equal(type, A100);
  /* 8 fit into no node of v100's (14 GPUs): spread, at 48 * 1; 8 k80 on one node make 12. */
  assert_near(oracle_best_rate(&world->oracle, full, all, 8, &type), 48);
  assert_near(oracle_best_rate(&world->oracle, full, UINT64_C(1) << K80, 8, &type), 12);
  assert_int_equal(type, K80);
  /* 6 v100: spread without a row, 0.9; 16 fit on no type that the table knows. */
  assert_near(oracle_best_rate(&world->oracle, full, all, 6, NULL),
              0.9 * (30 + 18 * 0.5849625007211562));
  assert_true(oracle_best_rate(&world->oracle, full, all, 14, &type) > 0);
  assert_int_equal(type, V100);
  assert_true(oracle_best_rate(&world->oracle, full, all, 15, &type) == 0);
  assert_true(oracle_best_rate(&world->oracle, full, all, 16, &type) == 0);
  assert_int_equal(type, -1);
  assert_true(oracle_best_rate(&world->oracle, full, 0, 1, &type) == 0);
  assert_true(oracle_best_rate(&world->oracle, model_of(world, "one"), all, 2, &type) == 0);
  assert_int_equal(type, -1);
}

static void the_best_gang_stands_together(void **state) {
  struct world *world = *state;
  use_efficiency(world);
  int full = model_of(world, "full");
  const uint64_t v100 = UINT64_C(1) << V100;
  assert_near(oracle_best_rate(&world->oracle, full, v100, 2, NULL), 18); /* slot */
  assert_near(oracle_best_rate(&world->oracle, full, v100, 3, NULL), 25.0195500086538744 * 0.8);
  assert_near(oracle_best_rate(&world->oracle, full, v100, 4, NULL), 30 * 0.8); /* node */
  assert_near(oracle_best_rate(&world->oracle, full, v100, 8, NULL), 48 * 0.6); /* rack */
  assert_near(oracle_best_rate(&world->oracle, full, v100, 9, NULL),
              48 * pow(1.6, log2(9.0 / 8)) * 0.3);
  assert_near(oracle_best_rate(&world->oracle, full, UINT64_C(1) << K80, 12, NULL),
              12 * pow(1.6, log2(1.5)) * 0.3); /* nodes without a rack */
}

static void policies_ask_within_the_allowed_types(void **state) {
  const struct world *world = *state;
  struct hsim_job job = {.gpu_types = UINT64_C(1) << K80, .workers = 4};
  struct hsim_active active = {.job = &job, .model = model_of(world, "full")};
  const struct hsim_oracle *oracle = &world->oracle;
  const struct hsim_share k80 = {N4, 4}, mixed[] = {{N3_K, 2}, {N3_V, 2}};
  double a, b;
  int type;
  assert_near(hsim_rate(oracle, &active, &k80, 1), 7.5);
  assert_true(hsim_rate(oracle, &active, mixed, 2) == 0);
  assert_true(hsim_rate_on(oracle, &active, V100, 4, HSIM_SPAN_NODE) == 0);
  assert_near(hsim_rate_on(oracle, &active, K80, 4, HSIM_SPAN_RACK), 1.5);
  assert_true(hsim_rate_on(oracle, &active, -1, 4, HSIM_SPAN_NODE) == 0);
  assert_near(hsim_best_rate(oracle, &active, 4, &type), 7.5);
  assert_int_equal(type, K80);
  struct hsim_job anywhere = {.gpu_types = UINT64_MAX};
  struct hsim_active other = {.job = &anywhere, .model = model_of(world, "one")};
  assert_false(hsim_pair_rate(oracle, &other, &active, V100, 1, &a, &b));
  assert_true(a == 0 && b == 0);
  assert_true(hsim_pair_rate(oracle, &other, &active, K80, 1, &a, &b));
  assert_true(a == 0 && b == 3);
  job.gpu_types = UINT64_MAX;
  assert_true(hsim_pair_rate(oracle, &other, &active, V100, 1, &a, &b));
  assert_true(a == 4 && b == 7);
  assert_near(hsim_rate(oracle, &active, mixed, 2), 7.5);
}

static void speedups_replace_sizes(void **state) {
  struct world *world = *state;
  struct rates *rates = &world->rates;
  int full = model_of(world, "full"), late = model_of(world, "late");
  assert_int_equal(rates_set_speedup(rates, full, 4, 3.5, NULL), HSIM_OK);
  assert_int_equal(rates_set_speedup(rates, full, 3, 2.8, NULL), HSIM_OK);
  assert_int_equal(rates_set_speedup(rates, full, 1, 1, NULL), HSIM_OK);
  assert_int_equal(rates_set_speedup(rates, late, 2, 1.5, NULL), HSIM_OK);
  assert_thr(world, "full", V100, 3, 25.0195500086538744, true); /* not yet */
  assert_int_equal(rates_finish(rates, NULL), HSIM_OK);
  assert_thr(world, "full", V100, 1, 10, false);
  assert_int_equal(rates->rows[full].n, 3); /* 1, 3 and 4 workers on the table's first type */
  assert_thr(world, "full", V100, 3, 28, false);
  assert_thr(world, "full", V100, 4, 35, false);
  assert_thr(world, "full", K80, 4, 2.5 * 3.5, false);
  assert_thr(world, "full", A100, 3, 28, false);
  assert_thr(world, "full", V100, 2, 10 + 18 / log2(3), true); /* the table's row is gone */
  assert_near(rate_on(world, "full", V100, 4, HSIM_SPAN_RACK), 35 * 0.8);
  assert_near(rate_on(world, "full", V100, 3, HSIM_SPAN_RACK), 28 * 0.9);
  assert_thr(world, "late", V100, 1, 3, false); /* 12 / 4, by the rule below the smallest row */
  assert_thr(world, "late", V100, 2, 4.5, false);
  assert_thr(world, "late", V100, 4, 6.75, true);
  assert_thr(world, "one", V100, 1, 5, false); /* others keep theirs */
  assert_thr(world, "full", UNKNOWN, 4, 0, false);
}

static void speedups_are_checked(void **state) {
  struct world *world = *state;
  struct rates *rates = &world->rates;
  int full = model_of(world, "full");
  struct hsim_error error;
  assert_int_equal(rates_set_speedup(rates, full, 1, 1.1, &error), HSIM_BAD_INPUT);
  assert_non_null(strstr(error.text, "\"full\" with 1 worker is 1.1"));
  assert_int_equal(rates_set_speedup(rates, full, 0, 1, &error), HSIM_BAD_INPUT);
  assert_int_equal(rates_set_speedup(rates, full, 2, -1, &error), HSIM_BAD_INPUT);
  assert_int_equal(rates_set_speedup(rates, full, 2, NAN, &error), HSIM_BAD_INPUT);
  assert_int_equal(rates_set_speedup(rates, full, 2, 1.5, &error), HSIM_OK);
  assert_int_equal(rates_set_speedup(rates, full, 2, 1.5, &error), HSIM_BAD_INPUT);
  assert_non_null(strstr(error.text, "\"full\" with 2 workers is given twice"));
}

static void assert_refused(struct rates *rates, const char *type, const char *model, int workers,
                           double rate, const char *part) {
  struct hsim_error error = {0};
  assert_int_equal(rates_add(rates, type, model, workers, true, rate, &error), HSIM_BAD_INPUT);
  if (strstr(error.text, part) == NULL)
    fail_msg("\"%s\" lacks \"%s\"", error.text, part);
}

static void wrong_cells_are_refused(void **state) {
  (void)state;
  struct rates rates = {0};
  struct hsim_error error = {0};
  assert_int_equal(rates_finish(&rates, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, "the rates table is empty");
  add(&rates, "v100", "m", 1, 0);
  add_spread(&rates, "v100", "m", 1, 0);
  add(&rates, "v100", "m", 2, 0);
  add(&rates, "k80", "m", 1, 0);
  assert_refused(&rates, "v100", "m", 1, 2,
                 "model \"m\" on GPU type \"v100\" with 1 workers (on one node) is given twice");
  assert_refused(&rates, "v100", "m", 4, -1, "is -1; expected");
  assert_refused(&rates, "v100", "m", 4, NAN, "is nan; expected");
  assert_refused(&rates, "v100", "m", 4, INFINITY, "is inf; expected");
  assert_refused(&rates, "v100", "m", 0, 1, "0 workers; expected 1 or more");
  assert_refused(&rates, "", "m", 4, 1, "names no GPU type");
  assert_refused(&rates, "v100", "", 4, 1, "names no model");
  assert_int_equal(rates_add_pair(&rates, "v100", "m", "m", 1, 1, -1, &error), HSIM_BAD_INPUT);
  assert_int_equal(rates_add_pair(&rates, "v100", "m", "", 1, 1, 1, &error), HSIM_BAD_INPUT);
  assert_int_equal(rates_add_pair(&rates, "v100", "m", "m", 0, 1, 1, &error), HSIM_BAD_INPUT);
  assert_int_equal(rates_finish(&rates, &error), HSIM_OK);
  rates_free(&rates);
}

/* A table of the size of Gavel's: every cell is found again. */
static void large_tables_are_found_again(void **state) {
  (void)state;
  enum { TYPES = 6, MODELS = 40, SIZES = 4 };
  struct rates rates = {0};
  char types[TYPES][32], models[MODELS][32];
  for (int t = 0; t < TYPES; t++)
    snprintf(types[t], sizeof types[t], "type %d", t);
  for (int m = 0; m < MODELS; m++)
    snprintf(models[m], sizeof models[m], "model %d", m);
  for (int t = 0; t < TYPES; t++)
    for (int a = 0; a < MODELS; a++)
      for (int s = 0; s < SIZES; s++) {
        add(&rates, types[t], models[a], 1 << s, 1 + t + 10 * a + 1000 * s);
        for (int b = 0; b < MODELS; b++)
          add_pair(&rates, types[t], models[a], models[b], 1 << s, 1 + a + 100 * b + t,
                   1 + b + 100 * a + t);
      }
  assert_int_equal(rates_finish(&rates, NULL), HSIM_OK);
  assert_int_equal(rates.pairs.n, TYPES * SIZES * MODELS * (MODELS + 1) / 2);
  for (int t = 0; t < TYPES; t++)
    for (int a = 0; a < MODELS; a++)
      for (int s = 0; s < SIZES; s++) {
        assert_true(rates_thr(&rates, MISSING_REJECT, a, t, 1 << s, NULL) ==
                    1 + t + 10 * a + 1000 * s);
        for (int b = 0; b < MODELS; b++) {
          double x, y;
          assert_true(rates_pair(&rates, a, b, t, 1 << s, &x, &y));
          assert_true(x == 1 + a + 100 * b + t && y == 1 + b + 100 * a + t);
        }
      }
  rates_free(&rates);
}

/* The prepared sizes and the general way agree to the bit: the same rows above 64 workers. */
static void a_gang_of_many_sizes(void **state) {
  (void)state;
  struct rates rates = {0};
  for (int k = 200; k >= 1; k--)
    if (k % 5 != 0)
      add(&rates, "v100", "m", k, sqrt(k));
  assert_int_equal(rates_finish(&rates, NULL), HSIM_OK);
  assert_int_equal(rates.rows[0].n_sizes, 64);
  for (int k = 1; k < 200; k++) {
    bool derived;
    double thr = rates_thr(&rates, MISSING_INTERPOLATE, 0, 0, k, &derived);
    assert_int_equal(derived, k % 5 == 0);
    if (k % 5 != 0) {
      assert_true(thr == sqrt(k));
    } else {
      double part = log2(k / (k - 1.0)) / log2((k + 1.0) / (k - 1.0));
      assert_near(thr, sqrt(k - 1) + (sqrt(k + 1) - sqrt(k - 1)) * part);
    }
  }
  rates_free(&rates);
}

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      WORLD_TEST(rows_count_as_they_are),
      WORLD_TEST(without_rows_nothing_runs),
      WORLD_TEST(between_rows_linear_in_log2),
      WORLD_TEST(next_to_a_zero_row_nothing_runs),
      WORLD_TEST(above_the_largest_row_growth_repeats),
      WORLD_TEST(below_the_smallest_row_proportional),
      WORLD_TEST(one_row_says_nothing_about_growth),
      WORLD_TEST(reject_knows_rows_only),
      WORLD_TEST(the_table_gives_the_spread_factor),
      WORLD_TEST(the_spread_rule_is_a_setting),
      WORLD_TEST(placements_have_a_span),
      WORLD_TEST(mixed_gangs_go_at_the_slowest_pace),
      WORLD_TEST(equal_paces_take_the_lowest_type),
      WORLD_TEST(an_efficiency_file_has_four_levels),
      WORLD_TEST(pairs_answer_both_ways),
      WORLD_TEST(absent_or_zero_pairs_may_not_share),
      WORLD_TEST(pairs_given_twice_must_agree),
      WORLD_TEST(the_best_type),
      WORLD_TEST(the_best_gang_stands_together),
      WORLD_TEST(policies_ask_within_the_allowed_types),
      WORLD_TEST(speedups_replace_sizes),
      WORLD_TEST(speedups_are_checked),
      cmocka_unit_test(wrong_cells_are_refused),
      cmocka_unit_test(large_tables_are_found_again),
      cmocka_unit_test(a_gang_of_many_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
