/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FIFO that knows of rates: jobs in arrival order take whole shares, each on its fastest type with
 * room, until one finds none; it and those behind it wait (no job overtakes).
 */
#include "policy/gavel/objective.h"

/* -1: no type has room. Among equally fast types the first in the order of names wins. */
static int fastest_with_room(const struct shares_problem *problem, int job, const int *room) {
  const double *rates = rates_of(problem, job);
  int best = -1;
  for (int i = 0; i < problem->n_types; i++) {
    int g = problem->type_order[i];
    if (room[g] > 0 && room[g] >= problem->workers[job] && (best < 0 || rates[g] > rates[best]))
      best = g;
  }
  return best;
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)state;
  (void)lp;
  (void)report;
  (void)error;
  int room[HSIM_MAX_TYPES];
  for (int g = 0; g < problem->n_types; g++)
    room[g] = problem->type_gpus[g];
  for (int i = 0; i < problem->n_jobs; i++) {
    int g = fastest_with_room(problem, i, room);
    if (g < 0)
      break;
    if (rates_of(problem, i)[g] <= 0.0)
      continue; /* it can run only where there is no room: it waits, others go on */
    shares[(size_t)i * (size_t)problem->n_types + (size_t)g] = 1.0;
    room[g] -= problem->workers[i];
  }
  return HSIM_OK;
}

const struct objective objective_fifo_perf = {
    .name = "fifo_perf", .strict = true, .aware = true, .allocate = allocate};
