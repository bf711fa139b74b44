/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hadar: Sultana, Xu, Yuan, Chen and Tzeng, IPDPS 2024. Every round decides anew who runs where: a
 * job is worth a utility that falls with its finish time, GPUs have prices that rise as they are
 * taken, and the jobs and placements with the highest total payoff (utility less cost) are served.
 */
#include <math.h>

#include "policy/hadar/decision.h"
#include "policy/hadar/quiet.h"
#include "policy/policies.h"

static enum hsim_status hadar_create(void *state, const struct hsim_view *view,
                                     const struct hsim_value *values, struct hsim_error *error) {
  struct hadar *hadar = state;
  hadar_settings_read(&hadar->settings, values, false);
  return hadar_init(hadar, view, error);
}

static void hadar_destroy(void *state) {
  hadar_free(state);
}

static void place(struct hadar *hadar, const struct hsim_view *view, struct hsim_plan *plan,
                  int at) {
  const struct hadar_grant *grant = &hadar->board.grants[at];
  int n = 0;
  for (int i = 0; i < grant->n_seats; i++)
    n = hadar_list_shares(hadar, view->cluster, &hadar->board.seats[grant->first_seat + i], n);
  hsim_plan_place(plan, hadar->roster.jobs[at].index, hadar->shares, n);
}

/* True when the plan differs from what runs now. All jobs that stay are kept first, so that their
 * GPUs are not given to others. */
static bool fill_plan(struct hadar *hadar, const struct hsim_view *view, struct hsim_plan *plan) {
  const struct hadar_roster *roster = &hadar->roster;
  bool changed = false;
  for (int i = 0; i < roster->n && !changed; i++)
    changed = !hadar_is_unchanged(&hadar->board, &roster->jobs[i], i);
  if (!changed)
    return false;
  hsim_plan_clear(plan);
  for (int i = 0; i < roster->n; i++)
    if (roster->jobs[i].held_nodes > 0 && hadar_is_unchanged(&hadar->board, &roster->jobs[i], i))
      hsim_plan_keep(plan, roster->jobs[i].index);
  for (int i = 0; i < roster->n; i++)
    if (hadar->board.grants[i].n_seats > 0 &&
        !hadar_is_unchanged(&hadar->board, &roster->jobs[i], i))
      place(hadar, view, plan, i);
  return true;
}

/* With utility pace values fall as jobs progress, so that none of this would hold. */
static bool rates_stay(const struct hadar *hadar) {
  if (hadar->settings.utility == HADAR_PACE)
    return false;
  for (int i = 0; i < hadar->roster.n; i++)
    if (hadar->roster.active[i]->job->n_phases > 0)
      return false;
  return hadar->settings.noise <= 0;
}

static enum hsim_status hadar_schedule(void *state, const struct hsim_view *view,
                                       struct hsim_plan *plan, struct hsim_error *error) {
  struct hadar *hadar = state;
  enum hsim_status status = hadar_prepare(hadar, view, error);
  if (status != HSIM_OK || hadar->roster.n == 0)
    return status;
  status = hadar_decide(hadar, error);
  if (status == HSIM_OK)
    status = hadar_tell_round(hadar, view, "", error);
  if (status != HSIM_OK)
    return status;
  bool quiet = hadar_is_quiet(&hadar->market, &hadar->board, hadar->roster.jobs, hadar->dp.value);
  hadar_map(&hadar->mapping, &hadar->board, hadar->roster.jobs);
  bool changed = fill_plan(hadar, view, plan);
  hadar_tell_waiting(hadar, plan);
  bool told = hsim_logging(view) || hadar->settings.diagnostics[0] != '\0';
  if (quiet && !changed && rates_stay(hadar) && !told)
    hsim_plan_valid_until(plan, INFINITY);
  return HSIM_OK;
}

const struct hsim_policy policy_hadar = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "hadar",
    .summary = "heterogeneity-aware gangs that may mix GPU types, by prices and payoffs "
               "(Sultana et al., IPDPS 2024)",
    .mode = HSIM_MODE_ROUND,
    .mixes_types = true,
    .oracle = HSIM_KNOWS_RATES | HSIM_KNOWS_REMAINING,
    .never_pairs = true,
    .state_size = sizeof(struct hadar),
    .options = hadar_options,
    .n_options = N_HADAR_OPTIONS,
    .create = hadar_create,
    .destroy = hadar_destroy,
    .job_arrived = hadar_job_arrived,
    .job_finished = hadar_job_finished,
    .node_changed = hadar_node_changed,
    .round_ended = hadar_round_ended,
    .settled = hadar_settled,
    .schedule = hadar_schedule,
    .ended = hadar_ended,
    .dump = hadar_dump,
};
