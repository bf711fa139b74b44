/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jobs merged into classes, so that a linear program of any trace stays small. Classes stand for
 * their jobs only where prices are looked for: what is proved with the prices is worked out for
 * each job.
 */
#ifndef HSIM_BOUND_CLASSES_H
#define HSIM_BOUND_CLASSES_H

#include "bound/prices.h"

struct bound_class {
  struct bound_job mean; /* of its jobs; the kind is that of the first */
  double n;              /* jobs; as many as do its work at the mean of steps */
  int single;            /* index of its only job, which is kept apart; -1 */
};

struct bound_classes {
  struct bound_class *at;
  int n;
};

/* At most `most` classes, plus one for each job apart. Alike: same kind, arrival in the same
 * eighth of the arrivals, neighbours in size; where that makes too many, less alike. `apart`:
 * [n_jobs] true for jobs that are kept apart, or NULL. */
void classes_init(struct bound_classes *classes, const struct bound_problem *problem, int most,
                  const bool *apart);
/* How many classes a program of so many intervals can have and still be solved quickly. */
int classes_affordable(const struct bound_problem *problem, int intervals);
void classes_free(struct bound_classes *classes);

#endif
