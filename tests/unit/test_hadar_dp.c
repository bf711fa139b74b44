/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dual subroutine against an exact recursion that knows nodes and no classes, with candidates
 * of its own; and the rules that hold for any beam.
 */
#include "hadar_fixture.h"
#include "policy/hadar/matching.h"

enum { MAX_NODES = 6, N_RANDOM = 1000 };
#define NEAR(a, b) (fabs((a) - (b)) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b))))

/* ---- The exact recursion: nodes of one type each ---- */

struct exact {
  const struct fixture *f;
  int n_nodes;
  int type[MAX_NODES], gpus[MAX_NODES];
};

struct exact_alloc {
  int take[MAX_NODES];
};

static double exact_price(const struct exact *e, const int *unused, int node) {
  double low = e->f->prices.low[e->type[node]], high = e->f->prices.high[e->type[node]];
  double taken = e->gpus[node] - unused[node];
  return low * pow(high / low, taken / e->gpus[node]);
}

static double exact_payoff(const struct exact *e, const struct hadar_job *job, const int *unused,
                           const struct exact_alloc *a) {
  int nodes = 0, slowest = -1;
  double price = 0;
  for (int n = 0; n < e->n_nodes; n++) {
    if (a->take[n] == 0)
      continue;
    nodes++;
    price += a->take[n] * exact_price(e, unused, n);
    if (slowest < 0 || job->kind->one_node[e->type[n]] < job->kind->one_node[slowest])
      slowest = e->type[n];
  }
  double rate = nodes == 1 ? job->kind->one_node[slowest] : job->kind->spread[slowest];
  double left = job->restart_s + job->remaining / rate;
  double rounds = e->f->settings.whole_schedule ? ceil(left / e->f->round_s) : 1;
  return job->worth / (job->age + left) - rounds * price;
}

struct exact_node {
  double price, pace;
  int unused, cls, node;
};

/* Where all else is equal the search goes class by class, and so does this. */
static int exact_place(const struct exact_node *a, const struct exact_node *b) {
  return a->cls != b->cls ? a->cls - b->cls : a->node - b->node;
}

static int exact_cheaper(const void *x, const void *y) {
  const struct exact_node *a = x, *b = y;
  if (fabs(a->price - b->price) > 1e-12)
    return a->price < b->price ? -1 : 1;
  if (a->pace != b->pace)
    return a->pace < b->pace ? -1 : 1;
  if (a->unused != b->unused)
    return a->unused > b->unused ? -1 : 1;
  return exact_place(a, b);
}

static int exact_roomier(const void *x, const void *y) {
  const struct exact_node *a = x, *b = y;
  if (a->unused != b->unused)
    return a->unused > b->unused ? -1 : 1;
  if (fabs(a->price - b->price) > 1e-12)
    return a->price < b->price ? -1 : 1;
  return exact_place(a, b);
}

/* Takes node by node in the given order, only of the p + 1 fastest types. */
static bool exact_spread(const struct exact *e, const struct hadar_job *job, const int *unused,
                         int p, bool cheap, struct exact_alloc *a) {
  struct exact_node nodes[MAX_NODES];
  int n = 0, need = job->kind->workers;
  for (int i = 0; i < e->n_nodes; i++) {
    double pace = job->kind->one_node[e->type[i]];
    if (unused[i] > 0 && pace > 0 && job->kind->rank[e->type[i]] <= p)
      nodes[n++] = (struct exact_node){exact_price(e, unused, i), pace, unused[i],
                                       e->f->classes.class_of_node[i], i};
  }
  qsort(nodes, (size_t)n, sizeof *nodes, cheap ? exact_cheaper : exact_roomier);
  *a = (struct exact_alloc){{0}};
  for (int i = 0; i < n && need > 0; i++) {
    int take = nodes[i].unused < need ? nodes[i].unused : need;
    a->take[nodes[i].node] = take;
    need -= take;
  }
  return need == 0;
}

static int exact_candidates(const struct exact *e, const struct hadar_job *job, const int *unused,
                            struct exact_alloc *out) {
  int n = 0;
  for (int i = 0; i < e->n_nodes; i++)
    if (unused[i] >= job->kind->workers && job->kind->one_node[e->type[i]] > 0) {
      out[n] = (struct exact_alloc){{0}};
      out[n++].take[i] = job->kind->workers;
    }
  for (int p = 0; p < job->kind->n_types; p++)
    for (int cheap = 0; cheap < 2; cheap++)
      n += exact_spread(e, job, unused, p, cheap, &out[n]);
  return n;
}

