/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/seeds.h"

#include <stdlib.h>
#include <string.h>

#include "cli/option_table.h"
#include "model/memory.h"
#include "model/number.h"

/* "7" or "3-7". */
static bool read_range(const char *text, size_t length, int64_t *from, int64_t *to) {
  const char *dash = memchr(text, '-', length);
  size_t first = dash ? (size_t)(dash - text) : length;
  if (number_parse_int(text, first, from) != NUMBER_OK || *from < 0)
    return false;
  *to = *from;
  if (dash && number_parse_int(dash + 1, length - first - 1, to) != NUMBER_OK)
    return false;
  return *to >= *from && *to <= GREATEST_SEED;
}

static bool contains(const struct seed_list *list, uint64_t seed) {
  for (size_t i = 0; i < list->n; i++)
    if (list->at[i] == seed)
      return true;
  return false;
}

static bool add_range(struct seed_list *list, int64_t from, int64_t to) {
  if (to - from >= (int64_t)MOST_SEEDS - (int64_t)list->n)
    return false;
  for (int64_t seed = from; seed <= to; seed++) {
    if (contains(list, (uint64_t)seed))
      return false;
    list->at[list->n++] = (uint64_t)seed;
  }
  return true;
}

enum hsim_status seeds_parse(const char *text, struct seed_list *list, struct hsim_error *error) {
  seeds_free(list);
  list->at = mem_alloc(MOST_SEEDS, sizeof *list->at);
  const char *at = text;
  for (;;) {
    size_t length = strcspn(at, ",");
    int64_t from, to;
    if (!read_range(at, length, &from, &to) || !add_range(list, from, to)) {
      seeds_free(list);
      return option_bad(error, "seeds", text,
                        "different whole numbers and ranges joined by commas, such as 0-9 or "
                        "1,5,20-29, at most 10000 in all and none above 2^53 - 1");
    }
    if (!at[length])
      return HSIM_OK;
    at += length + 1;
  }
}

void seeds_free(struct seed_list *list) {
  free(list->at);
  *list = (struct seed_list){0};
}
