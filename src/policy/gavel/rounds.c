/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What both flavours share: combinations, time received as coded, restarts. */
#include "policy/gavel/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

void rounds_init(struct rounds *rounds, int n_types, int n_jobs, double round_s) {
  *rounds = (struct rounds){.n_types = n_types, .half_round = round_s / 2};
  size_t jobs = (size_t)n_jobs;
  rounds->alone_of = mem_alloc(jobs, sizeof *rounds->alone_of);
  for (size_t i = 0; i < jobs; i++)
    rounds->alone_of[i] = -1;
  rounds->picked_in = mem_zero(jobs, sizeof *rounds->picked_in);
  rounds->type_time = mem_zero((size_t)n_types, sizeof *rounds->type_time);
}

void rounds_free(struct rounds *rounds) {
  free(rounds->at);
  free(rounds->cells);
  free(rounds->alone_of);
  free(rounds->type_time);
  free(rounds->picked_in);
  free(rounds->keys);
  free(rounds->picks);
  free(rounds->ran);
  free(rounds->of_size);
  *rounds = (struct rounds){0};
}

static int add(struct rounds *rounds, int a, int b, int workers, double received,
               const double *rates) {
  int index = rounds->n++;
  size_t types = (size_t)rounds->n_types, n = (size_t)rounds->n;
  rounds->at = mem_grow(rounds->at, n, &rounds->at_capacity, sizeof *rounds->at);
  rounds->cells =
      mem_grow(rounds->cells, n * types, &rounds->cells_capacity, sizeof *rounds->cells);
  rounds->at[index] =
      (struct combination){.a = a, .b = b, .workers = workers, .held_type = -1, .assigned = -1};
  struct rounds_cell *cells = rounds_cells(rounds, index);
  for (size_t g = 0; g < types; g++)
    cells[g] = (struct rounds_cell){.rate = rates[g], .received = received};
  return index;
}

int rounds_admit(struct rounds *rounds, int job, int workers, const double *rates) {
  int index = add(rounds, job, -1, workers, rounds->half_round, rates);
  if (workers > rounds->largest)
    rounds->largest = workers;
  rounds->alone_of[job] = index;
  return index;
}

int rounds_admit_pair(struct rounds *rounds, int a, int b, const double *rates) {
  int workers = rounds->at[rounds->alone_of[b]].workers;
  return add(rounds, a, b, workers, 0.0, rates); /* pairs start from nothing, as in Gavel */
}

void rounds_remove(struct rounds *rounds, int job) {
  int own = rounds->alone_of[job];
  if (own < 0)
    return;
  rounds->at[own].gone = true;
  for (int c = 0; c < rounds->n; c++)
    if (rounds->at[c].b >= 0 && (rounds->at[c].a == job || rounds->at[c].b == job))
      rounds->at[c].gone = true;
  rounds->alone_of[job] = -1;
  rounds->any_gone = true;
}

void rounds_compact(struct rounds *rounds) {
  if (!rounds->any_gone)
    return;
  int kept = 0;
  for (int c = 0; c < rounds->n; c++) {
    if (rounds->at[c].gone)
      continue;
    if (kept != c) {
      rounds->at[kept] = rounds->at[c];
      memcpy(rounds_cells(rounds, kept), rounds_cells(rounds, c),
             (size_t)rounds->n_types * sizeof *rounds->cells);
      if (rounds->at[kept].b < 0)
        rounds->alone_of[rounds->at[kept].a] = kept;
    }
    kept++;
  }
  rounds->n = kept;
  rounds->any_gone = false;
}

/* Pairs of jobs of one size that were not admitted. They exist in Gavel: they can never run, but
 * their half round counts in the time of all combinations. */
static double pairs_left_out(struct rounds *rounds) {
  size_t sizes = (size_t)rounds->largest + 1;
  rounds->of_size = mem_grow(rounds->of_size, sizes, &rounds->of_size_capacity, sizeof(double));
  memset(rounds->of_size, 0, sizes * sizeof(double));
  double left_out = 0;
  for (int c = 0; c < rounds->n; c++) {
    if (rounds->at[c].b >= 0)
      left_out -= 1;
    else
      left_out += rounds->of_size[rounds->at[c].workers]++;
  }
  return left_out;
}

