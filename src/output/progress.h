/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far a run has come, told a few times a second while it goes on. What becomes of it is the
 * business of whoever listens (output/progress_line.h draws it).
 */
#ifndef HSIM_OUTPUT_PROGRESS_H
#define HSIM_OUTPUT_PROGRESS_H

#include "model/record.h"

struct progress_state {
  double simulated_s; /* on the trace's clock, from the first arrival */
  uint64_t rounds;
  int ended; /* jobs of the measured window */
};

struct progress;

/* Jobs are counted in [from, to) of the arrival order. `clock` gives seconds, as clock_seconds()
 * does. */
struct progress *progress_create(const struct run_info *info, int from, int to,
                                 double (*clock)(void),
                                 void (*tell)(void *listener, const struct progress_state *state),
                                 void *listener);
struct sink progress_sink(struct progress *progress);
void progress_free(struct progress *progress);

#endif
