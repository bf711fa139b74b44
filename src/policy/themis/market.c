/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Auctions of one decision. */
#include "policy/themis/market.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "policy/themis/bundle.h"

void themis_market_init(struct themis_market *market, const struct themis_settings *settings,
                        struct themis_roster *roster, const struct hsim_view *view) {
  market->settings = settings;
  market->roster = roster;
  market->view = view;
  double rounds = ceil(settings->lease_s / view->round_s - 1e-9);
  market->lease_rounds = rounds < 1 ? 1 : rounds > 1e9 ? 1000000000 : (int)rounds;
  market->cursor = -1;
  themis_solver_init(&market->solver, settings->solver, settings->node_cap, THEMIS_COLUMNS_MAX);
  hsim_rng_init(&market->rng, view->seed, "themis");
  hsim_rng_init(&market->noise, view->seed, "themis bid errors");
}

void themis_market_free(struct themis_market *market) {
  for (int i = 0; i < market->n_seats; i++) {
    themis_agent_free(&market->seats[i].agent);
    free(market->seats[i].context.jobs);
  }
  for (int i = 0; i < market->n_tables; i++)
    themis_table_free(&market->tables[i]);
  themis_agent_free(&market->probe);
  free(market->probe_context.jobs);
  themis_table_free(&market->probe_table);
  themis_solver_free(&market->solver);
  themis_report_free(&market->report);
  free(market->seats);
  free(market->entrants);
  free(market->tables);
  free(market->offer);
  free(market->c);
  free(market->rows);
  free(market->must);
  free(market->parts);
}

/* ---- Bid tables ---- */

static void reserve(struct themis_market *market) {
  size_t n = (size_t)market->n_entrants, bays = (size_t)market->view->cluster->n_bays;
  market->tables = mem_grow(market->tables, n, &market->tables_capacity, sizeof *market->tables);
  while (market->n_tables < market->n_entrants)
    market->tables[market->n_tables++] = (struct themis_table){0};
  market->c = mem_grow(market->c, n, &market->c_capacity, sizeof *market->c);
  market->rows = mem_grow(market->rows, n, &market->rows_capacity, sizeof *market->rows);
  market->must = mem_grow(market->must, n, &market->must_capacity, sizeof *market->must);
  market->parts = mem_grow(market->parts, bays, &market->parts_capacity, sizeof *market->parts);
}

/* Each value as it would be with an error of the rho that is reported. */
static void blur(struct themis_market *market, struct themis_table *table) {
  double error = market->settings->bid_error;
  for (int b = 0; b < table->n && error > 0; b++) {
    struct themis_row *row = &table->rows[b];
    row->value /= 1 + error * (2 * hsim_rng_uniform(&market->noise) - 1);
    row->log_value = log(row->value);
  }
  if (error > 0)
    themis_table_finish(table, market->settings->bids.eta);
}

static int bid_all(struct themis_market *market, const struct themis_offer *offer, int rows_max) {
  struct themis_bid_rules rules = market->settings->bids;
  rules.rows_max = rules.rows_max < rows_max ? rules.rows_max : rows_max;
  int rows = 0;
  for (int i = 0; i < market->n_entrants; i++) {
    struct themis_agent *agent = &market->seats[market->entrants[i]].agent;
    themis_bid(&market->tables[i], agent, offer, &rules);
    rows += market->tables[i].n;
  }
  return rows;
}

/* Tables small enough for an exact solution, where one is wanted. */
static void make_tables(struct themis_market *market, const struct themis_offer *offer) {
  int rows = bid_all(market, offer, market->settings->bids.rows_max);
  for (int limit = 32; limit >= 16; limit /= 2)
    if (market->settings->solver == THEMIS_AUTO && rows > THEMIS_COLUMNS_MAX)
      rows = bid_all(market, offer, limit);
  for (int i = 0; i < market->n_entrants; i++)
    blur(market, &market->tables[i]);
}

/* ---- Bidders that must be served ---- */

