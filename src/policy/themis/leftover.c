/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GPUs that payments and the optimum left: they go to apps that took no part (Mahajan et al.,
 * Themis, NSDI'20, section 3.2), so that no participant gets its payment back. */
#include <stdlib.h>

#include "model/memory.h"
#include "policy/themis/bundle.h"
#include "policy/themis/market.h"

/* How near a bay is to what a seat holds: its node, its rack, elsewhere. */
enum nearness { SAME_NODE, SAME_RACK, ANYWHERE, N_NEARNESS };

static enum nearness nearness_of(const struct themis_market *market, const struct themis_seat *seat,
                                 int bay) {
  const struct hsim_cluster *cluster = market->view->cluster;
  int node = cluster->bays[bay].node, rack = cluster->nodes[node].rack;
  enum nearness best = ANYWHERE;
  for (int i = 0; i < seat->agent.n_held; i++) {
    int other = cluster->bays[seat->agent.held[i].bay].node;
    if (other == node)
      return SAME_NODE;
    if (rack >= 0 && cluster->nodes[other].rack == rack)
      best = SAME_RACK;
  }
  return best;
}

static int take_free(struct themis_market *market, int n, int bay, int *need) {
  int gpus = market->roster->leases.free[bay];
  gpus = gpus < *need ? gpus : *need;
  *need -= gpus;
  return gpus > 0 ? themis_bundle_put(market->parts, n, bay, gpus) : n;
}

/* The least that the seat can use, beginning at a bay: in market->parts. 0: it cannot use it, or
 * its value would fall. */
static int wanted_parts(struct themis_market *market, struct themis_seat *seat, int first) {
  const struct hsim_cluster *cluster = market->view->cluster;
  int need = themis_seat_wants(seat) ? themis_agent_step(&seat->agent) : 0;
  if (need == 0)
    return 0;
  int n = take_free(market, 0, first, &need);
  int rack = cluster->nodes[cluster->bays[first].node].rack;
  for (int pass = 0; pass < 2 && need > 0; pass++)
    for (int bay = 0; bay < cluster->n_bays && need > 0; bay++) {
      bool near = rack >= 0 && cluster->nodes[cluster->bays[bay].node].rack == rack;
      if (bay != first && cluster->bays[bay].type == seat->agent.type && near == (pass == 0))
        n = take_free(market, n, bay, &need);
    }
  if (need > 0)
    return 0;
  double now = themis_agent_value(&seat->agent, NULL, 0);
  double then = themis_agent_value(&seat->agent, market->parts, n);
  return then > 0 && then >= now ? n : 0;
}

static bool is_candidate(struct themis_market *market, int i, int type, int bay) {
  struct themis_seat *seat = &market->seats[i];
  return !seat->participant && seat->agent.type == type && wanted_parts(market, seat, bay) > 0;
}

/* The candidate with the lowest number above the cursor, around. */
static int pick_in_turn(struct themis_market *market, int type, int bay) {
  int best = -1, best_rank = 0;
  for (int i = 0; i < market->n; i++) {
    int app = market->roster->bidders[market->seats[i].bidder].app;
    int rank = app > market->cursor ? app - market->cursor
                                    : app - market->cursor + market->roster->n_bidders;
    if (is_candidate(market, i, type, bay) && (best < 0 || rank < best_rank)) {
      best = i;
      best_rank = rank;
    }
  }
  if (best >= 0)
    market->cursor = market->roster->bidders[market->seats[best].bidder].app;
  return best;
}

/* One of the candidates, all alike; with leftover=local of the nearest ones. */
static int pick(struct themis_market *market, int type, int bay) {
  if (market->settings->leftover == THEMIS_ROUND_ROBIN)
    return pick_in_turn(market, type, bay);
  int counts[N_NEARNESS] = {0}, *of = mem_alloc((size_t)market->n, sizeof *of);
  for (int i = 0; i < market->n; i++) {
    of[i] = -1;
    if (!is_candidate(market, i, type, bay))
      continue;
    bool local = market->settings->leftover == THEMIS_LOCAL;
    of[i] = local ? (int)nearness_of(market, &market->seats[i], bay) : 0;
    counts[of[i]]++;
  }
  int nearest = 0, chosen = -1;
  while (nearest < N_NEARNESS && counts[nearest] == 0)
    nearest++;
  if (nearest < N_NEARNESS) {
    uint64_t skip = hsim_rng_below(&market->rng, (uint64_t)counts[nearest]);
    for (chosen = 0; of[chosen] != nearest || skip > 0; chosen++)
      skip -= of[chosen] == nearest;
  }
  free(of);
  return chosen;
}

static void log_receiver(struct themis_market *market, const struct themis_seat *seat, int n) {
  struct themis_report *report = &market->report;
  themis_report_open(report, NULL, '{');
  themis_report_number(report, "app", market->roster->bidders[seat->bidder].app);
  themis_report_bundle(report, "gets", market->view->cluster, market->parts, n);
  themis_report_close(report, '}');
}

int themis_hand_out(struct themis_market *market, int type) {
  const struct hsim_cluster *cluster = market->view->cluster;
  bool logging = hsim_logging(market->view);
  int given = 0;
  if (logging)
    themis_report_open(&market->report, "leftovers", '[');
  for (int bay = 0; bay < cluster->n_bays; bay++)
    while (cluster->bays[bay].type == type && market->roster->leases.free[bay] > 0) {
      int i = pick(market, type, bay);
      if (i < 0)
        break;
      struct themis_seat *seat = &market->seats[i];
      int n = wanted_parts(market, seat, bay);
      for (int p = 0; p < n; p++)
        for (int k = 0; k < market->parts[p].gpus; k++, given++)
          themis_market_grant(market, seat, market->parts[p].bay, market->lease_rounds);
      if (logging)
        log_receiver(market, seat, n);
    }
  if (logging)
    themis_report_close(&market->report, ']');
  return given;
}
