/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must hold of the baselines on any input, tried on random small worlds: each prints its seed
 * when it fails. The preemptive ones are compared with plain versions of themselves, which sort
 * everything and decide everything anew at each call, and promise nothing about later rounds.
 */
#include "policy/policies.h"
#include "policy_world.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { SEEDS = 40, MAX_ACTIVE = WORLD_MAX_JOBS };

static struct hsim_rng rng_for(uint64_t seed, const char *purpose) {
  struct hsim_rng rng;
  hsim_rng_init(&rng, seed, purpose);
  return rng;
}

static int between(struct hsim_rng *rng, int low, int high) {
  return low + (int)hsim_rng_below(rng, (uint64_t)(high - low + 1));
}

static void random_world(struct world *world, uint64_t seed) {
  static const char *const clusters[] = {"slow=4 fast=2 slow=2 fast=4", "slow=2 fast=8 fast=1",
                                         "fast=4 fast=4 fast=2", "slow=1 slow=3 fast=3 slow=4"};
  struct hsim_rng rng = rng_for(seed, "world");
  struct world_job jobs[80];
  int n = between(&rng, 5, COUNT(jobs));
  double arrival = 0;
  for (int i = 0; i < n; i++) {
    jobs[i] = (struct world_job){.arrival = arrival,
                                 .model = between(&rng, 0, 99) < 90 ? between(&rng, 0, 1) : 2,
                                 .workers = 1 << between(&rng, 0, 2),
                                 .steps = between(&rng, 1, 400),
                                 .weight = between(&rng, 1, 3)};
    if (between(&rng, 0, 3) > 0)
      arrival += between(&rng, 0, 20) / 2.0;
  }
  world_init(world, clusters[seed % COUNT(clusters)]);
  world_set_jobs(world, jobs, n);
  world->cost = seed % 3 == 0 ? 0 : 1.5;
}

/* ---- plain versions ---- */

struct plain_job {
  const struct hsim_active *active;
  double key;
  int type; /* -1: any */
};

typedef int plain_fn(const struct hsim_view *view, const struct hsim_active *active,
                     struct plain_job *out);

static int by_key(const void *a, const void *b) {
  const struct plain_job *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  if (x->active->index != y->active->index)
    return x->active->index < y->active->index ? -1 : 1;
  return (x->type > y->type) - (x->type < y->type);
}

static bool plain_place(const struct hsim_view *view, struct hsim_plan *plan,
                        const struct plain_job *job) {
  const struct hsim_share *shares;
  int workers = job->active->job->workers, best_type = -1;
  double best = 0;
  for (int t = 0; t < view->cluster->n_types; t++) {
    if (job->type >= 0 && t != job->type)
      continue;
    int n = hsim_find_gpus(plan, t, workers, HSIM_PACK_PREFER, &shares);
    double rate = n ? hsim_rate(view->oracle, job->active, shares, n) : 0;
    if (rate > best) {
      best = rate;
      best_type = t;
    }
  }
  if (best_type < 0)
    return false;
  int n = hsim_find_gpus(plan, best_type, workers, HSIM_PACK_PREFER, &shares);
  hsim_plan_place(plan, job->active->index, shares, n);
  return true;
}

static bool stands_on(const struct hsim_view *view, const struct plain_job *job) {
  if (job->active->n_gangs == 0)
    return false;
  return job->type < 0 ||
         view->cluster->bays[job->active->gangs[0]->shares[0].bay].type == job->type;
}

static void plain_decide(const struct hsim_view *view, struct hsim_plan *plan, plain_fn *entries) {
  struct plain_job list[2 * MAX_ACTIVE];
  bool served[MAX_ACTIVE] = {false};
  int n = 0;
  for (const struct hsim_active *active = view->first; active; active = active->next)
    n += entries(view, active, &list[n]);
  qsort(list, (size_t)n, sizeof *list, by_key);
  hsim_plan_clear(plan);
  for (int i = 0; i < n; i++) {
    if (served[list[i].active->index])
      continue;
    served[list[i].active->index] =
        (stands_on(view, &list[i]) && hsim_plan_keep(plan, list[i].active->index)) ||
        plain_place(view, plan, &list[i]);
  }
}

