/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads throughput tables. Each path may be "-" or "builtin:NAME", plain or gzip.
 *
 * JSON is the shape of Gavel's oracle: GPU type -> job key -> "null" or a partner's job key ->
 * steps per second, or a pair of them for two jobs on the same GPUs. A job key is Python's print of
 * a tuple, ('ResNet-50 (batch size 64)', 4). The rates of a type NAME_unconsolidated are those of
 * NAME over several nodes; their pairs are not read.
 *
 * CSV has the columns gpu_type, model, workers, steps_per_second and, optionally, consolidated (1,
 * the default, or 0). A row that names a `partner` instead has the rates of two jobs on the same
 * GPUs: its own and `partner_steps_per_second`.
 */
#ifndef HSIM_INPUT_RATES_H
#define HSIM_INPUT_RATES_H

#include "hsim/types.h"
#include "model/rates.h"

#define RATES_DEFAULT "builtin:gavel_simulation"

/* Reads and finishes a table. On failure *rates is empty; it is freed with rates_free. */
enum hsim_status rates_read(const char *path, struct rates *rates, struct hsim_error *error);

/* CSV model,workers,speedup: replaces the table's sizes of these models. */
enum hsim_status rates_read_speedup(const char *path, struct rates *rates,
                                    struct hsim_error *error);

/* CSV model,slot,node,rack,cluster: the efficiency (0 < e <= 1) of a gang that is that wide. A row
 * may name a family, which is the model name before " (batch size"; a row for the model itself
 * wins, wherever it stands. Models without a row are left to the table (NaN). */
enum hsim_status rates_read_efficiency(const char *path, struct rates *rates,
                                       struct hsim_error *error);

#endif
