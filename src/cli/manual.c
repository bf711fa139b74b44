/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/manual.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/roff.h"
#include "model/number.h"
#include "policy/registry.h"

static const char usage[] = "hsim manual [COMMAND]";
static const char about[] =
    "Prints a page of the manual as input of man and groff: hsim(1), or that of a command with\n"
    "options of its own, hsim-inspect(1) and so on. Where hsim is not installed:\n"
    "hsim manual | man -l -";

enum { KEY_HELP = 'h' };

struct manual_options {
  bool help;
};

static const struct option_row rows[] = {{KEY_HELP, "help", NULL, "this text (also -h)"}};

static enum hsim_status set_help(void *target, int key, const char *text,
                                 struct hsim_error *error) {
  struct manual_options *options = target;
  (void)key;
  (void)text;
  (void)error;
  options->help = true;
  return HSIM_OK;
}

static struct option_table make_table(struct manual_options *options, struct option_group *group) {
  *group = (struct option_group){"Options", rows, sizeof rows / sizeof rows[0], set_help, options};
  return (struct option_table){
      .command = "hsim manual", .usage = usage, .about = about, .groups = group, .n_groups = 1};
}

void cli_manual_describe(option_table_reader *read, void *state) {
  struct manual_options options;
  struct option_group group;
  const struct option_table table = make_table(&options, &group);
  read(state, &table);
}

/* ---- parts of a page ---- */

struct page {
  FILE *out;
  const char *summary;
  bool follows; /* there is a line of the synopsis already */
};

static void line(FILE *out, const char *macro, const char *text) {
  fprintf(out, "%s ", macro);
  roff_text(out, text);
  fputc('\n', out);
}

static void paragraph(FILE *out, const char *text) {
  roff_text(out, text);
  fputc('\n', out);
}

static void print_usage(void *state, const struct option_table *table) {
  struct page *page = state;
  for (const char *text = table->usage;;) {
    char one[256];
    size_t length = strcspn(text, "\n");
    snprintf(one, sizeof one, "%.*s", (int)length, text);
    if (page->follows)
      fputs(".br\n", page->out);
    page->follows = true;
    roff_typed(page->out, one);
    fputc('\n', page->out);
    if (!text[length])
      return;
    text += length + 1;
  }
}

static void print_row(FILE *out, const struct option_row *row) {
  fputs(".TP\n\\fB\\-\\-", out);
  roff_text(out, row->name);
  fputs("\\fR", out);
  if (row->argument) {
    fputc(' ', out);
    roff_typed(out, row->argument);
  }
  fputc('\n', out);
  paragraph(out, row->help);
}

static void print_list(FILE *out, const struct choice_list *list) {
  line(out, ".SS", list->title);
  fputs("Values of \\fB\\-\\-", out);
  roff_text(out, list->option);
  fputs("\\fR: a name, and keys with values behind it, as in "
        "\\fINAME\\fR:\\fIKEY\\fR=\\fIVALUE\\fR.\n",
        out);
  for (int i = 0; i < list->n; i++) {
    const struct choice *choice = &list->choices[i];
    line(out, ".TP\n.B", choice->name);
    paragraph(out, choice->help);
    for (int k = 0; k < choice_n_keys(choice); k++) {
      char fallback[NUMBER_SIZE] = "";
      if (!isnan(choice->keys[k].fallback))
        number_print(choice->keys[k].fallback, fallback);
      fputs(".br\n\\fB:", out);
      roff_text(out, choice->keys[k].name);
      fprintf(out, "\\fR=%s, ", *fallback ? fallback : "\\fIVALUE\\fR");
      paragraph(out, choice->keys[k].help);
    }
  }
}

static void print_options(FILE *out, const struct option_table *table) {
  fputs(".SH OPTIONS\n", out);
  for (int g = 0; g < table->n_groups; g++) {
    const struct option_group *group = &table->groups[g];
    if (group->title)
      line(out, ".SS", group->title);
    for (int i = 0; i < group->n_rows; i++)
      print_row(out, &group->rows[i]);
  }
  for (int i = 0; i < table->n_lists; i++)
    print_list(out, &table->lists[i]);
}

