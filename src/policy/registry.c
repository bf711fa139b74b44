/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/registry.h"

#include <string.h>

#include "model/names.h"
#include "policy/options.h"
#include "policy/policies.h"

static const struct hsim_policy *const policies[] = {
    &policy_fifo,     &policy_sjf,      &policy_srtf,  &policy_las,
    &policy_tiresias, &policy_max_rate, &policy_gavel, &policy_hadar,
    &policy_hadare,   &policy_themis,   &policy_voda,
};

enum { N_POLICIES = sizeof policies / sizeof policies[0] };

const struct hsim_policy *const *registry_policies(size_t *n) {
  *n = N_POLICIES;
  return policies;
}

const struct hsim_policy *registry_find(const char *name) {
  for (size_t i = 0; i < N_POLICIES; i++)
    if (strcmp(policies[i]->name, name) == 0)
      return policies[i];
  return NULL;
}

/* A library that was named without its folder. */
static bool is_library_name(const char *name) {
  size_t length = strlen(name);
  return length > 3 && strcmp(name + length - 3, ".so") == 0;
}

static enum hsim_status unknown(const char *name, struct hsim_error *error) {
  if (is_library_name(name))
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "unknown policy \"%s\"; to load a policy library write ./%s", name, name);
  const char *names[N_POLICIES];
  char list[512] = "";
  size_t used = 0;
  for (size_t i = 0; i < N_POLICIES; i++) {
    names[i] = policies[i]->name;
    if (used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
  }
  const char *near = names_suggest(names, N_POLICIES, name);
  return hsim_fail(error, HSIM_BAD_USAGE,
                   "unknown policy \"%s\"%s%s%s; there are %s, or the path of a policy library "
                   "(with a /)",
                   name, near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "",
                   list);
}

enum hsim_status registry_open(const char *name, struct loaded_policy *policy,
                               struct hsim_error *error) {
  *policy = (struct loaded_policy){0};
  if (policy_is_path(name))
    return policy_load(name, policy, error);
  const struct hsim_policy *found = registry_find(name);
  if (!found)
    return unknown(name, error);
  policy->table = *found;
  return HSIM_OK;
}

enum hsim_status registry_print(FILE *out, const char *name, struct hsim_error *error) {
  if (name) {
    struct loaded_policy policy;
    enum hsim_status status = registry_open(name, &policy, error);
    if (status != HSIM_OK)
      return status;
    policy_print(out, &policy.table);
    loaded_policy_close(&policy);
    return HSIM_OK;
  }
  for (size_t i = 0; i < N_POLICIES; i++) {
    if (i > 0)
      fputc('\n', out);
    policy_print(out, policies[i]);
  }
  return HSIM_OK;
}
