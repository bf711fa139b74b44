/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/option_table.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

#include "model/names.h"
#include "model/number.h"

enum { MOST_OPTIONS = 128, HELP_COLUMN = 30 };

/* ---- help ---- */

static void print_row(FILE *out, const struct option_row *row) {
  char left[80];
  const char *argument = row->argument ? row->argument : "";
  const char *gap = argument[0] && strncmp(argument, "[=", 2) != 0 ? " " : "";
  snprintf(left, sizeof left, "  --%s%s%s", row->name, gap, argument);
  if (strlen(left) > HELP_COLUMN - 2) {
    fprintf(out, "%s\n", left);
    left[0] = '\0';
  }
  for (const char *line = row->help;;) {
    size_t length = strcspn(line, "\n");
    fprintf(out, "%-*s%.*s\n", HELP_COLUMN, left, (int)length, line);
    left[0] = '\0';
    if (!line[length])
      return;
    line += length + 1;
  }
}

static void print_usage(FILE *out, const char *usage) {
  const char *lead = "Usage: ";
  for (;;) {
    size_t length = strcspn(usage, "\n");
    fprintf(out, "%s%.*s\n", lead, (int)length, usage);
    if (!usage[length])
      return;
    usage += length + 1;
    lead = "       ";
  }
}

void option_table_help(FILE *out, const struct option_table *table) {
  print_usage(out, table->usage);
  fprintf(out, "%s\n", table->about);
  for (int g = 0; g < table->n_groups; g++) {
    const struct option_group *group = &table->groups[g];
    if (group->title)
      fprintf(out, "\n%s\n", group->title);
    for (int i = 0; i < group->n_rows; i++)
      print_row(out, &group->rows[i]);
  }
  for (int i = 0; i < table->n_lists; i++)
    choice_list_print(out, &table->lists[i]);
}

/* ---- parsing ---- */

static const struct option_row *row_of(const struct option_table *table, int key,
                                       const struct option_group **its_group) {
  for (int g = 0; g < table->n_groups; g++)
    for (int i = 0; i < table->groups[g].n_rows; i++)
      if (table->groups[g].rows[i].key == key) {
        *its_group = &table->groups[g];
        return &table->groups[g].rows[i];
      }
  return NULL;
}

static void long_options(const struct option_table *table, struct option out[MOST_OPTIONS + 1]) {
  int n = 0;
  for (int g = 0; g < table->n_groups; g++)
    for (int i = 0; i < table->groups[g].n_rows && n < MOST_OPTIONS; i++) {
      const struct option_row *row = &table->groups[g].rows[i];
      int argument = no_argument;
      if (row->argument)
        argument = row->argument[0] == '[' ? optional_argument : required_argument;
      out[n++] = (struct option){row->name, argument, NULL, row->key};
    }
  out[n] = (struct option){0};
}

static enum hsim_status unknown(const struct option_table *table, const char *typed,
                                struct hsim_error *error) {
  const char *names[MOST_OPTIONS];
  size_t n = 0;
  for (int g = 0; g < table->n_groups; g++)
    for (int i = 0; i < table->groups[g].n_rows && n < MOST_OPTIONS; i++)
      names[n++] = table->groups[g].rows[i].name;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
  const char *near = name[0] == '-' ? names_suggest(names, n, name + strspn(name, "-")) : NULL;
  if (near)
    return hsim_fail(error, HSIM_BAD_USAGE, "unknown option %s; did you mean --%s?", name, near);
  return hsim_fail(error, HSIM_BAD_USAGE, "unknown option %s (%s --help lists them)", name,
                   table->command);
}

/* What getopt_long rejected: `typed` is the word, `key` the option it recognised, if any. */
static enum hsim_status rejected(const struct option_table *table, const char *typed, int key,
                                 struct hsim_error *error) {
  const struct option_group *group;
  const struct option_row *row = row_of(table, key, &group);
  if (!row || typed[0] != '-' || typed[1] != '-')
    return unknown(table, typed, error);
  if (row->argument)
    return hsim_fail(error, HSIM_BAD_USAGE, "option --%s needs a value: %s", row->name,
                     row->argument);
  return hsim_fail(error, HSIM_BAD_USAGE, "option --%s takes no value", row->name);
}

