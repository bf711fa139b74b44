/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/timeline.h"

#include <cjson/cJSON.h>

#include "output/json.h"
#include "output_random.h"
#include "output_text.h"

static void expect_lines(const char *text, const char *part, const char *wanted) {
  char *lines = lines_with(text, part);
  assert_string_equal(lines, wanted);
  free(lines);
}

/* The document of runs of one world, each with the policy's name of its place. */
static cJSON *document_of(struct world *w, int n_runs) {
  static const char *const names[] = {"one", "two"};
  FILE *file = tmpfile();
  assert_non_null(file);
  struct out out;
  out_open_fd(&out, fileno(file), "timeline");
  timeline_header(&out, w->info.cluster, false);
  for (int i = 0; i < n_runs; i++) {
    w->info.run = i;
    w->info.policy = names[i];
    if (i > 0)
      out_text(&out, TIMELINE_BETWEEN);
    char *part = sink_text(w, timeline_sink);
    out_text(&out, part);
    free(part);
  }
  out_text(&out, TIMELINE_FOOTER);
  assert_int_equal(out_flush(&out, NULL), HSIM_OK);
  char *text = slurp(file);
  cJSON *document = cJSON_ParseWithOpts(text, NULL, true);
  if (document == NULL)
    fail_msg("no JSON: %s", text);
  free(text);
  out_discard(&out);
  fclose(file);
  return document;
}

static void test_story(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  tell_story(&w);
  char *text = sink_text(&w, timeline_sink);
  expect_lines(text, "process_name",
               "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"test: "
               "cluster\"}},\n"
               "{\"ph\":\"M\",\"pid\":2,\"name\":\"process_name\",\"args\":{\"name\":\"test: "
               "n0\"}},\n"
               "{\"ph\":\"M\",\"pid\":3,\"name\":\"process_name\",\"args\":{\"name\":\"test: "
               "n1\"}},\n");
  expect_lines(text, "\"tid\":14,\"name\":\"thread_name\"",
               "{\"ph\":\"M\",\"pid\":3,\"tid\":14,\"name\":\"thread_name\",\"args\":{\"name\":"
               "\"k80 2\"}},\n");
  /* j1 moves from GPU 6 (track 2 + 2 * 6) to GPU 2 at 200. */
  expect_lines(text, "\"name\":\"j1\"",
               "{\"ph\":\"X\",\"pid\":3,\"tid\":14,\"ts\":150000000,\"dur\":50000000,\"cat\":"
               "\"gang\",\"name\":\"j1\",\"args\":{\"job\":\"j1\",\"model\":\"A\",\"workers\":1,"
               "\"copy\":0}},\n"
               "{\"ph\":\"X\",\"pid\":2,\"tid\":6,\"ts\":200000000,\"dur\":102000000,\"cat\":"
               "\"gang\",\"name\":\"j1\",\"args\":{\"job\":\"j1\",\"model\":\"A\",\"workers\":1,"
               "\"copy\":0}},\n");
  expect_lines(text, "\"ph\":\"i\"",
               "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":100000000,\"s\":\"t\",\"cat\":\"job\","
               "\"name\":\"arrive\",\"args\":{\"job\":\"j0\"}},\n"
               "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":110000000,\"s\":\"t\",\"cat\":\"job\","
               "\"name\":\"arrive\",\"args\":{\"job\":\"j1\"}},\n"
               "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":120000000,\"s\":\"t\",\"cat\":\"job\","
               "\"name\":\"arrive\",\"args\":{\"job\":\"j2\"}},\n"
               "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":120000000,\"s\":\"t\",\"cat\":\"job\","
               "\"name\":\"reject\",\"args\":{\"job\":\"j2\",\"detail\":\"no type holds 4, "
               "\\\"sorry\\\"\"}},\n"
               "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":130000000,\"s\":\"t\",\"cat\":\"job\","
               "\"name\":\"arrive\",\"args\":{\"job\":\"j3\"}},\n"
               "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":200000000,\"s\":\"t\",\"cat\":\"job\","
               "\"name\":\"migrate\",\"args\":{\"job\":\"j1\"}},\n");
  expect_lines(text, "queued jobs",
               "{\"ph\":\"C\",\"pid\":1,\"ts\":100000000,\"name\":\"queued jobs\",\"args\":{"
               "\"jobs\":0}},\n"
               "{\"ph\":\"C\",\"pid\":1,\"ts\":110000000,\"name\":\"queued jobs\",\"args\":{"
               "\"jobs\":1}},\n"
               "{\"ph\":\"C\",\"pid\":1,\"ts\":130000000,\"name\":\"queued jobs\",\"args\":{"
               "\"jobs\":2}},\n"
               "{\"ph\":\"C\",\"pid\":1,\"ts\":150000000,\"name\":\"queued jobs\",\"args\":{"
               "\"jobs\":1}},\n"
               "{\"ph\":\"C\",\"pid\":1,\"ts\":250000000,\"name\":\"queued jobs\",\"args\":{"
               "\"jobs\":0}},\n"
               "{\"ph\":\"C\",\"pid\":1,\"ts\":400000000,\"name\":\"queued jobs\",\"args\":{"
               "\"jobs\":1}},\n");
  expect_lines(text, "held GPUs: k80",
               "{\"ph\":\"C\",\"pid\":1,\"ts\":100000000,\"name\":\"held GPUs: k80\",\"args\":{"
               "\"GPUs\":0}},\n"
               "{\"ph\":\"C\",\"pid\":1,\"ts\":150000000,\"name\":\"held GPUs: k80\",\"args\":{"
               "\"GPUs\":1}},\n"
               "{\"ph\":\"C\",\"pid\":1,\"ts\":200000000,\"name\":\"held GPUs: k80\",\"args\":{"
               "\"GPUs\":0}},\n");
  free(text);
  world_free(&w);
}

