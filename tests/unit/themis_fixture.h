/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Themis' market without an engine: a cluster of one GPU type, apps whose jobs scale linearly but
 * for their placement, what they hold, and one decision.
 */
#ifndef HSIM_TESTS_THEMIS_FIXTURE_H
#define HSIM_TESTS_THEMIS_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/core.h"
#include "model/cluster.h"
#include "model/memory.h"
#include "policy/themis/bundle.h"
#include "policy/themis/market.h"

enum { FIXTURE_APPS = 64, FIXTURE_JOBS = 8 };

/* Efficiencies at slot, node, rack, cluster. */
static const double VGG16[4] = {1, 1, 0.72, 0.52};
static const double INCEPTION[4] = {1, 1, 0.98, 0.96};
static const double ALEXNET[4] = {1, 1, 0.80, 0.64};

struct fixture_work {
  double work; /* GPU-seconds */
  const double *efficiency;
};

struct fixture {
  struct cluster cluster;
  struct hsim_core core;
  struct engine_config config;
  struct hsim_view view;
  struct themis_settings settings;
  struct themis_roster roster;
  struct themis_market market;
  struct fixture_work works[FIXTURE_APPS][FIXTURE_JOBS];
  int n;
};

/* As after themis_settings_read of no options. */
static inline struct themis_settings fixture_settings(void) {
  return (struct themis_settings){.f = 0.8,
                                  .lease_s = 20,
                                  .mopup = true,
                                  .starve_limit = 3,
                                  .bids = {64, 4, 0.01},
                                  .part_max = 32,
                                  .node_cap = 2000,
                                  .canonical = true,
                                  .elastic = true,
                                  .liar = -1};
}

/* `nodes`: "4 4 1" in one rack, "4 | 4" in two; "4/2": slots of two. */
static inline void fixture_cluster(struct cluster *cluster, const char *nodes) {
  struct hsim_error error = {0};
  char copy[512], rack[16];
  int racks = 1;
  snprintf(copy, sizeof copy, "%s", nodes);
  char *rest = copy;
  for (char *item; (item = strtok_r(rest, " ", &rest));) {
    if (*item == '|') {
      racks++;
      continue;
    }
    char *slash = strchr(item, '/');
    snprintf(rack, sizeof rack, "r%d", racks);
    assert_int_equal(cluster_add_node(cluster, NULL, rack, slash ? atoi(slash + 1) : 0, &error),
                     HSIM_OK);
    assert_int_equal(cluster_add_bay(cluster, "gpu", atoi(item), &error), HSIM_OK);
  }
  assert_int_equal(cluster_finish(cluster, "fixture", &error), HSIM_OK);
}

static inline void fixture_init(struct fixture *f, const char *nodes,
                                const struct themis_settings *settings) {
  memset(f, 0, sizeof *f);
  fixture_cluster(&f->cluster, nodes);
  f->settings = *settings;
  f->core.config = &f->config;
  f->view = (struct hsim_view){
      .round_s = 2, .seed = 1, .cluster = &f->cluster.view, .n_jobs = 1, .core = &f->core};
  themis_roster_init(&f->roster, &f->view, false, true);
  themis_market_init(&f->market, &f->settings, &f->roster, &f->view);
  f->roster.bidders = mem_zero(FIXTURE_APPS, sizeof *f->roster.bidders);
  f->market.seats = mem_zero(FIXTURE_APPS, sizeof *f->market.seats);
}

static inline void fixture_free(struct fixture *f) {
  f->market.n_seats = f->n;
  themis_market_free(&f->market);
  themis_roster_free(&f->roster);
  cluster_free(&f->cluster);
}

static inline double fixture_seconds(const void *context, int task, int workers,
                                     enum hsim_span span) {
  const struct fixture_work *work = (const struct fixture_work *)context + task;
  return work->work / (workers * work->efficiency[span]);
}

/* An app without jobs yet; then fixture_job, fixture_hold, fixture_ready. Apps come in filter
 * order. */
static inline struct themis_seat *fixture_app(struct fixture *f, double elapsed, double ideal) {
  int i = f->n++;
  f->roster.bidders[i] = (struct themis_bidder){.app = i, .head = -1, .bare_since_s = 0};
  f->roster.n_bidders = f->n;
  struct themis_seat *seat = &f->market.seats[i];
  *seat = (struct themis_seat){.bidder = i, .bare_for_s = elapsed};
  themis_agent_begin(&seat->agent, &f->cluster.view, fixture_seconds, f->works[i]);
  seat->agent.app = i;
  seat->agent.elapsed_s = elapsed;
  seat->agent.ideal_s = ideal;
  f->market.n = f->n;
  return seat;
}

