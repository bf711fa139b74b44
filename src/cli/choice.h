/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A value of the form NAME[:KEY=NUMBER...]: one of a few names, each with numbers of its own that
 * have defaults and ranges.
 */
#ifndef HSIM_CLI_CHOICE_H
#define HSIM_CLI_CHOICE_H

#include <stdio.h>

#include "hsim/types.h"

enum { CHOICE_KEYS = 6 };

struct choice_key {
  const char *name; /* NULL: there are no more */
  double fallback;  /* NaN: has to be given */
  double min, max;
  bool whole;
  const char *help;
};
struct choice {
  const char *name, *help;
  struct choice_key keys[CHOICE_KEYS];
};
/* The choices of one option. */
struct choice_list {
  const char *title;
  const char *option;
  const struct choice *choices;
  int n;
};
struct choice_value {
  int choice;                 /* the place in the list */
  double values[CHOICE_KEYS]; /* in the order of its keys */
  bool given[CHOICE_KEYS];
};

/* HSIM_BAD_USAGE about --OPTION, with the name that may be meant. */
enum hsim_status choice_parse(const char *option, const char *text, const struct choice *choices,
                              int n, struct choice_value *value, struct hsim_error *error);

/* How many keys it has. */
int choice_n_keys(const struct choice *choice);

/* The title, a line a choice, and one a key, indented. */
void choice_list_print(FILE *out, const struct choice_list *list);

#endif
