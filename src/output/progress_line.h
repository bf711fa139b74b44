/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line for people at a terminal that says how far the runs of a call have come: jobs that have
 * ended, the simulated time, rounds per second, the time that is left. It is redrawn in place a few
 * times a second and wiped at the end. Whether it is wanted is the caller's decision.
 *
 * One run:      las [######..................] 120 of 480 jobs, day 3 04:12, 1520 rounds/s, 0:45
 * left Several runs: 5 runs [######........] 2 done, 1200 of 2400 jobs, day 3 04:12, ... where the
 * simulated time is that of the run that is furthest behind.
 */
#ifndef HSIM_OUTPUT_PROGRESS_LINE_H
#define HSIM_OUTPUT_PROGRESS_LINE_H

#include <stdio.h>

#include "output/progress.h"

struct progress_line;

struct progress_line_options {
  const char *title; /* of a single run */
  size_t n_runs;     /* from 1 */
  int jobs;          /* that each run has to do */
  FILE *stream;
  int columns;           /* of the terminal, 0: unknown; the line is cut to them */
  double (*clock)(void); /* seconds, as clock_seconds() */
};

struct progress_line *progress_line_create(const struct progress_line_options *options);
/* A run has come so far. */
void progress_line_take(struct progress_line *line, size_t run, const struct progress_state *state);
/* A run has ended, well or not. */
void progress_line_end(struct progress_line *line, size_t run);
/* Takes the line off the terminal, until it is drawn again. */
void progress_line_wipe(struct progress_line *line);
/* Wipes it, too. NULL is nothing. */
void progress_line_free(struct progress_line *line);

#endif
