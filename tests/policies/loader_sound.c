/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest policy that loads and runs: every job on the first type with room. */
#include "hsim/policy.h"

static const struct hsim_option options[] = {
    {.name = "alpha",
     .kind = HSIM_OPTION_REAL,
     .fallback = "1",
     .min = 0,
     .max = 10,
     .help = "any"},
};

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)state;
  (void)error;
  for (const struct hsim_active *job = view->first; job; job = job->next) {
    const struct hsim_share *shares;
    for (int type = 0; job->n_gangs == 0 && type < view->cluster->n_types; type++) {
      int n = hsim_find_gpus(plan, type, job->job->workers, HSIM_PACK_ANY, &shares);
      if (n == 0 || hsim_rate(view->oracle, job, shares, n) <= 0)
        continue;
      hsim_plan_place(plan, job->index, shares, n);
      break;
    }
  }
  return HSIM_OK;
}

HSIM_API const struct hsim_policy hsim_policy = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "sound",
    .summary = "First come, first served",
    .mode = HSIM_MODE_EVENT,
    .oracle = HSIM_KNOWS_RATES,
    .options = options,
    .n_options = 1,
    .schedule = schedule,
};
