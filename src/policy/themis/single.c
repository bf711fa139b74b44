/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The schedulers that Themis' paper compares with, as its authors' simulator has them: every free
 * GPU, in the order of their numbers, goes to the job that bids highest for it, for a full lease.
 * Ties: fewer GPUs held, earlier last assignment, earlier arrival.
 */
#include <math.h>
#include <string.h>

#include "model/memory.h"
#include "policy/themis/bundle.h"
#include "policy/themis/market.h"

/* A loss that falls with the part p of the work that is done, l(p) = 1 / (1 + a p): made up, as
 * traces have none. `a` is 4, 9, 19 or 39 by the model's name, so that models differ and all of a
 * model's jobs are alike; the loss then falls to 1/5, 1/10, 1/20 or 1/40. */
static double loss(const char *model, double part) {
  static const double steepness[] = {4, 9, 19, 39};
  unsigned sum = 0;
  for (const char *s = model; *s; s++)
    sum += (unsigned char)*s;
  return 1 / (1 + steepness[sum % 4] * part);
}

static double slaq_score(const struct themis_market *market, const struct hsim_active *active,
                         double seconds) {
  const struct hsim_view *view = market->view;
  double left = hsim_remaining_steps(view, active) / active->job->steps;
  double lease = market->lease_rounds * view->round_s;
  const char *model = hsim_model_name(view, active->model);
  double then = left * (1 - fmin(1, lease / seconds));
  return loss(model, 1 - left) - loss(model, 1 - then);
}

static double score_of(struct themis_market *market, struct themis_seat *seat,
                       const struct hsim_share *parts, int n) {
  struct themis_agent *agent = &seat->agent;
  const struct hsim_active *active = seat->context.jobs[0];
  double seconds = themis_agent_remaining(agent, parts, n);
  if (isinf(seconds))
    return -INFINITY;
  switch (market->settings->algorithm) {
  case THEMIS_GANDIVA: /* size times efficiency */
    return agent->work / seconds;
  case THEMIS_TIRESIAS:
    return -hsim_attained_gpu_s(market->view, active);
  case THEMIS_OPTIMUS:
    return themis_agent_shared(agent, NULL, 0) / themis_agent_shared(agent, parts, n);
  case THEMIS_SLAQ:
    return slaq_score(market, active, seconds);
  case THEMIS_SRTF:
    return -seconds;
  default:
    return -agent->work;
  }
}

/* The least that the job can use, from a GPU's bay on. Returns the number of shares, 0: none. */
static int wanted_parts(struct themis_market *market, struct themis_seat *seat, int first) {
  const struct hsim_cluster *cluster = market->view->cluster;
  const int *free = market->roster->leases.free;
  int need = themis_seat_wants(seat) ? themis_agent_step(&seat->agent) : 0, n = 0;
  if (need == 0)
    return 0;
  for (int bay = first; bay < cluster->n_bays && need > 0; bay++) {
    if (cluster->bays[bay].type != seat->agent.type || free[bay] == 0)
      continue;
    int gpus = free[bay] < need ? free[bay] : need;
    market->parts[n++] = (struct hsim_share){bay, gpus};
    need -= gpus;
  }
  return need == 0 ? n : 0;
}

static bool beats(const struct themis_market *market, const struct themis_seat *seat, double score,
                  const struct themis_seat *best, double best_score) {
  if (best == NULL || score != best_score)
    return best == NULL || score > best_score;
  if (seat->agent.held_gpus != best->agent.held_gpus)
    return seat->agent.held_gpus < best->agent.held_gpus;
  double mine = market->roster->bidders[seat->bidder].assigned_s;
  double its = market->roster->bidders[best->bidder].assigned_s;
  return mine != its ? mine < its : seat->bidder < best->bidder;
}

/* The job that bids highest for the next free GPU of a bay. */
static struct themis_seat *highest_bidder(struct themis_market *market, int bay) {
  struct themis_seat *best = NULL;
  double best_score = -INFINITY;
  for (int i = 0; i < market->n; i++) {
    struct themis_seat *seat = &market->seats[i];
    const struct themis_bidder *bidder = &market->roster->bidders[seat->bidder];
    int type = market->view->cluster->bays[bay].type;
    if (seat->agent.type != type || (bidder->held > 0 && bidder->type != type))
      continue;
    int n = wanted_parts(market, seat, bay);
    double score = n > 0 ? score_of(market, seat, market->parts, n) : -INFINITY;
    if (isinf(score) && score < 0)
      continue;
    if (beats(market, seat, score, best, best_score)) {
      best = seat;
      best_score = score;
    }
  }
  return best;
}

static void open_seats(struct themis_market *market) {
  const struct themis_roster *roster = market->roster;
  market->n = 0;
  for (int i = 0; i < roster->n_active; i++) {
    const struct themis_bidder *bidder = &roster->bidders[roster->active[i]];
    for (int t = 0; t < market->view->cluster->n_types && bidder->n_jobs > 0; t++) {
      if (bidder->held > 0 && bidder->type != t)
        continue;
      struct themis_seat *seat = themis_market_seat(market, roster->active[i], t);
      if (!themis_seat_wants(seat))
        market->n--;
    }
  }
  themis_market_rebind(market);
}

static void log_round(struct themis_market *market, int free, int granted) {
  struct themis_report *report = &market->report;
  if (!hsim_logging(market->view))
    return;
  themis_report_begin(report);
  themis_report_open(report, NULL, '{');
  themis_report_text(report, "event", "single");
  themis_report_number(report, "gpus", free);
  themis_report_number(report, "bidders", market->n);
  themis_report_number(report, "granted", granted);
  themis_report_close(report, '}');
  hsim_emit(market->view, report->text);
}

void themis_single_run(struct themis_market *market, const struct hsim_view *view) {
  const struct hsim_cluster *cluster = view->cluster;
  market->view = view;
  market->parts = mem_grow(market->parts, (size_t)cluster->n_bays, &market->parts_capacity,
                           sizeof *market->parts);
  open_seats(market);
  int free = market->roster->leases.n_free, granted = 0;
  for (int bay = 0; bay < cluster->n_bays && market->n > 0; bay++)
    while (market->roster->leases.free[bay] > 0) {
      struct themis_seat *seat = highest_bidder(market, bay);
      if (seat == NULL)
        break;
      int n = wanted_parts(market, seat, bay);
      for (int p = 0; p < n; p++)
        for (int k = 0; k < market->parts[p].gpus; k++, granted++)
          themis_market_grant(market, seat, market->parts[p].bay, market->lease_rounds);
    }
  market->counts.auctions += market->n > 0;
  log_round(market, free, granted);
}
