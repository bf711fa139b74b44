/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/auction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "policy/themis/bundle.h"

/* Parts of a bundle that are compared one by one; of larger bundles GPUs are taken off singly. */
enum { PARTS_MAX = 4096 };

/* ---- Payments ---- */

static bool has_best_row(const struct themis_table *table, int row) {
  double now = row >= 0 ? table->rows[row].value : table->empty_value;
  for (int b = 0; b < table->n; b++)
    if (table->rows[b].value > now)
      return false;
  return true;
}

/* Participants that could still do better than in the answer. */
static int count_unhappy(const struct themis_program *program, const int *row) {
  int n = 0;
  for (int i = 0; i < program->n; i++)
    n += !has_best_row(&program->tables[i], row[i]);
  return n;
}

/* Allocations that were found, [n] rows each: the auction's, then those without somebody. */
struct found {
  int *rows;
  int n;
};

static void remember(struct found *found, const struct themis_program *program, const int *row) {
  size_t n = (size_t)program->n;
  memcpy(found->rows + (size_t)found->n++ * n, row, n * sizeof *row);
}

/* Of what was found before, without participant i but for what others can then have: the best. What
 * it is best to do without i often is what it was best to do without somebody else. */
static void best_found(struct themis_solver *solver, const struct themis_program *program, int i,
                       const struct found *found, struct themis_answer *trial, int *best) {
  size_t n = (size_t)program->n;
  double most = -INFINITY;
  for (int f = 0; f < found->n; f++) {
    memcpy(trial->row, found->rows + (size_t)f * n, n * sizeof *best);
    themis_extend(program, i, solver->left, trial);
    if (f > 0 && !(trial->log_value > most)) /* all may be worth as little as can be */
      continue;
    most = trial->log_value;
    memcpy(best, trial->row, n * sizeof *best);
  }
}

/* Somebody else could have what participant i has, and wants it. */
static bool is_in_the_way(const struct themis_program *program, const int *row, int i,
                          int unhappy) {
  return row[i] >= 0 && program->n > 1 && unhappy > !has_best_row(&program->tables[i], row[i]);
}

double themis_payments(struct themis_solver *solver, const struct themis_program *program,
                       const struct themis_answer *answer, double *c, int *nodes) {
  double largest = 0;
  int unhappy = count_unhappy(program, answer->row), *start;
  size_t n = (size_t)program->n;
  struct found found = {.rows = mem_alloc((n + 1) * n, sizeof *found.rows)};
  struct themis_answer other = {.row = mem_alloc(n, sizeof *other.row)};
  bool loaded = solver->loaded;
  start = mem_alloc(n, sizeof *start);
  remember(&found, program, answer->row);
  if (answer->how == THEMIS_GREEDY)
    solver->loaded = false; /* a greedy allocation is compared with greedy ones */
  for (int i = 0; i < program->n; i++) {
    c[i] = 1;
    if (!is_in_the_way(program, answer->row, i, unhappy))
      continue;
    best_found(solver, program, i, &found, &other, start);
    themis_solve(solver, program, i, start, &other);
    remember(&found, program, other.row);
    *nodes += other.nodes;
    double raw = exp(themis_log_value(program, i, answer->row) - other.log_value);
    largest = fmax(largest, raw);
    c[i] = fmin(raw, 1);
  }
  solver->loaded = loaded;
  free(start);
  free(found.rows);
  free(other.row);
  return largest;
}

/* ---- Parts of a bundle ---- */

static double part_value(struct themis_agent *agent, const struct hsim_share *parts, int n) {
  return n == 0 ? 0 : themis_agent_value(agent, parts, n);
}

/* All parts with `gpus` GPUs: the one of most value, then the first in canonical order. */
static int best_of_all(struct themis_agent *agent, const struct hsim_share *bundle, int n, int gpus,
                       int count, struct hsim_share *out) {
  struct hsim_share *part = mem_alloc((size_t)n, sizeof *part);
  double best = -1;
  int n_out = 0;
  for (int code = 0; code < count; code++) {
    int rest = code, size = 0, n_part = 0;
    for (int i = 0; i < n; i++) {
      int take = rest % (bundle[i].gpus + 1);
      rest /= bundle[i].gpus + 1;
      if (take > 0)
        part[n_part++] = (struct hsim_share){bundle[i].bay, take};
      size += take;
    }
    if (size != gpus)
      continue;
    double value = part_value(agent, part, n_part);
    if (value < best || (value == best && themis_bundle_compare(part, n_part, out, n_out) > 0))
      continue;
    best = value;
    n_out = n_part;
    memcpy(out, part, (size_t)n_part * sizeof *out);
  }
  free(part);
  return n_out;
}

