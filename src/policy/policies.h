/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The built-in policies. Each is defined in the file (or folder) of its name and reached through
 * the registry.
 */
#ifndef HSIM_POLICY_POLICIES_H
#define HSIM_POLICY_POLICIES_H

#include "hsim/policy.h"

extern const struct hsim_policy policy_fifo;
extern const struct hsim_policy policy_srtf;
extern const struct hsim_policy policy_sjf;
extern const struct hsim_policy policy_las;
extern const struct hsim_policy policy_tiresias;
extern const struct hsim_policy policy_max_rate;
extern const struct hsim_policy policy_gavel;
extern const struct hsim_policy policy_hadar;
extern const struct hsim_policy policy_hadare;
extern const struct hsim_policy policy_voda;
extern const struct hsim_policy policy_themis;

#endif
