/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generated workloads: figures of the distributions within four standard errors of what theory
 * says, with fixed seeds; Gavel's generators exact; scenarios as published.
 */
#include <math.h>

#include "input_fixture.h"
#include "workload/workload.h"

enum { MANY = 100000 };

static struct workload_spec spec_of(struct weighted *gangs, size_t n, uint64_t seed) {
  return (struct workload_spec){
      .preset = PRESET_NONE,
      .seed = seed,
      .n_jobs = MANY,
      .arrivals = {.kind = ARRIVE_STATIC},
      .gangs = {.at = gangs, .n = n},
      .durations = {.kind = LAST_FIXED, .a = 100, .least = 0.001, .most = 1e9}};
}

static struct weighted one_gpu[] = {{1, 1}};

static void make(struct world *world, const struct workload_spec *spec, struct workload *w) {
  struct hsim_error error = {.text = ""};
  int reference = names_find(&world->rates.types, "v100", 4);
  if (workload_make(spec, &world->rates, reference, w, &error) != HSIM_OK)
    fail_msg("%s", error.text);
}

static void expect_near(const char *what, double value, double expected, double standard_error) {
  if (!(fabs(value - expected) <= 4 * standard_error))
    fail_msg("%s: %.9g, expected %.9g within 4 x %.3g", what, value, expected, standard_error);
}

/* ---- arrivals ---- */

static void test_poisson(void **state) {
  struct workload_spec spec = spec_of(one_gpu, 1, 1);
  struct workload w;
  spec.arrivals = (struct arrivals){.kind = ARRIVE_POISSON, .gap_s = 60};
  make(*state, &spec, &w);
  const struct hsim_job *jobs = w.trace.jobs;
  assert_int_equal(w.trace.n_jobs, MANY);
  assert_true(jobs[0].arrival_s == 0);
  int longer = 0;
  for (int i = 1; i < MANY; i++) {
    assert_true(jobs[i].arrival_s >= jobs[i - 1].arrival_s);
    longer += jobs[i].arrival_s - jobs[i - 1].arrival_s > 60;
  }
  expect_near("mean gap", jobs[MANY - 1].arrival_s / (MANY - 1), 60, 60 / sqrt(MANY));
  expect_near("gaps above the mean", (double)longer / MANY, exp(-1), 0.5 / sqrt(MANY));
  workload_free(&w);
}

/* Jobs in the half of the period around the peak: 1/2 + swing / pi. */
static void test_diurnal(void **state) {
  struct workload_spec spec = spec_of(one_gpu, 1, 2);
  struct workload w;
  spec.arrivals = (struct arrivals){
      .kind = ARRIVE_DIURNAL, .gap_s = 60, .period_s = 86400, .peak_s = 50400, .swing = 0.8};
  make(*state, &spec, &w);
  double days = floor(w.trace.jobs[MANY - 1].arrival_s / 86400);
  int n = 0, near_peak = 0;
  for (int i = 0; i < MANY && w.trace.jobs[i].arrival_s < days * 86400; i++) {
    double hour = fmod(w.trace.jobs[i].arrival_s, 86400) / 3600;
    near_peak += hour >= 8 && hour < 20; /* the peak is at 14 */
    n++;
  }
  expect_near("share around the peak", (double)near_peak / n, 0.5 + 0.8 / acos(-1), 0.5 / sqrt(n));
  expect_near("jobs a day", n / days, 1440, sqrt(1440 / days));
  workload_free(&w);
}

static void test_bursty(void **state) {
  struct workload_spec spec = spec_of(one_gpu, 1, 3);
  struct workload w;
  spec.arrivals = (struct arrivals){.kind = ARRIVE_BURSTY, .gap_s = 60, .burst = 10, .within_s = 0};
  make(*state, &spec, &w);
  int bursts = 1;
  for (int i = 1; i < MANY; i++)
    bursts += w.trace.jobs[i].arrival_s > w.trace.jobs[i - 1].arrival_s;
  /* Sizes are geometric with mean 10: their standard deviation is sqrt(90). */
  expect_near("jobs a burst", (double)MANY / bursts, 10, sqrt(90.0 / bursts));
  expect_near("mean gap", w.trace.jobs[MANY - 1].arrival_s / MANY, 60, 60 * 1.5 / sqrt(bursts));
  workload_free(&w);
}

/* ---- durations ---- */