static int first_row_that_fits(const struct themis_table *table, const int *left) {
  for (int b = 0; b < table->n; b++) {
    const struct themis_row *row = &table->rows[b];
    int p = row->first;
    while (p < row->first + row->n && left[table->parts[p].bay] >= table->parts[p].gpus)
      p++;
    if (p == row->first + row->n)
      return b;
  }
  return -1;
}

/* The first row that fits what is left, which is taken off it; NULL: none does. */
static const struct themis_row *take_smallest(const struct themis_table *table, int *left) {
  int b = first_row_that_fits(table, left);
  if (b < 0)
    return NULL;
  const struct themis_row *row = &table->rows[b];
  for (int p = row->first; p < row->first + row->n; p++)
    left[table->parts[p].bay] -= table->parts[p].gpus;
  return row;
}

/* The free GPUs of each bay, to be freed. */
static int *copy_free(const struct themis_market *market) {
  size_t bays = (size_t)market->view->cluster->n_bays;
  int *left = mem_alloc(bays, sizeof *left);
  memcpy(left, market->roster->leases.free, bays * sizeof *left);
  return left;
}

/* As long as smallest rows of all of them fit together. */
static void mark_forced(struct themis_market *market) {
  int *left = copy_free(market);
  for (int i = 0; i < market->n_entrants; i++) {
    market->must[i] = market->seats[market->entrants[i]].forced &&
                      take_smallest(&market->tables[i], left) != NULL;
    market->counts.forced += market->must[i];
  }
  free(left);
}

/* ---- One auction ---- */

static int grant(struct themis_market *market, struct themis_seat *seat,
                 const struct hsim_share *parts, int n, int rounds) {
  int granted = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < parts[i].gpus; k++, granted++)
      themis_market_grant(market, seat, parts[i].bay, rounds);
  return granted;
}

static void log_auction(struct themis_market *market, const char *event,
                        const struct themis_offer *offer, const struct themis_answer *answer,
                        int nodes) {
  static const char *const how[] = {"proven", "limited", "greedy"};
  const struct hsim_cluster *cluster = market->view->cluster;
  struct themis_report *report = &market->report;
  int type = cluster->bays[offer->free[0].bay].type, eligible = 0;
  for (int i = 0; i < market->n; i++)
    eligible += market->seats[i].agent.type == type;
  themis_report_begin(report);
  themis_report_open(report, NULL, '{');
  themis_report_text(report, "event", event);
  themis_report_text(report, "type", cluster->type_names[type]);
  themis_report_number(report, "gpus", offer->gpus);
  themis_report_bundle(report, "offer", cluster, offer->free, offer->n);
  themis_report_number(report, "eligible", eligible);
  themis_report_number(report, "participants", market->n_entrants);
  themis_report_text(report, "status", how[answer->how]);
  themis_report_number(report, "nodes", nodes);
  themis_report_number(report, "objective", answer->log_value);
  themis_report_open(report, "bids", '[');
}

static void log_bid(struct themis_market *market, int i, double held,
                    const struct themis_prize *prize) {
  const struct hsim_cluster *cluster = market->view->cluster;
  struct themis_report *report = &market->report;
  const struct themis_table *table = &market->tables[i];
  const struct themis_seat *seat = &market->seats[market->entrants[i]];
  themis_report_open(report, NULL, '{');
  themis_report_number(report, "app", market->roster->bidders[seat->bidder].app);
  themis_report_number(report, "rho", seat->key);
  themis_report_number(report, "held", held);
  themis_report_number(report, "rows", table->n);
  if (market->must[i])
    themis_report_number(report, "forced", 1);
  if (market->rows[i] >= 0) {
    const struct themis_row *row = &table->rows[market->rows[i]];
    themis_report_bundle(report, "bundle", cluster, themis_row_parts(table, row), row->n);
    themis_report_number(report, "c", market->c[i]);
    themis_report_bundle(report, "kept", cluster, prize->parts, prize->n);
    themis_report_number(report, "rounds", prize->rounds);
  }
  themis_report_close(report, '}');
}

