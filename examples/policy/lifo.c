/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An example of a policy in a file of its own: last in, first out.
 *
 *   cc -std=c17 -shared -fPIC -I include -o lifo.so examples/policy/lifo.c
 *   hsim --policy ./lifo.so:young=3600 --trace mine.csv
 *
 * The youngest waiting job starts first, on the fastest GPU type that has room for it; nobody is
 * stopped. Jobs that have waited for `young` seconds are served before all others, oldest first,
 * so that a busy day does not starve them.
 */
#include <stdlib.h>

#include "hsim/policy.h"

enum { OPTION_YOUNG, N_OPTIONS };

static const struct hsim_option options[N_OPTIONS] = {
    [OPTION_YOUNG] = {.name = "young",
                      .kind = HSIM_OPTION_REAL,
                      .fallback = "86400",
                      .min = 0,
                      .max = 1e12,
                      .help = "seconds after which a waiting job goes before younger ones"},
};

/* The core allocates this, zeroed, and frees it. What it points to is ours. */
struct lifo {
  double young;
  int *waiting; /* indices of the jobs that hold nothing, in arrival order */
  int most_waiting;
};

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  struct lifo *lifo = state;
  lifo->young = values[OPTION_YOUNG].as.real;
  lifo->waiting = malloc((size_t)view->n_jobs * sizeof *lifo->waiting + 1);
  return lifo->waiting ? HSIM_OK : hsim_fail(error, HSIM_FAILED, "lifo: out of memory");
}

static void destroy(void *state) {
  struct lifo *lifo = state;
  free(lifo->waiting);
}

/* Places the job on the type that runs it fastest now, the lowest on ties. */
static void try_to_start(const struct hsim_view *view, struct hsim_plan *plan,
                         const struct hsim_active *job) {
  const struct hsim_share *shares;
  double best = 0;
  int best_type = -1;
  for (int type = 0; type < view->cluster->n_types; type++) {
    int n = hsim_find_gpus(plan, type, job->job->workers, HSIM_PACK_PREFER, &shares);
    double rate = n > 0 ? hsim_rate(view->oracle, job, shares, n) : 0;
    if (rate > best) {
      best = rate;
      best_type = type;
    }
  }
  if (best_type < 0)
    return;
  /* A search's result lasts until the next search, so the winner is searched for again. */
  int n = hsim_find_gpus(plan, best_type, job->job->workers, HSIM_PACK_PREFER, &shares);
  hsim_plan_place(plan, job->index, shares, n);
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct lifo *lifo = state;
  int n = 0, n_old = 0;
  for (const struct hsim_active *job = view->first; job; job = job->next)
    if (job->n_gangs == 0)
      lifo->waiting[n++] = job->index;
  /* Arrival order, so the old ones are a beginning of the list. */
  for (; n_old < n; n_old++) {
    const struct hsim_active *job = hsim_active_job(view, lifo->waiting[n_old]);
    if (view->now - job->job->arrival_s < lifo->young)
      break;
    try_to_start(view, plan, job);
  }
  for (int i = n - 1; i >= n_old; i--)
    try_to_start(view, plan, hsim_active_job(view, lifo->waiting[i]));
  if (n > lifo->most_waiting)
    lifo->most_waiting = n;
  return HSIM_OK;
}

static void ended(void *state, const struct hsim_view *view) {
  const struct lifo *lifo = state;
  hsim_stat(view, "most_waiting", lifo->most_waiting);
}

HSIM_API const struct hsim_policy hsim_policy = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "lifo",
    .summary = "Last in, first out, without preemption; old jobs go first",
    .mode = HSIM_MODE_EVENT,
    .oracle = HSIM_KNOWS_RATES,
    .state_size = sizeof(struct lifo),
    .options = options,
    .n_options = N_OPTIONS,
    .create = create,
    .destroy = destroy,
    .schedule = schedule,
    .ended = ended,
};
