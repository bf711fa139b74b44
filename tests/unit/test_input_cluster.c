/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input_fixture.h"

#include "input/costs.h"

static void read_cluster(const char *text, struct cluster *cluster) {
  struct hsim_error error = {.text = ""};
  if (cluster_read(text, cluster, &error) != HSIM_OK)
    fail_msg("%s", error.text);
}

static void expect_error(const char *text, enum hsim_status status, const char *expected) {
  struct hsim_error error = {.text = ""};
  struct cluster cluster;
  assert_int_equal(cluster_read(text, &cluster, &error), status);
  assert_string_equal(error.text, expected);
  assert_null(cluster.file);
}

static void test_spec(void **state) {
  (void)state;
  struct cluster cluster;
  read_cluster("v100=5x4,p100=5x4,k80=5x4", &cluster);
  assert_string_equal(cluster.view.name, "v100=5x4,p100=5x4,k80=5x4");
  assert_int_equal(cluster.view.n_nodes, 15);
  assert_int_equal(cluster.view.n_gpus, 60);
  assert_string_equal(cluster.view.type_names[1], "p100");
  assert_string_equal(cluster.view.nodes[14].name, "n14");
  cluster_free(&cluster);
  read_cluster("a=x=2x8,v100=36x1,a=x=1x2", &cluster); /* a name may hold = and x */
  assert_int_equal(cluster.view.n_types, 2);
  assert_string_equal(cluster.view.type_names[0], "a=x");
  assert_int_equal(cluster.view.type_gpus[0], 18);
  assert_int_equal(cluster.view.n_nodes, 39);
  cluster_free(&cluster);
}

static void test_bad_specs(void **state) {
  (void)state;
  static const char *const bad[] = {"v100=",      "v100=5",   "v100=5x",   "v100=x4",
                                    "v100=0x4",   "v100=4x0", "v100=-1x4", "=5x4",
                                    "v100=5x4.5", "v100=5*4", "v100=5x 4", "v100=10000001x1"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char expected[300];
    snprintf(expected, sizeof expected,
             "cluster %s: \"%s\": expected TYPE=NODESxGPUS with numbers from 1 to 10000000, such "
             "as v100=5x4,k80=2x8",
             bad[i], bad[i]);
    expect_error(bad[i], HSIM_BAD_USAGE, expected);
  }
  expect_error("v100=5x4,", HSIM_BAD_USAGE,
               "cluster v100=5x4,: \"\": expected TYPE=NODESxGPUS with numbers from 1 to 10000000, "
               "such as v100=5x4,k80=2x8");
  expect_error("v100=10000000x10000000", HSIM_BAD_USAGE,
               "cluster v100=10000000x10000000: \"v100=10000000x10000000\": expected at most "
               "10000000 GPUs");
  static const char *const absent[] = {"no-such-file", "1:2", "a:b:c", "1:2:3:4", "1.5:1:1"};
  for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
    char expected[300];
    snprintf(expected, sizeof expected,
             "%s: cannot be read: No such file or directory: expected a file, builtin:NAME, or a "
             "SPEC: TYPE=NODESxGPUS joined by commas, or V100:P100:K80",
             absent[i]);
    expect_error(absent[i], HSIM_BAD_INPUT, expected);
  }
  expect_error("no-such-file.json", HSIM_BAD_INPUT,
               "no-such-file.json: cannot be read: No such file or directory");
}

static void test_builtin(void **state) {
  (void)state;
  struct cluster cluster;
  read_cluster(CLUSTER_DEFAULT, &cluster);
  assert_string_equal(cluster.view.name, "hadar60");
  assert_string_equal(cluster.file, "builtin:hadar60");
  assert_int_equal(cluster.view.n_nodes, 15);
  assert_int_equal(cluster.view.n_types, 3);
  for (int t = 0; t < 3; t++)
    assert_int_equal(cluster.view.type_gpus[t], 20);
  assert_string_equal(cluster.view.type_names[0], "v100");
  assert_string_equal(cluster.view.type_names[2], "k80");
  cluster_free(&cluster);
}

