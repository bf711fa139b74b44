/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Themis: Mahajan, Balasubramanian, Singhvi, Venkataraman, Akella, Phanishayee, Chawla, NSDI 2020.
 * GPUs are leased. When leases end, the apps that are farthest behind what a private share of the
 * cluster would give them bid for the free GPUs, and a partial allocation auction decides.
 */
#include <math.h>
#include <stdio.h>

#include "policy/policies.h"
#include "policy/themis/market.h"
#include "policy/themis/placing.h"

struct themis {
  struct themis_settings settings;
  struct themis_roster roster;
  struct themis_market market;
  struct themis_placing placing;
};

static enum hsim_status themis_create(void *state, const struct hsim_view *view,
                                      const struct hsim_value *values, struct hsim_error *error) {
  struct themis *themis = state;
  (void)error;
  themis_settings_read(&themis->settings, values);
  themis_roster_init(&themis->roster, view, themis->settings.algorithm != THEMIS_AUCTION,
                     themis->settings.elastic);
  themis_market_init(&themis->market, &themis->settings, &themis->roster, view);
  themis_placing_init(&themis->placing, &themis->roster, themis->settings.restart_s);
  return HSIM_OK;
}

static void themis_destroy(void *state) {
  struct themis *themis = state;
  themis_market_free(&themis->market);
  themis_placing_free(&themis->placing);
  themis_roster_free(&themis->roster);
}

static void themis_job_arrived(void *state, const struct hsim_view *view,
                               const struct hsim_active *job) {
  themis_roster_arrived(&((struct themis *)state)->roster, view, job);
}

static void themis_job_finished(void *state, const struct hsim_view *view,
                                const struct hsim_active *job) {
  themis_roster_finished(&((struct themis *)state)->roster, view, job);
}

/* Its GPUs stay the bidder's, as far as they are up: the next plan gives them to its jobs. */
static void themis_job_stopped(void *state, const struct hsim_view *view,
                               const struct hsim_active *job) {
  struct themis *themis = state;
  (void)view;
  themis->roster.bidders[themis->roster.jobs[job->index].bidder].touched = true;
}

static void themis_node_changed(void *state, const struct hsim_view *view, int node, bool up) {
  themis_roster_node(&((struct themis *)state)->roster, node, up, view->now);
}

static void themis_round_ended(void *state, const struct hsim_view *view,
                               const struct hsim_ran *ran, size_t n_ran) {
  (void)view;
  themis_roster_ran(&((struct themis *)state)->roster, ran, n_ran);
}

/* ---- One round ---- */

static void reject_hopeless(struct themis *themis, struct hsim_plan *plan) {
  for (size_t i = 0; i < themis->roster.n_hopeless; i++)
    hsim_plan_reject(plan, themis->roster.hopeless[i],
                     "no GPU type runs it at a size that it may have");
  themis->roster.n_hopeless = 0;
}

/* Ends leases, and takes back what jobs that ended leave over. A millionth of a round forgives the
 * rounding of times that were added up. */
static void return_gpus(struct themis *themis, const struct hsim_view *view) {
  struct themis_roster *roster = &themis->roster;
  double until = view->now + 1e-6 * view->round_s;
  for (int gpu = 0; gpu < view->cluster->n_gpus; gpu++) {
    const struct themis_lease *lease = &roster->leases.gpus[gpu];
    if (lease->holder >= 0 && lease->end_s <= until)
      themis_roster_release(roster, lease->holder, gpu, view->now);
  }
  for (int i = 0; i < roster->n_active; i++)
    if (roster->bidders[roster->active[i]].touched)
      themis_placing_surplus(&themis->placing, view, roster->active[i]);
  themis_roster_tidy(roster);
}

/* Whether anybody could use more GPUs: false means that nothing changes by itself. */
static bool auction(struct themis *themis, const struct hsim_view *view) {
  if (themis->roster.leases.n_free == 0)
    return false;
  if (themis->settings.algorithm != THEMIS_AUCTION) {
    themis_single_run(&themis->market, view);
    return themis->market.n > 0;
  }
  if (themis_market_open(&themis->market, view) == 0)
    return false;
  themis_market_run(&themis->market);
  return true;
}

static double next_lease_end(const struct themis *themis, const struct hsim_view *view) {
  double next = INFINITY;
  for (int gpu = 0; gpu < view->cluster->n_gpus; gpu++)
    if (themis->roster.leases.gpus[gpu].holder >= 0)
      next = fmin(next, themis->roster.leases.gpus[gpu].end_s);
  return next;
}

