/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef HSIM_OUTPUT_INTERVALS_H
#define HSIM_OUTPUT_INTERVALS_H

#include "output/atomic_file.h"

/* Ascending numbers, counted from `first`, as intervals: `0-2,5` with the separator ','. */
void put_intervals(struct out *out, const int *numbers, int n, int first, char separator);

#endif
