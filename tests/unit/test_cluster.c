/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/cluster.h"

static void add_node(struct cluster *cluster, const char *name, const char *rack, int slot_size) {
  assert_int_equal(cluster_add_node(cluster, name, rack, slot_size, NULL), HSIM_OK);
}

static void add_bay(struct cluster *cluster, const char *type, int gpus) {
  assert_int_equal(cluster_add_bay(cluster, type, gpus, NULL), HSIM_OK);
}

static void indices_run_in_order(void **state) {
  (void)state;
  struct cluster cluster = {0};
  add_node(&cluster, NULL, "r1", 2);
  add_bay(&cluster, "v100", 4);
  add_node(&cluster, "big", NULL, 0);
  add_bay(&cluster, "k80", 2);
  add_bay(&cluster, "v100", 3);
  add_node(&cluster, NULL, "r2", 0);
  add_bay(&cluster, "p100", 1);
  add_node(&cluster, NULL, "r1", 0);
  add_bay(&cluster, "k80", 8);
  assert_int_equal(cluster_finish(&cluster, "test", NULL), HSIM_OK);
  const struct hsim_cluster *view = &cluster.view;
  assert_string_equal(view->name, "test");
  assert_int_equal(view->n_types, 3);
  assert_int_equal(view->n_nodes, 4);
  assert_int_equal(view->n_bays, 5);
  assert_int_equal(view->n_gpus, 18);
  assert_int_equal(view->n_racks, 2);
  static const char *const types[] = {"v100", "k80", "p100"};
  static const int type_gpus[] = {7, 10, 1};
  for (int t = 0; t < 3; t++) {
    assert_string_equal(view->type_names[t], types[t]);
    assert_int_equal(view->type_gpus[t], type_gpus[t]);
  }
  static const char *const names[] = {"n0", "big", "n2", "n3"};
  static const int racks[] = {0, -1, 1, 0}, gpus[] = {4, 5, 1, 8}, first_bays[] = {0, 1, 3, 4};
  for (int n = 0; n < 4; n++) {
    assert_string_equal(view->nodes[n].name, names[n]);
    assert_int_equal(view->nodes[n].rack, racks[n]);
    assert_int_equal(view->nodes[n].gpus, gpus[n]);
    assert_int_equal(view->nodes[n].first_bay, first_bays[n]);
    assert_int_equal(view->nodes[n].n_bays, n == 1 ? 2 : 1);
    assert_int_equal(view->nodes[n].slot_size, n == 0 ? 2 : 0);
  }
  static const int bay_types[] = {0, 1, 0, 2, 1}, first_gpus[] = {0, 4, 6, 9, 10};
  static const int bay_nodes[] = {0, 1, 1, 2, 3}, bay_gpus[] = {4, 2, 3, 1, 8};
  for (int b = 0; b < 5; b++) {
    assert_int_equal(view->bays[b].type, bay_types[b]);
    assert_int_equal(view->bays[b].first_gpu, first_gpus[b]);
    assert_int_equal(view->bays[b].node, bay_nodes[b]);
    assert_int_equal(view->bays[b].gpus, bay_gpus[b]);
  }
  assert_string_equal(view->rack_names[1], "r2");
  cluster_free(&cluster);
  cluster_free(&cluster);
}

static void nodes_without_gpus_are_skipped(void **state) {
  (void)state;
  struct cluster cluster = {0};
  add_node(&cluster, NULL, NULL, 0);
  add_node(&cluster, "login", NULL, 0);
  add_node(&cluster, NULL, NULL, 0);
  add_bay(&cluster, "v100", 4);
  add_node(&cluster, NULL, NULL, 0);
  assert_int_equal(cluster_finish(&cluster, "c", NULL), HSIM_OK);
  assert_int_equal(cluster.view.n_nodes, 1);
  assert_int_equal(cluster.skipped_nodes, 3);
  assert_string_equal(cluster.view.nodes[0].name, "n2"); /* its place in the file */
  assert_int_equal(cluster.view.nodes[0].first_bay, 0);
  assert_int_equal(cluster.view.bays[0].node, 0);
  cluster_free(&cluster);
}

