/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chaos.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct chaos {
  struct hsim_rng rng;
  bool elastic, forks, pairs;
};

static bool chance(struct chaos *chaos, int one_in) {
  return hsim_rng_below(&chaos->rng, (uint64_t)one_in) == 0;
}

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  (void)error;
  struct chaos *chaos = state;
  hsim_rng_init(&chaos->rng, view->seed, "chaos");
  chaos->elastic = values[0].as.i != 0;
  chaos->forks = values[1].as.i != 0;
  chaos->pairs = values[2].as.i != 0;
  return HSIM_OK;
}

static int some_size(struct chaos *chaos, const struct hsim_job *job) {
  if (!chaos->elastic)
    return job->workers;
  uint64_t range = (uint64_t)(job->max_workers - job->min_workers + 1);
  return job->min_workers + (int)hsim_rng_below(&chaos->rng, range);
}

static bool accepts(const struct hsim_job *job, int type) {
  return (job->gpu_types >> type & 1) != 0;
}

/* The free GPUs of a share by their indices: those of the bay that no gang in the view holds. Only
 * right before anything else was placed there in this plan, so the caller asks for it first. */
static int free_indices(const struct hsim_view *view, const struct hsim_share *share, int *out) {
  const struct hsim_bay *bay = &view->cluster->bays[share->bay];
  int n = 0;
  for (int gpu = bay->first_gpu; gpu < bay->first_gpu + bay->gpus && n < share->gpus; gpu++) {
    bool held = false;
    for (const struct hsim_active *a = view->first; a && !held; a = a->next)
      for (int g = 0; g < a->n_gangs && !held; g++)
        for (int i = 0; i < a->gangs[g]->size && !held; i++)
          held = a->gangs[g]->gpus[i] == gpu;
    if (!held)
      out[n++] = gpu;
  }
  return n;
}

static void place(struct chaos *chaos, const struct hsim_view *view, struct hsim_plan *plan,
                  const struct hsim_active *a, bool exact) {
  int type = (int)hsim_rng_below(&chaos->rng, (uint64_t)view->cluster->n_types);
  int size = some_size(chaos, a->job);
  const struct hsim_share *shares;
  enum hsim_pack pack = (enum hsim_pack)hsim_rng_below(&chaos->rng, 3);
  int n = accepts(a->job, type) ? hsim_find_gpus(plan, type, size, pack, &shares) : 0;
  if (n == 0 || !(hsim_rate(view->oracle, a, shares, n) > 0))
    return;
  struct hsim_request request = {.job = a->index, .at = {.n_shares = n, .shares = shares}};
  int gpus[64];
  if (exact && n == 1 && size <= 64 && free_indices(view, shares, gpus) == size)
    request.at = (struct hsim_placement){.n_gpus = size, .gpus = gpus};
  if (chance(chaos, 4))
    request.stall_s = (double)hsim_rng_below(&chaos->rng, 40);
  if (chance(chaos, 6))
    request.max_steps = 1 + hsim_rng_uniform(&chaos->rng) * a->job->steps;
  hsim_plan_add(plan, &request);
}

static void fork_job(struct chaos *chaos, const struct hsim_view *view, struct hsim_plan *plan,
                     const struct hsim_active *a) {
  if (a->n_gangs)
    hsim_plan_stop(plan, a->index);
  int copy = 0;
  for (int node = 0; node < view->cluster->n_nodes && copy < 4; node++) {
    int bay = view->cluster->nodes[node].first_bay;
    int free = hsim_plan_free(plan, bay);
    if (!free || chance(chaos, 3) || !accepts(a->job, view->cluster->bays[bay].type))
      continue;
    struct hsim_share share = {bay, 1 + (int)hsim_rng_below(&chaos->rng, (uint64_t)free)};
    if (!(hsim_rate(view->oracle, a, &share, 1) > 0))
      continue;
    hsim_plan_add(plan,
                  &(struct hsim_request){.job = a->index,
                                         .copy = ++copy,
                                         .at = {.n_shares = 1, .shares = &share},
                                         .max_steps = chance(chaos, 2) ? 0 : a->job->steps / 7,
                                         .stall_s = (double)hsim_rng_below(&chaos->rng, 20)});
  }
}

