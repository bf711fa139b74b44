/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node that got no bay leaves no trace but its count and its name. */
static void drop_empty_node(struct cluster *cluster) {
  struct hsim_cluster *view = &cluster->view;
  if (view->n_nodes == 0 || cluster->nodes[view->n_nodes - 1].n_bays > 0)
    return;
  view->n_nodes--;
  cluster->skipped_nodes++;
}

enum hsim_status cluster_add_node(struct cluster *cluster, const char *name, const char *rack,
                                  int slot_size, struct hsim_error *error) {
  drop_empty_node(cluster);
  struct hsim_cluster *view = &cluster->view;
  if (slot_size < 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "slot_size is %d; expected 0 or more GPUs", slot_size);
  char numbered[32];
  if (name == NULL) {
    snprintf(numbered, sizeof numbered, "n%d", view->n_nodes + cluster->skipped_nodes);
    name = numbered;
  }
  if (name[0] == '\0')
    return hsim_fail(error, HSIM_BAD_INPUT, "a node's name is empty");
  int known = cluster->node_names.n;
  int number = names_add(&cluster->node_names, name, strlen(name));
  if (number < known)
    return hsim_fail(error, HSIM_BAD_INPUT, "node name \"%s\" is used twice; names must be unique",
                     name);
  cluster->nodes = mem_grow(cluster->nodes, (size_t)view->n_nodes + 1, &cluster->nodes_capacity,
                            sizeof *cluster->nodes);
  cluster->nodes[view->n_nodes++] = (struct hsim_node){
      .name = cluster->node_names.at[number],
      .rack = rack == NULL ? -1 : names_add(&cluster->racks, rack, strlen(rack)),
      .slot_size = slot_size,
      .first_bay = view->n_bays,
  };
  return HSIM_OK;
}

/* The type's number, new or known; -1 with *error when the cluster may not have one more. */
static int type_number(struct cluster *cluster, const char *type, struct hsim_error *error) {
  size_t length = strlen(type);
  int number = names_find(&cluster->types, type, length);
  if (number >= 0)
    return number;
  if (length == 0) {
    hsim_fail(error, HSIM_BAD_INPUT, "a GPU type's name is empty");
    return -1;
  }
  if (cluster->types.n == HSIM_MAX_TYPES) {
    hsim_fail(error, HSIM_BAD_INPUT, "GPU type \"%s\" is one too many; a cluster has at most %d",
              type, HSIM_MAX_TYPES);
    return -1;
  }
  if (cluster->type_gpus == NULL)
    cluster->type_gpus = mem_zero(HSIM_MAX_TYPES, sizeof *cluster->type_gpus);
  return names_add(&cluster->types, type, length);
}

enum hsim_status cluster_add_bay(struct cluster *cluster, const char *type, int gpus,
                                 struct hsim_error *error) {
  struct hsim_cluster *view = &cluster->view;
  if (view->n_nodes == 0)
    return hsim_fail(error, HSIM_BUG, "GPUs of type \"%s\" were added before any node", type);
  struct hsim_node *node = &cluster->nodes[view->n_nodes - 1];
  if (gpus < 1)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "node \"%s\" has %d GPUs of type \"%s\"; expected 1 or more", node->name, gpus,
                     type);
  if (gpus > CLUSTER_MAX_GPUS - view->n_gpus)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "node \"%s\" brings the cluster above %d GPUs, the most that it may have",
                     node->name, CLUSTER_MAX_GPUS);
  int number = type_number(cluster, type, error);
  if (number < 0)
    return HSIM_BAD_INPUT;
  for (int bay = node->first_bay; bay < view->n_bays; bay++)
    if (cluster->bays[bay].type == number)
      return hsim_fail(error, HSIM_BAD_INPUT, "node \"%s\" names GPU type \"%s\" twice", node->name,
                       type);
  cluster->bays = mem_grow(cluster->bays, (size_t)view->n_bays + 1, &cluster->bays_capacity,
                           sizeof *cluster->bays);
  cluster->bays[view->n_bays++] = (struct hsim_bay){
      .node = view->n_nodes - 1, .type = number, .gpus = gpus, .first_gpu = view->n_gpus};
  node->n_bays++;
  node->gpus += gpus;
  view->n_gpus += gpus;
  cluster->type_gpus[number] += gpus;
  return HSIM_OK;
}

enum hsim_status cluster_finish(struct cluster *cluster, const char *name,
                                struct hsim_error *error) {
  drop_empty_node(cluster);
  struct hsim_cluster *view = &cluster->view;
  if (view->n_gpus == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "cluster \"%s\" has no GPU", name);
  view->name = arena_text(&cluster->texts, name, strlen(name));
  view->n_types = cluster->types.n;
  view->n_racks = cluster->racks.n;
  view->type_names = (const char *const *)cluster->types.at;
  view->rack_names = (const char *const *)cluster->racks.at;
  view->type_gpus = cluster->type_gpus;
  view->nodes = cluster->nodes;
  view->bays = cluster->bays;
  return HSIM_OK;
}

void cluster_free(struct cluster *cluster) {
  free(cluster->nodes);
  free(cluster->bays);
  free(cluster->type_gpus);
  free(cluster->file);
  names_free(&cluster->types);
  names_free(&cluster->racks);
  names_free(&cluster->node_names);
  arena_free(&cluster->texts);
  *cluster = (struct cluster){0};
}

int cluster_find_type(const struct hsim_cluster *cluster, const char *name) {
  for (int t = 0; t < cluster->n_types; t++)
    if (strcmp(cluster->type_names[t], name) == 0)
      return t;
  return -1;
}
