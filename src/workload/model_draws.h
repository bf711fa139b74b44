/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models by weight among those that can run at a gang size on the reference type. */
#ifndef HSIM_WORKLOAD_MODEL_DRAWS_H
#define HSIM_WORKLOAD_MODEL_DRAWS_H

#include "workload/draws.h"

enum { REMEMBERED_SIZES = 64 };

struct model_draws {
  const struct rates *rates;
  int reference;
  struct mix models;
  gsl_rng *rng;
  struct {
    int workers; /* 0: nothing is remembered here */
    struct mix models;
    gsl_ran_discrete_t *prepared;
  } sizes[REMEMBERED_SIZES];
};

void model_draws_begin(struct model_draws *draws, const struct workload_spec *spec,
                       const struct rates *rates, int reference);
/* HSIM_BAD_USAGE when none can run at that size. */
enum hsim_status model_draws_next(struct model_draws *draws, int workers, int *model,
                                  struct hsim_error *error);
void model_draws_end(struct model_draws *draws);

#endif
