/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The proportional-fair allocation, hidden payments and what becomes of them. */
#include "themis_fixture.h"

enum { MOST = 8 };

/* A program with its answer and payments. */
struct case_ {
  struct themis_program program;
  struct themis_table tables[MOST];
  int room[MOST];
  struct themis_solver solver;
  int row[MOST];
  double c[MOST];
  struct themis_answer answer;
};

static void case_init(struct case_ *x, int n, int bays) {
  memset(x, 0, sizeof *x);
  x->program =
      (struct themis_program){.n = n, .tables = x->tables, .room = x->room, .n_bays = bays};
  themis_solver_init(&x->solver, THEMIS_MILP, 100000, THEMIS_COLUMNS_MAX);
  x->answer.row = x->row;
}

static void case_solve(struct case_ *x) {
  int nodes = 0;
  themis_solver_load(&x->solver, &x->program);
  themis_solve(&x->solver, &x->program, -1, NULL, &x->answer);
  themis_payments(&x->solver, &x->program, &x->answer, x->c, &nodes);
}

static void case_free(struct case_ *x) {
  themis_solver_free(&x->solver);
  for (int i = 0; i < MOST; i++)
    themis_table_free(&x->tables[i]);
}

static void add_row(struct themis_table *table, const int *gpus, int bays, double value) {
  struct hsim_share parts[MOST];
  int n = 0;
  for (int bay = 0; bay < bays; bay++)
    if (gpus[bay] > 0)
      parts[n++] = (struct hsim_share){bay, gpus[bay]};
  themis_table_add(table, parts, n, value);
}

/* ---- Against exhaustive search ---- */

/* 2 to 4 apps, 2 or 3 bays of 1 to 3 GPUs; efficiencies at random. Odd seeds: all bundles, as apps
 * bid; even ones: a quarter of the rows is missing. */
static void random_case(struct case_ *x, uint64_t seed) {
  uint64_t random = seed;
  case_init(x, 2 + (int)(next(&random) % 3), 2 + (int)(next(&random) % 2));
  for (int bay = 0; bay < x->program.n_bays; bay++)
    x->room[bay] = 1 + (int)(next(&random) % 3);
  for (int i = 0; i < x->program.n; i++) {
    bool holds = next(&random) % 2;
    themis_table_begin(&x->tables[i], holds ? 0.1 + 0.2 * (double)(next(&random) % 100) / 100 : 0);
    int gpus[MOST] = {0};
    for (;;) {
      int bay = 0;
      while (bay < x->program.n_bays && gpus[bay] == x->room[bay])
        gpus[bay++] = 0;
      if (bay == x->program.n_bays)
        break;
      gpus[bay]++;
      int size = 0, spread = 0;
      for (int b = 0; b < x->program.n_bays; b++) {
        size += gpus[b];
        spread += gpus[b] > 0;
      }
      double value = size * pow(0.5 + 0.005 * (double)(next(&random) % 100), spread);
      if (value > x->tables[i].empty_value && (seed % 2 || next(&random) % 4 > 0))
        add_row(&x->tables[i], gpus, x->program.n_bays, value);
    }
    themis_table_finish(&x->tables[i], 0.01);
  }
}

static void search(const struct themis_program *program, int without, int i, int *left, double sum,
                   double *best) {
  if (i == program->n) {
    *best = fmax(*best, sum);
    return;
  }
  if (i == without) {
    search(program, without, i + 1, left, sum, best);
    return;
  }
  const struct themis_table *table = &program->tables[i];
  search(program, without, i + 1, left, sum + table->empty_log, best);
  for (int b = 0; b < table->n; b++) {
    const struct themis_row *row = &table->rows[b];
    const struct hsim_share *parts = themis_row_parts(table, row);
    bool fits = true;
    for (int p = 0; p < row->n; p++) {
      left[parts[p].bay] -= parts[p].gpus;
      fits = fits && left[parts[p].bay] >= 0;
    }
    if (fits)
      search(program, without, i + 1, left, sum + row->log_value, best);
    for (int p = 0; p < row->n; p++)
      left[parts[p].bay] += parts[p].gpus;
  }
}

