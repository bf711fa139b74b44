/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The author's experiment: 24 jobs of four kinds on 3 nodes of 4 GPUs, two arrival patterns, four
 * elastic algorithms. Makespan and mean JCT as ratios to what was measured; the expected ratios are
 * those of an independent simulation of the same rules, in which resizes lose no partial epoch.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

enum { JOBS = 24, SEEDS = 5 };

static const double patterns[2][JOBS] = {
    {0,   22,  49,  78,  99,  121, 147, 181, 217, 243, 269, 293,
     319, 347, 375, 410, 432, 453, 485, 506, 545, 583, 608, 635},
    {0,    6,    10,   39,   65,   159,  801,  1000, 1261, 1526, 1543, 1568,
     1678, 1721, 1722, 1732, 1734, 1884, 2670, 3039, 3056, 3070, 3192, 3216},
};
static const char order[JOBS + 1] = "irivvttiritvvritirvtvrrt";

static const struct kind {
  char letter;
  const char *name;
  double work_s; /* on one GPU */
  int epochs;
  double speedup[4];
} kinds[] = {
    {'v', "VGG16", 1250, 50, {1, 1.785, 2.5, 3.125}},
    {'r', "ResNet50", 1300, 50, {1, 1.857, 2.6, 3.25}},
    {'i', "InceptionV3", 3500, 50, {1, 1.842, 2.692, 3.5}},
    {'t', "Transformer", 2320, 40, {1, 1.657, 2.148, 2.521}},
};

static const struct row {
  const char *algorithm;
  int pattern;
  double makespan, jct;               /* measured, seconds */
  double random_makespan, random_jct; /* ratios with random ties, mean of 5 seeds */
  double placed_makespan, placed_jct; /* with ties by what is placed */
} rows[] = {
    {"elastic_fifo", 0, 6196, 3506, 0.94, 0.98, 0.88, 0.92},
    {"elastic_tiresias", 0, 7269, 4506, 0.84, 0.85, 0.79, 0.80},
    {"ffdl", 0, 6071, 3504, 0.96, 0.97, 0.91, 0.92},
    {"afs_l", 0, 6017, 3079, 0.93, 0.99, 0.88, 0.94},
    {"elastic_fifo", 1, 6442, 2549, 0.94, 0.92, 0.89, 0.84},
    {"elastic_tiresias", 1, 7344, 3276, 0.88, 0.87, 0.85, 0.85},
    {"ffdl", 1, 6364, 2586, 0.94, 0.89, 0.92, 0.85},
    {"afs_l", 1, 6893, 2711, 0.92, 0.88, 0.86, 0.79},
};

static struct world w;

static void load(int pattern) {
  world_init(&w, "gtx1080ti=3x4");
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int n = 1; n <= 4; n++)
      world_rate(&w, "gtx1080ti", kinds[k].name, n, kinds[k].speedup[n - 1]);
  for (int i = 0; i < JOBS; i++) {
    const struct kind *kind = kinds;
    while (kind->letter != order[i])
      kind++;
    char id[16];
    snprintf(id, sizeof id, "%c%d", kind->letter, i);
    struct hsim_job *job = world_job(&w, id, patterns[pattern][i], kind->name, 2, kind->work_s);
    job->max_workers = 4;
    job->epochs = kind->epochs;
  }
  w.config.semantics.spread = SPREAD_IGNORE;
  struct hsim_error error;
  assert_int_equal(costs_preset("voda", &w.config.costs, &error), HSIM_OK);
}

/* Adds the run's makespan and mean JCT. */
static void run(const struct row *row, const char *tie, uint64_t seed, double *makespan,
                double *jct) {
  char policy[128];
  snprintf(policy, sizeof policy,
           "voda:algorithm=%s:rate_limit=120:threshold=1800:promote=4:compaction=4:tie=%s",
           row->algorithm, tie);
  w.config.seed = seed;
  if (world_run(&w, policy) != HSIM_OK)
    fail_msg("%s: %s", policy, w.error.text);
  double last = 0;
  for (int i = 0; i < JOBS; i++) {
    double finish = world_finish(&w, w.trace.jobs[i].id);
    last = fmax(last, finish);
    *jct += (finish - w.trace.jobs[i].arrival_s) / JOBS;
  }
  *makespan += last;
}

static void expect_ratio(const struct row *row, const char *what, double found, double wanted) {
  if (!(fabs(found - wanted) <= 0.04))
    fail_msg("%s, pattern %d, %s: %.3f of the measured one, expected about %.2f", row->algorithm,
             row->pattern, what, found, wanted);
}

static void ratios_are_as_expected(void **state) {
  (void)state;
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    const struct row *row = &rows[r];
    double makespan = 0, jct = 0;
    load(row->pattern);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
      run(row, "random", seed, &makespan, &jct);
    expect_ratio(row, "makespan, random ties", makespan / SEEDS / row->makespan,
                 row->random_makespan);
    expect_ratio(row, "mean JCT, random ties", jct / SEEDS / row->jct, row->random_jct);
    makespan = jct = 0;
    run(row, "placed", 0, &makespan, &jct);
    expect_ratio(row, "makespan", makespan / row->makespan, row->placed_makespan);
    expect_ratio(row, "mean JCT", jct / row->jct, row->placed_jct);
    world_free(&w);
  }
}

static void elastic_tiresias_is_worst(void **state) {
  (void)state;
  for (int pattern = 0; pattern < 2; pattern++) {
    double worst_makespan = 0, worst_jct = 0, others_makespan = 0, others_jct = 0;
    load(pattern);
    for (size_t r = 0; r < 4; r++) {
      double makespan = 0, jct = 0;
      run(&rows[r], "placed", 0, &makespan, &jct);
      if (strcmp(rows[r].algorithm, "elastic_tiresias") == 0) {
        worst_makespan = makespan;
        worst_jct = jct;
      } else {
        others_makespan = fmax(others_makespan, makespan);
        others_jct = fmax(others_jct, jct);
      }
    }
    assert_true(worst_makespan > others_makespan);
    assert_true(worst_jct > others_jct);
    world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ratios_are_as_expected),
      cmocka_unit_test(elastic_tiresias_is_worst),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