static double mean_of(const struct workload *w) {
  double sum = 0;
  for (int i = 0; i < w->trace.n_jobs; i++)
    sum += w->durations_s[i];
  return sum / w->trace.n_jobs;
}

static double share_up_to(const struct workload *w, double seconds) {
  int n = 0;
  for (int i = 0; i < w->trace.n_jobs; i++)
    n += w->durations_s[i] <= seconds;
  return (double)n / w->trace.n_jobs;
}

static void expect_durations(struct world *world, const char *what, struct durations durations,
                             double mean, double deviation, double at, double share) {
  struct workload_spec spec = spec_of(one_gpu, 1, 4);
  struct workload w;
  spec.durations = durations;
  make(world, &spec, &w);
  if (!isnan(mean))
    expect_near(what, mean_of(&w), mean, deviation / sqrt(MANY));
  expect_near(what, share_up_to(&w, at), share, sqrt(share * (1 - share) / MANY));
  for (int i = 0; i < MANY; i++) {
    assert_true(w.durations_s[i] >= durations.least && w.durations_s[i] <= durations.most);
    assert_true(round(w.durations_s[i] * 1000) / 1000 == w.durations_s[i]);
  }
  workload_free(&w);
}

static void test_durations(void **state) {
  struct world *world = *state;
  const double least = 0.001, most = 1e9;
  expect_durations(world, "exponential", (struct durations){LAST_EXPONENTIAL, 7200, 0, least, most},
                   7200, 7200, 7200 * log(2), 0.5);
  expect_durations(world, "uniform", (struct durations){LAST_UNIFORM, 0, 0, 100, 500}, 300,
                   400 / sqrt(12), 200, 0.25);
  expect_durations(world, "loguniform", (struct durations){LAST_LOGUNIFORM, 0, 0, 10, 1000}, NAN, 0,
                   100, 0.5);
  expect_durations(world, "lognormal", (struct durations){LAST_LOGNORMAL, 3600, 1.5, least, most},
                   NAN, 0, 3600 * exp(1.5), 0.841344746);
  expect_durations(world, "weibull", (struct durations){LAST_WEIBULL, 3600, 2, least, most},
                   3600 * tgamma(1.5), 3600 * sqrt(1 - tgamma(1.5) * tgamma(1.5)), 3600,
                   1 - exp(-1));
  expect_durations(world, "gavel", (struct durations){LAST_GAVEL, 0, 0, least, most}, NAN, 0, 60000,
                   0.8);
  expect_durations(world, "cut", (struct durations){LAST_EXPONENTIAL, 100, 0, 50, 150}, NAN, 0, 100,
                   (exp(-0.5) - exp(-1)) / (exp(-0.5) - exp(-1.5)));
}

static void test_impossible_range(void **state) {
  struct world *world = *state;
  struct workload_spec spec = spec_of(one_gpu, 1, 4);
  struct workload w;
  struct hsim_error error = {.text = ""};
  spec.durations = (struct durations){LAST_EXPONENTIAL, 1, 0, 1e6, 1e9};
  assert_int_equal(workload_make(&spec, &world->rates, 0, &w, &error), HSIM_BAD_USAGE);
  assert_int_equal(w.trace.n_jobs, 0);
}

/* ---- mixes ---- */

static void test_gangs_and_models(void **state) {
  struct world *world = *state;
  struct weighted gangs[] = {{1, 7}, {2, 1}, {4, 2}};
  int a3c = names_find(&world->rates.models, "A3C", 3);
  int lm = names_find(&world->rates.models, "LM (batch size 5)", 17);
  struct weighted models[] = {{a3c, 1}, {lm, 3}};
  struct workload_spec spec = spec_of(gangs, 3, 5);
  spec.with_models = true;
  spec.models = (struct mix){.at = models, .n = 2};
  struct workload w;
  make(world, &spec, &w);
  int singles = 0, lm_singles = 0, twos = 0;
  for (int i = 0; i < MANY; i++) {
    const struct hsim_job *job = &w.trace.jobs[i];
    assert_true(job->workers == 1 || job->model == lm); /* A3C runs on one GPU only */
    singles += job->workers == 1;
    twos += job->workers == 2;
    lm_singles += job->workers == 1 && job->model == lm;
  }
  expect_near("gangs of 1", (double)singles / MANY, 0.7, sqrt(0.21 / MANY));
  expect_near("gangs of 2", (double)twos / MANY, 0.1, sqrt(0.09 / MANY));
  expect_near("LM", (double)lm_singles / singles, 0.75, sqrt(0.1875 / singles));
  workload_free(&w);
}