/* Gives the winners what they keep. Returns the number of GPUs. */
static int award(struct themis_market *market, enum themis_payment payment, bool logging) {
  int granted = 0;
  for (int i = 0; i < market->n_entrants; i++) {
    struct themis_seat *seat = &market->seats[market->entrants[i]];
    struct themis_prize prize = {.parts = market->parts};
    int held = seat->agent.held_gpus;
    if (market->rows[i] >= 0) {
      const struct themis_table *table = &market->tables[i];
      const struct themis_row *row = &table->rows[market->rows[i]];
      themis_realise(payment, &seat->agent, themis_row_parts(table, row), row->n, market->c[i],
                     market->lease_rounds, &market->rng, &prize);
      granted += grant(market, seat, prize.parts, prize.n, prize.rounds);
      if (payment != THEMIS_NONE) {
        market->counts.payments++;
        market->counts.paid += 1 - market->c[i];
        market->counts.withheld += row->gpus - prize.gpus;
      }
    }
    if (logging)
      log_bid(market, i, held, &prize);
  }
  return granted;
}

/* Among market->entrants. Leaves the log's object open after its list of bids. */
static int auction(struct themis_market *market, const char *event,
                   const struct themis_offer *offer, enum themis_payment payment) {
  reserve(market);
  make_tables(market, offer);
  mark_forced(market);
  struct themis_program program = {.n = market->n_entrants,
                                   .tables = market->tables,
                                   .forced = market->must,
                                   .room = market->roster->leases.free,
                                   .n_bays = market->view->cluster->n_bays};
  struct themis_answer answer = {.row = market->rows};
  themis_solver_load(&market->solver, &program);
  themis_solve(&market->solver, &program, -1, NULL, &answer);
  int nodes = answer.nodes;
  if (market->settings->canonical)
    themis_canonical(&program, market->solver.left, &answer);
  for (int i = 0; i < market->n_entrants; i++)
    market->c[i] = 1;
  if (payment != THEMIS_NONE) {
    double raw = themis_payments(&market->solver, &program, &answer, market->c, &nodes);
    market->counts.above_one += raw > 1 + 1e-6;
  }
  bool logging = hsim_logging(market->view);
  if (logging)
    log_auction(market, event, offer, &answer, nodes);
  int granted = award(market, payment, logging);
  if (logging)
    themis_report_close(&market->report, ']');
  return granted;
}

static void emit(struct themis_market *market) {
  if (!hsim_logging(market->view))
    return;
  themis_report_close(&market->report, '}');
  hsim_emit(market->view, market->report.text);
}

/* ---- Phases ---- */

/* The same of a seat's bid; the row's parts are in the probe's table. */
static const struct themis_row *bid_smallest(struct themis_market *market, struct themis_seat *seat,
                                             const struct themis_offer *offer, int *left) {
  themis_bid(&market->probe_table, &seat->agent, offer, &market->settings->bids);
  return take_smallest(&market->probe_table, left);
}

static void log_served(struct themis_market *market, const struct themis_seat *seat,
                       const struct themis_row *row) {
  struct themis_report *report = &market->report;
  themis_report_begin(report);
  themis_report_open(report, NULL, '{');
  themis_report_text(report, "event", "served");
  themis_report_number(report, "app", market->roster->bidders[seat->bidder].app);
  themis_report_number(report, "rho", seat->key);
  themis_report_bundle(report, "kept", market->view->cluster,
                       themis_row_parts(&market->probe_table, row), row->n);
  themis_report_number(report, "rounds", market->lease_rounds);
  themis_report_close(report, '}');
  hsim_emit(market->view, report->text);
}

/* Bidders that must be served beyond part_max: their smallest rows at once, longest wait first, as
 * far as that leaves room for those of the ones in the auction, which have waited longer. */
