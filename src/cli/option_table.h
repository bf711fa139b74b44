/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command lines as tables: one home for what the parser knows, what --help and the manual say and
 * what a shell completes. A command's options are groups of rows; each group puts the values of its
 * rows into a struct of its own.
 */
#ifndef HSIM_CLI_OPTION_TABLE_H
#define HSIM_CLI_OPTION_TABLE_H

#include <stdio.h>

#include "cli/choice.h"
#include "hsim/types.h"

struct option_row {
  int key; /* 'h' for help (-h is the same); others from 256 on, unique within a command */
  const char *name;
  const char *argument; /* NULL: takes none; starts with [ : optional. Words in lower case are typed
                           as they stand, FILE is a file's name */
  const char *help;     /* \n begins a further line */
};

struct option_group {
  const char *title; /* NULL: goes on where the group before ends */
  const struct option_row *rows;
  int n_rows;
  /* A row was given: `text` is its value, NULL when it takes none. */
  enum hsim_status (*set)(void *target, int key, const char *text, struct hsim_error *error);
  void *target;
};

struct option_table {
  const char *command; /* as it is typed: "hsim", "hsim inspect" */
  const char *usage;   /* what follows "Usage: "; \n begins a further line */
  const char *about;   /* a paragraph; \n begins a further line */
  const struct option_group *groups;
  int n_groups;
  const struct choice_list *lists; /* options that take a choice, [n_lists] */
  int n_lists;
};

/* Takes a table that lives during this call only: what a command that describes itself calls. */
typedef void option_table_reader(void *state, const struct option_table *table);

/* The text of --help: usage, the options aligned under the groups' titles, the lists. */
void option_table_help(FILE *out, const struct option_table *table);

/* Reads all options; argv is permuted so that the words that are none begin at *first_word. Fails
 * with HSIM_BAD_USAGE. */
enum hsim_status option_table_parse(const struct option_table *table, int argc, char **argv,
                                    int *first_word, struct hsim_error *error);

/* Values. Each fails with HSIM_BAD_USAGE: option --NAME: value "TEXT": expected ... */
enum hsim_status option_bad(struct hsim_error *error, const char *name, const char *text,
                            const char *expected);
/* A finite number from `least` to `most`; `what` names it: "a number of seconds". */
enum hsim_status option_real(const char *name, const char *text, const char *what, double least,
                             double most, double *value, struct hsim_error *error);
enum hsim_status option_seconds(const char *name, const char *text, double least, double *value,
                                struct hsim_error *error);
/* "0.5%", from 0 to `most` percent, as a fraction; 0 may stand without the sign. */
enum hsim_status option_percent(const char *name, const char *text, double most, double *fraction,
                                struct hsim_error *error);
enum hsim_status option_whole(const char *name, const char *text, int64_t min, int64_t max,
                              int64_t *value, struct hsim_error *error);
enum hsim_status option_count(const char *name, const char *text, int *value,
                              struct hsim_error *error); /* from 1 */
/* The place of the text in the list. */
enum hsim_status option_one_of(const char *name, const char *text, const char *const *choices,
                               int n, int *value, struct hsim_error *error);

#endif
