/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HadarE's job tracker (Sultana et al., arXiv 2503.10918): the ids of copies, and how many steps
 * each running copy of a job does in a round.
 *
 * With rates x_h, `seconds` of a round left after the loss, and R steps left, a copy does
 *   floor(x_h seconds)       in a normal round, which is in proportion to the rates by itself;
 *   R x_h / sum x            in the round in which all copies together can do R: they end together.
 * Whole steps that are left over go by largest remainder, then to the first copy. What R has beyond
 * its whole steps goes to the fastest copy that has time for it, then to the first one. So the
 * shares of the last round add up to R exactly.
 */
#ifndef HSIM_POLICY_HADAR_TRACKER_H
#define HSIM_POLICY_HADAR_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Id of copy `copy` (1, 2, ...) of job number `job`, 1 <= job < max_job_count; and back. */
int64_t tracker_copy_id(int64_t max_job_count, int copy, int64_t job);
int64_t tracker_parent(int64_t max_job_count, int64_t id);

/* Scratch of a split. Zero-initialise it. */
struct tracker {
  double *remainders;
  size_t capacity;
};

/* Sets steps[n] >= 0. True in the last round. */
bool tracker_split(struct tracker *tracker, const double *rates, int n, double seconds, double left,
                   double *steps);
void tracker_free(struct tracker *tracker);

#endif
