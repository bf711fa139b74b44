/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

#define PAYOFF_TOLERANCE 1e-12

/* Free GPUs of one bay on all nodes of an entry. */
struct hadar_item {
  int entry;
  int bay; /* index in classes->bays */
  int unused;
  int nodes;
  int rank;    /* of its type for the job */
  double pace; /* one-node rate of its type, negative where jobs fork: see cheaper */
  double price;
};

/* GPUs taken of an item: `full` nodes give all of theirs, the next one `rest`. */
struct hadar_grab {
  int entry;
  int bay;
  int unused;
  int full;
  int rest;
};

/* One search. */
struct search {
  const struct hadar_market *market;
  const struct hadar_room *room;
  const struct hadar_job *job;
  struct hadar_found *found;
};

void hadar_found_init(struct hadar_found *found, const struct hadar_classes *classes) {
  size_t entries = (size_t)classes->max_entries + 1, bays = 1;
  for (int c = 0; c < classes->n; c++)
    if ((size_t)classes->at[c].n_bays > bays)
      bays = (size_t)classes->at[c].n_bays;
  size_t types = 0;
  for (int t = 0; t < HSIM_MAX_TYPES; t++)
    types += classes->type_gpus[t] > 0;
  size_t spread = 2 * types + 1; /* and the stay candidate, which may use every node */
  size_t parts = entries * (2 * bays + 1) + (size_t)classes->n_nodes;
  *found = (struct hadar_found){
      .at = mem_alloc(entries + spread, sizeof *found->at),
      .parts = mem_alloc(entries + spread * parts, sizeof *found->parts),
      .items = mem_alloc(entries * bays, sizeof *found->items),
      .grabs = mem_alloc(entries * bays, sizeof *found->grabs),
      .left = mem_alloc(entries, sizeof *found->left),
  };
}

void hadar_found_free(struct hadar_found *found) {
  free(found->at);
  free(found->parts);
  free(found->items);
  free(found->grabs);
  free(found->left);
  *found = (struct hadar_found){0};
}

static const struct hadar_bay *bays_of(const struct search *s, int cls) {
  return &s->market->classes->bays[s->market->classes->at[cls].first_bay];
}

/* Appends a part to the candidate under construction, in order; equal ones join. */
static void add_part(struct hadar_found *found, int first, struct hadar_part part) {
  struct hadar_part *parts = found->parts;
  int at = found->n_parts;
  while (at > first) {
    const struct hadar_part *before = &parts[at - 1];
    bool after = before->cls != part.cls       ? before->cls > part.cls
                 : before->level != part.level ? before->level > part.level
                                               : before->delta > part.delta;
    if (!after)
      break;
    at--;
  }
  if (at > first && parts[at - 1].cls == part.cls && parts[at - 1].level == part.level &&
      parts[at - 1].delta == part.delta) {
    parts[at - 1].nodes += part.nodes;
    return;
  }
  memmove(&parts[at + 1], &parts[at], (size_t)(found->n_parts - at) * sizeof *parts);
  parts[at] = part;
  found->n_parts++;
}

static bool is_duplicate(const struct hadar_found *found, int first, int nodes) {
  int n = found->n_parts - first;
  for (int i = 0; i < found->n; i++) {
    const struct hadar_candidate *other = &found->at[i];
    if (other->n_parts == n && other->nodes == nodes &&
        memcmp(&found->parts[other->first_part], &found->parts[first],
               (size_t)n * sizeof *found->parts) == 0)
      return true;
  }
  return false;
}

/* The parts have the shape that the job holds. */
static bool has_held_shape(const struct hadar_job *job, const struct hadar_part *parts, int n,
                           int nodes) {
  if (job->n_held == 0 || nodes != job->held_nodes)
    return false;
  for (int h = 0; h < job->n_held; h++) {
    int found = 0;
    for (int i = 0; i < n; i++)
      if (parts[i].cls == job->held[h].cls && parts[i].delta == job->held[h].delta)
        found += parts[i].nodes;
    if (found != job->held[h].nodes)
      return false;
  }
  return true;
}

/* Price of a part's GPUs on one node, and the rank of its slowest type. */
static double part_price(const struct search *s, const struct hadar_part *part, int *slowest) {
  const struct hadar_class *cls = &s->market->classes->at[part->cls];
  const struct hadar_bay *bays = bays_of(s, part->cls);
  if (cls->n_bays == 1) {
    int rank = s->job->kind->rank[bays->type];
    *slowest = rank > *slowest ? rank : *slowest;
    return (int)part->delta * hadar_price(s->market->prices, bays, (int)part->level);
  }
  double price = 0;
  for (int b = 0; b < cls->n_bays; b++) {
    int taken = hadar_bay_gpus(&bays[b], part->delta);
    if (taken == 0)
      continue;
    price +=
        taken * hadar_price(s->market->prices, &bays[b], hadar_bay_gpus(&bays[b], part->level));
    int rank = s->job->kind->rank[bays[b].type];
    if (rank > *slowest)
      *slowest = rank;
  }
  return price;
}

