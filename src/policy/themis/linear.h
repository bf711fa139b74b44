/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Winner determination as a linear program: one column, 0 to 1, for each row of the bid tables that
 * is kept, its gain being u = ln V(row) - ln V(empty) > 0.
 *
 *   max sum u x   s.t.  sum_rows x <= 1 (= 1 for a forced participant)   each participant
 *                       sum f_k(gpus) x <= k,  1 <= k <= room            each bay on offer
 *
 * f_room(gpus) = gpus is what the bay can hold. The smaller k are implied by it for whole numbers
 * (Chvatal-Gomory rounding: f_k(g) = floor(v g) for v just below (k + 1) / room, so that v room
 * rounds down to k) and cut off much of what is not whole; those that others imply, or that cannot
 * be violated, are left out. For branch and bound, equally good rows of a participant (the same
 * size on other machines) have a further column each group, their sum: to split on one machine of
 * many that are as good changes nothing, on the sum it does.
 */
#ifndef HSIM_POLICY_THEMIS_LINEAR_H
#define HSIM_POLICY_THEMIS_LINEAR_H

#include "policy/themis/bids.h"
#include "solver/lp.h"

struct themis_program {
  int n;                             /* participants */
  const struct themis_table *tables; /* [n] */
  const bool *forced;                /* [n] must get a row; NULL: nobody */
  const int *room;                   /* [bays] GPUs on offer */
  int n_bays;                        /* of the cluster */
};

struct themis_linear {
  struct lp *lp;
  int n_rows;    /* of all tables */
  int n_columns; /* those kept, then the sums */
  int *first;    /* [n] participant's first row among all */
  int *column;   /* [n_rows] -1: left out */
  int *sum;      /* [n_rows] column of the sum that the row is part of, -1 */
  int *bay_at;   /* [bays + 1] into the next two, at each bay one element a number of GPUs */
  int *most;     /* participants of which that is the most GPUs that a row takes there */
  bool *taken;   /* some row takes so many */
  int *cut_at;   /* [bays + 1] into cut */
  int *cut;      /* k; the program's rows are the participants, the cuts, the sums */
  size_t first_capacity, column_capacity, sum_capacity, bay_capacity, most_capacity, taken_capacity,
      cut_at_capacity, cut_capacity;
};

void themis_linear_init(struct themis_linear *linear);
void themis_linear_free(struct themis_linear *linear);

/* Numbers the rows of a program; before the other two. */
void themis_linear_begin(struct themis_linear *linear, const struct themis_program *program);

/* Loads the program's rows that are `kept` ([n_rows]; NULL: all). `whole`: for branch and bound,
 * with sums. A row that does not fit the offer is never kept. */
void themis_linear_load(struct themis_linear *linear, const struct themis_program *program,
                        const bool *kept, bool whole);

/* Of the last solution: the part of row number `row` among all; 0 when it was left out. */
double themis_linear_part(const struct themis_linear *linear, int row);

/* Tells branch and bound of an allocation whose rows are all kept. */
void themis_linear_known(struct themis_linear *linear, const struct themis_program *program,
                         const int *row);

#endif
