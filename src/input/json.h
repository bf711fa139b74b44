/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON files through cJSON: syntax errors with line and column, semantic ones with the path of the
 * value: FILE: nodes[2].gpus.v100: value -1: expected ...
 */
#ifndef HSIM_INPUT_JSON_H
#define HSIM_INPUT_JSON_H

#include <cjson/cJSON.h>

#include "hsim/types.h"
#include "input/source.h"

/* Parses all of `source`. The caller frees *root with cJSON_Delete. */
enum hsim_status json_read(struct source *source, cJSON **root, struct hsim_error *error);

/* Where a value stands: a chain on the stack, so that a path costs nothing until it is printed. */
struct json_at {
  const struct json_at *up; /* NULL for the root */
  const char *file;         /* of the root */
  const char *key;          /* in the object above; NULL: an element */
  int index;                /* in the array above */
};

/* HSIM_BAD_INPUT about a value; the format completes "expected". */
enum hsim_status json_bad(const struct json_at *at, const cJSON *value, struct hsim_error *error,
                          const char *expected, ...) HSIM_PRINTF(4, 5);

/* Puts the path before the text of an error that knows no file; returns its status. */
enum hsim_status json_place(const struct json_at *at, enum hsim_status status,
                            struct hsim_error *error);

/* The value is an object whose keys are among these and stand there once. */
enum hsim_status json_keys(const struct json_at *at, const cJSON *object, const char *const *keys,
                           int n, struct hsim_error *error);

enum hsim_status json_whole(const struct json_at *at, const cJSON *value, int min, int max,
                            int *out, struct hsim_error *error);
/* Finite and at least 0. */
enum hsim_status json_real(const struct json_at *at, const cJSON *value, double *out,
                           struct hsim_error *error);
/* A string that is not empty. */
enum hsim_status json_string(const struct json_at *at, const cJSON *value, const char **out,
                             struct hsim_error *error);

#endif
