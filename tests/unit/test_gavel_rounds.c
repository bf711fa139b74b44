/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The round mechanism and the assignment of GPUs, inside a small replay of Gavel's main loop. The
 * expected times are those that Gavel's own simulator prints, to the last bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "policy/gavel/assignment.h"
#include "policy/gavel/objective.h"
#include "policy/gavel/rounds.h"

enum { V100, P100, K80, N_TYPES, MAX_JOBS = 8, MAX_GPUS = 16 };
static const double ROUND_S = 360;
/* ResNet-18 (batch size 32) on one GPU and on four. */
static const double ONE[N_TYPES] = {29.947157347732464, 35.82535355155143, 7.175820532538584};
static const double FOUR[N_TYPES] = {114.73342037584995, 97.03631932363041, 22.529256735348344};

static const double *rates_for(int workers) {
  return workers == 1 ? ONE : FOUR;
}

struct replayed {
  double steps, arrival, done, jct;
  int workers, failures;
  bool active;
};

struct replay {
  struct replayed jobs[MAX_JOBS];
  int n_jobs, next, remaining;
  int gpus[N_TYPES];
  struct hsim_cluster cluster;
  struct hsim_bay bays[N_TYPES];
  uint8_t up[N_TYPES];
  double now, round_start, round_end, busy;
  bool need;
  struct hsim_ran running[MAX_JOBS];
  int n_running;
  struct rounds rounds;
  struct assigner assigner;
};

static void set_cluster(struct replay *replay, int v100, int p100, int k80) {
  int gpus[N_TYPES] = {v100, p100, k80}, total = 0;
  memcpy(replay->gpus, gpus, sizeof gpus);
  for (int g = 0; g < N_TYPES; g++) {
    replay->bays[g] = (struct hsim_bay){.node = g, .type = g, .gpus = gpus[g], .first_gpu = total};
    replay->up[g] = 1;
    total += gpus[g];
  }
  replay->cluster = (struct hsim_cluster){.n_types = N_TYPES,
                                          .n_nodes = N_TYPES,
                                          .n_bays = N_TYPES,
                                          .n_gpus = total,
                                          .type_gpus = replay->gpus,
                                          .bays = replay->bays};
}

static void leave(struct replay *replay, int job) {
  rounds_remove(&replay->rounds, job);
  replay->jobs[job].active = false;
  replay->remaining--;
  replay->need = true;
}

static void complete(struct replay *replay) {
  for (int i = 0; i < replay->n_running; i++) {
    struct hsim_ran *ran = &replay->running[i];
    double each = floor(ran->steps / ran->gpus);
    ran->seconds = ran->end_s - replay->round_start;
    ran->failed = !(ran->seconds > 0 && ran->steps > 0 && (ran->gpus == 1 || each > 0));
    replay->need |= ran->failed;
    if (!ran->failed)
      replay->busy += ran->seconds * ran->gpus;
  }
  rounds_charge(&replay->rounds, replay->running, (size_t)replay->n_running);
  for (int i = 0; i < replay->n_running; i++) {
    const struct hsim_ran *ran = &replay->running[i];
    struct replayed *job = &replay->jobs[ran->job];
    if (ran->failed) {
      if (++job->failures == 5)
        leave(replay, ran->job);
      continue;
    }
    job->failures = 0;
    job->done += ran->steps;
    if (job->done >= job->steps) {
      job->jct = ran->end_s - job->arrival;
      leave(replay, ran->job);
    }
  }
  replay->n_running = 0;
  rounds_compact(&replay->rounds);
}

static void admit(struct replay *replay) {
  for (; replay->next < replay->n_jobs && replay->jobs[replay->next].arrival <= replay->now;
       replay->next++) {
    struct replayed *job = &replay->jobs[replay->next];
    rounds_admit(&replay->rounds, replay->next, job->workers, rates_for(job->workers));
    job->active = replay->need = true;
  }
}

