/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/names.h"
#include "model/number.h"

/* ---- the text ---- */

/* Copies one word up to an unescaped : or , (or the end); *text moves on to it. */
static char *take_word(const char **text) {
  char *word = mem_alloc(strlen(*text) + 1, 1);
  size_t n = 0;
  const char *at = *text;
  while (*at != '\0' && *at != ':' && *at != ',') {
    if (*at == '\\' && (at[1] == ':' || at[1] == ','))
      at++;
    word[n++] = *at++;
  }
  word[n] = '\0';
  *text = at;
  return word;
}

static void add_setting(struct policy_spec *spec, char *word) {
  spec->settings = mem_grow(spec->settings, spec->n_settings + 1, &spec->settings_capacity,
                            sizeof *spec->settings);
  char *equals = strchr(word, '=');
  char *value = NULL;
  if (equals) {
    *equals = '\0';
    value = mem_text(equals + 1);
  }
  spec->settings[spec->n_settings++] = (struct policy_setting){.key = word, .value = value};
}

static enum hsim_status parse_one(struct policy_spec *spec, const char **at, const char *text,
                                  struct hsim_error *error) {
  spec->name = take_word(at);
  if (spec->name[0] == '\0')
    return hsim_fail(error, HSIM_BAD_USAGE, "--policy %s: a policy has no name", text);
  while (**at == ':') {
    ++*at;
    add_setting(spec, take_word(at));
    if (spec->settings[spec->n_settings - 1].key[0] == '\0')
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "--policy %s: policy %s: an option has no name, expected KEY=VALUE after :",
                       text, spec->name);
  }
  return HSIM_OK;
}

enum hsim_status policy_specs_parse(struct policy_specs *specs, const char *text,
                                    struct hsim_error *error) {
  const char *at = text;
  for (;;) {
    specs->at = mem_grow(specs->at, specs->n + 1, &specs->capacity, sizeof *specs->at);
    struct policy_spec *spec = &specs->at[specs->n++];
    *spec = (struct policy_spec){0};
    enum hsim_status status = parse_one(spec, &at, text, error);
    if (status != HSIM_OK || *at == '\0')
      return status;
    at++; /* the comma */
  }
}

char *policy_spec_text(const struct policy_spec *spec) {
  size_t size = strlen(spec->name) + 1;
  for (size_t i = 0; i < spec->n_settings; i++)
    size += strlen(spec->settings[i].key) + strlen(spec->settings[i].value) + 2;
  char *text = mem_alloc(size, 1);
  size_t used = (size_t)snprintf(text, size, "%s", spec->name);
  for (size_t i = 0; i < spec->n_settings; i++)
    used += (size_t)snprintf(text + used, size - used, ":%s=%s", spec->settings[i].key,
                             spec->settings[i].value);
  return text;
}

void policy_specs_free(struct policy_specs *specs) {
  for (size_t i = 0; i < specs->n; i++) {
    for (size_t s = 0; s < specs->at[i].n_settings; s++) {
      free(specs->at[i].settings[s].key);
      free(specs->at[i].settings[s].value);
    }
    free(specs->at[i].settings);
    free(specs->at[i].name);
  }
  free(specs->at);
  *specs = (struct policy_specs){0};
}

/* ---- values ---- */

/* Index of `text` among "a|b|c", -1 when it is none of them. */
static int64_t choice_index(const char *choices, const char *text) {
  size_t length = strlen(text);
  int64_t index = 0;
  for (const char *at = choices;; index++) {
    size_t n = strcspn(at, "|");
    if (n == length && memcmp(at, text, n) == 0)
      return index;
    if (at[n] == '\0')
      return -1;
    at += n + 1;
  }
}

/* What the option takes, for people. */
static void describe_range(const struct hsim_option *option, const char *noun, char *out) {
  char low[NUMBER_SIZE], high[NUMBER_SIZE];
  number_print(option->min, low);
  number_print(option->max, high);
  bool from = isfinite(option->min), to = isfinite(option->max);
  if (from && to)
    snprintf(out, POLICY_VALUES_SIZE, "%s from %s to %s", noun, low, high);
  else if (from)
    snprintf(out, POLICY_VALUES_SIZE, "%s >= %s", noun, low);
  else if (to)
    snprintf(out, POLICY_VALUES_SIZE, "%s <= %s", noun, high);
  else
    snprintf(out, POLICY_VALUES_SIZE, "%s", noun);
}

