/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bounds against the best of all schedules that change only at whole seconds, on tiny instances:
 * three jobs with a few steps each, two GPU types, integer rates. Every such schedule is one that
 * the engine can execute (spread costs nothing here), so a bound must not be above the best. All
 * are tried: what is left of the three jobs and the second are the state of a dynamic program.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bound_world.h"

enum { JOBS = 3, STEPS = 6, SECONDS = 16, GPUS = 2, INSTANCES = 120 };

enum goal { MAKESPAN, JCT_SUM, SLOWDOWN, GOALS };

struct best {
  double goal[GOALS];
};

/* How a job runs for a second: GPUs of each type, steps. */
struct way {
  int gpus[2];
  int partner; /* earlier job whose GPUs it shares, -1 */
  int rate;
};

struct instance {
  struct world w;
  struct bound_rules rules;
  int arrival[JOBS], steps[JOBS], workers[JOBS], most[JOBS];
  int thr[2][JOBS][2 * GPUS + 1];    /* [type][job][size] */
  int pair[2][JOBS][JOBS][GPUS + 1]; /* rate of the first of the two */
  double ideal[JOBS];
  bool known[SECONDS + 1][STEPS + 1][STEPS + 1][STEPS + 1];
  struct best best[SECONDS + 1][STEPS + 1][STEPS + 1][STEPS + 1];
};

static int draw(struct hsim_rng *rng, int low, int high) {
  return low + (int)hsim_rng_below(rng, (uint64_t)(high - low + 1));
}

/* ---- all schedules ---- */

static struct best solve(struct instance *in, int second, const int *left);

static void take_better(struct best *best, const struct best *other) {
  for (int g = 0; g < GOALS; g++)
    best->goal[g] = fmin(best->goal[g], other->goal[g]);
}

/* Everybody has chosen: what finishes in this second, and the rest. */
static void act(struct instance *in, int second, const int *left, const struct way *ways,
                struct best *best) {
  int next[JOBS];
  struct best now = {{0}};
  for (int j = 0; j < JOBS; j++) {
    next[j] = left[j] > ways[j].rate ? left[j] - ways[j].rate : 0;
    if (left[j] == 0 || next[j] > 0)
      continue;
    double finish = second + (double)left[j] / ways[j].rate, jct = finish - in->arrival[j];
    now.goal[MAKESPAN] = fmax(now.goal[MAKESPAN], finish);
    now.goal[JCT_SUM] += jct;
    now.goal[SLOWDOWN] = fmax(now.goal[SLOWDOWN], jct / in->ideal[j]);
  }
  struct best later = solve(in, second + 1, next);
  now.goal[MAKESPAN] = fmax(now.goal[MAKESPAN], later.goal[MAKESPAN]);
  now.goal[JCT_SUM] += later.goal[JCT_SUM];
  now.goal[SLOWDOWN] = fmax(now.goal[SLOWDOWN], later.goal[SLOWDOWN]);
  take_better(best, &now);
}

static void choose(struct instance *in, int second, const int *left, int j, const int *free,
                   struct way *ways, struct best *best);

static void choose_gang(struct instance *in, int second, const int *left, int j, const int *free,
                        struct way *ways, struct best *best) {
  for (int a = 0; a <= free[0]; a++)
    for (int b = 0; b <= free[1]; b++) {
      int size = a + b, rate;
      bool fits = in->rules.elastic ? size <= in->most[j] : size == in->workers[j];
      if (size == 0 || (!in->rules.forks && !fits))
        continue;
      if (a > 0 && b > 0 && !in->rules.mixes_types && !in->rules.forks)
        continue;
      if (in->rules.forks) /* each GPU a copy */
        rate = a * in->thr[0][j][1] + b * in->thr[1][j][1];
      else if (a > 0 && b > 0)
        rate =
            in->thr[0][j][size] < in->thr[1][j][size] ? in->thr[0][j][size] : in->thr[1][j][size];
      else
        rate = in->thr[a > 0 ? 0 : 1][j][size];
      if (rate == 0)
        continue;
      int rest[2] = {free[0] - a, free[1] - b};
      ways[j] = (struct way){{a, b}, -1, rate};
      choose(in, second, left, j + 1, rest, ways, best);
    }
}

static void choose_partner(struct instance *in, int second, const int *left, int j, const int *free,
                           struct way *ways, struct best *best) {
  for (int p = 0; p < j; p++) {
    struct way before = ways[p];
    int size = before.gpus[0] + before.gpus[1], type = before.gpus[0] > 0 ? 0 : 1;
    bool fits = in->rules.elastic ? size <= in->most[j] : size == in->workers[j];
    if (size == 0 || before.partner >= 0 || !fits || (before.gpus[0] > 0 && before.gpus[1] > 0))
      continue;
    bool taken = false;
    for (int k = p + 1; k < j; k++)
      taken = taken || ways[k].partner == p;
    int mine = in->pair[type][j][p][size], other = in->pair[type][p][j][size];
    if (taken || mine == 0 || other == 0)
      continue;
    ways[p].rate = other;
    ways[j] = (struct way){{before.gpus[0], before.gpus[1]}, p, mine};
    choose(in, second, left, j + 1, free, ways, best);
    ways[p] = before;
  }
}

static void choose(struct instance *in, int second, const int *left, int j, const int *free,
                   struct way *ways, struct best *best) {
  if (j == JOBS) {
    act(in, second, left, ways, best);
    return;
  }
  ways[j] = (struct way){{0, 0}, -1, 0};
  choose(in, second, left, j + 1, free, ways, best);
  if (left[j] == 0 || in->arrival[j] > second)
    return;
  choose_gang(in, second, left, j, free, ways, best);
  if (in->rules.pairs)
    choose_partner(in, second, left, j, free, ways, best);
}