static void reallocate(struct replay *replay) {
  int order[N_TYPES] = {K80, P100, V100}, workers[MAX_JOBS];
  double rates[MAX_JOBS * N_TYPES], weights[MAX_JOBS], shares[MAX_JOBS * N_TYPES] = {0};
  struct shares_problem problem = {.n_jobs = replay->rounds.n,
                                   .n_types = N_TYPES,
                                   .type_order = order,
                                   .type_gpus = replay->gpus,
                                   .workers = workers,
                                   .weights = weights,
                                   .rates = rates};
  struct shares_report report;
  rounds_restart(&replay->rounds, replay->now);
  replay->need = false;
  for (int c = 0; c < replay->rounds.n; c++) {
    workers[c] = replay->rounds.at[c].workers;
    memcpy(rates + c * N_TYPES, rates_for(workers[c]), sizeof ONE);
  }
  objective_fifo_perf.allocate(NULL, &problem, NULL, shares, &report, NULL);
  for (int c = 0; c < replay->rounds.n; c++)
    for (int g = 0; g < N_TYPES; g++)
      rounds_cells(&replay->rounds, c)[g].share = shares[c * N_TYPES + g];
}

static void start_round(struct replay *replay) {
  struct rounds *rounds = &replay->rounds;
  bool due = replay->now - rounds->restarted_s >= 1920 || rounds->restarted_s == 0.0;
  if (replay->need && due)
    reallocate(replay);
  int order[N_TYPES] = {V100, P100, K80}, free[N_TYPES];
  memcpy(free, replay->gpus, sizeof free);
  const struct rounds_pick *picks;
  int n = rounds_pick_by_type(rounds, order, N_TYPES, free, true, &picks);
  const struct assignment *assignment =
      assigner_place(&replay->assigner, rounds, picks, n, replay->up);
  for (int i = 0; i < assignment->n; i++) {
    const struct assigned *one = &assignment->at[i];
    const struct replayed *job = &replay->jobs[one->a];
    double rate = rates_for(one->workers)[one->type];
    double steps = fmin(trunc(rate * ROUND_S), job->steps - job->done);
    replay->running[replay->n_running++] = (struct hsim_ran){.job = one->a,
                                                             .partner = -1,
                                                             .type = one->type,
                                                             .gpus = one->workers,
                                                             .steps = steps,
                                                             .end_s = replay->now + steps / rate};
  }
}

static void run(struct replay *replay) {
  rounds_init(&replay->rounds, N_TYPES, MAX_JOBS, ROUND_S);
  assigner_init(&replay->assigner, &replay->cluster);
  replay->remaining = replay->n_jobs;
  replay->now = replay->jobs[0].arrival;
  replay->round_end = -1;
  replay->need = true;
  for (int rounds = 0; replay->remaining > 0; rounds++) {
    assert_true(rounds < 1000);
    double latest = 0;
    for (int i = 0; i < replay->n_running; i++)
      latest = fmax(latest, replay->running[i].end_s);
    if (replay->next == replay->n_jobs && replay->n_running == 0)
      replay->rounds.restarted_s = 0;
    if (replay->n_running > 0) {
      if (replay->round_end >= 0)
        replay->round_start = replay->round_end;
      replay->now = replay->round_end = latest;
    } else if (replay->next < replay->n_jobs) {
      replay->now = replay->jobs[replay->next].arrival;
    }
    complete(replay);
    admit(replay);
    start_round(replay);
  }
  rounds_free(&replay->rounds);
  assigner_free(&replay->assigner);
}

static struct replay *new_replay(int v100, int p100, int k80) {
  struct replay *replay = calloc(1, sizeof *replay);
  assert_non_null(replay);
  set_cluster(replay, v100, p100, k80);
  return replay;
}

static void add(struct replay *replay, double steps, int workers, double arrival) {
  replay->jobs[replay->n_jobs++] =
      (struct replayed){.steps = steps, .workers = workers, .arrival = arrival, .jct = NAN};
}

static void a_job_that_came_after_the_shares_waits_for_the_next_arrival(void **state) {
  (void)state;
  struct replay *replay = new_replay(4, 0, 0);
  add(replay, 1000, 1, 500);
  add(replay, 1000, 1, 510);
  add(replay, 1000, 1, 20000);
  run(replay);
  assert_true(replay->jobs[0].jct == 33.3921509941149);
  assert_true(replay->jobs[1].jct == 19523.392150994114);
  assert_true(replay->jobs[2].jct == 33.39215099411376);
  assert_true(replay->now == 20033.392150994114);
  free(replay);
}

