/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options of the policy `themis`. docs/themis.md explains them.
 */
#ifndef HSIM_POLICY_THEMIS_SETTINGS_H
#define HSIM_POLICY_THEMIS_SETTINGS_H

#include "policy/themis/auction.h"
#include "policy/themis/metric.h"

enum themis_algorithm {
  THEMIS_AUCTION,
  THEMIS_GANDIVA,
  THEMIS_TIRESIAS,
  THEMIS_OPTIMUS,
  THEMIS_SLAQ,
  THEMIS_SRTF,
  THEMIS_SRSF
};

enum themis_leftover { THEMIS_LOCAL, THEMIS_RANDOM, THEMIS_ROUND_ROBIN, THEMIS_IDLE };

struct themis_settings {
  enum themis_algorithm algorithm;
  double f;
  double lease_s;
  enum themis_valuation valuation;
  enum themis_ideal ideal;
  bool instant;     /* nmode=now */
  bool starved_inf; /* starved_key=inf */
  enum themis_payment payment;
  enum themis_leftover leftover;
  bool mopup, refilter;
  int starve_limit;
  struct themis_bid_rules bids;
  int part_max, node_cap;
  bool canonical;
  enum themis_solver_kind solver;
  bool elastic;
  double restart_s;
  bool stagger;
  double bid_error;
  int liar; /* app's number, -1: none */
  double lie;
};

enum { THEMIS_COLUMNS_MAX = 1500 }; /* rows of one auction, beyond it tables are cut */

enum { N_THEMIS_OPTIONS = 26 };
extern const struct hsim_option themis_options[N_THEMIS_OPTIONS];

void themis_settings_read(struct themis_settings *settings, const struct hsim_value *values);

/* The table's callback of the same name. */
const char *themis_settled(const struct hsim_value *values, int option);

#endif
