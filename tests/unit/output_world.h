/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small world for the tests of the output modules: a cluster, a table, a trace, and a stream of
 * records that can be written by hand or by a tiny random scheduler, changed, and replayed.
 */
#ifndef OUTPUT_WORLD_H
#define OUTPUT_WORLD_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/cluster.h"
#include "model/memory.h"
#include "model/rates.h"
#include "model/record.h"
#include "model/semantics.h"
#include "model/trace.h"

struct stream {
  struct record *at;
  size_t n, capacity;
};

struct world {
  struct cluster cluster;
  struct rates rates;
  struct semantics semantics;
  struct hsim_oracle oracle;
  struct trace trace;
  size_t jobs_capacity;
  struct run_info info;
  struct stream stream;
  struct arena arena;
  double now;
};

/* n0: 4 v100 (GPUs 0-3); n1: 2 v100 (4, 5) and 2 k80 (6, 7).
 * Model A: v100 10, 18, 30 and k80 2, 3.6, 6 steps per second on 1, 2, 4 GPUs; B: v100 only,
 * linear. */
__attribute__((unused)) static void world_init(struct world *w) {
  memset(w, 0, sizeof *w);
  struct hsim_error error = {0};
  assert_int_equal(cluster_add_node(&w->cluster, NULL, NULL, 0, &error), HSIM_OK);
  assert_int_equal(cluster_add_bay(&w->cluster, "v100", 4, &error), HSIM_OK);
  assert_int_equal(cluster_add_node(&w->cluster, NULL, NULL, 0, &error), HSIM_OK);
  assert_int_equal(cluster_add_bay(&w->cluster, "v100", 2, &error), HSIM_OK);
  assert_int_equal(cluster_add_bay(&w->cluster, "k80", 2, &error), HSIM_OK);
  assert_int_equal(cluster_finish(&w->cluster, "small", &error), HSIM_OK);
  static const double v100[] = {10, 18, 30}, k80[] = {2, 3.6, 6}, linear[] = {10, 20, 40};
  for (int i = 0; i < 3; i++) {
    rates_add(&w->rates, "v100", "A", 1 << i, true, v100[i], &error);
    rates_add(&w->rates, "k80", "A", 1 << i, true, k80[i], &error);
    rates_add(&w->rates, "v100", "B", 1 << i, true, linear[i], &error);
    rates_add(&w->rates, "k80", "B", 1 << i, true, 0.0, &error);
  }
  assert_int_equal(rates_finish(&w->rates, &error), HSIM_OK);
  assert_int_equal(semantics_preset("default", &w->semantics, &error), HSIM_OK);
  oracle_init(&w->oracle, &w->rates, &w->cluster.view, &w->semantics);
  w->info = (struct run_info){.policy = "test",
                              .trace = &w->trace,
                              .rates = &w->rates,
                              .cluster = &w->cluster.view,
                              .oracle = &w->oracle,
                              .mode = RUN_ROUND,
                              .round_s = 360};
  w->now = 0;
}

__attribute__((unused)) static void world_free(struct world *w) {
  cluster_free(&w->cluster);
  rates_free(&w->rates);
  semantics_free(&w->semantics);
  free(w->trace.jobs);
  names_free(&w->trace.apps);
  names_free(&w->trace.tenants);
  arena_free(&w->trace.texts);
  free(w->stream.at);
  arena_free(&w->arena);
}

__attribute__((unused)) static struct hsim_job *add_job(struct world *w, const char *model,
                                                        double arrival, int workers, double steps) {
  int n = w->trace.n_jobs++;
  w->trace.jobs = mem_grow(w->trace.jobs, (size_t)n + 1, &w->jobs_capacity, sizeof *w->trace.jobs);
  char id[16];
  snprintf(id, sizeof id, "j%d", n);
  w->trace.jobs[n] = (struct hsim_job){.id = arena_text(&w->arena, id, strlen(id)),
                                       .arrival_s = arrival,
                                       .steps = steps,
                                       .weight = 1,
                                       .deadline_s = NAN,
                                       .estimate_s = NAN,
                                       .gpu_types = ~(uint64_t)0,
                                       .model = names_find(&w->rates.models, model, strlen(model)),
                                       .workers = workers,
                                       .min_workers = 1,
                                       .max_workers = workers,
                                       .tenant = -1,
                                       .app = -1,
                                       .row = n + 1};
  return &w->trace.jobs[n];
}

/* A gang on these GPUs, ascending, ended by -1. */
__attribute__((unused)) static struct hsim_gang *gang_on(struct world *w, int job, int copy,
                                                         double rate, const int *gpus, int n) {
  const struct hsim_cluster *cluster = &w->cluster.view;
  struct hsim_gang *gang = arena_alloc(&w->arena, sizeof *gang);
  int *own = arena_alloc(&w->arena, (size_t)(n + 1) * sizeof *own);
  struct hsim_share *shares = arena_alloc(&w->arena, (size_t)(n + 1) * sizeof *shares);
  int n_shares = 0;
  for (int i = 0; i < n; i++) {
    int bay = 0;
    own[i] = gpus[i];
    while (gpus[i] >= cluster->bays[bay].first_gpu + cluster->bays[bay].gpus)
      bay++;
    if (n_shares == 0 || shares[n_shares - 1].bay != bay)
      shares[n_shares++] = (struct hsim_share){bay, 0};
    shares[n_shares - 1].gpus++;
  }
  *gang = (struct hsim_gang){.job = job,
                             .copy = copy,
                             .partner = -1,
                             .size = n,
                             .n_shares = n_shares,
                             .shares = shares,
                             .gpus = own,
                             .rate = rate,
                             .max_steps = INFINITY};
  return gang;
}

