/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/metrics.h"

#include "output/fairness.h"
#include "output/ideal.h"
#include "output_random.h"

static uint64_t last_seed; /* for a failure's message; 0: not a random test */

static void near(double value, double expected) {
  if (isnan(expected) && isnan(value))
    return;
  if (fabs(value - expected) <= 1e-9 * fmax(1.0, fabs(expected)))
    return;
  fail_msg("%.17g, expected %.17g (seed %llu)", value, expected, (unsigned long long)last_seed);
}

static void figures_of(struct world *w, int from, int to, struct figures *f) {
  struct metrics *metrics = metrics_create(&w->info, from, to);
  replay(w, metrics_sink(metrics), NULL);
  metrics_figures(metrics, f);
  metrics_free(metrics);
}

static void test_story(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  struct metrics *metrics = metrics_create(&w.info, 0, 4);
  replay(&w, metrics_sink(metrics), NULL);
  struct figures f;
  metrics_figures(metrics, &f);
  assert_int_equal(f.finished, 2);
  assert_int_equal(f.rejected, 1);
  assert_int_equal(f.dropped, 0);
  assert_int_equal(f.unfinished, 1);
  near(f.end_s, 400);
  near(f.makespan_s, 202);
  near(f.jct.mean, 151);
  near(f.jct.p50, 110);
  near(f.jct.p90, 192);
  near(f.jct.max, 192);
  near(f.queueing.mean, 20);
  near(f.queueing.p50, 0);
  near(f.slowdown.mean, (1.1 + 1.92) / 2);
  /* T_id = 125 for both, whatever N: the share exceeds what they can use. */
  near(f.rho.mean, (0.88 + 1.536) / 2);
  near(f.rho.max, 1.536);
  near(f.unfair_fraction, 0.5);
  near(f.jain, 2.416 * 2.416 / (2 * (0.88 * 0.88 + 1.536 * 1.536)));
  /* 8 GPUs for 202 s; j3's last 98 s come after the last finish. */
  near(f.held, (240.0 + 152 + 104) / 1616);
  near(f.busy, (220.0 + 152 + 104) / 1616);
  near(f.productive, (200.0 + 132 + 84) / 1616);
  near(f.held_by_type[0], 446.0 / 1212);
  near(f.held_by_type[1], 50.0 / 404);
  near(f.node_mean, (322.0 / 808 + 154.0 / 808) / 2);
  assert_int_equal(f.rounds, 3);
  assert_int_equal(f.starts, 3);
  assert_int_equal(f.preemptions, 0);
  assert_int_equal(f.migrations, 1);
  assert_int_equal(f.moved_workers, 1);
  near(f.wait_s[HSIM_OUTRANKED], 40);
  near(f.wait_s[HSIM_NO_CAPACITY], 120);
  near(f.wait_s[HSIM_PRICE], 0);
  assert_int_equal(f.n_rejected_by, 1);
  assert_string_equal(f.rejected_by[0].text, "no type holds 4, \"sorry\"");
  assert_int_equal(f.rejected_by[0].n, 1);
  metrics_free(metrics);
  world_free(&w);
}

static void test_window(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  struct figures f;
  figures_of(&w, 1, 3, &f);
  assert_int_equal(f.finished, 1);
  assert_int_equal(f.rejected, 1);
  assert_int_equal(f.unfinished, 0);
  near(f.makespan_s, 192);
  near(f.jct.mean, 192);
  near(f.rho.mean, 1.536);
  assert_int_equal(f.starts, 1);
  near(f.wait_s[HSIM_OUTRANKED], 40);
  near(f.wait_s[HSIM_NO_CAPACITY], 0);
  assert_int_equal(f.rounds, 3);
  near(f.held, 496.0 / 1616);
  world_free(&w);
}

