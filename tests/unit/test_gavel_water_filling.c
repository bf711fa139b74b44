/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Water filling against its definition, on random jobs. */
#include "filling_world.h"

static const struct objective *objective_for(const struct setup *setup) {
  return setup->problem.n_pairs > 0 ? &objective_max_min_fairness_water_filling_packed
                                    : &objective_max_min_fairness_water_filling_perf;
}

static void allocate(struct setup *setup) {
  struct lp *lp = lp_create();
  struct hsim_error error = {0};
  setup->report = (struct shares_report){.optimum = NAN};
  memset(setup->shares, 0, sizeof setup->shares);
  enum hsim_status status = objective_for(setup)->allocate(NULL, &setup->problem, lp, setup->shares,
                                                           &setup->report, &error);
  if (status != HSIM_OK)
    fail_msg("%s", error.text);
  lp_destroy(lp);
}

static double level_of(const struct setup *setup, const double *net, int job) {
  return net[job] * setup->workers[job] / setup->weights[job];
}

static void add_net_cost(const struct setup *setup, struct lp *lp, int job) {
  const struct shares_problem *problem = &setup->problem;
  double average = shares_proportional_rate(problem, job);
  for (int g = 0; g < N_TYPES; g++)
    lp_cost(lp, job * N_TYPES + g, rates_of(problem, job)[g] / average);
  for (int p = 0; p < problem->n_pairs; p++)
    for (int side = 0; side < 2; side++)
      if ((side ? problem->pairs[p].b : problem->pairs[p].a) == job)
        for (int g = 0; g < N_TYPES; g++)
          lp_cost(lp, (problem->n_jobs + p) * N_TYPES + g,
                  pair_rates_of(problem, p)[2 * g + side] / average);
}

/* The largest net of the job when nobody at or below its level loses more than `slack`; with
 * entities, nobody at all. */