static void with_nothing_to_come_shares_are_computed_at_once(void **state) {
  (void)state;
  struct replay *replay = new_replay(4, 0, 0);
  add(replay, 1000, 1, 500);
  add(replay, 1000, 1, 510);
  run(replay);
  assert_true(replay->jobs[0].jct == 33.3921509941149);
  assert_true(replay->jobs[1].jct == 56.7843019882298);
  assert_true(replay->now == 566.7843019882298);
  free(replay);
}

static void a_restart_at_time_zero_allows_another_at_once(void **state) {
  (void)state;
  struct replay *replay = new_replay(4, 0, 0);
  add(replay, 60000, 1, 0);
  add(replay, 1000, 1, 10);
  add(replay, 1000, 1, 20000);
  run(replay);
  assert_true(replay->jobs[0].jct == 2003.5290596468944);
  assert_true(replay->jobs[1].jct == 383.3595387106736);
  assert_true(replay->jobs[2].jct == 33.39215099411376);
  free(replay);
}

static void time_is_charged_from_the_end_of_the_round_before(void **state) {
  (void)state;
  struct replay *replay = new_replay(1, 1, 0);
  add(replay, 1000, 1, 500);
  add(replay, 1000, 1, 50000);
  add(replay, 1000, 1, 50010.5);
  run(replay);
  assert_true(replay->jobs[0].jct == 27.913192777317136);
  assert_true(replay->jobs[1].jct == 27.913192777319637);
  assert_true(replay->jobs[2].jct == 45.32638555463927);
  assert_true(fabs(replay->busy / (2 * replay->now) - 0.5) < 5e-7);
  free(replay);
}

static void a_gang_with_too_few_steps_is_dropped(void **state) {
  (void)state;
  struct replay *replay = new_replay(4, 4, 0);
  add(replay, 3, 4, 0);
  add(replay, 100000, 1, 0);
  run(replay);
  assert_true(isnan(replay->jobs[0].jct));
  assert_int_equal(replay->jobs[0].failures, 5);
  assert_true(replay->jobs[1].jct == 2791.3192777317186);
  free(replay);
}

/* ---- parts on their own ---- */

static void a_restart_settles_deficits(void **state) {
  (void)state;
  struct rounds rounds;
  double rates[2] = {1, 1};
  rounds_init(&rounds, 2, 3, 100);
  rounds_admit(&rounds, 0, 1, rates);
  rounds_restart(&rounds, 0);
  rounds_cells(&rounds, 0)[1].share = 0.5;
  struct hsim_ran ran = {.job = 0, .partner = -1, .type = 1, .gpus = 1, .end_s = 90, .seconds = 90};
  rounds_charge(&rounds, &ran, 1);
  assert_true(rounds_cells(&rounds, 0)[1].received == 140);
  assert_true(rounds.type_time[1] == 140);
  rounds_admit(&rounds, 1, 1, rates); /* not covered: nothing is owed to it */
  rounds_admit(&rounds, 2, 1, rates);
  rounds_admit_pair(&rounds, 0, 2, rates);
  rounds_restart(&rounds, 400);
  assert_true(rounds_cells(&rounds, 0)[1].deficit == 0.5 * 400 - 90);
  assert_true(rounds_cells(&rounds, 0)[1].received == 50);
  assert_true(rounds_cells(&rounds, 1)[0].deficit == 0);
  assert_true(rounds_cells(&rounds, 3)[0].deficit == 50); /* a pair starts from nothing */
  assert_true(rounds.type_time[0] == 200);
  rounds_free(&rounds);
}

