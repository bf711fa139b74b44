/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shares that another program computed, used instead of computing them: a CSV with the columns
 * call, now_s, jobs, gpu_type, fraction. One group of rows a reallocation, in the order of time;
 * `jobs` is a job's number in the order of arrival, or two of them joined by `+`; a reallocation
 * without jobs is one row whose last three cells are empty.
 */
#ifndef HSIM_POLICY_GAVEL_REPLAY_H
#define HSIM_POLICY_GAVEL_REPLAY_H

#include "hsim/types.h"

struct replay; /* opaque */

struct replay_share {
  int a, b; /* jobs, a < b; b is -1 when alone */
  int type; /* GPU type of the cluster */
  double fraction;
  int line;
};

/* The caller frees *replay, also after a failure. Jobs must be below n_jobs, types those of the
 * cluster, fractions in [0, 1], calls 1, 2, 3..., times not descending. */
enum hsim_status replay_read(const char *path, const struct hsim_cluster *cluster, int n_jobs,
                             struct replay **replay, struct hsim_error *error);
void replay_free(struct replay *replay); /* NULL is fine */

/* The next group, which must be of this moment: *shares stays, *n may be 0. HSIM_BAD_INPUT when
 * there is none left or it is of another time. */
enum hsim_status replay_next(struct replay *replay, double now, const struct replay_share **shares,
                             size_t *n, struct hsim_error *error);
/* Groups with jobs that were not asked for; *now_s gets the first one's time. */
size_t replay_left(const struct replay *replay, double *now_s);
/* FILE, for messages. */
const char *replay_path(const struct replay *replay);

#endif