static double best_with(const struct setup *setup, struct lp *lp, const double *net, int job,
                        double slack) {
  struct hsim_error error = {0};
  double reach = level_of(setup, net, job) * (1 + 1e-6);
  load_literal(setup, lp, 1, 0);
  for (int j = 0; j < setup->problem.n_jobs; j++)
    if (setup->problem.by_entity || level_of(setup, net, j) <= reach)
      lp_row(lp, j, net[j] * (1 - slack) - slack, INFINITY);
  add_net_cost(setup, lp, job);
  if (lp_solve(lp, LP_PRIMAL, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  return lp_objective(lp);
}

/* Shares are rounded, and what little that takes from others can be worth a thousand times as much
 * to the job: what counts is where its gain goes as the slack goes to 0. */
static void check_no_gain(const struct setup *setup, struct lp *lp, const double *net, int round) {
  const double slack = 2e-8;
  for (int i = 0; i < setup->problem.n_jobs; i++) {
    if (!(shares_proportional_rate(&setup->problem, i) > 0))
      continue;
    double best = best_with(setup, lp, net, i, slack);
    double more = best_with(setup, lp, net, i, 2 * slack) - best;
    if (best - more > net[i] + more + 1e-6)
      fail_msg("round %d: job %d has %.12g and could have %.12g", round, i, net[i], best - more);
  }
}

static void nobody_gains_without_harm(void **state) {
  (void)state;
  unsigned seed = 20;
  print_message("seed %u\n", seed);
  struct lp *lp = lp_create();
  for (int round = 0; round < 400; round++) {
    struct setup setup;
    make_random(&setup, &seed, round % 2, 1 + round % 8);
    allocate(&setup);
    double net[MAX_JOBS];
    check_feasible(&setup, net);
    check_no_gain(&setup, lp, net, round);
  }
  lp_destroy(lp);
}

static void entities_waste_nothing(void **state) {
  (void)state;
  unsigned seed = 31;
  print_message("seed %u\n", seed);
  struct lp *lp = lp_create();
  for (int round = 0; round < 200; round++) {
    struct setup setup;
    make_random(&setup, &seed, round % 2, 1 + round % 5);
    for (int e = 0; e < 3; e++)
      add_entity(&setup, 1 + e, draw(&seed, 2) ? ENTITY_FIFO : ENTITY_FAIRNESS);
    for (int i = 0; i < setup.problem.n_jobs; i++)
      setup.of[i] = (int)draw(&seed, 3);
    allocate(&setup);
    double net[MAX_JOBS];
    check_feasible(&setup, net);
    check_no_gain(&setup, lp, net, round);
    setup.problem.coded = true;
    allocate(&setup);
    check_feasible(&setup, net);
    double at = objective_for(&setup)->value(NULL, &setup.problem, setup.shares);
    assert_true(isnan(at) || at >= setup.report.optimum * (1 - 1e-6));
  }
  lp_destroy(lp);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Where no level is below 0.1, at which Gavel's search gives up, both agree but for its
 * tolerances. */
static void coded_and_fixed_agree(void **state) {
  (void)state;
  unsigned seed = 5;
  print_message("seed %u\n", seed);
  int compared = 0;
  for (int round = 0; round < 400; round++) {
    struct setup setup;
    make_random(&setup, &seed, round % 2, 6);
    double fixed[MAX_JOBS], coded[MAX_JOBS], least = INFINITY;
    int n = setup.problem.n_jobs;
    allocate(&setup);
    check_feasible(&setup, fixed);
    double optimum = setup.report.optimum;
    setup.problem.coded = true;
    allocate(&setup);
    check_feasible(&setup, coded);
    for (int i = 0; i < n; i++)
      least = shares_proportional_rate(&setup.problem, i) > 0 ? fmin(least, fixed[i]) : least;
    for (int i = 0; i < n; i++) {
      fixed[i] = level_of(&setup, fixed, i);
      coded[i] = level_of(&setup, coded, i);
    }
    if (isnan(optimum))
      continue;
    assert_true(fabs(setup.report.optimum - optimum) <= 1e-7 * optimum);
    double at = objective_for(&setup)->value(NULL, &setup.problem, setup.shares);
    assert_true(fabs(at - optimum) <= 1e-6 * optimum);
    if (least < 0.1)
      continue;
    qsort(fixed, (size_t)n, sizeof *fixed, ascending);
    qsort(coded, (size_t)n, sizeof *coded, ascending);
    compared++;
    for (int i = 0; i < n; i++)
      if (fabs(fixed[i] - coded[i]) > 1e-4 * fixed[i])
        fail_msg("round %d: level %d is %.9g, as coded %.9g", round, i, fixed[i], coded[i]);
  }
  print_message("%d compared\n", compared);
  assert_true(compared >= 100);
}

static bool has(unsigned set, int k) {
  return set >> k & 1;
}

static const struct filling_class *class_of(const struct filling *filling, int job) {
  return &filling->classes[filling->class_of[job]];
}

/* Whether some shares go with these z in Gavel's search, as it is published. */
static bool goes_with(const struct setup *setup, const struct filling *filling, struct lp *lp,
                      unsigned z) {
  int n = setup->problem.n_jobs;
  double m = 0;
  for (int k = 0; k < n; k++)
    m = fmax(m, class_of(filling, k)->largest * class_of(filling, k)->workers);
  load_literal(setup, lp, 1, 0);
  for (int k = 0; k < n; k++) {
    double level = class_of(filling, k)->level, zk = has(z, k);
    double low = fmax(level * (1 - 1e-10), 1.0001 * level - m * (1 - zk));
    double high = 1.0001 * level - 1e-5 + m * zk;
    if (low > high)
      return false;
    lp_row(lp, k, low, high);
  }
  struct hsim_error error = {0};
  bool solved = lp_solve(lp, LP_PRIMAL, &error) == HSIM_OK;
  assert_true(solved || lp_infeasible(lp));
  return solved;
}

/* How many can rise, by trying all combinations; 0 without a solution. */
static int try_all(const struct setup *setup, const struct filling *filling, struct lp *lp) {
  int n = setup->problem.n_jobs, most = 0;
  for (unsigned z = 1; z < 1u << n; z++) {
    int count = 0;
    bool may = true;
    for (int k = 0; k < n; k++) {
      const struct filling_class *class = class_of(filling, k);
      count += has(z, k);
      may = may && (!has(z, k) || (!class->final && class->pull > 0));
    }
    if (may && count > most && goes_with(setup, filling, lp, z))
      most = count;
  }
  return most;
}

/* One step as coded; returns how many can rise after it. */
static int step_as_coded(struct filling *filling, struct lp *lp, bool *raised) {
  struct hsim_error error = {0};
  double blame[MAX_JOBS];
  int n = filling->n_classes, count = 0;
  for (int k = 0; k < n; k++)
    filling->classes[k].pull = filling->classes[k].final ? 0 : filling->classes[k].weight;
  assert_int_equal(filling_raise(filling, lp, INFINITY, &error), HSIM_OK);
  for (int k = 0; k < n; k++)
    blame[k] = filling->classes[k].pull > 0 ? filling_blame(filling, lp, k) : 0;
  filling_keep(filling, lp);
  filling_find_raised(filling, lp, blame, raised);
  for (int k = 0; k < filling->n_classes; k++)
    count += raised[k] ? filling->classes[k].members : 0;
  return count;
}

static void search_finds_as_many_as_there_are(void **state) {
  (void)state;
  unsigned seed = 9;
  print_message("seed %u\n", seed);
  struct lp *lp = lp_create(), *other = lp_create();
  int steps = 0, later = 0;
  for (int round = 0; round < 300; round++) {
    struct setup setup;
    struct filling filling;
    bool raised[MAX_JOBS];
    make_random(&setup, &seed, round % 2, 5);
    if (setup.problem.n_jobs > 7)
      continue;
    setup.problem.coded = true;
    filling_init(&filling, &setup.problem, round % 3 > 0, NULL);
    int rising = setup.problem.n_jobs;
    for (int i = 0; i < setup.problem.n_jobs; i++)
      if (filling.class_of[i] < 0)
        rising = 0;
    for (int step = 0; rising > 0; step++) {
      int before = rising;
      rising = step_as_coded(&filling, lp, raised);
      int possible = try_all(&setup, &filling, other);
      if (rising != possible)
        fail_msg("round %d, step %d: %d rise, %d could", round, step, rising, possible);
      for (int k = 0; k < filling.n_classes; k++)
        filling.classes[k].final = !raised[k];
      steps++;
      later += step > 0;
      if (rising == before)
        break;
    }
    filling_free(&filling);
  }
  lp_destroy(lp);
  lp_destroy(other);
  print_message("%d steps\n", steps);
  assert_true(steps >= 150 && later >= 50);
}

/* Gavel's notebook on hierarchical fairness: three entities of weight 1, 2, 3, six jobs each, three
 * GPUs of each type, jobs come one by one. All types are alike here, so that only the number of
 * GPUs and each job's own time bind. */
static void make_notebook(struct setup *setup, int n, enum entity_mode mode) {
  begin(setup, 3, 3, 3);
  for (int e = 0; e < 3; e++)
    add_entity(setup, e + 1, mode);
  for (int i = 0; i < n; i++)
    setup->of[add_job(setup, 1, mode == ENTITY_FIFO ? 1 : 1 + i % 2, (double[]){1, 1, 1})] = i / 6;
}

static void check_notebook(const struct setup *setup, enum entity_mode mode) {
  double net[MAX_JOBS], total[3] = {0}, given = 0, rising = NAN;
  bool full[3] = {true, true, true};
  int n = setup->problem.n_jobs;
  check_feasible(setup, net);
  for (int i = 0; i < n; i++) {
    total[i / 6] += net[i];
    full[i / 6] = full[i / 6] && net[i] > 1 - 1e-7;
    given += net[i];
  }
  assert_true(fabs(given - fmin(n, 9)) < 1e-6);
  for (int e = 0; e < 3; e++) /* who is not full has its part; who is full has no more than that */
    if (!full[e]) {
      rising = isnan(rising) ? total[e] / (e + 1) : rising;
      assert_true(fabs(total[e] / (e + 1) - rising) < 1e-7);
    }
  for (int e = 0; e < 3; e++)
    assert_true(isnan(rising) || total[e] / (e + 1) <= rising + 1e-7);
  for (int i = 1; i < n; i++) {
    if (i / 6 != (i - 1) / 6)
      continue;
    if (mode == ENTITY_FIFO) /* a job gets something when those before it have all they can use */
      assert_true(net[i] < 1e-7 || net[i - 1] > 1 - 1e-7);
    else if (net[i] < 1 - 1e-7 && net[i - 1] < 1 - 1e-7)
      assert_true(fabs(net[i] / setup->weights[i] - net[i - 1] / setup->weights[i - 1]) < 1e-7);
  }
}

static void entities_divide_by_weight(void **state) {
  (void)state;
  for (int mode = ENTITY_FAIRNESS; mode <= ENTITY_FIFO; mode++)
    for (int n = 1; n <= 18; n++) {
      struct setup setup;
      make_notebook(&setup, n, (enum entity_mode)mode);
      allocate(&setup);
      check_notebook(&setup, (enum entity_mode)mode);
    }
}

/* Two entities, one GPU: a's head takes a half; b divides the other 1 : 2. */
static void entities_may_differ_in_mode(void **state) {
  (void)state;
  struct setup setup;
  double net[MAX_JOBS];
  begin(&setup, 1, 0, 0);
  add_entity(&setup, 1, ENTITY_FIFO);
  add_entity(&setup, 1, ENTITY_FAIRNESS);
  for (int i = 0; i < 4; i++)
    setup.of[add_job(&setup, 1, i == 3 ? 2 : 1, (double[]){1 + i, 1, 1})] = i / 2;
  allocate(&setup);
  check_feasible(&setup, net);
  const double expected[] = {0.5, 0, 1.0 / 6, 1.0 / 3};
  for (int i = 0; i < 4; i++)
    assert_true(fabs(net[i] - expected[i]) < 1e-8);
  assert_true(fabs(setup.report.optimum - 0.5) <
              1e-9); /* of the weights that the step begins with */
  double at = objective_for(&setup)->value(NULL, &setup.problem, setup.shares);
  assert_true(fabs(at - 0.5) < 1e-8);
}

/* One v100, one k80. Job 0 only runs on the k80 and shares it with nobody: it takes all of it. The
 * other two share the v100; plain max-min would stop at job 0's level. */
static void others_go_on_after_the_first_bottleneck(void **state) {
  (void)state;
  for (int coded = 0; coded < 2; coded++) {
    struct setup setup;
    double net[MAX_JOBS];
    begin(&setup, 3, 0, 1);
    setup.problem.coded = coded;
    add_job(&setup, 1, 4, (double[]){0, 0, 1});
    add_job(&setup, 4, 1, (double[]){0, 0, 0}); /* can run nowhere */
    add_job(&setup, 2, 1, (double[]){1, 0, 0});
    add_job(&setup, 2, 2, (double[]){1, 0, 0});
    allocate(&setup);
    check_feasible(&setup, net);
    assert_true(fabs(setup.report.optimum - 1) < 1e-9); /* net 4 times 1 worker over weight 4 */
    assert_true(fabs(net[0] - 4) < 1e-8);
    assert_true(fabs(net[2] - 4.0 / 3 / 2) < 1e-8);
    assert_true(fabs(net[3] - 4.0 / 3) < 1e-8);
    assert_true(net[1] == 0);
  }
}

static void agnostic_spreads_over_equal_types(void **state) {
  (void)state;
  struct setup setup;
  begin(&setup, 2, 4, 6);
  for (int i = 0; i < MAX_JOBS; i++)
    add_job(&setup, 1, 1, (double[]){1, 1, 1});
  allocate(&setup);
  for (int i = 0; i < MAX_JOBS; i++)
    for (int g = 0; g < N_TYPES; g++)
      assert_true(fabs(setup.shares[i * N_TYPES + g] - setup.gpus[g] / 20.0) < 1e-8);
  assert_int_equal(setup.report.classes, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_go_on_after_the_first_bottleneck),
      cmocka_unit_test(agnostic_spreads_over_equal_types),
      cmocka_unit_test(entities_divide_by_weight),
      cmocka_unit_test(entities_may_differ_in_mode),
      cmocka_unit_test(nobody_gains_without_harm),
      cmocka_unit_test(entities_waste_nothing),
      cmocka_unit_test(coded_and_fixed_agree),
      cmocka_unit_test(search_finds_as_many_as_there_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
