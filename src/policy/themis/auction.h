/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The partial allocation mechanism (Cole, Gkatzelis, Goel, EC'13) as Themis uses it (Mahajan et
 * al., NSDI'20, section 3.2): the allocation pf with the largest product of values, and for each
 * winner the part of its bundle that it keeps,
 *
 *   c_i = prod_{j != i} V_j(pf) / prod_{j != i} V_j(pf without i)        0 < c_i <= 1,
 *
 * the rest being its hidden payment. How c_i of a bundle becomes whole GPUs is `payment`.
 */
#ifndef HSIM_POLICY_THEMIS_AUCTION_H
#define HSIM_POLICY_THEMIS_AUCTION_H

#include "policy/themis/solve.h"

enum themis_payment {
  THEMIS_KEEP1, /* floor, but an app that can do nothing without keeps at least its smallest usable
                   part */
  THEMIS_FLOOR, /* floor(c k) GPUs */
  THEMIS_LOTTERY, /* the whole bundle with probability c, else nothing */
  THEMIS_LEASE,   /* the whole bundle for c of the lease, in whole rounds */
  THEMIS_NONE     /* the whole bundle */
};

/* c[i] of every participant under an answer of themis_solve; 1 where nothing has to be computed
 * (nothing won, nobody else, all others have their best row). Returns the largest value before
 * clamping to 1: above 1 + 1e-6 some solve was not optimal. *nodes grows by those of the solves. */
double themis_payments(struct themis_solver *solver, const struct themis_program *program,
                       const struct themis_answer *answer, double *c, int *nodes);

/* What a winner really gets. */
struct themis_prize {
  struct hsim_share *parts; /* has room for the bundle's shares */
  int n, gpus;
  int rounds; /* of its lease */
};

/* `rng` is used by THEMIS_LOTTERY alone. */
void themis_realise(enum themis_payment payment, struct themis_agent *agent,
                    const struct hsim_share *bundle, int n, double c, int lease_rounds,
                    struct hsim_rng *rng, struct themis_prize *prize);

#endif
