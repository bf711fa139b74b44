/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/timestamp.h"

#include <stdlib.h>
#include <string.h>

enum { HOUR = 3600, DAY = 24 * HOUR };

/* ---- the calendar ---- */

static bool two_digits(const char *text, int *value) {
  if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
    return false;
  *value = 10 * (text[0] - '0') + (text[1] - '0');
  return true;
}

static int days_in_month(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

/* Days since 0000-03-01 of the Gregorian calendar: a year that starts in March has its leap day at
 * its end, and its months' lengths follow (153 m + 2) / 5. */
static int64_t day_number(int year, int month, int day) {
  int y = month > 2 ? year : year - 1;
  int m = month > 2 ? month - 3 : month + 9;
  return (int64_t)365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
}

/* 0000-03-01 was a Wednesday. */
static int weekday_of(int64_t day) {
  return (int)((day + 3) % 7);
}

/* ---- zones ---- */

/* The change in local time of that year, in the seconds that timestamp_parse counts. */
static int64_t change_in(const struct zone_change *change, int year) {
  int64_t first = day_number(year, change->month, 1);
  int64_t day = first + (change->weekday - weekday_of(first) + 7) % 7 + 7 * (change->week - 1);
  if (day >= first + days_in_month(year, change->month))
    day -= 7;
  return day * DAY + change->second;
}

/* From local time to UTC. Summer time is that of the year in the text; in the south it holds from
 * its begin to the year's end, and from the year's start to its end. */
static enum timestamp_status to_utc(const struct time_zone *zone, int year, int64_t local,
                                    int64_t *utc) {
  *utc = local - zone->winter;
  if (!zone->has_summer)
    return TIMESTAMP_OK;
  int ahead = zone->summer - zone->winter;
  int64_t begins = change_in(&zone->begins, year), ends = change_in(&zone->ends, year);
  if (local >= begins && local < begins + ahead)
    return TIMESTAMP_SKIPPED;
  bool after = local >= begins, before = local < ends;
  bool summer = begins < ends ? after && before : after || before;
  if (summer && local >= ends - ahead && local < ends && zone->second)
    summer = false;
  if (summer)
    *utc = local - zone->summer;
  return TIMESTAMP_OK;
}

/* "H", "HH" or "HH:MM" with or without a sign; moves *at behind it. */
static bool take_offset(const char **at, int *seconds) {
  const char *c = *at;
  int sign = *c == '-' ? -1 : 1, hours = 0, minutes = 0, digits = 0;
  c += *c == '-' || *c == '+';
  for (; *c >= '0' && *c <= '9' && digits < 3; c++, digits++)
    hours = 10 * hours + (*c - '0');
  if (digits == 0 || hours > 24)
    return false;
  if (*c == ':') {
    if (c[1] == '\0' || !two_digits(c + 1, &minutes) || minutes > 59)
      return false;
    c += 3;
  }
  *at = c;
  *seconds = sign * (hours * HOUR + minutes * 60);
  return true;
}

/* A zone's name: letters, or anything in <>. */
static bool take_name(const char **at) {
  const char *c = *at;
  if (*c == '<') {
    c = strchr(c, '>');
    *at = c != NULL ? c + 1 : *at;
    return c != NULL;
  }
  while ((*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z'))
    c++;
  bool any = c - *at >= 3;
  *at = c;
  return any;
}

static bool take_number(const char **at, char before, int min, int max, int *value) {
  const char *c = *at;
  int n = 0, digits = 0;
  if (*c != before)
    return false;
  for (c++; *c >= '0' && *c <= '9' && digits < 3; c++, digits++)
    n = 10 * n + (*c - '0');
  *at = c;
  *value = n;
  return digits > 0 && n >= min && n <= max;
}

/* ",M3.2.0" or ",M3.2.0/2". */
static bool take_change(const char **at, struct zone_change *change) {
  change->second = 2 * HOUR;
  if (**at != ',')
    return false;
  (*at)++;
  if (!take_number(at, 'M', 1, 12, &change->month) || !take_number(at, '.', 1, 5, &change->week) ||
      !take_number(at, '.', 0, 6, &change->weekday))
    return false;
  if (**at != '/')
    return true;
  (*at)++;
  return take_offset(at, &change->second);
}

/* POSIX counts offsets to the west. */
static bool parse_rule(const char *text, struct time_zone *zone) {
  int west = 0;
  if (!take_name(&text) || !take_offset(&text, &west))
    return false;
  zone->winter = -west;
  if (*text == '\0')
    return true;
  zone->has_summer = true;
  zone->summer = zone->winter + HOUR;
  if (!take_name(&text))
    return false;
  if (*text != ',') {
    if (!take_offset(&text, &west))
      return false;
    zone->summer = -west;
  }
  return take_change(&text, &zone->begins) && take_change(&text, &zone->ends) && *text == '\0' &&
         zone->summer > zone->winter && zone->summer - zone->winter <= 2 * HOUR &&
         abs(zone->begins.month - zone->ends.month) > 1;
}

/* "Z", "+hh:mm" or "-hh:mm", all of it. */
static bool parse_suffix(const char *text, size_t length, int *offset) {
  int hours, minutes;
  *offset = 0;
  if (length == 1)
    return text[0] == 'Z';
  if (length != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':' ||
      !two_digits(text + 1, &hours) || !two_digits(text + 4, &minutes) || hours > 14 ||
      minutes > 59)
    return false;
  *offset = (text[0] == '-' ? -1 : 1) * (hours * HOUR + minutes * 60);
  return true;
}

enum hsim_status time_zone_parse(const char *text, struct time_zone *zone,
                                 struct hsim_error *error) {
  struct time_zone read = {.second = zone->second};
  if (strcmp(text, "UTC") == 0 || parse_suffix(text, strlen(text), &read.winter) ||
      parse_rule(text, &read)) {
    *zone = read;
    return HSIM_OK;
  }
  return hsim_fail(
      error, HSIM_BAD_USAGE,
      "option --time-zone: value \"%.60s\": expected UTC, +HH:MM, -HH:MM, or a POSIX rule such as "
      "PST8PDT,M3.2.0,M11.1.0",
      text);
}

/* ---- texts ---- */

enum timestamp_status timestamp_parse(const char *t, size_t length, const struct time_zone *zone,
                                      double *seconds) {
  enum { PLAIN = 19 };
  int century, year, month, day, hour, minute, second, offset;
  if (length < PLAIN || t[4] != '-' || t[7] != '-' || (t[10] != ' ' && t[10] != 'T') ||
      t[13] != ':' || t[16] != ':')
    return TIMESTAMP_MALFORMED;
  if (!two_digits(t, &century) || !two_digits(t + 2, &year) || !two_digits(t + 5, &month) ||
      !two_digits(t + 8, &day) || !two_digits(t + 11, &hour) || !two_digits(t + 14, &minute) ||
      !two_digits(t + 17, &second))
    return TIMESTAMP_MALFORMED;
  year += 100 * century;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
      hour > 23 || minute > 59 || second > 59)
    return TIMESTAMP_MALFORMED;
  int64_t utc, local = day_number(year, month, day) * DAY + hour * HOUR + minute * 60 + second;
  enum timestamp_status status = TIMESTAMP_OK;
  if (length == PLAIN) {
    status = to_utc(zone, year, local, &utc);
  } else {
    if (!parse_suffix(t + PLAIN, length - PLAIN, &offset))
      return TIMESTAMP_MALFORMED;
    utc = local - offset;
  }
  *seconds = (double)utc;
  return status;
}

bool timestamp_reorder(const char *start, const char *end, const struct time_zone *zone,
                       double *start_s, double *end_s) {
  struct time_zone first = *zone, second = *zone;
  double from, to;
  first.second = false;
  second.second = true;
  if (timestamp_parse(start, strlen(start), &first, &from) != TIMESTAMP_OK ||
      timestamp_parse(end, strlen(end), &second, &to) != TIMESTAMP_OK || to < from)
    return false;
  *start_s = from;
  *end_s = to;
  return true;
}