void policy_option_values(const struct hsim_option *option, char out[POLICY_VALUES_SIZE]) {
  switch (option->kind) {
  case HSIM_OPTION_BOOL:
    snprintf(out, POLICY_VALUES_SIZE, "0 or 1");
    return;
  case HSIM_OPTION_INT:
    describe_range(option, "whole number", out);
    return;
  case HSIM_OPTION_REAL:
    describe_range(option, "number", out);
    return;
  case HSIM_OPTION_CHOICE:
    snprintf(out, POLICY_VALUES_SIZE, "%s", option->choices);
    return;
  case HSIM_OPTION_TEXT:
    snprintf(out, POLICY_VALUES_SIZE, "text");
    return;
  }
}

static bool in_range(const struct hsim_option *option, double value) {
  return value >= option->min && value <= option->max;
}

/* False when the text is no value of this option. */
static bool read_value(const struct hsim_option *option, const char *text,
                       struct hsim_value *value) {
  size_t length = strlen(text);
  switch (option->kind) {
  case HSIM_OPTION_BOOL:
    value->as.i = text[0] - '0';
    return length == 1 && (text[0] == '0' || text[0] == '1');
  case HSIM_OPTION_INT:
    return number_parse_int(text, length, &value->as.i) == NUMBER_OK &&
           in_range(option, (double)value->as.i);
  case HSIM_OPTION_REAL:
    return number_parse(text, length, &value->as.real) == NUMBER_OK &&
           in_range(option, value->as.real);
  case HSIM_OPTION_CHOICE:
    value->as.i = choice_index(option->choices, text);
    return value->as.i >= 0;
  case HSIM_OPTION_TEXT:
    return true;
  }
  return false;
}

/* The names that stand in "a|b|c", for a suggestion; the result points into `near`. */
static const char *suggest_choice(const char *choices, const char *text, char near[64]) {
  struct names names = {0};
  for (const char *at = choices;;) {
    size_t n = strcspn(at, "|");
    names_add(&names, at, n);
    if (at[n] == '\0')
      break;
    at += n + 1;
  }
  const char *const *list = (const char *const *)names.at;
  const char *found = names_suggest(list, (size_t)names.n, text);
  if (found)
    snprintf(near, 64, "%s", found);
  names_free(&names);
  return found ? near : NULL;
}

static enum hsim_status bad_value(const struct hsim_policy *policy,
                                  const struct hsim_option *option, const char *text,
                                  struct hsim_error *error) {
  char expected[POLICY_VALUES_SIZE], near[64];
  policy_option_values(option, expected);
  const char *suggestion =
      option->kind == HSIM_OPTION_CHOICE ? suggest_choice(option->choices, text, near) : NULL;
  return hsim_fail(error, HSIM_BAD_USAGE, "policy %s: %s=%s: expected %s%s%s%s (default %s)",
                   policy->name, option->name, text, expected, suggestion ? "; did you mean " : "",
                   suggestion ? suggestion : "", suggestion ? "?" : "", option->fallback);
}

static int option_index(const struct hsim_policy *policy, const char *name) {
  for (int i = 0; i < policy->n_options; i++)
    if (strcmp(policy->options[i].name, name) == 0)
      return i;
  return -1;
}

static enum hsim_status unknown_option(const struct hsim_policy *policy, const char *name,
                                       struct hsim_error *error) {
  if (policy->n_options == 0)
    return hsim_fail(error, HSIM_BAD_USAGE, "policy %s: unknown option \"%s\": it has no options",
                     policy->name, name);
  struct names names = {0};
  char list[512];
  size_t used = 0;
  list[0] = '\0';
  for (int i = 0; i < policy->n_options; i++) {
    names_add(&names, policy->options[i].name, strlen(policy->options[i].name));
    if (used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                               policy->options[i].name);
  }
  const char *near = names_suggest((const char *const *)names.at, (size_t)names.n, name);
  enum hsim_status status = hsim_fail(
      error, HSIM_BAD_USAGE, "policy %s: unknown option \"%s\"%s%s%s; it has %s", policy->name,
      name, near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "", list);
  names_free(&names);
  return status;
}

