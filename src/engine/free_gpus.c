/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/free_gpus.h"

#include <stdlib.h>

#include "engine/sort.h"
#include "model/memory.h"

static size_t words_for(int n) {
  return ((size_t)n + 63) / 64;
}

static void set_add(struct bay_set *set, int i) {
  size_t word = (size_t)i / 64;
  set->words[word] |= UINT64_C(1) << (i % 64);
  set->summary[word / 64] |= UINT64_C(1) << (word % 64);
  set->n++;
}

static void set_remove(struct bay_set *set, int i) {
  size_t word = (size_t)i / 64;
  set->words[word] &= ~(UINT64_C(1) << (i % 64));
  if (set->words[word] == 0)
    set->summary[word / 64] &= ~(UINT64_C(1) << (word % 64));
  set->n--;
}

/* The first member >= i among `size` possible ones, -1 when there is none. */
static int set_next(const struct bay_set *set, int i, int size) {
  if (set->n == 0 || i >= size)
    return -1;
  size_t word = (size_t)i / 64;
  uint64_t bits = set->words[word] & (~UINT64_C(0) << (i % 64));
  if (bits)
    return (int)(word * 64) + __builtin_ctzll(bits);
  size_t words = words_for(size);
  size_t groups = (words + 63) / 64;
  word++;
  for (size_t group = word / 64; group < groups; group++) {
    uint64_t live = set->summary[group];
    if (group == word / 64) {
      if (word % 64)
        live &= ~UINT64_C(0) << (word % 64);
    }
    if (!live)
      continue;
    size_t at = group * 64 + (size_t)__builtin_ctzll(live);
    return (int)(at * 64) + __builtin_ctzll(set->words[at]);
  }
  return -1;
}

static int level_of(int free) {
  return free < FREE_LEVELS ? free : FREE_LEVELS;
}

static void type_init(struct free_gpus *gpus, struct free_type *type, int t) {
  const struct hsim_cluster *cluster = gpus->cluster;
  int largest = 0;
  for (int b = 0; b < cluster->n_bays; b++) {
    if (cluster->bays[b].type != t)
      continue;
    gpus->rank[b] = type->n_bays++;
    if (cluster->bays[b].gpus > largest)
      largest = cluster->bays[b].gpus;
  }
  type->bays = mem_alloc((size_t)type->n_bays, sizeof *type->bays);
  for (int b = 0, n = 0; b < cluster->n_bays; b++)
    if (cluster->bays[b].type == t)
      type->bays[n++] = b;
  type->levels = level_of(largest);
  size_t words = words_for(type->n_bays), groups = (words + 63) / 64;
  size_t sets = (size_t)type->levels + 2;
  type->memory = mem_zero(sets * (words + groups), sizeof *type->memory);
  type->level = mem_zero((size_t)type->levels + 1, sizeof *type->level);
  uint64_t *next = type->memory;
  for (size_t s = 0; s < sets; s++) {
    struct bay_set *set = s + 1 < sets ? &type->level[s] : &type->some;
    set->words = next;
    set->summary = next + words;
    next += words + groups;
  }
  for (int i = 0; i < type->n_bays; i++)
    set_add(&type->level[0], i);
}

void free_gpus_init(struct free_gpus *gpus, const struct hsim_cluster *cluster) {
  *gpus = (struct free_gpus){.cluster = cluster};
  size_t n = (size_t)cluster->n_bays;
  gpus->free = mem_zero(n, sizeof *gpus->free);
  gpus->claimed = mem_zero(n, sizeof *gpus->claimed);
  gpus->capacity = mem_zero(n, sizeof *gpus->capacity);
  gpus->rank = mem_zero(n, sizeof *gpus->rank);
  gpus->types = mem_zero((size_t)cluster->n_types, sizeof *gpus->types);
  for (int t = 0; t < cluster->n_types; t++)
    type_init(gpus, &gpus->types[t], t);
  for (int node = 0; node < cluster->n_nodes; node++)
    free_gpus_set_node(gpus, node, true);
}

void free_gpus_release(struct free_gpus *gpus) {
  for (int t = 0; gpus->types && t < gpus->cluster->n_types; t++) {
    free(gpus->types[t].bays);
    free(gpus->types[t].level);
    free(gpus->types[t].memory);
  }
  free(gpus->types);
  free(gpus->free);
  free(gpus->claimed);
  free(gpus->capacity);
  free(gpus->rank);
  free(gpus->found);
  *gpus = (struct free_gpus){0};
}

void free_gpus_change(struct free_gpus *gpus, int bay, int delta) {
  if (delta == 0)
    return;
  struct free_type *type = &gpus->types[gpus->cluster->bays[bay].type];
  int before = gpus->free[bay], after = before + delta;
  gpus->free[bay] = after;
  type->free += delta;
  int rank = gpus->rank[bay];
  if (level_of(before) != level_of(after)) {
    set_remove(&type->level[level_of(before)], rank);
    set_add(&type->level[level_of(after)], rank);
  }
  if (before == 0)
    set_add(&type->some, rank);
  else if (after == 0)
    set_remove(&type->some, rank);
}

void free_gpus_set_node(struct free_gpus *gpus, int node, bool up) {
  const struct hsim_node *n = &gpus->cluster->nodes[node];
  for (int b = n->first_bay; b < n->first_bay + n->n_bays; b++) {
    gpus->capacity[b] = up ? gpus->cluster->bays[b].gpus : 0;
    free_gpus_change(gpus, b, gpus->capacity[b] - gpus->free[b]);
  }
}

