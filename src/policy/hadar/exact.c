/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/exact.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

/* Of a way on from a state. */
struct score {
  double value;
  int nodes;
  int stays;
};

/* best(place, free): the best way on, and its first step. */
struct hadar_memo {
  int place;
  int n; /* histogram */
  size_t first_entry;
  uint64_t hash;
  struct score score;
  int next;   /* memo of the state after this job, -1: nothing follows */
  bool takes; /* the job is served: */
  struct hadar_choice choice;
};

struct run {
  struct hadar_exact *exact;
  const struct hadar_market *market;
  const struct hadar_job *jobs;
  const int *queue;
  int n;
  bool best_only;
  bool too_many;
  struct hadar_found *found;
};

static uint64_t hash_state(int place, const struct hadar_room *room) {
  uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)(uint32_t)place;
  for (int i = 0; i < room->n; i++) {
    uint64_t word = (uint64_t)(uint32_t)room->at[i].cls << 48 ^
                    (uint64_t)(uint32_t)room->at[i].nodes << 32 ^ room->at[i].level;
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

/* Slot of the table that holds the state, or where it would go. */
static size_t find_slot(const struct hadar_exact *exact, int place, const struct hadar_room *room,
                        uint64_t hash) {
  size_t at = hash & (exact->table_size - 1);
  for (; exact->table[at] >= 0; at = (at + 1) & (exact->table_size - 1)) {
    const struct hadar_memo *memo = &exact->memos[exact->table[at]];
    if (memo->hash == hash && memo->place == place &&
        hadar_room_compare(&exact->entries[memo->first_entry], memo->n, room->at, room->n) == 0)
      break;
  }
  return at;
}

static void grow_table(struct hadar_exact *exact) {
  exact->table_size *= 2;
  exact->table =
      mem_grow(exact->table, exact->table_size, &exact->table_capacity, sizeof *exact->table);
  memset(exact->table, 0xff, exact->table_size * sizeof *exact->table);
  for (size_t i = 0; i < exact->n_memos; i++) {
    size_t at = exact->memos[i].hash & (exact->table_size - 1);
    while (exact->table[at] >= 0)
      at = (at + 1) & (exact->table_size - 1);
    exact->table[at] = (int)i;
  }
}

static int save(struct hadar_exact *exact, struct hadar_memo memo, const struct hadar_room *room) {
  size_t n = (size_t)room->n;
  memo.n = room->n;
  memo.first_entry = exact->n_entries;
  exact->entries = mem_grow(exact->entries, exact->n_entries + n, &exact->entries_capacity,
                            sizeof *exact->entries);
  memcpy(&exact->entries[exact->n_entries], room->at, n * sizeof *room->at);
  exact->n_entries += n;
  exact->memos =
      mem_grow(exact->memos, exact->n_memos + 1, &exact->memos_capacity, sizeof *exact->memos);
  exact->memos[exact->n_memos] = memo;
  exact->table[find_slot(exact, memo.place, room, memo.hash)] = (int)exact->n_memos;
  int index = (int)exact->n_memos++;
  if (exact->table_size < 2 * exact->n_memos)
    grow_table(exact);
  return index;
}

static struct score score_of(const struct hadar_exact *exact, int memo) {
  static const struct score nothing = {0};
  return memo < 0 ? nothing : exact->memos[memo].score;
}

/* The beam search's rule: value, then fewer nodes, then more jobs that stay; the earlier on ties.
 */
static bool better(const struct score *a, const struct score *b) {
  if (a->value != b->value)
    return a->value > b->value;
  if (a->nodes != b->nodes)
    return a->nodes < b->nodes;
  return a->stays > b->stays;
}

/* A search's candidates, which the next search would overwrite. */
struct branches {
  struct hadar_candidate *at;
  struct hadar_part *parts;
  int n;
};

static struct branches list_branches(struct run *run, const struct hadar_room *room,
                                     const struct hadar_job *job) {
  const struct hadar_found *found = run->found;
  hadar_find(run->market, room, job, run->found);
  struct branches b = {.at = mem_alloc((size_t)found->n + 1, sizeof *b.at),
                       .parts = mem_alloc((size_t)found->n_parts + 1, sizeof *b.parts)};
  memcpy(b.parts, found->parts, (size_t)found->n_parts * sizeof *b.parts);
  const struct hadar_candidate *best = hadar_best(found);
  for (int i = 0; i < found->n; i++)
    if ((job->forced || found->at[i].payoff > 0) && (!run->best_only || &found->at[i] == best))
      b.at[b.n++] = found->at[i];
  return b;
}

static struct hadar_choice choice_of(struct hadar_exact *exact, int job, const struct branches *b,
                                     const struct hadar_candidate *c) {
  size_t n = (size_t)c->n_parts;
  exact->parts =
      mem_grow(exact->parts, exact->n_parts + n, &exact->parts_capacity, sizeof *exact->parts);
  memcpy(&exact->parts[exact->n_parts], &b->parts[c->first_part], n * sizeof *b->parts);
  exact->n_parts += n;
  return (struct hadar_choice){.job = job,
                               .first_part = (int)(exact->n_parts - n),
                               .n_parts = c->n_parts,
                               .rate = c->rate,
                               .payoff = c->payoff};
}

/* Returns the memo of best(place, room); -1 when nobody is left or nothing is free. */
static int best(struct run *run, int place,
                const struct hadar_room *room) { // NOLINT(misc-no-recursion)
  struct hadar_exact *exact = run->exact;
  if (place == run->n || room->n == 0 || run->too_many)
    return -1;
  uint64_t hash = hash_state(place, room);
  int known = exact->table[find_slot(exact, place, room, hash)];
  if (known >= 0)
    return known;
  run->too_many = exact->n_memos >= HADAR_EXACT_STATES;
  const struct hadar_job *job = &run->jobs[run->queue[place]];
  struct branches branches = list_branches(run, room, job);
  bool must = job->forced && branches.n > 0;
  struct hadar_memo memo = {.place = place, .hash = hash, .next = -1};
  memo.next = best(run, place + 1, room);
  memo.score = score_of(exact, memo.next);
  struct hadar_room rest = {
      .at = mem_alloc((size_t)run->market->classes->max_entries + 1, sizeof *rest.at)};
  for (int i = 0; i < branches.n; i++) {
    const struct hadar_candidate *c = &branches.at[i];
    rest.n = room->n;
    rest.gpus = room->gpus;
    memcpy(rest.at, room->at, (size_t)room->n * sizeof *rest.at);
    hadar_room_take(&rest, &branches.parts[c->first_part], c->n_parts, job->kind->workers);
    int next = best(run, place + 1, &rest);
    struct score score = score_of(exact, next);
    score.value += c->payoff;
    score.nodes += c->nodes;
    score.stays += c->stays;
    if (!(must && !memo.takes) && !better(&score, &memo.score))
      continue;
    memo.score = score;
    memo.next = next;
    memo.takes = true;
    memo.choice = choice_of(exact, run->queue[place], &branches, c);
  }
  free(rest.at);
  free(branches.at);
  free(branches.parts);
  return save(exact, memo, room);
}

static void collect(const struct hadar_exact *exact, int memo, struct hadar_dp *dp) {
  dp->n_choices = 0;
  dp->n_parts = 0;
  dp->value = score_of(exact, memo).value;
  for (; memo >= 0; memo = exact->memos[memo].next) {
    if (!exact->memos[memo].takes)
      continue;
    const struct hadar_choice *choice = &exact->memos[memo].choice;
    hadar_dp_add(dp, choice, &exact->parts[choice->first_part]);
  }
}

enum hsim_status hadar_exact_run(struct hadar_exact *exact, const struct hadar_market *market,
                                 const struct hadar_job *jobs, const int *queue, int n,
                                 bool best_only, struct hadar_found *found, struct hadar_dp *dp,
                                 struct hsim_error *error) {
  struct run run = {exact, market, jobs, queue, n, best_only, false, found};
  exact->n_memos = exact->n_entries = exact->n_parts = 0;
  exact->table_size = 64;
  exact->table =
      mem_grow(exact->table, exact->table_size, &exact->table_capacity, sizeof *exact->table);
  memset(exact->table, 0xff, exact->table_size * sizeof *exact->table);
  struct hadar_room room = {
      .at = mem_alloc((size_t)market->classes->max_entries + 1, sizeof *room.at)};
  hadar_room_all(market->classes, &room);
  int first = best(&run, 0, &room);
  free(room.at);
  if (run.too_many)
    return hsim_fail(error, HSIM_FAILED,
                     "dual=exact: more than %d states for %d jobs; the recursion is for a few jobs "
                     "on a few nodes, use dual=beam",
                     HADAR_EXACT_STATES, n);
  collect(exact, first, dp);
  return HSIM_OK;
}

void hadar_exact_free(struct hadar_exact *exact) {
  free(exact->memos);
  free(exact->entries);
  free(exact->parts);
  free(exact->table);
  *exact = (struct hadar_exact){0};
}