static double exact_best(const struct exact *e, int at, const int *unused) {
  if (at == e->f->queue.n)
    return 0;
  double best = exact_best(e, at + 1, unused);
  const struct hadar_job *job = &e->f->jobs[e->f->queue.jobs[at]];
  struct exact_alloc allocs[MAX_NODES + 8];
  int n = exact_candidates(e, job, unused, allocs);
  for (int i = 0; i < n; i++) {
    double payoff = exact_payoff(e, job, unused, &allocs[i]);
    if (payoff <= 0)
      continue;
    int rest[MAX_NODES];
    for (int k = 0; k < e->n_nodes; k++)
      rest[k] = unused[k] - allocs[i].take[k];
    best = fmax(best, payoff + exact_best(e, at + 1, rest));
  }
  return best;
}

static double exact_value(const struct fixture *f) {
  struct exact e = {.f = f, .n_nodes = f->cluster.view.n_nodes};
  for (int i = 0; i < e.n_nodes; i++) {
    e.type[i] = f->cluster.view.bays[f->cluster.view.nodes[i].first_bay].type;
    e.gpus[i] = f->cluster.view.nodes[i].gpus;
  }
  return exact_best(&e, 0, e.gpus);
}

/* ---- The same over histograms, for nodes of several types ---- */

static double class_best(struct fixture *f, int at, const struct hadar_room *room) {
  if (at == f->queue.n)
    return 0;
  double best = class_best(f, at + 1, room);
  const struct hadar_job *job = &f->jobs[f->queue.jobs[at]];
  struct hadar_found found;
  hadar_found_init(&found, &f->classes);
  hadar_find(&f->market, room, job, &found);
  for (int i = 0; i < found.n; i++) {
    const struct hadar_candidate *c = &found.at[i];
    if (c->payoff <= 0)
      continue;
    struct hadar_entry entries[32];
    struct hadar_room rest = {room->n, room->gpus, entries};
    memcpy(entries, room->at, (size_t)room->n * sizeof *entries);
    hadar_room_take(&rest, &found.parts[c->first_part], c->n_parts, job->kind->workers);
    best = fmax(best, c->payoff + class_best(f, at + 1, &rest));
  }
  hadar_found_free(&found);
  return best;
}

static double class_value(struct fixture *f) {
  struct hadar_entry entries[32];
  struct hadar_room room = {.at = entries};
  hadar_room_all(&f->classes, &room);
  return class_best(f, 0, &room);
}

/* ---- Random cases ---- */

static void random_jobs(struct fixture *f, uint64_t *seed, int n, int most_workers) {
  static const double paces[] = {.5, 1, 2, 4};
  for (int i = 0; i < n; i++) {
    double pace[3];
    for (int t = 0; t < 3; t++)
      pace[t] =
          fixture_below(seed, 4) ? fixture_uniform(seed, .2, 5) : paces[fixture_below(seed, 4)];
    fixture_job(f, 1 + fixture_below(seed, most_workers), pace, fixture_uniform(seed, 500, 40000),
                fixture_uniform(seed, 0, 20000));
  }
  fixture_price(f);
  fixture_queue(f);
}

static void random_settings(struct fixture *f, uint64_t *seed) {
  f->settings.order = (enum hadar_order)fixture_below(seed, HADAR_ARRIVAL + 1);
  f->settings.utility = fixture_below(seed, 2) ? HADAR_RAW : HADAR_NORM;
  f->settings.whole_schedule = fixture_below(seed, 3) == 0;
}

static void test_exact_on_nodes(void **state) {
  (void)state;
  uint64_t seed = 991;
  print_message("seed %llu\n", (unsigned long long)seed);
  static const char *const clusters[] = {"a=2 b=2",     "a=2 a=2 b=2", "a=1 b=1 c=1 a=1",
                                         "a=3 b=1 b=2", "a=2 b=4",     "b=2 b=2 c=1"};
  for (int r = 0; r < N_RANDOM; r++) {
    struct fixture f;
    fixture_init(&f, clusters[fixture_below(&seed, 6)]);
    random_settings(&f, &seed);
    random_jobs(&f, &seed, 2 + fixture_below(&seed, 3), 3);
    double exact = exact_value(&f), greedy = fixture_dp(&f, 1);
    double dp = fixture_dp(&f, 1000000);
    if (!NEAR(dp, exact))
      fail_msg("case %d: dp %.17g, exact %.17g", r, dp, exact);
    assert_true(greedy <= dp + 1e-12);
    fixture_free(&f);
  }
}

