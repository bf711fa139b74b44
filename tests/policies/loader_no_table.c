/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A shared object that is no policy. */
#include "hsim/policy.h"

int hsim_policy_of_another_name(void);

int hsim_policy_of_another_name(void) {
  return HSIM_POLICY_VERSION;
}
