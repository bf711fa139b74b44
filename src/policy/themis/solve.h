/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Winner determination: at most one row a participant, no GPU twice, the largest product of values
 * (Mahajan et al., Themis, NSDI'20, section 3.2: the proportional-fair allocation). As an integer
 * program over one 0/1 variable a row (linear.h). Exact (GLPK, no limit in time), or greedy:
 *
 *   1. the greedy, and an allocation that is known, improved: a bound from below
 *   2. the relaxation, from the last one's basis: a bound from above; its rounding
 *   3. rows with which the relaxation is below 1. are in no better allocation and are left out
 *   4. branch and bound over the others, with a limit on nodes, for what is better than 1.
 *
 * Among equal optima the first that is found stands, which one build and one input fix.
 */
#ifndef HSIM_POLICY_THEMIS_SOLVE_H
#define HSIM_POLICY_THEMIS_SOLVE_H

#include "policy/themis/linear.h"

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
  enum themis_solver_kind kind;
  int node_cap;
  int columns_max;           /* beyond it (THEMIS_AUTO) greedy */
  bool fails;                /* for tests: as if GLPK had given up */
  struct themis_linear all;  /* the program that is loaded, for relaxations */
  struct themis_linear rest; /* rows that may be in an optimum */
  bool *kept;                /* [rows] those rows */
  int *left;                 /* [bays] scratch of the greedy */
  bool loaded;
  double greedy_used, limited, solves; /* counts */
  size_t left_capacity, kept_capacity;
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

/* The same from an allocation that is known: answer->row, of which what `without` holds is dropped;
 * extend: without the pairs, which take most of the time. */
void themis_extend(const struct themis_program *program, int without, int *left,
                   struct themis_answer *answer);
void themis_improve(const struct themis_program *program, int without, int *left,
                    struct themis_answer *answer);

/* Among equal optima moves to the mirror image in which participants, in their order, hold their
 * earliest rows of the same size and value. `left` is scratch, [bays]. */
void themis_canonical(const struct themis_program *program, int *left,
                      struct themis_answer *answer);

double themis_log_value(const struct themis_program *program, int without, const int *row);

#endif
