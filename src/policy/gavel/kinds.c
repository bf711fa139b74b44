/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/gavel/kinds.h"

#include <math.h>

static bool equal_types(const struct shares_problem *problem, int g, int h) {
  if (problem->prices[g] != problem->prices[h])
    return false;
  for (int i = 0; i < problem->n_jobs; i++)
    if (rates_of(problem, i)[g] != rates_of(problem, i)[h])
      return false;
  for (int p = 0; p < problem->n_pairs; p++) {
    const double *both = pair_rates_of(problem, p);
    if (both[2 * g] != both[2 * h] || both[2 * g + 1] != both[2 * h + 1])
      return false;
  }
  return true;
}

void type_kinds_find(const struct shares_problem *problem, struct type_kinds *kinds) {
  for (int g = 0; g < problem->n_types; g++) {
    int h = 0;
    while (h < g && (kinds->of[h] != h || !equal_types(problem, h, g)))
      h++;
    kinds->of[g] = h;
    kinds->gpus[g] = 0.0;
    kinds->gpus[h] += (double)problem->type_gpus[g];
  }
}

/* Multiples of 2^-30: far above the solver's rounding noise, which would otherwise decide between
 * combinations that want the same, far below what a round could show. */
static double cleaned(double share) {
  static const double GRAIN = 1.0 / 1073741824.0;
  double rounded = rint(share / GRAIN) * GRAIN;
  return rounded <= 0.0 ? 0.0 : rounded > 1.0 ? 1.0 : rounded; /* never -0.0 */
}

void type_kinds_divide(const struct shares_problem *problem, const struct type_kinds *kinds,
                       int kind, double share, double *row) {
  for (int g = 0; g < problem->n_types; g++)
    if (kinds->of[g] == kind)
      row[g] = cleaned(share * ((double)problem->type_gpus[g] / kinds->gpus[kind]));
}

/* Fractional part of the golden ratio times j squared: the ones of j itself would grow evenly. */
double share_preference(int j) {
  double x = ((double)j + 1.0) * ((double)j + 1.0) * 0.61803398874989485;
  return x - floor(x);
}
