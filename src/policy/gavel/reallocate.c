/* SPDX-License-Identifier: GPL-3.0-or-later */
/* New shares: computed, or read from a recorded run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/number.h"
#include "policy/gavel/gavel.h"

/* Combinations stand in the mechanism as the objective's rows do, but each job's pairs behind it.
 */
static void store_shares(struct gavel *gavel, const struct shares_problem *problem) {
  struct rounds *rounds = &gavel->rounds;
  size_t types = (size_t)problem->n_types;
  const double *alone = gavel->buffers.shares, *pair = alone + (size_t)problem->n_jobs * types;
  for (int c = 0; c < rounds->n; c++) {
    const double **from = rounds->at[c].b < 0 ? &alone : &pair;
    struct rounds_cell *cells = rounds_cells(rounds, c);
    for (size_t g = 0; g < types; g++)
      cells[g].share = (*from)[g];
    *from += types;
  }
}

/* Fills the shares with the recorded ones of this moment. */
static enum hsim_status read_shares(struct gavel *gavel, const struct hsim_view *view,
                                    const struct shares_problem *problem,
                                    struct hsim_error *error) {
  const struct replay_share *recorded;
  size_t n;
  enum hsim_status status = replay_next(gavel->replay, view->now, &recorded, &n, error);
  if (status != HSIM_OK)
    return status;
  double *shares = gavel->buffers.shares;
  memset(shares, 0,
         (size_t)(problem->n_jobs + problem->n_pairs) * (size_t)problem->n_types * sizeof *shares);
  for (size_t i = 0; i < n; i++) {
    const struct replay_share *one = &recorded[i];
    if (!hsim_active_job(view, one->a) || (one->b >= 0 && !hsim_active_job(view, one->b)))
      return hsim_fail(error, HSIM_BAD_INPUT,
                       "%s: the call at %.17g s gives a share to job %d, which is not active",
                       replay_path(gavel->replay), view->now,
                       hsim_active_job(view, one->a) ? one->b : one->a);
    int row = gavel->buffers.position[one->a];
    if (one->b >= 0) {
      int pair = shares_find_pair(problem, row, gavel->buffers.position[one->b]);
      if (pair < 0)
        continue; /* they can run together nowhere, so the share has no effect */
      row = problem->n_jobs + pair;
    }
    shares_of(problem, shares, row)[one->type] = one->fraction;
  }
  return HSIM_OK;
}

static const char *number_or_null(double value, char text[NUMBER_SIZE]) {
  if (!isfinite(value))
    return "null";
  number_print(value, text);
  return text;
}

static void log_reallocation(const struct gavel *gavel, const struct hsim_view *view,
                             const struct shares_report *report, double replayed,
                             uint64_t iterations) {
  if (!hsim_logging(view))
    return;
  char optimum[NUMBER_SIZE], recorded[NUMBER_SIZE], more[NUMBER_SIZE + 16] = "", text[320];
  if (gavel->replay)
    snprintf(more, sizeof more, ",\"replayed\":%s", number_or_null(replayed, recorded));
  snprintf(text, sizeof text,
           "{\"event\":\"reallocation\",\"objective\":\"%s\",\"jobs\":%d,\"classes\":%d,"
           "\"optimum\":%s,\"iterations\":%llu%s}",
           gavel->objective->name, view->n_active, report->classes,
           number_or_null(report->optimum, optimum), (unsigned long long)iterations, more);
  hsim_emit(view, text);
}

static enum hsim_status compute(struct gavel *gavel, const struct hsim_view *view,
                                const struct shares_problem *problem, struct hsim_error *error) {
  struct shares_report report = {.optimum = NAN};
  double replayed = NAN;
  uint64_t before = lp_counters(gavel->lp)->iterations;
  enum hsim_status status = HSIM_OK;
  if (!gavel->replay || gavel->compare)
    status = gavel->objective->allocate(gavel->memory, problem, gavel->lp, gavel->buffers.shares,
                                        &report, error);
  if (status == HSIM_OK && gavel->replay)
    status = read_shares(gavel, view, problem, error);
  if (status != HSIM_OK)
    return status;
  if (gavel->compare && gavel->objective->value)
    replayed = gavel->objective->value(gavel->memory, problem, gavel->buffers.shares);
  store_shares(gavel, problem);
  log_reallocation(gavel, view, &report, replayed, lp_counters(gavel->lp)->iterations - before);
  hsim_stat(view, "lp_solves", (double)lp_counters(gavel->lp)->solves);
  return HSIM_OK;
}

enum hsim_status gavel_reallocate(struct gavel *gavel, const struct hsim_view *view,
                                  struct hsim_error *error) {
  rounds_restart(&gavel->rounds, view->now);
  gavel->need = false;
  gavel->allocated = true;
  struct shares_problem problem;
  enum hsim_status status = gavel_problem(gavel, view, &problem, error);
  if (status != HSIM_OK)
    return status;
  if (view->n_active > 0)
    return compute(gavel, view, &problem, error);
  return gavel->replay ? read_shares(gavel, view, &problem, error) : HSIM_OK;
}
