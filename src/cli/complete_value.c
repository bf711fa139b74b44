/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/complete_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/trace.h"
#include "model/memory.h"
#include "model/semantics.h"
#include "output/trace_write.h"
#include "policy/registry.h"

static const char *typed(const struct unfinished *at) {
  return at->word + at->lead;
}

void complete_offer(const struct unfinished *at, const char *text, const char *end) {
  if (strncmp(text, typed(at), strlen(typed(at))) == 0)
    printf("%.*s%s%s\n", (int)at->lead, at->word, text, end);
}

void complete_offer_words(const struct unfinished *at, const char *words) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  for (;;) {
    size_t length = strcspn(words, "|");
    if (length > 0 && strspn(words, letters) == length) {
      char *word = mem_text_n(words, length);
      complete_offer(at, word, "");
      free(word);
    }
    if (words[length] == '\0')
      return;
    words += length + 1;
  }
}

void complete_offer_files(void) {
  puts(":files");
}

/* ---- NAME[:KEY=VALUE...] ---- */

/* What may stand in each place. `name` and `key` are what was typed there. */
struct form {
  const void *state;
  void (*names)(const struct unfinished *at, const void *state);
  void (*keys)(const struct unfinished *at, const void *state, const char *name);
  void (*values)(const struct unfinished *at, const void *state, const char *name, const char *key);
};

/* Moves the lead behind the last separator that no backslash protects; false: there is none. */
static bool move_behind(struct unfinished *at, char separator) {
  size_t found = 0;
  for (size_t i = at->lead; at->word[i]; i++) {
    if (at->word[i] == '\\' && at->word[i + 1])
      i++;
    else if (at->word[i] == separator)
      found = i + 1;
  }
  if (found == 0)
    return false;
  at->lead = found;
  return true;
}

static void complete_form(const struct form *form, struct unfinished at) {
  const char *begin = typed(&at);
  puts(":nospace");
  if (!move_behind(&at, ':')) {
    form->names(&at, form->state);
    return;
  }
  char *name = mem_text_n(begin, strcspn(begin, ":"));
  const char *part = typed(&at), *equals = strchr(part, '=');
  if (equals) {
    char *key = mem_text_n(part, (size_t)(equals - part));
    at.lead += (size_t)(equals - part) + 1;
    form->values(&at, form->state, name, key);
    free(key);
  } else {
    form->keys(&at, form->state, name);
  }
  free(name);
}

/* ---- policies ---- */

static void policy_names(const struct unfinished *at, const void *state) {
  (void)state;
  size_t n;
  const struct hsim_policy *const *policies = registry_policies(&n);
  for (size_t i = 0; i < n; i++)
    complete_offer(at, policies[i]->name, "");
  complete_offer_files();
}

static void policy_keys(const struct unfinished *at, const void *state, const char *name) {
  (void)state;
  const struct hsim_policy *policy = registry_find(name);
  for (int i = 0; policy && i < policy->n_options; i++)
    complete_offer(at, policy->options[i].name, "=");
}

static void policy_values(const struct unfinished *at, const void *state, const char *name,
                          const char *key) {
  (void)state;
  const struct hsim_policy *policy = registry_find(name);
  for (int i = 0; policy && i < policy->n_options; i++) {
    const struct hsim_option *option = &policy->options[i];
    if (strcmp(option->name, key) != 0)
      continue;
    if (option->kind == HSIM_OPTION_BOOL) {
      complete_offer(at, "0", "");
      complete_offer(at, "1", "");
    } else {
      complete_offer(at, option->fallback, "");
    }
    for (const char *word = option->kind == HSIM_OPTION_CHOICE ? option->choices : ""; *word;) {
      size_t length = strcspn(word, "|");
      char *choice = mem_text_n(word, length);
      if (strcmp(choice, option->fallback) != 0)
        complete_offer(at, choice, "");
      free(choice);
      word += length + (word[length] == '|');
    }
    if (option->kind == HSIM_OPTION_TEXT)
      complete_offer_files();
  }
}

/* A list of policies with their options. */
static void complete_policies(struct unfinished at) {
  const struct form form = {NULL, policy_names, policy_keys, policy_values};
  move_behind(&at, ',');
  complete_form(&form, at);
}

/* ---- semantics ---- */

static void semantics_names(const struct unfinished *at, const void *state) {
  (void)state;
  for (int i = 0; semantics_preset_name(i); i++)
    complete_offer(at, semantics_preset_name(i), "");
}

static void semantics_keys(const struct unfinished *at, const void *state, const char *name) {
  (void)state;
  (void)name;
  for (int i = 0; semantics_field_name(i); i++)
    complete_offer(at, semantics_field_name(i), "=");
}

static void semantics_values(const struct unfinished *at, const void *state, const char *name,
                             const char *key) {
  (void)state;
  (void)name;
  for (int i = 0; semantics_field_name(i); i++)
    for (int w = 0; strcmp(semantics_field_name(i), key) == 0 && semantics_field_word(i, w); w++)
      complete_offer(at, semantics_field_word(i, w), "");
}

static void complete_semantics(struct unfinished at) {
  const struct form form = {NULL, semantics_names, semantics_keys, semantics_values};
  complete_form(&form, at);
}

/* ---- choices ---- */

static void choice_names(const struct unfinished *at, const void *state) {
  const struct choice_list *list = state;
  for (int i = 0; i < list->n; i++)
    complete_offer(at, list->choices[i].name, "");
}

static void choice_keys(const struct unfinished *at, const void *state, const char *name) {
  const struct choice_list *list = state;
  for (int i = 0; i < list->n; i++)
    for (int k = 0;
         strcmp(list->choices[i].name, name) == 0 && k < choice_n_keys(&list->choices[i]); k++)
      complete_offer(at, list->choices[i].keys[k].name, "=");
}

static void choice_values(const struct unfinished *at, const void *state, const char *name,
                          const char *key) {
  (void)at; /* numbers */
  (void)state;
  (void)name;
  (void)key;
}

/* ---- options ---- */

static void complete_costs(struct unfinished at) {
  for (int i = 0; costs_preset_name(i); i++)
    complete_offer(&at, costs_preset_name(i), "");
  complete_offer_files();
}

static void complete_formats(struct unfinished at) {
  for (int i = 0; trace_format_name(i); i++)
    complete_offer(&at, trace_format_name(i), "");
}

static void complete_targets(struct unfinished at) {
  for (int i = 0; i < N_TARGETS; i++)
    complete_offer(&at, trace_target_names[i], "");
}

static void complete_policy_name(struct unfinished at) {
  policy_names(&at, NULL);
}

void complete_value(const struct option_table *table, const struct option_row *row,
                    struct unfinished at) {
  static const struct {
    const char *command, *option; /* NULL: any command */
    void (*complete)(struct unfinished at);
  } known[] = {
      {NULL, "policy", complete_policies},      {NULL, "list-policies", complete_policy_name},
      {NULL, "semantics", complete_semantics},  {NULL, "costs", complete_costs},
      {NULL, "trace-format", complete_formats}, {"hsim convert", "to", complete_targets}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(row->name, known[i].option) == 0 &&
        (!known[i].command || strcmp(table->command, known[i].command) == 0)) {
      known[i].complete(at);
      return;
    }
  for (int i = 0; i < table->n_lists; i++)
    if (strcmp(row->name, table->lists[i].option) == 0) {
      const struct form form = {&table->lists[i], choice_names, choice_keys, choice_values};
      complete_form(&form, at);
      return;
    }
  complete_offer_words(&at, row->argument);
  if (strstr(row->argument, "FILE"))
    complete_offer_files();
}
