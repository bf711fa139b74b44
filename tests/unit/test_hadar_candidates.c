/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FIND_ALLOC: what candidates are offered, and how they are valued and compared. */
#include "hadar_fixture.h"

enum { N_RANDOM = 300 };

static void find_all_free(struct fixture *f, const struct hadar_job *job) {
  static struct hadar_entry entries[FIXTURE_MAX];
  struct hadar_room room = {.at = entries};
  hadar_room_all(&f->classes, &room);
  hadar_find(&f->market, &room, job, &f->found);
}

/* A histogram as it may come about: random GPUs of every node are taken. */
static void random_room(const struct fixture *f, uint64_t *seed, struct hadar_room *room) {
  hadar_room_all(&f->classes, room);
  for (int n = 0; n < f->classes.n_nodes; n++) {
    int cls = f->classes.class_of[n];
    const struct hadar_class *c = &f->classes.at[cls];
    uint32_t delta = 0;
    for (int b = c->first_bay; b < c->first_bay + c->n_bays; b++) {
      const struct hadar_bay *bay = &f->classes.bays[b];
      delta += (uint32_t)fixture_below(seed, bay->gpus + 1) * bay->radix;
    }
    hadar_room_shift(room, cls, c->full, c->full - delta, 1);
    room->gpus -= hadar_level_gpus(&f->classes, cls, delta);
  }
}

static int nodes_at(const struct hadar_room *room, int cls, uint32_t level) {
  for (int i = 0; i < room->n; i++)
    if (room->at[i].cls == cls && room->at[i].level == level)
      return room->at[i].nodes;
  return 0;
}

/* The candidate fits, has its size, and its rate is that of its slowest type. */
static void check_candidate(const struct fixture *f, const struct hadar_room *room,
                            const struct hadar_job *job, const struct hadar_candidate *c) {
  const struct hadar_part *parts = &f->found.parts[c->first_part];
  int gpus = 0, nodes = 0;
  double slowest = INFINITY, cost = 0;
  for (int i = 0; i < c->n_parts; i++) {
    int used = 0;
    for (int k = 0; k < c->n_parts; k++)
      if (parts[k].cls == parts[i].cls && parts[k].level == parts[i].level)
        used += parts[k].nodes;
    assert_true(used <= nodes_at(room, parts[i].cls, parts[i].level));
    nodes += parts[i].nodes;
    const struct hadar_class *cls = &f->classes.at[parts[i].cls];
    for (int b = cls->first_bay; b < cls->first_bay + cls->n_bays; b++) {
      const struct hadar_bay *bay = &f->classes.bays[b];
      int taken = hadar_bay_gpus(bay, parts[i].delta);
      int unused = hadar_bay_gpus(bay, parts[i].level);
      assert_true(taken <= unused);
      if (taken == 0)
        continue;
      gpus += taken * parts[i].nodes;
      cost += taken * parts[i].nodes * hadar_price(&f->prices, bay, unused);
      slowest = fmin(slowest, job->kind->one_node[bay->type]);
      assert_true(job->kind->rank[bay->type] >= 0);
    }
  }
  assert_int_equal(gpus, job->kind->workers);
  assert_int_equal(nodes, c->nodes);
  assert_true(fabs(c->rate - slowest * (nodes > 1 ? f->phi : 1)) < 1e-9);
  assert_true(fabs(c->cost - cost) < 1e-9 * (1 + cost));
  assert_true(c->rate <= job->kind->best && c->utility <= job->peak);
}

static void check_distinct(const struct fixture *f) {
  for (int a = 0; a < f->found.n; a++)
    for (int b = 0; b < a; b++) {
      const struct hadar_candidate *x = &f->found.at[a], *y = &f->found.at[b];
      assert_false(x->n_parts == y->n_parts &&
                   memcmp(&f->found.parts[x->first_part], &f->found.parts[y->first_part],
                          (size_t)x->n_parts * sizeof *f->found.parts) == 0);
    }
}

static void test_random(void **state) {
  (void)state;
  uint64_t seed = 31337;
  print_message("seed %llu\n", (unsigned long long)seed);
  static const char *const clusters[] = {"a=4 a=4 b=2 b=2 c=8", "a+b=2 a+b=2 c=4 a=2",
                                         "a+b+c=2 a+b+c=2 a+b+c=2"};
  for (int r = 0; r < N_RANDOM; r++) {
    struct fixture f;
    fixture_init(&f, clusters[r % 3]);
    for (int i = 0; i < 6; i++) {
      double pace[3];
      for (int t = 0; t < 3; t++)
        pace[t] = t > 0 && fixture_below(&seed, 4) == 0 ? 0 : fixture_uniform(&seed, .5, 8);
      fixture_job(&f, 1 + fixture_below(&seed, 6), pace, fixture_uniform(&seed, 1000, 1e5), 50);
    }
    fixture_price(&f);
    struct hadar_entry entries[32];
    struct hadar_room room = {.at = entries};
    random_room(&f, &seed, &room);
    for (int i = 0; i < f.n; i++) {
      hadar_find(&f.market, &room, &f.jobs[i], &f.found);
      for (int c = 0; c < f.found.n; c++)
        check_candidate(&f, &room, &f.jobs[i], &f.found.at[c]);
      check_distinct(&f);
      /* It finds something exactly if enough usable GPUs are free: spread rates are all > 0. */
      int usable = 0;
      for (int e = 0; e < room.n; e++) {
        const struct hadar_class *cls = &f.classes.at[room.at[e].cls];
        for (int b = cls->first_bay; b < cls->first_bay + cls->n_bays; b++)
          if (f.jobs[i].kind->rank[f.classes.bays[b].type] >= 0)
            usable += room.at[e].nodes * hadar_bay_gpus(&f.classes.bays[b], room.at[e].level);
      }
      assert_int_equal(f.found.n > 0, usable >= f.jobs[i].kind->workers);
    }
    fixture_free(&f);
  }
}

