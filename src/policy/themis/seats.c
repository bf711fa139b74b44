/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who may bid: seats, their order, their types. */
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/themis/market.h"

int themis_participants(double f, int n) {
  /* (1 - 0.8) 5 is a little less than 1 in doubles */
  int p = (int)floor((1 - f) * n + 1e-9);
  return p > 1 ? p : 1;
}

bool themis_seat_wants(const struct themis_seat *seat) {
  return seat->agent.held_gpus < seat->agent.most;
}

void themis_market_grant(struct themis_market *market, struct themis_seat *seat, int bay,
                         int rounds) {
  struct themis_roster *roster = market->roster;
  const struct hsim_view *view = market->view;
  int node = view->cluster->bays[bay].node;
  int gpu = themis_lease_pick(&roster->leases, bay, seat->bidder);
  if (market->settings->stagger && !roster->leases.gpus[gpu].used) {
    int part = (rounds * (node + 1) + view->cluster->n_nodes - 1) / view->cluster->n_nodes;
    rounds = part > 1 ? part : 1;
  }
  themis_roster_grant(roster, seat->bidder, bay, view->now + rounds * view->round_s, view->now);
  themis_agent_hold(&seat->agent, bay, 1);
}

struct themis_offer themis_market_offer(struct themis_market *market, int type) {
  const struct hsim_cluster *cluster = market->view->cluster;
  const int *free = market->roster->leases.free;
  market->offer = mem_grow(market->offer, (size_t)cluster->n_bays, &market->offer_capacity,
                           sizeof *market->offer);
  struct themis_offer offer = {.free = market->offer};
  for (int bay = 0; bay < cluster->n_bays; bay++)
    if (cluster->bays[bay].type == type && free[bay] > 0) {
      market->offer[offer.n++] = (struct hsim_share){bay, free[bay]};
      offer.gpus += free[bay];
    }
  return offer;
}

/* ---- Agents ---- */

static bool is_liar(const struct themis_market *market, int bidder) {
  const struct themis_bidder *b = &market->roster->bidders[bidder];
  return market->settings->liar == b->app;
}

static void make_agent(struct themis_market *market, int bidder, int type,
                       struct themis_context *context, struct themis_agent *agent) {
  const struct themis_settings *settings = market->settings;
  struct themis_roster *roster = market->roster;
  const struct themis_bidder *b = &roster->bidders[bidder];
  double now = market->view->now;
  int app = roster->jobs[b->jobs[0]].app;
  agent->valuation = settings->valuation;
  themis_roster_agent(roster, market->view, bidder, type, context, agent);
  agent->elapsed_s =
      now - (roster->per_job ? hsim_active_job(market->view, b->jobs[0])->job->arrival_s
                             : roster->metric.apps[app].arrival_s);
  agent->ideal_s =
      themis_metric_ideal_s(&roster->metric, app, settings->ideal, now, settings->instant);
  agent->restart_s = settings->restart_s;
  agent->boast = is_liar(market, bidder) ? 1 + settings->lie : 1;
}

/* The value of the best bundle of a type that is free now. */
static double best_value(struct themis_market *market, int bidder, int type) {
  struct themis_offer offer = themis_market_offer(market, type);
  if (offer.gpus == 0)
    return 0;
  make_agent(market, bidder, type, &market->probe_context, &market->probe);
  if (market->probe.n_tasks == 0)
    return 0;
  struct themis_bid_rules rules = {.rows_max = 16, .alternatives = 1, .eta = 1};
  themis_bid(&market->probe_table, &market->probe, &offer, &rules);
  double best = 0;
  for (int i = 0; i < market->probe_table.n; i++)
    best = fmax(best, market->probe_table.rows[i].value);
  return best;
}

/* The type for a bidder that holds nothing; -1: none of the free GPUs is of use to it. */
static int choose_type(struct themis_market *market, int bidder) {
  int types = market->view->cluster->n_types, best = -1;
  if (types == 1)
    return 0;
  double value = 0;
  for (int t = 0; t < types; t++) {
    double here = best_value(market, bidder, t);
    if (here > value) {
      value = here;
      best = t;
    }
  }
  return best;
}

/* ---- Order ---- */

