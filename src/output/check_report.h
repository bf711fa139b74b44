/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --check found: a case for what the runs share and one for each run, with the figures that
 * differ; as a table for people, or as JUnit's XML, which CI systems show. */
#ifndef HSIM_OUTPUT_CHECK_REPORT_H
#define HSIM_OUTPUT_CHECK_REPORT_H

#include <stdio.h>

#include "output/atomic_file.h"

/* A figure with its values as they are printed; "missing" where one side has none. */
struct check_difference {
  char *figure, *before, *now;
  double change; /* relative to the earlier value, NaN when there is no such number */
};

struct check_case {
  char *name; /* the run's label, or "(all)" */
  struct check_difference *differences;
  size_t n, capacity;
};

struct check_report {
  struct check_case *cases;
  size_t n_cases, capacity;
  int n_differences;
};

void check_report_case(struct check_report *report, const char *name);
/* To the last case; texts are copied. */
void check_report_add(struct check_report *report, const char *figure, const char *before,
                      const char *now, double change);
void check_report_free(struct check_report *report);

/* A table of the differences, nothing when there are none. */
void check_report_print(const struct check_report *report, FILE *out);
/* One test suite named after the baseline, a test case a case, a failure for each with
 * differences. */
void check_report_junit(const struct check_report *report, const char *baseline, struct out *out);

#endif
