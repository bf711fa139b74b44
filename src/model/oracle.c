/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one rate function: a rates table under the rules of a run, on the types of a cluster.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/rates.h"

/* ---- binding ---- */

static int larger(int a, int b) {
  return a > b ? a : b;
}

static void measure_nodes(struct hsim_oracle *oracle) {
  const struct hsim_cluster *cluster = oracle->cluster;
  for (int i = 0; i < cluster->n_bays; i++) {
    const struct hsim_bay *bay = &cluster->bays[i];
    int slot = cluster->nodes[bay->node].slot_size;
    int *largest_slot = &oracle->largest_slot[bay->type];
    int *largest_bay = &oracle->largest_bay[bay->type];
    *largest_slot = larger(*largest_slot, slot < bay->gpus ? slot : bay->gpus);
    *largest_bay = larger(*largest_bay, bay->gpus);
  }
}

static void measure_racks(struct hsim_oracle *oracle) {
  const struct hsim_cluster *cluster = oracle->cluster;
  if (cluster->n_racks == 0)
    return;
  int *gpus = mem_zero((size_t)cluster->n_racks * (size_t)cluster->n_types, sizeof *gpus);
  for (int i = 0; i < cluster->n_bays; i++) {
    const struct hsim_bay *bay = &cluster->bays[i];
    int rack = cluster->nodes[bay->node].rack;
    if (rack < 0)
      continue;
    int *in_rack = &gpus[rack * cluster->n_types + bay->type];
    *in_rack += bay->gpus;
    oracle->largest_rack[bay->type] = larger(oracle->largest_rack[bay->type], *in_rack);
  }
  free(gpus);
}

void oracle_init(struct hsim_oracle *oracle, const struct rates *rates,
                 const struct hsim_cluster *cluster, const struct semantics *semantics) {
  *oracle = (struct hsim_oracle){.rates = rates,
                                 .cluster = cluster,
                                 .rules = {.missing_size = semantics->missing_size,
                                           .spread = semantics->spread,
                                           .spread_default = semantics->spread_default}};
  for (int type = 0; type < HSIM_MAX_TYPES; type++)
    oracle->type_of[type] = -1;
  for (int type = 0; type < cluster->n_types; type++) {
    const char *name = cluster->type_names[type];
    oracle->type_of[type] = names_find(&rates->types, name, strlen(name));
  }
  measure_nodes(oracle);
  measure_racks(oracle);
}

/* ---- one type ---- */

double oracle_thr(const struct hsim_oracle *oracle, int model, int type, int workers,
                  bool *derived) {
  int table_type = type < 0 ? -1 : oracle->type_of[type];
  return rates_thr(oracle->rates, oracle->rules.missing_size, model, table_type, workers, derived);
}

/* Factor on the rate of a gang that is as wide as `span`. The model has a rate on the type. A model
 * that the efficiency file lacks follows the table. */
static double span_factor(const struct hsim_oracle *oracle, int model, int type, int workers,
                          enum hsim_span span) {
  if (oracle->rules.spread == SPREAD_IGNORE)
    return 1;
  const double *efficiency = oracle->rates->efficiency;
  if (oracle->rules.spread == SPREAD_FILE && efficiency != NULL &&
      !isnan(efficiency[4 * model + (int)span]))
    return efficiency[4 * model + (int)span];
  if (span <= HSIM_SPAN_NODE)
    return 1;
  double factor = rates_spread(oracle->rates, model, oracle->type_of[type], workers);
  return isnan(factor) ? oracle->rules.spread_default : factor;
}

double oracle_rate_on(const struct hsim_oracle *oracle, int model, int type, int workers,
                      enum hsim_span span) {
  double thr = oracle_thr(oracle, model, type, workers, NULL);
  return thr == 0 ? 0 : thr * span_factor(oracle, model, type, workers, span);
}

bool oracle_pair_rate(const struct hsim_oracle *oracle, int model_a, int model_b, int type,
                      int workers, double *rate_a, double *rate_b) {
  *rate_a = *rate_b = 0;
  if (type < 0 || model_a < 0 || model_b < 0 || oracle->type_of[type] < 0)
    return false;
  return rates_pair(oracle->rates, model_a, model_b, oracle->type_of[type], workers, rate_a,
                    rate_b);
}

enum hsim_span hsim_closest_span(const struct hsim_oracle *oracle, int type, int workers) {
  if (workers <= oracle->largest_slot[type])
    return HSIM_SPAN_SLOT;
  if (workers <= oracle->largest_bay[type])
    return HSIM_SPAN_NODE;
  return workers <= oracle->largest_rack[type] ? HSIM_SPAN_RACK : HSIM_SPAN_CLUSTER;
}