static inline void fixture_job(struct fixture *f, double work, int most, const double *efficiency) {
  struct themis_agent *agent = &f->market.seats[f->n - 1].agent;
  f->works[f->n - 1][agent->n_tasks] = (struct fixture_work){work, efficiency};
  themis_agent_task(agent, agent->n_tasks, 1, most, NULL, 0);
}

/* The last app holds GPUs of a bay. */
static inline void fixture_hold(struct fixture *f, int bay, int gpus) {
  struct themis_seat *seat = &f->market.seats[f->n - 1];
  for (int i = 0; i < gpus; i++)
    themis_roster_grant(&f->roster, seat->bidder, bay, 1e9, 0);
  themis_agent_hold(&seat->agent, bay, gpus);
  seat->bare_for_s = -1;
}

static inline struct themis_seat *fixture_ready(struct fixture *f) {
  struct themis_seat *seat = &f->market.seats[f->n - 1];
  themis_agent_finish(&seat->agent);
  double left = themis_agent_remaining(&seat->agent, NULL, 0);
  if (isinf(left))
    left = themis_agent_smallest_remaining(&seat->agent);
  seat->key = (seat->agent.elapsed_s + left) / seat->agent.ideal_s;
  return seat;
}

/* GPUs of a bay that an app holds, by its agent and by the leases. */
static inline int fixture_held(const struct fixture *f, int app, int bay) {
  int gpus = 0;
  for (int i = 0; i < f->cluster.view.n_gpus; i++)
    gpus += f->roster.leases.gpus[i].holder == app && f->roster.leases.bay_of[i] == bay;
  return gpus;
}

static inline double fixture_value(struct themis_seat *seat, int first, int second) {
  struct hsim_share parts[2];
  int n = 0;
  if (first > 0)
    parts[n++] = (struct hsim_share){0, first};
  if (second > 0)
    parts[n++] = (struct hsim_share){1, second};
  return themis_agent_value(&seat->agent, parts, n);
}

#define assert_near(a, b, tolerance)                                                               \
  do {                                                                                             \
    double near_a = (a), near_b = (b);                                                             \
    if (!(fabs(near_a - near_b) <= (tolerance)))                                                   \
      fail_msg("%s is %.12g, expected %.12g", #a, near_a, near_b);                                 \
  } while (0)

/* Random cases: a failed check names its seed. */
#define check(seed, condition)                                                                     \
  do {                                                                                             \
    if (!(condition))                                                                              \
      fail_msg("seed %llu: not %s", (unsigned long long)(seed), #condition);                       \
  } while (0)

static inline uint64_t next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Two apps on two machines (the design's example 10.1); A is 0, B is 1. */
static inline void fixture_two_apps(struct fixture *f, const struct themis_settings *settings) {
  fixture_init(f, "2 2", settings);
  fixture_app(f, 0, 120);
  fixture_job(f, 240, 4, VGG16);
  fixture_ready(f);
  fixture_app(f, 0, 120);
  fixture_job(f, 240, 4, INCEPTION);
  fixture_ready(f);
}

/* Four apps on machines of 4, 4 and 1 GPUs (example 10.2), in filter order B, A, C, D. */
enum { APP_B, APP_A, APP_C, APP_D };
static inline void fixture_four_apps(struct fixture *f, const struct themis_settings *settings) {
  fixture_init(f, "4 4 1", settings);
  f->view.now = 120;
  fixture_app(f, 40, 320.0 / 3);
  fixture_job(f, 240, 4, INCEPTION);
  fixture_ready(f);
  fixture_app(f, 60, 160);
  fixture_job(f, 300, 4, VGG16);
  fixture_ready(f);
  fixture_app(f, 60, 800.0 / 3);
  fixture_job(f, 560, 4, ALEXNET);
  fixture_hold(f, 1, 2);
  fixture_ready(f);
  fixture_app(f, 120, 120);
  fixture_job(f, 20, 2, INCEPTION);
  fixture_hold(f, 2, 1);
  fixture_ready(f);
}

/* The program of the first n apps. */
static inline struct themis_program fixture_program(struct fixture *f, int n,
                                                    struct themis_table *tables) {
  struct themis_offer offer = themis_market_offer(&f->market, 0);
  for (int i = 0; i < n; i++)
    themis_bid(&tables[i], &f->market.seats[i].agent, &offer, &f->settings.bids);
  return (struct themis_program){
      .n = n, .tables = tables, .room = f->roster.leases.free, .n_bays = f->cluster.view.n_bays};
}

#endif
