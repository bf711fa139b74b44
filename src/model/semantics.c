/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/semantics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/names.h"
#include "model/number.h"

/* In the order of the summary. */
enum field {
  FIELD_ROUND_END,
  FIELD_STEPS,
  FIELD_CLOCK_JUMP,
  FIELD_CHARGE_FROM,
  FIELD_DROP_AFTER,
  FIELD_PAIR_FINISH,
  FIELD_MISSING_SIZE,
  FIELD_SPREAD,
  FIELD_SPREAD_DEFAULT,
  FIELD_GRID,
  FIELD_FREED,
  N_FIELDS
};

enum { MAX_CHOICES = 3, MAX_DROP_AFTER = 1000000000 };

/* A field without choices holds a number; a choice's place is the value of its enum. */
static const struct {
  const char *name;
  const char *choices[MAX_CHOICES];
} fields[N_FIELDS] = {
    [FIELD_ROUND_END] = {"round_end", {"grid", "slowest"}},
    [FIELD_STEPS] = {"steps", {"real", "whole"}},
    [FIELD_CLOCK_JUMP] = {"clock_jump", {"next_event", "next_arrival"}},
    [FIELD_CHARGE_FROM] = {"charge_from", {"start", "previous_round_end"}},
    [FIELD_DROP_AFTER] = {"drop_after", {NULL}},
    [FIELD_PAIR_FINISH] = {"pair_finish", {"own", "later"}},
    [FIELD_MISSING_SIZE] = {"missing_size", {"interpolate", "reject"}},
    [FIELD_SPREAD] = {"spread", {"table", "ignore"}},
    [FIELD_SPREAD_DEFAULT] = {"spread_default", {NULL}},
    [FIELD_GRID] = {"grid", {"restart", "absolute"}},
    [FIELD_FREED] = {"freed", {"policy", "round", "event"}},
};

static const struct semantics presets[] = {
    {.preset = "default", .spread_default = 0.9},
    {.preset = "gavel",
     .round_end = ROUND_END_SLOWEST,
     .steps = STEPS_WHOLE,
     .clock_jump = JUMP_NEXT_ARRIVAL,
     .charge_from = CHARGE_PREVIOUS_ROUND_END,
     .drop_after = 5,
     .pair_finish = PAIR_LATER,
     .missing_size = MISSING_REJECT,
     .spread = SPREAD_IGNORE,
     .spread_default = 0.9,
     .freed = FREED_ROUND},
};

static const struct costs cost_presets[] = {
    {.preset = "default", .start = 10, .move = 10, .resize = 10},
    {.preset = "none"},
    {.preset = "gavel"},
    {.preset = "hadar", .start = 10, .move = 10, .resize = 10},
    {.preset = "voda", .start = 100, .move = 60, .resize = 60, .rollback = ROLLBACK_EPOCH},
};

enum {
  N_PRESETS = sizeof presets / sizeof presets[0],
  N_COST_PRESETS = sizeof cost_presets / sizeof cost_presets[0]
};

/* "WHAT "TEXT" is unknown; did you mean "NEAR"? (known: A, B, C)" as a usage error. */
static enum hsim_status unknown(struct hsim_error *error, const char *what, const char *text,
                                const char *const *known, size_t n) {
  char list[512];
  size_t length = 0;
  for (size_t i = 0; i < n; i++)
    length +=
        (size_t)snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", known[i]);
  const char *near = names_suggest(known, n, text);
  if (near == NULL)
    return hsim_fail(error, HSIM_BAD_USAGE, "%s \"%s\" is unknown; expected one of: %s", what, text,
                     list);
  return hsim_fail(error, HSIM_BAD_USAGE,
                   "%s \"%s\" is unknown; did you mean \"%s\"? Expected one of: %s", what, text,
                   near, list);
}

enum hsim_status semantics_preset(const char *name, struct semantics *semantics,
                                  struct hsim_error *error) {
  const char *known[N_PRESETS];
  for (size_t i = 0; i < N_PRESETS; i++) {
    known[i] = presets[i].preset;
    if (strcmp(name, known[i]) == 0) {
      *semantics = presets[i];
      return HSIM_OK;
    }
  }
  return unknown(error, "semantics preset", name, known, N_PRESETS);
}

