/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of configs/ that are compiled in, so that the program runs from any folder. */
#ifndef HSIM_INPUT_BUILTIN_H
#define HSIM_INPUT_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

/* An input called "builtin:NAME" is the built-in file NAME. */
#define BUILTIN_PREFIX "builtin:"
#define BUILTIN_NAMES "gavel_simulation (rates), hadar60 (cluster)"

struct builtin {
  const char *bytes; /* static */
  size_t n;
};

/* False when there is none of that name. */
bool builtin_find(const char *name, struct builtin *builtin);

#endif