static void test_json(void **state) {
  (void)state;
  struct cluster cluster;
  write_text("c.json", "{ \"name\": \"example\", \"nodes\": [\n"
                       "  {\"count\": 2, \"gpus\": {\"v100\": 4}, \"rack\": \"r1\", "
                       "\"slot_size\": 2, \"name\": \"a\"},\n"
                       "  {\"gpus\": {\"v100\": 0}},\n"
                       "  {\"gpus\": {}},\n"
                       "  {\"gpus\": {\"v100\": 2, \"p4\": 0, \"k80\": 3}} ]}\n");
  read_cluster("c.json", &cluster);
  const struct hsim_cluster *view = &cluster.view;
  assert_string_equal(view->name, "example");
  assert_int_equal(view->n_nodes, 3);
  assert_int_equal(cluster.skipped_nodes, 2);
  assert_int_equal(view->n_types, 2);
  assert_string_equal(view->nodes[1].name, "a-1");
  assert_int_equal(view->nodes[1].slot_size, 2);
  assert_string_equal(view->rack_names[view->nodes[1].rack], "r1");
  assert_string_equal(view->nodes[2].name, "n4");
  assert_int_equal(view->nodes[2].rack, -1);
  assert_int_equal(view->nodes[2].gpus, 5);
  assert_int_equal(view->n_gpus, 13);
  cluster_free(&cluster);
  write_text("c.json", "{\"nodes\":[{\"gpus\":{\"v100\":1}}]}");
  read_cluster("c.json", &cluster);
  assert_string_equal(cluster.view.name, "c.json");
  cluster_free(&cluster);
  unlink("c.json");
}

