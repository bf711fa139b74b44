/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/figure_columns.h"

#define HOUR (1 / 3600.0)

const struct figure_column figure_columns[N_FIGURE_COLUMNS] = {
    {"makespan_s", {"makespan", "h"}, {"", "makespan"}, HOUR, -1, true},
    {"jct_s.mean", {"JCT h", "mean"}, {"JCT", "mean"}, HOUR, -1, true},
    {"jct_s.p50", {"JCT h", "p50"}, {"JCT", "p50"}, HOUR, -1, true},
    {"jct_s.p99", {"JCT h", "p99"}, {"JCT", "p99"}, HOUR, -1, true},
    {"queueing_s.mean", {"queue h", "mean"}, {"queue", "mean"}, HOUR, -1, true},
    {"rho.mean", {"rho", "mean"}, {"rho", "mean"}, 1, 0, true},
    {"rho.max", {"rho", "max"}, {"rho", "max"}, 1, 0, true},
    {"utilisation.busy", {"busy", "GPUs %"}, {"busy", "GPUs"}, 100, 1, false},
};