static enum hsim_status set_value(const struct hsim_policy *policy,
                                  const struct policy_setting *setting,
                                  struct policy_values *values, struct hsim_error *error) {
  int i = option_index(policy, setting->key);
  if (i < 0)
    return unknown_option(policy, setting->key, error);
  const struct hsim_option *option = &policy->options[i];
  char expected[POLICY_VALUES_SIZE];
  policy_option_values(option, expected);
  if (setting->value == NULL)
    return hsim_fail(error, HSIM_BAD_USAGE, "policy %s: option %s has no value: expected %s=%s",
                     policy->name, option->name, option->name, expected);
  if (values->at[i].given)
    return hsim_fail(error, HSIM_BAD_USAGE, "policy %s: option %s is given twice: %s and %s",
                     policy->name, option->name, values->at[i].text, setting->value);
  if (!read_value(option, setting->value, &values->at[i]))
    return bad_value(policy, option, setting->value, error);
  free(values->texts[i]);
  values->texts[i] = mem_text(setting->value);
  values->at[i].text = values->texts[i];
  values->at[i].given = true;
  return HSIM_OK;
}

/* Options that others decide. All are asked before any is changed, so that their order does not
 * matter. */
static enum hsim_status settle(const struct hsim_policy *policy, struct policy_values *values,
                               struct hsim_error *error) {
  if (!policy->settled)
    return HSIM_OK;
  const char **texts = mem_zero((size_t)values->n, sizeof *texts);
  for (int i = 0; i < values->n; i++)
    if (!values->at[i].given)
      texts[i] = policy->settled(values->at, i);
  enum hsim_status status = HSIM_OK;
  for (int i = 0; i < values->n && status == HSIM_OK; i++) {
    if (!texts[i])
      continue;
    if (!read_value(&policy->options[i], texts[i], &values->at[i]))
      status = hsim_fail(error, HSIM_FAILED,
                         "policy %s: settles option %s to \"%s\", which it may "
                         "not be",
                         policy->name, policy->options[i].name, texts[i]);
    free(values->texts[i]);
    values->at[i].text = values->texts[i] = mem_text(texts[i]);
  }
  free(texts);
  return status;
}

enum hsim_status policy_values_make(const struct hsim_policy *policy,
                                    const struct policy_spec *spec, struct policy_values *values,
                                    struct hsim_error *error) {
  size_t n = (size_t)policy->n_options;
  *values = (struct policy_values){.at = mem_zero(n, sizeof *values->at),
                                   .texts = mem_zero(n, sizeof *values->texts),
                                   .n = policy->n_options};
  enum hsim_status status = policy_options_check(policy, error);
  for (int i = 0; status == HSIM_OK && i < values->n; i++) {
    read_value(&policy->options[i], policy->options[i].fallback, &values->at[i]);
    values->texts[i] = mem_text(policy->options[i].fallback);
    values->at[i].text = values->texts[i];
  }
  for (size_t s = 0; status == HSIM_OK && s < spec->n_settings; s++)
    status = set_value(policy, &spec->settings[s], values, error);
  if (status == HSIM_OK)
    status = settle(policy, values, error);
  if (status != HSIM_OK)
    policy_values_free(values);
  return status;
}

void policy_values_free(struct policy_values *values) {
  for (int i = 0; i < values->n; i++)
    free(values->texts[i]);
  free(values->texts);
  free(values->at);
  *values = (struct policy_values){0};
}

/* ---- the table ---- */

static bool good_name(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return name != NULL && name[0] != '\0' && name[strspn(name, letters)] == '\0';
}

static const char *option_fault(const struct hsim_policy *policy, int i) {
  const struct hsim_option *option = &policy->options[i];
  struct hsim_value value = {0};
  if (!good_name(option->name))
    return "its name must consist of letters, digits, _, - and .";
  if (option_index(policy, option->name) != i)
    return "another option has its name";
  if (option->kind < HSIM_OPTION_BOOL || option->kind > HSIM_OPTION_TEXT)
    return "its kind is unknown";
  if (option->kind == HSIM_OPTION_CHOICE && (!option->choices || option->choices[0] == '\0'))
    return "it has no choices";
  if (option->fallback == NULL)
    return "it has no default";
  if (!read_value(option, option->fallback, &value))
    return "its default is not a value that it takes";
  return NULL;
}

