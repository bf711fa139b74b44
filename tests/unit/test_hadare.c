/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HadarE under the engine, with the auditor on; and its second phase and its tracker alone. */
#include "hadar_fixture.h"
#include "policy/hadar/forks.h"
#include "policy/hadar/tracker.h"
#include "solver/lp.h"
#include "world.h"

#define CLOSE(got, expected, tolerance) assert_true(fabs((got) - (expected)) <= (tolerance))

static void run(struct world *w, const char *policy) {
  if (world_run(w, policy) != HSIM_OK)
    fail_msg("%s: %s", policy, w->error.text);
}

static void hadar_costs(struct world *w) {
  struct hsim_error error = {0};
  assert_int_equal(costs_preset("hadar", &w->config.costs, &error), HSIM_OK);
}

static double last_finish(const struct world *w) {
  double last = 0;
  for (int i = 0; i < w->trace.n_jobs; i++)
    last = fmax(last, world_finish(w, w->trace.jobs[i].id));
  return last;
}

/* ---- The tracker ---- */

static void test_copy_ids(void **state) {
  (void)state;
  for (int copy = 1; copy <= 3; copy++) {
    assert_int_equal(tracker_copy_id(100, copy, 7), 100 * copy + 7);
    assert_int_equal(tracker_copy_id(100, copy, 8), 100 * copy + 8);
    assert_int_equal(tracker_parent(100, tracker_copy_id(100, copy, 7)), 7);
  }
}

static void test_split(void **state) {
  (void)state;
  struct tracker tracker = {0};
  double rates[] = {10, 6, 6}, steps[3];
  assert_false(tracker_split(&tracker, rates, 3, 350, 7701, steps));
  assert_true(steps[0] == 3500 && steps[1] == 2100 && steps[2] == 2100);
  assert_true(tracker_split(&tracker, rates, 3, 350, 7600, steps));
  assert_true(steps[0] == 3454 && steps[1] == 2073 && steps[2] == 2073);
  /* What is beyond whole steps goes to the fastest copy. */
  assert_true(tracker_split(&tracker, rates, 3, 350, 7600.25, steps));
  assert_true(steps[0] == 3454.25 && steps[1] == 2073 && steps[2] == 2073);
  /* Half a step each: the first of the equal ones. */
  assert_true(tracker_split(&tracker, (double[]){4, 4}, 2, 100, 7, steps));
  assert_true(steps[0] == 4 && steps[1] == 3);
  /* No copy does more than it has time for, however the shares round. */
  assert_true(tracker_split(&tracker, (double[]){1.9, 1.9, 5}, 3, 1, 7, steps));
  assert_true(steps[0] == 1 && steps[1] == 1 && steps[2] == 5);
  /* More steps than a double can count one by one. */
  assert_true(tracker_split(&tracker, (double[]){1e30, 3e30}, 2, 100, 4e30, steps));
  assert_true(steps[0] == 1e30 && steps[1] == 3e30);
  tracker_free(&tracker);
}

static void test_random_splits(void **state) {
  (void)state;
  uint64_t seed = 20250313;
  print_message("seed %llu\n", (unsigned long long)seed);
  struct tracker tracker = {0};
  int last_rounds = 0;
  for (int r = 0; r < 20000; r++) {
    double rates[8], steps[8], least = INFINITY, most = 0, sum = 0;
    int n = 2 + fixture_below(&seed, 7);
    double seconds = fixture_uniform(&seed, 1, 720);
    for (int h = 0; h < n; h++) {
      rates[h] = fixture_below(&seed, 3) ? fixture_uniform(&seed, .01, 60) : 2.5;
      least = fmin(least, rates[h]);
      most += rates[h] * seconds;
    }
    double left = fixture_uniform(&seed, 0, 1.5 * most);
    left = fixture_below(&seed, 2) ? floor(left) + 1 : left;
    bool last = tracker_split(&tracker, rates, n, seconds, left, steps);
    for (int h = 0; h < n; h++) {
      assert_true(steps[h] >= 0 && steps[h] <= rates[h] * seconds * (1 + 1e-15));
      sum += steps[h];
    }
    assert_true(last ? sum == left : sum < left);
    last_rounds += last;
    for (int h = 0; h < n && last; h++)
      for (int g = 0; g < n; g++)
        assert_true(fabs(floor(steps[h]) / rates[h] - floor(steps[g]) / rates[g]) <=
                    1 / least + 1e-9);
  }
  assert_true(last_rounds > 5000);
  tracker_free(&tracker);
}

