/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/choice.h"

#include <math.h>
#include <string.h>

#include "model/names.h"
#include "model/number.h"

enum { MOST_CHOICES = 16 };

static enum hsim_status unknown(const char *option, const char *what, const char *text, int length,
                                const char *const *names, int n, struct hsim_error *error) {
  char list[256] = "", word[64];
  snprintf(word, sizeof word, "%.*s", length, text);
  const char *near = names_suggest(names, (size_t)n, word);
  for (int i = 0; i < n; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s",
             i == 0      ? ""
             : i + 1 < n ? ", "
                         : " or ",
             names[i]);
  }
  return hsim_fail(error, HSIM_BAD_USAGE, "option --%s: %s \"%s\": expected %s%s%s%s", option, what,
                   word, list, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

int choice_n_keys(const struct choice *choice) {
  int n = 0;
  while (n < CHOICE_KEYS && choice->keys[n].name)
    n++;
  return n;
}

/* One KEY=NUMBER of `length` bytes. */
static enum hsim_status set_key(const char *option, const struct choice *choice, const char *text,
                                size_t length, struct choice_value *value,
                                struct hsim_error *error) {
  const char *names[CHOICE_KEYS];
  const char *equals = memchr(text, '=', length);
  size_t key_length = equals ? (size_t)(equals - text) : length;
  int n = choice_n_keys(choice), k = 0;
  for (int i = 0; i < n; i++)
    names[i] = choice->keys[i].name;
  while (k < n && (strlen(names[k]) != key_length || memcmp(names[k], text, key_length) != 0))
    k++;
  if (n == 0)
    return hsim_fail(error, HSIM_BAD_USAGE, "option --%s: %s takes no values, not \"%.*s\"", option,
                     choice->name, (int)(length < 60 ? length : 60), text);
  if (k == n)
    return unknown(option, "key", text, (int)(key_length < 60 ? key_length : 60), names, n, error);
  const struct choice_key *key = &choice->keys[k];
  double *to = &value->values[k];
  size_t rest = equals ? length - key_length - 1 : 0;
  if (!equals || number_parse(equals + 1, rest, to) != NUMBER_OK ||
      !(*to >= key->min && *to <= key->max) || (key->whole && *to != trunc(*to)))
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "option --%s: %s: %s \"%.*s\": expected a %snumber from %g to %g", option,
                     choice->name, key->name, (int)(rest < 60 ? rest : 60),
                     equals ? equals + 1 : "", key->whole ? "whole " : "", key->min, key->max);
  value->given[k] = true;
  return HSIM_OK;
}

static enum hsim_status check_given(const char *option, const struct choice *choice,
                                    const struct choice_value *value, struct hsim_error *error) {
  for (int k = 0; k < choice_n_keys(choice); k++)
    if (isnan(value->values[k]))
      return hsim_fail(error, HSIM_BAD_USAGE, "option --%s: %s needs %s: %s", option, choice->name,
                       choice->keys[k].name, choice->keys[k].help);
  return HSIM_OK;
}

enum hsim_status choice_parse(const char *option, const char *text, const struct choice *choices,
                              int n, struct choice_value *value, struct hsim_error *error) {
  const char *names[MOST_CHOICES];
  size_t length = strcspn(text, ":");
  *value = (struct choice_value){.choice = -1};
  for (int i = 0; i < n; i++) {
    names[i] = choices[i].name;
    if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
      value->choice = i;
  }
  if (value->choice < 0)
    return unknown(option, "value", text, (int)(length < 60 ? length : 60), names, n, error);
  const struct choice *choice = &choices[value->choice];
  for (int k = 0; k < choice_n_keys(choice); k++)
    value->values[k] = choice->keys[k].fallback;
  for (text += length; *text == ':'; text += length) {
    text++;
    length = strcspn(text, ":");
    enum hsim_status status = set_key(option, choice, text, length, value, error);
    if (status != HSIM_OK)
      return status;
  }
  return check_given(option, choice, value, error);
}

static void print_key(FILE *out, const struct choice_key *key) {
  char fallback[NUMBER_SIZE + 4] = "";
  if (!isnan(key->fallback)) {
    fallback[0] = '=';
    number_print(key->fallback, fallback + 1);
  }
  int used = (int)(strlen(key->name) + strlen(fallback));
  fprintf(out, "    :%s%s%*s %s\n", key->name, fallback, used < 17 ? 17 - used : 0, "", key->help);
}

void choice_list_print(FILE *out, const struct choice_list *list) {
  fprintf(out, "\n%s (--%s NAME[:KEY=VALUE...])\n", list->title, list->option);
  for (int i = 0; i < list->n; i++) {
    const struct choice *choice = &list->choices[i];
    fprintf(out, "  %-20s %s\n", choice->name, choice->help);
    for (int k = 0; k < choice_n_keys(choice); k++)
      print_key(out, &choice->keys[k]);
  }
}
