/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A policy that does anything it may, at random: keeps, stops, moves and resizes jobs, forks them
 * into copies with and without budgets, pairs them, names GPUs or lets the engine choose, sets
 * timers, gives reasons, promises quiet.
 */
#ifndef HSIM_TESTS_CHAOS_H
#define HSIM_TESTS_CHAOS_H

#include "hsim/policy.h"

/* Draws what it may: sizes, copies, pairs (the three values), rounds or events. */
void chaos_policy(struct hsim_policy *policy, struct hsim_value values[3], struct hsim_rng *rng);

#endif
