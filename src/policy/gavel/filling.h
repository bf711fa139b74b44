/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The linear program behind water filling (OSDI'20, section 4.3; in objective_water_filling.c what
 * it is for). A job's *net* throughput is Σ rate · share over its combinations, divided by its rate
 * on the cluster's average GPU. Levels rise in steps: in step s the net of each job that takes part
 * rises by at least its pull times t_s, and t_s is maximised; what was reached before is kept.
 *
 *   net_k - sum over s of h_ks t_s >= base_k   for each class k of equal jobs, h = pull / workers
 *   time of a member                 <= 1
 *   GPUs of a type                   <= N_g
 *
 * Each step has a column t_s of its own, empty until it begins and fixed at its optimum when it
 * ends: a step only touches columns outside the basis, so the simplex method goes on from the
 * optimum of the step before, which is still feasible.
 */
#ifndef HSIM_POLICY_GAVEL_FILLING_H
#define HSIM_POLICY_GAVEL_FILLING_H

#include "policy/gavel/kinds.h"
#include "policy/gavel/objective.h"

/* Jobs that the program cannot tell apart: swapping two of them changes nothing. */
struct filling_class {
  int first; /* of its members, positions in the problem; the next one: filling.next_member */
  int members;
  int workers;
  int entity;
  double weight;  /* of one member */
  double average; /* rate on the cluster's average GPU, > 0 */
  double largest; /* net when all time is spent where it counts most */
  double level;   /* net that is promised by now */
  double pull;    /* of the present step, 0: only keeps its level */
  bool final;     /* the level will not rise any more */
};

/* The share of each combination of a member of class a (and one of b) on one type. */
struct filling_column {
  int a, b; /* b < 0: alone; b == a: two members of the same class */
  int type;
  double net_a, net_b;   /* added to the net of one member */
  double time_a, time_b; /* of one member's time; > 1 when it has several such partners */
  double gpus;
};

struct filling {
  const struct shares_problem *problem;
  struct filling_class *classes;
  int n_classes;
  int *class_of;    /* [n_jobs] -1: it can run nowhere now */
  int *next_member; /* [n_jobs] -1: the last of its class */
  struct type_kinds kinds;
  struct filling_column *columns;
  int n_columns;
  size_t columns_capacity;

  bool ready;   /* the program is loaded and solved once */
  int step;     /* of the column t, since it was loaded */
  double room;  /* part of a level that a program loaded now need not keep */
  double *base; /* [n_classes] what it starts from */
  int *rows;    /* scratch, [n_classes] each */
  double *values;
};

/* The classes and columns; none when no job can run. With `apart` each job is a class. `levels`:
 * [n_jobs] those promised already, of jobs that are all final; NULL: none is. */
void filling_init(struct filling *filling, const struct shares_problem *problem, bool apart,
                  const double *levels);
void filling_free(struct filling *filling);

/* Maximises t over this step, in which the classes with a pull take part; at most `most`. */
enum hsim_status filling_raise(struct filling *filling, struct lp *lp, double most,
                               struct hsim_error *error);
/* Of the last filling_raise: t. */
double filling_gain(const struct filling *filling, const struct lp *lp);
/* Of the last filling_raise: how much of the limit on t is due to class k. Over all classes these
 * sum to 1; a positive one means that the class cannot do better in any optimum. */
double filling_blame(const struct filling *filling, const struct lp *lp, int k);
/* Ends the step: levels rise by what was gained. */
void filling_keep(struct filling *filling, struct lp *lp);

/* Among all shares that keep the levels one is chosen and stored. */
enum hsim_status filling_shares(struct filling *filling, struct lp *lp, double *shares,
                                struct hsim_error *error);

/* The nets of the last solution, [n_classes]. */
void filling_nets(const struct filling *filling, const struct lp *lp, double *nets);

/* As coded in Gavel: after filling_keep, raised[k] tells for each class whether it is in a largest
 * set that can rise together; nobody when there is no answer, or the solver fails. `blame` as it
 * was before filling_keep. May split the classes into one for each job; `raised`, [n_jobs], is of
 * the classes as they are afterwards. */
void filling_find_raised(struct filling *filling, struct lp *lp, const double *blame, bool *raised);

/* For filling_find_raised: rows and columns of the program. */
static inline int filling_level_row(int k) {
  return 2 * k;
}
static inline int filling_extra_column(const struct filling *filling, int k) {
  return filling->n_columns + filling->n_classes + 1 + k;
}
/* Base constraints: net and time of each class without bounds on the net, then the GPUs. */
void filling_load_base(const struct filling *filling, struct lp *lp);
/* The program as it stands between two steps; nothing when it does. */
void filling_load(struct filling *filling, struct lp *lp);

#endif
