/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs side by side: those of one call, or of several saved summary documents.
 *
 * Runs that differ in nothing but their seed make a *row*: same policy and options, same settings
 * (mode, round, semantics, costs, oracle, window), same trace, cluster, rates and outages. Where a
 * seed comes again (the same policy twice, an old and a new document) it begins a further row. Rows
 * stand in the order of their first runs; the first is what the others are compared with, seed by
 * seed.
 *
 * Rows as JSON, an object each:
 *   policy, options
 *   label      what tells the row from the others: policy, the options that differ, the file
 *   seeds      of its runs, in their order
 *   failed     runs without figures
 *   interrupted  runs that the user ended; they are left out where there are several
 *   identical  several runs that count, all with the same figures
 *   figures    by path ("jct_s.mean"): every number of the runs but settings and timing:
 *     n, mean, sd, ci95 [low, high]   over the runs that have the figure (output/statistics.h)
 *     difference, ratio               to the first row, over the seeds that both have: n, mean,
 * ci95 of the differences; of the ratios. Not in the first row.
 */
#ifndef HSIM_OUTPUT_COMPARISON_H
#define HSIM_OUTPUT_COMPARISON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "hsim/types.h"

struct comparison_source {
  const cJSON *document; /* a parsed summary */
  const char *file;      /* its name for labels and messages */
  bool one_seed;         /* its runs are of one seed, which is told as 0 whatever it is */
};

/* The mean of a row's figure, NaN when there is none. */
double comparison_mean(const cJSON *row, const char *path);
/* Half the width of the interval of the mean; NaN for a single run. */
double comparison_half_width(const cJSON *row, const char *path);
/* Runs of each row of one document, in which they stand policy by policy. */
int comparison_runs_each(const cJSON *document, const cJSON *rows);
/* Whether not all jobs of the row's runs have finished, so that means are over a part. */
bool comparison_is_partial(const cJSON *row);

/* The rows as an array, the caller's to delete. HSIM_BAD_INPUT when a run has no seed that a double
 * holds exactly. */
enum hsim_status comparison_rows(const struct comparison_source *sources, size_t n, cJSON **rows,
                                 struct hsim_error *error);

/*
 * For people, from parsed rows: the means, with half the width of their intervals where there are
 * several runs. The best mean of a column is marked among the rows with the most finished jobs,
 * unless all are equal. `marked` rows get a dagger; NULL: none. Returns whether a label was cut.
 */
bool comparison_print(const cJSON *rows, const bool *marked, FILE *out);
/* Ratios of the rows after the first to it, with half the width of their intervals; ~ marks those
 * whose interval includes 1. Nothing when no row can be compared. */
void comparison_print_ratios(const cJSON *rows, FILE *out);

#endif
