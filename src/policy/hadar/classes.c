/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/classes.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

static bool same_capacity(const struct hsim_cluster *cluster, int a, int b) {
  const struct hsim_node *x = &cluster->nodes[a], *y = &cluster->nodes[b];
  if (x->n_bays != y->n_bays || x->gpus != y->gpus)
    return false;
  for (int i = 0; i < x->n_bays; i++) {
    const struct hsim_bay *bay = &cluster->bays[x->first_bay + i];
    bool found = false;
    for (int k = 0; k < y->n_bays && !found; k++) {
      const struct hsim_bay *other = &cluster->bays[y->first_bay + k];
      found = other->type == bay->type && other->gpus == bay->gpus;
    }
    if (!found)
      return false;
  }
  return true;
}

static int class_of(const struct hadar_classes *classes, const struct hsim_cluster *cluster,
                    const int *example, int node) {
  for (int c = 0; c < classes->n; c++)
    if (same_capacity(cluster, example[c], node))
      return c;
  return -1;
}

/* Bays of a class in ascending type order, so that equal nodes with bays in another order agree. */
static enum hsim_status add_class(struct hadar_classes *classes, const struct hsim_cluster *cluster,
                                  int node, struct hsim_error *error) {
  const struct hsim_node *example = &cluster->nodes[node];
  struct hadar_class *cls = &classes->at[classes->n++];
  *cls = (struct hadar_class){.first_bay = classes->n_bays, .gpus = example->gpus};
  uint64_t radix = 1;
  for (int type = 0; type < cluster->n_types; type++)
    for (int i = 0; i < example->n_bays; i++) {
      const struct hsim_bay *bay = &cluster->bays[example->first_bay + i];
      if (bay->type != type)
        continue;
      classes->bays[classes->n_bays++] = (struct hadar_bay){
          .type = type, .gpus = bay->gpus, .radix = (uint32_t)radix, .price_at = classes->n_prices};
      classes->n_prices += bay->gpus + 1;
      cls->n_bays++;
      cls->full += (uint32_t)radix * (uint32_t)bay->gpus;
      radix *= (uint64_t)bay->gpus + 1;
      if (radix > UINT32_MAX)
        return hsim_fail(error, HSIM_BAD_INPUT,
                         "hadar: node '%s' mixes so many GPUs of different types that the levels "
                         "of free GPUs exceed 2^32",
                         example->name);
    }
  classes->mixed |= cls->n_bays > 1;
  return HSIM_OK;
}

static void list_nodes(struct hadar_classes *classes, const struct hsim_cluster *cluster) {
  for (int c = 0; c < classes->n; c++) {
    struct hadar_class *cls = &classes->at[c];
    cls->first_node = classes->n_nodes;
    for (int node = 0; node < cluster->n_nodes; node++)
      if (classes->class_of_node[node] == c) {
        classes->class_of[classes->n_nodes] = c;
        classes->nodes[classes->n_nodes++] = node;
      }
    cls->n_nodes = classes->n_nodes - cls->first_node;
    classes->n_gpus += cls->gpus * cls->n_nodes;
    for (int b = 0; b < cls->n_bays; b++) {
      const struct hadar_bay *bay = &classes->bays[cls->first_bay + b];
      classes->type_gpus[bay->type] += bay->gpus * cls->n_nodes;
    }
    uint32_t entries = (uint32_t)cls->n_nodes;
    classes->max_entries += (int)(cls->full < entries ? cls->full : entries);
  }
}

enum hsim_status hadar_classes_init(struct hadar_classes *classes,
                                    const struct hsim_cluster *cluster, const uint8_t *node_up,
                                    struct hsim_error *error) {
  *classes = (struct hadar_classes){0};
  size_t n = (size_t)cluster->n_nodes;
  classes->at = mem_zero(n, sizeof *classes->at);
  classes->bays = mem_zero((size_t)cluster->n_bays, sizeof *classes->bays);
  classes->nodes = mem_zero(n, sizeof *classes->nodes);
  classes->class_of = mem_zero(n, sizeof *classes->class_of);
  classes->class_of_node = mem_zero(n, sizeof *classes->class_of_node);
  int *example = mem_zero(n, sizeof *example);
  enum hsim_status status = HSIM_OK;
  for (int node = 0; node < cluster->n_nodes && status == HSIM_OK; node++) {
    classes->class_of_node[node] = -1;
    if (!node_up[node])
      continue;
    int c = class_of(classes, cluster, example, node);
    if (c < 0) {
      c = classes->n;
      example[c] = node;
      status = add_class(classes, cluster, node, error);
    }
    classes->class_of_node[node] = c;
  }
  free(example);
  if (status == HSIM_OK)
    list_nodes(classes, cluster);
  return status;
}

void hadar_classes_free(struct hadar_classes *classes) {
  free(classes->at);
  free(classes->bays);
  free(classes->nodes);
  free(classes->class_of);
  free(classes->class_of_node);
  *classes = (struct hadar_classes){0};
}

int hadar_level_gpus(const struct hadar_classes *classes, int cls, uint32_t level) {
  const struct hadar_class *c = &classes->at[cls];
  if (c->n_bays == 1)
    return (int)level;
  int gpus = 0;
  for (int b = 0; b < c->n_bays; b++)
    gpus += hadar_bay_gpus(&classes->bays[c->first_bay + b], level);
  return gpus;
}

void hadar_room_all(const struct hadar_classes *classes, struct hadar_room *room) {
  room->n = classes->n;
  room->gpus = classes->n_gpus;
  for (int c = 0; c < classes->n; c++)
    room->at[c] = (struct hadar_entry){c, classes->at[c].full, classes->at[c].n_nodes};
}

/* First entry not below (cls, level). */
static int entry_at(const struct hadar_room *room, int cls, uint32_t level) {
  int i = 0;
  while (i < room->n &&
         (room->at[i].cls < cls || (room->at[i].cls == cls && room->at[i].level < level)))
    i++;
  return i;
}

void hadar_room_shift(struct hadar_room *room, int cls, uint32_t from, uint32_t to, int nodes) {
  if (from > 0) {
    int i = entry_at(room, cls, from);
    room->at[i].nodes -= nodes;
    if (room->at[i].nodes == 0) {
      room->n--;
      memmove(&room->at[i], &room->at[i + 1], (size_t)(room->n - i) * sizeof *room->at);
    }
  }
  if (to > 0) {
    int i = entry_at(room, cls, to);
    if (i < room->n && room->at[i].cls == cls && room->at[i].level == to) {
      room->at[i].nodes += nodes;
      return;
    }
    memmove(&room->at[i + 1], &room->at[i], (size_t)(room->n - i) * sizeof *room->at);
    room->at[i] = (struct hadar_entry){cls, to, nodes};
    room->n++;
  }
}

void hadar_room_take(struct hadar_room *room, const struct hadar_part *parts, int n, int gpus) {
  for (int i = 0; i < n; i++)
    hadar_room_shift(room, parts[i].cls, parts[i].level, parts[i].level - parts[i].delta,
                     parts[i].nodes);
  room->gpus -= gpus;
}

int hadar_room_compare(const struct hadar_entry *a, int n_a, const struct hadar_entry *b, int n_b) {
  for (int i = 0; i < n_a && i < n_b; i++) {
    if (a[i].cls != b[i].cls)
      return a[i].cls < b[i].cls ? -1 : 1;
    if (a[i].level != b[i].level)
      return a[i].level < b[i].level ? -1 : 1;
    if (a[i].nodes != b[i].nodes)
      return a[i].nodes < b[i].nodes ? -1 : 1;
  }
  return (n_a > n_b) - (n_a < n_b);
}
