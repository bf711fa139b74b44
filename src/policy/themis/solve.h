/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Winner determination: at most one row a participant, no GPU twice, the largest product of values
 * (Mahajan et al., Themis, NSDI'20, section 3.2: the proportional-fair allocation). As an integer
 * program over one 0/1 variable a row with gain u = ln V(row) - ln V(empty) > 0:
 *
 *   max sum u x   s.t.  sum_rows x <= 1 (= 1 for a forced participant)   each participant
 *                       sum gpus x <= room                               each bay on offer
 *
 * Exact (GLPK, branch and bound with a limit on nodes, no limit in time), or greedy. Among equal
 * optima the solver's stands, which one build and one input fix.
 */
#ifndef HSIM_POLICY_THEMIS_SOLVE_H
#define HSIM_POLICY_THEMIS_SOLVE_H

#include "policy/themis/bids.h"
#include "solver/lp.h"

struct themis_program {
  int n;                             /* participants */
  const struct themis_table *tables; /* [n] */
  const bool *forced;                /* [n] must get a row; NULL: nobody */
  const int *room;                   /* [bays] GPUs on offer */
  int n_bays;                        /* of the cluster */
};

enum themis_how {
  THEMIS_PROVEN,  /* exact */
  THEMIS_LIMITED, /* the best of the nodes that were looked into */
  THEMIS_GREEDY   /* asked for, too large, better than the limited search, or the solver failed */
};

struct themis_answer {
  int *row;         /* [n] its row's number, -1: nothing */
  double log_value; /* sum of ln V over all participants, of what they get or have */
  enum themis_how how;
  int nodes;
};

enum themis_solver_kind { THEMIS_AUTO, THEMIS_MILP, THEMIS_BY_GREED };

struct themis_solver {
  struct lp *lp;
  enum themis_solver_kind kind;
  int node_cap;
  int columns_max; /* beyond it (THEMIS_AUTO) greedy */
  bool fails;      /* for tests: as if GLPK had given up */
  /* of the program that is loaded */
  int *lp_bay; /* [bays] row of the program, -1 */
  int *first;  /* [n] first column */
  int *left;   /* [bays] scratch of the greedy */
  bool *fixed; /* [columns] taken out of one search */
  bool loaded;
  double greedy_used, limited, solves; /* counts */
  size_t lp_bay_capacity, first_capacity, left_capacity, fixed_capacity;
};

void themis_solver_init(struct themis_solver *solver, enum themis_solver_kind kind, int node_cap,
                        int columns_max);
void themis_solver_free(struct themis_solver *solver);

/* Loads a program; the tables must stay until the last themis_solve of it. */
void themis_solver_load(struct themis_solver *solver, const struct themis_program *program);

/* Solves it without participant `without` (-1: with all). answer->row has room for all. `start`:
 * the rows of an allocation that is known and good, or NULL. */
void themis_solve(struct themis_solver *solver, const struct themis_program *program, int without,
                  const int *start, struct themis_answer *answer);

/* The greedy alone: rows by gain per further GPU, then pairs of rows while the sum rises. `left`
 * is scratch, [bays]. */
void themis_greedy(const struct themis_program *program, int without, int *left,
                   struct themis_answer *answer);

/* The same from an allocation that is known: answer->row, of which what `without` holds is dropped.
 */
void themis_improve(const struct themis_program *program, int without, int *left,
                    struct themis_answer *answer);

/* Among equal optima moves to the mirror image in which participants, in their order, hold their
 * earliest rows of the same size and value. `left` is scratch, [bays]. */
void themis_canonical(const struct themis_program *program, int *left,
                      struct themis_answer *answer);

double themis_log_value(const struct themis_program *program, int without, const int *row);

#endif