static int srtf_entry(const struct hsim_view *view, const struct hsim_active *active,
                      struct plain_job *out) {
  double rate = hsim_best_rate(view->oracle, active, active->job->workers, NULL);
  *out = (struct plain_job){active, hsim_remaining_steps(view, active) / rate, -1};
  return 1;
}

static int las_entry(const struct hsim_view *view, const struct hsim_active *active,
                     struct plain_job *out) {
  *out = (struct plain_job){active, hsim_attained_gpu_s(view, active), -1};
  return 1;
}

static int max_rate_entry(const struct hsim_view *view, const struct hsim_active *active,
                          struct plain_job *out) {
  double best = hsim_best_rate(view->oracle, active, active->job->workers, NULL);
  int n = 0;
  for (int t = 0; t < view->cluster->n_types; t++) {
    double rate = hsim_rate_on(view->oracle, active, t, active->job->workers, HSIM_SPAN_NODE);
    if (rate > 0 && view->cluster->type_gpus[t] >= active->job->workers)
      out[n++] = (struct plain_job){active, -(rate / best * active->job->weight), t};
  }
  return n;
}

static enum hsim_status plain_srtf(void *state, const struct hsim_view *view,
                                   struct hsim_plan *plan, struct hsim_error *error) {
  (void)state;
  (void)error;
  plain_decide(view, plan, srtf_entry);
  return HSIM_OK;
}

static enum hsim_status plain_las(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                  struct hsim_error *error) {
  (void)state;
  (void)error;
  plain_decide(view, plan, las_entry);
  return HSIM_OK;
}

static enum hsim_status plain_max_rate(void *state, const struct hsim_view *view,
                                       struct hsim_plan *plan, struct hsim_error *error) {
  (void)state;
  (void)error;
  plain_decide(view, plan, max_rate_entry);
  return HSIM_OK;
}

static void compare_with_plain(const struct hsim_policy *policy,
                               enum hsim_status (*schedule)(void *, const struct hsim_view *,
                                                            struct hsim_plan *,
                                                            struct hsim_error *)) {
  struct hsim_policy plain = *policy;
  plain.options = NULL;
  plain.n_options = 0;
  plain.create = NULL;
  plain.destroy = NULL;
  plain.job_arrived = plain.job_finished = NULL;
  plain.node_changed = NULL;
  plain.schedule = schedule;
  int stops = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct world a, b;
    random_world(&a, seed);
    random_world(&b, seed);
    world_run(&a, policy, "");
    world_run(&b, &plain, "");
    for (int i = 0; i < a.trace.n_jobs; i++)
      if (memcmp(&a.outcome[i], &b.outcome[i], sizeof a.outcome[i]) != 0)
        fail_msg("%s: seed %llu: job %d finished at %.17g (plain %.17g), stopped %d (%d) times, "
                 "moved %d (%d) times",
                 policy->name, (unsigned long long)seed, i, a.outcome[i].finish,
                 b.outcome[i].finish, a.outcome[i].preemptions, b.outcome[i].preemptions,
                 a.outcome[i].migrations, b.outcome[i].migrations);
    stops += world_preemptions(&a);
    world_free(&a);
    world_free(&b);
  }
  if (policy != &policy_max_rate)
    assert_true(stops > SEEDS); /* the worlds are crowded enough to mean something */
}

static void srtf_is_the_plain_one(void **state) {
  (void)state;
  compare_with_plain(&policy_srtf, plain_srtf);
}

static void las_is_the_plain_one(void **state) {
  (void)state;
  compare_with_plain(&policy_las, plain_las);
}

static void max_rate_is_the_plain_one(void **state) {
  (void)state;
  compare_with_plain(&policy_max_rate, plain_max_rate);
}

/* ---- fifo and sjf ---- */