static void many_nodes_keep_their_names(void **state) {
  (void)state;
  enum { N = 20000 };
  struct cluster cluster = {0};
  for (int i = 0; i < N; i++) {
    add_node(&cluster, NULL, NULL, 0);
    add_bay(&cluster, i % 2 == 0 ? "a" : "b", 1 + i % 8);
  }
  assert_int_equal(cluster_finish(&cluster, "big", NULL), HSIM_OK);
  int gpu = 0;
  for (int i = 0; i < N; i++) {
    char name[32];
    snprintf(name, sizeof name, "n%d", i);
    assert_string_equal(cluster.view.nodes[i].name, name);
    assert_int_equal(cluster.view.bays[i].first_gpu, gpu);
    gpu += 1 + i % 8;
  }
  assert_int_equal(cluster.view.n_gpus, gpu);
  cluster_free(&cluster);
}

/* The call must fail as bad input and its message must hold `part`. */
#define assert_fails(call, part)                                                                   \
  do {                                                                                             \
    struct hsim_error error = {0};                                                                 \
    assert_int_equal((call), HSIM_BAD_INPUT);                                                      \
    assert_int_equal(error.status, HSIM_BAD_INPUT);                                                \
    if (strstr(error.text, part) == NULL)                                                          \
      fail_msg("\"%s\" lacks \"%s\"", error.text, part);                                           \
  } while (0)

static void faults_are_named(void **state) {
  (void)state;
  struct cluster cluster = {0};
  assert_fails(cluster_finish(&cluster, "empty", &error), "cluster \"empty\" has no GPU");
  assert_int_equal(cluster_add_bay(&cluster, "v100", 1, NULL), HSIM_BUG);
  add_node(&cluster, "n1", NULL, 0);
  assert_fails(cluster_finish(&cluster, "empty", &error), "has no GPU");
  cluster_free(&cluster);
  add_node(&cluster, "n1", NULL, 0);
  add_bay(&cluster, "v100", 1);
  assert_fails(cluster_add_bay(&cluster, "v100", 1, &error),
               "\"n1\" names GPU type \"v100\" twice");
  assert_fails(cluster_add_bay(&cluster, "k80", 0, &error), "has 0 GPUs of type \"k80\"");
  assert_fails(cluster_add_bay(&cluster, "k80", -3, &error), "has -3 GPUs");
  assert_fails(cluster_add_bay(&cluster, "k80", CLUSTER_MAX_GPUS, &error), "above 10000000 GPUs");
  assert_fails(cluster_add_bay(&cluster, "", 1, &error), "name is empty");
  assert_fails(cluster_add_node(&cluster, "n1", NULL, 0, &error), "\"n1\" is used twice");
  assert_fails(cluster_add_node(&cluster, NULL, NULL, 0, &error), "\"n1\" is used twice");
  assert_fails(cluster_add_node(&cluster, "", NULL, 0, &error), "name is empty");
  assert_fails(cluster_add_node(&cluster, "x", NULL, -1, &error), "slot_size is -1");
  add_bay(&cluster, "k80", CLUSTER_MAX_GPUS - 1);
  assert_int_equal(cluster_finish(&cluster, "full", NULL), HSIM_OK);
  assert_int_equal(cluster.view.n_nodes, 1);
  assert_int_equal(cluster.view.n_gpus, CLUSTER_MAX_GPUS);
  cluster_free(&cluster);
}

static void types_are_limited(void **state) {
  (void)state;
  struct cluster cluster = {0};
  char type[32];
  add_node(&cluster, NULL, NULL, 0);
  for (int i = 0; i < HSIM_MAX_TYPES; i++) {
    snprintf(type, sizeof type, "t%d", i);
    add_bay(&cluster, type, 1);
  }
  assert_fails(cluster_add_bay(&cluster, "extra", 1, &error), "\"extra\" is one too many");
  assert_int_equal(cluster_finish(&cluster, "c", NULL), HSIM_OK);
  assert_int_equal(cluster.view.n_types, HSIM_MAX_TYPES);
  cluster_free(&cluster);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(indices_run_in_order),
      cmocka_unit_test(nodes_without_gpus_are_skipped),
      cmocka_unit_test(many_nodes_keep_their_names),
      cmocka_unit_test(faults_are_named),
      cmocka_unit_test(types_are_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
