/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compat=fixed: a round as the paper describes it, on the engine's default semantics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "policy/gavel/gavel.h"

static bool runs_on(const struct hsim_active *job, const struct hsim_view *view, int type) {
  return job->n_gangs == 1 && view->cluster->bays[job->gangs[0]->shares[0].bay].type == type;
}

/* The members of a combination; the second one is NULL for a job alone. */
struct members {
  const struct hsim_active *a, *b;
};

static struct members members_of(const struct rounds *rounds, const struct hsim_view *view,
                                 int combination) {
  const struct combination *at = &rounds->at[combination];
  return (struct members){hsim_active_job(view, at->a),
                          at->b < 0 ? NULL : hsim_active_job(view, at->b)};
}

static void add(struct hsim_plan *plan, struct members who, const struct hsim_share *shares,
                int n_shares) {
  struct hsim_request a = {.job = who.a->index, .at = {.n_shares = n_shares, .shares = shares}};
  if (!who.b) {
    hsim_plan_add(plan, &a);
    return;
  }
  struct hsim_request b = a;
  b.job = who.b->index;
  hsim_plan_add_pair(plan, &a, &b);
}

static bool makes_progress(const struct hsim_view *view, struct members who, int type,
                           const struct hsim_share *shares, int n_shares) {
  double of_a, of_b;
  if (who.b)
    return hsim_pair_rate(view->oracle, who.a, who.b, type, who.b->job->workers, &of_a, &of_b);
  return hsim_rate(view->oracle, who.a, shares, n_shares) > 0.0;
}

static bool all_free(const struct hsim_plan *plan, const struct hsim_gang *gang) {
  for (int i = 0; i < gang->n_shares; i++)
    if (hsim_plan_free(plan, gang->shares[i].bay) < gang->shares[i].gpus)
      return false;
  return true;
}

/* Where the job stands, if it is on this type and its GPUs are still free. */
static bool stay_at(const struct hsim_view *view, struct hsim_plan *plan, struct members who,
                    const struct hsim_active *host, int type) {
  if (!runs_on(host, view, type))
    return false;
  const struct hsim_gang *gang = host->gangs[0];
  int partner = !who.b ? -1 : host == who.a ? who.b->index : who.a->index;
  if (gang->partner == partner) /* nothing changes */
    return hsim_plan_keep(plan, host->index) && (!who.b || hsim_plan_keep(plan, partner));
  if (!all_free(plan, gang) || !makes_progress(view, who, type, gang->shares, gang->n_shares))
    return false;
  add(plan, who, gang->shares, gang->n_shares);
  return true;
}

static bool stay(const struct hsim_view *view, struct hsim_plan *plan, struct members who,
                 int type) {
  return stay_at(view, plan, who, who.a, type) || (who.b && stay_at(view, plan, who, who.b, type));
}

/* Together if possible; together or not at all where the model makes no progress when spread. */
static bool place(const struct hsim_view *view, struct hsim_plan *plan, struct members who,
                  int type) {
  static const enum hsim_pack TRIES[] = {HSIM_PACK_PREFER, HSIM_PACK_REQUIRE};
  for (int i = 0; i < 2; i++) {
    const struct hsim_share *shares;
    int n = hsim_find_gpus(plan, type, who.a->job->workers, TRIES[i], &shares);
    if (n > 0 && makes_progress(view, who, type, shares, n)) {
      add(plan, who, shares, n);
      return true;
    }
  }
  hsim_plan_reason(plan, who.a->index, HSIM_FRAGMENTED);
  if (who.b)
    hsim_plan_reason(plan, who.b->index, HSIM_FRAGMENTED);
  return false;
}

static int larger_first(const void *left, const void *right, void *state) {
  const struct rounds_pick *x = left, *y = right;
  const struct rounds *rounds = state;
  int x_workers = rounds->at[x->combination].workers,
      y_workers = rounds->at[y->combination].workers;
  if (x_workers != y_workers)
    return x_workers > y_workers ? -1 : 1;
  return x->combination < y->combination ? -1 : x->combination > y->combination;
}

/* Jobs that run on their type already keep their GPUs; then the larger gangs choose first, as
 * they are the harder to keep together. Returns how many of the picks run: the first ones of
 * gavel->placed. */
static int write_plan(struct gavel *gavel, const struct hsim_view *view, struct hsim_plan *plan,
                      const struct rounds_pick *picks, int n) {
  const struct rounds *rounds = &gavel->rounds;
  gavel->placed =
      mem_grow(gavel->placed, 2 * (size_t)n, &gavel->placed_capacity, sizeof *gavel->placed);
  struct rounds_pick *left = gavel->placed + n;
  int n_placed = 0, n_left = 0;
  hsim_plan_clear(plan);
  for (int i = 0; i < n; i++) {
    struct members who = members_of(rounds, view, picks[i].combination);
    if (stay(view, plan, who, picks[i].type))
      gavel->placed[n_placed++] = picks[i];
    else
      left[n_left++] = picks[i];
  }
  if (n_left > 1)
    qsort_r(left, (size_t)n_left, sizeof *left, larger_first, &gavel->rounds);
  for (int i = 0; i < n_left; i++) {
    struct rounds_pick pick = left[i];
    if (place(view, plan, members_of(rounds, view, pick.combination), pick.type))
      gavel->placed[n_placed++] = pick;
  }
  return n_placed;
}

/*
 * Nothing changes before the next event if every combination with a share has it on one type only
 * and holds GPUs there, and nothing else runs or might: a share above 0 keeps a priority above 0,
 * so these combinations keep coming before all others, and all of them fit, in whatever order.
 */
static bool settled(const struct gavel *gavel, const struct hsim_view *view) {
  const struct rounds *rounds = &gavel->rounds;
  if (gavel->need)
    return false;
  for (int c = 0; c < rounds->n; c++) {
    int held = rounds->at[c].held_type;
    struct members who = members_of(rounds, view, c);
    if (held < 0 && !gavel->objective->strict && !who.b && who.a->n_gangs == 0)
      return false; /* it may replace another one */
    const struct rounds_cell *cells = rounds_cells(rounds, c);
    for (int g = 0; g < rounds->n_types; g++)
      if ((cells[g].share > 0.0) != (g == held))
        return false;
    if (who.a->job->n_phases > 0 || (who.b && who.b->job->n_phases > 0))
      return false; /* its rates may change without an event */
  }
  return true;
}

enum hsim_status gavel_published_schedule(struct gavel *gavel, const struct hsim_view *view,
                                          struct hsim_plan *plan, struct hsim_error *error) {
  struct rounds *rounds = &gavel->rounds;
  bool due = !gavel->allocated || view->now - rounds->restarted_s >= gavel->interval;
  if (gavel->need && due && view->n_active > 0) {
    enum hsim_status status = gavel_reallocate(gavel, view, error);
    if (status != HSIM_OK)
      return status;
  }
  int free[HSIM_MAX_TYPES];
  memcpy(free, view->type_up, (size_t)rounds->n_types * sizeof *free);
  const struct rounds_pick *picks;
  int n = rounds_pick_global(rounds, free, gavel->carry, gavel->objective->strict, &picks);
  n = write_plan(gavel, view, plan, picks, n);
  rounds_hold(rounds, gavel->placed, n, view->now);
  if (settled(gavel, view))
    hsim_plan_valid_until(plan, INFINITY);
  return HSIM_OK;
}