void free_gpus_clear(struct free_gpus *gpus) {
  for (int b = 0; b < gpus->cluster->n_bays; b++) {
    gpus->claimed[b] = gpus->capacity[b] - gpus->free[b];
    free_gpus_change(gpus, b, gpus->claimed[b]);
  }
}

static void found_room(struct free_gpus *gpus, int n) {
  if ((size_t)n <= gpus->found_capacity)
    return;
  gpus->found = mem_grow(gpus->found, (size_t)n, &gpus->found_capacity, sizeof *gpus->found);
}

static int found_one(struct free_gpus *gpus, int bay, int workers) {
  found_room(gpus, 1);
  gpus->found[0] = (struct hsim_share){bay, workers};
  return 1;
}

/* The lowest bay of a level that holds the gang, one that needs no claimed GPU if there is one. */
static int pick_in_level(const struct free_gpus *gpus, const struct free_type *type, int level,
                         int workers) {
  int first = -1;
  const struct bay_set *set = &type->level[level];
  for (int i = set_next(set, 0, type->n_bays); i >= 0; i = set_next(set, i + 1, type->n_bays)) {
    int bay = type->bays[i];
    if (gpus->free[bay] - gpus->claimed[bay] >= workers)
      return bay;
    if (first < 0)
      first = bay;
  }
  return first;
}

/* The same in the bucket of many free GPUs, whose members differ in their free count. */
static int pick_in_bucket(const struct free_gpus *gpus, const struct free_type *type, int workers) {
  int best = -1;
  bool best_unclaimed = false;
  const struct bay_set *set = &type->level[FREE_LEVELS];
  for (int i = set_next(set, 0, type->n_bays); i >= 0; i = set_next(set, i + 1, type->n_bays)) {
    int bay = type->bays[i], free = gpus->free[bay];
    if (free < workers)
      continue;
    bool unclaimed = free - gpus->claimed[bay] >= workers;
    if (best < 0 || free < gpus->free[best] ||
        (free == gpus->free[best] && unclaimed && !best_unclaimed)) {
      best = bay;
      best_unclaimed = unclaimed;
    }
  }
  return best;
}

static int best_fit(const struct free_gpus *gpus, const struct free_type *type, int workers) {
  for (int level = workers; level <= type->levels && level < FREE_LEVELS; level++)
    if (type->level[level].n)
      return pick_in_level(gpus, type, level, workers);
  if (type->levels == FREE_LEVELS && type->level[FREE_LEVELS].n)
    return pick_in_bucket(gpus, type, workers);
  return -1;
}

/* Takes from the bays of one level, unclaimed ones first; returns what is still wanted. */
static int spread_over_level(struct free_gpus *gpus, const struct free_type *type, int level,
                             int wanted, int *n) {
  const struct bay_set *set = &type->level[level];
  for (int pass = 0; pass < 2 && wanted; pass++) {
    for (int i = set_next(set, 0, type->n_bays); i >= 0 && wanted;
         i = set_next(set, i + 1, type->n_bays)) {
      int bay = type->bays[i];
      if ((gpus->claimed[bay] > 0) != (pass == 1))
        continue;
      int take = gpus->free[bay] < wanted ? gpus->free[bay] : wanted;
      found_room(gpus, *n + 1);
      gpus->found[(*n)++] = (struct hsim_share){bay, take};
      wanted -= take;
    }
  }
  return wanted;
}

static int spread(struct free_gpus *gpus, const struct free_type *type, int workers) {
  int n = 0, wanted = workers;
  for (int level = 1; level <= type->levels && wanted; level++)
    if (type->level[level].n)
      wanted = spread_over_level(gpus, type, level, wanted, &n);
  sort_shares(gpus->found, (size_t)n);
  return n;
}

static int lowest(struct free_gpus *gpus, const struct free_type *type, int workers) {
  int n = 0, wanted = workers;
  for (int i = set_next(&type->some, 0, type->n_bays); i >= 0 && wanted;
       i = set_next(&type->some, i + 1, type->n_bays)) {
    int bay = type->bays[i];
    int take = gpus->free[bay] < wanted ? gpus->free[bay] : wanted;
    found_room(gpus, n + 1);
    gpus->found[n++] = (struct hsim_share){bay, take};
    wanted -= take;
  }
  return n;
}

static int largest_capacity(const struct free_gpus *gpus, const struct free_type *type) {
  int largest = 0;
  for (int i = 0; i < type->n_bays; i++)
    if (gpus->capacity[type->bays[i]] > largest)
      largest = gpus->capacity[type->bays[i]];
  return largest;
}

int free_gpus_find(struct free_gpus *gpus, int type, int workers, enum hsim_pack pack) {
  const struct free_type *t = &gpus->types[type];
  if (workers < 1 || t->free < workers)
    return 0;
  if (pack == HSIM_PACK_ANY)
    return lowest(gpus, t, workers);
  int bay = best_fit(gpus, t, workers);
  if (bay >= 0)
    return found_one(gpus, bay, workers);
  if (pack == HSIM_PACK_REQUIRE && largest_capacity(gpus, t) >= workers)
    return 0;
  return spread(gpus, t, workers);
}

int free_gpus_most_on_one_node(const struct free_gpus *gpus, int type) {
  const struct free_type *t = &gpus->types[type];
  int level = t->levels;
  while (level > 0 && t->level[level].n == 0)
    level--;
  if (level < FREE_LEVELS)
    return level;
  int most = 0;
  const struct bay_set *set = &t->level[FREE_LEVELS];
  for (int i = set_next(set, 0, t->n_bays); i >= 0; i = set_next(set, i + 1, t->n_bays))
    if (gpus->free[t->bays[i]] > most)
      most = gpus->free[t->bays[i]];
  return most;
}
