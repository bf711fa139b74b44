/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The GPUs in a list of Slurm's trackable resources: cpu=8,mem=64G,gres/gpu=4,gres/gpu:a100=4.
 * gres/gpu is the total, gres/gpu:TYPE a part of it; with types alone their sum is the total.
 */
#ifndef HSIM_INPUT_TRACE_TRES_H
#define HSIM_INPUT_TRACE_TRES_H

#include <stdbool.h>
#include <stdint.h>

enum { TRES_TYPES_SIZE = 256 };

struct tres {
  int32_t gpus;
  int n_typed;                 /* types, when they make up the whole total; else 0 */
  char types[TRES_TYPES_SIZE]; /* their names joined by | */
};

/* False when a part is no NAME=VALUE, a number of GPUs is none, or the types exceed the total. */
bool tres_parse(const char *text, struct tres *tres);

#endif