static void print_policy(FILE *out, const struct hsim_policy *policy) {
  char values[POLICY_VALUES_SIZE];
  line(out, ".SS", policy->name);
  roff_text(out, policy->summary ? policy->summary : "");
  fprintf(out, "\n(%s mode).\n", policy->mode == HSIM_MODE_ROUND ? "round" : "event");
  for (int i = 0; i < policy->n_options; i++) {
    const struct hsim_option *option = &policy->options[i];
    policy_option_values(option, values);
    for (char *bar; (bar = strchr(values, '|'));)
      *bar = ' ';
    fputs(".TP\n\\fB", out);
    roff_text(out, option->name);
    fputs("\\fR=", out);
    roff_text(out, option->fallback);
    fputc('\n', out);
    if (option->help) {
      roff_text(out, option->help);
      fputc(' ', out);
    }
    fputc('(', out);
    roff_text(out, values);
    fputs(")\n", out);
  }
}

static void print_policies(FILE *out) {
  size_t n;
  const struct hsim_policy *const *policies = registry_policies(&n);
  fputs(".SH POLICIES\n", out);
  paragraph(out, "Each option is shown with its default; what it takes stands behind its meaning.\n"
                 "Round mode: asked every --round seconds; event mode: asked when something\n"
                 "happens. Policies from a library are described by --list-policies ./mine.so.");
  for (size_t i = 0; i < n; i++)
    print_policy(out, policies[i]);
}

static void print_exit_status(FILE *out) {
  fputs(".SH EXIT STATUS\n", out);
  for (int i = 0; i < n_exit_codes; i++) {
    fprintf(out, ".TP\n%d\n", (int)exit_codes[i].code);
    paragraph(out, exit_codes[i].meaning);
  }
}

/* ---- pages ---- */

static void print_head(const struct page *page, const char *name) {
  FILE *out = page->out;
  fputs(".\\\" Made by hsim manual.\n.TH ", out);
  for (const char *c = name; *c; c++)
    fputc(toupper((unsigned char)*c), out);
  fprintf(out, " 1 \"\" \"hsim %s\" \"User Commands\"\n.SH NAME\n", HSIM_VERSION);
  roff_text(out, name);
  fputs(" \\- ", out);
  paragraph(out, page->summary);
  fputs(".SH SYNOPSIS\n", out);
}

static void print_commands(FILE *out) {
  fputs(".SH COMMANDS\n", out);
  paragraph(out, "The name of a command comes first; without one it is run.");
  for (int i = 0; i < n_commands; i++) {
    if (!commands[i].summary)
      continue;
    line(out, ".TP\n.B", commands[i].name);
    roff_text(out, commands[i].summary);
    if (commands[i].run)
      fprintf(out, "; see\n.BR hsim\\-%s (1)", commands[i].name);
    fputc('\n', out);
  }
}

static void print_files(FILE *out) {
  static const struct {
    const char *path, *what;
  } files[] = {
      {"share/hsim/traces", "traces that hsim comes with; SOURCES.md says from where"},
      {"share/hsim/configs", "clusters, rates and speedups; the defaults are compiled in"},
      {"share/doc/hsim", "the documentation: what is modelled, formats, policies, examples"},
      {"include/hsim", "the interface of policies in libraries of their own; also known to\n"
                       "pkg-config and CMake as hsim"},
  };
  fputs(".SH FILES\n", out);
  paragraph(out, "Below the folder where hsim is installed, /usr or another:");
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    line(out, ".TP\n.I", files[i].path);
    paragraph(out, files[i].what);
  }
}