/* ---- presets ---- */

static void test_gavel_first_jobs(void **state) {
  static const double arrivals[] = {0, 978.344291641206, 978.344291641206 + 2828.755018475177,
                                    978.344291641206 + 2828.755018475177 + 1663.0714725091664};
  static const double steps[] = {1646636.2758419, 343170.46864225325, 16034.37819420177};
  struct workload_spec spec = {.preset = PRESET_GAVEL_CONTINUOUS, .n_jobs = 4, .lam_s = 3600};
  struct workload w;
  make(*state, &spec, &w);
  for (int i = 0; i < 4; i++)
    assert_true(w.trace.jobs[i].arrival_s == arrivals[i]);
  for (int i = 0; i < 3; i++)
    assert_true(w.trace.jobs[i].steps == steps[i]);
  assert_string_equal(w.models.at[w.trace.jobs[1].model], "Transformer (batch size 16)");
  workload_free(&w);
  spec.multi_gpu = true;
  make(*state, &spec, &w);
  assert_int_equal(w.trace.jobs[0].workers, 8);
  assert_true(w.trace.jobs[0].steps == 17484476.26110642);
  workload_free(&w);
}

/* Weights and deadlines come from their own draws: the weight from the job's stream, so that it
 * moves the jobs after it; the deadline from another, which moves nothing. */
static void test_gavel_weights_and_deadlines(void **state) {
  struct workload_spec spec = {
      .preset = PRESET_GAVEL_CONTINUOUS, .n_jobs = 2000, .multi_gpu = true};
  struct workload plain, slo, priority;
  make(*state, &spec, &plain);
  spec.slo = true;
  make(*state, &spec, &slo);
  spec.multi_priority = true;
  make(*state, &spec, &priority);
  int heavy = 0, tight = 0;
  for (int i = 0; i < spec.n_jobs; i++) {
    assert_true(slo.trace.jobs[i].steps == plain.trace.jobs[i].steps);
    assert_true(isnan(plain.trace.jobs[i].deadline_s) && plain.trace.jobs[i].weight == 1);
    double weight = priority.trace.jobs[i].weight;
    assert_true(weight == 1 || weight == 5);
    heavy += weight == 5;
    double rate =
        rates_thr(&((struct world *)*state)->rates, MISSING_REJECT, slo.trace.jobs[i].model,
                  names_find(&((struct world *)*state)->rates.types, "v100", 4),
                  slo.trace.jobs[i].workers, NULL);
    double factor = slo.trace.jobs[i].deadline_s / (slo.trace.jobs[i].steps / rate);
    tight += factor < 1.5;
    assert_true(fabs(factor - 1.2) < 1e-6 || fabs(factor - 2) < 1e-6 || fabs(factor - 10) < 1e-6);
  }
  assert_true(priority.trace.jobs[0].steps == plain.trace.jobs[0].steps);
  assert_true(priority.trace.jobs[1].steps != plain.trace.jobs[1].steps);
  expect_near("heavy jobs", heavy / 2000.0, 0.2, sqrt(0.16 / 2000));
  expect_near("tight deadlines", tight / 2000.0, 0.33, sqrt(0.2211 / 2000));
  workload_free(&plain);
  workload_free(&slo);
  workload_free(&priority);
}

