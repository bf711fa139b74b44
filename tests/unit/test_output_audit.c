/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/auditor.h"

#include "output_random.h"

static enum hsim_status audit(struct world *w, struct hsim_error *error) {
  struct auditor *auditor = auditor_create(&w->info);
  enum hsim_status status = replay(w, auditor_sink(auditor), error);
  auditor_free(auditor);
  return status;
}

static void passes(struct world *w) {
  struct hsim_error error = {0};
  if (audit(w, &error) != HSIM_OK)
    fail_msg("%s", error.text);
}

/* The rule must be named, and everything in `subject`. */
static void breaks(struct world *w, const char *rule, const char *subject) {
  struct hsim_error error = {0};
  if (audit(w, &error) != HSIM_BUG)
    fail_msg("nothing is said about: %s", rule);
  assert_int_equal(error.status, HSIM_BUG);
  if (strstr(error.text, rule) == NULL || strstr(error.text, subject) == NULL)
    fail_msg("\"%s\" lacks \"%s\" or \"%s\"", error.text, rule, subject);
}

static void test_story_passes(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  w.trace.jobs[3].steps = 1e6;
  passes(&w);
  w.stream.n -= 6; /* a run that failed half-way is judged as far as it went */
  passes(&w);
  world_free(&w);
}

static void test_random_passes(void **state) {
  (void)state;
  int finishes = 0, moves = 0, downs = 0, ends_beyond = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct world w;
    world_init(&w);
    random_stream(&w, seed, 3 + (int)(seed % 60), seed % 4 == 0 ? 900 : 1e5);
    struct hsim_error error = {0};
    if (audit(&w, &error) != HSIM_OK)
      fail_msg("seed %llu: %s", (unsigned long long)seed, error.text);
    for (size_t i = 0; i < w.stream.n; i++) {
      const struct record *r = &w.stream.at[i];
      finishes += r->kind == RECORD_FINISH;
      moves += r->kind == RECORD_MIGRATE || r->kind == RECORD_RESIZE;
      downs += r->kind == RECORD_NODE_DOWN;
      ends_beyond += r->kind == RECORD_SEGMENT && r->stop < r->time;
    }
    world_free(&w);
  }
  assert_true(finishes > 1000 && moves > 1000 && downs > 100 && ends_beyond > 100);
}

/* Record `n` (from 0) of a kind. */
static struct record *find(struct world *w, enum record_kind kind, int n) {
  for (size_t i = 0; i < w->stream.n; i++) {
    if (w->stream.at[i].kind == kind && n-- == 0)
      return &w->stream.at[i];
  }
  fail_msg("no record of kind %d", (int)kind);
  return NULL;
}

static void drop(struct world *w, const struct record *r) {
  size_t i = (size_t)(r - w->stream.at);
  memmove(w->stream.at + i, r + 1, (--w->stream.n - i) * sizeof *r);
}

static void clone(struct world *w, const struct record *r, size_t at) {
  struct record copy = *r;
  say(w, RECORD_END, -1);
  memmove(w->stream.at + at + 1, w->stream.at + at, (w->stream.n - 1 - at) * sizeof *r);
  w->stream.at[at] = copy;
}

static struct hsim_gang *other_gang(struct world *w, struct record *r) {
  struct hsim_gang *gang = arena_alloc(&w->arena, sizeof *gang);
  *gang = *r->gang;
  r->gang = gang;
  return gang;
}

/* One wrong thing at a time in the story. */
typedef void (*spoiler)(struct world *w);

