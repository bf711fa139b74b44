/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/groups.h"

#include "output/json.h"
#include "output/summary.h"
#include "output_random.h"

static struct groups *groups_after(struct world *w, enum group_key key, const struct group **at,
                                   size_t *n) {
  struct groups *groups = groups_create(&w->info, key);
  assert_int_equal(replay(w, groups_sink(groups), NULL), HSIM_OK);
  *at = groups_figures(groups, n);
  return groups;
}

static void test_tenants(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  w.info.to = 4;
  w.trace.jobs[0].tenant = w.trace.jobs[2].tenant = names_add(&w.trace.tenants, "lab", 3);
  w.trace.jobs[3].tenant = names_add(&w.trace.tenants, "a", 1);
  const struct group *at;
  size_t n;
  struct groups *groups = groups_after(&w, GROUP_TENANT, &at, &n);
  assert_int_equal(n, 3);
  /* By name, whatever the order of their first jobs; those without one are last. */
  assert_string_equal(at[0].name, "a");
  assert_int_equal(at[0].figures.unfinished, 1);
  assert_int_equal(at[0].figures.finished, 0);
  assert_true(at[0].gpu_s == 300);
  assert_true(isnan(at[0].figures.jct.mean) && isnan(at[0].figures.rho.mean));
  assert_string_equal(at[1].name, "lab");
  assert_int_equal(at[1].figures.finished, 1);
  assert_int_equal(at[1].figures.rejected, 1);
  assert_true(at[1].gpu_s == 220); /* up to its end, not to that of the round */
  assert_true(at[1].figures.jct.mean == 110 && at[1].figures.queueing.mean == 0);
  assert_true(fabs(at[1].figures.slowdown.max - 1.1) < 1e-12);
  assert_null(at[2].name);
  assert_true(at[2].figures.jct.mean == 192 && at[2].gpu_s == 152);
  groups_free(groups);
  world_free(&w);
}

static void test_workers_and_window(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  w.info.from = 1;
  w.info.to = 100;
  const struct group *at;
  size_t n;
  struct groups *groups = groups_after(&w, GROUP_WORKERS, &at, &n);
  assert_int_equal(n, 3);
  for (size_t i = 0; i < n; i++) {
    assert_null(at[i].name);
    assert_int_equal(at[i].workers, 1 << i);
  }
  assert_int_equal(at[0].figures.finished + at[1].figures.unfinished + at[2].figures.rejected, 3);
  groups_free(groups);
  w.info.from = 4;
  groups = groups_after(&w, GROUP_MODEL, &at, &n);
  assert_int_equal(n, 0);
  groups_free(groups);
  world_free(&w);
}

/* All jobs of one group: its figures are the run's. The groups of any key add up to them. */
static void test_random(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    struct world w;
    world_init(&w);
    random_stream(&w, seed, 30, 1e5);
    w.info.from = (int)(seed % 4);
    w.info.to = 28;
    struct metrics *metrics = metrics_create(&w.info, w.info.from, w.info.to);
    struct figures whole;
    replay(&w, metrics_sink(metrics), NULL);
    metrics_figures(metrics, &whole);
    const struct group *at;
    size_t n;
    struct groups *groups = groups_after(&w, GROUP_MODEL, &at, &n);
    assert_int_equal(n, 1);
    assert_string_equal(at[0].name, "A");
    const struct figures *f = &at[0].figures;
    assert_int_equal(f->finished, whole.finished);
    assert_int_equal(f->rejected, whole.rejected);
    assert_int_equal(f->unfinished, whole.unfinished);
    assert_memory_equal(&f->jct, &whole.jct, sizeof whole.jct);
    assert_memory_equal(&f->queueing, &whole.queueing, sizeof whole.queueing);
    assert_memory_equal(&f->slowdown, &whole.slowdown, sizeof whole.slowdown);
    assert_memory_equal(&f->rho, &whole.rho, sizeof whole.rho);
    assert_true(f->jain == whole.jain && f->unfair_fraction == whole.unfair_fraction);
    double gpu_s = at[0].gpu_s, sum = 0;
    groups_free(groups);
    groups = groups_after(&w, GROUP_WORKERS, &at, &n);
    uint64_t finished = 0;
    size_t apps = 0;
    for (size_t i = 0; i < n; i++) {
      finished += at[i].figures.finished;
      apps += at[i].figures.rho.n;
      sum += at[i].gpu_s;
    }
    assert_int_equal(finished, whole.finished);
    assert_int_equal(apps, whole.rho.n);
    assert_true(fabs(sum - gpu_s) <= 1e-9 * gpu_s);
    groups_free(groups);
    metrics_free(metrics);
    world_free(&w);
  }
}

