/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A random scenario: cluster, rates with pairs, jobs with phases, costs, rules, nodes that fail or
 * are slow, jobs that are withdrawn. The same seed makes the same one.
 */
#ifndef HSIM_TESTS_RANDOM_WORLD_H
#define HSIM_TESTS_RANDOM_WORLD_H

#include "world.h"

enum { RANDOM_WORLD_NODES = 256 };

struct random_world {
  struct world world;
  struct node_event failures[64];
  size_t n_failures;
  double speeds[RANDOM_WORLD_NODES];
  struct fault_rule faults;
  struct cancel_event cancels[64];
  /* Of the scenario: a policy's preset changes those of the world for its own run. */
  struct semantics semantics;
  struct costs costs;
  struct semantics ran; /* what held in the last run */
};

/* The built-in policies with the options that change most, as they are typed. */
extern const char *const random_world_policies[];
extern const int random_world_n_policies;

/* The world must stay where it is; world_free(&random->world) ends it. */
void random_world_init(struct random_world *random, uint64_t seed);
/* Policies that replay Gavel's code get no failing nodes, which it does not know. */
enum hsim_status random_world_run(struct random_world *random, const char *policy);
/* Whether a run that failed is one that is known to. */
bool random_world_may_fail(const struct random_world *random, const char *policy);

#endif