static void test_exact_on_mixed_nodes(void **state) {
  (void)state;
  uint64_t seed = 4711;
  print_message("seed %llu\n", (unsigned long long)seed);
  static const char *const clusters[] = {"a+b=1 a=2", "a+b=2 a+b=2", "a+b+c=1 c=1", "a+b=2 b=3"};
  for (int r = 0; r < N_RANDOM; r++) {
    struct fixture f;
    fixture_init(&f, clusters[fixture_below(&seed, 4)]);
    random_settings(&f, &seed);
    random_jobs(&f, &seed, 2 + fixture_below(&seed, 2), 3);
    double exact = class_value(&f), dp = fixture_dp(&f, 1000000);
    if (!NEAR(dp, exact))
      fail_msg("case %d: dp %.17g, exact %.17g", r, dp, exact);
    fixture_free(&f);
  }
}

/* Replays the choices: every gang has its size, nothing is taken twice, payoffs add up. */
static void check_choices(struct fixture *f) {
  double total = 0;
  fixture_board(f);
  for (int i = 0; i < f->dp.n_choices; i++) {
    const struct hadar_choice *c = &f->dp.choices[i];
    int gpus = 0;
    for (int t = 0; t < f->cluster.view.n_types; t++)
      gpus += fixture_gpus(f, &f->dp.parts[c->first_part], c->n_parts, t);
    assert_int_equal(gpus, f->jobs[c->job].kind->workers);
    assert_true(c->payoff > 0);
    total += c->payoff;
  }
  assert_true(NEAR(total, f->dp.value));
  int left = 0;
  for (int n = 0; n < f->classes.n_nodes; n++) {
    int cls = f->classes.class_of[n];
    assert_true(f->board.levels[n] <= f->classes.at[cls].full);
    left += hadar_level_gpus(&f->classes, cls, f->board.levels[n]);
  }
  assert_int_equal(left, f->board.room.gpus);
}

/* The recursion of the program against both: total and choices. */
static void test_saved_recursion(void **state) {
  (void)state;
  uint64_t seed = 512;
  print_message("seed %llu\n", (unsigned long long)seed);
  static const char *const clusters[] = {"a=2 a=2 b=2", "a+b=2 a+b=2", "a=3 b=1 b=2",
                                         "a+b+c=1 c=1"};
  for (int r = 0; r < N_RANDOM; r++) {
    struct fixture f;
    fixture_init(&f, clusters[fixture_below(&seed, 4)]);
    random_settings(&f, &seed);
    f.settings.best_only = fixture_below(&seed, 4) == 0;
    random_jobs(&f, &seed, 2 + fixture_below(&seed, 5), 3);
    if (fixture_below(&seed, 5) == 0)
      f.jobs[f.queue.jobs[0]].forced = true;
    double exact = fixture_exact(&f), sum = 0;
    for (int i = 0; i < f.dp.n_choices; i++)
      sum += f.dp.choices[i].payoff;
    assert_true(NEAR(sum, exact));
    fixture_board(&f); /* fails on a choice that does not fit */
    double dp = fixture_dp(&f, 1000000);
    if (!NEAR(dp, exact))
      fail_msg("case %d: dp %.17g, exact %.17g", r, dp, exact);
    fixture_free(&f);
  }
}

static void test_recursion_gives_up(void **state) {
  (void)state;
  struct fixture f;
  uint64_t seed = 3;
  fixture_init(&f, "a=8 a=8 a=8 b=8 b=8 b=8 c=8 c=8 c=8");
  random_jobs(&f, &seed, 60, 8);
  struct hsim_error error = {0};
  struct hadar_exact exact = {0};
  assert_int_equal(hadar_exact_run(&exact, &f.market, f.jobs, f.queue.jobs, f.queue.n, false,
                                   &f.found, &f.dp, &error),
                   HSIM_FAILED);
  assert_non_null(strstr(error.text, "dual=exact: more than"));
  hadar_exact_free(&exact);
  fixture_free(&f);
}

