/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The elastic range of jobs whose trace gives none: MIN:MAX, each a number of workers (2) or a
 * multiple of the job's workers (0.5x). "1:1x" is 1 to `workers`.
 */
#ifndef HSIM_INPUT_ELASTIC_H
#define HSIM_INPUT_ELASTIC_H

#include "hsim/types.h"

struct elastic_bound {
  double value; /* > 0; whole unless it is a multiple */
  bool is_multiple;
};
struct elastic_range {
  struct elastic_bound min, max;
};

/* Bad usage when it is malformed or can never be a range. */
enum hsim_status elastic_parse(const char *text, struct elastic_range *range,
                               struct hsim_error *error);

/* The range of a job: multiples are rounded towards its inside, both ends are at least 1, and a
 * minimum above the maximum (as of 2:1x for one worker) comes down to it. */
void elastic_apply(const struct elastic_range *range, int workers, int32_t *min, int32_t *max);

#endif