/* ---- The second phase: example C of the experiments that fixed its rule ---- */

static double copy_rates[FIXTURE_MAX][2];

static struct hadar_job *forked_job(struct fixture *f, double v100, double p100, double steps) {
  int at = f->n;
  copy_rates[at][0] = v100;
  copy_rates[at][1] = p100;
  struct hadar_job *job = fixture_job(f, 1, copy_rates[at], steps, 0);
  f->kinds[at].copy = copy_rates[at];
  f->kinds[at].largest_copy = 1;
  hadar_kind_fit(&f->kinds[at], &f->classes);
  return job;
}

static void example_c(struct fixture *f) {
  fixture_init(f, "v100=1 p100=1 p100=1");
  forked_job(f, 10, 6, 30000);
  forked_job(f, 4, 3, 3300);
  fixture_price(f);
  f->market.consolidate_s = 10;
}

static void test_gains(void **state) {
  (void)state;
  struct fixture f;
  struct hadar_forks forks = {0};
  example_c(&f);
  fixture_queue(&f);
  fixture_dp(&f, 1000000);
  CLOSE(fixture_choice(&f, 0)->payoff, .982392, 5e-7);
  CLOSE(fixture_choice(&f, 1)->payoff, .728958, 5e-7);
  fixture_board(&f);
  hadar_fork(&forks, &f.board, &f.market, f.jobs, false);
  assert_int_equal(forks.n_given, 1);
  assert_int_equal(forks.given[0].job, 1);
  assert_int_equal(f.classes.nodes[forks.given[0].place], 2);
  CLOSE(forks.given[0].gain, .729971, 5e-7);
  assert_int_equal(f.board.room.gpus, 0);
  assert_int_equal(f.board.grants[1].n_seats, 2);
  /* The other job's gain: without the winner. */
  fixture_board(&f);
  f.board.n_jobs = 1;
  hadar_fork(&forks, &f.board, &f.market, f.jobs, false);
  CLOSE(forks.given[0].gain, .594834, 5e-7);
  hadar_forks_free(&forks);
  fixture_free(&f);
}

static void test_gains_of_a_lone_job(void **state) {
  (void)state;
  struct fixture f;
  struct hadar_forks forks = {0};
  fixture_init(&f, "v100=1 p100=1 p100=1");
  struct hadar_job *job = forked_job(&f, 10, 6, 30000);
  job->remaining = 15300;
  job->age = 1080;
  fixture_set_peaks(&f);
  fixture_price(&f);
  f.market.consolidate_s = 10;
  struct hadar_seat seats[] = {{0, 1}, {2, 1}}; /* it held a V100 and a P100 */
  struct hadar_take takes[] = {{0, 1, 1}, {1, 1, 1}};
  job->seats = seats;
  job->held = takes;
  job->held_nodes = job->n_held = 2;
  fixture_queue(&f);
  fixture_dp(&f, 1000000);
  fixture_board(&f);
  hadar_fork(&forks, &f.board, &f.market, f.jobs, false);
  assert_int_equal(forks.n_given, 2);
  CLOSE(forks.given[0].gain, .321058, 5e-7);
  CLOSE(forks.given[1].gain, .214148, 5e-7);
  f.market.max_copies = 2;
  fixture_board(&f);
  hadar_fork(&forks, &f.board, &f.market, f.jobs, false);
  assert_int_equal(forks.n_given, 1);
  assert_int_equal(f.board.room.gpus, 1);
  hadar_forks_free(&forks);
  fixture_free(&f);
}

/* ---- Example C under the engine ---- */

static double round_steps(const struct world *w, const char *id, int round) {
  double steps = 0;
  for (int i = 0;; i++) {
    const struct world_event *e = world_find(w, RECORD_SEGMENT, id, i);
    if (e == NULL)
      return steps;
    if (e->from >= 360 * round && e->from < 360 * round + 360)
      steps += e->steps;
  }
}

static void c_world(struct world *w) {
  world_init(w, "v100=1x1,p100=2x1");
  hadar_costs(w);
  world_rate(w, "v100", "m7", 1, 10);
  world_rate(w, "p100", "m7", 1, 6);
  world_rate(w, "v100", "m8", 1, 4);
  world_rate(w, "p100", "m8", 1, 3);
  world_job(w, "7", 0, "m7", 1, 30000);
  world_job(w, "8", 0, "m8", 1, 3300);
}

