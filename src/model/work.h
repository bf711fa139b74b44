/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the work of a whole job takes, undisturbed. */
#ifndef HSIM_MODEL_WORK_H
#define HSIM_MODEL_WORK_H

#include "hsim/types.h"
#include "model/rates.h"

/* Seconds that all steps of the job take with its `workers` on one node, through its phases, `type`
 * being the rates table's own number; infinity when it cannot run there all the time, or for type
 * -1. */
double work_seconds(const struct rates *rates, enum missing_size missing_size,
                    const struct hsim_job *job, int type);

#endif
