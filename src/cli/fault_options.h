/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may go wrong in the simulated cluster, as a group of options. */
#ifndef HSIM_CLI_FAULT_OPTIONS_H
#define HSIM_CLI_FAULT_OPTIONS_H

#include "cli/option_table.h"

/* Numbers are NaN when they were not given. */
struct fault_options {
  const char *events_in; /* CSV, or NULL */
  double mtbf_h, mttr_h, mtbf_shape;
  double slow_share, slow_factor;
  double checkpoint_interval, checkpoint_cost; /* seconds */
};

/* Keys from 512 on, which no other group of a command with this one may use. */
extern const struct option_row fault_rows[];
extern const int n_fault_rows;

void fault_options_init(struct fault_options *options);
/* For option_group.set; `target` is the struct. */
enum hsim_status fault_options_set(void *target, int key, const char *text,
                                   struct hsim_error *error);
/* Whether they make sense together. */
enum hsim_status fault_options_check(const struct fault_options *options, struct hsim_error *error);

#endif