static void test_example_c(void **state) {
  (void)state;
  static const double seven[] = {3500, 5600, 5600, 7700, 7600}, eight[] = {2100, 1200};
  struct world w;
  c_world(&w);
  run(&w, "hadare:order=densr:beam=1000000");
  CLOSE(world_finish(&w, "8"), 770, 1e-9);
  CLOSE(world_finish(&w, "7"), 1795.5, 1e-9);
  for (int r = 0; r < 5; r++)
    CLOSE(round_steps(&w, "7", r), seven[r], 1e-9);
  /* From the second round on it is alone on its node: one segment of 1050 and 150 steps. */
  for (int r = 0; r < 2; r++)
    CLOSE(round_steps(&w, "8", r), eight[r], 1e-9);
  double busy = 0;
  for (int j = 0; j < 2; j++)
    for (int i = 0;; i++) {
      const struct world_event *e = world_find(&w, RECORD_SEGMENT, w.trace.jobs[j].id, i);
      if (e == NULL)
        break;
      busy += e->stop - e->from;
    }
  CLOSE(busy / (3 * 1795.5), .942, 5e-4);
  run(&w, "hadar:order=densr:beam=1000000");
  CLOSE(world_finish(&w, "8"), 1110, 1e-9);
  CLOSE(world_finish(&w, "7"), 3010, 1e-9);
  world_free(&w);
}

/* Copies whose shares do not fill the round idle until it ends; a copy that ends has a row. */
static void test_rows_of_copies(void **state) {
  (void)state;
  struct world w;
  c_world(&w);
  run(&w, "hadare:order=densr:beam=1000000");
  assert_int_equal(world_count(&w, RECORD_START, "8"), 2); /* one a copy */
  const struct world_event *ended = world_find(&w, RECORD_RESIZE, "8", 0);
  assert_int_equal(ended->copy, 2);
  assert_int_equal(ended->size, 0);
  assert_true(ended->time == 360 && ended->counts);
  const struct world_event *forked = world_find(&w, RECORD_RESIZE, "7", 0);
  assert_int_equal(forked->copy, 2);
  assert_int_equal(forked->gpus[0], 2);
  world_free(&w);
}

/* ---- One-GPU nodes: against Hadar and the fluid bound ---- */

enum { N_NODES = 5, N_SEEDS = 20 };

static const char *const node_types[N_NODES] = {"rtx", "t4", "t400", "3090", "a2000"};
static double node_rate[16][N_NODES];

/* Speeds of five different GPUs, each +-20 % by model. */
static void lab_world(struct world *w, uint64_t seed, int n) {
  static const double base[N_NODES] = {1, .45, .12, 1.6, .5}, scale[] = {4, 10, 20};
  world_init(w, "rtx=1x1,t4=1x1,t400=1x1,3090=1x1,a2000=1x1");
  hadar_costs(w);
  for (int j = 0; j < n; j++) {
    char id[16], model[16];
    snprintf(id, sizeof id, "j%d", j);
    snprintf(model, sizeof model, "m%d", j);
    double unit = scale[fixture_below(&seed, 3)];
    for (int h = 0; h < N_NODES; h++) {
      node_rate[j][h] = unit * base[h] * fixture_uniform(&seed, .8, 1.2);
      world_rate(w, node_types[h], model, 1, node_rate[j][h]);
    }
    world_job(w, id, 0, model, 1, ceil(fixture_uniform(&seed, 1200, 7200) * node_rate[j][0]));
  }
}

