/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the value of an option may become, for complete.c. */
#ifndef HSIM_CLI_COMPLETE_VALUE_H
#define HSIM_CLI_COMPLETE_VALUE_H

#include <stddef.h>

#include "cli/option_table.h"

/* The unfinished word; the first `lead` bytes stay as they are. */
struct unfinished {
  const char *word;
  size_t lead;
};

/* Prints the word with `text` (and `end`) behind its lead, if that continues what was typed. */
void complete_offer(const struct unfinished *at, const char *text, const char *end);
/* Each word of "a|b|c" that is typed as it stands: in lower case. */
void complete_offer_words(const struct unfinished *at, const char *words);
void complete_offer_files(void);

/* The value of the option `row` of the command `table`. */
void complete_value(const struct option_table *table, const struct option_row *row,
                    struct unfinished at);

#endif
