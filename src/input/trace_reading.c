/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "input/trace.h"

enum { MOST_WORDS = 4 };

static const struct choice {
  const char *option;
  const char *words[MOST_WORDS];
  const char *listed; /* for messages */
} choices[] = {
    {"time-unit",
     {"seconds", "milliseconds", "minutes", "hours"},
     "seconds, milliseconds, minutes or hours"},
    {"repeated-hour", {"first", "second"}, "first or second"},
    {"fractional", {"error", "up", "skip"}, "error, up or skip"},
    {"attempts", {"sum", "each"}, "sum or each"},
};
enum { TIME_UNIT, REPEATED_HOUR, FRACTIONAL, ATTEMPTS, N_CHOICES };

static int word_number(const struct choice *choice, const char *value) {
  for (int i = 0; i < MOST_WORDS && choice->words[i] != NULL; i++)
    if (strcmp(choice->words[i], value) == 0)
      return i;
  return -1;
}

enum hsim_status trace_reading_set(struct trace_reading *reading, const char *option,
                                   const char *value, struct hsim_error *error) {
  if (strcmp(option, "time-zone") == 0)
    return time_zone_parse(value, &reading->zone, error);
  int c = 0;
  while (c < N_CHOICES && strcmp(choices[c].option, option) != 0)
    c++;
  if (c == N_CHOICES)
    return hsim_fail(error, HSIM_FAILED, "%s is no option of how a trace is read", option);
  int word = word_number(&choices[c], value);
  if (word < 0)
    return hsim_fail(error, HSIM_BAD_USAGE, "option --%s: value \"%.80s\": expected %s", option,
                     value, choices[c].listed);
  if (c == TIME_UNIT)
    reading->unit = (enum time_unit)(UNIT_SECONDS + word);
  else if (c == REPEATED_HOUR)
    reading->zone.second = word == 1;
  else if (c == FRACTIONAL)
    reading->fractional = (enum fractional_rule)word;
  else
    reading->attempts = (enum attempts_rule)word;
  return HSIM_OK;
}