/* min T: sum_h y_jh x_jh >= R_j, sum_j y_jh <= T. */
static double fluid_bound(const struct world *w) {
  int n = w->trace.n_jobs;
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  lp_begin(lp, n + N_NODES, 1 + n * N_NODES, LP_MINIMISE);
  lp_column(lp, 0, 0, INFINITY);
  lp_cost(lp, 0, 1);
  for (int h = 0; h < N_NODES; h++) {
    lp_row(lp, n + h, -INFINITY, 0);
    lp_entry(lp, n + h, 0, -1);
  }
  for (int j = 0; j < n; j++) {
    lp_row(lp, j, w->trace.jobs[j].steps, INFINITY);
    int at = w->trace.jobs[j].id[1] - '0';
    if (w->trace.jobs[j].id[2] != '\0')
      at = 10 * at + w->trace.jobs[j].id[2] - '0';
    for (int h = 0; h < N_NODES; h++) {
      int column = 1 + j * N_NODES + h;
      lp_column(lp, column, 0, INFINITY);
      lp_entry(lp, j, column, node_rate[at][h]);
      lp_entry(lp, n + h, column, 1);
    }
  }
  if (lp_solve(lp, LP_PRIMAL, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  double bound = lp_objective(lp);
  lp_destroy(lp);
  return bound;
}

static double stat(const struct world *w, const char *name) {
  for (size_t i = 0; i < w->result.n_stats; i++)
    if (strcmp(w->result.stats[i].name, name) == 0)
      return w->result.stats[i].value;
  fail_msg("no figure %s", name);
  return 0;
}

/* The program's bound is this one, and Hadar's, which cannot fork, is not below it. */
static void test_bound(void **state) {
  (void)state;
  for (int s = 0; s < 10; s++) {
    struct world w;
    lab_world(&w, (uint64_t)(500 + s), 1 + s);
    run(&w, "hadare:bound=1");
    double bound = stat(&w, "fluid_bound_s");
    CLOSE(bound, fluid_bound(&w), 1e-6 * bound);
    run(&w, "hadar:bound=1:goal=makespan");
    assert_true(stat(&w, "fluid_bound_s") >= bound * (1 - 1e-9));
    assert_true(last_finish(&w) >= stat(&w, "fluid_bound_s"));
    world_free(&w);
  }
}

/* All seeds count; where a single one goes the other way it is said. */
static void expect_shorter(const char *forked, const char *plain) {
  static const int mixes[] = {1, 3, 5, 8, 12};
  for (int m = 0; m < 5; m++) {
    double sum_forked = 0, sum_plain = 0;
    for (int s = 0; s < N_SEEDS; s++) {
      struct world w;
      lab_world(&w, (uint64_t)(1000 * m + s), mixes[m]);
      run(&w, plain);
      double without = last_finish(&w);
      run(&w, forked);
      double with = last_finish(&w), bound = fluid_bound(&w);
      if (!(with >= bound * (1 - 1e-9)))
        fail_msg("%s beats the bound: %.17g < %.17g", forked, with, bound);
      if (with > without)
        print_message("%s, %d jobs, seed %d: %.0f s, without forks %.0f s\n", forked, mixes[m], s,
                      with, without);
      sum_forked += with;
      sum_plain += without;
      world_free(&w);
    }
    print_message("%2d jobs: %.0f s, without forks %.0f s, x%.3f\n", mixes[m], sum_forked / N_SEEDS,
                  sum_plain / N_SEEDS, sum_plain / sum_forked);
    assert_true(sum_forked < sum_plain);
  }
}

static void test_shorter_than_hadar(void **state) {
  (void)state;
  expect_shorter("hadare:goal=makespan", "hadar:goal=makespan");
  expect_shorter("hadare:beam=16", "hadar");
  /* HadarE's default is greedy. */
  expect_shorter("hadare", "hadar:beam=1");
}

/* While a job lives no node idles, except where fewer steps than copies are left. */
static void test_no_idle_node(void **state) {
  (void)state;
  for (int s = 0; s < N_SEEDS; s++) {
    struct world w;
    lab_world(&w, (uint64_t)(77 + s), 1 + s % 7);
    run(&w, s % 2 ? "hadare" : "hadare:goal=makespan");
    double end = last_finish(&w);
    int held = 0;
    for (size_t i = 0; i < w.n_events; i++) {
      held += w.events[i].kind == RECORD_GANG_BEGIN;
      held -= w.events[i].kind == RECORD_GANG_END;
      bool settled = i + 1 == w.n_events || w.events[i + 1].time > w.events[i].time;
      if (settled && w.events[i].time < end)
        assert_int_equal(held, N_NODES);
    }
    world_free(&w);
  }
}

/* One copy a job, one GPU a node: nothing is left of the forks. */
static void test_one_copy_is_hadar(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"hadare:max_copies=1", "hadar:beam=1"},
      {"hadare:max_copies=1:beam=16", "hadar"},
      {"hadare:max_copies=1:order=densr:beam=4", "hadar:order=densr:beam=4"},
  };
  for (int s = 0; s < 12; s++) {
    struct world w;
    double without[16];
    lab_world(&w, (uint64_t)s, 9);
    run(&w, pairs[s % 3][1]);
    for (int j = 0; j < 9; j++)
      without[j] = world_finish(&w, w.trace.jobs[j].id);
    run(&w, pairs[s % 3][0]);
    for (int j = 0; j < 9; j++)
      assert_true(world_finish(&w, w.trace.jobs[j].id) == without[j]);
    world_free(&w);
  }
}

