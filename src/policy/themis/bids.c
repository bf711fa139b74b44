/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bundles an app looks at. */
#include "policy/themis/bids.h"

#include <stdlib.h>

#include "model/memory.h"
#include "policy/themis/bundle.h"

/* What the search carries about. */
struct search {
  struct themis_table *table;
  struct themis_agent *agent;
  const struct themis_offer *offer;
  const struct themis_bid_rules *rules;
  int room;                  /* GPUs that it can use beyond those that it holds */
  struct themis_reach reach; /* of what it holds */
  struct hsim_share *parts;  /* [offer.n] the bundle that is made */
  int n_parts;
  uint8_t *taken; /* [offer.n] machine is in the bundle */
  int *machines;  /* [offer.n] those of a group, in the order in which they are filled */
};

static void try_bundle(struct search *search) {
  if (search->n_parts == 0)
    return;
  double value = themis_agent_value(search->agent, search->parts, search->n_parts);
  themis_table_offer(search->table, search->parts, search->n_parts, value);
}

/* ---- All bundles ---- */

/* How many bundles the offer has, the empty one included, or limit + 1 if there are more. */
static int count_bundles(const struct themis_offer *offer, int limit) {
  int count = 1;
  for (int i = 0; i < offer->n; i++) {
    if (count > limit / (offer->free[i].gpus + 1))
      return limit + 1;
    count *= offer->free[i].gpus + 1;
  }
  return count;
}

static void try_all(struct search *search, int count) {
  const struct themis_offer *offer = search->offer;
  for (int code = 1; code < count; code++) {
    int rest = code, gpus = 0;
    search->n_parts = 0;
    for (int i = 0; i < offer->n; i++) {
      int take = rest % (offer->free[i].gpus + 1);
      rest /= offer->free[i].gpus + 1;
      if (take > 0)
        search->parts[search->n_parts++] = (struct hsim_share){offer->free[i].bay, take};
      gpus += take;
    }
    if (gpus <= search->room)
      try_bundle(search);
  }
}

/* ---- Some of each size and level ---- */

static int node_of(const struct search *search, int i) {
  return search->agent->cluster->bays[search->offer->free[i].bay].node;
}

static int rack_of(const struct search *search, int i) {
  return search->agent->cluster->nodes[node_of(search, i)].rack;
}

static int held_in(const struct search *search, int bay) {
  for (int i = 0; i < search->agent->n_held; i++)
    if (search->agent->held[i].bay == bay)
      return search->agent->held[i].gpus;
  return 0;
}

static void put(struct search *search, int i, int gpus) {
  search->n_parts =
      themis_bundle_put(search->parts, search->n_parts, search->offer->free[i].bay, gpus);
  search->taken[i] = 1;
}

/* `k` GPUs from `n` machines: those where it already is, then the one that fits tightest, else the
 * one with most, first come first among equals. */
static void fill_tight(struct search *search, int n, int k) {
  const struct hsim_share *free = search->offer->free;
  search->n_parts = 0;
  for (int m = 0; m < n; m++)
    search->taken[search->machines[m]] = 0;
  for (int m = 0; m < n && k > 0; m++) {
    int i = search->machines[m];
    if (held_in(search, free[i].bay) == 0)
      continue;
    int gpus = free[i].gpus < k ? free[i].gpus : k;
    put(search, i, gpus);
    k -= gpus;
  }
  while (k > 0) {
    int best = -1;
    for (int m = 0; m < n; m++) {
      int i = search->machines[m];
      if (search->taken[i])
        continue;
      bool better = best < 0;
      if (best >= 0)
        better = free[best].gpus >= k ? free[i].gpus >= k && free[i].gpus < free[best].gpus
                                      : free[i].gpus > free[best].gpus;
      best = better ? i : best;
    }
    int gpus = free[best].gpus < k ? free[best].gpus : k;
    put(search, best, gpus);
    k -= gpus;
  }
  try_bundle(search);
}

/* `k` GPUs from `n` machines, one after the other from number `from` on. */
static void fill_along(struct search *search, int n, int k, int from) {
  search->n_parts = 0;
  for (int m = 0; m < n && k > 0; m++) {
    int i = search->machines[(from + m) % n];
    int gpus = search->offer->free[i].gpus < k ? search->offer->free[i].gpus : k;
    put(search, i, gpus);
    k -= gpus;
  }
  try_bundle(search);
}

