/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole decisions: the design's worked examples, and what holds after any of them. */
#include "themis_fixture.h"

static void assert_holds(const struct fixture *f, int app, int first, int second, int third) {
  const int expected[3] = {first, second, third};
  for (int bay = 0; bay < 3 && bay < f->cluster.view.n_bays; bay++)
    if (fixture_held(f, app, bay) != expected[bay])
      fail_msg("app %d holds %d GPUs of bay %d, expected %d", app, fixture_held(f, app, bay), bay,
               expected[bay]);
}

static double lease_of(const struct fixture *f, int app) {
  return f->roster.leases.gpus[f->roster.bidders[app].head].end_s - f->view.now;
}

/* ---- Two apps, four GPUs (10.1) ---- */

static void test_two_apps(void **state) {
  (void)state;
  static const enum themis_payment payments[] = {THEMIS_KEEP1, THEMIS_FLOOR, THEMIS_NONE,
                                                 THEMIS_LEASE};
  for (int p = 0; p < 4; p++) {
    struct themis_settings settings = fixture_settings();
    struct fixture f;
    settings.f = 0;
    settings.payment = payments[p];
    fixture_two_apps(&f, &settings);
    themis_market_run(&f.market);
    assert_holds(&f, 0, 2, 0, 0);
    assert_holds(&f, 1, 0, 2, 0);
    assert_int_equal((int)f.market.counts.withheld, p < 2 ? 2 : 0);
    assert_int_equal((int)f.market.counts.mopped, p < 2 ? 2 : 0);
    if (payments[p] == THEMIS_LEASE) {
      assert_near(lease_of(&f, 0), 10, 1e-12);
      assert_near(lease_of(&f, 1), 12, 1e-12);
    }
    fixture_free(&f);
  }
}

static void test_two_apps_payments(void **state) {
  (void)state;
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  fixture_two_apps(&f, &settings);
  struct themis_table tables[2] = {0};
  struct themis_program program = fixture_program(&f, 2, tables);
  int row[2], nodes = 0;
  double c[2];
  struct themis_answer answer = {.row = row};
  themis_solver_load(&f.market.solver, &program);
  themis_solve(&f.market.solver, &program, -1, NULL, &answer);
  assert_near(exp(answer.log_value), 1, 1e-9);
  themis_canonical(&program, f.market.solver.left, &answer);
  themis_payments(&f.market.solver, &program, &answer, c, &nodes);
  assert_near(c[0], 0.5102, 1e-4);
  assert_near(c[1], 0.6944, 1e-4);
  fixture_free(&f);
  for (int i = 0; i < 2; i++)
    themis_table_free(&tables[i]);
}

/* ---- Three bidders, six GPUs (10.2) ---- */

static void test_four_apps_payments(void **state) {
  (void)state;
  static const double expected[] = {0.5212, 0.6666, 0.7619};
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  fixture_four_apps(&f, &settings);
  struct themis_table tables[3] = {0};
  struct themis_program program = fixture_program(&f, 3, tables);
  int row[3], nodes = 0;
  double c[3];
  struct themis_answer answer = {.row = row};
  themis_solver_load(&f.market.solver, &program);
  themis_solve(&f.market.solver, &program, -1, NULL, &answer);
  assert_near(answer.log_value, -0.32527, 1e-5);
  assert_near(exp(answer.log_value), 0.72233, 1e-5);
  themis_payments(&f.market.solver, &program, &answer, c, &nodes);
  for (int i = 0; i < 3; i++)
    assert_near(c[i], expected[i], 1e-4);
  fixture_free(&f);
  for (int i = 0; i < 3; i++)
    themis_table_free(&tables[i]);
}

