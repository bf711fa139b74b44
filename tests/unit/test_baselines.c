/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hand-worked schedules of the baselines on two nodes of two GPU types: the figures of each job
 * follow from the comment above it. No costs; rounds of 10 s start at 0.
 */
#include "policy/policies.h"
#include "policy_world.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Jobs for fifo on slow=4, fast=4 (slow is the cluster's first type). */
static const struct world_job fifo_jobs[] = {
    {.arrival = 0, .model = MODEL_FAST, .workers = 4, .steps = 80},
    {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 40},
    {.arrival = 1, .model = MODEL_FAST, .workers = 4, .steps = 80},
    {.arrival = 2, .model = MODEL_FAST, .workers = 1, .steps = 5},
    {.arrival = 3, .model = MODEL_FAST, .workers = 2, .steps = 20},
};

/*
 * t=0   job 0 on fast (8/s, until 10); job 1 on slow, since fast is full (2/s, until 20)
 * t=1   job 2 needs 4: the head blocks jobs 3 and 4, though two slow GPUs are free
 * t=10  job 2 on fast (8/s, until 20); job 3 on slow (1/s, until 15); job 4 needs 2, one is left
 * t=15  job 4 on slow (2/s, until 25)
 */
static void fifo_blocks(void **state) {
  (void)state;
  struct world world;
  world_init(&world, "slow=4 fast=4");
  world_set_jobs(&world, fifo_jobs, COUNT(fifo_jobs));
  world_run(&world, &policy_fifo, "");
  world_expect(&world, (const double[]){10, 20, 20, 15, 25});
  assert_int_equal(world_preemptions(&world), 0);
  /* The head waits for GPUs, those behind it for the head. */
  assert_true(world.waited[2][HSIM_NO_CAPACITY] == 9);
  assert_true(world.waited[3][HSIM_OUTRANKED] == 8);
  assert_true(world.waited[4][HSIM_OUTRANKED] == 7);
  assert_true(world.waited[4][HSIM_NO_CAPACITY] == 5);
  world_free(&world);
}

/*
 * t=2   job 3 passes job 2: slow (1/s, until 7); one slow GPU is left
 * t=7   job 4 on slow (2/s, until 17)
 * t=10  job 2 on fast (8/s, until 20)
 */
static void fifo_backfills(void **state) {
  (void)state;
  struct world world;
  world_init(&world, "slow=4 fast=4");
  world_set_jobs(&world, fifo_jobs, COUNT(fifo_jobs));
  world_run(&world, &policy_fifo, ":backfill=1");
  world_expect(&world, (const double[]){10, 20, 20, 7, 17});
  assert_int_equal(world_preemptions(&world), 0);
  world_free(&world);
}

/*
 * Types in the cluster's order, slow first, and backfill.
 * t=0    job 0 on slow (4/s, until 20); job 1 on fast (4/s, until 10)
 * t=2    job 3 on fast (2/s, until 4.5); one fast GPU is left
 * t=4.5  job 4 on fast (4/s, until 9.5)
 * t=10   job 2 on fast (8/s, until 20)
 * An option that is given wins over the profile: without backfill job 3 and 4 wait for job 2, and
 * t=10   job 2 on fast (until 20)
 * t=20   job 3 on slow (1/s, until 25), job 4 on slow (2/s, until 30)
 */
static void fifo_profile(void **state) {
  (void)state;
  struct world world;
  world_init(&world, "slow=4 fast=4");
  world_set_jobs(&world, fifo_jobs, COUNT(fifo_jobs));
  world_run(&world, &policy_fifo, ":profile=yarn");
  world_expect(&world, (const double[]){20, 10, 20, 4.5, 9.5});
  world_run(&world, &policy_fifo, ":backfill=0:profile=yarn");
  world_expect(&world, (const double[]){20, 10, 20, 25, 30});
  world_free(&world);
}

/*
 * The slowest type that has room.
 * t=0   job 0 on slow (4/s, until 20); job 1 on fast (4/s, until 10)
 * t=10  job 2 on fast (8/s, until 20), which blocked until then
 * t=20  all free: job 3 on slow (1/s, until 25), job 4 on slow (2/s, until 30)
 */
static void fifo_slowest(void **state) {
  (void)state;
  struct world world;
  world_init(&world, "slow=4 fast=4");
  world_set_jobs(&world, fifo_jobs, COUNT(fifo_jobs));
  world_run(&world, &policy_fifo, ":type=slowest_ok");
  world_expect(&world, (const double[]){20, 10, 20, 25, 30});
  world_free(&world);
}