static void test_nothing(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "A", 5, 1, 10);
  w.now = 5;
  say(&w, RECORD_ARRIVE, 0);
  say(&w, RECORD_DROP, 0)->detail = "five failed rounds";
  say(&w, RECORD_END, -1);
  struct figures f;
  figures_of(&w, 0, 1, &f);
  assert_int_equal(f.dropped, 1);
  assert_true(isnan(f.makespan_s) && isnan(f.jct.mean) && isnan(f.jct.max) && isnan(f.rho.mean));
  assert_true(isnan(f.held) && isnan(f.node_mean) && isnan(f.held_by_type[0]) && isnan(f.jain));
  near(f.end_s, 5);
  world_free(&w);
}

/* n1 (4 GPUs) is down from 50 to 150 of the 200 s, and again after the last finish. */
static void test_nodes_down(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "B", 0, 4, 8000);
  struct hsim_gang *gang = GANG(&w, 0, 0, 40, 0, 1, 2, 3);
  say(&w, RECORD_ARRIVE, 0);
  say_gang(&w, RECORD_START, gang);
  say_gang(&w, RECORD_GANG_BEGIN, gang);
  w.now = 50;
  say(&w, RECORD_NODE_DOWN, -1)->node = 1;
  w.now = 150;
  say(&w, RECORD_NODE_UP, -1)->node = 1;
  w.now = 200;
  say_segment(&w, gang, 0, 0, 200);
  say_gang(&w, RECORD_GANG_END, gang);
  say(&w, RECORD_FINISH, 0);
  w.now = 300;
  say(&w, RECORD_NODE_DOWN, -1)->node = 0;
  say(&w, RECORD_END, -1);
  struct figures f;
  figures_of(&w, 0, 1, &f);
  near(f.held, 800.0 / (800 + 400));
  near(f.held_by_type[0], 800.0 / (4 * 200 + 2 * 100));
  near(f.held_by_type[1], 0);
  near(f.node_mean, 0.5);
  near(f.slowdown.mean, 1);
  world_free(&w);
}

/* Two copies at once: GPU-seconds add up, one start. A pair: shared GPUs count once. */
static void test_copies_and_pairs(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "B", 0, 1, 1000);
  add_job(&w, "B", 0, 1, 1000);
  struct hsim_gang *a = GANG(&w, 0, 1, 10, 0), *b = GANG(&w, 0, 2, 10, 4);
  say(&w, RECORD_ARRIVE, 0);
  say(&w, RECORD_ARRIVE, 1);
  say_gang(&w, RECORD_START, a);
  say_gang(&w, RECORD_START, b)->counts = false;
  say_gang(&w, RECORD_GANG_BEGIN, a);
  say_gang(&w, RECORD_GANG_BEGIN, b);
  w.now = 50;
  say_segment(&w, a, 0, 0, 50);
  say_gang(&w, RECORD_GANG_END, a);
  say_segment(&w, b, 0, 0, 50);
  say_gang(&w, RECORD_GANG_END, b);
  say(&w, RECORD_FINISH, 0);
  struct figures f;
  figures_of(&w, 0, 2, &f);
  near(f.held, 100.0 / 400);
  assert_int_equal(f.starts, 1);
  w.stream.n = 0;
  w.now = 0;
  struct hsim_gang *c = GANG(&w, 0, 0, 10, 0), *d = GANG(&w, 1, 0, 5, 0);
  c->partner = 1;
  d->partner = 0;
  w.now = 100;
  say_segment(&w, c, 0, 0, 100);
  say_segment(&w, d, 0, 0, 100);
  say(&w, RECORD_FINISH, 0);
  figures_of(&w, 0, 2, &f);
  near(f.held, 100.0 / 800);
  near(f.node_mean, 0.5 * 100.0 / 400);
  world_free(&w);
}

struct ends {
  const double *end;
};
static struct job_fate end_of(const void *state, int j) {
  const struct ends *ends = state;
  return (struct job_fate){NAN, ends->end[j], !isnan(ends->end[j])};
}

/* 6 usable GPUs, rate linear in workers; one app, N = 1, g = 6 (the k80 do nothing but take up
 * time in the capped share, which exceeds 1: 6/8 of full speed). */
