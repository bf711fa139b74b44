/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which policies there are, and how a name that was typed becomes one.
 */
#ifndef HSIM_POLICY_REGISTRY_H
#define HSIM_POLICY_REGISTRY_H

#include <stdio.h>

#include "hsim/policy.h"
#include "policy/loader.h"

/* The built-in policies in the order in which they are shown. */
const struct hsim_policy *const *registry_policies(size_t *n);

/* NULL when no built-in policy has this name. */
const struct hsim_policy *registry_find(const char *name);

/* A built-in policy by its name, or one from a shared object by its path. To be closed with
 * loaded_policy_close. */
enum hsim_status registry_open(const char *name, struct loaded_policy *policy,
                               struct hsim_error *error);

/* Describes the policy `name` (NULL: every built-in one) with its options. */
enum hsim_status registry_print(FILE *out, const char *name, struct hsim_error *error);

#endif