/* The word that getopt_long is in: inside a cluster of short options it has not moved on yet. */
static const char *word_of(int argc, char **argv) {
  bool inside = optopt > 0 && optopt < 256 && optind < argc && argv[optind][0] == '-' &&
                argv[optind][1] == optopt && argv[optind][2];
  return argv[inside ? optind : optind - 1];
}

/* An empty name, as from a shell's unset variable, would be reported as a file without a name. */
static bool names_file(const char *value) {
  return value && (strncmp(value, "FILE", 4) == 0 || strcmp(value, "PREFIX") == 0);
}

enum hsim_status option_table_parse(const struct option_table *table, int argc, char **argv,
                                    int *first_word, struct hsim_error *error) {
  struct option options[MOST_OPTIONS + 1];
  long_options(table, options);
  opterr = 0;
  optind = 0; /* glibc: begin anew */
  enum hsim_status status = HSIM_OK;
  int key;
  while (status == HSIM_OK && (key = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
    const struct option_group *group;
    const struct option_row *row;
    if (key == '?' || key == ':')
      status = rejected(table, word_of(argc, argv), optopt, error);
    else if ((row = row_of(table, key, &group)) == NULL)
      continue;
    else if (optarg && optarg[0] == '\0' && names_file(row->argument))
      status = option_bad(error, row->name, optarg, row->argument);
    else
      status = group->set(group->target, key, optarg, error);
  }
  *first_word = optind;
  return status;
}

/* ---- values ---- */

enum hsim_status option_bad(struct hsim_error *error, const char *name, const char *text,
                            const char *expected) {
  return hsim_fail(error, HSIM_BAD_USAGE, "option --%s: value \"%s\": expected %s", name, text,
                   expected);
}

enum hsim_status option_real(const char *name, const char *text, const char *what, double least,
                             double most, double *value, struct hsim_error *error) {
  char expected[128];
  snprintf(expected, sizeof expected, "%s from %g to %g", what, least, most);
  if (number_parse(text, strlen(text), value) != NUMBER_OK || !(*value >= least && *value <= most))
    return option_bad(error, name, text, expected);
  return HSIM_OK;
}

enum hsim_status option_seconds(const char *name, const char *text, double least, double *value,
                                struct hsim_error *error) {
  return option_real(name, text, "a number of seconds", least, 1e12, value, error);
}

enum hsim_status option_percent(const char *name, const char *text, double most, double *fraction,
                                struct hsim_error *error) {
  size_t n = strlen(text);
  bool percent = n > 0 && text[n - 1] == '%';
  double value;
  bool good = number_parse(text, percent ? n - 1 : n, &value) == NUMBER_OK && value >= 0 &&
              value <= most && (percent || value == 0);
  if (!good) {
    char limit[40] = "";
    if (isfinite(most))
      snprintf(limit, sizeof limit, " up to %g%%", most);
    char expected[80];
    snprintf(expected, sizeof expected, "a percentage such as 0.5%%%s, or 0", limit);
    return option_bad(error, name, text, expected);
  }
  *fraction = value / 100;
  return HSIM_OK;
}

enum hsim_status option_whole(const char *name, const char *text, int64_t min, int64_t max,
                              int64_t *value, struct hsim_error *error) {
  char expected[96];
  snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)min,
           (long long)max);
  if (number_parse_int(text, strlen(text), value) != NUMBER_OK || *value < min || *value > max)
    return option_bad(error, name, text, expected);
  return HSIM_OK;
}

enum hsim_status option_count(const char *name, const char *text, int *value,
                              struct hsim_error *error) {
  int64_t n;
  enum hsim_status status = option_whole(name, text, 1, INT32_MAX, &n, error);
  if (status == HSIM_OK)
    *value = (int)n;
  return status;
}

enum hsim_status option_one_of(const char *name, const char *text, const char *const *choices,
                               int n, int *value, struct hsim_error *error) {
  char expected[256] = "";
  for (int i = 0; i < n; i++) {
    if (strcmp(text, choices[i]) == 0) {
      *value = i;
      return HSIM_OK;
    }
    size_t used = strlen(expected);
    snprintf(expected + used, sizeof expected - used, "%s%s",
             i == 0 ? "" : (i + 1 < n ? ", " : " or "), choices[i]);
  }
  return option_bad(error, name, text, expected);
}