/* No job that runs is ever stopped or moved; without backfill they start in arrival order. */
static void never_stops_a_job(void **state) {
  (void)state;
  static const struct {
    const struct hsim_policy *policy;
    const char *options;
  } cases[] = {{&policy_fifo, ""},
               {&policy_fifo, ":backfill=1"},
               {&policy_fifo, ":profile=yarn"},
               {&policy_fifo, ":consolidate=require:type=slowest_ok"},
               {&policy_sjf, ""}};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct world world;
    random_world(&world, seed);
    for (int c = 0; c < COUNT(cases); c++) {
      world_run(&world, cases[c].policy, cases[c].options);
      double last = 0;
      for (int i = 0; i < world.trace.n_jobs; i++) {
        const struct world_outcome *outcome = &world.outcome[i];
        if (outcome->rejected)
          continue;
        bool ordered = c > 0 || outcome->first_start >= last;
        if (outcome->starts != 1 || outcome->preemptions || outcome->migrations || !ordered)
          fail_msg("case %d: seed %llu: job %d started %d times, from %g, after %g", c,
                   (unsigned long long)seed, i, outcome->starts, outcome->first_start, last);
        last = outcome->first_start;
      }
    }
    world_free(&world);
  }
}

/* ---- srtf on one GPU ---- */

static double best_order(const double *left, unsigned done, int n, double now) {
  double best = INFINITY;
  if (done == (1u << n) - 1)
    return 0;
  for (int i = 0; i < n; i++) {
    if (done >> i & 1)
      continue;
    double end = now + left[i];
    double sum = end + best_order(left, done | 1u << i, n, end);
    if (sum < best)
      best = sum;
  }
  return best;
}

/* Whole numbers, so that sums are exact: the sum of completion times is that of the best of all
 * orders. */
static void srtf_is_optimal_on_one_gpu(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct hsim_rng rng = rng_for(seed, "orders");
    struct world_job jobs[7];
    double seconds[7];
    int n = between(&rng, 2, COUNT(jobs));
    for (int i = 0; i < n; i++) {
      seconds[i] = between(&rng, 1, 50);
      jobs[i] = (struct world_job){.model = MODEL_SAME, .workers = 1, .steps = seconds[i]};
    }
    struct world world;
    world_init(&world, "slow=1");
    world_set_jobs(&world, jobs, n);
    world_run(&world, &policy_srtf, "");
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += world.outcome[i].finish;
    double best = best_order(seconds, 0, n, 0);
    if (sum != best)
      fail_msg("seed %llu: sum of completion times %g, the best order has %g",
               (unsigned long long)seed, sum, best);
    assert_int_equal(world_preemptions(&world), 0);
    world_free(&world);
  }
}

/* ---- las ---- */

/* Two equal jobs of three rounds each on one GPU take turns, job 0 first. */
static void las_alternates(void **state) {
  (void)state;
  static const struct world_job jobs[] = {{.model = MODEL_SAME, .workers = 1, .steps = 30},
                                          {.model = MODEL_SAME, .workers = 1, .steps = 30}};
  struct world world;
  world_init(&world, "slow=1");
  world_set_jobs(&world, jobs, COUNT(jobs));
  world_run(&world, &policy_las, "");
  world_expect(&world, (const double[]){50, 60});
  for (int i = 0; i < 2; i++) {
    assert_int_equal(world.outcome[i].starts, 3);
    assert_int_equal(world.outcome[i].preemptions, 2);
  }
  assert_true(world.outcome[1].first_start == 10);
  world_free(&world);
}

/* Their service is equal wherever rounds begin, although its sum is rounded differently. */
static void las_alternates_from_any_start(void **state) {
  (void)state;
  static const double starts[] = {0.1, 0.2, 0.3, 0.7, 5.9, 33.3, 1234567.89};
  for (size_t s = 0; s < COUNT(starts); s++) {
    const struct world_job jobs[] = {
        {.arrival = starts[s], .model = MODEL_SAME, .workers = 1, .steps = 400},
        {.arrival = starts[s], .model = MODEL_SAME, .workers = 1, .steps = 400},
        {.arrival = starts[s], .model = MODEL_SAME, .workers = 1, .steps = 400}};
    struct world world;
    world_init(&world, "slow=1");
    world_set_jobs(&world, jobs, COUNT(jobs));
    world_run(&world, &policy_las, "");
    for (int i = 0; i < 3; i++)
      assert_int_equal(world.outcome[i].starts, 40);
    world_free(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(las_alternates_from_any_start),
      cmocka_unit_test(srtf_is_the_plain_one),
      cmocka_unit_test(las_is_the_plain_one),
      cmocka_unit_test(max_rate_is_the_plain_one),
      cmocka_unit_test(never_stops_a_job),
      cmocka_unit_test(srtf_is_optimal_on_one_gpu),
      cmocka_unit_test(las_alternates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