static void pairs_are_charged_once_and_leave_with_a_member(void **state) {
  (void)state;
  struct rounds rounds;
  double rates[1] = {1};
  rounds_init(&rounds, 1, 3, 100);
  rounds_admit(&rounds, 0, 1, rates);
  rounds_admit(&rounds, 1, 1, rates);
  rounds_admit_pair(&rounds, 0, 1, rates);
  rounds_admit(&rounds, 2, 1, rates);
  rounds_admit_pair(&rounds, 0, 2, rates);
  rounds_admit_pair(&rounds, 1, 2, rates);
  rounds_restart(&rounds, 0);
  struct hsim_ran ran[2] = {{.job = 2, .partner = 1, .end_s = 60, .seconds = 60},
                            {.job = 1, .partner = 2, .end_s = 60, .seconds = 60}};
  rounds_charge(&rounds, ran, 2);
  assert_true(rounds_cells(&rounds, 5)[0].received == 110);
  assert_true(rounds_cells(&rounds, 4)[0].received == 50);
  assert_true(rounds.type_time[0] == 360);
  rounds_remove(&rounds, 0);
  rounds_compact(&rounds);
  assert_int_equal(rounds.n, 3);
  assert_int_equal(rounds.alone_of[0], -1);
  assert_int_equal(rounds.alone_of[2], 1);
  assert_true(rounds.at[2].a == 1 && rounds.at[2].b == 2);
  assert_true(rounds_cells(&rounds, 2)[0].received == 110);
  rounds_free(&rounds);
}

static void a_global_order_does_not_serve_one_type_first(void **state) {
  (void)state;
  struct rounds rounds;
  double rates[2] = {2, 3};
  rounds_init(&rounds, 2, 3, 100);
  for (int i = 0; i < 3; i++)
    rounds_admit(&rounds, i, 1, rates);
  rounds_restart(&rounds, 0);
  rounds_cells(&rounds, 0)[0].share = 0.1; /* wants type 1 most */
  rounds_cells(&rounds, 0)[1].share = 0.9;
  rounds_cells(&rounds, 1)[0].share = 0.5;
  int free[2] = {1, 1};
  const struct rounds_pick *picks;
  int n = rounds_pick_global(&rounds, free, false, false, &picks);
  assert_int_equal(n, 2);
  assert_true(picks[0].combination == 0 && picks[0].type == 1);
  assert_true(picks[1].combination == 1 && picks[1].type == 0);
  assert_true(free[0] == 0 && free[1] == 0);
  /* As coded, the first type is served whatever its queue wants, and the rest filled in. */
  int order[2] = {0, 1}, again[2] = {2, 1};
  n = rounds_pick_by_type(&rounds, order, 2, again, false, &picks);
  assert_int_equal(n, 3);
  assert_true(picks[0].combination == 1 && picks[0].type == 0);
  assert_true(picks[1].combination == 0 && picks[1].type == 0);
  assert_true(picks[2].combination == 2 && picks[2].type == 1);
  /* Left-over GPUs: the faster type first, nobody when only shares count. */
  int left[2] = {4, 4};
  n = rounds_pick_global(&rounds, left, false, false, &picks);
  assert_int_equal(n, 3);
  assert_true(picks[2].combination == 2 && picks[2].type == 1);
  int strict[2] = {4, 4};
  assert_int_equal(rounds_pick_global(&rounds, strict, false, true, &picks), 2);
  rounds_free(&rounds);
}

/* The best entry of one queue that can still be picked, by looking at all. */
static int naive_best(const struct rounds *rounds, int g, int free, bool positive_only,
                      const bool *picked) {
  int best = -1;
  for (int c = 0; c < rounds->n; c++) {
    const struct combination *one = &rounds->at[c];
    const struct rounds_cell *x = &rounds_cells(rounds, c)[g];
    if (x->rate <= 0 || one->workers > free || picked[one->a] || (one->b >= 0 && picked[one->b]) ||
        (positive_only && x->priority <= 0))
      continue;
    const struct rounds_cell *y = best < 0 ? NULL : &rounds_cells(rounds, best)[g];
    if (!y || x->priority > y->priority ||
        (x->priority == y->priority &&
         (x->deficit > y->deficit || (x->deficit == y->deficit && x->share > y->share))))
      best = c; /* at equality the earlier one stays */
  }
  return best;
}

