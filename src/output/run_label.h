/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef HSIM_OUTPUT_RUN_LABEL_H
#define HSIM_OUTPUT_RUN_LABEL_H

#include <cjson/cJSON.h>
#include <stddef.h>

/* Name of runs[i] for people: its policy, and the options in which it differs from other runs of
 * the same policy. To be freed. */
char *run_label(const cJSON *const *runs, size_t n, size_t i);

#endif
