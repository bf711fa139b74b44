/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A set of names numbered in the order of their first appearance (models, tenants, apps, types).
 * Zero-initialise it. Lookup is O(1); the numbering does not depend on hash order.
 */
#ifndef HSIM_MODEL_NAMES_H
#define HSIM_MODEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/memory.h"

struct names_key; /* hash and length of a name, names.c */

struct names {
  char **at;              /* [n] */
  struct names_key *keys; /* [n] */
  int n;
  size_t capacity;
  int32_t *table; /* open addressing, -1 = empty */
  size_t table_size;
  struct arena texts;
};

int names_find(const struct names *names, const char *text, size_t length); /* -1 when absent */
int names_add(struct names *names, const char *text, size_t length); /* found or new number */
void names_free(struct names *names);

/* The name nearest to `text` by edit distance without regard to ASCII case, for "did you mean"; the
 * first of equals. When none is near (more than a third of the letters differ), the first name that
 * begins with `text`; else NULL. */
const char *names_suggest(const char *const *candidates, size_t n, const char *text);

#endif
