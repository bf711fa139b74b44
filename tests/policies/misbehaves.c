/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that does what its option says, so that the program's answer can be tested. */
#include <stdio.h>
#include <stdlib.h>

#include "hsim/policy.h"

enum { DO_NOTHING, DO_CRASH, DO_FAIL, DO_BREAK_PLAN, DO_PRINT };

static const struct hsim_option options[] = {{.name = "do",
                                              .kind = HSIM_OPTION_CHOICE,
                                              .fallback = "nothing",
                                              .choices = "nothing|crash|fail|break_plan|print",
                                              .help = "what goes wrong"}};

struct misbehaves {
  int64_t deed;
};

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  (void)view;
  (void)error;
  ((struct misbehaves *)state)->deed = values[0].as.i;
  return HSIM_OK;
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  const struct misbehaves *misbehaves = state;
  switch (misbehaves->deed) {
  case DO_CRASH:
    abort();
  case DO_FAIL:
    return hsim_fail(error, HSIM_FAILED, "it will not");
  case DO_BREAK_PLAN:
    hsim_plan_place(plan, view->first->index, &(struct hsim_share){0, 1000}, 1);
    return HSIM_OK;
  case DO_PRINT:
    puts("this is no result");
    fflush(stdout);
    break;
  default:
    return HSIM_OK;
  }
  for (const struct hsim_active *job = view->first; job; job = job->next) {
    const struct hsim_share *shares;
    int n = job->n_gangs ? 0 : hsim_find_gpus(plan, 0, job->job->workers, HSIM_PACK_ANY, &shares);
    if (n > 0)
      hsim_plan_place(plan, job->index, shares, n);
  }
  return HSIM_OK;
}

HSIM_API const struct hsim_policy hsim_policy = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "misbehaves",
    .summary = "Does what its option says",
    .mode = HSIM_MODE_EVENT,
    .state_size = sizeof(struct misbehaves),
    .options = options,
    .n_options = 1,
    .create = create,
    .schedule = schedule,
};
