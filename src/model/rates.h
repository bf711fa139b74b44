/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The throughput table and the one rate function. All rates are steps per
 * second of the whole gang. The table is built by a reader (rates_add...), then bound to a
 * cluster's GPU types and to the rules of a run, and read-only from then on.
 *
 * Sources: the shape of the table is that of Narayanan et al. (Gavel, OSDI'20); the pace of the
 * slowest worker for mixed gangs is Sultana et al. (Hadar, IPDPS'24, section on task-level
 * heterogeneity).
 */
#ifndef HSIM_MODEL_RATES_H
#define HSIM_MODEL_RATES_H

#include "hsim/types.h"
#include "hsim/view.h"
#include "model/memory.h"
#include "model/names.h"
#include "model/semantics.h"

/*
 * The rules, for k workers of a gang:
 *   size   a table row counts as it is, 0 meaning that the model cannot run so. Without a row (rule
 *          "interpolate"): linear in log2(k) between the neighbouring rows; above the largest row
 *          k0, thr(k0) * g^log2(k/k0) with g = (thr(k0)/thr(k1))^(1/log2(k0/k1)) within [1, 2], k1
 *          being the row before; below the smallest row kmin, thr(kmin) * k/kmin; 0 next to a row
 *          of 0, above an only row, and without any row. Rule "reject": 0.
 *   types  the slowest type's thr(k) holds for all k workers; of equals, the lowest type.
 *   span   a factor on that. Rule "table": 1 inside a node, else min(1, spread/one_node) of the
 *          slowest type when the table has both for exactly k, else spread_default. "ignore": 1. A
 *          file: the model's efficiency at the level; a model that it lacks follows the table.
 *   pairs  as the table has them for k workers each; absent or 0 for both: they may not share.
 */

/* One gang size with its rates; NaN = no such row. */
struct rate_row {
  int workers;
  double one_node;
  double spread;
};

/* What the rows say at one gang size; made for the sizes that are asked most. */
struct rate_size {
  double thr;    /* on one node; where there is no row, by the rule "interpolate" */
  double spread; /* min(1, spread / one_node), NaN unless both rows exist */
  bool row;      /* the table has a row for it */
};

/* The rows of one (type, model), ascending workers. */
struct rate_rows {
  struct rate_row *at;
  int n;
  int n_sizes;
  const struct rate_size *sizes; /* [n_sizes], of 1, 2, 3... workers */
};

/* Cells by what they are about, in the order of their adding; found in O(1). */
struct rate_cell {
  int type, workers;
  /* Of one job: `other` is 1 when consolidated, else 0. Of a pair: model <= other. */
  int model, other;
  double rate, rate_other;
};
struct rate_cells {
  struct rate_cell *at;
  size_t n, capacity;
  int32_t *table; /* open addressing, -1 = empty */
  size_t table_size;
};

/* thr(workers) / thr(1) of a model. */
struct rate_speedup {
  int model, workers;
  double speedup;
};

struct rates {
  struct names types;     /* GPU types of the table */
  struct names models;    /* job types; a model's number is hsim_job.model */
  struct rate_rows *rows; /* [types.n * models.n] after rates_finish, type-major */
  struct rate_cells cells, pairs;
  struct rate_speedup *speedups;
  size_t n_speedups, speedups_capacity;
  struct arena made;  /* what rates_finish makes of them */
  double *efficiency; /* [models.n][4] from a per-model efficiency file (levels as enum hsim_span;
                         NaN: the file lacks the model), or NULL; owned */
  char *file;
  char sha256[65];
};

/* Building. Duplicate cells: HSIM_BAD_INPUT. `rate` >= 0, finite; `workers` >= 1. */
enum hsim_status rates_add(struct rates *rates, const char *type, const char *model, int workers,
                           bool consolidated, double rate, struct hsim_error *error);
/* Two jobs on the same GPUs of a type: rate_a is a's, rate_b is b's. Adding (a, b) also answers
 * (b, a); adding that too is no fault as long as it says the same. */
enum hsim_status rates_add_pair(struct rates *rates, const char *type, const char *model_a,
                                const char *model_b, int workers, double rate_a, double rate_b,
                                struct hsim_error *error);
/* Makes the rows. May be called again after more was added; fails on a table without a cell. */
enum hsim_status rates_finish(struct rates *rates, struct hsim_error *error);
/* Speedup over one worker on one GPU type replaces the table's sizes: thr(k) = thr(1) * speedup on
 * every type, while spread / one_node stays as the table has it. From the next rates_finish on. */
enum hsim_status rates_set_speedup(struct rates *rates, int model, int workers, double speedup,
                                   struct hsim_error *error);
void rates_free(struct rates *rates);

/* Steps per second of `workers` workers on one node, `type` being the table's own number. 0 when
 * the model cannot run there. *derived (may be NULL) tells that the rate is not 0 and that the
 * table has no row for it. */
double rates_thr(const struct rates *rates, enum missing_size missing_size, int model, int type,
                 int workers, bool *derived);
/* min(1, spread / one_node) at this size; NaN unless the table has both rows for it. */
double rates_spread(const struct rates *rates, int model, int type, int workers);
/* As oracle_pair_rate, `type` being the table's own number. */
bool rates_pair(const struct rates *rates, int model_a, int model_b, int type, int workers,
                double *rate_a, double *rate_b);

/* A table with the rules of one run and the types of one cluster: what the engine asks. */
struct oracle_rules {
  enum missing_size missing_size;
  enum spread_rule spread;
  double spread_default;
};
struct hsim_oracle {
  const struct rates *rates;
  const struct hsim_cluster *cluster;
  struct oracle_rules rules;
  int type_of[HSIM_MAX_TYPES]; /* cluster type -> table type, -1 when the table lacks it */
  /* Most GPUs of the type in one slot, on one node, in one rack; 0 where there are none. */
  int largest_slot[HSIM_MAX_TYPES];
  int largest_bay[HSIM_MAX_TYPES];
  int largest_rack[HSIM_MAX_TYPES];
  const double *node_speed; /* [n_nodes] of the cluster in (0, 1]: workers there run at that part of
                               their pace. NULL, as oracle_init leaves it: all 1 */
};
void oracle_init(struct hsim_oracle *oracle, const struct rates *rates,
                 const struct hsim_cluster *cluster, const struct semantics *semantics);

/* By model instead of active job, `type` being the cluster's number. *derived (may be NULL) tells
 * that the rate is not 0 and that the table has no row for it. Model or type -1 has no rate. */
double oracle_thr(const struct hsim_oracle *oracle, int model, int type, int workers,
                  bool *derived);
double oracle_rate_on(const struct hsim_oracle *oracle, int model, int type, int workers,
                      enum hsim_span span);
double oracle_rate(const struct hsim_oracle *oracle, int model, const struct hsim_share *shares,
                   int n_shares);
/* The speed of the slowest node among them. */
double oracle_speed(const struct hsim_oracle *oracle, const struct hsim_share *shares,
                    int n_shares);
bool oracle_pair_rate(const struct hsim_oracle *oracle, int model_a, int model_b, int type,
                      int workers, double *rate_a, double *rate_b);

/* Best rate over the cluster's types in `types` (bit set) for a job that needs `workers`, each gang
 * as close together as the empty cluster allows; *type (may be NULL): the lowest on ties, -1 when
 * the rate is 0. */
double oracle_best_rate(const struct hsim_oracle *oracle, int model, uint64_t types, int workers,
                        int *type);

#endif
