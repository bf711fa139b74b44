/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Voda's placement manager: the worked example, node changes, and what holds on random input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "policy/voda/placement.h"

enum { MOST_JOBS = 40, MOST_NODES = 12 };

static struct voda_placement placement;
static struct voda_placed jobs[MOST_JOBS];
static struct voda_placed *list[MOST_JOBS];
static struct hsim_rng rng;

static void begin(const int *sizes, int n_nodes, enum voda_method method, enum voda_tie tie) {
  struct hsim_rng own;
  hsim_rng_init(&own, 7, "placement");
  voda_placement_init(&placement, sizes, n_nodes, method, tie, &own);
  for (int i = 0; i < MOST_JOBS; i++) {
    jobs[i] = (struct voda_placed){.id = i};
    list[i] = &jobs[i];
  }
}

static void end(void) {
  for (int i = 0; i < MOST_JOBS; i++)
    voda_placed_free(&jobs[i]);
  voda_placement_free(&placement);
}

static void place(const int *wanted, int n) {
  for (int i = 0; i < n; i++)
    jobs[i].wanted = wanted[i];
  voda_place(&placement, list, n);
}

static int workers_on(const struct voda_placed *job, int node) {
  int workers = 0;
  for (int s = 0; s < job->n_slots; s++)
    if (job->slots[s].node == node)
      workers += job->slots[s].workers;
  return workers;
}

/* Free slots are those that no job has; each job has what it says, one slot a node. */
static void check_books(int n) {
  int used[MOST_NODES] = {0};
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int s = 0; s < jobs[i].n_slots; s++) {
      assert_true(jobs[i].slots[s].workers > 0);
      assert_int_equal(workers_on(&jobs[i], jobs[i].slots[s].node), jobs[i].slots[s].workers);
      used[jobs[i].slots[s].node] += jobs[i].slots[s].workers;
      sum += jobs[i].slots[s].workers;
    }
    assert_int_equal(jobs[i].workers, sum);
  }
  for (int i = 0; i < placement.n_nodes; i++) {
    assert_true(placement.nodes[i].free >= 0);
    assert_int_equal(used[i], placement.nodes[i].size - placement.nodes[i].free);
  }
}

/* Gives the job workers on a node as if an earlier pass had. */
static void put(int job, int node, int workers) {
  jobs[job].slots = realloc(jobs[job].slots, 4 * sizeof *jobs[job].slots);
  jobs[job].slots_capacity = 4;
  jobs[job].slots[jobs[job].n_slots++] = (struct voda_slot){node, workers};
  jobs[job].workers += workers;
  placement.nodes[node].free -= workers;
}

static void packs_binds_and_counts_as_in_the_example(void **state) {
  (void)state;
  begin((int[]){4, 4, 4}, 3, VODA_MANAGER, VODA_TIE_SUBMIT);
  enum { A, B, C, D, E };
  put(A, 0, 3);
  put(B, 1, 2);
  put(C, 1, 2);
  put(D, 2, 3);
  place((int[]){2, 4, 2, 3, 1}, 5);
  check_books(5);
  assert_int_equal(workers_on(&jobs[A], 0), 2);
  assert_int_equal(workers_on(&jobs[C], 0), 2);
  assert_int_equal(workers_on(&jobs[B], 1), 4);
  assert_int_equal(workers_on(&jobs[D], 2), 3);
  assert_int_equal(workers_on(&jobs[E], 2), 1);
  assert_int_equal(placement.counts.moved, 2);
  assert_int_equal(placement.counts.restarts, 1);
  assert_int_equal(placement.counts.split, 0);
  assert_int_equal(jobs[C].moved, 2);
  assert_true(jobs[C].restart);
  assert_false(jobs[B].restart);
  end();
}

/* T14: the remainder of a job that fills a node goes on, not the whole of it again. */
static void splits_by_the_remainder(void **state) {
  (void)state;
  begin((int[]){4, 4, 4}, 3, VODA_MANAGER, VODA_TIE_SUBMIT);
  place((int[]){6, 6}, 2);
  check_books(2);
  assert_int_equal(jobs[0].n_slots, 2);
  assert_int_equal(workers_on(&jobs[0], 0), 4);
  assert_int_equal(workers_on(&jobs[0], 1), 2);
  assert_int_equal(workers_on(&jobs[1], 2), 4);
  assert_int_equal(workers_on(&jobs[1], 1), 2);
  assert_int_equal(placement.counts.split, 2);
  end();
  begin((int[]){4, 4}, 2, VODA_MANAGER, VODA_TIE_SUBMIT);
  place((int[]){6, 2}, 2);
  check_books(2);
  assert_int_equal(jobs[0].workers, 6);
  assert_int_equal(jobs[1].workers, 2);
  end();
}