/* Jobs for sjf and srtf on slow=4, fast=4; their total times on fast are 10, 5, 20, 6, 8. */
static const struct world_job short_jobs[] = {
    {.arrival = 0, .model = MODEL_FAST, .workers = 4, .steps = 80},
    {.arrival = 0, .model = MODEL_FAST, .workers = 4, .steps = 40},
    {.arrival = 1, .model = MODEL_FAST, .workers = 4, .steps = 160},
    {.arrival = 2, .model = MODEL_FAST, .workers = 2, .steps = 24},
    {.arrival = 3, .model = MODEL_FAST, .workers = 4, .steps = 64},
};

/*
 * t=0   job 1 (5) before job 0 (10): job 1 on fast (until 5), job 0 on slow (4/s, until 20)
 * t=5   order 3 (6), 4 (8), 2 (20): job 3 on fast (4/s, until 11); two fast GPUs are left
 * t=11  job 4 on fast (8/s, until 19)
 * t=19  job 2 on fast (8/s, until 39)
 */
static void sjf_by_hand(void **state) {
  (void)state;
  struct world world;
  world_init(&world, "slow=4 fast=4");
  world_set_jobs(&world, short_jobs, COUNT(short_jobs));
  world_run(&world, &policy_sjf, "");
  world_expect(&world, (const double[]){20, 5, 39, 11, 19});
  assert_int_equal(world_preemptions(&world), 0);
  world_free(&world);
}

/*
 * t=0   job 1 on fast, job 0 on slow (4/s)
 * t=1   remaining 1: 4, 0: 9.5, 2: 20: as before
 * t=2   1: 3, 3: 6, 0: 9, 2: 20: job 3 takes two slow GPUs (2/s), job 0 loses its place
 * t=3   1: 2, 3: 5.5, 4: 8, 0: 9, 2: 20: as before
 * t=5   job 1 is done; 3: 4.5, 4: 8, 0: 9, 2: 20: job 4 on fast (8/s, until 13)
 * t=13  3: 0.5, 0: 9, 2: 20: job 0 on fast (8/s, until 22)
 * t=14  job 3 is done: job 2 on slow (4/s, until 54)
 * t=22  job 2 keeps its GPUs, though fast is free
 */
static void srtf_by_hand(void **state) {
  (void)state;
  struct world world;
  world_init(&world, "slow=4 fast=4");
  world_set_jobs(&world, short_jobs, COUNT(short_jobs));
  world_run(&world, &policy_srtf, "");
  world_expect(&world, (const double[]){22, 5, 54, 14, 13});
  assert_int_equal(world_preemptions(&world), 1);
  assert_int_equal(world.outcome[0].preemptions, 1);
  assert_int_equal(world_migrations(&world), 0);
  world_free(&world);
}

/*
 * Attained GPU-seconds decide, on slow=2, fast=2.
 * t=0   all 0: job 0 on fast (4/s), job 1 on slow (1/s); job 2 needs 2, one is left
 * t=10  2: 0, 3: 0, 1: 10, 0: 20: job 2 on fast (4/s, until 20), job 3 on slow, job 1 stays; job 0
 *       stops with 80 steps left
 * t=20  4: 0, 3: 10, 0: 20, 1: 20: job 4 on fast (2/s, until 25), job 3 stays (until 30), job 0
 *       needs 2, job 1 stays (20 left)
 * t=30  0: 20, 1: 30: job 0 on fast (4/s, until 50), job 1 stays (until 40)
 */
static void las_by_hand(void **state) {
  (void)state;
  static const struct world_job jobs[] = {
      {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 120},
      {.arrival = 0, .model = MODEL_FAST, .workers = 1, .steps = 40},
      {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 40},
      {.arrival = 5, .model = MODEL_FAST, .workers = 1, .steps = 20},
      {.arrival = 15, .model = MODEL_FAST, .workers = 1, .steps = 10},
  };
  struct world world;
  world_init(&world, "slow=2 fast=2");
  world_set_jobs(&world, jobs, COUNT(jobs));
  world_run(&world, &policy_las, "");
  world_expect(&world, (const double[]){50, 40, 20, 30, 25});
  assert_int_equal(world_preemptions(&world), 1);
  assert_int_equal(world.outcome[0].preemptions, 1);
  assert_int_equal(world_migrations(&world), 0);
  world_free(&world);
}

/* Gangs of two for tiresias on slow=2, fast=2: two run at a time, 20 GPU-seconds a round each. */
static const struct world_job queue_jobs[] = {
    {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 400},
    {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 100},
    {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 60},
    {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 40},
    {.arrival = 15, .model = MODEL_FAST, .workers = 2, .steps = 20},
};