static void early_arrival(struct world *w) {
  w->trace.jobs[1].arrival_s = 111;
}
static void second_arrival(struct world *w) {
  struct record *r = find(w, RECORD_ARRIVE, 1);
  clone(w, r, (size_t)(r - w->stream.at) + 1);
}
static void no_arrival(struct world *w) {
  drop(w, find(w, RECORD_ARRIVE, 0));
}
static void back_in_time(struct world *w) {
  find(w, RECORD_ARRIVE, 2)->time = 109;
}
static void second_finish(struct world *w) {
  struct record *r = find(w, RECORD_FINISH, 1);
  clone(w, r, (size_t)(r - w->stream.at) + 1);
}
static void after_end(struct world *w) {
  say(w, RECORD_ROUND, -1);
}
static void no_finish(struct world *w) {
  drop(w, find(w, RECORD_FINISH, 0));
}
static void less_work(struct world *w) {
  w->trace.jobs[1].steps = 1000.01;
}
static void wrong_steps(struct world *w) {
  find(w, RECORD_SEGMENT, 3)->steps += 1;
}
static void too_productive(struct world *w) {
  find(w, RECORD_SEGMENT, 3)->productive += 20;
}
static void gap(struct world *w) {
  find(w, RECORD_SEGMENT, 3)->from += 1;
}
static void stop_late(struct world *w) {
  find(w, RECORD_SEGMENT, 3)->stop = 401;
}
static void works_after_finish(struct world *w) {
  struct record *r = find(w, RECORD_SEGMENT, 1);
  r->stop = 215;
  r->productive += 5;
  r->steps += 5 * 18;
}
static void no_segment(struct world *w) {
  drop(w, find(w, RECORD_SEGMENT, 3));
}
static void no_gang_end(struct world *w) {
  drop(w, find(w, RECORD_GANG_END, 3));
}
static void no_gang_begin(struct world *w) {
  drop(w, find(w, RECORD_GANG_BEGIN, 3));
}
static void end_on_others(struct world *w) {
  struct record *r = find(w, RECORD_GANG_END, 3);
  static const int gpus[] = {0, 1};
  other_gang(w, r)->gpus = gpus;
}
static void begin_twice(struct world *w) {
  struct record *r = find(w, RECORD_GANG_BEGIN, 3);
  clone(w, r, (size_t)(r - w->stream.at) + 1);
}
static void same_gpu(struct world *w) {
  struct hsim_gang *gang = GANG(w, 1, 0, 10, 0);
  find(w, RECORD_GANG_BEGIN, 2)->gang = gang;
}
static void wrong_size(struct world *w) {
  w->trace.jobs[3].workers = 3;
}
static void elastic_size(struct world *w) {
  w->info.elastic = true;
  w->trace.jobs[3].min_workers = 3;
  w->trace.jobs[3].max_workers = 4;
}
static void wrong_type(struct world *w) {
  w->trace.jobs[1].gpu_types = 1;
}
static void bad_share(struct world *w) {
  static const int gpus[] = {5, 4};
  other_gang(w, find(w, RECORD_GANG_BEGIN, 3))->gpus = gpus;
}
static void few_shares(struct world *w) {
  other_gang(w, find(w, RECORD_GANG_BEGIN, 3))->size = 3;
}
static void no_start(struct world *w) {
  drop(w, find(w, RECORD_START, 2));
}
static void start_twice(struct world *w) {
  struct record *r = find(w, RECORD_START, 2);
  clone(w, r, (size_t)(r - w->stream.at) + 1);
}
static void no_migration(struct world *w) {
  drop(w, find(w, RECORD_MIGRATE, 0));
}
static void as_resize(struct world *w) {
  find(w, RECORD_MIGRATE, 0)->kind = RECORD_RESIZE;
}
static void wrong_moved(struct world *w) {
  find(w, RECORD_MIGRATE, 0)->moved = 2;
}
static void wrong_preempt(struct world *w) {
  find(w, RECORD_MIGRATE, 0)->kind = RECORD_PREEMPT;
}
static void wait_early(struct world *w) {
  find(w, RECORD_WAIT, 1)->from = 129;
}
static void wait_running(struct world *w) {
  struct record *r = find(w, RECORD_SEGMENT, 2);
  r->kind = RECORD_WAIT;
  r->from = 250;
}
static void whole(struct world *w) {
  w->info.whole_steps = true;
  find(w, RECORD_SEGMENT, 0)->productive = 39.75;
  find(w, RECORD_SEGMENT, 0)->steps = 79.5;
}
static void no_such_job(struct world *w) {
  find(w, RECORD_FINISH, 0)->job = 4;
}
static void no_gang(struct world *w) {
  find(w, RECORD_SEGMENT, 0)->gang = NULL;
}

