/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must hold of Voda's algorithms on any input, tried on random ones; a failure prints its
 * seed. The two that grant GPU by GPU are compared with plain versions of themselves.
 */
#include <stdlib.h>

#include "hsim/view.h"
#include "voda_jobs.h"

enum { SEEDS = 3000, N_ALGORITHMS = VODA_AFS_L + 1 };

static const char *const names[N_ALGORITHMS] = {"fifo",         "elastic_fifo", "srjf",
                                                "elastic_srjf", "tiresias",     "elastic_tiresias",
                                                "ffdl",         "afs_l"};

static struct jobs jobs;
static struct hsim_rng rng;

static int between(int low, int high) {
  return low + (int)hsim_rng_below(&rng, (uint64_t)(high - low + 1));
}

/* Speedups with two decimals; sub-linear ones, flat ones, some that fall. */
static void random_table(double *table, int max) {
  int shape = between(0, 3);
  double gain = 1;
  table[1] = 1;
  for (int k = 2; k <= max; k++) {
    if (shape > 0)
      gain *= between(40, 100) / 100.0;
    if (shape == 2 && between(0, 3) == 0)
      gain = 0;
    table[k] = table[k - 1] + round(gain * 100) / 100;
    if (shape == 3 && between(0, 4) == 0)
      table[k] = fmax(table[k - 1] - 0.25, 0.25);
  }
  table[max + 1] = table[max];
}

static void random_jobs(uint64_t seed, int most, int largest, bool min_one) {
  hsim_rng_init(&rng, seed, "voda jobs");
  clear_jobs(&jobs);
  int n = between(1, most);
  for (int i = 0; i < n; i++) {
    int max = between(1, largest), min = min_one ? 1 : between(1, max), np = between(min, max);
    struct voda_job *job = add_job(&jobs, min, np, max, between(1, 40) * 100, NULL);
    random_table(jobs.tables[i], max);
    job->queue = between(0, 1);
    job->first_start_s = between(0, 3) > 0 ? between(0, 9) : (double)INFINITY;
  }
  jobs.rules = (struct voda_rules){.compaction = between(0, 4)};
}

static int sum_got(void) {
  int sum = 0;
  for (int i = 0; i < jobs.n; i++)
    sum += jobs.at[i].got;
  return sum;
}

static void check_sound(uint64_t seed, int gpus) {
  for (int i = 0; i < jobs.n; i++) {
    const struct voda_job *job = &jobs.at[i];
    if (job->got != 0 && (job->got < job->min || job->got > job->max))
      fail_msg("seed %llu, %s, %d GPUs: job %d of %d..%d got %d", (unsigned long long)seed,
               names[jobs.rules.algorithm], gpus, i, job->min, job->max, job->got);
  }
  if (sum_got() > gpus)
    fail_msg("seed %llu, %s: %d GPUs given of %d", (unsigned long long)seed,
             names[jobs.rules.algorithm], sum_got(), gpus);
}

static void sizes_are_allowed_and_order_does_not_matter(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    random_jobs(seed, 12, 8, false);
    int gpus = between(1, 24);
    for (int a = 0; a < N_ALGORITHMS; a++) {
      int got[12];
      for (int coded = 0; coded < 2; coded++) {
        jobs.rules.as_coded = coded;
        allocate(&jobs, (enum voda_algorithm)a, gpus);
        check_sound(seed, gpus);
      }
      jobs.rules.as_coded = false;
      allocate(&jobs, (enum voda_algorithm)a, gpus);
      for (int i = 0; i < jobs.n; i++)
        got[jobs.at[i].id] = jobs.at[i].got;
      for (int i = jobs.n - 1; i > 0; i--) {
        int other = between(0, i);
        struct voda_job job = jobs.at[i];
        jobs.at[i] = jobs.at[other];
        jobs.at[other] = job;
      }
      allocate(&jobs, (enum voda_algorithm)a, gpus);
      for (int i = 0; i < jobs.n; i++)
        if (jobs.at[i].got != got[jobs.at[i].id])
          fail_msg("seed %llu, %s: job %d got %d, in another order %d", (unsigned long long)seed,
                   names[a], jobs.at[i].id, got[jobs.at[i].id], jobs.at[i].got);
    }
  }
}

