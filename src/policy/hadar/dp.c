/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/dp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

/* Bounds that prune are compared with this slack, so that rounding cannot prune what counts. */
#define SLACK 1e-9

/* What is kept of a way to reach a histogram. */
struct score {
  double value;
  int nodes; /* over all gangs */
  int stays;
  int link; /* the last choice made, -1 at the start */
};

struct hadar_state {
  struct score score;
  struct score next; /* a better way to the same histogram through the present job */
  bool has_next;
  bool ends; /* a forced job fits here, so that skipping it is no way on */
  bool kept; /* while states are selected: it stays, */
  int place; /* and this is its place among those that do */
  int n, gpus;
  uint64_t hash;
  double cheapest;               /* price of a free GPU; -1 before it is known */
  const struct hadar_entry *key; /* only while states are compared */
};

/* One choice; the way to a state is the chain of its links. */
struct hadar_link {
  int before; /* -1: none */
  struct hadar_choice choice;
};

/* One run. */
struct run {
  struct hadar_dp *dp;
  const struct hadar_market *market;
  size_t stride; /* entries of a state */
  size_t beam;
  size_t n_old; /* states before the present job */
  size_t n_floors;
  size_t n_sorted;
};

static struct hadar_entry *entries_of(const struct run *run, size_t state) {
  return &run->dp->entries[state * run->stride];
}

static uint64_t hash_entries(const struct hadar_entry *entries, int n) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < n; i++) {
    uint64_t word = (uint64_t)(uint32_t)entries[i].cls << 48 ^
                    (uint64_t)(uint32_t)entries[i].nodes << 32 ^ entries[i].level;
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

static double cheapest_price(const struct hadar_market *market, const struct hadar_entry *entries,
                             int n) {
  double cheapest = INFINITY;
  for (int i = 0; i < n; i++) {
    const struct hadar_class *cls = &market->classes->at[entries[i].cls];
    for (int b = 0; b < cls->n_bays; b++) {
      const struct hadar_bay *bay = &market->classes->bays[cls->first_bay + b];
      int unused = hadar_bay_gpus(bay, entries[i].level);
      if (unused > 0 && hadar_price(market->prices, bay, unused) < cheapest)
        cheapest = hadar_price(market->prices, bay, unused);
    }
  }
  return cheapest;
}

/* -1 when `a` is the better way. Of equal ways the one found first stays: states are left best
 * first, candidates come in the order of hadar_find. */
static int compare_scores(const struct score *a, const struct score *b) {
  if (a->value != b->value)
    return a->value > b->value ? -1 : 1;
  if (a->nodes != b->nodes)
    return a->nodes < b->nodes ? -1 : 1;
  if (a->stays != b->stays)
    return a->stays > b->stays ? -1 : 1;
  return 0;
}

static int compare_states(const void *x, const void *y) {
  const struct hadar_state *a = *(struct hadar_state *const *)x,
                           *b = *(struct hadar_state *const *)y;
  int order = compare_scores(&a->score, &b->score);
  return order != 0 ? order : hadar_room_compare(a->key, a->n, b->key, b->n);
}

/* Slot of the table that holds the histogram, or where it would go. */
static size_t find_slot(const struct run *run, const struct hadar_entry *entries, int n,
                        uint64_t hash) {
  const struct hadar_dp *dp = run->dp;
  size_t at = hash & (dp->table_size - 1);
  for (; dp->table[at] >= 0; at = (at + 1) & (dp->table_size - 1)) {
    const struct hadar_state *state = &dp->states[dp->table[at]];
    if (state->hash == hash && state->n == n &&
        memcmp(entries_of(run, (size_t)dp->table[at]), entries, (size_t)n * sizeof *entries) == 0)
      break;
  }
  return at;
}

/* Makes the table anew, at most a quarter full. */
static void fill_table(struct run *run) {
  struct hadar_dp *dp = run->dp;
  dp->table_size = 64;
  while (dp->table_size < 4 * dp->n_states)
    dp->table_size *= 2;
  if (dp->table_capacity < dp->table_size)
    dp->table = mem_grow(dp->table, dp->table_size, &dp->table_capacity, sizeof *dp->table);
  memset(dp->table, 0xff, dp->table_size * sizeof *dp->table);
  for (size_t i = 0; i < dp->n_states; i++) {
    const struct hadar_state *state = &dp->states[i];
    dp->table[find_slot(run, entries_of(run, i), state->n, state->hash)] = (int)i;
  }
}

/* Room for one more state and its entries; the new state's entries are those of its index. */
static void reserve_state(struct run *run) {
  struct hadar_dp *dp = run->dp;
  dp->states = mem_grow(dp->states, dp->n_states + 1, &dp->states_capacity, sizeof *dp->states);
  dp->entries = mem_grow(dp->entries, (dp->n_states + 1) * run->stride, &dp->entries_capacity,
                         sizeof *dp->entries);
  size_t floors = dp->n_states + 1 < run->beam ? dp->n_states + 1 : run->beam;
  dp->floors = mem_grow(dp->floors, floors, &dp->floors_capacity, sizeof *dp->floors);
}

static int add_link(struct hadar_dp *dp, int before, int job, const struct hadar_found *found,
                    const struct hadar_candidate *candidate) {
  dp->links = mem_grow(dp->links, dp->n_links + 1, &dp->links_capacity, sizeof *dp->links);
  dp->parts = mem_grow(dp->parts, dp->n_parts + (size_t)candidate->n_parts, &dp->parts_capacity,
                       sizeof *dp->parts);
  memcpy(&dp->parts[dp->n_parts], &found->parts[candidate->first_part],
         (size_t)candidate->n_parts * sizeof *dp->parts);
  dp->links[dp->n_links] = (struct hadar_link){.before = before,
                                               .choice = {.job = job,
                                                          .first_part = (int)dp->n_parts,
                                                          .n_parts = candidate->n_parts,
                                                          .rate = candidate->rate,
                                                          .payoff = candidate->payoff}};
  dp->n_parts += (size_t)candidate->n_parts;
  return (int)dp->n_links++;
}

/* The values of the best `beam` states so far, in a heap with the lowest on top. A state that is
 * reached again at a higher value keeps its old one here, so that the top can only be too low. */
static void floor_add(struct run *run, double value) {
  double *heap = run->dp->floors;
  size_t n = run->n_floors, at = 0;
  if (n < run->beam) {
    for (at = run->n_floors++; at > 0 && heap[(at - 1) / 2] > value; at = (at - 1) / 2)
      heap[at] = heap[(at - 1) / 2];
    heap[at] = value;
    return;
  }
  if (value <= heap[0])
    return;
  for (size_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && heap[child + 1] < heap[child])
      child++;
    if (heap[child] >= value)
      break;
    heap[at] = heap[child];
  }
  heap[at] = value;
}

