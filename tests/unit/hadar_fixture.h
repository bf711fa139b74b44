/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hadar's pieces without an engine: a cluster, kinds with rates that are linear in the gang size,
 * jobs, prices, and one run of the dual subroutine.
 */
#ifndef HSIM_TESTS_HADAR_FIXTURE_H
#define HSIM_TESTS_HADAR_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/cluster.h"
#include "policy/hadar/board.h"
#include "policy/hadar/dp.h"
#include "policy/hadar/exact.h"
#include "policy/hadar/fill.h"
#include "policy/hadar/order.h"

enum { FIXTURE_MAX = 128 };

struct fixture {
  struct cluster cluster;
  uint8_t up[FIXTURE_MAX];
  struct hadar_settings settings;
  double round_s, restart_s, phi;
  struct hadar_classes classes;
  struct hadar_prices prices;
  struct hadar_market market;
  struct hadar_found found;
  struct hadar_queue queue;
  struct hadar_dp dp;
  struct hadar_board board;
  int n;
  struct hadar_kind kinds[FIXTURE_MAX];
  struct hadar_stake stakes[FIXTURE_MAX];
  struct hadar_job jobs[FIXTURE_MAX];
};

/* `nodes`: "v100=2 p100=2 v100+k80=4": a node an item, GPUs of each of its types. */
static inline void fixture_init(struct fixture *f, const char *nodes) {
  memset(f, 0, sizeof *f);
  struct hsim_error error = {0};
  char copy[512];
  snprintf(copy, sizeof copy, "%s", nodes);
  char *rest = copy;
  for (char *item; (item = strtok_r(rest, " ", &rest));) {
    char *equals = strchr(item, '=');
    *equals = '\0';
    assert_int_equal(cluster_add_node(&f->cluster, NULL, NULL, 0, &error), HSIM_OK);
    char *types = item;
    for (char *type; (type = strtok_r(types, "+", &types));)
      assert_int_equal(cluster_add_bay(&f->cluster, type, atoi(equals + 1), &error), HSIM_OK);
  }
  assert_int_equal(cluster_finish(&f->cluster, "fixture", &error), HSIM_OK);
  memset(f->up, 1, sizeof f->up);
  assert_int_equal(hadar_classes_init(&f->classes, &f->cluster.view, f->up, &error), HSIM_OK);
  hadar_found_init(&f->found, &f->classes);
  f->settings = (struct hadar_settings){.utility = HADAR_NORM, .order = HADAR_DENSR};
  f->round_s = 360;
  f->restart_s = 10;
  f->phi = 0.9;
}

/* `pace`: steps per second of one worker, by type. `age`: seconds since its arrival. */
static inline struct hadar_job *fixture_job(struct fixture *f, int workers, const double *pace,
                                            double steps, double age) {
  int at = f->n++, n_types = f->cluster.view.n_types;
  struct hadar_kind *kind = &f->kinds[at];
  *kind = (struct hadar_kind){.workers = workers, .types = UINT64_MAX};
  for (int t = 0; t < n_types; t++) {
    kind->one_node[t] = workers * pace[t];
    kind->spread[t] = workers * pace[t] * f->phi;
  }
  hadar_kind_rank(kind, n_types);
  hadar_kind_fit(kind, &f->classes);
  double worth = f->settings.utility == HADAR_RAW ? steps : steps / kind->fastest;
  f->stakes[at] = (struct hadar_stake){kind, steps, worth};
  f->jobs[at] = (struct hadar_job){.index = at,
                                   .kind = kind,
                                   .remaining = steps,
                                   .ahead = steps,
                                   .age = age,
                                   .worth = worth,
                                   .restart_s = f->restart_s,
                                   .peak = worth / (age + steps / kind->peak)};
  return &f->jobs[at];
}

static inline void fixture_set_peaks(struct fixture *f) {
  for (int i = 0; i < f->n; i++)
    f->jobs[i].ahead = f->jobs[i].remaining;
  for (int i = 0; i < f->n; i++)
    f->jobs[i].peak =
        f->jobs[i].worth / (f->jobs[i].age + f->jobs[i].remaining / f->jobs[i].kind->peak);
}

static inline void fixture_price(struct fixture *f) {
  hadar_prices_set(&f->prices, &f->classes, f->stakes, f->n, f->round_s, &f->settings);
  f->market = (struct hadar_market){.classes = &f->classes,
                                    .prices = &f->prices,
                                    .round_s = f->round_s,
                                    .whole_schedule = f->settings.whole_schedule};
}

static inline void fixture_queue(struct fixture *f) {
  hadar_queue_fill(&f->queue, &f->market, f->jobs, f->n, f->settings.order, &f->found);
}

static inline double fixture_dp(struct fixture *f, int beam) {
  hadar_dp_run(&f->dp, &f->market, f->jobs, f->queue.jobs, f->queue.n, beam, f->settings.best_only,
               &f->found);
  return f->dp.value;
}

/* The recursion in its stead. */
static inline double fixture_exact(struct fixture *f) {
  struct hsim_error error = {0};
  struct hadar_exact exact = {0};
  if (hadar_exact_run(&exact, &f->market, f->jobs, f->queue.jobs, f->queue.n, f->settings.best_only,
                      &f->found, &f->dp, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  hadar_exact_free(&exact);
  return f->dp.value;
}

/* Puts the choices on the board. */
static inline void fixture_board(struct fixture *f) {
  hadar_board_reset(&f->board, &f->classes, f->n);
  for (int i = 0; i < f->dp.n_choices; i++) {
    const struct hadar_choice *choice = &f->dp.choices[i];
    struct hadar_grant terms = {.rate = choice->rate, .payoff = choice->payoff};
    hadar_board_give(&f->board, choice->job, &f->dp.parts[choice->first_part], choice->n_parts,
                     &terms);
  }
}

static inline const struct hadar_choice *fixture_choice(const struct fixture *f, int job) {
  for (int i = 0; i < f->dp.n_choices; i++)
    if (f->dp.choices[i].job == job)
      return &f->dp.choices[i];
  return NULL;
}

/* GPUs of a type that a part list takes. */
static inline int fixture_gpus(const struct fixture *f, const struct hadar_part *parts, int n,
                               int type) {
  int gpus = 0;
  for (int i = 0; i < n; i++) {
    const struct hadar_class *cls = &f->classes.at[parts[i].cls];
    for (int b = cls->first_bay; b < cls->first_bay + cls->n_bays; b++)
      if (f->classes.bays[b].type == type)
        gpus += parts[i].nodes * hadar_bay_gpus(&f->classes.bays[b], parts[i].delta);
  }
  return gpus;
}

static inline void fixture_free(struct fixture *f) {
  hadar_classes_free(&f->classes);
  hadar_prices_free(&f->prices);
  hadar_found_free(&f->found);
  hadar_queue_free(&f->queue);
  hadar_dp_free(&f->dp);
  hadar_board_free(&f->board);
  cluster_free(&f->cluster);
}

/* splitmix64, for the random tests. */
static inline uint64_t fixture_random(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline double fixture_uniform(uint64_t *state, double low, double high) {
  return low + (high - low) * ((double)(fixture_random(state) >> 11) / 9007199254740992.0);
}

static inline int fixture_below(uint64_t *state, int n) {
  return (int)(fixture_random(state) % (uint64_t)n);
}

#endif