/* GPUs idle only when nobody can use them. */
static void nothing_is_left_that_fits(void **state) {
  (void)state;
  static const enum voda_algorithm conserving[] = {VODA_ELASTIC_FIFO, VODA_ELASTIC_SRJF, VODA_AFS_L,
                                                   VODA_ELASTIC_TIRESIAS};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    random_jobs(seed, 8, 6, false);
    int gpus = between(1, 24);
    for (size_t a = 0; a < sizeof conserving / sizeof *conserving; a++) {
      allocate(&jobs, conserving[a], gpus);
      int idle = gpus - sum_got();
      for (int i = 0; i < jobs.n && idle > 0; i++) {
        const struct voda_job *job = &jobs.at[i];
        bool done = job->got == job->max || (job->got == 0 && job->min > idle);
        bool gains = job->got == 0 || job->speedup[job->got + 1] - job->speedup[job->got] > 1e-9;
        if (conserving[a] == VODA_ELASTIC_TIRESIAS)
          done = done || !gains;
        if (!done)
          fail_msg("seed %llu, %s: %d GPUs idle, job %d of %d..%d has %d", (unsigned long long)seed,
                   names[conserving[a]], idle, i, job->min, job->max, job->got);
      }
    }
  }
}

/* The best sum over all shares of the jobs from `at` on, each at least its min. */
static double best_sum(int at, int n, int gpus) {
  if (at == n)
    return 0;
  double best = -INFINITY;
  for (int g = jobs.at[at].min; g <= jobs.at[at].max && g <= gpus; g++)
    best = fmax(best, jobs.at[at].speedup[g] + best_sum(at + 1, n, gpus - g));
  return best;
}

static double ffdl_sum(void) {
  double sum = 0;
  for (int i = 0; i < jobs.n; i++)
    sum += jobs.at[i].speedup[jobs.at[i].got];
  return sum;
}

static void ffdl_equals_brute_force(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    random_jobs(seed, 5, 6, false);
    int gpus = between(1, 10), admitted = 0, need = 0;
    while (admitted < jobs.n && need + jobs.at[admitted].min <= gpus)
      need += jobs.at[admitted++].min;
    allocate(&jobs, VODA_FFDL, gpus);
    double best = best_sum(0, admitted, gpus);
    if (fabs(ffdl_sum() - best) > 1e-6)
      fail_msg("seed %llu: the sum is %.9g, the best %.9g", (unsigned long long)seed, ffdl_sum(),
               best);
    for (int i = 0; i < jobs.n; i++)
      assert_true((jobs.at[i].got > 0) == (i < admitted));
  }
}

static void more_gpus_are_no_worse_under_ffdl(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    double before = 0;
    for (int gpus = 1; gpus <= 24; gpus++) {
      random_jobs(seed, 8, 6, true);
      allocate(&jobs, VODA_FFDL, gpus);
      if (ffdl_sum() < before - 1e-9)
        fail_msg("seed %llu, %d GPUs: the sum fell from %.9g to %.9g", (unsigned long long)seed,
                 gpus, before, ffdl_sum());
      before = ffdl_sum();
    }
  }
}

static void ffdl_leaves_useless_gpus_idle(void **state) {
  (void)state;
  static const double flat[] = {1, 1.5, 1.5, 1.5, 0};
  clear_jobs(&jobs);
  add_job(&jobs, 1, 2, 4, 1, flat);
  add_job(&jobs, 1, 2, 4, 1, flat);
  allocate(&jobs, VODA_FFDL, 8);
  expect_got(&jobs, 2, 2);
}

static void with_room_for_all_everyone_is_at_max(void **state) {
  (void)state;
  static const enum voda_algorithm elastic[] = {VODA_ELASTIC_FIFO, VODA_ELASTIC_SRJF,
                                                VODA_ELASTIC_TIRESIAS, VODA_FFDL, VODA_AFS_L};
  for (size_t a = 0; a < sizeof elastic / sizeof *elastic; a++) {
    jobs.rules = (struct voda_rules){.compaction = 10};
    load_f8(&jobs);
    allocate(&jobs, elastic[a], 16);
    expect_got(&jobs, 4, 4, 4, 4);
    if (elastic[a] == VODA_ELASTIC_TIRESIAS)
      continue;
    allocate(&jobs, elastic[a], 4);
    expect_got(&jobs, 1, 1, 1, 1);
  }
}

/* ---- Plain versions ---- */

/* Elastic-Tiresias with a list that is sorted anew before each grant. */
struct plain {
  struct voda_job *job;
  double gain;
  int place; /* in the list before */
};