/* Each works in share/hsim, in this order, with a copy of the folder that may be written. */
static void print_examples(FILE *out) {
  static const struct {
    const char *what, *command;
  } examples[] = {
      {"Policies side by side on the same jobs:",
       "hsim --policy fifo,srtf,las,hadar:beam=1 --trace traces/philly.csv"},
      {"A policy with options, on another cluster:",
       "hsim --policy gavel:objective=fifo_perf --trace traces/gavel/medium_test.trace --cluster "
       "v100=12x1,p100=12x1,k80=12x1"},
      {"What happened to each job, and the summary for a program:",
       "hsim --policy las --trace traces/philly.csv --jobs-out jobs.csv --json > las.json"},
      {"In continuous integration: fail when a figure moved:",
       "hsim --policy las --trace traces/philly.csv --check las.json --tolerance 0.5%"},
      {"Look at a trace before running it:", "hsim inspect traces/philly.csv"},
  };
  fputs(".SH EXAMPLES\nWith the traces of\n.IR share/hsim :\n", out);
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
    fputs(".PP\n", out);
    paragraph(out, examples[i].what);
    fputs(".PP\n.nf\n.RS\n", out);
    paragraph(out, examples[i].command);
    fputs(".RE\n.fi\n", out);
  }
}

/* The page of a command points to the main one, the main one to all. */
static void print_see_also(FILE *out, bool main_page) {
  fputs(".SH SEE ALSO\n", out);
  if (!main_page) {
    fputs(".BR hsim (1)\n", out);
    return;
  }
  for (int i = 0; i < n_commands; i++)
    if (commands[i].run && commands[i].summary)
      fprintf(out, ".BR hsim\\-%s (1),\n", commands[i].name);
  paragraph(out, "and the pages in share/doc/hsim: command-line.md for all that is said here at\n"
                 "greater length, model.md, formats.md, writing-a-policy.md.");
}

static void print_main(void *state, const struct option_table *table) {
  struct page *page = state;
  FILE *out = page->out;
  print_head(page, "hsim");
  print_usage(state, table);
  for (int i = 0; i < n_commands; i++)
    if (commands[i].run && commands[i].summary)
      commands[i].describe(print_usage, state);
  fputs(".SH DESCRIPTION\n", out);
  paragraph(out, table->about);
  paragraph(out,
            "Results go to standard output, everything else to standard error. The same input\n"
            "gives the same output, byte for byte.");
  print_commands(out);
  print_options(out, table);
  print_policies(out);
  print_exit_status(out);
  print_files(out);
  print_examples(out);
  print_see_also(out, true);
}

static void print_command(void *state, const struct option_table *table) {
  struct page *page = state;
  char name[64];
  snprintf(name, sizeof name, "hsim-%s", strrchr(table->command, ' ') + 1);
  print_head(page, name);
  print_usage(state, table);
  fputs(".SH DESCRIPTION\n", page->out);
  paragraph(page->out, table->about);
  print_options(page->out, table);
  print_exit_status(page->out);
  print_see_also(page->out, false);
}

static enum hsim_status print_page(const char *name, struct hsim_error *error) {
  struct page page = {.out = stdout,
                      .summary = "replay traces of training jobs against a modelled GPU cluster"};
  const struct command_entry *command = name ? command_named(name) : NULL;
  if (name && (!command || !command->summary))
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "the manual has no page of \"%s\"; expected one of the commands that hsim "
                     "--help shows",
                     name);
  if (command && command->run) {
    page.summary = command->summary;
    command->describe(print_command, &page);
  } else {
    cli_run_describe(print_main, &page);
  }
  return HSIM_OK;
}

enum hsim_status cli_manual(int argc, char **argv, struct hsim_error *error) {
  struct manual_options options = {.help = false};
  struct option_group group;
  const struct option_table table = make_table(&options, &group);
  int first;
  enum hsim_status status = option_table_parse(&table, argc, argv, &first, error);
  if (status != HSIM_OK)
    return status;
  if (options.help) {
    option_table_help(stdout, &table);
    return HSIM_OK;
  }
  if (argc - first > 1)
    return hsim_fail(error, HSIM_BAD_USAGE, "\"%s\": manual takes one command", argv[first + 1]);
  return print_page(first < argc ? argv[first] : NULL, error);
}