static void test_broken_rules(void **state) {
  (void)state;
  static const struct {
    spoiler spoil;
    const char *rule, *subject;
  } cases[] = {
      {early_arrival, "a job arrives when its trace says", "job j1"},
      {second_arrival, "a job arrives once", "job j1"},
      {no_arrival, "nothing happens to a job before it arrives", "time 100"},
      {back_in_time, "time never goes back", "job j2"},
      {second_finish, "each job ends once", "job j1"},
      {after_end, "nothing follows the end of a run", "time 400"},
      {no_finish, "a preemption is a job that is not done", "time 220"},
      {less_work, "work done is work asked", "job j1"},
      {wrong_steps, "steps are rate times productive seconds", "job j3, gang 0"},
      {too_productive, "busy time is at least stalled and productive time", "job j3"},
      {gap, "segments follow each other", "job j3"},
      {stop_late, "segments follow each other", "job j3"},
      {works_after_finish, "no job runs after it ended", "job j0"},
      {no_segment, "a gang ends as it began", "job j3"},
      {no_gang_end, "every gang that begins ends", "job j3"},
      {no_gang_begin, "a start is a job that held nothing and now runs", "job j3"},
      {end_on_others, "a gang ends as it began", "job j3"},
      {begin_twice, "a gang begins once", "job j3"},
      {same_gpu, "no GPU is used twice", "job j1, gang 0, node n0"},
      {wrong_size, "a gang has a size that its job may have", "job j3"},
      {elastic_size, "a gang has a size that its job may have", "job j"},
      {wrong_type, "a job runs on GPU types that it accepts only", "node n1"},
      {bad_share, "a placement is GPUs that exist", "job j3"},
      {few_shares, "a placement is GPUs that exist", "job j3"},
      {no_start, "a start is a job that held nothing and now runs", "job j3"},
      {start_twice, "a start is a job that held nothing and now runs", "job j3"},
      {no_migration, "resizes and migrations", "job j1"},
      {as_resize, "resizes and migrations", "job j1"},
      {wrong_moved, "resizes and migrations", "job j1"},
      {wrong_preempt, "a preemption is a job that is not done", "job j1"},
      {wait_early, "a job waits while it is active and holds nothing", "job j3"},
      {wait_running, "a job waits while it is active and holds nothing", "job j1"},
      {whole, "steps are whole numbers", "job j1"},
      {no_such_job, "a job's record names its job", "time 200"},
      {no_gang, "a gang's record names a gang", "job j1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct world w;
    world_init(&w);
    tell_story(&w);
    cases[i].spoil(&w);
    breaks(&w, cases[i].rule, cases[i].subject);
    world_free(&w);
  }
}

static void test_node_down(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  size_t at = (size_t)(find(&w, RECORD_ARRIVE, 3) - w.stream.at); /* 130, while j0 runs on n0 */
  clone(&w, &w.stream.at[at], at);
  struct record *r = &w.stream.at[at];
  *r = (struct record){.kind = RECORD_NODE_DOWN, .time = 130, .job = -1, .node = 0};
  breaks(&w, "nothing runs on a node that is down", "job j0, gang 0, node n0");
  r->node = 1; /* empty then, but j1 begins there at 150 */
  breaks(&w, "nothing runs on a node that is down", "time 150");
  world_free(&w);
}

static void begin(struct world *w, struct hsim_gang *gang, bool first) {
  say_gang(w, RECORD_START, gang)->counts = first;
  say_gang(w, RECORD_GANG_BEGIN, gang);
}

static void end(struct world *w, struct hsim_gang *gang, double from) {
  say_segment(w, gang, from, 0, w->now);
  say_gang(w, RECORD_GANG_END, gang);
}

/* Copies of any size on distinct nodes; then both on one node; then beside a plain gang. */
static void test_copies(void **state) {
  (void)state;
  for (int variant = 0; variant < 3; variant++) {
    struct world w;
    world_init(&w);
    add_job(&w, "B", 0, 1, 3000);
    struct hsim_gang *a = GANG(&w, 0, 1, 20, 0, 1), *b = GANG(&w, 0, 2, 10, 4);
    if (variant == 1)
      b = GANG(&w, 0, 2, 10, 2);
    if (variant == 2)
      b = GANG(&w, 0, 0, 10, 4);
    say(&w, RECORD_ARRIVE, 0);
    begin(&w, a, true);
    begin(&w, b, false);
    w.now = 100;
    end(&w, a, 0);
    end(&w, b, 0);
    say(&w, RECORD_FINISH, 0);
    say(&w, RECORD_END, -1);
    if (variant == 0)
      passes(&w);
    if (variant == 1)
      breaks(&w, "copies are on distinct nodes", "node n0");
    if (variant == 2)
      breaks(&w, "several gangs of a job are copies", "gang 0");
    world_free(&w);
  }
}

/* A pair on the same GPUs; the same without being partners; partners on other GPUs; a third. */
static void test_pairs(void **state) {
  (void)state;
  for (int variant = 0; variant < 4; variant++) {
    struct world w;
    world_init(&w);
    for (int j = 0; j < 3; j++)
      add_job(&w, "B", 0, 2, 1000);
    struct hsim_gang *a = GANG(&w, 0, 0, 10, 0, 1), *b = GANG(&w, 1, 0, 10, 0, 1);
    struct hsim_gang *c = GANG(&w, 2, 0, 10, 0, 1);
    if (variant == 2)
      b = GANG(&w, 1, 0, 10, 1, 2);
    a->partner = 1;
    b->partner = variant == 1 ? -1 : 0;
    c->partner = 0;
    for (int j = 0; j < 3; j++)
      say(&w, RECORD_ARRIVE, j);
    begin(&w, a, true);
    begin(&w, b, true);
    if (variant == 3)
      begin(&w, c, true);
    w.now = 100;
    end(&w, a, 0);
    say(&w, RECORD_FINISH, 0);
    end(&w, b, 0);
    say(&w, RECORD_FINISH, 1);
    say_wait(&w, 2, 0, HSIM_OUTRANKED);
    begin(&w, GANG(&w, 2, 0, 10, 0, 1), true);
    w.now = 200;
    end(&w, c, 100);
    say(&w, RECORD_FINISH, 2);
    say(&w, RECORD_END, -1);
    if (variant == 0)
      passes(&w);
    if (variant == 1)
      breaks(&w, "no GPU is used twice", "job j1");
    if (variant == 2)
      breaks(&w, "no GPU is used twice", "job j1");
    if (variant == 3)
      breaks(&w, "no GPU is used twice", "job j2");
    world_free(&w);
  }
}

/* Lost work: net steps count, and the raw work stays within what the time allows. */
static void test_lost_work(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "B", 0, 1, 1000);
  struct hsim_gang *a = GANG(&w, 0, 0, 10, 0), *b = GANG(&w, 0, 0, 10, 1);
  say(&w, RECORD_ARRIVE, 0);
  begin(&w, a, true);
  w.now = 60;
  end(&w, a, 0);
  struct record *lossy = &w.stream.at[w.stream.n - 2];
  lossy->steps = 400;
  lossy->lost_steps = 200;
  lossy->productive = 40;
  size_t lossy_at = w.stream.n - 2;
  say_gang(&w, RECORD_MIGRATE, b)->moved = 1;
  say_gang(&w, RECORD_GANG_BEGIN, b);
  w.now = 120;
  end(&w, b, 60);
  say(&w, RECORD_FINISH, 0);
  say(&w, RECORD_END, -1);
  passes(&w);
  w.stream.at[lossy_at].lost_steps = 201;
  breaks(&w, "steps are rate times productive seconds", "job j0");
  world_free(&w);
}

