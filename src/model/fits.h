/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a gang can ever stand on the whole, empty cluster, and why not. */
#ifndef HSIM_MODEL_FITS_H
#define HSIM_MODEL_FITS_H

#include "hsim/types.h"
#include "model/rates.h"

/* Whether a gang of `workers` of the job can run in each phase that lies before its last step: some
 * type that it accepts has a rate and enough GPUs, or, `mixed`, all such types together have. */
bool fits(const struct hsim_oracle *oracle, const struct hsim_job *job, int workers, bool mixed);

/* Of a gang that does not fit, the reason, in a sentence. */
const char *fits_why_not(const struct hsim_oracle *oracle, const struct hsim_job *job, int workers,
                         bool mixed, char text[256]);

#endif