static struct best solve(struct instance *in, int second, const int *left) {
  if (left[0] == 0 && left[1] == 0 && left[2] == 0)
    return (struct best){{0}};
  struct best best = {{INFINITY, INFINITY, INFINITY}};
  if (second == SECONDS)
    return best;
  if (in->known[second][left[0]][left[1]][left[2]])
    return in->best[second][left[0]][left[1]][left[2]];
  struct way ways[JOBS];
  choose(in, second, left, 0, (int[2]){GPUS, GPUS}, ways, &best);
  in->known[second][left[0]][left[1]][left[2]] = true;
  return in->best[second][left[0]][left[1]][left[2]] = best;
}

/* ---- instances ---- */

static const char *const types[] = {"a", "b"};
static const char *const models[] = {"m0", "m1", "m2"};

static void draw_rates(struct instance *in, struct hsim_rng *rng) {
  for (int t = 0; t < 2; t++)
    for (int j = 0; j < JOBS; j++)
      for (int k = 1; k <= 2 * GPUS; k++) {
        int rate = k > 1 && draw(rng, 0, 5) == 0 ? 0 : draw(rng, 1, 2 + k);
        in->thr[t][j][k] = rate;
        world_rate(&in->w, types[t], models[j], k, rate);
      }
  for (int t = 0; t < 2 && in->rules.pairs; t++)
    for (int a = 0; a < JOBS; a++)
      for (int b = a + 1; b < JOBS; b++)
        for (int k = 1; k <= GPUS; k++) {
          int one = draw(rng, 1, 3), other = draw(rng, 1, 3);
          in->pair[t][a][b][k] = one;
          in->pair[t][b][a][k] = other;
          assert_int_equal(rates_add_pair(&in->w.rates, types[t], models[a], models[b], k, one,
                                          other, &in->w.error),
                           HSIM_OK);
        }
}

static void draw_instance(struct instance *in, uint64_t seed) {
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, "tiny instances");
  memset(in, 0, sizeof *in);
  world_init(&in->w, "a=2x1,b=2x1"); /* each GPU a node, so that each may hold a copy */
  in->w.config.semantics.spread = SPREAD_IGNORE;
  in->rules = (struct bound_rules){.elastic = draw(&rng, 0, 1),
                                   .mixes_types = draw(&rng, 0, 1),
                                   .pairs = draw(&rng, 0, 1),
                                   .forks = draw(&rng, 0, 3) == 0};
  draw_rates(in, &rng);
  int arrival = 0;
  for (int j = 0; j < JOBS; j++) {
    in->arrival[j] = arrival;
    in->steps[j] = draw(&rng, 1, STEPS);
    in->workers[j] = draw(&rng, 1, GPUS);
    in->most[j] = draw(&rng, in->workers[j], 2 * GPUS);
    struct hsim_job *job =
        world_job(&in->w, models[j], arrival, models[j], in->workers[j], in->steps[j]);
    job->max_workers = in->most[j];
    arrival += draw(&rng, 0, 2);
  }
}

static void find_ideals(struct instance *in) {
  struct hsim_oracle oracle;
  oracle_init(&oracle, &in->w.rates, &in->w.cluster.view, &in->w.config.semantics);
  struct ideal ideal;
  ideal_init(&ideal, &oracle);
  for (int j = 0; j < JOBS; j++)
    in->ideal[j] = ideal_s(&ideal, &in->w.trace.jobs[j]);
  ideal_free(&ideal);
}

static void check(const char *what, uint64_t seed, double bound, double best, double *ratio,
                  int *tight) {
  if (bound > best)
    fail_msg("instance %llu: bound on %s %.17g, but a schedule has %.17g", (unsigned long long)seed,
             what, bound, best);
  *ratio += bound / best;
  *tight += bound > 0.999 * best;
}

static void test_below_the_best(void **state) {
  (void)state;
  static struct instance in;
  double ratio[GOALS] = {0};
  int tight[GOALS] = {0}, n = 0;
  for (uint64_t seed = 1; seed <= INSTANCES; seed++) {
    draw_instance(&in, seed);
    struct bounds bounds = bounds_of_world(&in.w, in.rules);
    find_ideals(&in);
    struct best best = solve(&in, 0, in.steps);
    world_free(&in.w);
    if (isinf(best.goal[MAKESPAN])) /* a job that cannot run at its size */
      continue;
    assert_int_equal(bounds.jobs, JOBS);
    check("makespan", seed, bounds.makespan_s, best.goal[MAKESPAN], &ratio[MAKESPAN],
          &tight[MAKESPAN]);
    check("mean JCT", seed, bounds.jct_mean_s, best.goal[JCT_SUM] / JOBS, &ratio[JCT_SUM],
          &tight[JCT_SUM]);
    if (!isnan(bounds.slowdown_max))
      check("slowdown", seed, bounds.slowdown_max, best.goal[SLOWDOWN], &ratio[SLOWDOWN],
            &tight[SLOWDOWN]);
    n++;
  }
  print_message("%d instances: bound / best schedule %.3f makespan, %.3f mean JCT, %.3f slowdown; "
                "the best itself in %d, %d, %d\n",
                n, ratio[MAKESPAN] / n, ratio[JCT_SUM] / n, ratio[SLOWDOWN] / n, tight[MAKESPAN],
                tight[JCT_SUM], tight[SLOWDOWN]);
  assert_true(n > INSTANCES / 2);
  assert_true(ratio[MAKESPAN] > 0.7 * n);
  assert_true(ratio[JCT_SUM] > 0.5 * n);
  assert_true(tight[MAKESPAN] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_below_the_best)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