static void test_bad_json(void **state) {
  (void)state;
  static const struct {
    const char *text, *expected;
  } bad[] = {
      {"", "c: is empty: expected JSON"},
      {" \n ", "c: is empty: expected JSON"},
      {"{\"nodes\": [", "c:1:12: not valid JSON: it ends too early"},
      {"{\"nodes\":\n[{\"gpus\": {\"v100\": 4}},]}", "c:2:24: not valid JSON near \"]}\""},
      {"{\"nodes\": [{}]} x", "c:1:17: not valid JSON near \"x\""},
      {"{\"name\": \"abc", "c:1:11: not valid JSON near \"abc\""},
      {"{\"name\": tru", "c:1:10: not valid JSON near \"tru\""},
      {"{\"name\": NaN}", "c:1:10: not valid JSON near \"NaN}\""},
      {"{'name': 1}", "c:1:3: not valid JSON near \"name': 1}\""},
      {"[]", "c: value is an array: expected an object"},
      {"{}", "c: value is an object: expected the key nodes"},
      {"{\"nodes\": {}}", "c: nodes: value is an object: expected an array of nodes"},
      {"{\"name\": 5, \"nodes\": []}", "c: name: value 5: expected a text that is not empty"},
      {"{\"nodes\": []}", "c: cluster \"c\" has no GPU"},
      {"{\"nodes\": [{\"gpus\": {\"v100\": 0}}]}", "c: cluster \"c\" has no GPU"},
      {"{\"node\": []}", "c: node: unknown key: expected name or nodes; did you mean \"nodes\"?"},
      {"{\"nodes\": [], \"nodes\": []}", "c: nodes: the key stands there twice"},
      {"{\"nodes\": [5]}", "c: nodes[0]: value 5: expected an object"},
      {"{\"nodes\": [{\"count\": 1}]}", "c: nodes[0]: value is an object: expected the key gpus"},
      {"{\"nodes\": [{\"gpu\": {}}]}", "c: nodes[0].gpu: unknown key: expected count, gpus, rack, "
                                       "slot_size or name; did you mean \"gpus\"?"},
      {"{\"nodes\": [{\"gpus\": [4]}]}", "c: nodes[0].gpus: value is an array: expected an object "
                                         "of GPU types and numbers like {\"v100\": 4}"},
      {"{\"nodes\": [{\"gpus\": {\"v100\": 1}}, {\"gpus\": {\"v100\": -1}}]}",
       "c: nodes[1].gpus.v100: value -1: expected a whole number from 0 to 10000000"},
      {"{\"nodes\": [{\"gpus\": {\"v 1\": 1.5}}]}",
       "c: nodes[0].gpus[\"v 1\"]: value 1.5: expected a whole number from 0 to 10000000"},
      {"{\"nodes\": [{\"gpus\": {\"v100\": \"4\"}}]}",
       "c: nodes[0].gpus.v100: value \"4\": expected a whole number from 0 to 10000000"},
      {"{\"nodes\": [{\"gpus\": {\"v100\": 1e999}}]}",
       "c: nodes[0].gpus.v100: value inf: expected a whole number from 0 to 10000000"},
      {"{\"nodes\": [{\"gpus\": {\"v100\": true}}]}",
       "c: nodes[0].gpus.v100: value true: expected a whole number from 0 to 10000000"},
      {"{\"nodes\": [{\"gpus\": {\"\": 1}}]}",
       "c: nodes[0].gpus[\"\"]: value 1: expected a GPU type whose name is not empty"},
      {"{\"nodes\": [{\"gpus\": {\"v100\": 1, \"v100\": 2}}]}",
       "c: nodes[0]: node \"n0\" names GPU type \"v100\" twice"},
      {"{\"nodes\": [{\"count\": 0, \"gpus\": {\"v100\": 1}}]}",
       "c: nodes[0].count: value 0: expected a whole number from 1 to 10000000"},
      {"{\"nodes\": [{\"count\": 2.5, \"gpus\": {\"v100\": 1}}]}",
       "c: nodes[0].count: value 2.5: expected a whole number from 1 to 10000000"},
      {"{\"nodes\": [{\"slot_size\": 0, \"gpus\": {\"v100\": 1}}]}",
       "c: nodes[0].slot_size: value 0: expected a whole number from 1 to 10000000"},
      {"{\"nodes\": [{\"rack\": null, \"gpus\": {\"v100\": 1}}]}",
       "c: nodes[0].rack: value null: expected a text that is not empty"},
      {"{\"nodes\": [{\"name\": \"\", \"gpus\": {\"v100\": 1}}]}",
       "c: nodes[0].name: value \"\": expected a text that is not empty"},
      {"{\"nodes\": [{\"name\": \"a\", \"gpus\": {\"v100\": 1}}, "
       "{\"name\": \"a\", \"gpus\": {\"v100\": 1}}]}",
       "c: nodes[1]: node name \"a\" is used twice; names must be unique"},
      {"{\"nodes\": [{\"count\": 10000000, \"gpus\": {\"v100\": 10000000}}]}",
       "c: nodes[0]: value is an object: expected at most 10000000 nodes and GPUs in the cluster"},
      {"{\"nodes\": [{\"gpus\": {\"a\": 10000000, \"b\": 1}}]}",
       "c: nodes[0].gpus.b: value 1: expected at most 10000000 GPUs in the cluster"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_text("c", bad[i].text);
    expect_error("c", HSIM_BAD_INPUT, bad[i].expected);
  }
  char deep[5000];
  memset(deep, '[', sizeof deep);
  write_bytes("c", deep, sizeof deep);
  struct hsim_error error;
  struct cluster cluster;
  assert_int_equal(cluster_read("c", &cluster, &error), HSIM_BAD_INPUT);
  write_bytes("c", "{\"nodes\":\0[]}", 13);
  assert_int_equal(cluster_read("c", &cluster, &error), HSIM_BAD_INPUT);
  unlink("c");
}

static void test_costs(void **state) {
  (void)state;
  struct costs costs;
  struct hsim_error error = {.text = ""};
  write_text("c", "{\"start\": 100, \"move\": 60.5, \"rollback\": \"interval\", "
                  "\"checkpoint_s\": 2, \"checkpoint_interval_s\": 600}");
  assert_int_equal(costs_read("c", &costs, &error), HSIM_OK);
  assert_null(costs.preset);
  assert_true(costs.start == 100 && costs.move == 60.5 && costs.resize == 10);
  assert_int_equal(costs.rollback, ROLLBACK_INTERVAL);
  assert_true(costs.checkpoint_s == 2 && costs.checkpoint_interval_s == 600);
  static const struct {
    const char *text, *expected;
  } bad[] = {
      {"{\"start\": -1}", "c: start: value -1: expected a number of at least 0"},
      {"{\"move\": \"1\"}", "c: move: value \"1\": expected a number of at least 0"},
      {"{\"rezise\": 1}", "c: rezise: unknown key: expected start, move, resize, rollback, "
                          "checkpoint_s or checkpoint_interval_s; did you mean \"resize\"?"},
      {"{\"rollback\": \"epochs\"}",
       "c: rollback: value \"epochs\": expected \"none\", \"epoch\", \"interval\" or \"failure\""},
      {"{\"checkpoint_s\": 1}", "c: value is an object: expected a checkpoint_interval_s above 0 "
                                "beside checkpoint_s"},
      {"{\"rollback\": \"interval\"}", "c: value is an object: expected a checkpoint_interval_s "
                                       "above 0 beside this rollback"},
      {"{\"start\": 1", "c:1:12: not valid JSON: it ends too early"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_text("c", bad[i].text);
    assert_int_equal(costs_read("c", &costs, &error), HSIM_BAD_INPUT);
    assert_string_equal(error.text, bad[i].expected);
  }
  unlink("c");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spec), cmocka_unit_test(test_bad_specs), cmocka_unit_test(test_builtin),
      cmocka_unit_test(test_json), cmocka_unit_test(test_bad_json),  cmocka_unit_test(test_costs),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
