/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bundles of GPUs: counts per bay, as a list of shares in ascending bay. GPUs of one bay are alike
 * for every rate of the model, so a bay is Themis' bucket (docs/themis.md).
 */
#ifndef HSIM_POLICY_THEMIS_BUNDLE_H
#define HSIM_POLICY_THEMIS_BUNDLE_H

#include "hsim/types.h"
#include "hsim/view.h"

int themis_bundle_gpus(const struct hsim_share *shares, int n);

/* Canonical order: the bundle with more GPUs in the first bay in which two differ comes first.
 * < 0: a comes first; 0: the same bundle. */
int themis_bundle_compare(const struct hsim_share *a, int n_a, const struct hsim_share *b, int n_b);

/* a uses at most as many GPUs as b in every bay. */
bool themis_bundle_within(const struct hsim_share *a, int n_a, const struct hsim_share *b, int n_b);

/* out = a + b; returns the number of shares; `out` has room for n_a + n_b. */
int themis_bundle_add(const struct hsim_share *a, int n_a, const struct hsim_share *b, int n_b,
                      struct hsim_share *out);

/* Adds GPUs of one bay in place; the list has room for one more share. Returns the new length. */
int themis_bundle_put(struct hsim_share *shares, int n, int bay, int gpus);

/* How wide shares reach: the level of a gang on them (model.md: the widest of slot, node, rack,
 * cluster that it crosses; a node without a rack is in no rack with any other). Begin with
 * THEMIS_NOWHERE, widen by one share after the other. */
struct themis_reach {
  int node, rack, gpus;
  enum hsim_span span;
};
#define THEMIS_NOWHERE ((struct themis_reach){.node = -1, .rack = -1})
void themis_reach_add(struct themis_reach *reach, const struct hsim_cluster *cluster, int bay,
                      int gpus);
enum hsim_span themis_reach_span(const struct themis_reach *reach,
                                 const struct hsim_cluster *cluster);
enum hsim_span themis_span(const struct hsim_cluster *cluster, const struct hsim_share *shares,
                           int n);

#endif
