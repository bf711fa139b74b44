/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gandiva's packing as Gavel models it (OSDI'20, section 7.1): when the jobs ask for more GPUs than
 * there are, pairs are drawn by lot, whatever their rates; those that turn out to do less than one
 * job alone are given up at the next call. All combinations get the same part of the cluster.
 */
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/mt19937.h"
#include "policy/gavel/objective.h"

struct gandiva {
  struct mt19937 random;
  int *partner;  /* [n_jobs of the trace] by id, -1: none */
  int *position; /* [n_jobs of the trace] by id, of the jobs of this call */
  int *unpaired; /* positions, scratch */
};

/* Below it, a pair does less than one of the two alone. */
static const double WORTH_KEEPING = 1.0;

static void init(void *state, const struct objective_setup *setup) {
  struct gandiva *gandiva = state;
  size_t jobs = (size_t)setup->n_jobs;
  mt19937_seed(&gandiva->random, setup->seed);
  gandiva->partner = mem_alloc(jobs, sizeof *gandiva->partner);
  gandiva->position = mem_zero(jobs, sizeof *gandiva->position);
  gandiva->unpaired = mem_alloc(jobs, sizeof *gandiva->unpaired);
  for (size_t i = 0; i < jobs; i++)
    gandiva->partner[i] = -1;
}

static void release(void *state) {
  struct gandiva *gandiva = state;
  free(gandiva->partner);
  free(gandiva->position);
  free(gandiva->unpaired);
}

static bool run_together(const struct shares_problem *problem, int pair, int type) {
  const double *both = pair_rates_of(problem, pair) + 2 * type;
  return both[0] > 0.0 && both[1] > 0.0;
}

/* As coded the sum over all types, 0 if they cannot run together on one of them; else the mean over
 * the types where they can, 0 if there is none. */
static double score(const struct shares_problem *problem, int pair) {
  double sum = 0.0;
  int n = 0;
  for (int i = 0; i < problem->n_types && pair >= 0; i++) {
    int g = problem->type_order[i];
    if (run_together(problem, pair, g)) {
      sum += shares_pair_gain(problem, pair, g);
      n++;
    } else if (problem->coded) {
      return 0.0;
    }
  }
  return n == 0 || problem->coded ? sum : sum / n;
}

static int find_pair(const struct shares_problem *problem, int i, int k) {
  return i < k ? shares_find_pair(problem, i, k) : shares_find_pair(problem, k, i);
}

/* Where the job's partner stands, -1: it has none. */
static int partner_of(const struct gandiva *gandiva, const struct shares_problem *problem,
                      int job) {
  int partner = gandiva->partner[problem->ids[job]];
  return partner < 0 ? -1 : gandiva->position[partner];
}

static void forget(struct gandiva *gandiva, const struct shares_problem *problem) {
  for (int i = 0; i < problem->n_jobs; i++)
    gandiva->position[problem->ids[i]] = i;
  for (int i = 0; i < problem->n_jobs; i++) {
    int id = problem->ids[i], partner = gandiva->partner[id];
    int at = partner < 0 ? -1 : gandiva->position[partner];
    if (at < 0)
      continue;
    /* A position of a job that left is an old one, where another stands now, or none. */
    bool there = at < problem->n_jobs && problem->ids[at] == partner;
    if (there && score(problem, find_pair(problem, i, at)) >= WORTH_KEEPING)
      continue;
    gandiva->partner[id] = gandiva->partner[partner] = -1;
  }
}

static int list_unpaired(struct gandiva *gandiva, const struct shares_problem *problem) {
  int n = 0;
  for (int i = 0; i < problem->n_jobs; i++)
    if (gandiva->partner[problem->ids[i]] < 0)
      gandiva->unpaired[n++] = i;
  return n;
}

static int drop(int *list, int n, uint32_t at) {
  memmove(list + at, list + at + 1, ((size_t)n - at - 1) * sizeof *list);
  return n - 1;
}

/* As coded, a pair is taken whatever it can do, even if it can run nowhere. */
static bool may_pair(const struct shares_problem *problem, int i, int k) {
  return problem->workers[i] == problem->workers[k] &&
         (problem->coded || score(problem, find_pair(problem, i, k)) > 0.0);
}

static void draw_pairs(struct gandiva *gandiva, const struct shares_problem *problem) {
  int n = list_unpaired(gandiva, problem);
  for (int tries = n; tries > 0 && n > 1; tries--) {
    uint32_t drawn[2];
    mt19937_sample_two(&gandiva->random, (uint32_t)n, drawn);
    int i = gandiva->unpaired[drawn[0]], k = gandiva->unpaired[drawn[1]];
    if (!may_pair(problem, i, k))
      continue;
    gandiva->partner[problem->ids[i]] = problem->ids[k];
    gandiva->partner[problem->ids[k]] = problem->ids[i];
    bool in_order = drawn[0] < drawn[1];
    n = drop(gandiva->unpaired, n, drawn[in_order ? 1 : 0]);
    n = drop(gandiva->unpaired, n, drawn[in_order ? 0 : 1]);
  }
}

static bool crowded(const struct shares_problem *problem) {
  long long gpus = 0, workers = 0;
  for (int g = 0; g < problem->n_types; g++)
    gpus += problem->type_gpus[g];
  for (int i = 0; i < problem->n_jobs; i++)
    workers += problem->workers[i];
  return workers > gpus;
}

static void share_out(const struct shares_problem *problem, int n_parts, int job, int pair,
                      double *shares) {
  double *own = shares_of(problem, shares, pair < 0 ? job : problem->n_jobs + pair);
  shares_isolated(problem, n_parts, problem->workers[job], own);
  for (int g = 0; g < problem->n_types && !problem->coded; g++)
    if (pair < 0 ? rates_of(problem, job)[g] <= 0.0 : !run_together(problem, pair, g))
      own[g] = 0.0;
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)lp;
  (void)report;
  (void)error;
  struct gandiva *gandiva = state;
  forget(gandiva, problem);
  bool pairs = crowded(problem); /* else pairs rest, but are remembered */
  int n_parts = problem->n_jobs;
  if (pairs) {
    draw_pairs(gandiva, problem);
    n_parts = (problem->n_jobs + list_unpaired(gandiva, problem)) / 2; /* pairs are two jobs */
  }
  for (int i = 0; i < problem->n_jobs; i++) {
    int partner = pairs ? partner_of(gandiva, problem, i) : -1;
    if (partner < 0) {
      share_out(problem, n_parts, i, -1, shares);
    } else if (i < partner) {
      int pair = shares_find_pair(problem, i, partner);
      if (pair >= 0) /* what can run nowhere has its part all the same, but no row for it */
        share_out(problem, n_parts, i, pair, shares);
    }
  }
  return HSIM_OK;
}

const struct objective objective_gandiva = {.name = "gandiva",
                                            .aware = true,
                                            .pairs = true,
                                            .state_size = sizeof(struct gandiva),
                                            .init = init,
                                            .free = release,
                                            .allocate = allocate};
