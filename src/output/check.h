/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares a summary document with an earlier one (--check).
 *
 * Runs are matched by policy, options and the seed if they name one, each baseline run once, in
 * order; an option that the baseline lacks must stand at its default. In a matched pair every
 * figure is compared: numbers within the tolerance (relative to the baseline's), null with null.
 * What says which simulation it is (trace, cluster, rates, seed, mode, round, semantics, costs,
 * oracle, window) must be equal. Runs or figures that only one side has are differences. File
 * names, the version of hsim, notes on timing are not compared.
 */
#ifndef HSIM_OUTPUT_CHECK_H
#define HSIM_OUTPUT_CHECK_H

#include <cjson/cJSON.h>

#include "hsim/policy.h"
#include "output/check_report.h"

/* The options of one run of the new document, for their defaults. */
struct check_options {
  const struct hsim_option *options;
  int n;
};

/* Reads and checks a baseline; *document is the caller's (cJSON_Delete). HSIM_BAD_INPUT when it
 * cannot be read, is no JSON (with its line and column) or of another schema. */
enum hsim_status check_load(const char *path, cJSON **document, struct hsim_error *error);

/* Fills *report, to be freed either way. `options` has one entry for each run of `now`, in order,
 * or is NULL: then no option may be missing. HSIM_OK, or HSIM_DIFFERS with a line for *error. */
enum hsim_status check_compare(const cJSON *now, const cJSON *baseline,
                               const struct check_options *options, double tolerance,
                               struct check_report *report, struct hsim_error *error);

#endif
