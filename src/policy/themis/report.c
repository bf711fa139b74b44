/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/report.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/number.h"

void themis_report_free(struct themis_report *report) {
  free(report->text);
}

static void add(struct themis_report *report, const char *text, size_t n) {
  report->text = mem_grow(report->text, report->length + n + 1, &report->capacity, 1);
  memcpy(report->text + report->length, text, n);
  report->length += n;
  report->text[report->length] = '\0';
}

static void add_text(struct themis_report *report, const char *text) {
  add(report, text, strlen(text));
}

/* Names of nodes come from the user's file. */
static void add_quoted(struct themis_report *report, const char *text) {
  static const char digits[] = "0123456789abcdef";
  add_text(report, "\"");
  for (const char *s = text; *s; s++) {
    unsigned char byte = (unsigned char)*s;
    if (byte == '"' || byte == '\\')
      add_text(report, "\\");
    if (byte >= 0x20) {
      add(report, s, 1);
      continue;
    }
    const char escaped[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    add(report, escaped, sizeof escaped);
  }
  add_text(report, "\"");
}

static void begin_element(struct themis_report *report, const char *key) {
  if (!report->first)
    add_text(report, ",");
  report->first = false;
  if (key != NULL) {
    add_quoted(report, key);
    add_text(report, ":");
  }
}

void themis_report_begin(struct themis_report *report) {
  report->length = 0;
  report->first = true;
}

void themis_report_number(struct themis_report *report, const char *key, double value) {
  begin_element(report, key);
  if (value - value != 0) { /* JSON has no infinity */
    add_text(report, "null");
    return;
  }
  char text[NUMBER_SIZE] = "";
  number_print(value, text);
  add_text(report, text);
}

void themis_report_text(struct themis_report *report, const char *key, const char *value) {
  begin_element(report, key);
  add_quoted(report, value);
}

void themis_report_open(struct themis_report *report, const char *key, char bracket) {
  begin_element(report, key);
  add(report, &bracket, 1);
  report->first = true;
}

void themis_report_close(struct themis_report *report, char bracket) {
  add(report, &bracket, 1);
  report->first = false;
}

void themis_report_bundle(struct themis_report *report, const char *key,
                          const struct hsim_cluster *cluster, const struct hsim_share *parts,
                          int n) {
  themis_report_open(report, key, '{');
  for (int i = 0; i < n; i++)
    themis_report_number(report, cluster->nodes[cluster->bays[parts[i].bay].node].name,
                         parts[i].gpus);
  themis_report_close(report, '}');
}
