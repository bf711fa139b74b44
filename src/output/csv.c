/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/csv.h"

#include <string.h>

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool csv_needs_quotes(const char *text) {
  if (text[0] == '\0')
    return false;
  size_t n = 0;
  for (; text[n] != '\0'; n++) {
    char c = text[n];
    if (c == ',' || c == '"' || c == '\r' || c == '\n')
      return true;
  }
  return is_blank(text[0]) || is_blank(text[n - 1]);
}

void csv_escaped(struct out *out, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '"')
      out_char(out, '"');
    out_char(out, *text);
  }
}

void csv_field(struct out *out, const char *text) {
  if (!csv_needs_quotes(text)) {
    out_text(out, text);
    return;
  }
  out_char(out, '"');
  csv_escaped(out, text);
  out_char(out, '"');
}

void csv_end_row(struct out *out, const struct run_info *info) {
  if (info->seeded) {
    out_char(out, ',');
    out_int(out, (long long)info->seed);
  }
  out_char(out, '\n');
}

void csv_end_header(struct out *out, bool seeded) {
  out_text(out, seeded ? ",seed\n" : "\n");
}