static bool pair_up(struct chaos *chaos, const struct hsim_view *view, struct hsim_plan *plan,
                    const struct hsim_active *a) {
  const struct hsim_active *b = a->next;
  double rate_a, rate_b;
  if (!b || a->job->workers != b->job->workers || a->n_gangs || b->n_gangs)
    return false;
  for (int type = 0; type < view->cluster->n_types; type++) {
    const struct hsim_share *shares;
    if (!accepts(a->job, type) || !accepts(b->job, type) || chance(chaos, 3))
      continue;
    if (!hsim_pair_rate(view->oracle, a, b, type, a->job->workers, &rate_a, &rate_b))
      continue;
    int n = hsim_find_gpus(plan, type, a->job->workers, HSIM_PACK_PREFER, &shares);
    if (n == 0)
      continue;
    struct hsim_request first = {.job = a->index, .at = {.n_shares = n, .shares = shares}};
    struct hsim_request second = first;
    second.job = b->index;
    hsim_plan_add_pair(plan, &first, &second);
    return true;
  }
  return false;
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct chaos *chaos = state;
  bool clear = chance(chaos, 3), first = true;
  if (clear)
    hsim_plan_clear(plan);
  for (const struct hsim_active *a = view->first; a; a = a->next) {
    if (clear && !chance(chaos, 3) && hsim_plan_keep(plan, a->index))
      continue;
    if (!clear && a->n_gangs && !chance(chaos, 5))
      continue;
    if (!clear && a->n_gangs && chance(chaos, 2)) {
      hsim_plan_stop(plan, a->index);
    } else if (chaos->forks && chance(chaos, 3)) {
      fork_job(chaos, view, plan, a);
    } else if (chaos->pairs && chance(chaos, 2) && pair_up(chaos, view, plan, a)) {
      a = a->next;
    } else {
      bool has_copies = a->n_gangs > 0 && a->gangs[0]->copy > 0;
      if (has_copies && !clear)
        hsim_plan_stop(plan, a->index);
      place(chaos, view, plan, a, first && !clear && !a->n_gangs);
    }
    first = false;
    if (chance(chaos, 5))
      hsim_plan_reason(plan, a->index, (enum hsim_reason)hsim_rng_below(&chaos->rng, 8));
  }
  hsim_plan_wake(plan, view->now + 1 + 300 * hsim_rng_uniform(&chaos->rng));
  if (chance(chaos, 4))
    hsim_plan_valid_until(plan, view->now + 5000 * hsim_rng_uniform(&chaos->rng));
  return HSIM_OK;
}

static void hear(void *state, const struct hsim_view *view, const struct hsim_ran *ran, size_t n) {
  (void)state;
  for (size_t i = 0; i < n; i++) {
    assert_true(isfinite(ran[i].steps)); /* below 0 when lost work outweighs it */
    assert_true(ran[i].end_s <= view->now);
  }
}

void chaos_policy(struct hsim_policy *policy, struct hsim_value values[3], struct hsim_rng *rng) {
  for (int i = 0; i < 3; i++)
    values[i] = (struct hsim_value){.as = {.i = (int64_t)hsim_rng_below(rng, 2)}};
  *policy = (struct hsim_policy){.version = HSIM_POLICY_VERSION,
                                 .size = sizeof *policy,
                                 .name = "chaos",
                                 .mode = hsim_rng_below(rng, 2) ? HSIM_MODE_ROUND : HSIM_MODE_EVENT,
                                 .elastic = values[0].as.i != 0,
                                 .forks = values[1].as.i != 0,
                                 .oracle = HSIM_KNOWS_RATES | HSIM_KNOWS_REMAINING,
                                 .state_size = sizeof(struct chaos),
                                 .create = create,
                                 .round_ended = hear,
                                 .schedule = schedule};
}
