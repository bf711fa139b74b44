/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output_document.h"

#include "output/text_table.h"

/* Where `text` begins in `whole`, a failure when it is not there. */
static const char *has(const char *whole, const char *text) {
  const char *at = strstr(whole, text);
  if (at == NULL)
    fail_msg("\"%s\" is not in\n%s", text, whole);
  return at;
}

static void has_not(const char *whole, const char *text) {
  if (strstr(whole, text) != NULL)
    fail_msg("\"%s\" is in\n%s", text, whole);
}

static const char expected_document[] =
    "{\n"
    "  \"schema\": \"hsim.summary/1\",\n"
    "  \"hsim_version\": \"0.1.0\",\n"
    "  \"trace\": {\n"
    "    \"file\": \"traces/st\xc3\xb6ry.csv\",\n"
    "    \"sha256\": \"00ff\",\n"
    "    \"format\": \"native\",\n"
    "    \"rows\": 5,\n"
    "    \"skipped_rows\": 1,\n"
    "    \"skipped_by_reason\": { \"bad rows\": 1 },\n"
    "    \"time_unit\": \"minutes\",\n"
    "    \"jobs\": 4,\n"
    "    \"assigned\": null,\n"
    "    \"derived_rates\": 0,\n"
    "    \"first_arrival_s\": 100,\n"
    "    \"last_arrival_s\": 130,\n"
    "    \"gpu_hours\": 12.25,\n"
    "    \"other_reference\": 0,\n"
    "    \"not_modelled\": 0,\n"
    "    \"remarks\": { \"jobs with a part of a GPU, rounded up\": 2 }\n"
    "  },\n"
    "  \"cluster\": {\n"
    "    \"name\": \"small\",\n"
    "    \"nodes\": 2,\n"
    "    \"gpus\": { \"v100\": 6, \"k80\": 2 },\n"
    "    \"skipped_nodes\": 0\n"
    "  },\n"
    "  \"rates\": { \"file\": \"builtin:gavel\", \"sha256\": \"11ee\" },\n"
    "  \"seed\": 18446744073709551615,\n"
    "  \"runs\": [\n"
    "    {\n"
    "      \"policy\": \"hadar\",\n"
    "      \"options\": { \"beam\": 16, \"alpha\": 0.1, \"fast\": true, \"order\": \"dens\", "
    "\"file\": \"\" },\n"
    "      \"mode\": \"round\",\n"
    "      \"round_s\": 360,\n"
    "      \"semantics\": {\n"
    "        \"preset\": \"default\",\n"
    "        \"round_end\": \"grid\",\n"
    "        \"steps\": \"real\",\n"
    "        \"clock_jump\": \"next_event\",\n"
    "        \"charge_from\": \"start\",\n"
    "        \"drop_after\": 0,\n"
    "        \"pair_finish\": \"own\",\n"
    "        \"missing_size\": \"interpolate\",\n"
    "        \"spread\": \"table\",\n"
    "        \"spread_default\": 0.9,\n"
    "        \"grid\": \"restart\",\n"
    "        \"freed\": \"policy\"\n"
    "      },\n"
    "      \"costs\": {\n"
    "        \"start\": 10,\n"
    "        \"move\": 10,\n"
    "        \"resize\": 10,\n"
    "        \"rollback\": \"none\",\n"
    "        \"checkpoint_s\": 0,\n"
    "        \"checkpoint_interval_s\": 0\n"
    "      },\n"
    "      \"oracle\": [\"remaining\"],\n"
    "      \"jobs\": { \"finished\": 2, \"rejected\": 1, \"dropped\": 0, \"cancelled\": 0, "
    "\"unfinished\": 1 },\n"
    "      \"end_s\": 400,\n"
    "      \"makespan_s\": 202,\n"
    "      \"jct_s\": { \"mean\": 151, \"p50\": 110, \"p90\": 192, \"p99\": 192, \"max\": 192 },\n"
    "      \"queueing_s\": { \"mean\": 20, \"p50\": 0, \"p90\": 40, \"p99\": 40, \"max\": 40 },\n"
    "      \"slowdown\": { \"mean\": 1.51, \"p50\": 1.1, \"p90\": 1.92, \"p99\": 1.92, \"max\": "
    "1.92 },\n"
    "      \"rho\": {\n"
    "        \"mean\": 1.25,\n"
    "        \"p50\": 1,\n"
    "        \"p99\": 1.5,\n"
    "        \"max\": 1.5,\n"
    "        \"unfair_fraction\": 0.5,\n"
    "        \"jain\": 0.875\n"
    "      },\n"
    "      \"utilisation\": {\n"
    "        \"held\": 0.5,\n"
    "        \"busy\": 0.375,\n"
    "        \"productive\": 0.25,\n"
    "        \"held_by_type\": { \"v100\": 0.75, \"k80\": null },\n"
    "        \"node_mean\": 0.125\n"
    "      },\n"
    "      \"counts\": {\n"
    "        \"rounds\": 3,\n"
    "        \"starts\": 3,\n"
    "        \"preemptions\": 0,\n"
    "        \"migrations\": 1,\n"
    "        \"resizes\": 0,\n"
    "        \"moved_workers\": 1\n"
    "      },\n"
    "      \"faults\": { \"availability\": 0.875, \"lost_gpu_h\": 0.5, \"restarts\": 0 },\n"
    "      \"wait_by_reason_s\": {\n"
    "        \"outranked\": 40,\n"
    "        \"no_capacity\": 120,\n"
    "        \"fragmented\": 0,\n"
    "        \"wrong_type\": 0,\n"
    "        \"price\": 0,\n"
    "        \"quota\": 0,\n"
    "        \"lease\": 0,\n"
    "        \"restart\": 0,\n"
    "        \"next_round\": 0\n"
    "      },\n"
    "      \"rejected_by_reason\": { \"no type holds 4, \\\"sorry\\\"\": 1 },\n"
    "      \"policy_stats\": { \"price_mean\": 0.1, \"nothing\": null }\n"
    "    },\n"
    "    {\n"
    "      \"policy\": \"hadar\",\n"
    "      \"options\": { \"beam\": 16, \"alpha\": 0.1, \"fast\": true, \"order\": \"dens\", "
    "\"file\": \"\" },\n"
    "      \"error\": \"crashed \\\"here\\\"\"\n"
    "    }\n"
    "  ]\n"
    "}";

