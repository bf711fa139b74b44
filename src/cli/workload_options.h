/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `hsim generate` is told, as values: presets, distributions, mixes. */
#ifndef HSIM_CLI_WORKLOAD_OPTIONS_H
#define HSIM_CLI_WORKLOAD_OPTIONS_H

#include "cli/choice.h"
#include "workload/workload.h"

/* Each as it is typed; NULL: not given. */
struct workload_texts {
  const char *preset, *arrivals, *gangs, *durations, *models;
  int n_jobs; /* 0: not given */
};

/* Fills the spec in: the preset's values, then what was given. HSIM_BAD_USAGE when a value is
 * malformed or does not go with the preset. Freed with workload_spec_free. */
enum hsim_status workload_spec_make(const struct workload_texts *texts, const struct rates *rates,
                                    struct workload_spec *spec, struct hsim_error *error);
void workload_spec_free(struct workload_spec *spec);

/* The presets, arrivals and durations with their keys. */
enum { N_WORKLOAD_LISTS = 3 };
extern const struct choice_list workload_lists[N_WORKLOAD_LISTS];

#endif