/* Jobs wait for a lease to end, or because others were worth more to the auction. */
static void tell_waiting(struct themis *themis, const struct hsim_view *view,
                         struct hsim_plan *plan, bool bid) {
  enum hsim_reason reason = bid ? HSIM_OUTRANKED : HSIM_LEASE;
  struct themis_roster *roster = &themis->roster;
  for (const struct hsim_active *a = view->first; a != NULL; a = a->next) {
    struct themis_job *job = &roster->jobs[a->index];
    if (job->placed)
      job->reason = -1;
    else if (job->bidder < 0)
      continue;
    else if (job->reason != (int)reason) {
      hsim_plan_reason(plan, a->index, reason);
      job->reason = (int)reason;
    }
  }
}

static enum hsim_status themis_schedule(void *state, const struct hsim_view *view,
                                        struct hsim_plan *plan, struct hsim_error *error) {
  struct themis *themis = state;
  (void)error;
  themis_metric_update(&themis->roster.metric);
  reject_hopeless(themis, plan);
  return_gpus(themis, view);
  bool bid = auction(themis, view);
  if (themis_placing_return(&themis->placing, view) > 0)
    bid = auction(themis, view) || bid;
  bool settled = themis_placing_plan(&themis->placing, view, plan) == 0;
  tell_waiting(themis, view, plan, bid);
  if (settled && (!bid || themis->roster.leases.n_free == 0)) {
    double next = next_lease_end(themis, view);
    if (isfinite(next)) /* well before the round in which it ends, well after the one before */
      hsim_plan_valid_until(plan, next - 0.5 * view->round_s);
  }
  return HSIM_OK;
}

static void themis_ended(void *state, const struct hsim_view *view) {
  struct themis *themis = state;
  struct themis_roster *roster = &themis->roster;
  const struct themis_counts *counts = &themis->market.counts;
  themis_metric_update(&roster->metric);
  themis_metric_report(&roster->metric, view);
  hsim_stat(view, "lease_s", themis->market.lease_rounds * view->round_s);
  hsim_stat(view, "gpu_hours", roster->gpu_seconds / 3600);
  if (roster->gpu_seconds > 0)
    hsim_stat(view, "placement_score", roster->good_seconds / roster->gpu_seconds);
  hsim_stat(view, "auctions", counts->auctions);
  if (themis->settings.algorithm != THEMIS_AUCTION)
    return;
  hsim_stat(view, "mopup_passes", counts->mopups);
  hsim_stat(view, "payments", counts->payments);
  if (counts->payments > 0)
    hsim_stat(view, "payment_mean", counts->paid / counts->payments);
  hsim_stat(view, "payments_above_all", counts->above_one);
  hsim_stat(view, "withheld_gpus", counts->withheld);
  hsim_stat(view, "leftover_gpus", counts->leftover);
  hsim_stat(view, "mopup_gpus", counts->mopped);
  hsim_stat(view, "forced", counts->forced);
  hsim_stat(view, "solves", themis->market.solver.solves);
  hsim_stat(view, "solves_limited", themis->market.solver.limited);
  hsim_stat(view, "solves_greedy", themis->market.solver.greedy_used);
}

static void themis_dump(const void *state, char *text, size_t size) {
  const struct themis *themis = state;
  snprintf(text, size, "%d apps, %d bidders, %d seats, %d GPUs without a lease",
           themis->roster.metric.n_active, themis->roster.n_active, themis->market.n,
           themis->roster.leases.n_free);
}

const struct hsim_policy policy_themis = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "themis",
    .summary = "finish-time fairness by leases and partial allocation auctions (Mahajan et al., "
               "NSDI 2020)",
    .mode = HSIM_MODE_ROUND,
    .elastic = true,
    .never_pairs = true,
    .oracle = HSIM_KNOWS_RATES | HSIM_KNOWS_REMAINING,
    .state_size = sizeof(struct themis),
    .options = themis_options,
    .n_options = N_THEMIS_OPTIONS,
    .create = themis_create,
    .destroy = themis_destroy,
    .job_arrived = themis_job_arrived,
    .job_finished = themis_job_finished,
    .job_stopped = themis_job_stopped,
    .node_changed = themis_node_changed,
    .round_ended = themis_round_ended,
    .schedule = themis_schedule,
    .settled = themis_settled,
    .ended = themis_ended,
    .dump = themis_dump,
};
