/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The figures of a run for each tenant, model or gang size, from the event record alone. A sink:
 * groups_create, hand groups_sink to the run, then groups_figures, then groups_free.
 */
#ifndef HSIM_OUTPUT_GROUPS_H
#define HSIM_OUTPUT_GROUPS_H

#include "output/metrics.h"

enum group_key { GROUP_NONE, GROUP_TENANT, GROUP_MODEL, GROUP_WORKERS, N_GROUP_KEYS };
extern const char *const group_key_names[N_GROUP_KEYS]; /* "", "tenant", ... */

struct group {
  const char *name; /* the trace's or the rates'; NULL: jobs without one, or by workers */
  int workers;
  double gpu_s; /* of the jobs up to their ends, as in outcomes.h */
  /* Jobs, JCT, queueing, slowdown, rho (an app counts where its first job does); the others are
   * not those of a group. */
  struct figures figures;
};

struct groups;

/* Of the jobs of the window of `info`, which must outlive the groups. */
struct groups *groups_create(const struct run_info *info, enum group_key key);
struct sink groups_sink(struct groups *groups);
/* After the run's RECORD_END: *n groups, owned, by name, jobs without one last, or by size. */
const struct group *groups_figures(struct groups *groups, size_t *n);
void groups_free(struct groups *groups);

#endif