/* ---- Larger nodes ---- */

static void random_world(struct world *w, uint64_t *seed, int n) {
  static const char *const clusters[] = {"v100=2x4,p100=2x4,k80=1x4", "v100+p100=2x2,k80=2x2",
                                         "v100=3x2,k80=4x1,p100=1x8", "v100=6x1,p100=4x1"};
  static const char *const types[] = {"v100", "p100", "k80"};
  static const char *const models[] = {"x", "y", "z"};
  world_init(w, clusters[fixture_below(seed, 4)]);
  hadar_costs(w);
  for (int m = 0; m < 3; m++)
    for (int t = 0; t < 3; t++) {
      double pace = fixture_uniform(seed, .3, 12);
      for (int k = 1; k <= 8; k++)
        world_rate(w, types[t], models[m], k, m == 2 && t == 1 ? 0 : pace * pow(k, .8));
    }
  double arrival = 0;
  for (int i = 0; i < n; i++) {
    char id[16];
    snprintf(id, sizeof id, "j%d", i);
    arrival += fixture_below(seed, 3) ? fixture_below(seed, 3000) : 0;
    int workers = 1 << fixture_below(seed, 4);
    struct hsim_job *job = world_job(w, id, arrival, models[fixture_below(seed, 3)], workers,
                                     fixture_uniform(seed, 1, 60000));
    if (fixture_below(seed, 6) == 0)
      job->gpu_types = 1 + (uint64_t)fixture_below(seed, 7);
  }
}

/* Every option runs to the end, and what ends there is a legal schedule (the auditor sees it). */
static void test_options_run(void **state) {
  (void)state;
  static const char *const policies[] = {
      "hadare",
      "hadare:copy_gpus=node",
      "hadare:goal=makespan",
      "hadare:goal=ftf",
      "hadare:profile=paper",
      "hadare:beam=8",
      "hadare:max_copies=2:beam=4",
      "hadare:phase1=matching:order=densr",
      "hadare:estimate=noisy:noise=0.8",
      "hadare:consolidate_s=0",
      "hadare:consolidate_s=200:backfill=0:upgrade=0",
      "hadare:age_rounds=3:horizon=sched",
  };
  uint64_t seed = 2503;
  print_message("seed %llu\n", (unsigned long long)seed);
  for (int r = 0; r < 5; r++)
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
      struct world w;
      random_world(&w, &seed, 20);
      if (r == 4)
        w.config.round_s = 211.7;
      run(&w, policies[p]);
      int ended = world_count(&w, RECORD_FINISH, NULL) + world_count(&w, RECORD_REJECT, NULL);
      assert_int_equal(ended, w.trace.n_jobs);
      world_free(&w);
    }
}

/* A gang that fits nowhere as such runs as copies; one too slow for a step a round gets there. */
static void test_odd_jobs(void **state) {
  (void)state;
  struct world w;
  world_init(&w, "v100=3x1,p100=1x4");
  hadar_costs(&w);
  world_rate(&w, "v100", "single", 1, 4);
  world_rate(&w, "p100", "single", 1, 2);
  for (int k = 2; k <= 8; k++)
    world_rate(&w, "p100", "single", k, 0); /* cannot run on several GPUs of a node */
  world_rate(&w, "v100", "slow", 1, .001);
  world_job(&w, "wide", 0, "single", 8, 10000);
  world_job(&w, "slow", 5000, "slow", 1, 3);
  run(&w, "hadare");
  /* Three V100 and one P100 GPU: 14 steps/s for 350 of 360 s. */
  CLOSE(world_finish(&w, "wide"), 2 * 360 + 10 + 200 / 14., .51);
  assert_true(isfinite(world_finish(&w, "slow")));
  world_free(&w);
}

/* A copy has the GPUs of one node: two nodes with one GPU each that the job may take do not make
 * one of two, whatever else the nodes have. */
static void test_copies_that_fit_nowhere(void **state) {
  (void)state;
  for (int single = 0; single <= 1; single++) {
    struct world w;
    world_init(&w, "p100+k80=2x1");
    world_rate(&w, "p100", "m", 1, 1);
    world_rate(&w, "k80", "m", 2, 1.5);
    if (single)
      world_rate(&w, "k80", "m", 1, 1);
    w.config.semantics.missing_size = MISSING_REJECT;
    world_job(&w, "a", 0, "m", 2, 100)->gpu_types = 2;
    run(&w, "hadare");
    assert_int_equal(world_count(&w, RECORD_REJECT, "a"), !single);
    assert_int_equal(world_count(&w, RECORD_FINISH, "a"), single);
    world_free(&w);
  }
}