/* Figures whose last digits are of no interest here get plain values. */
static void plain_figures(struct figures *f) {
  f->availability = 0.875;
  f->lost_gpu_s = 1800;
  f->rho = (struct quantiles){2, 1.25, 1, 1, 1.5, 1.5};
  f->jain = 0.875;
  f->held = 0.5;
  f->busy = 0.375;
  f->productive = 0.25;
  f->held_by_type[0] = 0.75;
  f->held_by_type[1] = NAN;
  f->node_mean = 0.125;
}

static void test_document(void **state) {
  (void)state;
  struct world w;
  struct metrics *metrics;
  struct figures figures;
  struct document_run run;
  world_init(&w);
  story_figures(&w, &metrics, &figures);
  plain_figures(&figures);
  document_run_init(&run, &w, "hadar", &figures);
  char *good = summary_run_text(&run.summary);
  char *failed = summary_failed_text(&run.summary.id, "crashed \"here\"");
  char *text = document_of(&w, (const char *const[]){good, failed}, 2);
  assert_string_equal(text, expected_document);
  cJSON *document = cJSON_Parse(text);
  assert_non_null(document);
  cJSON_Delete(document);
  free(text);
  free(good);
  free(failed);
  metrics_free(metrics);
  world_free(&w);
}

/* Event mode, a window, timing, the other kinds of options. */
static void test_variants(void **state) {
  (void)state;
  struct world w;
  struct metrics *metrics;
  struct figures figures;
  struct document_run run;
  world_init(&w);
  story_figures(&w, &metrics, &figures);
  document_run_init(&run, &w, "./mine.so", &figures);
  run.summary.mode = HSIM_MODE_EVENT;
  run.summary.oracle = HSIM_KNOWS_RATES | HSIM_KNOWS_REMAINING;
  run.summary.measure_from = 1;
  run.summary.measure_to = 3;
  struct summary_pair timing = {"wall_s", 1.5};
  run.summary.timing = &timing;
  run.summary.n_timing = 1;
  run.summary.n_stats = 0;
  run.values[0].as.i = INT64_MAX;
  run.values[2].as.i = 0;
  run.values[3].as.i = 2;
  run.values[4].text = "a\\b\n\x01\xff\xe2\x82\xac";
  char *text = summary_run_text(&run.summary);
  has(text, "\"beam\": 9223372036854775807,\n        \"alpha\": 0.1,\n        \"fast\": false,\n"
            "        \"order\": \"sjf\",\n");
  has(text, "\"file\": \"a\\\\b\\n\\u0001\xef\xbf\xbd\xe2\x82\xac\"");
  has(text, "\"mode\": \"event\",\n      \"round_s\": null,");
  has(text,
      "\"oracle\": [\"rates\", \"remaining\"],\n      \"measure\": { \"from\": 1, \"to\": 3 },\n"
      "      \"jobs\": {");
  has(text, "\"policy_stats\": {},\n      \"timing\": { \"wall_s\": 1.5 }\n    }");
  free(text);
  metrics_free(metrics);
  world_free(&w);
}