enum hsim_status costs_preset(const char *name, struct costs *costs, struct hsim_error *error) {
  const char *known[N_COST_PRESETS];
  for (size_t i = 0; i < N_COST_PRESETS; i++) {
    known[i] = cost_presets[i].preset;
    if (strcmp(name, known[i]) == 0) {
      *costs = cost_presets[i];
      return HSIM_OK;
    }
  }
  return unknown(error, "costs preset", name, known, N_COST_PRESETS);
}

const char *semantics_preset_name(int i) {
  return i < N_PRESETS ? presets[i].preset : NULL;
}

const char *semantics_field_name(int i) {
  return i < N_FIELDS ? fields[i].name : NULL;
}

const char *semantics_field_word(int field, int i) {
  return i < MAX_CHOICES ? fields[field].choices[i] : NULL;
}

const char *costs_preset_name(int i) {
  return i < N_COST_PRESETS ? cost_presets[i].preset : NULL;
}

void semantics_free(struct semantics *semantics) {
  free(semantics->spread_file);
  *semantics = (struct semantics){0};
}

static void set_choice(struct semantics *s, enum field field, int choice) {
  switch (field) {
  case FIELD_ROUND_END:
    s->round_end = (enum round_end)choice;
    break;
  case FIELD_STEPS:
    s->steps = (enum steps_rule)choice;
    break;
  case FIELD_CLOCK_JUMP:
    s->clock_jump = (enum clock_jump)choice;
    break;
  case FIELD_CHARGE_FROM:
    s->charge_from = (enum charge_from)choice;
    break;
  case FIELD_PAIR_FINISH:
    s->pair_finish = (enum pair_finish)choice;
    break;
  case FIELD_MISSING_SIZE:
    s->missing_size = (enum missing_size)choice;
    break;
  case FIELD_SPREAD:
    s->spread = (enum spread_rule)choice;
    break;
  case FIELD_GRID:
    s->grid = (enum grid_rule)choice;
    break;
  case FIELD_FREED:
    s->freed = (enum freed_rule)choice;
    break;
  case FIELD_DROP_AFTER:
  case FIELD_SPREAD_DEFAULT:
  case N_FIELDS:
    break;
  }
}

static int choice_of(const struct semantics *s, enum field field) {
  switch (field) {
  case FIELD_ROUND_END:
    return (int)s->round_end;
  case FIELD_STEPS:
    return (int)s->steps;
  case FIELD_CLOCK_JUMP:
    return (int)s->clock_jump;
  case FIELD_CHARGE_FROM:
    return (int)s->charge_from;
  case FIELD_PAIR_FINISH:
    return (int)s->pair_finish;
  case FIELD_MISSING_SIZE:
    return (int)s->missing_size;
  case FIELD_SPREAD:
    return (int)s->spread;
  case FIELD_GRID:
    return (int)s->grid;
  case FIELD_FREED:
    return (int)s->freed;
  case FIELD_DROP_AFTER:
  case FIELD_SPREAD_DEFAULT:
  case N_FIELDS:
    break;
  }
  return 0;
}

static enum hsim_status set_number(struct semantics *s, enum field field, const char *value,
                                   struct hsim_error *error) {
  size_t length = strlen(value);
  if (field == FIELD_DROP_AFTER) {
    int64_t rounds;
    if (number_parse_int(value, length, &rounds) != NUMBER_OK || rounds < 0 ||
        rounds > MAX_DROP_AFTER)
      return hsim_fail(
          error, HSIM_BAD_USAGE,
          "semantics field drop_after is \"%s\"; expected a whole number from 0 (never) "
          "to %d",
          value, MAX_DROP_AFTER);
    s->drop_after = (int)rounds;
    return HSIM_OK;
  }
  double factor;
  if (number_parse(value, length, &factor) != NUMBER_OK || !(factor > 0 && factor <= 1))
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "semantics field spread_default is \"%s\"; expected a number above 0 and at "
                     "most 1",
                     value);
  s->spread_default = factor;
  return HSIM_OK;
}