#define GANG(w, job, copy, rate, ...)                                                              \
  gang_on(w, job, copy, rate, (const int[]){__VA_ARGS__},                                          \
          (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))

__attribute__((unused)) static struct record *say(struct world *w, enum record_kind kind, int job) {
  struct stream *s = &w->stream;
  s->at = mem_grow(s->at, s->n + 1, &s->capacity, sizeof *s->at);
  s->at[s->n] = (struct record){
      .kind = kind, .time = w->now, .job = job, .node = -1, .counts = true, .detail = ""};
  return &s->at[s->n++];
}

__attribute__((unused)) static struct record *say_gang(struct world *w, enum record_kind kind,
                                                       const struct hsim_gang *gang) {
  struct record *r = say(w, kind, gang->job);
  r->gang = gang;
  r->copy = gang->copy;
  return r;
}

/* A segment that ends now: `stall` seconds lost, progress until `stop`. */
__attribute__((unused)) static struct record *
say_segment(struct world *w, const struct hsim_gang *gang, double from, double stall, double stop) {
  struct record *r = say_gang(w, RECORD_SEGMENT, gang);
  r->from = from;
  r->stall = stall;
  r->stop = stop;
  r->productive = stop - from - stall;
  r->steps = gang->rate * r->productive;
  return r;
}

__attribute__((unused)) static struct record *say_wait(struct world *w, int job, double from,
                                                       enum hsim_reason reason) {
  struct record *r = say(w, RECORD_WAIT, job);
  r->from = from;
  r->reason = reason;
  return r;
}

__attribute__((unused)) static enum hsim_status replay(const struct world *w, struct sink sink,
                                                       struct hsim_error *error) {
  for (size_t i = 0; i < w->stream.n && sink.record != NULL; i++)
    sink.record(sink.state, &w->stream.at[i]);
  return sink.end == NULL ? HSIM_OK : sink.end(sink.state, error);
}

/* What a file holds, to be freed. */
__attribute__((unused)) static char *slurp(FILE *file) {
  fflush(file);
  rewind(file);
  size_t n = 0, capacity = 0;
  char *text = NULL;
  do {
    text = mem_grow(text, n + 4097, &capacity, 1);
    size_t got = fread(text + n, 1, 4096, file);
    if (got == 0)
      break;
    n += got;
  } while (true);
  text[n] = '\0';
  return text;
}

/* splitmix64 (Vigna), enough for tests. */
__attribute__((unused)) static uint64_t roll(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}
__attribute__((unused)) static int roll_below(uint64_t *state, int n) {
  return (int)(roll(state) % (uint64_t)n);
}

/* The story that the tests know by heart:
 * j0 (2 workers, 1800 steps) runs 100-210 on GPUs 0, 1, which stay with its round until 220;
 * j1 (1 worker, 1000 steps) waits 110-150, runs on 6 (k80), at 200 moves to 2, ends at 302;
 * j2 is rejected at 120; j3 waits 130-250, then runs on 4, 5 until the clock stops at 400. */
__attribute__((unused)) static void tell_story(struct world *w) {
  add_job(w, "A", 100, 2, 1800);
  add_job(w, "A", 110, 1, 1000);
  add_job(w, "A", 120, 4, 300);
  add_job(w, "A", 130, 2, 1e6);
  struct hsim_gang *g0 = GANG(w, 0, 0, 18, 0, 1), *g1 = GANG(w, 1, 0, 2, 6);
  struct hsim_gang *g1b = GANG(w, 1, 0, 10, 2), *g3 = GANG(w, 3, 0, 18, 4, 5);
  w->now = 100;
  say(w, RECORD_ARRIVE, 0);
  say(w, RECORD_ROUND, -1)->count = 1;
  say_gang(w, RECORD_START, g0);
  say_gang(w, RECORD_GANG_BEGIN, g0);
  w->now = 110;
  say(w, RECORD_ARRIVE, 1);
  w->now = 120;
  say(w, RECORD_ARRIVE, 2);
  say(w, RECORD_REJECT, 2)->detail = "no type holds 4, \"sorry\"";
  w->now = 130;
  say(w, RECORD_ARRIVE, 3);
  w->now = 150;
  say(w, RECORD_ROUND, -1)->count = 2;
  say_wait(w, 1, 110, HSIM_OUTRANKED);
  say_gang(w, RECORD_START, g1);
  say_gang(w, RECORD_GANG_BEGIN, g1);
  w->now = 200;
  say_segment(w, g1, 150, 10, 200);
  say_gang(w, RECORD_GANG_END, g1);
  say_gang(w, RECORD_MIGRATE, g1b)->moved = 1;
  say_gang(w, RECORD_GANG_BEGIN, g1b);
  w->now = 210;
  say(w, RECORD_FINISH, 0);
  w->now = 220;
  say_segment(w, g0, 100, 10, 210);
  say_gang(w, RECORD_GANG_END, g0);
  w->now = 250;
  say_wait(w, 3, 130, HSIM_NO_CAPACITY);
  say_gang(w, RECORD_START, g3);
  say_gang(w, RECORD_GANG_BEGIN, g3);
  w->now = 302;
  say_segment(w, g1b, 200, 10, 302);
  say_gang(w, RECORD_GANG_END, g1b);
  say(w, RECORD_FINISH, 1);
  w->now = 400;
  say_segment(w, g3, 250, 10, 400);
  say_gang(w, RECORD_GANG_END, g3);
  say(w, RECORD_END, -1);
}

#endif