/* A state of a lower value will not be kept. */
static double floor_of(const struct run *run) {
  return run->n_floors < run->beam ? -INFINITY : run->dp->floors[0];
}

/* A way through the present job to a known histogram is worth keeping. Skipping a forced job may
 * turn out to be no way on, so there any way counts. */
static bool improves(const struct run *run, size_t known, const struct score *score, bool forced) {
  const struct hadar_state *state = &run->dp->states[known];
  if (state->has_next)
    return compare_scores(score, &state->next) < 0;
  return (forced && known < run->n_old) || compare_scores(score, &state->score) < 0;
}

/* Follows `candidate` from state `from`. Entries of the new state are built in the next free place
 * and stay there unless the histogram is known. */
static void take_candidate(struct run *run, size_t from, const struct hadar_job *job, int job_at,
                           const struct hadar_found *found,
                           const struct hadar_candidate *candidate) {
  struct hadar_dp *dp = run->dp;
  reserve_state(run);
  const struct hadar_state *parent = &dp->states[from];
  struct score score = {.value = parent->score.value + candidate->payoff,
                        .nodes = parent->score.nodes + candidate->nodes,
                        .stays = parent->score.stays + candidate->stays};
  int before = parent->score.link;
  struct hadar_room room = {
      .n = parent->n, .gpus = parent->gpus, .at = entries_of(run, dp->n_states)};
  memcpy(room.at, entries_of(run, from), (size_t)room.n * sizeof *room.at);
  hadar_room_take(&room, &found->parts[candidate->first_part], candidate->n_parts,
                  job->kind->workers);
  uint64_t hash = hash_entries(room.at, room.n);
  size_t at = find_slot(run, room.at, room.n, hash);
  if (dp->table[at] >= 0) {
    size_t known = (size_t)dp->table[at];
    if (!improves(run, known, &score, job->forced))
      return;
    score.link = add_link(dp, before, job_at, found, candidate);
    dp->states[known].next = score;
    dp->states[known].has_next = true;
    return;
  }
  score.link = add_link(dp, before, job_at, found, candidate);
  dp->states[dp->n_states] = (struct hadar_state){
      .score = score, .n = room.n, .gpus = room.gpus, .hash = hash, .cheapest = -1};
  if (run->n_floors > 0)
    floor_add(run, score.value);
  dp->table[at] = (int)dp->n_states++;
  if (dp->table_size < 2 * dp->n_states)
    fill_table(run);
}