static double key_of(struct themis_market *market, struct themis_seat *seat) {
  struct themis_agent *agent = &seat->agent;
  double left = themis_agent_remaining(agent, NULL, 0);
  if (isinf(left)) {
    if (market->settings->starved_inf)
      return INFINITY;
    left = themis_agent_smallest_remaining(agent);
  }
  double key = (agent->elapsed_s + left) / agent->ideal_s;
  double error = market->settings->bid_error;
  if (error > 0)
    key *= 1 + error * (2 * hsim_rng_uniform(&market->noise) - 1);
  return is_liar(market, seat->bidder) ? key * (1 + market->settings->lie) : key;
}

/* Bidders that must be served first, longest wait first; then largest rho, longest without a GPU,
 * earliest arrival, lowest number. */
static int by_need(const void *a, const void *b) {
  const struct themis_seat *x = a, *y = b;
  if (x->forced != y->forced)
    return x->forced ? -1 : 1;
  if (x->forced && x->bare_for_s != y->bare_for_s)
    return x->bare_for_s > y->bare_for_s ? -1 : 1;
  if (x->key != y->key)
    return x->key > y->key ? -1 : 1;
  if (x->bare_for_s != y->bare_for_s)
    return x->bare_for_s > y->bare_for_s ? -1 : 1;
  if (x->arrival_s != y->arrival_s)
    return x->arrival_s < y->arrival_s ? -1 : 1;
  return (x->bidder > y->bidder) - (x->bidder < y->bidder);
}

struct themis_seat *themis_market_seat(struct themis_market *market, int bidder, int type) {
  if (market->n == market->n_seats) {
    market->seats = mem_grow(market->seats, (size_t)market->n_seats + 1, &market->seats_capacity,
                             sizeof *market->seats);
    market->seats[market->n_seats++] = (struct themis_seat){.bidder = -1};
  }
  const struct themis_bidder *b = &market->roster->bidders[bidder];
  struct themis_seat *seat = &market->seats[market->n++];
  make_agent(market, bidder, type, &seat->context, &seat->agent);
  seat->bidder = bidder;
  seat->arrival_s = market->view->now - seat->agent.elapsed_s;
  seat->bare_for_s = b->held > 0 ? -1 : market->view->now - b->bare_since_s;
  seat->forced = seat->participant = seat->hopeless = false;
  return seat;
}

void themis_market_rebind(struct themis_market *market) {
  for (int i = 0; i < market->n_seats; i++)
    market->seats[i].agent.context = &market->seats[i].context;
}

/* A seat for the bidder, if it could use more GPUs of its type. */
static void seat_bidder(struct themis_market *market, int bidder) {
  const struct themis_bidder *b = &market->roster->bidders[bidder];
  int type = b->held > 0 ? b->type : choose_type(market, bidder);
  if (type < 0)
    return;
  struct themis_seat *seat = themis_market_seat(market, bidder, type);
  if (!themis_seat_wants(seat)) {
    market->n--;
    return;
  }
  double limit =
      (double)market->settings->starve_limit * market->lease_rounds * market->view->round_s;
  seat->forced = b->held == 0 && seat->bare_for_s >= limit;
  seat->key = key_of(market, seat);
}

static void sort_seats(struct themis_market *market) {
  if (market->n > 0)
    qsort(market->seats, (size_t)market->n, sizeof *market->seats, by_need);
  themis_market_rebind(market);
}

int themis_market_open(struct themis_market *market, const struct hsim_view *view) {
  market->view = view;
  market->n = 0;
  for (int i = 0; i < market->roster->n_active; i++)
    if (market->roster->bidders[market->roster->active[i]].n_jobs > 0)
      seat_bidder(market, market->roster->active[i]);
  sort_seats(market);
  return market->n;
}

void themis_market_resort(struct themis_market *market) {
  for (int i = 0; i < market->n; i++) {
    struct themis_seat *seat = &market->seats[i];
    seat->key = key_of(market, seat);
    seat->forced = false;
    if (seat->agent.held_gpus > 0)
      seat->bare_for_s = -1;
  }
  sort_seats(market);
}

void themis_market_choose_types(struct themis_market *market) {
  if (market->view->cluster->n_types == 1)
    return;
  for (int i = 0; i < market->n; i++) {
    struct themis_seat *seat = &market->seats[i];
    if (market->roster->bidders[seat->bidder].held > 0)
      continue;
    int type = choose_type(market, seat->bidder);
    if (type >= 0 && type != seat->agent.type)
      make_agent(market, seat->bidder, type, &seat->context, &seat->agent);
  }
}