/* The second job on a GPU has a track of its own, which is named when it is first needed. */
static void test_pair(void **state) {
  (void)state;
  struct world w;
  world_init(&w);
  add_job(&w, "A", 0, 1, 1);
  add_job(&w, "A", 0, 1, 1)->id = "say \"x\"";
  struct hsim_gang *a = GANG(&w, 0, 0, 10, 6), *b = GANG(&w, 1, 2, 10, 6);
  say_gang(&w, RECORD_GANG_BEGIN, a);
  w.now = 0.25;
  say_gang(&w, RECORD_GANG_BEGIN, b);
  w.now = 1.0000004;
  say_gang(&w, RECORD_GANG_END, a);
  say_gang(&w, RECORD_GANG_BEGIN, a);
  w.now = 2;
  say_gang(&w, RECORD_GANG_END, b);
  say_gang(&w, RECORD_GANG_END, a);
  say(&w, RECORD_NODE_DOWN, -1)->node = 1;
  say(&w, RECORD_END, -1);
  char *text = sink_text(&w, timeline_sink);
  expect_lines(text, "(shared)",
               "{\"ph\":\"M\",\"pid\":3,\"tid\":15,\"name\":\"thread_name\",\"args\":{\"name\":"
               "\"k80 2 (shared)\"}},\n");
  expect_lines(
      text, "\"ph\":\"X\"",
      "{\"ph\":\"X\",\"pid\":3,\"tid\":14,\"ts\":0,\"dur\":1000000,\"cat\":\"gang\","
      "\"name\":\"j0\",\"args\":{\"job\":\"j0\",\"model\":\"A\",\"workers\":1,\"copy\":0}},\n"
      "{\"ph\":\"X\",\"pid\":3,\"tid\":15,\"ts\":250000,\"dur\":1750000,\"cat\":\"gang\","
      "\"name\":\"say \\\"x\\\"\",\"args\":{\"job\":\"say \\\"x\\\"\",\"model\":\"A\","
      "\"workers\":1,\"copy\":2}},\n"
      "{\"ph\":\"X\",\"pid\":3,\"tid\":14,\"ts\":1000000,\"dur\":1000000,\"cat\":\"gang\","
      "\"name\":\"j0\",\"args\":{\"job\":\"j0\",\"model\":\"A\",\"workers\":1,\"copy\":0}},\n");
  expect_lines(text, "\"ph\":\"i\"",
               "{\"ph\":\"i\",\"pid\":3,\"tid\":10,\"ts\":2000000,\"s\":\"p\",\"cat\":\"node\","
               "\"name\":\"down\"},\n");
  free(text);
  world_free(&w);
}

enum { MOST_TRACKS = 64 };

/* Slices of a track, which come in the order of their ends, must not overlap; each track is named.
 * Returns their seconds. */
static double check_slices(const cJSON *events) {
  double end[MOST_TRACKS] = {0}, seconds = 0;
  bool named[MOST_TRACKS] = {false};
  const cJSON *event;
  cJSON_ArrayForEach(event, events) {
    const char *phase = json_text(event, "ph", "");
    int track = cJSON_IsNumber(json_get(event, "tid")) ? (int)json_number(event, "tid") : 0;
    assert_true(track < MOST_TRACKS);
    if (strcmp(json_text(event, "name", ""), "thread_name") == 0)
      named[track] = true;
    if (strcmp(phase, "X") != 0)
      continue;
    double begin = json_number(event, "ts"), length = json_number(event, "dur");
    assert_true(named[track]);
    assert_true(begin >= end[track] && length >= 0);
    end[track] = begin + length;
    seconds += length / 1e6;
  }
  return seconds;
}

/* Both runs of a document: the slices are all GPU-seconds that gangs held. */
static void test_random(void **state) {
  (void)state;
  double total = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct world w;
    world_init(&w);
    random_stream(&w, seed, 20, 5e4);
    double held = held_gpu_s(&w);
    cJSON *document = document_of(&w, 2);
    double slices = check_slices(json_get(document, "traceEvents"));
    if (fabs(slices - 2 * held) > 1e-3)
      fail_msg("seed %llu: slices of %.17g s, held %.17g s twice", (unsigned long long)seed, slices,
               held);
    total += held;
    cJSON_Delete(document);
    world_free(&w);
  }
  assert_true(total > 1e5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_story),
      cmocka_unit_test(test_pair),
      cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