static double exhaustive(const struct themis_program *program, int without) {
  int left[MOST];
  double best = -INFINITY;
  memcpy(left, program->room, (size_t)program->n_bays * sizeof *left);
  search(program, without, 0, left, 0, &best);
  return best;
}

static bool feasible(const struct themis_program *program, const int *row) {
  int left[MOST];
  memcpy(left, program->room, (size_t)program->n_bays * sizeof *left);
  for (int i = 0; i < program->n; i++)
    for (int p = 0; row[i] >= 0 && p < program->tables[i].rows[row[i]].n; p++) {
      const struct hsim_share *part =
          &themis_row_parts(&program->tables[i], &program->tables[i].rows[row[i]])[p];
      left[part->bay] -= part->gpus;
      if (left[part->bay] < 0)
        return false;
    }
  return true;
}

static double empty_log(const struct themis_program *program) {
  double sum = 0;
  for (int i = 0; i < program->n; i++)
    sum += program->tables[i].empty_log;
  return sum;
}

static void test_exhaustive(void **state) {
  (void)state;
  double worst = 1;
  for (uint64_t seed = 1; seed <= 600; seed++) {
    struct case_ x;
    random_case(&x, seed);
    case_solve(&x);
    double best = exhaustive(&x.program, -1);
    check(seed, x.answer.how == THEMIS_PROVEN);
    check(seed, feasible(&x.program, x.row));
    check(seed, fabs(x.answer.log_value - best) < 1e-7);
    check(seed, fabs(themis_log_value(&x.program, -1, x.row) - best) < 1e-7);
    for (int i = 0; i < x.program.n; i++) {
      int row[MOST];
      struct themis_answer other = {.row = row};
      themis_solve(&x.solver, &x.program, i, x.row, &other);
      double without = exhaustive(&x.program, i);
      check(seed, row[i] < 0 && feasible(&x.program, row));
      check(seed, fabs(other.log_value - without) < 1e-7);
      double c = exp(themis_log_value(&x.program, i, x.row) - without);
      check(seed, fabs(x.c[i] - fmin(c, 1)) < 1e-7 && x.c[i] > 0 && x.c[i] <= 1);
      check(seed, x.row[i] >= 0 || x.c[i] == 1);
    }
    int left[MOST], row[MOST];
    struct themis_answer greedy = {.row = row};
    themis_greedy(&x.program, -1, left, &greedy);
    double none = empty_log(&x.program);
    check(seed, feasible(&x.program, row));
    check(seed, greedy.log_value >= none);
    check(seed, greedy.log_value - none >= (seed % 2 ? 0.7 : 0.5) * (best - none) - 1e-9);
    worst = fmin(worst, best > none ? (greedy.log_value - none) / (best - none) : 1);
    /* Mirror images are as good. */
    themis_canonical(&x.program, left, &x.answer);
    check(seed, feasible(&x.program, x.row));
    check(seed, fabs(themis_log_value(&x.program, -1, x.row) - best) < 1e-7);
    case_free(&x);
  }
  print_message("greedy: at least %.3f of the gain\n", worst);
}

/* One app's values times 7: the same allocation and payments. */
static void test_scale(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    struct case_ x, y;
    random_case(&x, seed);
    random_case(&y, seed);
    for (int b = 0; b < y.tables[0].n; b++)
      y.tables[0].rows[b].value *= 7;
    y.tables[0].empty_value *= 7;
    for (int b = 0; b < y.tables[0].n; b++)
      y.tables[0].rows[b].log_value = log(y.tables[0].rows[b].value);
    y.tables[0].empty_log = log(y.tables[0].empty_value);
    case_solve(&x);
    case_solve(&y);
    check(seed, fabs(y.answer.log_value - x.answer.log_value - log(7)) < 1e-9);
    for (int i = 0; i < x.program.n; i++)
      check(seed, x.row[i] == y.row[i] && fabs(x.c[i] - y.c[i]) < 1e-9);
    case_free(&x);
    case_free(&y);
  }
}