/* Branches of one state for one job. Returns whether there was any. */
static bool expand(struct run *run, size_t from, const struct hadar_job *job, int job_at,
                   bool best_only, struct hadar_found *found) {
  struct hadar_dp *dp = run->dp;
  const struct hadar_state *state = &dp->states[from];
  double value = state->score.value;
  int workers = job->kind->workers;
  if (state->gpus < workers)
    return false;
  if (!job->forced) {
    double bound = job->peak - workers * state->cheapest * (1 - SLACK);
    double floor = floor_of(run);
    if (bound <= 0 || value + bound < floor - SLACK * fabs(floor))
      return false;
  }
  struct hadar_room room = {state->n, state->gpus, entries_of(run, from)};
  hadar_find(run->market, &room, job, found);
  const struct hadar_candidate *best = best_only ? hadar_best(found) : NULL;
  for (int i = 0; i < found->n; i++) {
    const struct hadar_candidate *candidate = &found->at[i];
    if (best_only && candidate != best)
      continue;
    if (job->forced || (candidate->payoff > 0 && value + candidate->payoff >= floor_of(run)))
      take_candidate(run, from, job, job_at, found, candidate);
  }
  return found->n > 0;
}

/* Lists the states that do not end, best first. */
static void sort_states(struct run *run) {
  struct hadar_dp *dp = run->dp;
  dp->sorted = mem_grow(dp->sorted, dp->n_states, &dp->sorted_capacity, sizeof *dp->sorted);
  dp->order = mem_grow(dp->order, dp->n_states, &dp->order_capacity, sizeof *dp->order);
  run->n_sorted = 0;
  for (size_t i = 0; i < dp->n_states; i++) {
    dp->states[i].kept = false;
    dp->states[i].key = entries_of(run, i);
    if (!dp->states[i].ends)
      dp->sorted[run->n_sorted++] = &dp->states[i];
  }
  qsort(dp->sorted, run->n_sorted, sizeof *dp->sorted, compare_states);
}

/* Keeps the best `beam` of the sorted states, moved to the front; `order` is theirs. */
static void keep_best(struct run *run) {
  struct hadar_dp *dp = run->dp;
  size_t kept = run->n_sorted < run->beam ? run->n_sorted : run->beam;
  for (size_t i = 0; i < kept; i++) {
    dp->sorted[i]->kept = true;
    dp->sorted[i]->place = (int)i;
  }
  size_t from = kept;
  for (size_t i = 0; i < kept; i++) {
    if (!dp->states[i].kept) {
      while (!dp->states[from].kept)
        from++;
      dp->states[i] = dp->states[from];
      memcpy(entries_of(run, i), entries_of(run, from),
             (size_t)dp->states[i].n * sizeof *dp->entries);
      from++;
    }
    dp->order[dp->states[i].place] = (int)i;
  }
  dp->n_states = kept;
}

/* Better ways replace older ones. Returns whether anything is new since the last job. */
static bool apply_scores(struct run *run) {
  struct hadar_dp *dp = run->dp;
  bool news = dp->n_states > run->n_old;
  for (size_t i = 0; i < dp->n_states; i++) {
    struct hadar_state *state = &dp->states[i];
    news |= state->has_next || state->ends;
    if (!state->has_next)
      continue;
    if (state->ends || compare_scores(&state->next, &state->score) < 0)
      state->score = state->next;
    state->has_next = state->ends = false;
  }
  return news;
}

/* After a job: scores settle; states that end and surplus ones go. */
static void settle(struct run *run) {
  struct hadar_dp *dp = run->dp;
  if (!apply_scores(run))
    return;
  sort_states(run);
  keep_best(run);
  for (size_t i = 0; i < dp->n_states; i++) {
    struct hadar_state *state = &dp->states[i];
    if (state->cheapest < 0)
      state->cheapest = cheapest_price(run->market, entries_of(run, i), state->n);
  }
  fill_table(run);
}

