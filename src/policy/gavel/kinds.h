/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What all linear programs over shares have in common beside their variables: GPU types that stand
 * for each other, and how shares come out of a solution.
 */
#ifndef HSIM_POLICY_GAVEL_KINDS_H
#define HSIM_POLICY_GAVEL_KINDS_H

#include "policy/gavel/objective.h"

/*
 * Types on which each job and each pair runs equally fast, at the same price, are of one *kind*:
 * the program knows the kind alone, and what a combination gets of it is divided by the numbers of
 * GPUs. Without knowledge of rates all types are of one kind, and each job gets the same part of
 * every type.
 */
struct type_kinds {
  int of[HSIM_MAX_TYPES];      /* the first type of the kind */
  double gpus[HSIM_MAX_TYPES]; /* at the first type: of all its types; elsewhere 0 */
};

void type_kinds_find(const struct shares_problem *problem, struct type_kinds *kinds);

/* Sets the row's shares of all types of a kind from the share of the kind. */
void type_kinds_divide(const struct shares_problem *problem, const struct type_kinds *kinds,
                       int kind, double share, double *row);

/* In [0, 1) for the j-th variable: no small sum and difference of these vanishes. The variable's
 * worth in the second goal counts 1 + SHARE_PREFERENCE times this. */
double share_preference(int j);
/* Far above the simplex method's tolerance on reduced costs (1e-9), far below what would matter. */
#define SHARE_PREFERENCE 1e-5

#endif