/* What an app says never raises c times its true value. */
static void test_truthful(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct case_ x, y;
    uint64_t random = seed;
    random_case(&x, seed);
    case_solve(&x);
    for (int lie = 0; lie < 8; lie++) {
      random_case(&y, seed);
      struct themis_table *table = &y.tables[0];
      for (int b = 0; b < table->n; b++) {
        table->rows[b].value *= 0.3 + 0.01 * (double)(next(&random) % 300);
        table->rows[b].log_value = log(table->rows[b].value);
      }
      case_solve(&y);
      double honest =
          x.row[0] >= 0 ? x.c[0] * x.tables[0].rows[x.row[0]].value : x.tables[0].empty_value;
      double lying =
          y.row[0] >= 0 ? y.c[0] * x.tables[0].rows[y.row[0]].value : x.tables[0].empty_value;
      check(seed, lying <= honest * (1 + 1e-9));
      case_free(&y);
    }
    case_free(&x);
  }
}

/* ---- Equal apps on one machine ---- */

static void equal_apps(struct case_ *x, int n, int gpus) {
  case_init(x, n, 1);
  x->room[0] = gpus;
  for (int i = 0; i < n; i++) {
    themis_table_begin(&x->tables[i], 0);
    for (int k = 1; k <= gpus; k++)
      add_row(&x->tables[i], &k, 1, k);
    themis_table_finish(&x->tables[i], 0.01);
  }
  case_solve(x);
}

static void test_equal_apps(void **state) {
  (void)state;
  static const int n[] = {2, 3, 5}, gpus[] = {4, 6, 20};
  static const double c[] = {0.5, 0.4444, 0.4096};
  for (int s = 0; s < 3; s++) {
    struct case_ x;
    equal_apps(&x, n[s], gpus[s]);
    for (int i = 0; i < n[s]; i++)
      assert_near(x.c[i], c[s], 1e-4);
    case_free(&x);
  }
  struct case_ x;
  equal_apps(&x, 3, 2); /* more apps than GPUs */
  int served = 0;
  for (int i = 0; i < 3; i++) {
    served += x.row[i] >= 0;
    assert_near(x.c[i], x.row[i] >= 0 ? 0.01 : 1, 1e-9);
  }
  assert_int_equal(served, 2);
  case_free(&x);
  equal_apps(&x, 1, 4); /* nobody else */
  assert_true(x.c[0] == 1);
  assert_int_equal(x.tables[0].rows[x.row[0]].gpus, 4);
  case_free(&x);
}

/* keep1 serves two of three apps all the same; floor gives nothing to anybody. */
static void test_overload(void **state) {
  (void)state;
  for (int payment = THEMIS_KEEP1; payment <= THEMIS_FLOOR; payment++) {
    struct themis_settings settings = fixture_settings();
    struct fixture f;
    settings.f = 0;
    settings.payment = (enum themis_payment)payment;
    settings.mopup = false;
    fixture_init(&f, "2", &settings);
    for (int i = 0; i < 3; i++) {
      fixture_app(&f, 0, 100);
      fixture_job(&f, 100, 2, VGG16);
      fixture_ready(&f);
    }
    themis_market_run(&f.market);
    assert_int_equal(f.roster.leases.n_free, payment == THEMIS_KEEP1 ? 0 : 2);
    for (int i = 0; i < 3; i++)
      assert_true(fixture_held(&f, i, 0) <= 1);
    fixture_free(&f);
  }
}

