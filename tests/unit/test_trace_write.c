/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces written in each format: random ones come back the same, bit by bit. */
#include <math.h>

#include "hsim/view.h"
#include "input_fixture.h"
#include "output/trace_write.h"

static void write_trace(struct world *world, const struct trace *trace, enum trace_target target,
                        const double *durations, int losses[N_LOSSES]) {
  struct out out;
  struct hsim_error error = {.text = ""};
  const struct trace_to_write from = {.trace = trace,
                                      .models = &world->rates.models,
                                      .cluster = &world->cluster.view,
                                      .durations_s = durations};
  assert_int_equal(out_open(&out, "w", &error), HSIM_OK);
  assert_int_equal(trace_write(&from, target, &out, losses, &error), HSIM_OK);
  assert_int_equal(out_commit(&out, &error), HSIM_OK);
}

static double anything(struct hsim_rng *rng, double most) {
  double x = hsim_rng_uniform(rng);
  return most * x * x * x * x;
}

/* Each column is there, absent, odd or usual by chance. */
static void fill(struct world *world, struct hsim_rng *rng, struct trace *trace) {
  int n = 1 + (int)hsim_rng_below(rng, 40), n_models = world->rates.models.n;
  uint64_t columns = hsim_rng_next(rng);
  *trace = (struct trace){.jobs = mem_zero((size_t)n, sizeof *trace->jobs), .n_jobs = n};
  for (int i = 0; i < n; i++) {
    char id[64];
    int length =
        snprintf(id, sizeof id, "%s%d%s", i % 3 == 0 ? " \"a,b\"\n" : "", i, i % 5 == 0 ? " " : "");
    bool odd = hsim_rng_below(rng, 2) == 0;
    struct hsim_job *job = &trace->jobs[i];
    *job = (struct hsim_job){.id = arena_text(&trace->texts, id, (size_t)length),
                             .arrival_s = (i > 0 ? job[-1].arrival_s : 0) + anything(rng, 1e4),
                             .steps = anything(rng, 1e9) + 1e-3,
                             .weight = columns & 1 && odd ? anything(rng, 10) + 0.1 : 1,
                             .priority = columns & 2 && odd ? -anything(rng, 10) : 0,
                             .deadline_s = columns & 4 && odd ? anything(rng, 1e6) : NAN,
                             .estimate_s = columns & 8 && odd ? anything(rng, 1e6) + 1 : NAN,
                             .gpu_types = columns & 16 && odd ? 1 + hsim_rng_below(rng, 7) : 7,
                             .model = (int)hsim_rng_below(rng, (uint64_t)n_models),
                             .workers = 1 + (int)hsim_rng_below(rng, 8),
                             .epochs = columns & 32 && odd ? 1 + (int)hsim_rng_below(rng, 90) : 0,
                             .tenant = -1,
                             .app = -1};
    job->min_workers = columns & 64 && odd ? 1 + (int)hsim_rng_below(rng, 3) : 1;
    job->max_workers = job->workers + (columns & 64 && odd ? 5 : 0);
    if (job->max_workers < job->min_workers)
      job->max_workers = job->min_workers;
    if (columns & 128 && odd)
      job->tenant = names_add(&trace->tenants, i % 2 ? "x\"y" : "a, b", i % 2 ? 3 : 4);
    if (columns & 256 && odd)
      job->app = names_add(&trace->apps, " app", 4);
    if (columns & 512 && odd) {
      struct hsim_phase *phases = arena_alloc(&trace->texts, 2 * sizeof *phases);
      phases[0] = (struct hsim_phase){anything(rng, 100) + 1, 0};
      phases[1] = (struct hsim_phase){phases[0].from_step + 1.5, n_models - 1};
      job->phases = phases;
      job->n_phases = 2;
    }
  }
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void expect_same_job(const struct trace *a, const struct trace *b, int i) {
  const struct hsim_job *x = &a->jobs[i], *y = &b->jobs[i];
  assert_string_equal(x->id, y->id);
  assert_true(x->arrival_s == y->arrival_s && x->steps == y->steps && x->weight == y->weight);
  assert_true(x->priority == y->priority && same(x->deadline_s, y->deadline_s));
  assert_true(same(x->estimate_s, y->estimate_s));
  assert_true(x->gpu_types == y->gpu_types && x->model == y->model && x->workers == y->workers);
  assert_true(x->min_workers == y->min_workers && x->max_workers == y->max_workers);
  assert_true(x->epochs == y->epochs && (x->tenant < 0) == (y->tenant < 0));
  if (x->tenant >= 0)
    assert_string_equal(a->tenants.at[x->tenant], b->tenants.at[y->tenant]);
  if (x->app >= 0)
    assert_string_equal(a->apps.at[x->app], b->apps.at[y->app]);
  assert_int_equal(x->n_phases, y->n_phases);
  for (int p = 0; p < x->n_phases; p++)
    assert_true(x->phases[p].from_step == y->phases[p].from_step &&
                x->phases[p].model == y->phases[p].model);
}

static void test_native_comes_back(void **state) {
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct hsim_rng rng;
    struct trace made, read;
    int losses[N_LOSSES], lost = 0;
    hsim_rng_init(&rng, seed, "trace_write");
    fill(*state, &rng, &made);
    write_trace(*state, &made, TARGET_NATIVE, NULL, losses);
    for (int l = 0; l < N_LOSSES; l++)
      lost += losses[l];
    assert_int_equal(lost, 0);
    struct trace_options options = options_for(*state, "w");
    read_ok(*state, &options, &read);
    print_message("%s", seed == 0 ? "seeds 0 to 299\n" : "");
    assert_int_equal(read.n_jobs, made.n_jobs);
    for (int i = 0; i < made.n_jobs; i++)
      expect_same_job(&made, &read, i);
    trace_free(&made);
    trace_free(&read);
  }
  unlink("w");
}

