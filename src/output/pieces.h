/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text that grows piece by piece. */
#ifndef HSIM_OUTPUT_PIECES_H
#define HSIM_OUTPUT_PIECES_H

#include <cjson/cJSON.h>
#include <stddef.h>

struct pieces {
  char *text; /* NULL before the first piece; to be freed */
  size_t n, capacity;
};

void pieces_add(struct pieces *pieces, const char *piece);
/* A text or number as it is, 1 or 0 for a truth value, - for all else. */
void pieces_add_value(struct pieces *pieces, const cJSON *item);

#endif
