/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a document that was read back is what hsim writes: each figure a number or null, each
 * setting of its kind. A figure of another kind would otherwise pass for one that the run has not.
 */
#ifndef HSIM_OUTPUT_SUMMARY_SHAPE_H
#define HSIM_OUTPUT_SUMMARY_SHAPE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "hsim/types.h"

/* HSIM_BAD_INPUT names file, key, what stands there and what was expected. Members that hsim does
 * not write are not looked at. `whole`: what every document has must be there; else only what is
 * there is checked, and `runs`. */
enum hsim_status summary_check_shape(const char *file, const cJSON *document, bool whole,
                                     struct hsim_error *error);

#endif