/* Gavel's columns keep model, whole steps, workers, weight and arrival. */
static void test_gavel_comes_back(void **state) {
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct hsim_rng rng;
    struct trace made, read;
    int losses[N_LOSSES], cut = 0;
    hsim_rng_init(&rng, seed, "trace_write");
    fill(*state, &rng, &made);
    write_trace(*state, &made, TARGET_GAVEL, NULL, losses);
    struct trace_options options = options_for(*state, "w");
    read_ok(*state, &options, &read);
    assert_string_equal(read.format, "gavel");
    assert_int_equal(read.n_jobs, made.n_jobs);
    for (int i = 0; i < made.n_jobs; i++) {
      const struct hsim_job *x = &made.jobs[i], *y = &read.jobs[i];
      assert_true(y->steps == fmax(floor(x->steps), 1) && y->arrival_s == x->arrival_s);
      assert_true(y->model == x->model && y->workers == x->workers && y->weight == x->weight);
      cut += y->steps != x->steps;
    }
    assert_int_equal(losses[LOSS_STEPS], cut);
    trace_free(&made);
    trace_free(&read);
  }
  unlink("w");
}

static void test_gavel_refuses_tabs(void **state) {
  (void)state;
  struct names models = {.n = 0};
  struct trace trace = {.n_jobs = 0};
  struct out out = {.fd = -1};
  struct hsim_error error = {.text = ""};
  int losses[N_LOSSES];
  names_add(&models, "a\tb", 3);
  const struct trace_to_write from = {.trace = &trace, .models = &models};
  assert_int_equal(trace_write(&from, TARGET_GAVEL, &out, losses, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text,
                      "model number 1 of the rates table has a tab or a line end in its "
                      "name: Gavel's format cannot hold it");
  names_free(&models);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_native_comes_back),
      cmocka_unit_test(test_gavel_comes_back),
      cmocka_unit_test(test_gavel_refuses_tabs),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
