/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Policies from shared objects. Only an explicit path is loaded, never a name that is looked up in
 * library folders: what runs is what was typed.
 */
#ifndef HSIM_POLICY_LOADER_H
#define HSIM_POLICY_LOADER_H

#include "hsim/policy.h"

struct loaded_policy {
  struct hsim_policy table; /* as this version of the interface has it; what the library's own
                               table lacks is zero */
  void *library;            /* NULL for a built-in policy */
};

/* Whether a policy's name is a path: it contains a slash. */
bool policy_is_path(const char *name);

/* The library's table stays until loaded_policy_close. On failure *loaded is empty. */
enum hsim_status policy_load(const char *path, struct loaded_policy *loaded,
                             struct hsim_error *error);
void loaded_policy_close(struct loaded_policy *loaded);

/* Takes over a table of `version` and `size` as an older or newer header may have made it; `path`
 * is for messages. */
enum hsim_status policy_take_table(const void *table, const char *path, struct hsim_policy *policy,
                                   struct hsim_error *error);

#endif
