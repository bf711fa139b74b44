/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published lists of machines, and Gavel's three numbers. */
#include "input_fixture.h"

static void read_cluster(const char *text, struct cluster *cluster) {
  struct hsim_error error = {.text = ""};
  if (cluster_read(text, cluster, &error) != HSIM_OK)
    fail_msg("%s", error.text);
}

static void test_philly_machines(void **state) {
  (void)state;
  struct cluster cluster;
  struct hsim_error error;
  read_cluster(DATA("philly_machines.csv"), &cluster);
  const struct hsim_cluster *view = &cluster.view;
  assert_int_equal(view->n_nodes, 5);
  assert_int_equal(view->n_gpus, 8 + 8 + 8 + 4 + 2);
  assert_int_equal(cluster.skipped_nodes, 1);
  assert_string_equal(view->nodes[2].name, "m100");
  assert_string_equal(view->type_names[0], "v100");
  cluster_free(&cluster);
  assert_int_equal(cluster_read_as(DATA("philly_machines.csv"), "p100", &cluster, &error), HSIM_OK);
  assert_string_equal(cluster.view.type_names[0], "p100");
  cluster_free(&cluster);
}

static void test_openb_nodes(void **state) {
  (void)state;
  struct cluster cluster;
  read_cluster(DATA("openb_nodes.csv"), &cluster);
  const struct hsim_cluster *view = &cluster.view;
  assert_int_equal(view->n_nodes, 4);
  assert_int_equal(view->n_types, 3);
  assert_string_equal(view->type_names[0], "P100");
  assert_string_equal(view->type_names[1], "V100M32");
  assert_int_equal(view->type_gpus[0], 4);
  assert_int_equal(view->type_gpus[2], 8);
  assert_string_equal(view->nodes[1].name, "openb-node-0001");
  cluster_free(&cluster);
  write_text("c", "sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\nb,1,1,2,T4\n");
  read_cluster("c", &cluster);
  assert_int_equal(cluster.skipped_nodes, 1);
  assert_int_equal(cluster.view.n_nodes, 1);
  cluster_free(&cluster);
  write_text("c",
             "node_name,gpu_model,gpu_capacity_num,cpu_num\n0,GPU-series-1,4,192\n2,A10,1,1\n");
  read_cluster("c", &cluster);
  assert_int_equal(cluster.view.n_gpus, 5);
  cluster_free(&cluster);
  unlink("c");
}

static void test_tiresias_cluster(void **state) {
  (void)state;
  struct cluster cluster;
  read_cluster(DATA("tiresias_cluster.csv"), &cluster);
  assert_int_equal(cluster.view.n_nodes, 16);
  assert_int_equal(cluster.view.n_gpus, 64);
  assert_int_equal(cluster.racks.n, 1);
  cluster_free(&cluster);
  write_text("c", "num_switch,num_node_p_switch,num_gpu_p_node\n2,3,4\n1,2,8\n");
  read_cluster("c", &cluster);
  assert_int_equal(cluster.view.n_nodes, 8);
  assert_int_equal(cluster.view.n_gpus, 24 + 16);
  assert_int_equal(cluster.racks.n, 3);
  assert_int_equal(cluster.view.nodes[2].rack, 0);
  assert_int_equal(cluster.view.nodes[3].rack, 1);
  cluster_free(&cluster);
  unlink("c");
}

static void test_three_numbers(void **state) {
  (void)state;
  struct cluster cluster;
  read_cluster("2:0:3", &cluster);
  assert_int_equal(cluster.view.n_nodes, 5);
  assert_int_equal(cluster.view.n_types, 2);
  assert_string_equal(cluster.view.type_names[1], "k80");
  assert_int_equal(cluster.view.type_gpus[1], 3);
  cluster_free(&cluster);
}

static void test_faults(void **state) {
  (void)state;
#define NODES "sn,cpu_milli,memory_mib,gpu,model\n"
  static const struct {
    const char *text, *expected;
  } faults[] = {
      {"sn,cpu_milli,memory_mib,gpu\n",
       "c:1: an openb node list needs the column model; the header has sn, cpu_milli, memory_mib, "
       "gpu"},
      {"sn,gpu,model,colour\n",
       "c:1: unknown column \"colour\" (the names of additional columns start with x_)"},
      {NODES "a,1,1,two,T4\n",
       "c:2: column gpu: value \"two\": expected a whole number from 0 to 10000000"},
      {NODES "a,1,1,-1,T4\n",
       "c:2: column gpu: value \"-1\": expected a whole number from 0 to 10000000"},
      {NODES "a,1,1,2,\n", "c:2: column model: value \"\": expected a text that is not empty"},
      {NODES ",1,1,2,T4\n", "c:2: column sn: value \"\": expected a text that is not empty"},
      {NODES "a,1,1,2,T4\na,1,1,2,T4\n",
       "c:3: node name \"a\" is used twice; names must be unique"},
      {NODES "a,1,1,10000000,T4\nb,1,1,1,T4\n",
       "c:3: column gpu: value \"1\": expected at most 10000000 nodes and GPUs in the cluster"},
      {NODES "a,1,1,2,T4\nb,1\n", "c:3: a row of 2 cells: expected 5, as in the header"},
      {",machineId,number of GPUs\n0,m0,8.0\n",
       "c:2: column number of GPUs: value \"8.0\": expected a whole number from 0 to 10000000"},
      {"num_switch,num_node_p_switch,num_gpu_p_node\n0,3,4\n",
       "c:2: column num_switch: value \"0\": expected a whole number from 1 to 10000000"},
      {"num_switch,num_node_p_switch,num_gpu_p_node\n10000,10000,1\n",
       "c:2: column num_gpu_p_node: value \"1\": expected at most 10000000 nodes and GPUs in the "
       "cluster"},
      {"a,b,c\n", "c:1:1: not valid JSON near \"a,b,c\""},
  };
  struct cluster cluster;
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    struct hsim_error error = {.text = ""};
    write_text("c", faults[i].text);
    assert_int_equal(cluster_read("c", &cluster, &error), HSIM_BAD_INPUT);
    assert_string_equal(error.text, faults[i].expected);
  }
  struct hsim_error error = {.text = ""};
  write_bytes("c", NODES "a\0", sizeof NODES + 1);
  assert_int_equal(cluster_read("c", &cluster, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, "c:2: a zero byte: expected text");
  unlink("c");
  assert_int_equal(cluster_read("0:0:0", &cluster, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text, "cluster 0:0:0: 0 GPUs: expected from 1 to 10000000");
  assert_int_equal(cluster_read("1::1", &cluster, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text, "cluster 1::1: expected V100:P100:K80, numbers of one-GPU nodes "
                                  "from 0 to 10000000");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_philly_machines),  cmocka_unit_test(test_openb_nodes),
      cmocka_unit_test(test_tiresias_cluster), cmocka_unit_test(test_three_numbers),
      cmocka_unit_test(test_faults),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