static void test_mixed_node(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a+b=2");
  struct hadar_job *job = fixture_job(&f, 3, (double[]){4, 1}, 1000, 0);
  fixture_price(&f);
  find_all_free(&f, job);
  const struct hadar_candidate *best = hadar_best(&f.found);
  /* Both fast ones and a slow one, inside the node: no spread factor. */
  assert_int_equal(best->nodes, 1);
  assert_true(best->rate == 3);
  assert_int_equal(fixture_gpus(&f, &f.found.parts[best->first_part], best->n_parts, 0), 2);
  assert_int_equal(fixture_gpus(&f, &f.found.parts[best->first_part], best->n_parts, 1), 1);
  fixture_free(&f);
}

static const struct hadar_candidate *staying(const struct fixture *f) {
  for (int i = 0; i < f->found.n; i++)
    if (f->found.at[i].stays)
      return &f->found.at[i];
  return NULL;
}

static void test_stay(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a=4 a=4 b=4");
  struct hadar_job *job = fixture_job(&f, 4, (double[]){4, 4}, 100000, 0);
  fixture_price(&f);
  find_all_free(&f, job);
  assert_null(staying(&f));
  /* Three on one node of type a and one on another is no shape that is looked for otherwise. */
  struct hadar_take held[] = {{0, 3, 1}, {0, 1, 1}};
  job->held = held, job->n_held = 2, job->held_nodes = 2;
  find_all_free(&f, job);
  const struct hadar_candidate *stay = staying(&f);
  assert_non_null(stay);
  assert_true(stay->utility == job->worth / (job->remaining / stay->rate));
  /* One node of a left: not possible any more. */
  struct hadar_entry entries[] = {{0, 4, 1}, {1, 4, 1}};
  struct hadar_room room = {2, 8, entries};
  hadar_find(&f.market, &room, job, &f.found);
  assert_null(staying(&f));
  assert_true(f.found.n > 0);
  /* Any node of the class will do for a gang on one node, whatever its level. */
  struct hadar_take two[] = {{0, 2, 1}};
  struct hadar_job *small = fixture_job(&f, 2, (double[]){4, 4}, 100000, 0);
  small->held = two, small->n_held = 1, small->held_nodes = 1;
  entries[0].level = 3;
  hadar_find(&f.market, &room, small, &f.found);
  assert_non_null(staying(&f));
  assert_int_equal(f.found.parts[staying(&f)->first_part].level, 3);
  fixture_free(&f);
}

static void test_spread_orders(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a=4 a=4 b=2 b=2");
  struct hadar_job *job = fixture_job(&f, 4, (double[]){4, 2}, 100000, 0);
  fixture_price(&f);
  /* At equal prices the slower type goes first when both are allowed: 2 + 2 of b. */
  find_all_free(&f, job);
  bool slow = false;
  for (int i = 0; i < f.found.n; i++) {
    const struct hadar_candidate *c = &f.found.at[i];
    slow |= fixture_gpus(&f, &f.found.parts[c->first_part], c->n_parts, 1) == 4;
  }
  assert_true(slow);
  /* Cheapest first takes two from the emptier node; fewest nodes takes all from the fuller one. */
  struct hadar_job *six = fixture_job(&f, 5, (double[]){4, 0}, 100000, 0);
  fixture_price(&f);
  find_all_free(&f, six);
  assert_int_equal(f.found.n, 1); /* both orders give 4 + 1 */
  fixture_free(&f);
}

static void test_whole_schedule_costs_more(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "a=4");
  struct hadar_job *job = fixture_job(&f, 1, (double[]){1}, 3000, 0);
  fixture_price(&f);
  find_all_free(&f, job);
  double once = hadar_best(&f.found)->cost;
  f.market.whole_schedule = true;
  find_all_free(&f, job);
  assert_true(fabs(hadar_best(&f.found)->cost - 9 * once) < 1e-12); /* 3010 s are 9 rounds */
  fixture_free(&f);
}

static void test_tie_breaks(void **state) {
  (void)state;
  struct hadar_candidate at[] = {
      {.nodes = 2, .payoff = 1, .rate = 1},
      {.nodes = 1, .payoff = 1 - 1e-13, .rate = 1},
      {.nodes = 1, .payoff = 1 - 1e-13, .rate = 2},
      {.nodes = 1, .payoff = 1 - 1e-13, .rate = 1, .stays = true},
      {.nodes = 1, .payoff = .9, .rate = 9, .stays = true},
  };
  struct hadar_found found = {.at = at, .n = 5};
  assert_ptr_equal(hadar_best(&found), &at[3]);
  found.n = 3;
  assert_ptr_equal(hadar_best(&found), &at[2]);
  found.n = 1;
  assert_ptr_equal(hadar_best(&found), &at[0]);
  found.n = 0;
  assert_null(hadar_best(&found));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_mixed_node),
      cmocka_unit_test(test_stay),
      cmocka_unit_test(test_spread_orders),
      cmocka_unit_test(test_whole_schedule_costs_more),
      cmocka_unit_test(test_tie_breaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