static int by_gain(const void *a, const void *b) {
  const struct plain *x = a, *y = b;
  if (x->gain != y->gain)
    return x->gain > y->gain ? -1 : 1;
  if (x->job->queue != y->job->queue)
    return x->job->queue < y->job->queue ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static double plain_gain(const struct voda_job *job) {
  double gain = job->got > 0 ? job->speedup[job->got + 1] - job->speedup[job->got]
                             : job->speedup[job->min] / job->min;
  return round(gain * 1e9);
}

static void plain_grants(int gpus, int *n_list, struct plain *list) {
  while (gpus > 0 && *n_list > 0) {
    for (int i = 0; i < *n_list; i++) {
      list[i].gain = plain_gain(list[i].job);
      list[i].place = i;
    }
    qsort(list, (size_t)*n_list, sizeof *list, by_gain);
    struct voda_job *job = list[0].job;
    if (list[0].gain <= 0)
      return;
    int block = job->got > 0 ? 1 : job->min;
    bool fits = block <= gpus;
    if (fits) {
      job->got += block;
      gpus -= block;
    }
    if (!fits || job->got == job->max) {
      --*n_list;
      memmove(list, list + 1, (size_t)*n_list * sizeof *list);
    }
  }
}

static void plain_elastic_tiresias(int gpus) {
  struct plain list[JOBS_MAX];
  int n = 0, pending = 0;
  allocate(&jobs, VODA_TIRESIAS, gpus);
  for (int i = 0; i < jobs.n; i++)
    pending += jobs.at[i].got == 0;
  for (int i = 0; i < jobs.n; i++)
    if (pending > jobs.rules.compaction && jobs.at[i].queue > 0 && jobs.at[i].got > 0)
      jobs.at[i].got = jobs.at[i].min;
  gpus -= sum_got();
  for (int i = 0; i < jobs.n; i++)
    if (jobs.at[i].got < jobs.at[i].max && (jobs.at[i].got > 0 || jobs.at[i].min <= gpus))
      list[n++].job = &jobs.at[i];
  plain_grants(gpus, &n, list);
}

static bool y_wins(const struct voda_job *x, const struct voda_job *y) {
  double inf = (double)INFINITY;
  if (x->got == 0 && y->got == 0)
    return x->left_s >= y->left_s;
  double length_x = x->got ? x->left_s / x->speedup[x->got] : inf;
  double length_y = y->got ? y->left_s / y->speedup[y->got] : inf;
  bool swap = length_y <= length_x * (1 + 1e-9);
  const struct voda_job *s = swap ? y : x, *l = swap ? x : y;
  double gain = s->got ? s->speedup[s->got + 1] / s->speedup[s->got] - 1 : inf;
  double loss = l->got ? 1 - l->speedup[l->got] / l->speedup[l->got + 1] : 1;
  return (loss > gain + 1e-9 ? l : s) == y;
}

static void plain_afs(int gpus) {
  bool out[JOBS_MAX] = {false};
  for (int i = 0; i < jobs.n; i++)
    jobs.at[i].got = 0;
  while (gpus > 0) {
    int champion = -1;
    for (int i = 0; i < jobs.n; i++)
      if (!out[i] && (champion < 0 || y_wins(&jobs.at[champion], &jobs.at[i])))
        champion = i;
    if (champion < 0)
      return;
    struct voda_job *job = &jobs.at[champion];
    int block = job->got ? 1 : job->min;
    if (block <= gpus) {
      job->got += block;
      gpus -= block;
    }
    out[champion] = job->got == 0 || job->got == job->max;
  }
}

static void compare(uint64_t seed, enum voda_algorithm algorithm, int gpus, void plain(int)) {
  int wanted[12];
  plain(gpus);
  for (int i = 0; i < jobs.n; i++)
    wanted[i] = jobs.at[i].got;
  allocate(&jobs, algorithm, gpus);
  for (int i = 0; i < jobs.n; i++)
    if (jobs.at[i].got != wanted[i])
      fail_msg("seed %llu, %s, %d GPUs: job %d got %d, plainly %d", (unsigned long long)seed,
               names[algorithm], gpus, i, jobs.at[i].got, wanted[i]);
}

static void fast_versions_equal_plain_ones(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    random_jobs(seed, 12, 8, seed % 2 == 0);
    int gpus = between(1, 30);
    compare(seed, VODA_ELASTIC_TIRESIAS, gpus, plain_elastic_tiresias);
    compare(seed, VODA_AFS_L, gpus, plain_afs);
  }
}

static int tidy(void **state) {
  (void)state;
  free_jobs(&jobs);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_allowed_and_order_does_not_matter),
      cmocka_unit_test(nothing_is_left_that_fits),
      cmocka_unit_test(ffdl_equals_brute_force),
      cmocka_unit_test(more_gpus_are_no_worse_under_ffdl),
      cmocka_unit_test(ffdl_leaves_useless_gpus_idle),
      cmocka_unit_test(with_room_for_all_everyone_is_at_max),
      cmocka_unit_test(fast_versions_equal_plain_ones),
  };
  return cmocka_run_group_tests(tests, NULL, tidy);
}
