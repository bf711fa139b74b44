/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/complete.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/complete_value.h"
#include "cli/options.h"

/* The words behind the program's name; the last one is unfinished. */
struct command_line {
  char **words;
  int n;
  const struct command_entry *command; /* NULL: none was named, which is a run */
};

static const struct option_row *row_named(const struct option_table *table, const char *name,
                                          size_t length) {
  for (int g = 0; g < table->n_groups; g++)
    for (int i = 0; i < table->groups[g].n_rows; i++) {
      const struct option_row *row = &table->groups[g].rows[i];
      if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
        return row;
    }
  return NULL;
}

static void offer_options(const struct option_table *table, const struct unfinished *at) {
  for (int g = 0; g < table->n_groups; g++)
    for (int i = 0; i < table->groups[g].n_rows; i++) {
      char text[80];
      snprintf(text, sizeof text, "--%s", table->groups[g].rows[i].name);
      complete_offer(at, text, "");
    }
}

static void offer_commands(const struct unfinished *at) {
  for (int i = 0; i < n_commands; i++)
    if (commands[i].summary)
      complete_offer(at, commands[i].name, "");
}

/* The option whose value the unfinished word is, with the lead in front of that; or NULL. */
static const struct option_row *option_of_value(const struct command_line *line,
                                                const struct option_table *table,
                                                struct unfinished *at) {
  size_t name = strcspn(at->word, "=");
  if (strncmp(at->word, "--", 2) == 0 && at->word[name] == '=') {
    at->lead = name + 1;
    return row_named(table, at->word + 2, name - 2);
  }
  const char *before = line->n > 1 ? line->words[line->n - 2] : "";
  return strncmp(before, "--", 2) == 0 ? row_named(table, before + 2, strlen(before + 2)) : NULL;
}

static void complete_word(void *state, const struct option_table *table) {
  const struct command_line *line = state;
  struct unfinished at = {line->words[line->n - 1], 0};
  const struct option_row *row = option_of_value(line, table, &at);
  bool optional = row && row->argument && row->argument[0] == '[';
  if (row && row->argument && !(optional && at.lead == 0 && at.word[0] == '-')) {
    complete_value(table, row, at);
    return;
  }
  if (line->n == 1)
    offer_commands(&at);
  if (line->command && line->command->takes_files && at.word[0] != '-')
    complete_offer_files();
  else
    offer_options(table, &at);
}

/* The pages of the manual beside hsim(1). */
static void complete_page(const struct command_line *line) {
  const struct unfinished at = {line->words[line->n - 1], 0};
  for (int i = 0; i < n_commands; i++)
    if (commands[i].summary && commands[i].run)
      complete_offer(&at, commands[i].name, "");
}

enum hsim_status cli_complete(int argc, char **argv, struct hsim_error *error) {
  if (argc < 2)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "complete: expected the words behind hsim, the last one unfinished");
  struct command_line line = {argv + 1, argc - 1, argc > 2 ? command_named(argv[1]) : NULL};
  if (line.command && strcmp(line.command->name, "manual") == 0)
    complete_page(&line);
  if (!line.command)
    cli_run_describe(complete_word, &line);
  else if (line.command->describe)
    line.command->describe(complete_word, &line);
  return HSIM_OK;
}
