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
  double f;
  double lease_s;
  double restart_s;
  double bid_error;
  double lie;
  struct themis_bid_rules bids;
  enum themis_algorithm algorithm;
  enum themis_valuation valuation;
  enum themis_ideal ideal;
  enum themis_payment payment;
  enum themis_leftover leftover;
  enum themis_solver_kind solver;
  int starve_limit;
  int part_max, node_cap;
  int liar;         /* app's number, -1: none */
  bool instant;     /* nmode=now */
  bool starved_inf; /* starved_key=inf */
  bool mopup, refilter;
  bool canonical;
  bool elastic;
  bool stagger;
};

enum { THEMIS_COLUMNS_MAX = 1500 }; /* rows of one auction, beyond it tables are cut */

enum { N_THEMIS_OPTIONS = 26 };
extern const struct hsim_option themis_options[N_THEMIS_OPTIONS];

void themis_settings_read(struct themis_settings *settings, const struct hsim_value *values);

/* The table's callback of the same name. */
const char *themis_settled(const struct hsim_value *values, int option);

#endif
