/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeds of repeated runs, as they are typed: "0-9", "1,5,20-29". */
#ifndef HSIM_CLI_SEEDS_H
#define HSIM_CLI_SEEDS_H

#include "hsim/types.h"

enum { MOST_SEEDS = 10000 };
#define GREATEST_SEED                                                                              \
  9007199254740991 /* 2^53 - 1: what reads a summary may hold numbers as doubles                   \
                    */

struct seed_list {
  uint64_t *at; /* owned, in the order typed, no seed twice; NULL: none given */
  size_t n;
};

/* The value of --seeds. Fails with HSIM_BAD_USAGE; the list is empty then. */
enum hsim_status seeds_parse(const char *text, struct seed_list *list, struct hsim_error *error);
void seeds_free(struct seed_list *list);

#endif