/* On one machine; `slot`: within one slot. */
static void try_machines(struct search *search, int k, bool slot) {
  const struct themis_offer *offer = search->offer;
  const struct hsim_cluster *cluster = search->agent->cluster;
  int tried = 0, first = search->agent->app % offer->n;
  for (int m = 0; m < offer->n && tried < search->rules->alternatives; m++) {
    int i = (first + m) % offer->n, bay = offer->free[i].bay;
    if (offer->free[i].gpus < k)
      continue;
    if (search->reach.node >= 0 && cluster->bays[bay].node != search->reach.node)
      continue;
    bool in_slot = held_in(search, bay) + k <= cluster->nodes[cluster->bays[bay].node].slot_size;
    if (in_slot != slot)
      continue;
    search->n_parts = 0;
    put(search, i, k);
    try_bundle(search);
    tried++;
  }
}

/* The machines of the rack of offer number i, -1: of the whole cluster; from `first` on, around.
 * Returns how many; *gpus: on offer there. */
static int list_group(struct search *search, int i, int first, int *gpus) {
  int n = 0;
  *gpus = 0;
  for (int m = 0; m < search->offer->n; m++) {
    int j = (first + m) % search->offer->n;
    bool inside = i < 0 || (rack_of(search, i) >= 0 ? rack_of(search, j) == rack_of(search, i)
                                                    : node_of(search, j) == node_of(search, i));
    if (!inside)
      continue;
    search->machines[n++] = j;
    *gpus += search->offer->free[j].gpus;
  }
  return n;
}

static bool first_of_rack(const struct search *search, int first, int m) {
  int i = (first + m) % search->offer->n;
  if (rack_of(search, i) < 0)
    return false; /* a machine without a rack is a level of its own */
  for (int other = 0; other < m; other++)
    if (rack_of(search, (first + other) % search->offer->n) == rack_of(search, i))
      return false;
  return true;
}

/* Racks: those that hold what it has first, which is the only one that keeps its span. */
static int try_racks(struct search *search, int k) {
  int tried = 0, first = search->agent->app % search->offer->n;
  for (int m = 0; m < search->offer->n && tried < search->rules->alternatives; m++) {
    int i = (first + m) % search->offer->n, gpus;
    if (!first_of_rack(search, first, m))
      continue;
    if (search->reach.node >= 0 && rack_of(search, i) != search->reach.rack)
      continue;
    int n = list_group(search, i, first, &gpus);
    if (gpus < k)
      continue;
    fill_tight(search, n, k);
    tried++;
  }
  return tried;
}

/* Over the whole offer; further placements begin at other machines. */
static void try_cluster(struct search *search, int k) {
  int gpus, wanted = search->rules->alternatives;
  int n = list_group(search, -1, search->agent->app % search->offer->n, &gpus);
  fill_tight(search, n, k);
  for (int a = 1; a < wanted; a++)
    fill_along(search, n, k, a * n / wanted);
}

static void try_size(struct search *search, int k) {
  if (search->reach.node < 0 || search->reach.span <= HSIM_SPAN_NODE) {
    try_machines(search, k, true);
    try_machines(search, k, false);
  }
  if (search->reach.node < 0 || search->reach.span <= HSIM_SPAN_RACK)
    try_racks(search, k);
  try_cluster(search, k);
}

static bool is_power_of_two(int k) {
  return (k & (k - 1)) == 0;
}

static void try_sizes(struct search *search, int largest) {
  int rows_max = search->rules->rows_max;
  try_size(search, largest);
  for (int k = 1; k < largest && search->table->n < rows_max; k *= 2)
    try_size(search, k);
  for (int k = 3; k < largest && search->table->n < rows_max; k++)
    if (!is_power_of_two(k))
      try_size(search, k);
  if (search->table->n > rows_max) /* the last size's widest placements */
    search->table->n = rows_max;
}

void themis_bid(struct themis_table *table, struct themis_agent *agent,
                const struct themis_offer *offer, const struct themis_bid_rules *rules) {
  themis_table_begin(table, themis_agent_value(agent, NULL, 0));
  size_t n = (size_t)offer->n;
  struct search search = {.table = table,
                          .agent = agent,
                          .offer = offer,
                          .rules = rules,
                          .room = agent->most - agent->held_gpus,
                          .reach = THEMIS_NOWHERE,
                          .parts = mem_alloc(n + 1, sizeof *search.parts),
                          .taken = mem_alloc(n + 1, sizeof *search.taken),
                          .machines = mem_alloc(n + 1, sizeof *search.machines)};
  for (int i = 0; i < agent->n_held; i++)
    themis_reach_add(&search.reach, agent->cluster, agent->held[i].bay, agent->held[i].gpus);
  int bundles = count_bundles(offer, rules->rows_max);
  int largest = search.room < offer->gpus ? search.room : offer->gpus;
  if (bundles <= rules->rows_max)
    try_all(&search, bundles);
  else if (largest > 0)
    try_sizes(&search, largest);
  themis_table_finish(table, rules->eta);
  free(search.parts);
  free(search.taken);
  free(search.machines);
}
