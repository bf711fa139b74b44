/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/loader.h"

#include <dlfcn.h>
#include <string.h>

#include "policy/options.h"

static const char symbol[] = "hsim_policy";

/* A table that ends before this function is no policy; one of more than so many bytes is something
 * else than a policy. */
#define SMALLEST_TABLE (offsetof(struct hsim_policy, schedule) + sizeof(void (*)(void)))
enum { LARGEST_TABLE = 1 << 16 };
#define LARGEST_STATE (SIZE_MAX / 4)

bool policy_is_path(const char *name) {
  return strchr(name, '/') != NULL;
}

static enum hsim_status check_table(const struct hsim_policy *policy, const char *path,
                                    struct hsim_error *error) {
  struct hsim_error fault;
  if (policy_options_check(policy, &fault) != HSIM_OK)
    return hsim_fail(error, HSIM_BAD_USAGE, "policy library %s: %s", path, fault.text);
  if (policy->schedule == NULL)
    return hsim_fail(error, HSIM_BAD_USAGE, "policy library %s: policy %s has no schedule function",
                     path, policy->name);
  if (policy->mode != HSIM_MODE_ROUND && policy->mode != HSIM_MODE_EVENT)
    return hsim_fail(error, HSIM_BAD_USAGE, "policy library %s: policy %s has no mode (%d)", path,
                     policy->name, (int)policy->mode);
  if (policy->state_size > LARGEST_STATE)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "policy library %s: policy %s wants a state of %zu bytes", path, policy->name,
                     policy->state_size);
  return HSIM_OK;
}

enum hsim_status policy_take_table(const void *table, const char *path, struct hsim_policy *policy,
                                   struct hsim_error *error) {
  struct {
    uint32_t version, size;
  } head;
  memcpy(&head, table, sizeof head);
  if (head.version != HSIM_POLICY_VERSION)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "policy library %s: made for version %lu of the policy interface, this hsim "
                     "has version %d: compile it against this hsim's include/hsim",
                     path, (unsigned long)head.version, HSIM_POLICY_VERSION);
  if (head.size < SMALLEST_TABLE || head.size > LARGEST_TABLE)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "policy library %s: its table is %lu bytes long, expected %zu: set .size = "
                     "sizeof(struct hsim_policy)",
                     path, (unsigned long)head.size, sizeof *policy);
  memset(policy, 0, sizeof *policy);
  memcpy(policy, table, head.size < sizeof *policy ? head.size : sizeof *policy);
  policy->size = sizeof *policy;
  return check_table(policy, path, error);
}

enum hsim_status policy_load(const char *path, struct loaded_policy *loaded,
                             struct hsim_error *error) {
  *loaded = (struct loaded_policy){0};
  loaded->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (loaded->library == NULL) {
    const char *why = dlerror();
    return hsim_fail(error, HSIM_BAD_USAGE, "cannot load policy library %s: %s", path,
                     why ? why : "unknown reason");
  }
  const void *table = dlsym(loaded->library, symbol);
  enum hsim_status status =
      table ? policy_take_table(table, path, &loaded->table, error)
            : hsim_fail(error, HSIM_BAD_USAGE,
                        "policy library %s: it exports no table: expected \"const struct "
                        "hsim_policy %s\"",
                        path, symbol);
  if (status != HSIM_OK)
    loaded_policy_close(loaded);
  return status;
}

void loaded_policy_close(struct loaded_policy *loaded) {
  if (loaded->library)
    dlclose(loaded->library);
  *loaded = (struct loaded_policy){0};
}