/* Whatever record of a valid stream is left out, doubled or shifted in time, the auditor neither
 * crashes nor, mostly, misses it. (Rounds and waits may go unnoticed.) */
static void test_random_damage(void **state) {
  (void)state;
  int missed = 0, damaged = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct world w;
    world_init(&w);
    random_stream(&w, seed, 20, 3000);
    uint64_t rng = seed * 977;
    struct record *r = &w.stream.at[roll_below(&rng, (int)w.stream.n)];
    enum record_kind kind = r->kind;
    if (seed % 2 == 0) {
      drop(&w, r);
    } else {
      clone(&w, r, (size_t)(r - w.stream.at));
    }
    struct hsim_error error = {0};
    bool harmless = kind == RECORD_ROUND || kind == RECORD_WAIT || kind == RECORD_END ||
                    kind == RECORD_NODE_DOWN || kind == RECORD_NODE_UP;
    enum hsim_status status = audit(&w, &error);
    damaged += !harmless;
    missed += !harmless && status == HSIM_OK;
    if (!harmless && status == HSIM_OK)
      print_message("seed %llu: kind %d not noticed\n", (unsigned long long)seed, (int)kind);
    world_free(&w);
  }
  print_message("%d of %d missed\n", missed, damaged);
  assert_true(damaged > 150 && missed * 10 < damaged);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_story_passes), cmocka_unit_test(test_random_passes),
      cmocka_unit_test(test_broken_rules), cmocka_unit_test(test_node_down),
      cmocka_unit_test(test_copies),       cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_lost_work),    cmocka_unit_test(test_random_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
