/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gavel's objectives: each turns the jobs of the moment into time shares. One file each; the list
 * is in objectives.c.
 *
 * A *combination* is what GPUs are given to: one job alone, or two jobs of the same gang size on
 * the same GPUs (a pair). Shares stand one row a combination, one column a GPU type: first those of
 * the jobs alone, in the order of the jobs, then those of the pairs.
 */
#ifndef HSIM_POLICY_GAVEL_OBJECTIVE_H
#define HSIM_POLICY_GAVEL_OBJECTIVE_H

#include "hsim/types.h"
#include "solver/lp.h"

/* Positions of two jobs, a < b. */
struct shares_pair {
  int a, b;
};

/* What an objective may look at. Jobs stand in arrival order, types in `type_order`: the one of
 * Gavel's matrices, in which the names ascend. */
struct shares_problem {
  int n_jobs, n_types, n_pairs;
  const int *type_order;    /* [n_types] */
  const int *type_gpus;     /* [n_types] GPUs of each type */
  const double *prices;     /* [n_types] per GPU and hour, all 1 by default */
  const int *ids;           /* [n_jobs] ascending; a job has the same at every call */
  const int *workers;       /* [n_jobs] */
  const double *weights;    /* [n_jobs] > 0 */
  const int *entities;      /* [n_jobs] whom the job belongs to, 0.. */
  const double *rates;      /* [n_jobs][n_types] steps per second alone, as the objective is to see
                               them (struct objective.rates); 0: cannot run there */
  const double *remaining;  /* [n_jobs] steps, > 0 */
  const double *age_s;      /* [n_jobs] seconds since the arrival */
  const double *deadline_s; /* [n_jobs] seconds left until the deadline, NaN when there is none */
  /* Pairs that can run somewhere (as Gavel sees it, all of one gang size are pairs: a share of one
   * that is not here has no effect); ascending b, then a. */
  const struct shares_pair *pairs;  /* [n_pairs] */
  const double *pair_rates;         /* [n_pairs][n_types][2] of a, of b; both 0: cannot run there */
  const struct entities *by_entity; /* NULL: all jobs are of one entity; see entities.h */
  bool coded; /* as Gavel's published code does it, else as its paper means it */
};

/* For the policy log. */
struct shares_report {
  double optimum; /* of the objective; NaN when it has none */
  int classes;    /* groups of equal jobs in the linear program, 0 when there is none */
};

/* Constant during a run. */
struct objective_setup {
  int n_jobs, n_types; /* of the trace, of the cluster: ids are below n_jobs */
  uint64_t seed;
  bool coded;
};

/* Which rates an objective sees. */
enum objective_rates {
  RATES_TRUE,
  RATES_EQUAL,    /* 1 on every type that the job can run on (as coded: on every type) */
  RATES_REFERENCE /* on every type that it can run on (as coded: on every type) that of v100 */
};

struct objective {
  const char *name;
  enum objective_rates rates;
  bool strict;       /* combinations without a priority wait even if GPUs are left over */
  bool aware;        /* of performance: as coded, the order of the types is not shuffled */
  bool pairs;        /* jobs may share GPUs */
  bool remaining;    /* knows the remaining steps */
  size_t state_size; /* what it remembers from call to call; zeroed before init */
  void (*init)(void *state, const struct objective_setup *setup);
  void (*free)(void *state);
  /* shares: [n_jobs + n_pairs][n_types], all 0 on entry. n_jobs >= 1. */
  enum hsim_status (*allocate)(void *state, const struct shares_problem *problem, struct lp *lp,
                               double *shares, struct shares_report *report,
                               struct hsim_error *error);
  /* Called right after allocate with the same problem: what the objective is worth at other
   * shares. NULL: it has no objective function. */
  double (*value)(const void *state, const struct shares_problem *problem, const double *shares);
};

/* Their names, in the order of objective_at(). */
#define OBJECTIVE_CHOICES                                                                          \
  "max_min_fairness_perf|"                                                                         \
  "max_min_fairness|"                                                                              \
  "max_min_fairness_packed|"                                                                       \
  "max_min_fairness_water_filling|"                                                                \
  "max_min_fairness_water_filling_perf|"                                                           \
  "max_min_fairness_water_filling_packed|"                                                         \
  "finish_time_fairness|"                                                                          \
  "finish_time_fairness_perf|"                                                                     \
  "finish_time_fairness_packed|"                                                                   \
  "min_total_duration|"                                                                            \
  "min_total_duration_perf|"                                                                       \
  "min_total_duration_packed|"                                                                     \
  "max_sum_throughput_perf|"                                                                       \
  "max_sum_throughput_normalized_by_cost_perf|"                                                    \
  "max_sum_throughput_normalized_by_cost_perf_SLOs|"                                               \
  "max_sum_throughput_normalized_by_cost_packed_SLOs|"                                             \
  "fifo|"                                                                                          \
  "fifo_perf|"                                                                                     \
  "fifo_packed|"                                                                                   \
  "isolated|"                                                                                      \
  "allox|"                                                                                         \
  "gandiva"
/* NULL past the last. */
const struct objective *objective_at(int index);

extern const struct objective objective_max_min_fairness_perf;
extern const struct objective objective_max_min_fairness;
extern const struct objective objective_max_min_fairness_packed;
extern const struct objective objective_max_min_fairness_water_filling;
extern const struct objective objective_max_min_fairness_water_filling_perf;
extern const struct objective objective_max_min_fairness_water_filling_packed;
extern const struct objective objective_finish_time_fairness;
extern const struct objective objective_finish_time_fairness_perf;
extern const struct objective objective_finish_time_fairness_packed;
extern const struct objective objective_min_total_duration;
extern const struct objective objective_min_total_duration_perf;
extern const struct objective objective_min_total_duration_packed;
extern const struct objective objective_max_sum_throughput_perf;
extern const struct objective objective_max_sum_throughput_normalized_by_cost_perf;
extern const struct objective objective_max_sum_throughput_normalized_by_cost_perf_slos;
extern const struct objective objective_max_sum_throughput_normalized_by_cost_packed_slos;
extern const struct objective objective_fifo;
extern const struct objective objective_fifo_perf;
extern const struct objective objective_fifo_packed;
extern const struct objective objective_isolated;
extern const struct objective objective_allox;
extern const struct objective objective_gandiva;

static inline const double *rates_of(const struct shares_problem *problem, int job) {
  return problem->rates + (size_t)job * (size_t)problem->n_types;
}

static inline const double *pair_rates_of(const struct shares_problem *problem, int pair) {
  return problem->pair_rates + (size_t)pair * (size_t)problem->n_types * 2;
}

static inline double *shares_of(const struct shares_problem *problem, double *shares,
                                int combination) {
  return shares + (size_t)combination * (size_t)problem->n_types;
}

/* The pair of these two jobs, a < b; -1 when there is none. O(log n_pairs). */
int shares_find_pair(const struct shares_problem *problem, int a, int b);

/* What a pair does on the type, in jobs alone: the sum of its members' rates together, each as a
 * part of the rate alone. A member that cannot run there, alone or in the pair, counts 0. */
double shares_pair_gain(const struct shares_problem *problem, int pair, int type);

/* The job's rate on the cluster's average GPU: on each type its part of all GPUs. */
double shares_proportional_rate(const struct shares_problem *problem, int job);

/* [n_types] the shares of a job when each job gets the same part of every type (OSDI'20, section
 * 4.2; Gavel's policy "isolated"): (N_g / m) / s, scaled down to a sum of 1. */
void shares_isolated(const struct shares_problem *problem, int n_parts, int workers,
                     double *shares);

#endif