/*
 * Threshold 40, promotion after twice the time run.
 * t=0   job 0 on fast (4/s), job 1 on slow (2/s)
 * t=10  they stay: they started before jobs 2 and 3, which never did
 * t=20  both have 40 and sink; job 2 on fast (until 35), job 3 on slow (until 40); left: job 0 320,
 *       job 1 60
 * t=40  jobs 0 and 1 waited 20 and ran 20; queue 1: job 4 on fast (until 45); queue 2: job 0 on
 *       slow
 * t=50  job 1 waited 30 < 40; queue 2: job 0 stays (300 left, until 200), job 1 on fast (until 65)
 */
static void tiresias_sinks(void **state) {
  (void)state;
  struct world world;
  world_init(&world, "slow=2 fast=2");
  world_set_jobs(&world, queue_jobs, COUNT(queue_jobs));
  world_run(&world, &policy_tiresias, ":thresholds=40:promote=2");
  world_expect(&world, (const double[]){200, 65, 35, 40, 45});
  assert_int_equal(world_preemptions(&world), 2);
  assert_int_equal(world_migrations(&world), 0);
  world_free(&world);
}

/*
 * Threshold 40, promotion after as much as the time run.
 * t=40  jobs 0 and 1 waited 20, ran 20: back in queue 1, where they started before job 4, which
 *       never did: job 0 on fast (320 left), job 1 on slow (60 left)
 * t=60  both have 40 since their promotion and sink (240 and 20 left): job 4 on fast (until 65);
 *       job 0 moves to slow; job 1 stops
 * t=70  job 1 waited 10 < 20: job 0 stays (220 left, until 180), job 1 on fast (until 75)
 */
static void tiresias_promotes(void **state) {
  (void)state;
  struct world world;
  world_init(&world, "slow=2 fast=2");
  world_set_jobs(&world, queue_jobs, COUNT(queue_jobs));
  world_run(&world, &policy_tiresias, ":thresholds=40:promote=1");
  world_expect(&world, (const double[]){180, 75, 35, 40, 65});
  assert_int_equal(world_preemptions(&world), 3);
  assert_int_equal(world_migrations(&world), 1);
  assert_int_equal(world.outcome[0].migrations, 1);
  world_free(&world);
}

/*
 * Bids (rate relative to the best, times weight) on slow=2, fast=2:
 *   job 0: fast 1, slow 0.5   job 1: slow 1, fast 1   job 2: fast 3, slow 1.5
 *   job 3: slow 1, fast 1     job 4: fast 2, slow 1
 * t=0   2 fast (2/s, until 10); 0 fast: one GPU left; 1 slow (2/s, until 15)
 * t=10  4 fast (4/s, until 15); 0 fast: full; 1 stays; 3, 4 slow: full
 * t=20  0 fast (4/s, until 30); 3 slow (1/s, until 30)
 */
static void max_rate_by_hand(void **state) {
  (void)state;
  static const struct world_job jobs[] = {
      {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 40},
      {.arrival = 0, .model = MODEL_SAME, .workers = 2, .steps = 30},
      {.arrival = 0, .model = MODEL_FAST, .workers = 1, .steps = 20, .weight = 3},
      {.arrival = 5, .model = MODEL_SAME, .workers = 1, .steps = 10},
      {.arrival = 5, .model = MODEL_FAST, .workers = 2, .steps = 20, .weight = 2},
  };
  struct world world;
  world_init(&world, "slow=2 fast=2");
  world_set_jobs(&world, jobs, COUNT(jobs));
  world_run(&world, &policy_max_rate, "");
  world_expect(&world, (const double[]){30, 15, 10, 30, 15});
  assert_int_equal(world_preemptions(&world), 0);
  world_free(&world);
}

/*
 * fifo on two nodes of two GPUs: best fit packs jobs 0 and 1 on node 0, jobs 2 and 3 on node 1.
 * Jobs 0 and 2 end at 10; then one GPU is free on each node, and job 4, a gang of two,
 *   prefer:  starts at 10, spread over both nodes (2/s, until 20)
 *   require: waits until job 1 has left node 0 at 30 (until 40)
 * sjf packs by length: jobs 0 and 2 on node 0, which is free for job 4 at 10.
 * srtf likewise, but job 4 (10 s) takes node 1 from jobs 1 and 3 (29 and 49 s left) as it arrives;
 * they go on at 10, on node 0.
 */
