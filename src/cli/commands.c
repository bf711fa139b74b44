/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/commands.h"

#include <string.h>

#include "cli/compare.h"
#include "cli/complete.h"
#include "cli/convert.h"
#include "cli/exit_codes.h"
#include "cli/generate.h"
#include "cli/inspect.h"
#include "cli/manual.h"
#include "cli/options.h"

const struct command_entry commands[] = {
    {"run", "replay a trace under one or several policies", NULL, cli_run_describe, false},
    {"bound", "print lower bounds that no policy can beat", NULL, cli_run_describe, false},
    {"inspect", "tell what a trace holds and how much load it is", cli_inspect,
     cli_inspect_describe, true},
    {"convert", "write a trace in another format", cli_convert, cli_convert_describe, true},
    {"generate", "make a trace up", cli_generate, cli_generate_describe, false},
    {"compare", "show the runs of saved summaries side by side", cli_compare, cli_compare_describe,
     true},
    {"manual", "print a page of the manual", cli_manual, cli_manual_describe, false},
    {"complete", NULL, cli_complete, NULL, false},
};
const int n_commands = sizeof commands / sizeof commands[0];

const struct command_entry *command_named(const char *name) {
  for (int i = 0; i < n_commands; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

/* ---- help ---- */

struct usage {
  char text[1024];
};

static void add_usage(void *state, const struct option_table *table) {
  struct usage *usage = state;
  size_t used = strlen(usage->text);
  snprintf(usage->text + used, sizeof usage->text - used, "%s%s", used > 0 ? "\n" : "",
           table->usage);
}

/* The main command line's options under the usage of all commands. */
static void print_help(void *out, const struct option_table *main_table) {
  struct usage usage = {""};
  add_usage(&usage, main_table);
  for (int i = 0; i < n_commands; i++)
    if (commands[i].run && commands[i].summary)
      commands[i].describe(add_usage, &usage);
  struct option_table table = *main_table;
  table.usage = usage.text;
  option_table_help(out, &table);
}

void commands_help(FILE *out) {
  cli_run_describe(print_help, out);
  exit_codes_print(out);
}
