/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A progress line for people at a terminal: jobs that have ended and the simulated time, redrawn
 * in place a few times a second and wiped at the end. Whether it is wanted is the caller's
 * decision; a run without it has no such sink.
 */
#ifndef HSIM_OUTPUT_PROGRESS_H
#define HSIM_OUTPUT_PROGRESS_H

#include <stdio.h>

#include "model/record.h"

struct progress;

/* Draws on `stream`. Jobs are counted in [from, to) of the arrival order. */
struct progress *progress_create(const struct run_info *info, int from, int to, FILE *stream);
struct sink progress_sink(struct progress *progress);
void progress_free(struct progress *progress);

#endif
