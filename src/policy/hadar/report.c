/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/number.h"

static void add_text(struct hadar_report *report, const char *text, size_t n) {
  report->text = mem_grow(report->text, report->length + n + 1, &report->capacity, 1);
  memcpy(report->text + report->length, text, n);
  report->length += n;
  report->text[report->length] = '\0';
}

static void add(struct hadar_report *report, const char *text) {
  add_text(report, text, strlen(text));
}

static void add_number(struct hadar_report *report, double value) {
  char text[NUMBER_SIZE];
  add_text(report, text, number_print(value, text));
}

static void add_string(struct hadar_report *report, const char *string) {
  add(report, "\"");
  for (const char *s = string; *s != '\0'; s++) {
    char escape[8];
    if (*s == '"' || *s == '\\') {
      add_text(report, "\\", 1);
      add_text(report, s, 1);
    } else if ((unsigned char)*s < 0x20) {
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*s);
      add(report, escape);
    } else {
      add_text(report, s, 1);
    }
  }
  add(report, "\"");
}

static void add_prices(struct hadar_report *report, const struct hsim_cluster *cluster,
                       const struct hadar_prices *prices) {
  add(report, "{\"alpha\":");
  add_number(report, prices->alpha);
  add(report, ",\"inverse_eta\":");
  add_number(report, prices->inverse_eta);
  add(report, ",\"prices\":{");
  for (int t = 0; t < cluster->n_types; t++) {
    add(report, t > 0 ? "," : "");
    add_string(report, cluster->type_names[t]);
    add(report, ":[");
    add_number(report, prices->low[t]);
    add(report, ",");
    add_number(report, prices->high[t]);
    add(report, "]");
  }
  add(report, "}");
}

static void add_served(struct hadar_report *report, const char *id,
                       const struct hadar_grant *grant) {
  static const char *const how[] = {
      [HADAR_BY_PAYOFF] = "payoff",     [HADAR_BY_AGE] = "age",
      [HADAR_BY_BACKFILL] = "backfill", [HADAR_BY_RESCUE] = "rescue",
      [HADAR_BY_UPGRADE] = "upgrade",   [HADAR_BY_FORK] = "fork",
  };
  add(report, "{\"job\":");
  add_string(report, id);
  add(report, ",\"payoff\":");
  add_number(report, grant->payoff);
  add(report, ",\"rate\":");
  add_number(report, grant->rate);
  add(report, ",\"by\":");
  add_string(report, how[grant->how]);
  add(report, "}");
}

void hadar_report_round(struct hadar_report *report, const struct hsim_cluster *cluster,
                        const struct hadar_market *market, double value,
                        const struct hadar_board *board, const struct hsim_active *const *active,
                        const int *queue, int n, const char *more) {
  report->length = 0;
  add_prices(report, cluster, market->prices);
  add(report, ",\"value\":");
  add_number(report, value);
  add(report, ",\"served\":[");
  bool first = true;
  for (int i = 0; i < n; i++) {
    const struct hadar_grant *grant = &board->grants[queue[i]];
    if (grant->n_seats == 0)
      continue;
    add(report, first ? "" : ",");
    add_served(report, active[queue[i]]->job->id, grant);
    first = false;
  }
  add(report, "]");
  add(report, more);
  add(report, "}");
}

void hadar_report_forks(struct hadar_report *report) {
  report->length = 0;
  add(report, ",\"forks\":[");
}

/* Items of a list: a comma before all but the first. */
static void next_item(struct hadar_report *report) {
  if (report->text[report->length - 1] != '[')
    add(report, ",");
}

void hadar_report_fork(struct hadar_report *report, const char *job, double gain) {
  next_item(report);
  add(report, "{\"job\":");
  add_string(report, job);
  add(report, ",\"gain\":");
  add_number(report, gain);
  add(report, "}");
}

void hadar_report_copies(struct hadar_report *report) {
  add(report, "],\"copies\":[");
}

void hadar_report_copy(struct hadar_report *report, const struct hadar_copy_line *copy) {
  next_item(report);
  add(report, "{\"job\":");
  add_string(report, copy->job);
  add(report, ",\"copy\":");
  add_number(report, copy->copy);
  add(report, ",\"id\":");
  add_number(report, (double)copy->id);
  add(report, ",\"node\":");
  add_string(report, copy->node);
  add(report, ",\"gpus\":");
  add_number(report, copy->gpus);
  add(report, ",\"steps\":");
  add_number(report, copy->steps);
  add(report, ",\"stall_s\":");
  add_number(report, copy->stall_s);
  add(report, "}");
}

void hadar_report_copies_end(struct hadar_report *report) {
  add(report, "]");
}

void hadar_report_free(struct hadar_report *report) {
  free(report->text);
  *report = (struct hadar_report){0};
}
