/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the linear programs of Gavel's objectives have in common (OSDI'20, sections 3 and 4): time
 * shares x >= 0 of each combination on each GPU type, no more time than there is for each job and
 * no more GPUs than there are of each type, and the *normalised throughput* of each job
 *
 *   e_i = f_i (sum over its combinations c and types g of rate_i(c, g) x_cg),   f_i = s_i / (w_i
 * r_i)
 *
 * with s_i its workers, w_i its weight, r_i its rate alone on the cluster's average GPU.
 *
 * Jobs that the program cannot tell apart are one *class* with one set of variables, and so are the
 * pairs of two classes: the program is convex and does not change when two such jobs swap, so some
 * optimum gives them equal shares, and the smaller program finds it.
 *
 * Most such programs have many optima. As coded Gavel's solver decides, an interior-point method
 * that ends near the analytic centre of the optimal shares; so does this one then, with a class for
 * each job, since that centre depends on how many variables there are. Otherwise the one taken,
 * with every objective: among the shares that are optimal those with the largest sum of e_i, in
 * which the j-th variable counts 1 + 1e-5 u_j with u_j fixed numbers in [0, 1), so that no two
 * optima are equal.
 */
#ifndef HSIM_POLICY_GAVEL_PROGRAM_H
#define HSIM_POLICY_GAVEL_PROGRAM_H

#include "policy/gavel/kinds.h"
#include "policy/gavel/objective.h"

struct job_class {
  int job; /* its first member */
  int members, workers;
  double factor; /* f */
};

/* One variable: the time on one type of each member of a class alone, or of all pairs of two
 * classes together. */
struct share_column {
  int type;              /* the first of its kind */
  int a, b;              /* classes, a <= b; b is -1: alone */
  double rate_a, rate_b; /* steps per second of one member of each */
  double total;          /* time of all that the variable stands for, for one unit of it */
};

struct program {
  const struct shares_problem *problem;
  struct type_kinds kinds;
  struct job_class *classes;
  int n_classes;
  int *class_of; /* [n_jobs], -1: it can run nowhere now */
  struct share_column *columns;
  int n_columns;
  int *first_alone;    /* [n_classes] column */
  int *pair_class_of;  /* [n_pairs], -1: cannot run */
  int *first_together; /* [n_pair_classes] column */
  int *pair_members;   /* [n_pair_classes] pairs */
  int n_pair_classes;
  size_t columns_capacity;
};

/* Which jobs are of one class. */
enum program_classes { CLASSES_OF_EQUALS, CLASSES_OF_ONE };

/* `facts`: [n_jobs][n_facts] what else the objective knows of the jobs: jobs in which it differs
 * are of different classes. NULL with 0 facts. */
void program_init(struct program *program, const struct shares_problem *problem,
                  enum program_classes classes, const double *facts, int n_facts);
void program_free(struct program *program);

/* lp_begin, maximising, and all that is above. Columns: the shares, then the objective's `extra`
 * ones. Rows: program_throughput_row of each class, without bounds until the objective sets some;
 * then time and GPUs; then the objective's `extra` ones. */
void program_load(const struct program *program, struct lp *lp, int extra_rows, int extra_columns);
/* Row: e of one member of class k. */
static inline int program_throughput_row(int k) {
  return 2 * k;
}
static inline int program_extra_row(const struct program *program) {
  return 2 * program->n_classes + program->problem->n_types;
}
static inline int program_extra_column(const struct program *program) {
  return program->n_columns;
}

/* [n_classes] e of a member of each class under the solution. */
void program_throughputs(const struct program *program, const struct lp *lp, double *throughputs);

/* Loads the objective's program: rows, columns and costs. */
typedef void program_loader(const void *objective, const struct program *program, struct lp *lp);

/* Which optimum is taken as coded: the middle of them; or, of a program without an objective, the
 * vertex that the simplex method comes to first, as solvers that walk on vertices would. */
enum program_choice { CHOOSE_CENTRE, CHOOSE_VERTEX };

/* After lp_solve: takes one of the optima and reads the shares of all combinations. The first extra
 * column, the objective's, stays at `least` or above; as coded, `load` is asked for the same
 * program in other classes. Shares are multiples of 2^-30: far above the solver's rounding noise,
 * which would otherwise decide between combinations that want the same, far below what a round
 * could show. */
enum hsim_status program_take(const struct program *program, struct lp *lp, double least,
                              program_loader *load, const void *objective,
                              enum program_choice coded_choice, double *shares,
                              struct hsim_error *error);

/* [n_jobs] steps per second of each job under any shares. */
void shares_rates(const struct shares_problem *problem, const double *shares, double *rates);

#endif