/* Where every node has one GPU and every job one worker a matching is as good as the recursion. */
static void test_matching(void **state) {
  (void)state;
  uint64_t seed = 1955;
  print_message("seed %llu\n", (unsigned long long)seed);
  static const char *const clusters[] = {"a=1 b=1 c=1", "a=1 a=1 b=1 b=1", "a=1 b=1"};
  for (int r = 0; r < 300; r++) {
    struct fixture f;
    struct hadar_matching matching = {0};
    fixture_init(&f, clusters[fixture_below(&seed, 3)]);
    random_jobs(&f, &seed, 1 + fixture_below(&seed, 6), 1);
    assert_true(hadar_can_match(&f.classes, f.jobs, f.n));
    double exact = fixture_exact(&f);
    hadar_match(&matching, &f.market, f.jobs, f.queue.jobs, f.queue.n, &f.found, &f.dp);
    if (!NEAR(f.dp.value, exact))
      fail_msg("case %d: matching %.17g, exact %.17g", r, f.dp.value, exact);
    check_choices(&f);
    f.jobs[0].forced = true;
    assert_false(hadar_can_match(&f.classes, f.jobs, f.n));
    hadar_matching_free(&matching);
    fixture_free(&f);
  }
}

/* A state that a wide beam keeps is worth at least what greedy finds only for an unlimited beam;
 * every beam gives a plan that can be carried out. */
static void test_any_beam(void **state) {
  (void)state;
  uint64_t seed = 77;
  print_message("seed %llu\n", (unsigned long long)seed);
  static const int beams[] = {1, 2, 4, 16, 64};
  for (int r = 0; r < 60; r++) {
    struct fixture f;
    fixture_init(&f, r % 2 ? "a=4 a=4 b=4 b=4 c=4" : "a+b=2 a+b=2 c=8 b=4 b=4");
    random_settings(&f, &seed);
    f.settings.best_only = fixture_below(&seed, 3) == 0;
    random_jobs(&f, &seed, 30, 8);
    for (int b = 0; b < 5; b++) {
      fixture_dp(&f, beams[b]);
      check_choices(&f);
    }
    fixture_free(&f);
  }
}

/* The jobs in another order of the list: same queue, same plan. */
static void test_input_order(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int r = 0; r < 40; r++) {
    struct fixture f;
    fixture_init(&f, "a=4 a=4 b=4 c=2 c=2");
    random_settings(&f, &seed);
    random_jobs(&f, &seed, 12, 4);
    double before = fixture_dp(&f, 8);
    int first[12], n = f.dp.n_choices;
    for (int i = 0; i < n; i++)
      first[i] = f.jobs[f.dp.choices[i].job].index;
    for (int i = f.n - 1; i > 0; i--) {
      int k = fixture_below(&seed, i + 1);
      struct hadar_job job = f.jobs[i];
      f.jobs[i] = f.jobs[k];
      f.jobs[k] = job;
    }
    fixture_queue(&f);
    assert_true(fixture_dp(&f, 8) == before);
    assert_int_equal(f.dp.n_choices, n);
    for (int i = 0; i < n; i++)
      assert_int_equal(f.jobs[f.dp.choices[i].job].index, first[i]);
    fixture_free(&f);
  }
}

/* Two jobs want the fast node. With one candidate each the second one is left out and the slow node
 * idles; with all of them it takes the slow one. */
static void test_all_candidates(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a=1 b=1");
  f.settings.order = HADAR_ARRIVAL;
  fixture_job(&f, 1, (double[]){4, 2}, 40000, 0);
  fixture_job(&f, 1, (double[]){4, 1}, 40000, 0);
  fixture_price(&f);
  fixture_queue(&f);
  double all = fixture_dp(&f, 100);
  assert_int_equal(f.dp.n_choices, 2);
  assert_int_equal(fixture_gpus(&f, &f.dp.parts[fixture_choice(&f, 0)->first_part], 1, 1), 1);
  f.settings.best_only = true;
  double one = fixture_dp(&f, 100);
  assert_true(one < all);
  fixture_free(&f);
}

