/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Diagnostics on request: a CSV with a row for each figure of each round,
 *   round,time_s,figure,name,value
 * where figure is alpha, inverse_eta or total_payoff (no name), price_min or price_max (name: GPU
 * type; the prices of a GPU on an empty and on a full node), payoff (name: job that is served) or
 * copies (name: job that has several).
 */
#ifndef HSIM_POLICY_HADAR_DIAGNOSTICS_H
#define HSIM_POLICY_HADAR_DIAGNOSTICS_H

#include <stdio.h>

#include "hsim/view.h"
#include "policy/hadar/board.h"

struct hadar_diagnostics {
  FILE *file; /* NULL: not asked for */
  const char *name;
};

/* `name` "" asks for none; it must stay. HSIM_BAD_USAGE when the file cannot be written. */
enum hsim_status hadar_diagnostics_open(struct hadar_diagnostics *diagnostics, const char *name,
                                        struct hsim_error *error);

/* One round's rows. `active` are the jobs of the board. */
enum hsim_status hadar_diagnostics_round(struct hadar_diagnostics *diagnostics,
                                         const struct hsim_view *view,
                                         const struct hadar_prices *prices, double value,
                                         const struct hadar_board *board,
                                         const struct hsim_active *const *active,
                                         struct hsim_error *error);
void hadar_diagnostics_close(struct hadar_diagnostics *diagnostics);

#endif
