/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times one allocation by each of Voda's algorithms, and one placement pass: JOBS active jobs on
 * nodes of 8 GPUs, GPUS in all.
 *
 * usage: voda_rescheduling JOBS GPUS RUNS
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/clock.h"
#include "model/memory.h"
#include "policy/voda/allocate.h"
#include "policy/voda/placement.h"

enum { NODE_GPUS = 8, LARGEST = 16, TABLE = LARGEST + 2 };

static const char *const names[] = {"fifo",     "elastic_fifo",     "srjf", "elastic_srjf",
                                    "tiresias", "elastic_tiresias", "ffdl", "afs_l"};

/* Sizes 1..2, 1..4, 1..8 and 1..16, sub-linear; remaining times that differ. */
static void make_job(struct voda_job *job, double *table, int id, struct hsim_rng *rng) {
  int max = 2 << hsim_rng_below(rng, 4);
  double efficiency = 0.6 + 0.39 * hsim_rng_uniform(rng), gain = 1;
  table[0] = 0;
  for (int k = 1; k < TABLE; k++) {
    table[k] = k > max ? table[max] : table[k - 1] + gain;
    gain *= efficiency;
  }
  *job = (struct voda_job){.id = id,
                           .min = 1,
                           .np = max / 2,
                           .max = max,
                           .queue = (int)hsim_rng_below(rng, VODA_QUEUES),
                           .first_start_s = hsim_rng_below(rng, 4) ? 1e6 * hsim_rng_uniform(rng)
                                                                   : (double)INFINITY,
                           .left_s = 1e5 * hsim_rng_uniform(rng),
                           .speedup = table};
}

static void time_allocations(struct voda_job *jobs, int n, int gpus, int runs) {
  struct voda_allocator allocator = {0};
  for (int a = VODA_FIFO; a <= VODA_AFS_L; a++) {
    struct voda_rules rules = {.algorithm = (enum voda_algorithm)a, .compaction = 10};
    double best = INFINITY;
    for (int r = 0; r < runs; r++) {
      double began = clock_seconds();
      voda_allocate(&allocator, &rules, jobs, n, gpus);
      best = fmin(best, clock_seconds() - began);
    }
    printf(" %s %.3f ms", names[a], 1e3 * best);
  }
  voda_allocator_free(&allocator);
}

/* Each pass gives every job another size, so that all is packed and bound anew. */
static double time_placement(const struct voda_job *jobs, int n, int gpus, int runs,
                             struct hsim_rng *rng) {
  int n_nodes = gpus / NODE_GPUS;
  int *sizes = mem_alloc((size_t)n_nodes, sizeof *sizes);
  for (int i = 0; i < n_nodes; i++)
    sizes[i] = NODE_GPUS;
  struct voda_placement placement;
  voda_placement_init(&placement, sizes, n_nodes, VODA_MANAGER, VODA_TIE_PLACED, rng);
  struct voda_placed *placed = mem_zero((size_t)n, sizeof *placed);
  struct voda_placed **list = mem_alloc((size_t)n, sizeof(struct voda_placed *));
  double worst = 0;
  for (int r = 0; r < runs; r++) {
    int left = gpus;
    for (int i = 0; i < n; i++) {
      int wanted = 1 + (int)hsim_rng_below(rng, (uint64_t)jobs[i].max);
      placed[i].id = i;
      placed[i].wanted = wanted <= left ? wanted : 0;
      left -= placed[i].wanted;
      list[i] = &placed[i];
    }
    double began = clock_seconds();
    voda_place(&placement, list, n);
    worst = fmax(worst, clock_seconds() - began);
  }
  for (int i = 0; i < n; i++)
    voda_placed_free(&placed[i]);
  voda_placement_free(&placement);
  free(placed);
  free(list);
  free(sizes);
  return worst;
}

int main(int argc, char **argv) {
  int n = argc == 4 ? atoi(argv[1]) : 0, gpus = argc == 4 ? atoi(argv[2]) : 0;
  int runs = argc == 4 ? atoi(argv[3]) : 0;
  if (n < 1 || gpus < NODE_GPUS || runs < 1) {
    fprintf(stderr, "usage: voda_rescheduling JOBS GPUS RUNS\n");
    return 2;
  }
  struct hsim_rng rng;
  hsim_rng_init(&rng, 1, "voda bench");
  struct voda_job *jobs = mem_alloc((size_t)n, sizeof *jobs);
  double *tables = mem_alloc((size_t)n * TABLE, sizeof *tables);
  for (int i = 0; i < n; i++)
    make_job(&jobs[i], &tables[i * TABLE], i, &rng);
  printf("%d jobs, %d GPUs:", n, gpus);
  time_allocations(jobs, n, gpus, runs);
  double worst = time_placement(jobs, n, gpus, runs, &rng);
  printf(", placement on %d nodes %.3f ms\n", gpus / NODE_GPUS, 1e3 * worst);
  free(jobs);
  free(tables);
  return 0;
}