static void test_four_apps(void **state) {
  (void)state;
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  settings.f = 0.25; /* three of four */
  settings.mopup = false;
  fixture_four_apps(&f, &settings);
  themis_market_run(&f.market);
  assert_holds(&f, APP_A, 1, 0, 0);
  assert_holds(&f, APP_B, 1, 0, 0);
  assert_holds(&f, APP_C, 0, 2, 0);
  assert_holds(&f, APP_D, 1, 0, 1); /* took no part: gets one of what was left */
  assert_int_equal(f.roster.leases.free[0], 1);
  assert_int_equal(f.roster.leases.free[1], 2);
  fixture_free(&f);

  settings.mopup = true;
  fixture_four_apps(&f, &settings);
  themis_market_run(&f.market);
  assert_holds(&f, APP_A, 2, 0, 0);
  assert_holds(&f, APP_B, 1, 1, 0);
  assert_holds(&f, APP_C, 0, 3, 0);
  assert_holds(&f, APP_D, 1, 0, 1);
  static const double rho[] = {1.5230, 1.3125, 0.9250, 1.0850};
  for (int i = 0; i < 4; i++)
    assert_near(1 / themis_agent_value(&f.market.seats[i].agent, NULL, 0), rho[i], 1e-4);
  fixture_free(&f);

  settings.payment = THEMIS_LEASE;
  fixture_four_apps(&f, &settings);
  themis_market_run(&f.market);
  assert_holds(&f, APP_A, 2, 0, 0);
  assert_holds(&f, APP_B, 2, 1, 0);
  assert_holds(&f, APP_C, 0, 3, 0);
  assert_near(lease_of(&f, APP_A), 12, 1e-12);
  assert_near(lease_of(&f, APP_B), 10, 1e-12);
  int newest = -1; /* C's GPU of this auction */
  for (int gpu = f.roster.bidders[APP_C].head; gpu >= 0; gpu = f.roster.leases.gpus[gpu].next)
    newest = f.roster.leases.gpus[gpu].end_s < 1e9 ? gpu : newest;
  assert_near(f.roster.leases.gpus[newest].end_s - 120, 14, 1e-12);
  fixture_free(&f);
}

/* Exchanging the machines' places only exchanges the result, which has no ties. */
static void test_renamed_machines(void **state) {
  (void)state;
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  settings.f = 0.25;
  settings.payment = THEMIS_NONE;
  fixture_init(&f, "4 1 4", &settings); /* M2, M3, M1 */
  static const double elapsed[] = {40, 60, 60, 120}, work[] = {240, 300, 560, 20};
  static const double ideal[] = {320.0 / 3, 160, 800.0 / 3, 120};
  static const double *const kinds[] = {INCEPTION, VGG16, ALEXNET, INCEPTION};
  for (int i = 0; i < 4; i++) {
    fixture_app(&f, elapsed[i], ideal[i]);
    fixture_job(&f, work[i], i == 3 ? 2 : 4, kinds[i]);
    if (i == 2)
      fixture_hold(&f, 0, 2);
    if (i == 3)
      fixture_hold(&f, 1, 1);
    fixture_ready(&f);
  }
  themis_market_run(&f.market);
  assert_holds(&f, APP_A, 0, 0, 2);
  assert_holds(&f, APP_B, 1, 0, 2);
  assert_holds(&f, APP_C, 3, 0, 0);
  fixture_free(&f);
}

/* ---- Any decision ---- */

static void random_market(struct fixture *f, uint64_t *random, struct themis_settings *settings) {
  static const char *const clusters[] = {"4/2 4/2 2/2 1 | 4/2 4/2 2/2 1", "2 2 2 | 2 2 | 4 4 8",
                                         "1 1 1 1 1 1 1 1", "8 8", "4 4 4"};
  static const double *const kinds[] = {VGG16, INCEPTION, ALEXNET};
  fixture_init(f, clusters[next(random) % 5], settings);
  f->market.rng.s[0] = next(random);
  int apps = 1 + (int)(next(random) % 12);
  for (int i = 0; i < apps; i++) {
    fixture_app(f, 1 + (double)(next(random) % 100), 50);
    int jobs = 1 + (int)(next(random) % 4);
    for (int j = 0; j < jobs; j++)
      fixture_job(f, (double)(1 + next(random) % 999), 1 + (int)(next(random) % 4),
                  kinds[next(random) % 3]);
    int bay = (int)(next(random) % (unsigned)f->cluster.view.n_bays);
    if (next(random) % 3 == 0 && f->roster.leases.free[bay] > 0)
      fixture_hold(f, bay, 1);
    fixture_ready(f);
  }
}

/* Nobody could take one more free GPU with gain. */
static bool nothing_idles(struct fixture *f) {
  for (int i = 0; i < f->n; i++) {
    struct themis_agent *agent = &f->market.seats[i].agent;
    for (int bay = 0; bay < f->cluster.view.n_bays; bay++) {
      struct hsim_share one = {bay, 1};
      if (f->roster.leases.free[bay] > 0 && agent->held_gpus < agent->most &&
          themis_agent_value(agent, &one, 1) > themis_agent_value(agent, NULL, 0))
        return false;
    }
  }
  return true;
}

static void check_conserved(struct fixture *f, const struct themis_lease *before, uint64_t seed) {
  int free = 0, held = 0;
  for (int gpu = 0; gpu < f->cluster.view.n_gpus; gpu++) {
    const struct themis_lease *lease = &f->roster.leases.gpus[gpu];
    check(seed, before[gpu].holder < 0 ||
                    (lease->holder == before[gpu].holder && lease->end_s == before[gpu].end_s));
    free += lease->holder < 0;
  }
  for (int i = 0; i < f->n; i++) {
    const struct themis_agent *agent = &f->market.seats[i].agent;
    check(seed, f->roster.bidders[f->market.seats[i].bidder].held == agent->held_gpus);
    check(seed, agent->held_gpus <= agent->most);
    held += agent->held_gpus;
  }
  check(seed, free == f->roster.leases.n_free && free + held == f->cluster.view.n_gpus);
}

