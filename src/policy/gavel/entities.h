/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hierarchical fairness (Narayanan et al., OSDI'20, section 4.3): jobs belong to entities (the
 * trace's tenants), which have weights, and which divide what they get among their own jobs fairly
 * or first in, first out.
 */
#ifndef HSIM_POLICY_GAVEL_ENTITIES_H
#define HSIM_POLICY_GAVEL_ENTITIES_H

#include "hsim/types.h"
#include "hsim/view.h"

enum entity_mode { ENTITY_FAIRNESS, ENTITY_FIFO };

struct entity {
  double weight; /* > 0 */
  enum entity_mode mode;
};

struct entities {
  int n;
  struct entity *at;
  int *of_tenant; /* [n_tenants] entity of a tenant of the trace */
  int n_tenants;
  char *path;
};

/* A CSV of tenant, weight (> 0, 1 when left out), mode ("fairness" or "fifo", fairness when left
 * out); each tenant once, all of the trace's among them. */
enum hsim_status entities_read(const char *path, const struct hsim_view *view,
                               struct entities *entities, struct hsim_error *error);
void entities_free(struct entities *entities);

/* Whom the job belongs to. HSIM_BAD_INPUT when it has no tenant. */
enum hsim_status entities_find(const struct entities *entities, const struct hsim_job *job,
                               int *entity, struct hsim_error *error);

#endif
