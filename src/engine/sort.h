/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ascending order of what gangs are made of: short lists that are mostly sorted already. */
#ifndef HSIM_ENGINE_SORT_H
#define HSIM_ENGINE_SORT_H

#include <stddef.h>

#include "hsim/types.h"

void sort_gpus(int *gpus, size_t n);
void sort_shares(struct hsim_share *shares, size_t n); /* by bay */

#endif
