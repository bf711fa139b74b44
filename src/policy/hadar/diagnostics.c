/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/diagnostics.h"

#include <errno.h>
#include <string.h>

#include "model/number.h"

static enum hsim_status cannot_write(const struct hadar_diagnostics *d, struct hsim_error *error) {
  return hsim_fail(error, HSIM_BAD_USAGE, "diagnostics=%s: cannot write: %s", d->name,
                   strerror(errno));
}

enum hsim_status hadar_diagnostics_open(struct hadar_diagnostics *d, const char *name,
                                        struct hsim_error *error) {
  *d = (struct hadar_diagnostics){.name = name};
  if (name[0] == '\0')
    return HSIM_OK;
  d->file = fopen(name, "w");
  if (d->file == NULL)
    return cannot_write(d, error);
  bool written = fputs("round,time_s,figure,name,value\n", d->file) != EOF;
  return written ? HSIM_OK : cannot_write(d, error);
}

/* A name as a CSV cell. */
static void put_name(FILE *file, const char *name) {
  if (strpbrk(name, ",\"\r\n") == NULL) {
    fputs(name, file);
    return;
  }
  fputc('"', file);
  for (const char *at = name; *at != '\0'; at++) {
    if (*at == '"')
      fputc('"', file);
    fputc(*at, file);
  }
  fputc('"', file);
}

struct line {
  FILE *file;
  unsigned long long round;
  char time[NUMBER_SIZE];
};

static void put(const struct line *line, const char *figure, const char *name, double value) {
  char text[NUMBER_SIZE];
  number_print(value, text);
  fprintf(line->file, "%llu,%s,%s,", line->round, line->time, figure);
  put_name(line->file, name);
  fprintf(line->file, ",%s\n", text);
}

enum hsim_status hadar_diagnostics_round(struct hadar_diagnostics *d, const struct hsim_view *view,
                                         const struct hadar_prices *prices, double value,
                                         const struct hadar_board *board,
                                         const struct hsim_active *const *active,
                                         struct hsim_error *error) {
  if (d->file == NULL)
    return HSIM_OK;
  struct line line = {.file = d->file, .round = view->round};
  number_print(view->now, line.time);
  put(&line, "alpha", "", prices->alpha);
  put(&line, "inverse_eta", "", prices->inverse_eta);
  put(&line, "total_payoff", "", value);
  for (int t = 0; t < view->cluster->n_types; t++) {
    put(&line, "price_min", view->cluster->type_names[t], prices->low[t]);
    put(&line, "price_max", view->cluster->type_names[t], prices->high[t]);
  }
  for (int i = 0; i < board->n_jobs; i++) {
    if (board->grants[i].n_seats == 0)
      continue;
    put(&line, "payoff", active[i]->job->id, board->grants[i].payoff);
    if (board->grants[i].copies > 1)
      put(&line, "copies", active[i]->job->id, board->grants[i].copies);
  }
  return ferror(d->file) || fflush(d->file) == EOF ? cannot_write(d, error) : HSIM_OK;
}

void hadar_diagnostics_close(struct hadar_diagnostics *d) {
  if (d->file != NULL)
    fclose(d->file);
  *d = (struct hadar_diagnostics){0};
}