static void serve_others(struct themis_market *market, int type, const struct themis_offer *offer) {
  int *left = copy_free(market);
  for (int i = 0; i < market->n_entrants; i++)
    if (market->seats[market->entrants[i]].forced)
      bid_smallest(market, &market->seats[market->entrants[i]], offer, left);
  for (int i = 0; i < market->n; i++) {
    struct themis_seat *seat = &market->seats[i];
    if (seat->agent.type != type || !seat->forced || seat->participant)
      continue;
    const struct themis_row *row = bid_smallest(market, seat, offer, left);
    if (row == NULL)
      continue;
    seat->participant = true;
    market->counts.forced++;
    if (hsim_logging(market->view))
      log_served(market, seat, row);
    grant(market, seat, themis_row_parts(&market->probe_table, row), row->n, market->lease_rounds);
  }
  free(left);
}

/* Seats that take part in the auction of a type: the worst 1 - f, and all that must be served, but
 * no more than part_max. */
static void admit(struct themis_market *market, int type, const struct themis_offer *offer) {
  int n = 0, forced = 0;
  for (int i = 0; i < market->n; i++) {
    n += market->seats[i].agent.type == type;
    forced += market->seats[i].agent.type == type && market->seats[i].forced;
  }
  int wanted = themis_participants(market->settings->f, n);
  wanted = wanted > forced ? wanted : forced;
  market->n_entrants = 0;
  int most = market->settings->part_max < wanted ? market->settings->part_max : wanted;
  for (int i = 0; i < market->n && market->n_entrants < most; i++) {
    struct themis_seat *seat = &market->seats[i];
    if (seat->agent.type != type)
      continue;
    seat->participant = true;
    market->entrants[market->n_entrants++] = i;
  }
  if (forced > market->settings->part_max)
    serve_others(market, type, offer);
}

static void auction_type(struct themis_market *market, int type) {
  struct themis_offer offer = themis_market_offer(market, type);
  if (offer.gpus == 0)
    return;
  admit(market, type, &offer);
  offer = themis_market_offer(market, type);
  if (market->n_entrants == 0 || offer.gpus == 0)
    return;
  market->counts.auctions++;
  auction(market, "auction", &offer, market->settings->payment);
  if (market->settings->leftover != THEMIS_IDLE)
    market->counts.leftover += themis_hand_out(market, type);
  emit(market);
}

/* One pass without payments over a type. Returns whether there was anybody to ask. */
static bool mop_up_type(struct themis_market *market, int type) {
  struct themis_offer offer = themis_market_offer(market, type);
  int n = 0, most = market->settings->part_max;
  if (offer.gpus == 0)
    return false;
  market->n_entrants = 0;
  for (int i = 0; i < market->n; i++) {
    const struct themis_seat *seat = &market->seats[i];
    if (seat->agent.type == type && !seat->hopeless && themis_seat_wants(seat))
      market->entrants[n++] = i;
  }
  if (n == 0)
    return false;
  if (market->settings->refilter && themis_participants(market->settings->f, n) < most)
    most = themis_participants(market->settings->f, n);
  market->n_entrants = n < most ? n : most;
  market->counts.mopups++;
  int granted = auction(market, "mopup", &offer, THEMIS_NONE);
  emit(market);
  market->counts.mopped += granted;
  for (int i = 0; i < market->n_entrants && granted == 0; i++)
    market->seats[market->entrants[i]].hopeless = true;
  return true;
}

static void mop_up(struct themis_market *market) {
  bool asked = true;
  for (int i = 0; i < market->n; i++)
    market->seats[i].forced = false;
  while (asked && market->roster->leases.n_free > 0) {
    asked = false;
    if (market->settings->refilter)
      themis_market_resort(market);
    themis_market_choose_types(market);
    for (int t = 0; t < market->view->cluster->n_types; t++)
      asked = mop_up_type(market, t) || asked;
  }
}

void themis_market_run(struct themis_market *market) {
  market->entrants = mem_grow(market->entrants, (size_t)market->n, &market->entrants_capacity,
                              sizeof *market->entrants);
  for (int t = 0; t < market->view->cluster->n_types; t++)
    auction_type(market, t);
  if (market->settings->mopup)
    mop_up(market);
}