static void test_gavel_needs_its_models(void **state) {
  (void)state;
  struct world lab;
  struct workload_spec spec = {.preset = PRESET_GAVEL, .n_jobs = 1, .n_durations = 1};
  struct workload w;
  struct hsim_error error = {.text = ""};
  bind_world(&lab, HSIM_SOURCE_DIR "/docs/examples/rates.csv", "fast=1x1");
  assert_int_equal(workload_make(&spec, &lab.rates, 0, &w, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text,
                      "Gavel's job table has ResNet-18 (batch size 16), which the rates "
                      "table lacks");
  free_world(&lab);
}

static void test_hadar_classes(void **state) {
  struct workload_spec spec = spec_of(one_gpu, 1, 6);
  struct workload w;
  spec.preset = PRESET_HADAR;
  make(*state, &spec, &w);
  int counts[4] = {0};
  for (int i = 0; i < MANY; i++) {
    double hours = w.durations_s[i] / 3600;
    int class = hours <= 1 ? 0 : hours <= 10 ? 1 : hours <= 50 ? 2 : 3;
    assert_true(hours <= 50 || hours > 59.99);
    counts[class]++;
  }
  for (int c = 0; c < 4; c++)
    expect_near("class", (double)counts[c] / MANY, 0.25, sqrt(0.1875 / MANY));
  workload_free(&w);
}

/* The quantiles of the table, within the sampling error of a share. */
static void test_themis_quantiles(void **state) {
  struct workload_spec spec = spec_of(one_gpu, 1, 7);
  struct workload w;
  spec.preset = PRESET_THEMIS;
  spec.n_apps = 2000;
  spec.n_jobs = INT32_MAX;
  spec.arrivals = (struct arrivals){.kind = ARRIVE_POISSON, .gap_s = 64800};
  make(*state, &spec, &w);
  static const double hours[] = {1.3, 2.3, 3.75, 5.6, 7.6}, jobs[] = {4, 20, 79, 87, 98},
                      shares[] = {0.1, 0.25, 0.5, 0.75, 0.9};
  int *sizes = calloc((size_t)spec.n_apps, sizeof *sizes);
  for (int i = 0; i < w.trace.n_jobs; i++)
    sizes[w.trace.jobs[i].app]++;
  for (int q = 0; q < 5; q++) {
    double error = sqrt(shares[q] * (1 - shares[q]));
    expect_near("hours", share_up_to(&w, hours[q] * 3600), shares[q], error / sqrt(w.trace.n_jobs));
    int below = 0;
    for (int a = 0; a < spec.n_apps; a++)
      below += sizes[a] <= jobs[q];
    /* Sizes are rounded: a knot's own value reaches half a job beyond it. */
    assert_true((double)below / spec.n_apps > shares[q] - 4 * error / sqrt(spec.n_apps));
    assert_true((double)below / spec.n_apps < shares[q] + 0.07);
  }
  expect_near("jobs in all", w.trace.n_jobs / 2000.0, 4697 / 84.0, 37 / sqrt(2000) + 1);
  free(sizes);
  workload_free(&w);
}

static void test_limit_of_jobs(void **state) {
  struct workload_spec spec = spec_of(one_gpu, 1, 7);
  struct workload w;
  spec.preset = PRESET_THEMIS;
  spec.n_apps = 100;
  spec.n_jobs = 50;
  make(*state, &spec, &w);
  assert_int_equal(w.trace.n_jobs, 50);
  workload_free(&w);
  spec.preset = PRESET_VODA;
  spec.n_jobs = 5;
  make(*state, &spec, &w);
  assert_int_equal(w.trace.n_jobs, 5);
  assert_true(w.trace.jobs[4].steps == 1250); /* the fifth kind is v: VGG16 */
  workload_free(&w);
}

/* Another seed gives other jobs; the same seed the same. */
static void test_seeds(void **state) {
  struct weighted gangs[] = {{1, 1}, {2, 1}};
  struct workload_spec spec = spec_of(gangs, 2, 8);
  struct workload a, b, c;
  spec.n_jobs = 200;
  spec.arrivals = (struct arrivals){.kind = ARRIVE_POISSON, .gap_s = 60};
  make(*state, &spec, &a);
  make(*state, &spec, &b);
  spec.seed = 9;
  make(*state, &spec, &c);
  int other = 0;
  for (int i = 0; i < 200; i++) {
    assert_true(a.trace.jobs[i].arrival_s == b.trace.jobs[i].arrival_s);
    assert_int_equal(a.trace.jobs[i].workers, b.trace.jobs[i].workers);
    other += a.trace.jobs[i].arrival_s != c.trace.jobs[i].arrival_s;
  }
  assert_true(other > 190);
  workload_free(&a);
  workload_free(&b);
  workload_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_poisson),
      cmocka_unit_test(test_diurnal),
      cmocka_unit_test(test_bursty),
      cmocka_unit_test(test_durations),
      cmocka_unit_test(test_impossible_range),
      cmocka_unit_test(test_gangs_and_models),
      cmocka_unit_test(test_gavel_first_jobs),
      cmocka_unit_test(test_gavel_weights_and_deadlines),
      cmocka_unit_test(test_gavel_needs_its_models),
      cmocka_unit_test(test_hadar_classes),
      cmocka_unit_test(test_themis_quantiles),
      cmocka_unit_test(test_limit_of_jobs),
      cmocka_unit_test(test_seeds),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
