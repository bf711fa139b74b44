/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/bundle.h"

#include <string.h>

int themis_bundle_gpus(const struct hsim_share *shares, int n) {
  int gpus = 0;
  for (int i = 0; i < n; i++)
    gpus += shares[i].gpus;
  return gpus;
}

int themis_bundle_compare(const struct hsim_share *a, int n_a, const struct hsim_share *b,
                          int n_b) {
  for (int i = 0; i < n_a && i < n_b; i++) {
    if (a[i].bay != b[i].bay)
      return a[i].bay < b[i].bay ? -1 : 1;
    if (a[i].gpus != b[i].gpus)
      return a[i].gpus > b[i].gpus ? -1 : 1;
  }
  return (n_a < n_b) - (n_a > n_b);
}

bool themis_bundle_within(const struct hsim_share *a, int n_a, const struct hsim_share *b,
                          int n_b) {
  int j = 0;
  for (int i = 0; i < n_a; i++) {
    while (j < n_b && b[j].bay < a[i].bay)
      j++;
    if (j == n_b || b[j].bay != a[i].bay || b[j].gpus < a[i].gpus)
      return false;
  }
  return true;
}

int themis_bundle_add(const struct hsim_share *a, int n_a, const struct hsim_share *b, int n_b,
                      struct hsim_share *out) {
  int n = 0, i = 0, j = 0;
  while (i < n_a || j < n_b) {
    if (j == n_b || (i < n_a && a[i].bay < b[j].bay)) {
      out[n++] = a[i++];
    } else if (i == n_a || b[j].bay < a[i].bay) {
      out[n++] = b[j++];
    } else {
      out[n] = a[i++];
      out[n++].gpus += b[j++].gpus;
    }
  }
  return n;
}

int themis_bundle_put(struct hsim_share *shares, int n, int bay, int gpus) {
  int at = 0;
  while (at < n && shares[at].bay < bay)
    at++;
  if (at < n && shares[at].bay == bay) {
    shares[at].gpus += gpus;
    return n;
  }
  memmove(&shares[at + 1], &shares[at], (size_t)(n - at) * sizeof *shares);
  shares[at] = (struct hsim_share){bay, gpus};
  return n + 1;
}

void themis_reach_add(struct themis_reach *reach, const struct hsim_cluster *cluster, int bay,
                      int gpus) {
  int node = cluster->bays[bay].node, rack = cluster->nodes[node].rack;
  reach->gpus += gpus;
  if (reach->node < 0) {
    reach->node = node;
    reach->rack = rack;
    reach->span = HSIM_SPAN_NODE;
  } else if (node != reach->node) {
    bool same_rack = rack >= 0 && rack == reach->rack;
    if (!same_rack)
      reach->span = HSIM_SPAN_CLUSTER;
    else if (reach->span < HSIM_SPAN_RACK)
      reach->span = HSIM_SPAN_RACK;
  }
}

enum hsim_span themis_reach_span(const struct themis_reach *reach,
                                 const struct hsim_cluster *cluster) {
  bool slot = reach->node >= 0 && reach->span <= HSIM_SPAN_NODE &&
              reach->gpus <= cluster->nodes[reach->node].slot_size;
  return slot ? HSIM_SPAN_SLOT : reach->span;
}

enum hsim_span themis_span(const struct hsim_cluster *cluster, const struct hsim_share *shares,
                           int n) {
  struct themis_reach reach = THEMIS_NOWHERE;
  for (int i = 0; i < n; i++)
    themis_reach_add(&reach, cluster, shares[i].bay, shares[i].gpus);
  return themis_reach_span(&reach, cluster);
}