static void consolidation(void **state) {
  (void)state;
  static const struct world_job jobs[] = {
      {.arrival = 0, .model = MODEL_SAME, .workers = 1, .steps = 10},
      {.arrival = 0, .model = MODEL_SAME, .workers = 1, .steps = 30},
      {.arrival = 0, .model = MODEL_SAME, .workers = 1, .steps = 10},
      {.arrival = 0, .model = MODEL_SAME, .workers = 1, .steps = 50},
      {.arrival = 1, .model = MODEL_SAME, .workers = 2, .steps = 20},
  };
  struct world world;
  world_init(&world, "slow=2 slow=2");
  world_set_jobs(&world, jobs, COUNT(jobs));
  world_run(&world, &policy_fifo, ":consolidate=prefer");
  world_expect(&world, (const double[]){10, 30, 10, 50, 20});
  world_run(&world, &policy_fifo, ":consolidate=require");
  world_expect(&world, (const double[]){10, 30, 10, 50, 40});
  assert_true(world.waited[4][HSIM_NO_CAPACITY] == 9);
  assert_true(world.waited[4][HSIM_FRAGMENTED] == 20);
  static const char *const options[] = {":consolidate=prefer", ":consolidate=require"};
  for (int i = 0; i < COUNT(options); i++) {
    world_run(&world, &policy_sjf, options[i]);
    world_expect(&world, (const double[]){10, 30, 10, 50, 20});
    world_run(&world, &policy_srtf, options[i]);
    world_expect(&world, (const double[]){10, 39, 10, 59, 11});
  }
  world_free(&world);
}

/* A model that cannot run on the fast type waits for the slow one, whatever is free. */
static void types_that_cannot_run(void **state) {
  (void)state;
  static const struct world_job jobs[] = {
      {.arrival = 0, .model = MODEL_SLOW, .workers = 2, .steps = 20},
      {.arrival = 0, .model = MODEL_SLOW, .workers = 2, .steps = 20},
      {.arrival = 0, .model = MODEL_FAST, .workers = 2, .steps = 40},
  };
  static const struct hsim_policy *const policies[] = {
      &policy_fifo, &policy_sjf, &policy_srtf, &policy_las, &policy_tiresias, &policy_max_rate};
  struct world world;
  world_init(&world, "slow=2 fast=2");
  world_set_jobs(&world, jobs, COUNT(jobs));
  world.round_s = 100;
  for (int p = 0; p < COUNT(policies); p++) {
    world_run(&world, policies[p], "");
    double second = policies[p]->mode == HSIM_MODE_EVENT ? 20 : 110;
    double third = policies[p] == &policy_fifo ? 20 : 10;
    world_expect(&world, (const double[]){10, second, third});
  }
  world_free(&world);
}

/*
 * A node fails under its job, which goes back to its place in the queue.
 * t=0   job 0 on the only node (2/s) with 20 of its 100 steps done at 10
 * t=10  the node goes down; jobs 1 and 2 arrive at 12
 * t=20  the node comes up: job 0 first (80 left, until 60), then jobs 1 and 2 (2/s)
 */
static void node_failure(void **state) {
  (void)state;
  static const struct world_job jobs[] = {
      {.arrival = 0, .model = MODEL_SAME, .workers = 2, .steps = 100},
      {.arrival = 12, .model = MODEL_SAME, .workers = 2, .steps = 120},
      {.arrival = 12, .model = MODEL_SAME, .workers = 2, .steps = 140},
  };
  static const struct node_event events[] = {{10, 0, false}, {20, 0, true}};
  static const struct hsim_policy *const policies[] = {&policy_fifo, &policy_sjf, &policy_srtf};
  struct world world;
  world_init(&world, "slow=2");
  world_set_jobs(&world, jobs, COUNT(jobs));
  world.node_events = events;
  world.n_node_events = COUNT(events);
  for (int p = 0; p < COUNT(policies); p++) {
    world_run(&world, policies[p], "");
    world_expect(&world, (const double[]){60, 120, 190});
  }
  world_free(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fifo_blocks),       cmocka_unit_test(fifo_backfills),
      cmocka_unit_test(fifo_profile),      cmocka_unit_test(fifo_slowest),
      cmocka_unit_test(sjf_by_hand),       cmocka_unit_test(srtf_by_hand),
      cmocka_unit_test(las_by_hand),       cmocka_unit_test(tiresias_sinks),
      cmocka_unit_test(tiresias_promotes), cmocka_unit_test(max_rate_by_hand),
      cmocka_unit_test(consolidation),     cmocka_unit_test(types_that_cannot_run),
      cmocka_unit_test(node_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