static void test_app_of_many(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  const char *name = "sweep";
  int app = names_add(&w.trace.apps, name, strlen(name));
  for (int j = 0; j < 3; j++)
    add_job(&w, "B", 0, 2, 8000)->app = app;
  struct ideal ideal;
  ideal_init(&ideal, &w.oracle);
  double rho[3], end[] = {100, 900, 500};
  struct ends ends = {end};
  struct fairness_input input = {.trace = &w.trace,
                                 .ideal = &ideal,
                                 .end_s = 900,
                                 .from = 0,
                                 .to = 3,
                                 .state = &ends,
                                 .job = end_of};
  /* sum U = 3 * 800 GPU-s / 6 = 400; max T = 400 s / (6/8) = 533.3 */
  assert_int_equal(fairness_rho(&input, rho, NULL), 1);
  near(rho[0], 900.0 / (400.0 * 8 / 6));
  double of_jobs[6];
  fairness_rho_of_jobs(&input, of_jobs);
  for (int j = 0; j < 3; j++)
    near(of_jobs[j], rho[0]);
  /* Six jobs: sum U = 800 counts. */
  for (int j = 0; j < 3; j++)
    add_job(&w, "B", 0, 2, 8000)->app = app;
  double end6[] = {100, 200, 300, 1600, 400, 500};
  ends.end = end6;
  input.to = 6;
  input.end_s = 1600;
  assert_int_equal(fairness_rho(&input, rho, NULL), 1);
  near(rho[0], 1600.0 / 800);
  /* With one of them unfinished the app has not ended. */
  end6[2] = NAN;
  assert_int_equal(fairness_rho(&input, rho, NULL), 0);
  fairness_rho_of_jobs(&input, of_jobs);
  for (int j = 0; j < 6; j++)
    assert_true(isnan(of_jobs[j]));
  ideal_free(&ideal);
  world_free(&w);
}

static void test_ideal(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  struct ideal ideal;
  ideal_init(&ideal, &w.oracle);
  struct hsim_job job = *add_job(&w, "A", 0, 2, 360);
  near(ideal_s(&ideal, &job), 20);
  job.gpu_types = 2; /* k80 */
  near(ideal_s(&ideal, &job), 100);
  job.gpu_types = 3;
  /* 180 steps as A, 180 as B: on v100 10 + 9 s. */
  struct hsim_phase phase = {180, names_find(&w.rates.models, "B", 1)};
  job.phases = &phase;
  job.n_phases = 1;
  near(ideal_s(&ideal, &job), 19);
  job.gpu_types = 2; /* B cannot run on k80 */
  assert_true(isnan(ideal_s(&ideal, &job)));
  assert_true(isinf(ideal_share_s(&ideal, &job, 1, true)));
  job.n_phases = 0;
  job.gpu_types = 3;
  /* n = 16: x = 6/32, 2/32 */
  near(ideal_share_s(&ideal, &job, 16, true), 360 / (18 * 6.0 / 32 + 3.6 * 2.0 / 32));
  near(ideal_share_s(&ideal, &job, 1, true), 360 / 14.4);
  near(ideal_share_s(&ideal, &job, 1, false), 360 / (18 * 3 + 3.6 * 1));
  for (int workers = 1; workers < 300; workers++) { /* the table grows */
    job.workers = workers;
    double once = ideal_s(&ideal, &job), again = ideal_s(&ideal, &job);
    assert_true(once == again || (isnan(once) && isnan(again)));
  }
  job.workers = 2;
  near(ideal_s(&ideal, &job), 20);
  ideal_free(&ideal);
  world_free(&w);
}