static void releases_from_the_end_of_the_list(void **state) {
  (void)state;
  begin((int[]){4, 4}, 2, VODA_ANYWHERE, VODA_TIE_SUBMIT);
  put(0, 1, 3);
  put(0, 0, 3);
  place((int[]){4}, 1);
  assert_int_equal(workers_on(&jobs[0], 1), 3);
  assert_int_equal(workers_on(&jobs[0], 0), 1);
  place((int[]){2}, 1);
  assert_int_equal(jobs[0].n_slots, 1);
  assert_int_equal(workers_on(&jobs[0], 1), 2);
  place((int[]){0}, 1);
  assert_int_equal(jobs[0].n_slots, 0);
  check_books(1);
  end();
}

static void grows_in_place_but_may_have_to_leave(void **state) {
  (void)state;
  begin((int[]){4, 4}, 2, VODA_MANAGER, VODA_TIE_PLACED);
  put(0, 1, 2);
  place((int[]){4}, 1);
  assert_int_equal(workers_on(&jobs[0], 1), 4);
  assert_int_equal(placement.counts.moved, 0);
  end();
  /* It grows, and all that it had is elsewhere: a full restart. */
  begin((int[]){2, 4}, 2, VODA_MANAGER, VODA_TIE_PLACED);
  put(0, 0, 2);
  place((int[]){4}, 1);
  assert_int_equal(workers_on(&jobs[0], 1), 4);
  assert_int_equal(placement.counts.moved, 2);
  assert_int_equal(placement.counts.restarts, 1);
  end();
}

/* T15: logical nodes are bound to physical ones of their size. */
static void keeps_to_size_classes(void **state) {
  (void)state;
  begin((int[]){8, 4}, 2, VODA_MANAGER, VODA_TIE_SUBMIT);
  place((int[]){4}, 1);
  assert_int_equal(workers_on(&jobs[0], 1), 4);
  assert_int_equal(placement.nodes[0].size, 8);
  place((int[]){4, 8}, 2);
  assert_int_equal(workers_on(&jobs[1], 0), 8);
  check_books(2);
  end();
}

/* T17: a job that spans the node that goes. */
static void loses_a_node(void **state) {
  (void)state;
  begin((int[]){4, 4, 4}, 3, VODA_MANAGER, VODA_TIE_PLACED);
  place((int[]){6, 6}, 2);
  voda_placement_remove(&placement, 1, list, 2);
  assert_int_equal(placement.counts.evicted, 4);
  assert_int_equal(jobs[0].workers, 4);
  assert_int_equal(jobs[1].workers, 4);
  check_books(2);
  place((int[]){5, 3}, 2);
  check_books(2);
  assert_int_equal(jobs[0].workers, 5);
  assert_int_equal(jobs[1].workers, 3);
  assert_int_equal(workers_on(&jobs[0], 1) + workers_on(&jobs[1], 1), 0);
  voda_placement_add(&placement, 1, 4);
  place((int[]){4, 4}, 2);
  check_books(2);
  assert_int_equal(jobs[0].n_slots, 1);
  assert_int_equal(jobs[1].n_slots, 1);
  end();
}

static void leaves_out_what_does_not_fit(void **state) {
  (void)state;
  begin((int[]){4}, 1, VODA_MANAGER, VODA_TIE_SUBMIT);
  put(2, 0, 1);
  place((int[]){3, 2, 1}, 3);
  assert_int_equal(placement.counts.unplaced, 2);
  assert_int_equal(jobs[0].workers, 3);
  assert_int_equal(jobs[1].workers, 1);
  assert_int_equal(jobs[2].workers, 0);
  check_books(3);
  end();
}

static void ties_go_by_what_is_placed(void **state) {
  (void)state;
  /* Job 1 stands on node 0 and job 0 on node 1; by submission they would change places. */
  begin((int[]){4, 4}, 2, VODA_MANAGER, VODA_TIE_PLACED);
  put(1, 0, 2);
  put(0, 1, 2);
  place((int[]){2, 2, 2}, 3);
  assert_int_equal(placement.counts.moved, 2); /* packed together on one node */
  assert_int_equal(workers_on(&jobs[1], 0), 2);
  assert_int_equal(workers_on(&jobs[0], 0), 2);
  assert_int_equal(workers_on(&jobs[2], 1), 2);
  end();
}

/* ---- Random input ---- */

static int between(int low, int high) {
  return low + (int)hsim_rng_below(&rng, (uint64_t)(high - low + 1));
}

static int random_sizes(int *sizes) {
  int n = between(1, MOST_NODES), same = between(0, 1);
  for (int i = 0; i < n; i++)
    sizes[i] = same ? 4 : between(1, 8);
  return n;
}

static void random_wants(int n) {
  int left = 0;
  for (int i = 0; i < placement.n_nodes; i++)
    left += placement.nodes[i].size;
  for (int i = 0; i < n; i++) {
    int want = between(0, 3) == 0 ? 0 : between(1, 6);
    jobs[i].wanted = want <= left ? want : 0;
    left -= jobs[i].wanted;
  }
}