static void test_item(void **state) {
  (void)state;
  struct group groups[2] = {{.name = "x \"y\"", .gpu_s = 7200, .figures = {.finished = 1}},
                            {.workers = 8, .gpu_s = 3600}};
  for (int i = 0; i < 2; i++) {
    struct quantiles none = {0, NAN, NAN, NAN, NAN, NAN};
    struct figures *f = &groups[i].figures;
    f->jct = f->queueing = f->slowdown = f->rho = none;
    f->jain = f->unfair_fraction = NAN;
  }
  groups[0].figures.jct = (struct quantiles){1, 2.5, 2.5, 2.5, 2.5, 2.5};
  struct summary_run run = {.by = GROUP_TENANT, .groups = groups, .n_groups = 2};
  cJSON *item = summary_by_item(&run);
  assert_string_equal(json_text(item, "key", ""), "tenant");
  const cJSON *list = json_get(item, "groups"), *first = cJSON_GetArrayItem(list, 0);
  assert_int_equal(cJSON_GetArraySize(list), 2);
  char *text = json_print(first, 0);
  assert_string_equal(text,
                      "{\n"
                      "  \"name\": \"x \\\"y\\\"\",\n"
                      "  \"jobs\": { \"finished\": 1, \"rejected\": 0, \"dropped\": 0, "
                      "\"cancelled\": 0, \"unfinished\": 0 },\n"
                      "  \"gpu_hours\": 2,\n"
                      "  \"jct_s\": { \"mean\": 2.5, \"p50\": 2.5, \"p90\": 2.5, \"p99\": 2.5, "
                      "\"max\": 2.5 },\n"
                      "  \"queueing_s\": { \"mean\": null, \"p50\": null, \"p90\": null, "
                      "\"p99\": null, \"max\": null },\n"
                      "  \"slowdown\": { \"mean\": null, \"p50\": null, \"p90\": null, "
                      "\"p99\": null, \"max\": null },\n"
                      "  \"rho\": {\n"
                      "    \"mean\": null,\n"
                      "    \"p50\": null,\n"
                      "    \"p99\": null,\n"
                      "    \"max\": null,\n"
                      "    \"unfair_fraction\": null,\n"
                      "    \"jain\": null\n"
                      "  }\n"
                      "}");
  free(text);
  assert_true(cJSON_IsNull(json_get(cJSON_GetArrayItem(list, 1), "name")));
  cJSON_Delete(item);
  run.by = GROUP_WORKERS;
  item = summary_by_item(&run);
  text = json_print(json_get(cJSON_GetArrayItem(json_get(item, "groups"), 1), "name"), 0);
  assert_string_equal(text, "8");
  free(text);
  cJSON_Delete(item);
}

/* Two seeds of a row: means over the groups of one name; a name that one of them lacks. */
static void test_table(void **state) {
  (void)state;
  static const char text[] =
      "{\"runs\":[{\"by\":{\"key\":\"tenant\",\"groups\":["
      "{\"name\":\"a\",\"jobs\":{\"finished\":2,\"dropped\":0},\"gpu_hours\":1,"
      "\"jct_s\":{\"mean\":3600},\"slowdown\":{\"mean\":1.5,\"max\":2}},"
      "{\"name\":null,\"jobs\":{\"finished\":0,\"dropped\":1},\"gpu_hours\":0,"
      "\"jct_s\":{\"mean\":null}}]}},"
      "{\"by\":{\"key\":\"tenant\",\"groups\":["
      "{\"name\":\"a\",\"jobs\":{\"finished\":1,\"dropped\":1},\"gpu_hours\":2,"
      "\"jct_s\":{\"mean\":7200},\"slowdown\":{\"mean\":2.5,\"max\":4}},"
      "{\"name\":\"b\",\"jobs\":{\"finished\":1,\"dropped\":0},\"gpu_hours\":7}]}}]}";
  cJSON *document = cJSON_Parse(text), *rows = cJSON_Parse("[{\"label\":\"las\"}]");
  assert_non_null(document);
  FILE *file = tmpfile();
  summary_by_table(document, rows, file);
  char *printed = slurp(file);
  assert_string_equal(printed, "\n"
                               "                finished    GPU  JCT h  JCT h  JCT h  queue h  "
                               "slowdown  slowdown   rho  rho\n"
                               "policy  tenant   of jobs  hours   mean    p50    p99     mean      "
                               "mean       max  mean  max\n"
                               "las     a          1.5/2   1.50  1.50*      -      -        -     "
                               "2.00*     3.00*     -    -\n"
                               "las     b            1/1   7.00      -      -      -        -      "
                               "   -         -     -    -\n"
                               "las     -            0/1   0.00      -      -      -        -      "
                               "   -         -     -    -\n");
  free(printed);
  fclose(file);
  cJSON_Delete(document);
  document = cJSON_Parse("{\"runs\":[{\"policy\":\"las\"}]}");
  file = tmpfile();
  summary_by_table(document, rows, file); /* nothing without groups */
  printed = slurp(file);
  assert_string_equal(printed, "");
  free(printed);
  fclose(file);
  cJSON_Delete(document);
  cJSON_Delete(rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tenants), cmocka_unit_test(test_workers_and_window),
      cmocka_unit_test(test_random),  cmocka_unit_test(test_item),
      cmocka_unit_test(test_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
