/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bid table of an app: the bundles of offered GPUs that it would take, each with its value
 * V = 1/rho when added to what the app holds (Mahajan et al., Themis, NSDI'20, section 3.2). At
 * most one row of a table wins. The empty bundle is no row: it is `empty_value`.
 *
 * A table lists no bundle that a smaller one matches (V may fall when GPUs are added far away), and
 * none that is worth no more than the empty one. Where the offer has few bundles all of them are
 * looked at; else, for the largest size, 1, 2, 4, 8... and then the others, for each level from
 * slot to cluster, some placements a size and level, until the table is full. Equally good machines
 * stay as alternatives: with only the best bundle per size two apps collide and one gets nothing.
 */
#ifndef HSIM_POLICY_THEMIS_BIDS_H
#define HSIM_POLICY_THEMIS_BIDS_H

#include "policy/themis/agent.h"

/* Free GPUs of one type, ascending bay, none of 0. */
struct themis_offer {
  const struct hsim_share *free;
  int n, gpus;
};

struct themis_row {
  int first, n; /* shares: table.parts[first .. first + n - 1] */
  int gpus;
  double value;     /* V */
  double log_value; /* ln V */
  bool dead;        /* while the table is made: a smaller bundle matches it */
};

struct themis_table {
  struct themis_row *rows; /* canonical order: fewer GPUs, then themis_bundle_compare */
  int n;
  struct hsim_share *parts;
  size_t n_parts;
  double empty_value; /* V of what it holds; where that is 0, eta times the smallest row's, so that
                         no product of values is 0 */
  bool floored;       /* it was 0 */
  double empty_log;
  size_t rows_capacity, parts_capacity;
};

struct themis_bid_rules {
  int rows_max;
  int alternatives; /* placements per size and level */
  double eta;
};

static inline const struct hsim_share *themis_row_parts(const struct themis_table *table,
                                                        const struct themis_row *row) {
  return &table->parts[row->first];
}

void themis_table_free(struct themis_table *table);

/* Tables from outside (tests): begin, add rows, finish (sorts and floors). Nothing is pruned. */
void themis_table_begin(struct themis_table *table, double value_now);
void themis_table_add(struct themis_table *table, const struct hsim_share *parts, int n,
                      double value);
/* An empty value of 0, that of an app whose GPUs if any are of no use to it, is floored. */
void themis_table_finish(struct themis_table *table, double eta);

/* Adds a row unless it is worth no more than the empty one or some row matches it; takes out those
 * that it matches. */
void themis_table_offer(struct themis_table *table, const struct hsim_share *parts, int n,
                        double value);

/* The app's table for an offer. It may end up without rows. */
void themis_bid(struct themis_table *table, struct themis_agent *agent,
                const struct themis_offer *offer, const struct themis_bid_rules *rules);

#endif