static void as_coded_picks_best_first_whatever_the_crowd(void **state) {
  (void)state;
  enum { JOBS = 24, TYPES = 3 };
  unsigned seed = 17;
  print_message("seed %u\n", seed);
  for (int round = 0; round < 300; round++) {
    struct rounds rounds;
    double rates[TYPES] = {0};
    rounds_init(&rounds, TYPES, JOBS, 100);
    rounds.with_pairs = true;
    for (int b = 0; b < JOBS; b++) {
      rounds_admit(&rounds, b, 1 + b % 3, rates);
      for (int a = b % 3; a < b; a += 3)
        rounds_admit_pair(&rounds, a, b, rates);
    }
    rounds_restart(&rounds, 0);
    for (int i = 0; i < rounds.n * TYPES; i++) { /* few values, so that ties are many */
      struct rounds_cell *cell = &rounds.cells[i];
      seed = seed * 1664525u + 1013904223u;
      cell->rate = seed >> 8 & 3u;
      cell->share = (seed >> 10 & 3u) / 4.0;
      cell->received = 50 + (seed >> 12 & 1u) * 50;
      cell->deficit = (seed >> 13 & 1u);
    }
    bool positive_only = round % 2, picked[JOBS] = {false};
    int order[TYPES] = {2, 0, 1}, free[TYPES] = {3, 5, 1 + round % 40}, left[TYPES];
    memcpy(left, free, sizeof left);
    const struct rounds_pick *picks;
    int n = rounds_pick_by_type(&rounds, order, TYPES, free, positive_only, &picks), at = 0;
    for (int i = 0; i < TYPES; i++)
      for (int c; (c = naive_best(&rounds, order[i], left[order[i]], positive_only, picked)) >= 0;
           at++) {
        assert_true(at < n);
        assert_true(picks[at].combination == c && picks[at].type == order[i]);
        left[order[i]] -= rounds.at[c].workers;
        picked[rounds.at[c].a] = true;
        if (rounds.at[c].b >= 0)
          picked[rounds.at[c].b] = true;
      }
    assert_int_equal(at, n);
    assert_memory_equal(left, free, sizeof left);
    rounds_free(&rounds);
  }
}

/* Without carrying, what was owed before the restart breaks ties only. */
static void deficits_may_count_on(void **state) {
  (void)state;
  struct rounds rounds;
  double rates[1] = {1};
  rounds_init(&rounds, 1, 3, 100);
  for (int i = 0; i < 3; i++)
    rounds_admit(&rounds, i, 1, rates);
  rounds_restart(&rounds, 0);
  double shares[3] = {0.5, 0.4, 0.4}, owed[3] = {-100, 300, 301};
  for (int i = 0; i < 3; i++) {
    rounds_cells(&rounds, i)[0].share = shares[i];
    rounds_cells(&rounds, i)[0].deficit = owed[i];
  }
  const struct rounds_pick *picks;
  int free[1] = {3};
  assert_int_equal(rounds_pick_global(&rounds, free, false, false, &picks), 3);
  assert_true(picks[0].combination == 0 && picks[1].combination == 2);
  assert_true(rounds_cells(&rounds, 0)[0].priority == 0.5 / 50);
  free[0] = 3;
  assert_int_equal(rounds_pick_global(&rounds, free, true, false, &picks), 3);
  assert_true(picks[0].combination == 2 && picks[1].combination == 1);
  assert_true(rounds_cells(&rounds, 0)[0].priority == 0.5 / 150);
  assert_true(fabs(rounds_cells(&rounds, 1)[0].priority - 0.4 / (2500.0 / 350)) < 1e-12);
  rounds_free(&rounds);
}