static void begin(struct run *run) {
  struct hadar_dp *dp = run->dp;
  dp->n_states = dp->n_links = dp->n_parts = 0;
  reserve_state(run);
  struct hadar_room room = {.at = dp->entries};
  hadar_room_all(run->market->classes, &room);
  dp->states[0] = (struct hadar_state){.score = {.link = -1},
                                       .n = room.n,
                                       .gpus = room.gpus,
                                       .hash = hash_entries(room.at, room.n),
                                       .cheapest = cheapest_price(run->market, room.at, room.n)};
  dp->n_states = 1;
  sort_states(run);
  keep_best(run);
  fill_table(run);
}

static void list_least_workers(struct hadar_dp *dp, const struct hadar_job *jobs, const int *queue,
                               int n) {
  dp->least_workers =
      mem_grow(dp->least_workers, (size_t)n + 1, &dp->least_capacity, sizeof *dp->least_workers);
  int least = INT32_MAX;
  for (int i = n; i-- > 0;) {
    if (jobs[queue[i]].kind->workers < least)
      least = jobs[queue[i]].kind->workers;
    dp->least_workers[i] = least;
  }
}

/* The choices of the best state, first choice first. */
static void collect(struct run *run) {
  struct hadar_dp *dp = run->dp;
  const struct score *best = &dp->states[dp->order[0]].score;
  dp->value = best->value;
  dp->n_choices = 0;
  for (int link = best->link; link >= 0; link = dp->links[link].before)
    dp->n_choices++;
  dp->choices =
      mem_grow(dp->choices, (size_t)dp->n_choices, &dp->choices_capacity, sizeof *dp->choices);
  int at = dp->n_choices;
  for (int link = best->link; link >= 0; link = dp->links[link].before)
    dp->choices[--at] = dp->links[link].choice;
}

/* One job: every state skips it or takes a candidate. A forced job is skipped only where it does
 * not fit. */
static void decide(struct run *run, const struct hadar_job *job, int job_at, bool best_only,
                   struct hadar_found *found) {
  struct hadar_dp *dp = run->dp;
  run->n_old = dp->n_states;
  run->n_floors = 0;
  /* Where jobs are forced, states of any value may be the only ones left. A beam of 1 needs no
   * floor: its only way on is above the state that it starts from. */
  if (run->beam > 1 && !job->forced)
    for (size_t i = 0; i < run->n_old; i++)
      floor_add(run, dp->states[i].score.value);
  for (size_t i = 0; i < run->n_old; i++) {
    size_t from = (size_t)dp->order[i];
    bool fits = expand(run, from, job, job_at, best_only, found);
    dp->states[from].ends = fits && job->forced;
  }
  settle(run);
}

void hadar_dp_run(struct hadar_dp *dp, const struct hadar_market *market,
                  const struct hadar_job *jobs, const int *queue, int n, int beam, bool best_only,
                  struct hadar_found *found) {
  struct run run = {.dp = dp,
                    .market = market,
                    .stride = (size_t)market->classes->max_entries + 1,
                    .beam = (size_t)beam};
  begin(&run);
  list_least_workers(dp, jobs, queue, n);
  for (int i = 0; i < n; i++) {
    int most = 0;
    for (size_t s = 0; s < dp->n_states; s++)
      if (dp->states[s].gpus > most)
        most = dp->states[s].gpus;
    if (most < dp->least_workers[i])
      break;
    decide(&run, &jobs[queue[i]], queue[i], best_only || beam == 1, found);
  }
  collect(&run);
}

void hadar_dp_add(struct hadar_dp *dp, const struct hadar_choice *choice,
                  const struct hadar_part *parts) {
  size_t n = (size_t)choice->n_parts;
  dp->parts = mem_grow(dp->parts, dp->n_parts + n, &dp->parts_capacity, sizeof *dp->parts);
  memcpy(&dp->parts[dp->n_parts], parts, n * sizeof *parts);
  dp->choices =
      mem_grow(dp->choices, (size_t)dp->n_choices + 1, &dp->choices_capacity, sizeof *dp->choices);
  dp->choices[dp->n_choices] = *choice;
  dp->choices[dp->n_choices++].first_part = (int)dp->n_parts;
  dp->n_parts += n;
}

void hadar_dp_free(struct hadar_dp *dp) {
  free(dp->choices);
  free(dp->parts);
  free(dp->states);
  free(dp->entries);
  free(dp->links);
  free(dp->table);
  free(dp->least_workers);
  free(dp->sorted);
  free(dp->floors);
  free(dp->order);
  *dp = (struct hadar_dp){0};
}