double oracle_best_rate(const struct hsim_oracle *oracle, int model, uint64_t types, int workers,
                        int *type) {
  double best = 0;
  int best_type = -1;
  for (int t = 0; t < oracle->cluster->n_types; t++) {
    if ((types >> t & 1) == 0 || workers > oracle->cluster->type_gpus[t])
      continue;
    double rate = oracle_rate_on(oracle, model, t, workers, hsim_closest_span(oracle, t, workers));
    if (rate > best) {
      best = rate;
      best_type = t;
    }
  }
  if (type != NULL)
    *type = best_type;
  return best;
}

/* ---- any placement ---- */

/* The widest level that the shares cross. */
static enum hsim_span span_of(const struct hsim_cluster *cluster, const struct hsim_share *shares,
                              int n_shares, int workers) {
  int node = cluster->bays[shares[0].bay].node;
  int rack = cluster->nodes[node].rack;
  enum hsim_span span = workers <= cluster->nodes[node].slot_size ? HSIM_SPAN_SLOT : HSIM_SPAN_NODE;
  for (int i = 1; i < n_shares; i++) {
    int other = cluster->bays[shares[i].bay].node;
    if (other == node)
      continue;
    if (rack < 0 || cluster->nodes[other].rack != rack)
      return HSIM_SPAN_CLUSTER;
    span = HSIM_SPAN_RACK;
  }
  return span;
}

static double node_speed(const struct hsim_oracle *oracle, const struct hsim_share *share) {
  return oracle->node_speed ? oracle->node_speed[oracle->cluster->bays[share->bay].node] : 1.0;
}

double oracle_speed(const struct hsim_oracle *oracle, const struct hsim_share *shares,
                    int n_shares) {
  double slowest = 1.0;
  for (int i = 0; i < n_shares; i++)
    slowest = fmin(slowest, node_speed(oracle, &shares[i]));
  return slowest;
}

double oracle_rate(const struct hsim_oracle *oracle, int model, const struct hsim_share *shares,
                   int n_shares) {
  if (n_shares < 1)
    return 0;
  const struct hsim_bay *bays = oracle->cluster->bays;
  int workers = 0;
  for (int i = 0; i < n_shares; i++)
    workers += shares[i].gpus;
  double slowest = INFINITY;
  int slowest_type = -1;
  uint64_t seen = 0;
  for (int i = 0; i < n_shares; i++) {
    int type = bays[shares[i].bay].type;
    if (!oracle->node_speed && (seen >> type & 1))
      continue;
    seen |= UINT64_C(1) << type;
    double thr = oracle_thr(oracle, model, type, workers, NULL);
    if (thr == 0)
      return 0;
    double pace = thr * node_speed(oracle, &shares[i]);
    /* Equal paces: the lowest type's factor counts, whatever the order of the shares. */
    if (pace < slowest || (pace == slowest && type < slowest_type)) {
      slowest = pace;
      slowest_type = type;
    }
  }
  enum hsim_span span = span_of(oracle->cluster, shares, n_shares, workers);
  return slowest * span_factor(oracle, model, slowest_type, workers, span);
}

/* ---- what policies call ---- */

static bool accepts(const struct hsim_active *active, int type) {
  return type >= 0 && (active->job->gpu_types >> type & 1) != 0;
}

double hsim_rate(const struct hsim_oracle *oracle, const struct hsim_active *active,
                 const struct hsim_share *shares, int n_shares) {
  if (!oracle || n_shares < 1) /* a policy that did not ask for rates has none */
    return 0;
  for (int i = 0; i < n_shares; i++)
    if (!accepts(active, oracle->cluster->bays[shares[i].bay].type))
      return 0;
  return oracle_rate(oracle, active->model, shares, n_shares);
}

double hsim_rate_on(const struct hsim_oracle *oracle, const struct hsim_active *active, int type,
                    int workers, enum hsim_span span) {
  return oracle && accepts(active, type)
             ? oracle_rate_on(oracle, active->model, type, workers, span)
             : 0;
}

bool hsim_pair_rate(const struct hsim_oracle *oracle, const struct hsim_active *a,
                    const struct hsim_active *b, int type, int workers, double *rate_a,
                    double *rate_b) {
  *rate_a = *rate_b = 0;
  if (!oracle || !accepts(a, type) || !accepts(b, type))
    return false;
  return oracle_pair_rate(oracle, a->model, b->model, type, workers, rate_a, rate_b);
}

double hsim_best_rate(const struct hsim_oracle *oracle, const struct hsim_active *active,
                      int workers, int *type) {
  if (!oracle) {
    if (type)
      *type = -1;
    return 0;
  }
  return oracle_best_rate(oracle, active->model, active->job->gpu_types, workers, type);
}
