/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FIFO that knows of rates: jobs in arrival order take whole shares, each on its fastest type with
 * room, until one finds none; it and those behind it wait (no job overtakes). With packing, those
 * that wait may then join jobs that have GPUs.
 */
#include "policy/gavel/objective.h"

/* Two jobs share GPUs only if together they do more than this times what one alone would do. */
static const double WORTH_PACKING = 1.5;

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

/* Returns the first job that finds no room, n_jobs when there is none. room: [n_types], out. */
static int take_fastest(const struct shares_problem *problem, int *room, double *shares) {
  for (int g = 0; g < problem->n_types; g++)
    room[g] = problem->type_gpus[g];
  for (int i = 0; i < problem->n_jobs; i++) {
    int g = fastest_with_room(problem, i, room);
    if (g < 0)
      return i;
    if (rates_of(problem, i)[g] <= 0.0)
      continue; /* it can run only where there is no room: it waits, others go on */
    shares_of(problem, shares, i)[g] = 1.0;
    room[g] -= problem->workers[i];
  }
  return problem->n_jobs;
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)state;
  (void)lp;
  (void)report;
  (void)error;
  int room[HSIM_MAX_TYPES];
  take_fastest(problem, room, shares);
  return HSIM_OK;
}

const struct objective objective_fifo_perf = {
    .name = "fifo_perf", .strict = true, .aware = true, .allocate = allocate};

/* The type that the job has to itself, -1. */
static int type_alone(const struct shares_problem *problem, double *shares, int job) {
  const double *own = shares_of(problem, shares, job);
  for (int g = 0; g < problem->n_types; g++)
    if (own[g] > 0.0)
      return g;
  return -1;
}

static bool can_run(const struct shares_problem *problem, int job) {
  for (int g = 0; g < problem->n_types; g++)
    if (rates_of(problem, job)[g] > 0.0)
      return true;
  return false;
}

/* The job joins the one with which the sum of normalised rates is largest; earlier jobs win ties.
 * Jobs got their GPUs in arrival order, and those that have been joined stand last: so the earlier
 * job is also the one that Gavel meets first. */
static bool pack(const struct shares_problem *problem, int job, double *shares) {
  double best = WORTH_PACKING;
  int best_pair = -1, best_type = -1;
  for (int other = 0; other < job; other++) {
    int g = type_alone(problem, shares, other);
    int pair = g < 0 ? -1 : shares_find_pair(problem, other, job);
    double together = pair < 0 ? 0.0 : shares_pair_gain(problem, pair, g);
    if (together > best) {
      best = together;
      best_pair = pair;
      best_type = g;
    }
  }
  if (best_pair < 0)
    return false;
  shares_of(problem, shares, problem->pairs[best_pair].a)[best_type] = 0.0;
  shares_of(problem, shares, problem->n_jobs + best_pair)[best_type] = 1.0;
  return true;
}

/* As coded: the job that found no room is lost if there were GPUs left, and so are those that were
 * passed over. Else they come first, save for jobs that can run nowhere. */
static enum hsim_status allocate_packed(void *state, const struct shares_problem *problem,
                                        struct lp *lp, double *shares, struct shares_report *report,
                                        struct hsim_error *error) {
  (void)state;
  (void)lp;
  (void)report;
  (void)error;
  int room[HSIM_MAX_TYPES];
  int first = take_fastest(problem, room, shares);
  if (!problem->coded)
    first = 0;
  for (int g = 0; g < problem->n_types && problem->coded; g++)
    if (room[g] > 0) {
      first++;
      break;
    }
  for (int i = first; i < problem->n_jobs; i++) {
    bool waits = type_alone(problem, shares, i) < 0 && (problem->coded || can_run(problem, i));
    if (waits && !pack(problem, i, shares))
      break;
  }
  return HSIM_OK;
}

const struct objective objective_fifo_packed = {.name = "fifo_packed",
                                                .strict = true,
                                                .aware = true,
                                                .pairs = true,
                                                .allocate = allocate_packed};
