/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a run that tables for people show, in the order of their columns. */
#ifndef HSIM_OUTPUT_FIGURE_COLUMNS_H
#define HSIM_OUTPUT_FIGURE_COLUMNS_H

#include <stdbool.h>

struct figure_column {
  const char *path;       /* in a run of the summary: "jct_s.mean" */
  const char *heading[2]; /* two lines */
  const char *ratio[2];   /* the same for ratios, which have no unit */
  double scale;           /* printed value = value * scale */
  int better;             /* 1: the highest value is the best, -1: the lowest, 0: none is, since
                             the figure depends on each policy's own schedule */
  bool over_finished;     /* of the finished jobs: starred where others are left out */
};

enum { N_FIGURE_COLUMNS = 8 };
extern const struct figure_column figure_columns[N_FIGURE_COLUMNS];

#endif
