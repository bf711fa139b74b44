/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/check_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/json.h"
#include "output/text_table.h"

void check_report_case(struct check_report *report, const char *name) {
  report->cases =
      mem_grow(report->cases, report->n_cases + 1, &report->capacity, sizeof *report->cases);
  report->cases[report->n_cases++] = (struct check_case){.name = mem_text(name)};
}

void check_report_add(struct check_report *report, const char *figure, const char *before,
                      const char *now, double change) {
  struct check_case *last = &report->cases[report->n_cases - 1];
  last->differences =
      mem_grow(last->differences, last->n + 1, &last->capacity, sizeof *last->differences);
  last->differences[last->n++] = (struct check_difference){.figure = mem_text(figure),
                                                           .before = mem_text(before),
                                                           .now = mem_text(now),
                                                           .change = change};
  report->n_differences++;
}

void check_report_free(struct check_report *report) {
  for (size_t c = 0; c < report->n_cases; c++) {
    struct check_case *item = &report->cases[c];
    for (size_t i = 0; i < item->n; i++) {
      free(item->differences[i].figure);
      free(item->differences[i].before);
      free(item->differences[i].now);
    }
    free(item->differences);
    free(item->name);
  }
  free(report->cases);
  *report = (struct check_report){0};
}

/* "+0.5%", nothing when there is none. */
static void change_text(double change, char out[24]) {
  out[0] = '\0';
  if (!isnan(change))
    snprintf(out, 24, fabs(change) < 1e-4 ? "%+.1e%%" : "%+.4g%%", 100.0 * change);
}

void check_report_print(const struct check_report *report, FILE *out) {
  static const char *const headings[] = {"run", "figure", "baseline", "now", "difference"};
  if (report->n_differences == 0)
    return;
  struct text_table table;
  text_table_init(&table, 5);
  text_table_row(&table);
  for (int i = 0; i < 5; i++)
    text_table_set(&table, i, "%s", headings[i]);
  for (size_t c = 0; c < report->n_cases; c++) {
    const struct check_case *item = &report->cases[c];
    for (size_t i = 0; i < item->n; i++) {
      char change[24];
      change_text(item->differences[i].change, change);
      text_table_row(&table);
      text_table_set(&table, 0, "%s", item->name);
      text_table_set(&table, 1, "%s", item->differences[i].figure);
      text_table_set(&table, 2, "%s", item->differences[i].before);
      text_table_set(&table, 3, "%s", item->differences[i].now);
      text_table_set(&table, 4, "%s", change);
    }
  }
  text_table_print(&table, 1U << 1, out);
  text_table_free(&table);
}

/* ---- XML ---- */

/* Control characters have no place in XML 1.0, not even as references. */
static void put_escaped(struct out *out, const char *text) {
  for (; *text; text++) {
    switch (*text) {
    case '<':
      out_text(out, "&lt;");
      break;
    case '>':
      out_text(out, "&gt;");
      break;
    case '&':
      out_text(out, "&amp;");
      break;
    case '"':
      out_text(out, "&quot;");
      break;
    case '\n':
      out_char(out, *text);
      break;
    default:
      if ((unsigned char)*text < 0x20)
        out_text(out, "\ufffd");
      else
        out_char(out, *text);
    }
  }
}

static void put_xml(struct out *out, const char *text) {
  char *clean = json_utf8(text);
  put_escaped(out, clean);
  free(clean);
}

static void put_count(struct out *out, const char *name, size_t value) {
  out_char(out, ' ');
  out_text(out, name);
  out_text(out, "=\"");
  out_int(out, (long long)value);
  out_char(out, '"');
}

static void put_failure(struct out *out, const struct check_case *item) {
  out_text(out, "      <failure type=\"difference\" message=\"");
  out_int(out, (long long)item->n);
  out_text(out, item->n == 1 ? " figure differs from the baseline\">"
                             : " figures differ from the baseline\">");
  for (size_t i = 0; i < item->n; i++) {
    const struct check_difference *d = &item->differences[i];
    char change[24];
    change_text(d->change, change);
    put_xml(out, d->figure);
    out_text(out, ": baseline ");
    put_xml(out, d->before);
    out_text(out, ", now ");
    put_xml(out, d->now);
    if (change[0]) {
      out_text(out, ", difference ");
      out_text(out, change);
    }
    out_char(out, '\n');
  }
  out_text(out, "</failure>\n");
}

void check_report_junit(const struct check_report *report, const char *baseline, struct out *out) {
  size_t failures = 0;
  for (size_t c = 0; c < report->n_cases; c++)
    failures += report->cases[c].n > 0;
  out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
  put_count(out, "tests", report->n_cases);
  put_count(out, "failures", failures);
  out_text(out, ">\n  <testsuite name=\"hsim --check ");
  put_xml(out, baseline);
  out_char(out, '"');
  put_count(out, "tests", report->n_cases);
  put_count(out, "failures", failures);
  put_count(out, "errors", 0);
  put_count(out, "skipped", 0);
  out_text(out, ">\n");
  for (size_t c = 0; c < report->n_cases; c++) {
    const struct check_case *item = &report->cases[c];
    out_text(out, "    <testcase classname=\"hsim.check\" name=\"");
    put_xml(out, item->name);
    out_text(out, item->n > 0 ? "\">\n" : "\"/>\n");
    if (item->n > 0) {
      put_failure(out, item);
      out_text(out, "    </testcase>\n");
    }
  }
  out_text(out, "  </testsuite>\n</testsuites>\n");
}
