/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/gavel/entities.h"

#include <stdlib.h>
#include <string.h>

#include "hsim/table.h"
#include "model/memory.h"

enum { TENANT, WEIGHT, MODE, N_COLUMNS };
static const char *const COLUMNS[N_COLUMNS] = {"tenant", "weight", "mode"};

struct reading {
  const struct hsim_view *view;
  struct entities *entities;
  size_t capacity;
};

/* Tenants of the trace are numbered without a gap and have names. */
static int count_tenants(const struct hsim_view *view) {
  int n = 0;
  while (*hsim_tenant_name(view, n))
    n++;
  return n;
}

static enum hsim_status read_mode(const struct hsim_row *row, enum entity_mode *mode,
                                  struct hsim_error *error) {
  const char *text = hsim_row_text(row, MODE);
  if (*text && strcmp(text, "fairness") != 0 && strcmp(text, "fifo") != 0)
    return hsim_row_bad(row, MODE, error, "fairness or fifo");
  *mode = strcmp(text, "fifo") == 0 ? ENTITY_FIFO : ENTITY_FAIRNESS;
  return HSIM_OK;
}

static enum hsim_status add_entity(void *state, const struct hsim_row *row,
                                   struct hsim_error *error) {
  struct reading *reading = state;
  struct entities *entities = reading->entities;
  struct entity entity = {.weight = 1.0};
  if (!*hsim_row_text(row, TENANT))
    return hsim_row_bad(row, TENANT, error, "a name");
  enum hsim_status status = read_mode(row, &entity.mode, error);
  if (status == HSIM_OK && *hsim_row_text(row, WEIGHT))
    status = hsim_row_real(row, WEIGHT, 1e-6, 1e6, &entity.weight, error);
  if (status != HSIM_OK)
    return status;
  int index = entities->n++;
  entities->at =
      mem_grow(entities->at, (size_t)entities->n, &reading->capacity, sizeof *entities->at);
  entities->at[index] = entity;
  for (int t = 0; t < entities->n_tenants; t++) {
    if (strcmp(hsim_tenant_name(reading->view, t), hsim_row_text(row, TENANT)) != 0)
      continue;
    if (entities->of_tenant[t] >= 0)
      return hsim_row_bad(row, TENANT, error, "each tenant once");
    entities->of_tenant[t] = index;
  }
  return HSIM_OK;
}

/* Said before the run, not when the tenant's first job arrives. */
static enum hsim_status check_all_named(const struct entities *entities,
                                        const struct hsim_view *view, struct hsim_error *error) {
  for (int t = 0; t < entities->n_tenants; t++)
    if (entities->of_tenant[t] < 0)
      return hsim_fail(error, HSIM_BAD_INPUT, "%s: does not name the tenant \"%.80s\" of the trace",
                       entities->path, hsim_tenant_name(view, t));
  return HSIM_OK;
}

enum hsim_status entities_read(const char *path, const struct hsim_view *view,
                               struct entities *entities, struct hsim_error *error) {
  entities->path = mem_text(path);
  entities->n_tenants = count_tenants(view);
  entities->of_tenant = mem_alloc((size_t)entities->n_tenants, sizeof *entities->of_tenant);
  for (int t = 0; t < entities->n_tenants; t++)
    entities->of_tenant[t] = -1;
  static const struct hsim_table table = {.what = "a file of entities",
                                          .columns = COLUMNS,
                                          .n_columns = N_COLUMNS,
                                          .required = 1u << TENANT,
                                          .row = add_entity};
  struct reading reading = {.view = view, .entities = entities};
  enum hsim_status status = hsim_read_table(path, &table, &reading, error);
  if (status == HSIM_OK && entities->n == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: names no entity", path);
  return status == HSIM_OK ? check_all_named(entities, view, error) : status;
}

void entities_free(struct entities *entities) {
  free(entities->at);
  free(entities->of_tenant);
  free(entities->path);
  *entities = (struct entities){0};
}

enum hsim_status entities_find(const struct entities *entities, const struct hsim_job *job,
                               int *entity, struct hsim_error *error) {
  if (job->tenant < 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "job %s has no tenant, so %s does not say whose it is",
                     job->id, entities->path);
  *entity = entities->of_tenant[job->tenant];
  return HSIM_OK;
}
