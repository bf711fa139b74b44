/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of objectives, and what several of them share. */
#include "policy/gavel/objective.h"

static const struct objective *const OBJECTIVES[] = {
    &objective_max_min_fairness_perf,
    &objective_max_min_fairness,
    &objective_max_min_fairness_packed,
    &objective_max_min_fairness_water_filling,
    &objective_max_min_fairness_water_filling_perf,
    &objective_max_min_fairness_water_filling_packed,
    &objective_finish_time_fairness,
    &objective_finish_time_fairness_perf,
    &objective_finish_time_fairness_packed,
    &objective_min_total_duration,
    &objective_min_total_duration_perf,
    &objective_min_total_duration_packed,
    &objective_max_sum_throughput_perf,
    &objective_max_sum_throughput_normalized_by_cost_perf,
    &objective_max_sum_throughput_normalized_by_cost_perf_slos,
    &objective_max_sum_throughput_normalized_by_cost_packed_slos,
    &objective_fifo,
    &objective_fifo_perf,
    &objective_fifo_packed,
    &objective_isolated,
    &objective_allox,
    &objective_gandiva,
};

const struct objective *objective_at(int index) {
  enum { N_OBJECTIVES = sizeof OBJECTIVES / sizeof *OBJECTIVES };
  return index >= 0 && index < N_OBJECTIVES ? OBJECTIVES[index] : NULL;
}

int shares_find_pair(const struct shares_problem *problem, int a, int b) {
  int low = 0, high = problem->n_pairs - 1;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    const struct shares_pair *pair = &problem->pairs[middle];
    if (pair->b == b && pair->a == a)
      return middle;
    if (pair->b < b || (pair->b == b && pair->a < a))
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

double shares_pair_gain(const struct shares_problem *problem, int pair, int type) {
  const double *both = pair_rates_of(problem, pair) + 2 * type;
  double of_a = rates_of(problem, problem->pairs[pair].a)[type];
  double of_b = rates_of(problem, problem->pairs[pair].b)[type];
  return (both[0] > 0.0 && of_a > 0.0 ? both[0] / of_a : 0.0) +
         (both[1] > 0.0 && of_b > 0.0 ? both[1] / of_b : 0.0);
}

double shares_proportional_rate(const struct shares_problem *problem, int job) {
  const double *rates = rates_of(problem, job);
  int total = 0;
  double rate = 0.0;
  for (int g = 0; g < problem->n_types; g++)
    total += problem->type_gpus[g];
  for (int i = 0; i < problem->n_types; i++) {
    int g = problem->type_order[i];
    rate += rates[g] * ((double)problem->type_gpus[g] / (double)total);
  }
  return rate;
}

void shares_isolated(const struct shares_problem *problem, int n_parts, int workers,
                     double *shares) {
  double sum = 0.0;
  for (int i = 0; i < problem->n_types; i++) {
    int g = problem->type_order[i];
    shares[g] = (double)problem->type_gpus[g] / (double)n_parts / (double)workers;
    sum += shares[g];
  }
  for (int g = 0; g < problem->n_types && sum > 1.0; g++)
    shares[g] /= sum;
}