/* A forced job goes first and is served at any price, in every state in which it fits. */
static void test_forced(void **state) {
  (void)state;
  static const int beams[] = {1, 16, 1000};
  for (int b = 0; b < 3; b++) {
    struct fixture f;
    fixture_init(&f, "a=1 b=1");
    f.settings.order = HADAR_ARRIVAL;
    fixture_job(&f, 2, (double[]){4, 4}, 40000, 0);
    struct hadar_job *late = fixture_job(&f, 2, (double[]){4, 1e-3}, 40000, 1e9);
    fixture_price(&f);
    fixture_queue(&f);
    fixture_dp(&f, beams[b]);
    assert_non_null(fixture_choice(&f, 0));
    assert_null(fixture_choice(&f, 1));
    late->forced = true;
    fixture_queue(&f);
    assert_int_equal(f.queue.jobs[0], 1);
    fixture_dp(&f, beams[b]);
    assert_null(fixture_choice(&f, 0));
    assert_non_null(fixture_choice(&f, 1));
    fixture_free(&f);
  }
}

/* The last GPU of a node costs more than a job is worth that has waited long. */
static void test_forced_at_a_loss(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "v100=4 k80=1");
  f.settings.order = HADAR_ARRIVAL;
  fixture_job(&f, 3, (double[]){5, 1}, 54000, 0);
  fixture_job(&f, 1, (double[]){4, 0}, 14400, 36000);
  fixture_price(&f);
  fixture_queue(&f);
  fixture_dp(&f, 1);
  assert_non_null(fixture_choice(&f, 0));
  assert_null(fixture_choice(&f, 1));
  f.jobs[0].forced = f.jobs[1].forced = true;
  fixture_queue(&f);
  fixture_dp(&f, 1);
  assert_non_null(fixture_choice(&f, 1));
  assert_true(fixture_choice(&f, 1)->payoff < 0);
  fixture_free(&f);
}

/* With several forced jobs some states fit the second one and some do not. */
static void test_forced_together(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a=2 b=2");
  f.settings.order = HADAR_ARRIVAL;
  for (int i = 0; i < 3; i++)
    fixture_job(&f, 2, (double[]){4, 3}, 40000, 1e7)->forced = true;
  fixture_job(&f, 1, (double[]){4, 3}, 40000, 0);
  fixture_price(&f);
  fixture_queue(&f);
  fixture_dp(&f, 1000);
  assert_int_equal(f.dp.n_choices, 2);
  assert_null(fixture_choice(&f, 3));
  fixture_free(&f);
}

static void test_orders(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a=4 b=4");
  /* workers, remaining time, payoff: big and short; small and long; middling, waited long */
  fixture_job(&f, 4, (double[]){2, 1}, 4 * 2 * 1000, 100);
  fixture_job(&f, 1, (double[]){2, 1}, 1 * 2 * 9000, 0);
  fixture_job(&f, 2, (double[]){2, 1}, 2 * 2 * 3000, 9000);
  fixture_price(&f);
  static const struct {
    enum hadar_order order;
    int expected[3];
  } cases[] = {
      {HADAR_AREA, {0, 2, 1}},  {HADAR_SRPT, {0, 2, 1}},    {HADAR_LPT, {1, 2, 0}},
      {HADAR_PAY, {1, 0, 2}},   {HADAR_DENS, {1, 0, 2}},    {HADAR_PAYR, {0, 1, 2}},
      {HADAR_DENSR, {0, 1, 2}}, {HADAR_ARRIVAL, {0, 1, 2}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    f.settings.order = cases[i].order;
    fixture_queue(&f);
    for (int k = 0; k < 3; k++)
      if (f.queue.jobs[k] != cases[i].expected[k])
        fail_msg("order %d: place %d is job %d", (int)cases[i].order, k, f.queue.jobs[k]);
  }
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact_on_nodes),  cmocka_unit_test(test_exact_on_mixed_nodes),
      cmocka_unit_test(test_saved_recursion), cmocka_unit_test(test_recursion_gives_up),
      cmocka_unit_test(test_matching),        cmocka_unit_test(test_any_beam),
      cmocka_unit_test(test_input_order),     cmocka_unit_test(test_all_candidates),
      cmocka_unit_test(test_forced),          cmocka_unit_test(test_forced_together),
      cmocka_unit_test(test_orders),          cmocka_unit_test(test_forced_at_a_loss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