void rounds_restart(struct rounds *rounds, double now) {
  double elapsed = now - rounds->restarted_s;
  double half = rounds->half_round;
  double left_out = rounds->with_pairs ? pairs_left_out(rounds) : 0.0;
  for (int g = 0; g < rounds->n_types; g++)
    rounds->type_time[g] = left_out * half;
  for (int c = 0; c < rounds->n; c++) {
    struct combination *combination = &rounds->at[c];
    struct rounds_cell *cells = rounds_cells(rounds, c);
    for (int g = 0; g < rounds->n_types; g++) {
      double received = cells[g].received - half;
      double wanted = combination->covered ? cells[g].share * elapsed : 0.0;
      cells[g].deficit += wanted - received;
      cells[g].received = half;
      rounds->type_time[g] += half;
    }
    combination->covered = true;
    combination->held_from = now;
    combination->held_received = half;
  }
  rounds->restarted_s = now;
}

static int lower_member(const struct hsim_ran *ran) {
  return ran->partner >= 0 && ran->partner < ran->job ? ran->partner : ran->job;
}

static int higher_member(const struct hsim_ran *ran) {
  return ran->partner > ran->job ? ran->partner : ran->job;
}

/* The combination that ran, -1 when it left. Pairs stand right behind the later job's own. */
static int combination_of(const struct rounds *rounds, const struct hsim_ran *ran) {
  if (ran->partner < 0)
    return rounds->alone_of[ran->job];
  int a = lower_member(ran), b = higher_member(ran);
  int c = rounds->alone_of[b];
  if (c < 0)
    return -1;
  while (++c < rounds->n && rounds->at[c].b == b)
    if (rounds->at[c].a == a)
      return c;
  return -1;
}

/* Gavel's order of completions: the latest first; at one time jobs alone, by number, before pairs,
 * by their lower, then their higher number. */
static int latest_first(const void *left, const void *right) {
  const struct hsim_ran *x = left, *y = right;
  if (x->end_s != y->end_s)
    return x->end_s > y->end_s ? -1 : 1;
  if ((x->partner >= 0) != (y->partner >= 0))
    return x->partner >= 0 ? 1 : -1;
  if (lower_member(x) != lower_member(y))
    return lower_member(x) < lower_member(y) ? -1 : 1;
  if (higher_member(x) != higher_member(y))
    return higher_member(x) < higher_member(y) ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

void rounds_charge(struct rounds *rounds, const struct hsim_ran *ran, size_t n_ran) {
  if (n_ran == 0)
    return;
  rounds->ran = mem_grow(rounds->ran, n_ran, &rounds->ran_capacity, sizeof *rounds->ran);
  memcpy(rounds->ran, ran, n_ran * sizeof *ran);
  qsort(rounds->ran, n_ran, sizeof *rounds->ran, latest_first);
  for (size_t i = 0; i < n_ran; i++) {
    const struct hsim_ran *one = &rounds->ran[i];
    bool second_of_pair = one->partner >= 0 && one->job > one->partner;
    if (one->failed || one->type < 0 || second_of_pair)
      continue; /* a pair's time counts once */
    int c = combination_of(rounds, one);
    if (c < 0)
      continue;
    rounds_cells(rounds, c)[one->type].received += one->seconds;
    rounds->type_time[one->type] += one->seconds;
  }
}

void rounds_receive(struct rounds *rounds, const struct hsim_ran *ran, size_t n_ran) {
  for (size_t i = 0; i < n_ran; i++) {
    int c = combination_of(rounds, &ran[i]);
    if (c < 0 || rounds->at[c].held_type < 0)
      continue;
    /* From its start, not round by round: rounds that nobody was asked about change no bit. */
    const struct combination *combination = &rounds->at[c];
    rounds_cells(rounds, c)[combination->held_type].received =
        combination->held_received + (ran[i].end_s - combination->held_from);
  }
}

void rounds_hold(struct rounds *rounds, const struct rounds_pick *picks, int n, double now) {
  uint64_t mark = ++rounds->holds;
  for (int i = 0; i < n; i++) {
    struct combination *combination = &rounds->at[picks[i].combination];
    combination->held_mark = mark;
    if (combination->held_type == picks[i].type)
      continue;
    combination->held_type = picks[i].type;
    combination->held_from = now;
    combination->held_received = rounds_cells(rounds, picks[i].combination)[picks[i].type].received;
  }
  for (int c = 0; c < rounds->n; c++)
    if (rounds->at[c].held_mark != mark)
      rounds->at[c].held_type = -1;
}
