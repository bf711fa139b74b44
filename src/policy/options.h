/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Policies as they are typed: NAME[:KEY=VALUE...][,NAME...]. A backslash before : or , makes it
 * part of a name or value; before anything else it stands for itself.
 *
 * Values are checked against the policy's own table of options, so that a run never starts with an
 * option that is misspelt or out of range.
 */
#ifndef HSIM_POLICY_OPTIONS_H
#define HSIM_POLICY_OPTIONS_H

#include <stdio.h>

#include "hsim/policy.h"

/* One KEY=VALUE; value is NULL when there was no `=`. */
struct policy_setting {
  char *key, *value;
};

/* One policy of a command line. */
struct policy_spec {
  char *name; /* a built-in policy, or a path (it contains a /) */
  struct policy_setting *settings;
  size_t n_settings, settings_capacity;
};

/* Zero-initialise it; each parse appends. */
struct policy_specs {
  struct policy_spec *at;
  size_t n, capacity;
};

enum hsim_status policy_specs_parse(struct policy_specs *specs, const char *text,
                                    struct hsim_error *error);
void policy_specs_free(struct policy_specs *specs);

/* NAME[:KEY=VALUE...] again, to be freed. */
char *policy_spec_text(const struct policy_spec *spec);

/* Values in the order of the policy's options: what was typed, else the default. */
struct policy_values {
  struct hsim_value *at; /* [n] */
  char **texts;          /* [n] what at[i].text points to */
  int n;
};

/* On failure *values is empty. */
enum hsim_status policy_values_make(const struct hsim_policy *policy,
                                    const struct policy_spec *spec, struct policy_values *values,
                                    struct hsim_error *error);
void policy_values_free(struct policy_values *values);

/* Whether a table of options is sound: names, kinds, ranges, and each default inside its range. */
enum hsim_status policy_options_check(const struct hsim_policy *policy, struct hsim_error *error);

/* What the option takes, for people: "0 or 1", "number >= 0", "a|b|c". */
enum { POLICY_VALUES_SIZE = 1024 };
void policy_option_values(const struct hsim_option *option, char out[POLICY_VALUES_SIZE]);

/* The policy for people: its summary and mode, then its options one a line, aligned. */
void policy_print(FILE *out, const struct hsim_policy *policy);

#endif