static void test_quantiles(void **state) {
  (void)state;
  double values[100];
  for (int i = 0; i < 100; i++)
    values[i] = 100 - i;
  struct quantiles q = quantiles_of(values, 100);
  near(q.p50, 50);
  near(q.p90, 90);
  near(q.p99, 99);
  near(q.max, 100);
  double ten[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
  q = quantiles_of(ten, 10);
  near(q.p50, 5);
  near(q.p90, 9);
  near(q.p99, 10);
  near(q.mean, 5.5);
  double one[] = {7};
  q = quantiles_of(one, 1);
  near(q.p50, 7);
  near(q.p99, 7);
}

/* More reasons than the summary shows are one: "other". */
static void test_many_reasons(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  char texts[40][24];
  for (int j = 0; j < 40; j++) {
    add_job(&w, "A", 0, 1, 1);
    snprintf(texts[j], sizeof texts[j], "reason %d", j);
    say(&w, RECORD_ARRIVE, j);
    say(&w, RECORD_REJECT, j)->detail = texts[j];
  }
  struct metrics *metrics = metrics_create(&w.info, 0, 40);
  replay(&w, metrics_sink(metrics), NULL);
  struct figures f;
  metrics_figures(metrics, &f);
  assert_int_equal(f.n_rejected_by, 17);
  assert_string_equal(f.rejected_by[16].text, "other");
  assert_int_equal(f.rejected_by[16].n, 24);
  metrics_free(metrics);
  world_free(&w);
}

/* The same figures, slowly: from the whole stream at once, by the words of the definitions. */
struct naive {
  struct world *w;
  double end[200], start[200], end_s, last_finish;
  bool finished[200];
};

static void naive_read(struct naive *n, struct world *w) {
  *n = (struct naive){.w = w};
  n->last_finish = NAN;
  for (int j = 0; j < w->trace.n_jobs; j++) {
    n->end[j] = n->start[j] = NAN;
    n->finished[j] = false;
  }
  for (size_t i = 0; i < w->stream.n; i++) {
    const struct record *r = &w->stream.at[i];
    if (r->kind == RECORD_START && isnan(n->start[r->job]))
      n->start[r->job] = r->time;
    if (r->kind == RECORD_FINISH || r->kind == RECORD_REJECT)
      n->end[r->job] = r->time;
    if (r->kind == RECORD_FINISH)
      n->finished[r->job] = true;
    if (r->kind == RECORD_FINISH)
      n->last_finish = r->time;
    if (r->kind == RECORD_END)
      n->end_s = r->time;
  }
}

static bool same_app(const struct naive *n, int a, int b) {
  int app = n->w->trace.jobs[a].app;
  return a == b || (app >= 0 && app == n->w->trace.jobs[b].app);
}

/* Life of the app of job j; false unless all its jobs ended and one finished. */
static bool naive_life(const struct naive *n, int j, double *begin, double *end) {
  bool ended = true, any = false;
  *begin = INFINITY;
  *end = -INFINITY;
  for (int k = 0; k < n->w->trace.n_jobs; k++) {
    if (!same_app(n, j, k))
      continue;
    *begin = fmin(*begin, n->w->trace.jobs[k].arrival_s);
    *end = fmax(*end, isnan(n->end[k]) ? 1e18 : n->end[k]);
    ended = ended && !isnan(n->end[k]);
    any = any || n->finished[k];
  }
  return ended && any;
}

static bool is_first(const struct naive *n, int j) {
  for (int k = 0; k < j; k++) {
    if (same_app(n, j, k))
      return false;
  }
  return true;
}

static double naive_rho(const struct naive *n, int j) {
  double begin, end, other_begin, other_end, overlap = 0;
  if (!is_first(n, j) || !naive_life(n, j, &begin, &end))
    return NAN;
  for (int k = 0; k < n->w->trace.n_jobs; k++) {
    if (!is_first(n, k))
      continue;
    naive_life(n, k, &other_begin, &other_end);
    overlap += fmax(0, fmin(end, other_end) - fmax(begin, other_begin));
  }
  double apps = overlap / (end - begin), sum = 0, longest = 0;
  for (int k = 0; k < n->w->trace.n_jobs; k++) {
    if (!same_app(n, j, k) || !n->finished[k])
      continue;
    const struct hsim_job *job = &n->w->trace.jobs[k];
    double v = oracle_thr(&n->w->oracle, job->model, 0, job->workers, NULL);
    double c = oracle_thr(&n->w->oracle, job->model, 1, job->workers, NULL);
    double xv = 6 / apps / job->workers, xc = 2 / apps / job->workers;
    double scale = xv + xc > 1 ? 1 / (xv + xc) : 1;
    sum += job->steps / (v * xv + c * xc);
    longest = fmax(longest, job->steps / (v * xv * scale + c * xc * scale));
  }
  return (end - begin) / fmax(sum, longest);
}

static double naive_quantile(const double *values, int n, double q) {
  double best = INFINITY;
  for (int i = 0; i < n; i++) {
    int below = 0;
    for (int k = 0; k < n; k++)
      below += values[k] <= values[i];
    if (below >= q * n - 1e-9)
      best = fmin(best, values[i]);
  }
  return best;
}

static void naive_usage(const struct naive *n, double out[3]) {
  double first = n->w->trace.jobs[0].arrival_s, up[2] = {0, 0};
  bool down[2] = {false, false};
  double since[2] = {first, first};
  out[0] = out[1] = out[2] = 0;
  for (size_t i = 0; i < n->w->stream.n; i++) {
    const struct record *r = &n->w->stream.at[i];
    if (r->kind == RECORD_SEGMENT) {
      double limit = n->last_finish, whole = r->stop - r->from - r->stall;
      double moving = fmin(r->stop, limit) - r->from - r->stall;
      out[0] += fmax(0, fmin(r->time, limit) - r->from) * r->gang->size;
      out[1] += fmax(0, fmin(r->stop, limit) - r->from) * r->gang->size;
      if (moving > 0)
        out[2] += r->productive * moving / whole * r->gang->size;
    }
    bool change = r->kind == RECORD_NODE_DOWN || r->kind == RECORD_NODE_UP;
    if (!change)
      continue;
    double t = fmin(fmax(r->time, first), n->last_finish);
    if (r->kind == RECORD_NODE_DOWN)
      up[r->node] += t - since[r->node];
    since[r->node] = t;
    down[r->node] = r->kind == RECORD_NODE_DOWN;
  }
  for (int i = 0; i < 2; i++)
    up[i] += down[i] ? 0 : n->last_finish - since[i];
  for (int i = 0; i < 3; i++)
    out[i] /= 4 * (up[0] + up[1]);
}

static void compare_random(uint64_t seed) {
  struct world w;
  world_init(&w);
  random_stream(&w, seed, 3 + (int)(seed % 60), seed % 4 == 0 ? 900 : 1e5);
  struct figures f;
  figures_of(&w, 0, w.trace.n_jobs, &f);
  struct naive n;
  naive_read(&n, &w);
  double jct[200], rho[200], sum = 0, usage[3];
  int finished = 0, apps = 0;
  for (int j = 0; j < w.trace.n_jobs; j++) {
    double r = naive_rho(&n, j);
    if (!isnan(r))
      rho[apps++] = r;
    if (!n.finished[j])
      continue;
    jct[finished] = n.end[j] - w.trace.jobs[j].arrival_s;
    sum += jct[finished++];
  }
  assert_int_equal(f.finished, finished);
  assert_int_equal(f.finished + f.rejected + f.dropped + f.unfinished, w.trace.n_jobs);
  assert_int_equal(f.rho.n, apps);
  if (finished > 0) {
    near(f.jct.mean, sum / finished);
    near(f.jct.p90, naive_quantile(jct, finished, 0.9));
    near(f.jct.p99, naive_quantile(jct, finished, 0.99));
    naive_usage(&n, usage);
    near(f.held, usage[0]);
    near(f.busy, usage[1]);
    near(f.productive, usage[2]);
  }
  if (apps > 0) {
    near(f.rho.p50, naive_quantile(rho, apps, 0.5));
    near(f.rho.max, naive_quantile(rho, apps, 1));
  }
  world_free(&w);
}

static void test_random(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 150; seed++) {
    last_seed = seed;
    compare_random(seed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_story),
      cmocka_unit_test(test_window),
      cmocka_unit_test(test_nothing),
      cmocka_unit_test(test_nodes_down),
      cmocka_unit_test(test_copies_and_pairs),
      cmocka_unit_test(test_app_of_many),
      cmocka_unit_test(test_ideal),
      cmocka_unit_test(test_quantiles),
      cmocka_unit_test(test_many_reasons),
      cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
