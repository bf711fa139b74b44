/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A JSON file that is one long array, element by element: memory holds one at a time. What cJSON
 * would say of the whole file it says of the element, with the line on which that begins.
 */
#ifndef HSIM_INPUT_JSON_ITEMS_H
#define HSIM_INPUT_JSON_ITEMS_H

#include <cjson/cJSON.h>

#include "input/source.h"

/* Set `source`, zero the rest. */
struct json_items {
  struct source *source;
  int index; /* of the element read last, from 0; -1 before the first, set by the first call */
  int line;  /* on which it begins */

  int now; /* line that is being read */
  const char *block;
  size_t left;
  bool begun;
  char *text; /* the element */
  size_t length, capacity;
};

/* *item is NULL behind the last element; else the caller frees it with cJSON_Delete. An element has
 * at most 16 MiB. */
enum hsim_status json_items_next(struct json_items *items, cJSON **item, struct hsim_error *error);

void json_items_free(struct json_items *items); /* not the source */

#endif