/* Migrations are what each job kept beyond what it kept in place: counted here from the slots. */
static void counts_what_moved(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 400; seed++) {
    hsim_rng_init(&rng, seed, "placement test");
    int sizes[MOST_NODES], n_nodes = random_sizes(sizes), n = between(1, 10);
    begin(sizes, n_nodes, VODA_MANAGER, (enum voda_tie)between(0, 2));
    for (int pass = 0; pass < 6; pass++) {
      int before[MOST_JOBS][MOST_NODES], had[MOST_JOBS];
      random_wants(n);
      for (int i = 0; i < n; i++) {
        /* What is left after the release: from the front of the list. */
        int left = jobs[i].wanted < jobs[i].workers ? jobs[i].wanted : jobs[i].workers;
        memset(before[i], 0, sizeof before[i]);
        had[i] = left;
        for (int s = 0; s < jobs[i].n_slots && left > 0; s++) {
          int here = jobs[i].slots[s].workers < left ? jobs[i].slots[s].workers : left;
          before[i][jobs[i].slots[s].node] = here;
          left -= here;
        }
      }
      long long moved = placement.counts.moved, restarts = placement.counts.restarts;
      voda_place(&placement, list, n);
      check_books(n);
      for (int i = 0; i < n; i++) {
        int kept = 0;
        for (int node = 0; node < n_nodes; node++) {
          int now = workers_on(&jobs[i], node);
          kept += now < before[i][node] ? now : before[i][node];
        }
        assert_int_equal(jobs[i].workers, jobs[i].wanted);
        moved += had[i] - kept;
        restarts += had[i] > 0 && kept == 0;
      }
      if (placement.counts.moved != moved || placement.counts.restarts != restarts)
        fail_msg("seed %llu, pass %d: moved %lld and restarts %lld, expected %lld and %lld",
                 (unsigned long long)seed, pass, placement.counts.moved, placement.counts.restarts,
                 moved, restarts);
    }
    end();
  }
}

static void the_same_again_moves_nobody(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 400; seed++) {
    hsim_rng_init(&rng, seed, "placement test");
    int sizes[MOST_NODES], n_nodes = random_sizes(sizes), n = between(1, 10);
    begin(sizes, n_nodes, VODA_MANAGER, (enum voda_tie)between(0, 2));
    for (int pass = 0; pass < 4; pass++) {
      random_wants(n);
      voda_place(&placement, list, n);
      long long moved = placement.counts.moved;
      voda_place(&placement, list, n);
      if (placement.counts.moved != moved)
        fail_msg("seed %llu: %lld workers moved", (unsigned long long)seed,
                 placement.counts.moved - moved);
    }
    end();
  }
}

/* Also when the pass is made: packed by submission, the same jobs stand in the same nodes. */
static void packing_again_binds_to_the_same_nodes(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 400; seed++) {
    hsim_rng_init(&rng, seed, "placement test");
    int sizes[MOST_NODES], n_nodes = random_sizes(sizes), n = between(1, 10);
    begin(sizes, n_nodes, VODA_MANAGER, VODA_TIE_SUBMIT);
    for (int pass = 0; pass < 4; pass++) {
      random_wants(n);
      voda_place(&placement, list, n);
      long long moved = placement.counts.moved;
      voda_placement_add(&placement, 0, placement.nodes[0].size); /* "a node has come" */
      voda_place(&placement, list, n);
      if (placement.counts.moved != moved)
        fail_msg("seed %llu: %lld workers moved", (unsigned long long)seed,
                 placement.counts.moved - moved);
    }
    end();
  }
}

static void random_placement_moves_nobody(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    hsim_rng_init(&rng, seed, "placement test");
    int sizes[MOST_NODES], n_nodes = random_sizes(sizes), n = between(1, 10);
    begin(sizes, n_nodes, VODA_ANYWHERE, VODA_TIE_PLACED);
    for (int pass = 0; pass < 6; pass++) {
      random_wants(n);
      voda_place(&placement, list, n);
      check_books(n);
      for (int i = 0; i < n; i++)
        assert_int_equal(jobs[i].workers, jobs[i].wanted);
    }
    assert_int_equal(placement.counts.moved, 0);
    end();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packs_binds_and_counts_as_in_the_example),
      cmocka_unit_test(splits_by_the_remainder),
      cmocka_unit_test(releases_from_the_end_of_the_list),
      cmocka_unit_test(grows_in_place_but_may_have_to_leave),
      cmocka_unit_test(keeps_to_size_classes),
      cmocka_unit_test(loses_a_node),
      cmocka_unit_test(leaves_out_what_does_not_fit),
      cmocka_unit_test(ties_go_by_what_is_placed),
      cmocka_unit_test(counts_what_moved),
      cmocka_unit_test(the_same_again_moves_nobody),
      cmocka_unit_test(packing_again_binds_to_the_same_nodes),
      cmocka_unit_test(random_placement_moves_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