/* The offer covers all that anybody can use: no payments. */
static void test_no_contention(void **state) {
  (void)state;
  struct themis_settings settings = fixture_settings();
  struct fixture f;
  settings.f = 0;
  fixture_init(&f, "4 4", &settings);
  for (int i = 0; i < 2; i++) {
    fixture_app(&f, 0, 100);
    fixture_job(&f, 100, 4, VGG16);
    fixture_ready(&f);
  }
  themis_market_run(&f.market);
  for (int i = 0; i < 2; i++) {
    assert_true(f.market.c[i] == 1);
    assert_int_equal(f.market.seats[i].agent.held_gpus, 4);
    assert_int_equal(f.market.seats[i].agent.n_held, 1);
  }
  assert_true(f.market.counts.withheld == 0);
  fixture_free(&f);
}

/* ---- Limits ---- */

/* Without the solver, or when it fails: greedy, for the payments as well. */
static void test_solver_fails(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    struct case_ x, y;
    random_case(&x, seed);
    random_case(&y, seed);
    x.solver.fails = true;
    y.solver.kind = THEMIS_BY_GREED;
    case_solve(&x);
    case_solve(&y);
    check(seed, x.answer.how == THEMIS_GREEDY || x.answer.log_value == empty_log(&x.program));
    for (int i = 0; i < x.program.n; i++)
      check(seed, x.row[i] == y.row[i] && x.c[i] == y.c[i] && x.c[i] > 0 && x.c[i] <= 1);
    case_free(&x);
    case_free(&y);
  }
}

/* Eight apps that want odd groups of machines. */
static void crowded_case(struct case_ *x, uint64_t seed) {
  uint64_t random = seed;
  case_init(x, MOST, MOST);
  for (int bay = 0; bay < MOST; bay++)
    x->room[bay] = 2;
  for (int i = 0; i < MOST; i++) {
    themis_table_begin(&x->tables[i], 0);
    for (int b = 0; b < 30; b++) {
      int gpus[MOST] = {0};
      for (int g = 0; g < 3; g++)
        gpus[next(&random) % MOST] = 1 + (int)(next(&random) % 2);
      add_row(&x->tables[i], gpus, MOST, 1 + (double)(next(&random) % 100) / 10);
    }
    themis_table_finish(&x->tables[i], 0.01);
  }
}

/* One node of search: still feasible, and never below the greedy. */
static void test_node_cap(void **state) {
  (void)state;
  int limited = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct case_ x;
    int left[MOST], row[MOST];
    struct themis_answer greedy = {.row = row};
    crowded_case(&x, seed);
    x.solver.node_cap = 1;
    case_solve(&x);
    themis_greedy(&x.program, -1, left, &greedy);
    check(seed, feasible(&x.program, x.row));
    check(seed, x.answer.log_value >= greedy.log_value - 1e-9);
    for (int i = 0; i < MOST; i++)
      check(seed, x.c[i] > 0 && x.c[i] <= 1);
    limited += x.answer.how != THEMIS_PROVEN;
    case_free(&x);
  }
  assert_true(limited > 0);
}

/* A participant that must be served is, whatever it costs the others. */
static void test_forced(void **state) {
  (void)state;
  for (int greedy = 0; greedy < 2; greedy++) {
    struct case_ x;
    bool forced[2] = {false, true};
    case_init(&x, 2, 1);
    x.room[0] = 1;
    x.program.forced = forced;
    x.solver.kind = greedy ? THEMIS_BY_GREED : THEMIS_MILP;
    int one = 1;
    for (int i = 0; i < 2; i++) {
      themis_table_begin(&x.tables[i], 1);
      add_row(&x.tables[i], &one, 1, i == 0 ? 100 : 1.1);
      themis_table_finish(&x.tables[i], 0.01);
    }
    case_solve(&x);
    assert_int_equal(x.row[0], -1);
    assert_int_equal(x.row[1], 0);
    case_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exhaustive),   cmocka_unit_test(test_scale),
      cmocka_unit_test(test_truthful),     cmocka_unit_test(test_equal_apps),
      cmocka_unit_test(test_overload),     cmocka_unit_test(test_no_contention),
      cmocka_unit_test(test_solver_fails), cmocka_unit_test(test_node_cap),
      cmocka_unit_test(test_forced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
