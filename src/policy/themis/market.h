/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ARBITER's book of one decision: who may bid, in which order, for which GPU type; and the
 * auctions (Mahajan et al., Themis, NSDI'20, section 3).
 */
#ifndef HSIM_POLICY_THEMIS_MARKET_H
#define HSIM_POLICY_THEMIS_MARKET_H

#include "policy/themis/report.h"
#include "policy/themis/roster.h"

/* A bidder that could use more GPUs. */
struct themis_seat {
  int bidder;
  struct themis_agent agent;
  struct themis_context context;
  double key;        /* rho that the filter sorts by */
  double bare_for_s; /* seconds without a GPU, -1: it holds some */
  double arrival_s;
  bool forced;      /* has waited too long: must be served */
  bool participant; /* of the auction with payments */
  bool hopeless;    /* bid for nothing in this decision's mop-up */
};

struct themis_counts {
  double auctions, mopups, payments, paid, withheld, leftover, mopped, forced, above_one;
};

struct themis_market {
  const struct themis_settings *settings;
  struct themis_roster *roster;
  struct themis_solver solver;
  struct themis_report report;
  struct hsim_rng rng, noise; /* leftovers and lotteries; errors of bids */
  struct themis_counts counts;
  int lease_rounds;
  int cursor; /* leftover=rr: the app that is next */

  /* One decision */
  const struct hsim_view *view;
  struct themis_seat *seats; /* first n: in filter order; those behind keep their memory */
  int n, n_seats;
  int *entrants; /* of one auction: seat numbers */
  int n_entrants;
  struct themis_table *tables; /* [part_max] */
  int n_tables;
  struct hsim_share *offer;
  double *c;
  int *rows;
  bool *must;
  struct hsim_share *parts;
  struct themis_agent probe; /* a bidder on another type */
  struct themis_context probe_context;
  struct themis_table probe_table;
  size_t seats_capacity, entrants_capacity, tables_capacity, offer_capacity, c_capacity,
      rows_capacity, must_capacity, parts_capacity;
};

void themis_market_init(struct themis_market *market, const struct themis_settings *settings,
                        struct themis_roster *roster, const struct hsim_view *view);
void themis_market_free(struct themis_market *market);

/* ---- seats.c ---- */

/* Seats for all bidders that could use more GPUs, in filter order. Returns how many. */
int themis_market_open(struct themis_market *market, const struct hsim_view *view);
/* One more seat, for a bidder as an agent for a type; the caller may take it back (market.n--). */
struct themis_seat *themis_market_seat(struct themis_market *market, int bidder, int type);
/* After the last of them: seats have moved in memory. */
void themis_market_rebind(struct themis_market *market);
/* Keys and order anew, after GPUs were granted. */
void themis_market_resort(struct themis_market *market);
/* Bidders that hold nothing choose the type on which their best bid is worth most. */
void themis_market_choose_types(struct themis_market *market);
/* How many of n bidders are offered the GPUs: max(1, floor((1 - f) n)). */
int themis_participants(double f, int n);
/* The free GPUs of a type, in market->offer. */
struct themis_offer themis_market_offer(struct themis_market *market, int type);
/* The seat could use more than it holds. */
bool themis_seat_wants(const struct themis_seat *seat);
/* Grants one GPU of a bay to a seat's bidder. */
void themis_market_grant(struct themis_market *market, struct themis_seat *seat, int bay,
                         int rounds);

/* ---- market.c ---- */

/* Auctions, leftovers and mop-up for all types. */
void themis_market_run(struct themis_market *market);

/* ---- leftover.c ---- */

/* Free GPUs of a type for seats that took no part. Returns how many were given. */
int themis_hand_out(struct themis_market *market, int type);

/* ---- single.c ---- */

/* Instead of all that: each free GPU goes to the highest bidder, one after the other. */
void themis_single_run(struct themis_market *market, const struct hsim_view *view);

#endif