/* What is neither `table` nor `ignore` names an efficiency file. */
static enum hsim_status set_spread_file(struct semantics *s, const char *value,
                                        struct hsim_error *error) {
  if (value[0] == '\0')
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "semantics field spread is empty; expected table, ignore or a file");
  s->spread = SPREAD_FILE;
  s->spread_file = mem_text(value);
  return HSIM_OK;
}

static enum hsim_status set_field(struct semantics *s, enum field field, const char *value,
                                  struct hsim_error *error) {
  const char *const *choices = fields[field].choices;
  if (choices[0] == NULL)
    return set_number(s, field, value, error);
  size_t n = 0;
  for (; n < MAX_CHOICES && choices[n] != NULL; n++)
    if (strcmp(value, choices[n]) == 0) {
      set_choice(s, field, (int)n);
      return HSIM_OK;
    }
  if (field == FIELD_SPREAD)
    return set_spread_file(s, value, error);
  char what[64];
  snprintf(what, sizeof what, "semantics field %s: value", fields[field].name);
  return unknown(error, what, value, choices, n);
}

/* "FIELD=VALUE", split in place. `given` remembers the fields that the text has set. */
static enum hsim_status assign(struct semantics *s, char *item, bool given[N_FIELDS],
                               struct hsim_error *error) {
  char *equals = strchr(item, '=');
  if (equals == NULL)
    return hsim_fail(error, HSIM_BAD_USAGE, "semantics: \"%s\" has no \"=\"; expected FIELD=VALUE",
                     item);
  *equals = '\0';
  const char *known[N_FIELDS];
  for (int i = 0; i < N_FIELDS; i++) {
    known[i] = fields[i].name;
    if (strcmp(item, known[i]) != 0)
      continue;
    if (given[i])
      return hsim_fail(error, HSIM_BAD_USAGE, "semantics field %s is given twice", known[i]);
    given[i] = true;
    return set_field(s, (enum field)i, equals + 1, error);
  }
  return unknown(error, "semantics field", item, known, N_FIELDS);
}

/* Ends the item at the first ":" that no "\" protects, takes protecting "\" out, and returns the
 * rest behind it, NULL when there is none. "\," is a comma, as in a list of policies. */
static char *cut_item(char *item) {
  char *out = item;
  for (char *in = item; *in != '\0'; in++) {
    if (*in == ':') {
      *out = '\0';
      return in + 1;
    }
    if (*in == '\\' && (in[1] == ':' || in[1] == ','))
      in++;
    *out++ = *in;
  }
  *out = '\0';
  return NULL;
}

enum hsim_status semantics_parse(const char *text, struct semantics *semantics,
                                 struct hsim_error *error) {
  *semantics = (struct semantics){0};
  char *copy = mem_text(text);
  char *rest = cut_item(copy);
  enum hsim_status status = semantics_preset(copy, semantics, error);
  bool given[N_FIELDS] = {false};
  while (status == HSIM_OK && rest != NULL) {
    char *item = rest;
    rest = cut_item(item);
    status = assign(semantics, item, given, error);
  }
  free(copy);
  if (status != HSIM_OK)
    semantics_free(semantics);
  return status;
}

bool semantics_field(const struct semantics *semantics, int i, const char **name,
                     const char **value, bool *number, char buffer[32]) {
  if (i < 0 || i >= N_FIELDS)
    return false;
  enum field field = (enum field)i;
  *name = fields[field].name;
  *number = fields[field].choices[0] == NULL;
  if (*number) {
    number_print(field == FIELD_DROP_AFTER ? semantics->drop_after : semantics->spread_default,
                 buffer);
    *value = buffer;
  } else if (field == FIELD_SPREAD && semantics->spread == SPREAD_FILE) {
    *value = semantics->spread_file;
  } else {
    *value = fields[field].choices[choice_of(semantics, field)];
  }
  return true;
}