static int without_one(const struct hsim_share *from, int n, int skip, struct hsim_share *out) {
  int n_out = 0;
  for (int i = 0; i < n; i++) {
    out[n_out] = from[i];
    out[n_out].gpus -= i == skip;
    n_out += out[n_out].gpus > 0;
  }
  return n_out;
}

/* One GPU after the other goes where that costs least; of equals, in the last bay. */
static int shrink(struct themis_agent *agent, const struct hsim_share *bundle, int n, int gpus,
                  struct hsim_share *out) {
  struct hsim_share *trial = mem_alloc((size_t)n, sizeof *trial);
  memcpy(out, bundle, (size_t)n * sizeof *out);
  for (int have = themis_bundle_gpus(bundle, n); have > gpus; have--) {
    double best = -1;
    int at = n - 1;
    for (int i = n - 1; i >= 0; i--) {
      int n_trial = without_one(out, n, i, trial);
      double value = part_value(agent, trial, n_trial);
      if (value > best) {
        best = value;
        at = i;
      }
    }
    n = without_one(out, n, at, trial);
    memcpy(out, trial, (size_t)n * sizeof *out);
  }
  free(trial);
  return n;
}

static int best_part(struct themis_agent *agent, const struct hsim_share *bundle, int n, int gpus,
                     struct hsim_share *out) {
  int count = 1;
  for (int i = 0; i < n && count <= PARTS_MAX; i++)
    count *= bundle[i].gpus + 1;
  return count <= PARTS_MAX ? best_of_all(agent, bundle, n, gpus, count, out)
                            : shrink(agent, bundle, n, gpus, out);
}

/* ---- From c to GPUs ---- */

static void give_all(const struct hsim_share *bundle, int n, struct themis_prize *prize) {
  memcpy(prize->parts, bundle, (size_t)n * sizeof *bundle);
  prize->n = n;
  prize->gpus = themis_bundle_gpus(bundle, n);
}

/* The best part with `gpus` GPUs, if it is of use. */
static bool give_part(struct themis_agent *agent, const struct hsim_share *bundle, int n, int gpus,
                      double now, struct themis_prize *prize) {
  prize->n = best_part(agent, bundle, n, gpus, prize->parts);
  prize->gpus = gpus;
  if (themis_agent_value(agent, prize->parts, prize->n) > now)
    return true;
  prize->n = prize->gpus = 0;
  return false;
}

static void give_rounded(enum themis_payment payment, struct themis_agent *agent,
                         const struct hsim_share *bundle, int n, double c,
                         struct themis_prize *prize) {
  int all = themis_bundle_gpus(bundle, n);
  int kept = (int)floor(c * all + 1e-9);
  if (kept >= all) {
    give_all(bundle, n, prize);
    return;
  }
  double now = themis_agent_value(agent, NULL, 0);
  for (int gpus = kept; gpus > 0; gpus--)
    if (give_part(agent, bundle, n, gpus, now, prize))
      return;
  if (payment == THEMIS_FLOOR || now > 0)
    return;
  for (int gpus = 1; gpus <= all; gpus++)
    if (give_part(agent, bundle, n, gpus, now, prize))
      return;
}

void themis_realise(enum themis_payment payment, struct themis_agent *agent,
                    const struct hsim_share *bundle, int n, double c, int lease_rounds,
                    struct hsim_rng *rng, struct themis_prize *prize) {
  prize->n = prize->gpus = 0;
  prize->rounds = lease_rounds;
  if (payment == THEMIS_KEEP1 || payment == THEMIS_FLOOR) {
    give_rounded(payment, agent, bundle, n, c, prize);
    return;
  }
  if (payment == THEMIS_LOTTERY && c < 1 && hsim_rng_uniform(rng) >= c)
    return;
  give_all(bundle, n, prize);
  if (payment == THEMIS_LEASE) {
    int rounds = (int)floor(c * lease_rounds + 1e-9);
    prize->rounds = rounds > 1 ? rounds : 1;
  }
}