/* On a node of two types a copy may run only without the faster one, or only with both. */
static void test_copies_on_mixed_nodes(void **state) {
  (void)state;
  for (int both = 0; both <= 1; both++) {
    struct world w;
    world_init(&w, both ? "v100+p100=1x4" : "v100+p100=1x7");
    world_rate(&w, "v100", "m", 8, 8);
    for (int k = 1; k <= 8; k *= 2)
      world_rate(&w, "p100", "m", k, k == 8 ? both : !both);
    w.config.semantics.missing_size = MISSING_REJECT;
    world_job(&w, "a", 0, "m", 8, 100);
    run(&w, "hadare");
    assert_int_equal(world_count(&w, RECORD_FINISH, "a"), 1);
    world_free(&w);
  }
}

static void test_node_down(void **state) {
  (void)state;
  struct world w;
  lab_world(&w, 5, 3);
  struct node_event events[] = {
      {700, 0, false}, {750, 3, false}, {1000, 1, false}, {3000, 0, true}, {3100, 3, true}};
  w.config.node_events = events;
  w.config.n_node_events = 5;
  run(&w, "hadare");
  for (int j = 0; j < 3; j++)
    assert_true(isfinite(world_finish(&w, w.trace.jobs[j].id)));
  world_free(&w);
}

static void test_same_again(void **state) {
  (void)state;
  for (int r = 0; r < 6; r++) {
    struct world a, b;
    uint64_t seed = (uint64_t)r, same = (uint64_t)r;
    random_world(&a, &seed, 15);
    random_world(&b, &same, 0);
    for (int j = 0; j < 15; j++) { /* the same jobs at distinct times, first row last */
      a.trace.jobs[j].arrival_s = 200 * j;
      const struct hsim_job *job = &a.trace.jobs[14 - j];
      struct hsim_job *mirror =
          world_job(&b, job->id, 200 * (14 - j), "x", job->workers, job->steps);
      mirror->model = job->model;
      mirror->gpu_types = job->gpu_types;
    }
    run(&a, "hadare");
    run(&b, "hadare");
    for (int j = 0; j < 15; j++) {
      double x = world_finish(&a, a.trace.jobs[j].id), y = world_finish(&b, a.trace.jobs[j].id);
      assert_true(x == y || (isnan(x) && isnan(y)));
    }
    world_free(&a);
    world_free(&b);
  }
}

static void expect_refused(const char *policy, double round_s, const char *text) {
  struct world w;
  c_world(&w);
  w.config.round_s = round_s;
  assert_int_not_equal(world_run(&w, policy), HSIM_OK);
  if (strstr(w.error.text, text) == NULL)
    fail_msg("%s: %s", policy, w.error.text);
  world_free(&w);
}

static void test_refusals(void **state) {
  (void)state;
  expect_refused("hadare", 10, "consolidate_s=10 leaves copies no time");
  expect_refused("hadare:max_job_count=2", 360, "fewer than max_job_count=2");
  expect_refused("hadar:diagnostics=/nowhere/x.csv", 360, "diagnostics=/nowhere/x.csv");
  struct world w;
  c_world(&w);
  w.config.round_s = 10;
  run(&w, "hadare:max_copies=1");
  w.config.round_s = 360;
  run(&w, "hadare:max_job_count=3");
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copy_ids),
      cmocka_unit_test(test_split),
      cmocka_unit_test(test_random_splits),
      cmocka_unit_test(test_gains),
      cmocka_unit_test(test_gains_of_a_lone_job),
      cmocka_unit_test(test_example_c),
      cmocka_unit_test(test_rows_of_copies),
      cmocka_unit_test(test_bound),
      cmocka_unit_test(test_shorter_than_hadar),
      cmocka_unit_test(test_no_idle_node),
      cmocka_unit_test(test_one_copy_is_hadar),
      cmocka_unit_test(test_options_run),
      cmocka_unit_test(test_odd_jobs),
      cmocka_unit_test(test_copies_that_fit_nowhere),
      cmocka_unit_test(test_copies_on_mixed_nodes),
      cmocka_unit_test(test_node_down),
      cmocka_unit_test(test_same_again),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