double hadar_loss(const struct hadar_market *market, const struct hadar_job *job, int nodes,
                  bool stays) {
  double loss = stays ? 0 : job->restart_s;
  bool copies = nodes > 1 || (!stays && job->held_nodes > 1);
  return job->kind->copy != NULL && copies ? fmax(loss, market->consolidate_s) : loss;
}

/* Price and rate of the candidate whose parts start at `first`; rate 0: it cannot run. */
static double rate_parts(const struct search *s, int first, int nodes, double *price) {
  const struct hadar_kind *kind = s->job->kind;
  int slowest = 0;
  double sum = 0;
  *price = 0;
  for (int i = first; i < s->found->n_parts; i++) {
    const struct hadar_part *part = &s->found->parts[i];
    int own = 0;
    *price += part->nodes * part_price(s, part, &own);
    slowest = own > slowest ? own : slowest;
    if (kind->copy == NULL)
      continue;
    int gpus = hadar_level_gpus(s->market->classes, part->cls, part->delta);
    double copy = hadar_node_copy_rate(kind, bays_of(s, part->cls),
                                       s->market->classes->at[part->cls].n_bays, part->delta, gpus);
    if (copy <= 0)
      return 0;
    sum += part->nodes * copy;
  }
  if (kind->copy != NULL)
    return s->market->max_copies > 0 && nodes > s->market->max_copies ? 0 : sum;
  int type = kind->type[slowest];
  return nodes == 1 ? kind->one_node[type] : kind->spread[type];
}

/* Finishes the candidate whose parts start at `first`: evaluates it, or drops it when it cannot
 * run or is known already. */
static void add_candidate(struct search *s, int first, int nodes) {
  struct hadar_found *found = s->found;
  const struct hadar_job *job = s->job;
  const struct hadar_part *parts = &found->parts[first];
  int n = found->n_parts - first;
  double price;
  double rate = rate_parts(s, first, nodes, &price);
  if (rate <= 0 || is_duplicate(found, first, nodes)) {
    found->n_parts = first;
    return;
  }
  bool stays = has_held_shape(job, parts, n, nodes);
  double left = hadar_loss(s->market, job, nodes, stays) + job->ahead / rate;
  double rounds = s->market->whole_schedule ? ceil(left / s->market->round_s) : 1;
  double utility = job->worth / (job->age + left);
  double cost = rounds * price;
  found->at[found->n++] = (struct hadar_candidate){.first_part = first,
                                                   .n_parts = n,
                                                   .nodes = nodes,
                                                   .stays = stays,
                                                   .rate = rate,
                                                   .utility = utility,
                                                   .cost = cost,
                                                   .payoff = utility - cost};
}

/* The delta that takes `workers` GPUs of a node's fastest types, 0 when it has too few. */
static uint32_t fastest_delta(const struct search *s, const struct hadar_entry *entry) {
  const struct hadar_kind *kind = s->job->kind;
  const struct hadar_class *cls = &s->market->classes->at[entry->cls];
  const struct hadar_bay *bays = bays_of(s, entry->cls);
  if (cls->n_bays == 1)
    return kind->rank[bays->type] >= 0 && entry->level >= (uint32_t)kind->workers
               ? (uint32_t)kind->workers
               : 0;
  uint32_t delta = 0;
  int need = kind->workers;
  for (int i = 0; i < kind->n_types; i++)
    for (int b = 0; b < cls->n_bays; b++) {
      if (bays[b].type != kind->type[i])
        continue;
      int unused = hadar_bay_gpus(&bays[b], entry->level);
      int taken = unused < need ? unused : need;
      delta += (uint32_t)taken * bays[b].radix;
      need -= taken;
    }
  return need == 0 ? delta : 0;
}

static void find_consolidated(struct search *s) {
  for (int i = 0; i < s->room->n; i++) {
    const struct hadar_entry *entry = &s->room->at[i];
    uint32_t delta = fastest_delta(s, entry);
    if (delta == 0)
      continue;
    int first = s->found->n_parts;
    add_part(s->found, first, (struct hadar_part){entry->cls, entry->level, delta, 1});
    add_candidate(s, first, 1);
  }
}