/* Numbers survive: what is printed reads back as the same double. */
static void test_numbers(void **state) {
  (void)state;
  static const double values[] = {0.1,
                                  1.0 / 3,
                                  1e300,
                                  5e-324,
                                  123456789.123456789,
                                  9007199254740993.0,
                                  -0.5,
                                  12345678901234567890.0};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    cJSON *object = json_object();
    json_add_number(object, "x", values[i]);
    char *text = json_print(object, 0);
    cJSON *again = cJSON_Parse(text);
    assert_true(json_number(again, "x") == values[i]);
    cJSON_Delete(again);
    cJSON_Delete(object);
    free(text);
  }
}

static void test_quote(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"", "\"\""},
      {"\t\r\b\x7f", "\"\\t\\r\\u0008\\u007f\""},
      {"\xc3\xa9\xf0\x9f\x98\x80", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
      {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* overlong */
      {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* a surrogate */
      {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* cut off */
      {"\xf4\x90\x80\x80z", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = json_quote(cases[i][0]);
    assert_string_equal(text, cases[i][1]);
    free(text);
  }
}

static char *table_of(const char *document_text) {
  cJSON *document = cJSON_Parse(document_text);
  assert_non_null(document);
  FILE *file = tmpfile();
  summary_table(document, file);
  char *text = slurp(file);
  fclose(file);
  cJSON_Delete(document);
  return text;
}

static void no_line_is_wider(const char *text, size_t width) {
  for (const char *line = text; *line != '\0';) {
    size_t n = strcspn(line, "\n");
    char *copy = mem_text_n(line, n);
    if (text_width(copy) > width)
      fail_msg("%zu wide: %s", text_width(copy), copy);
    free(copy);
    line += n + (line[n] != '\0');
  }
}

static void test_table(void **state) {
  (void)state;
  struct world w;
  struct metrics *metrics;
  struct figures figures, all;
  struct document_run a, b, gavel;
  world_init(&w);
  story_figures(&w, &metrics, &figures);
  all = figures;
  all.finished = 4;
  all.rejected = all.unfinished = 0;
  all.n_rejected_by = 0;
  all.preemptions = 123456;
  all.jct.mean = 3600.0 * 1234.56;
  document_run_init(&a, &w, "hadar", &figures);
  document_run_init(&b, &w, "hadar", &all);
  struct summary_pair timing[] = {{"wall_s", 1.5}, {"rounds_per_s", 123456}};
  b.summary.timing = timing;
  b.summary.n_timing = 2;
  b.values[0].as.i = 4;
  b.summary.mode = HSIM_MODE_EVENT;
  document_run_init(&gavel, &w, "gavel", &all);
  assert_int_equal(semantics_preset("gavel", &gavel.semantics, NULL), HSIM_OK);
  assert_int_equal(costs_preset("gavel", &gavel.costs, NULL), HSIM_OK);
  char *runs[] = {
      summary_run_text(&a.summary), summary_run_text(&b.summary), summary_run_text(&gavel.summary),
      summary_failed_text(&(struct summary_id){.policy = "lost"}, "killed by signal 9")};
  char *text = document_of(&w, (const char *const *)runs, 4);
  char *table = table_of(text);
  no_line_is_wider(table, 110);
  has(table, "trace    traces/st\xc3\xb6ry.csv (native): 4 jobs arriving over 0.01 h, ");
  has(table, "cluster  small: 2 nodes, 8 GPUs (6 v100, 2 k80)\n");
  has(table, "rates    builtin:gavel\n");
  has(table, ", rounds of 360 s, costs 10/10/10 s (start/move/resize), semantics default\n");
  has(table, "\nhadar:beam=16      2/4     0.06*  0.04*  0.03*  0.05*    0.01* 1.21* 1.54*   29.5  "
             "    3      "
             "0      1\n");
  has(table, "\nhadar:beam=4       4/4     0.06   1235   0.03   0.05     0.01  1.21  1.54    29.5  "
             "    3   "
             "123k      1\n");
  has(table, "\ngavel \xe2\x80\xa0            4/4 ");
  has(table, "\nlost            failed\n");
  has(table, "\n* of the finished jobs only, not of all\n");
  has(table, "\nhadar:beam=16: 1 job rejected: 1 \xc3\x97 no type holds 4, \"sorry\"\n");
  has(table, "\nhadar:beam=16: 1 job unfinished\n");
  has(table, "\nhadar:beam=4: wall_s 1.50, rounds_per_s 123k\n");
  has_not(table, "gavel: 1 job");
  has(table, "\n\xe2\x80\xa0 gavel: costs 0/0/0 s (start/move/resize), semantics gavel\n");
  has(table, "\nlost failed: killed by signal 9\n");
  has(table, "\nrows of the trace that were skipped, bad rows: 1\n");
  has(table, "\njobs with a part of a GPU, rounded up: 2\n");
  has(table, "\ntimes of the trace are read as minutes (--time-unit)\n");
  for (int i = 0; i < 4; i++)
    free(runs[i]);
  free(text);
  free(table);
  metrics_free(metrics);
  world_free(&w);
}

/* Long names are cut, never in the middle of a character, and given in full below. */
static void test_wide_table(void **state) {
  (void)state;
  struct world w;
  struct metrics *metrics;
  struct figures figures;
  struct document_run run;
  world_init(&w);
  story_figures(&w, &metrics, &figures);
  figures.makespan_s = 3.6e8;
  figures.jct = figures.queueing = (struct quantiles){1, 3e8, 3e8, 3e8, 3e8, 3e8};
  figures.finished = 1000000;
  figures.rho.max = 123456;
  const char *name = "./politik/\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6"
                     "\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6"
                     "\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc-a-very-long-name-indeed.so";
  document_run_init(&run, &w, name, &figures);
  run.semantics.grid = GRID_ABSOLUTE;
  run.semantics.drop_after = 3;
  run.costs.rollback = ROLLBACK_EPOCH;
  run.costs.checkpoint_s = 2;
  run.costs.checkpoint_interval_s = 600;
  char *one = summary_run_text(&run.summary);
  char *text = document_of(&w, (const char *const[]){one}, 1);
  char *table = table_of(text);
  no_line_is_wider(table, 110);
  has(table, "\xe2\x80\xa6"); /* the ellipsis */
  has(table, "\nrow 1: ./politik/");
  has(table, "semantics default:drop_after=3:grid=absolute");
  has(table, "rollback epoch, a");
  has(table, "checkpoint of 2 s every 600 s");
  for (const char *c = table; *c != '\0'; c++) { /* whole characters only */
    bool lead = ((unsigned char)*c & 0xc0) == 0xc0;
    if (lead && ((unsigned char)c[1] & 0xc0) != 0x80)
      fail_msg("cut inside a character");
  }
  free(one);
  free(text);
  free(table);
  metrics_free(metrics);
  world_free(&w);
}

static void test_rounding(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0.00"},        {0.004, "0.00"},   {9.994, "9.99"},  {9.996, "10.0"},
               {99.94, "99.9"},    {999.94, "999.9"}, {999.96, "1000"}, {1234.5, "1234"},
               {99999.4, "99999"}, {99999.5, "100k"}, {123456, "123k"}, {1234567, "1.23M"},
               {2.5e9, "2.50G"},   {-3, "-3.00"},     {NAN, "-"},       {1e15, "1000T"},
               {1e30, "1.00e+18"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[16];
    text_number(cases[i].value, text);
    if (i + 1 == sizeof cases / sizeof *cases)
      continue; /* only that it ends */
    assert_string_equal(text, cases[i].text);
  }
}

static void test_paragraph(void **state) {
  (void)state;
  FILE *file = tmpfile();
  text_paragraph(file, 4, "%s", "short\nline");
  char long_text[400];
  size_t n = 0;
  for (int i = 0; i < 39; i++)
    n += (size_t)snprintf(long_text + n, sizeof long_text - n, "%s",
                          i == 20 ? "w\xc3\xb6rd-word " : "word ");
  text_paragraph(file, 4, "%s", long_text);
  char *text = slurp(file);
  assert_string_equal(strtok(text, "\n"), "short line");
  assert_int_equal(text_width(strtok(NULL, "\n")), 109);
  assert_int_equal(strncmp(strtok(NULL, "\n"), "    word", 8), 0);
  free(text);
  fclose(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_document), cmocka_unit_test(test_variants),
      cmocka_unit_test(test_numbers),  cmocka_unit_test(test_quote),
      cmocka_unit_test(test_table),    cmocka_unit_test(test_wide_table),
      cmocka_unit_test(test_rounding), cmocka_unit_test(test_paragraph),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
