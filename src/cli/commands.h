/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of the program: how each is called, and how it describes itself. */
#ifndef HSIM_CLI_COMMANDS_H
#define HSIM_CLI_COMMANDS_H

#include <stdio.h>

#include "cli/option_table.h"

struct command_entry {
  const char *name;
  const char *summary; /* for the manual; NULL: not for people */
  /* argv[0] is the command's name. NULL: the main command line, where the name is a word. */
  enum hsim_status (*run)(int argc, char **argv, struct hsim_error *error);
  void (*describe)(option_table_reader *read, void *state); /* NULL: it has no options */
  bool takes_files; /* words that are no options are files */
};

extern const struct command_entry commands[];
extern const int n_commands;

/* NULL when none has this name. */
const struct command_entry *command_named(const char *name);

/* The text of `hsim --help`. */
void commands_help(FILE *out);

#endif