/* Lists the free bays that a spread gang may use. Returns their number; *gpus by rank. */
static int list_items(const struct search *s, int gpus[HSIM_MAX_TYPES]) {
  const struct hadar_kind *kind = s->job->kind;
  int n = 0;
  for (int i = 0; i < kind->n_types; i++)
    gpus[i] = 0;
  for (int e = 0; e < s->room->n; e++) {
    const struct hadar_entry *entry = &s->room->at[e];
    const struct hadar_class *cls = &s->market->classes->at[entry->cls];
    for (int b = cls->first_bay; b < cls->first_bay + cls->n_bays; b++) {
      const struct hadar_bay *bay = &s->market->classes->bays[b];
      int rank = kind->rank[bay->type], unused = hadar_bay_gpus(bay, entry->level);
      if (rank < 0 || unused == 0 || (kind->copy == NULL && kind->spread[bay->type] <= 0))
        continue;
      double price = hadar_price(s->market->prices, bay, unused);
      double pace = kind->copy == NULL ? kind->one_node[bay->type] : -kind->one_node[bay->type];
      s->found->items[n++] = (struct hadar_item){e, b, unused, entry->nodes, rank, pace, price};
      gpus[rank] += unused * entry->nodes;
    }
  }
  return n;
}

/* The lower class, then the lower level, then the lower type. */
static bool listed_before(const struct hadar_item *a, const struct hadar_item *b) {
  return a->entry != b->entry ? a->entry < b->entry : a->bay < b->bay;
}

/* Cheapest first; at equal price slower types (the slowest of a gang sets the pace, so faster ones
 * would be wasted; copies have paces of their own, so there the faster ones), then nodes with more
 * room, then the lower class. */
static bool cheaper(const struct hadar_item *a, const struct hadar_item *b) {
  if (a->price != b->price)
    return a->price < b->price;
  if (a->pace != b->pace)
    return a->pace < b->pace;
  if (a->unused != b->unused)
    return a->unused > b->unused;
  return listed_before(a, b);
}

/* Most free GPUs first; then the cheaper ones, then the lower class. */
static bool roomier(const struct hadar_item *a, const struct hadar_item *b) {
  if (a->unused != b->unused)
    return a->unused > b->unused;
  if (a->price != b->price)
    return a->price < b->price;
  return listed_before(a, b);
}

/* Insertion sort: there are few items. */
static void sort_items(struct hadar_item *items, int n,
                       bool (*before)(const struct hadar_item *, const struct hadar_item *)) {
  for (int i = 1; i < n; i++) {
    struct hadar_item item = items[i];
    int at = i;
    while (at > 0 && before(&item, &items[at - 1])) {
      items[at] = items[at - 1];
      at--;
    }
    items[at] = item;
  }
}

/* Takes the job's workers from the items in order, of types up to rank `p` only. The slowest rank
 * taken goes to *slowest. */
static int grab_items(const struct search *s, int n_items, int p, int *slowest) {
  struct hadar_found *found = s->found;
  int need = s->job->kind->workers, n = 0;
  *slowest = 0;
  for (int i = 0; i < n_items && need > 0; i++) {
    const struct hadar_item *item = &found->items[i];
    if (item->rank > p)
      continue;
    int full = need / item->unused, rest = 0;
    if (full >= item->nodes)
      full = item->nodes;
    else
      rest = need % item->unused;
    need -= full * item->unused + rest;
    found->grabs[n++] = (struct hadar_grab){item->entry, item->bay, item->unused, full, rest};
    if (item->rank > *slowest)
      *slowest = item->rank;
  }
  return n;
}

/* Parts of the grabs of one entry, whose nodes are used from the first one on by every bay. Between
 * two places where some bay's take changes, nodes give the same. Returns the nodes used. */
static int add_entry_parts(struct search *s, int first, int entry_at, int n_grabs) {
  const struct hadar_entry *entry = &s->room->at[entry_at];
  int node = 0;
  for (;;) {
    uint32_t delta = 0;
    int until = entry->nodes;
    for (int g = 0; g < n_grabs; g++) {
      const struct hadar_grab *grab = &s->found->grabs[g];
      if (grab->entry != entry_at)
        continue;
      uint32_t radix = s->market->classes->bays[grab->bay].radix;
      if (node < grab->full) {
        delta += (uint32_t)grab->unused * radix;
        until = grab->full < until ? grab->full : until;
      } else if (node == grab->full && grab->rest > 0) {
        delta += (uint32_t)grab->rest * radix;
        until = node + 1;
      }
    }
    if (delta == 0)
      return node;
    add_part(s->found, first, (struct hadar_part){entry->cls, entry->level, delta, until - node});
    node = until;
    if (node == entry->nodes)
      return node;
  }
}