enum hsim_status policy_options_check(const struct hsim_policy *policy, struct hsim_error *error) {
  if (!good_name(policy->name))
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "a policy's name must consist of letters, digits, _, - and ., not \"%s\"",
                     policy->name ? policy->name : "");
  if (policy->n_options < 0 || (policy->n_options > 0 && policy->options == NULL))
    return hsim_fail(error, HSIM_BAD_USAGE, "policy %s: a table of %d options is missing",
                     policy->name, policy->n_options);
  for (int i = 0; i < policy->n_options; i++) {
    const char *fault = option_fault(policy, i);
    if (fault)
      return hsim_fail(error, HSIM_BAD_USAGE, "policy %s: option %d (%s): %s", policy->name, i,
                       policy->options[i].name ? policy->options[i].name : "", fault);
  }
  return HSIM_OK;
}

/* ---- for people ---- */

static int longer(int width, const char *text) {
  int length = (int)strlen(text);
  return length > width ? length : width;
}

/* Longer descriptions stand in the way of aligning the others. */
enum { WIDEST_COLUMN = 34, WIDEST_LINE = 110 };

/* Words from column `used` on, further lines from column `indent` on. A meaning that begins far out
 * to the right goes on a line of its own. */
static void print_wrapped(FILE *out, const char *text, int used, int indent) {
  int column = used + 2 + (int)strlen(text) > WIDEST_LINE ? indent : used;
  if (column < used)
    fprintf(out, "\n%*s", indent, "");
  fputs("  ", out);
  column += 2;
  int start = column;
  while (*text) {
    size_t length = strcspn(text, " ");
    int word = (int)length;
    if (column > start && column + 1 + word > WIDEST_LINE) {
      fprintf(out, "\n%*s", indent + 2, "");
      column = start = indent + 2;
    } else if (column > start) {
      fputc(' ', out);
      column++;
    }
    fprintf(out, "%.*s", word, text);
    column += word;
    text += length + strspn(text + length, " ");
  }
}

/* A list that would not fit on a line is printed below its option, words apart. */
enum { WIDEST_LIST = 70 };
static char *spaced(const char *choices) {
  char *text = mem_text(choices);
  for (char *bar; (bar = strchr(text, '|'));)
    *bar = ' ';
  return text;
}

void policy_print(FILE *out, const struct hsim_policy *policy) {
  fprintf(out, "%s: %s (%s mode)\n", policy->name, policy->summary ? policy->summary : "",
          policy->mode == HSIM_MODE_ROUND ? "round" : "event");
  int name_width = 0, default_width = 0, range_width = 0;
  char expected[POLICY_VALUES_SIZE];
  for (int i = 0; i < policy->n_options; i++) {
    const struct hsim_option *option = &policy->options[i];
    policy_option_values(option, expected);
    name_width = longer(name_width, option->name);
    if (strlen(option->fallback) <= WIDEST_COLUMN)
      default_width = longer(default_width, option->fallback);
    if (strlen(expected) <= WIDEST_COLUMN)
      range_width = longer(range_width, expected);
  }
  for (int i = 0; i < policy->n_options; i++) {
    const struct hsim_option *option = &policy->options[i];
    policy_option_values(option, expected);
    bool long_list = option->kind == HSIM_OPTION_CHOICE && strlen(expected) > WIDEST_LIST;
    char *choices = long_list ? spaced(expected) : NULL;
    if (long_list)
      snprintf(expected, sizeof expected, "a name of these");
    const char *help = option->help ? option->help : "";
    int used = fprintf(out, "  %-*s = %-*s  %-*s", name_width, option->name, default_width,
                       option->fallback, *help ? range_width : 0, expected);
    if (*help)
      print_wrapped(out, help, used, name_width + default_width + range_width + 7);
    fputc('\n', out);
    if (choices) {
      fprintf(out, "%*s", name_width + 3, "");
      print_wrapped(out, choices, name_width + 3, name_width + 3);
      fputc('\n', out);
    }
    free(choices);
  }
}