static void test_random_decisions(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    uint64_t random = seed;
    struct themis_settings settings = fixture_settings();
    settings.f = (double)(next(&random) % 5) / 4;
    settings.payment = (enum themis_payment)(next(&random) % 5);
    settings.leftover = (enum themis_leftover)(next(&random) % 4);
    settings.mopup = next(&random) % 2;
    settings.refilter = next(&random) % 2;
    settings.part_max = 1 + (int)(next(&random) % 6);
    settings.valuation = (enum themis_valuation)(next(&random) % 2);
    settings.bid_error = next(&random) % 3 == 0 ? 0.2 : 0;
    struct fixture f;
    random_market(&f, &random, &settings);
    size_t size = (size_t)f.cluster.view.n_gpus * sizeof(struct themis_lease);
    struct themis_lease *before = mem_alloc(1, size);
    memcpy(before, f.roster.leases.gpus, size);
    themis_market_run(&f.market);
    check_conserved(&f, before, seed);
    if (settings.mopup && settings.bid_error == 0)
      check(seed, nothing_idles(&f));
    free(before);
    fixture_free(&f);
  }
}

/* payment=none, f=0, mopup=1: the paper's work conservation. */
static void test_nothing_idles(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    uint64_t random = seed;
    struct themis_settings settings = fixture_settings();
    struct fixture f;
    settings.f = 0;
    settings.payment = THEMIS_NONE;
    random_market(&f, &random, &settings);
    themis_market_run(&f.market);
    check(seed, nothing_idles(&f));
    fixture_free(&f);
  }
}

/* Those who have waited too long are served first, beyond the filter and beyond part_max. */
static void test_forced(void **state) {
  (void)state;
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  settings.part_max = 2;
  settings.mopup = false;
  settings.leftover = THEMIS_IDLE;
  fixture_init(&f, "2 2", &settings);
  for (int i = 0; i < 5; i++) {
    fixture_app(&f, 100, 50);
    fixture_job(&f, 1000, 4, VGG16);
    fixture_ready(&f)->forced = i < 4;
  }
  themis_market_run(&f.market);
  for (int i = 0; i < 4; i++)
    assert_int_equal(f.market.seats[i].agent.held_gpus, 1);
  assert_int_equal(f.market.seats[4].agent.held_gpus, 0);
  fixture_free(&f);
}

/* leftover=rr goes round by the apps' numbers. */
static void test_round_robin(void **state) {
  (void)state;
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  settings.f = 1;
  settings.leftover = THEMIS_ROUND_ROBIN;
  settings.mopup = false;
  fixture_init(&f, "1 1 1 1", &settings);
  for (int i = 0; i < 4; i++) {
    fixture_app(&f, 100 - i, 50);
    fixture_job(&f, 1000, i == 0 ? 1 : 4, INCEPTION);
    fixture_ready(&f);
  }
  themis_market_run(&f.market); /* app 0 wins one, 1, 2, 3 get one each */
  for (int i = 0; i < 4; i++)
    assert_int_equal(f.market.seats[i].agent.held_gpus, 1);
  assert_int_equal(f.market.cursor, 3);
  fixture_free(&f);
}

/* ---- Which GPU ---- */

static void test_pick(void **state) {
  (void)state;
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  fixture_init(&f, "8/2", &settings);
  fixture_app(&f, 0, 1);
  struct themis_leases *leases = &f.roster.leases;
  int *head = &f.roster.bidders[0].head;
  assert_int_equal(themis_lease_pick(leases, 0, 0), 0);
  themis_lease_grant(leases, head, 0, 5, 10);
  assert_int_equal(themis_lease_pick(leases, 0, 0), 4); /* completes the slot */
  themis_lease_grant(leases, head, 0, 2, 10);
  themis_lease_release(leases, head, 2);
  assert_int_equal(themis_lease_pick(leases, 0, 0), 2); /* the one that it had */
  themis_leases_node(leases, 0, true);
  assert_int_equal(leases->n_free, 7);
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_apps),           cmocka_unit_test(test_two_apps_payments),
      cmocka_unit_test(test_four_apps_payments), cmocka_unit_test(test_four_apps),
      cmocka_unit_test(test_renamed_machines),   cmocka_unit_test(test_random_decisions),
      cmocka_unit_test(test_nothing_idles),      cmocka_unit_test(test_forced),
      cmocka_unit_test(test_round_robin),        cmocka_unit_test(test_pick),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
