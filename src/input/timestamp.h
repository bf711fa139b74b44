/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dates and times as logs write them. Logs of local time repeat an hour each autumn; which of the
 * two a text means is not in it and has to be said.
 */
#ifndef HSIM_INPUT_TIMESTAMP_H
#define HSIM_INPUT_TIMESTAMP_H

#include "hsim/types.h"

/* When summer time begins or ends: the `week`-th `weekday` (0 Sunday) of `month`, 5 being the last
 * one, at `second` of that day's local time. */
struct zone_change {
  int month, week, weekday, second;
};

/* Seconds that local time is ahead of UTC. All zero: UTC. */
struct time_zone {
  int winter, summer;
  bool has_summer;
  struct zone_change begins, ends; /* of summer time */
  bool second; /* a local time that comes twice is the later one, else the earlier one */
};

/* "UTC", "+HH:MM", "-HH:MM", or a rule as POSIX writes it (IEEE 1003.1, 8.3 TZ) with the dates of
 * the changes as months, weeks and days: "PST8PDT,M3.2.0,M11.1.0". Fails with HSIM_BAD_USAGE. */
enum hsim_status time_zone_parse(const char *text, struct time_zone *zone,
                                 struct hsim_error *error);

enum timestamp_status {
  TIMESTAMP_OK,
  TIMESTAMP_MALFORMED,
  TIMESTAMP_SKIPPED /* the zone's clock passed over it when summer time began */
};

/* YYYY-MM-DD hh:mm:ss, with a T instead of the blank or not, in `zone`; or with Z, +hh:mm or -hh:mm
 * behind it. Seconds since 0000-03-01 UTC of the Gregorian calendar, whole. */
enum timestamp_status timestamp_parse(const char *text, size_t length, const struct time_zone *zone,
                                      double *seconds);

/* For two texts that timestamp_parse reads, of which the end comes before the start: when they fit
 * into the hour that comes twice, the start is the first of the two and the end the second. True,
 * and the times, when that puts them in order. */
bool timestamp_reorder(const char *start, const char *end, const struct time_zone *zone,
                       double *start_s, double *end_s);

#endif