static void add_spread(struct search *s, int n_grabs) {
  int first = s->found->n_parts, nodes = 0;
  for (int g = 0; g < n_grabs; g++) {
    int entry = s->found->grabs[g].entry;
    bool done = false;
    for (int before = 0; before < g && !done; before++)
      done = s->found->grabs[before].entry == entry;
    if (!done)
      nodes += add_entry_parts(s, first, entry, n_grabs);
  }
  add_candidate(s, first, nodes);
}

static void find_spread(struct search *s) {
  const struct hadar_kind *kind = s->job->kind;
  int gpus[HSIM_MAX_TYPES];
  int n = list_items(s, gpus);
  for (int order = 0; order < 2; order++) {
    sort_items(s->found->items, n, order == 0 ? cheaper : roomier);
    int total = 0;
    for (int p = 0; p < kind->n_types; p++) {
      total += gpus[p];
      if (gpus[p] == 0 || total < kind->workers)
        continue;
      int slowest;
      int n_grabs = grab_items(s, n, p, &slowest);
      if (slowest == p) /* else the same as for fewer types */
        add_spread(s, n_grabs);
    }
  }
}

/* The entry of `left` with the cheapest room for the take, -1 when there is none. */
static int cheapest_entry(const struct search *s, const struct hadar_entry *left,
                          const struct hadar_take *take) {
  const struct hadar_class *cls = &s->market->classes->at[take->cls];
  const struct hadar_bay *bays = bays_of(s, take->cls);
  int best = -1;
  double best_price = INFINITY;
  for (int i = 0; i < s->room->n; i++) {
    if (left[i].cls != take->cls || left[i].nodes == 0)
      continue;
    bool fits = true;
    for (int b = 0; b < cls->n_bays && fits; b++)
      fits = hadar_bay_gpus(&bays[b], left[i].level) >= hadar_bay_gpus(&bays[b], take->delta);
    if (!fits)
      continue;
    int slowest = 0;
    double price =
        part_price(s, &(struct hadar_part){take->cls, left[i].level, take->delta, 1}, &slowest);
    if (price < best_price) {
      best_price = price;
      best = i;
    }
  }
  return best;
}

/* Takes come largest first, so that for nodes of one bay the search fails only when it must. */
static void find_stay(struct search *s) {
  const struct hadar_job *job = s->job;
  struct hadar_found *found = s->found;
  struct hadar_entry *left = found->left;
  int first = found->n_parts;
  memcpy(left, s->room->at, (size_t)s->room->n * sizeof *left);
  for (int h = 0; h < job->n_held; h++) {
    const struct hadar_take *take = &job->held[h];
    for (int need = take->nodes; need > 0;) {
      int at = cheapest_entry(s, left, take);
      if (at < 0) {
        found->n_parts = first;
        return;
      }
      int nodes = need < left[at].nodes ? need : left[at].nodes;
      add_part(found, first, (struct hadar_part){take->cls, left[at].level, take->delta, nodes});
      left[at].nodes -= nodes;
      need -= nodes;
    }
  }
  add_candidate(s, first, job->held_nodes);
}

/* What a forked job holds may be more than its workers. */
static bool holds_its_workers(const struct search *s) {
  const struct hadar_job *job = s->job;
  if (job->kind->copy == NULL)
    return true;
  int gpus = 0;
  for (int h = 0; h < job->n_held; h++)
    gpus += job->held[h].nodes *
            hadar_level_gpus(s->market->classes, job->held[h].cls, job->held[h].delta);
  return gpus == job->kind->workers;
}

void hadar_find(const struct hadar_market *market, const struct hadar_room *room,
                const struct hadar_job *job, struct hadar_found *found) {
  struct search s = {market, room, job, found};
  bool mixed = market->classes->mixed;
  found->n = found->n_parts = 0;
  if (room->gpus < job->kind->workers || job->kind->n_types == 0)
    return;
  find_consolidated(&s);
  /* On nodes of one type a gang on one node is always consolidated. */
  if (job->kind->workers > 1 || mixed)
    find_spread(&s);
  if (job->n_held > 0 && (job->held_nodes > 1 || mixed) && holds_its_workers(&s))
    find_stay(&s);
}

static bool better(const struct hadar_candidate *a, const struct hadar_candidate *b) {
  double near = PAYOFF_TOLERANCE * fmax(fabs(a->payoff), fabs(b->payoff));
  if (fabs(a->payoff - b->payoff) > near)
    return a->payoff > b->payoff;
  if (a->nodes != b->nodes)
    return a->nodes < b->nodes;
  if (a->stays != b->stays)
    return a->stays;
  return a->rate > b->rate;
}

const struct hadar_candidate *hadar_best(const struct hadar_found *found) {
  const struct hadar_candidate *best = NULL;
  for (int i = 0; i < found->n; i++)
    if (best == NULL || better(&found->at[i], best))
      best = &found->at[i];
  return best;
}