/* Time held counts from the start of holding, so that being asked in between changes no bit. */
static void time_held_does_not_depend_on_how_often_it_is_told(void **state) {
  (void)state;
  double received[2];
  for (int often = 0; often < 2; often++) {
    struct rounds rounds;
    double rates[1] = {1}, start = 0.1;
    rounds_init(&rounds, 1, 1, 360);
    rounds_admit(&rounds, 0, 1, rates);
    rounds_restart(&rounds, start);
    struct rounds_pick pick = {0, 0};
    rounds_hold(&rounds, &pick, 1, start);
    for (int i = 1; i <= 1000; i++) {
      struct hsim_ran ran = {.job = 0, .partner = -1, .end_s = start + 0.7 * i};
      if (often || i == 1000) {
        rounds_receive(&rounds, &ran, 1);
        rounds_hold(&rounds, &pick, 1, ran.end_s);
      }
    }
    received[often] = rounds_cells(&rounds, 0)[0].received;
    rounds_hold(&rounds, NULL, 0, 1e6);
    struct hsim_ran idle = {.job = 0, .partner = -1, .end_s = 2e6};
    rounds_receive(&rounds, &idle, 1);
    assert_true(rounds_cells(&rounds, 0)[0].received == received[often]);
    rounds_free(&rounds);
  }
  assert_true(received[0] == received[1]);
  assert_true(fabs(received[0] - 880) < 1e-9);
}

static void gangs_keep_their_gpus_and_leases_are_counted(void **state) {
  (void)state;
  struct replay *replay = new_replay(4, 0, 0);
  struct rounds rounds;
  double rates[N_TYPES] = {1, 1, 1};
  struct assigner assigner;
  rounds_init(&rounds, N_TYPES, 3, 360);
  assigner_init(&assigner, &replay->cluster);
  rounds_admit(&rounds, 0, 1, rates);
  rounds_admit(&rounds, 1, 2, rates);
  rounds_admit(&rounds, 2, 1, rates);
  rounds_restart(&rounds, 0);
  struct rounds_pick first[3] = {{0, V100}, {1, V100}, {2, V100}};
  const struct assignment *a = assigner_place(&assigner, &rounds, first, 3, replay->up);
  assert_int_equal(a->n, 3);
  assert_true(a->at[0].a == 1 && a->gpus[a->at[0].first_gpu] == 0); /* the larger one chooses */
  assert_true(a->at[1].a == 0 && a->gpus[a->at[1].first_gpu] == 2);
  assert_true(a->at[2].a == 2 && a->gpus[a->at[2].first_gpu] == 3);
  struct rounds_pick second[2] = {{0, V100}, {2, V100}};
  a = assigner_place(&assigner, &rounds, second, 2, replay->up);
  assert_int_equal(a->gpus[a->at[0].first_gpu], 2);
  assert_true(assigner.opportunities == 3 && assigner.extensions == 2);
  rounds_remove(&rounds, 0);
  rounds_compact(&rounds);
  struct rounds_pick third[2] = {{0, V100}, {1, V100}}; /* jobs 1 and 2 now */
  a = assigner_place(&assigner, &rounds, third, 2, replay->up);
  assert_true(a->at[0].a == 1 && a->gpus[a->at[0].first_gpu + 1] == 1);
  assert_true(a->at[1].a == 2 && a->gpus[a->at[1].first_gpu] == 3);
  assert_true(assigner.opportunities == 4 && assigner.extensions == 3);
  /* What the shares do not cover yet gets no GPUs. */
  rounds.at[1].covered = false;
  a = assigner_place(&assigner, &rounds, third, 2, replay->up);
  assert_int_equal(a->n, 1);
  rounds_free(&rounds);
  assigner_free(&assigner);
  free(replay);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_coded_picks_best_first_whatever_the_crowd),
      cmocka_unit_test(a_job_that_came_after_the_shares_waits_for_the_next_arrival),
      cmocka_unit_test(with_nothing_to_come_shares_are_computed_at_once),
      cmocka_unit_test(a_restart_at_time_zero_allows_another_at_once),
      cmocka_unit_test(time_is_charged_from_the_end_of_the_round_before),
      cmocka_unit_test(a_gang_with_too_few_steps_is_dropped),
      cmocka_unit_test(a_restart_settles_deficits),
      cmocka_unit_test(pairs_are_charged_once_and_leave_with_a_member),
      cmocka_unit_test(a_global_order_does_not_serve_one_type_first),
      cmocka_unit_test(deficits_may_count_on),
      cmocka_unit_test(time_held_does_not_depend_on_how_often_it_is_told),
      cmocka_unit_test(gangs_keep_their_gpus_and_leases_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
