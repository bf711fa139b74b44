/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads costs from a JSON object with the keys start, move, resize (seconds), rollback ("none",
 * "epoch" or "interval"), checkpoint_s and checkpoint_interval_s (seconds). */
#ifndef HSIM_INPUT_COSTS_H
#define HSIM_INPUT_COSTS_H

#include "hsim/types.h"
#include "model/semantics.h"

/* A key that is not there keeps the value of the preset "default". */
enum hsim_status costs_read(const char *path, struct costs *costs, struct hsim_error *error);

#endif
