/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is typed on the command line: cluster SPECs, elastic ranges, time zones; and dates. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "input/cluster.h"
#include "input/elastic.h"
#include "input/timestamp.h"

enum { LONGEST = 200 };

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

/* A SPEC of a million nodes is right and slow. */
static bool is_small_spec(const char *text) {
  int digits = 0;
  for (; *text != '\0'; text++) {
    digits = *text >= '0' && *text <= '9' ? digits + 1 : 0;
    if (digits > 3)
      return false;
  }
  return true;
}

static void read_spec(const char *text) {
  struct hsim_error error = {.text = ""};
  struct cluster cluster;
  if (strchr(text, '/') != NULL || text[0] == '-' || !is_small_spec(text))
    return;
  enum hsim_status status = cluster_read(text, &cluster, &error);
  fuzz_check_status(status, &error);
  if (status == HSIM_OK)
    cluster_free(&cluster);
}

static void read_zone(const char *text) {
  static const char *const dates[] = {"2017-11-05 01:30:00", "2020-02-29T23:59:59",
                                      "0001-01-01 00:00:00", "9999-12-31 23:59:59"};
  struct hsim_error error = {.text = ""};
  struct time_zone zone = {0};
  double seconds = 0;
  enum hsim_status status = time_zone_parse(text, &zone, &error);
  fuzz_check_status(status, &error);
  for (size_t i = 0; i < sizeof dates / sizeof dates[0] && status == HSIM_OK; i++)
    FUZZ_CHECK(timestamp_parse(dates[i], 19, &zone, &seconds) != TIMESTAMP_MALFORMED);
  if (timestamp_parse(text, strlen(text), &zone, &seconds) == TIMESTAMP_OK)
    FUZZ_CHECK(fabs(seconds) < 1e12);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[LONGEST + 1];
  struct hsim_error error = {.text = ""};
  struct elastic_range range;
  size_t n = size < LONGEST ? size : LONGEST;
  memcpy(text, data, n);
  text[n] = '\0';
  read_spec(text);
  read_zone(text);
  fuzz_check_status(elastic_parse(text, &range, &error), &error);
  return 0;
}
