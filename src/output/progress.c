/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/progress.h"

#include <math.h>
#include <stdlib.h>

#include "model/clock.h"
#include "model/memory.h"
#include "model/trace.h"

enum { BAR_WIDTH = 24 };
static const double redraw_s = 0.1;

struct progress {
  const struct run_info *info;
  FILE *stream;
  int from, to, ended;
  double drawn_at; /* wall clock, NaN before */
};

struct progress *progress_create(const struct run_info *info, int from, int to, FILE *stream) {
  struct progress *p = mem_zero(1, sizeof *p);
  p->info = info;
  p->stream = stream;
  p->from = from < 0 ? 0 : from;
  p->to = to > info->trace->n_jobs ? info->trace->n_jobs : to;
  p->drawn_at = NAN;
  return p;
}

void progress_free(struct progress *progress) {
  free(progress);
}

static void draw(struct progress *p, double simulated_s) {
  int jobs = p->to - p->from;
  int filled = jobs > 0 ? (int)((int64_t)p->ended * BAR_WIDTH / jobs) : BAR_WIDTH;
  char bar[BAR_WIDTH + 1];
  for (int i = 0; i < BAR_WIDTH; i++)
    bar[i] = i < filled ? '#' : '.';
  bar[BAR_WIDTH] = '\0';
  double days = floor(simulated_s / 86400.0), rest = simulated_s - days * 86400.0;
  fprintf(p->stream, "\r%.24s [%s] %d of %d jobs, day %.0f %02d:%02d\033[K", p->info->policy, bar,
          p->ended, jobs, days, (int)(rest / 3600.0), (int)(rest / 60.0) % 60);
  fflush(p->stream);
}

static void take_record(void *state, const struct record *r) {
  struct progress *p = state;
  bool ends = r->kind == RECORD_FINISH || r->kind == RECORD_REJECT || r->kind == RECORD_DROP ||
              r->kind == RECORD_CANCEL;
  if (ends && r->job >= p->from && r->job < p->to)
    p->ended++;
  if (!ends && r->kind != RECORD_ROUND)
    return;
  double now = clock_seconds();
  if (now - p->drawn_at < redraw_s)
    return;
  p->drawn_at = now;
  draw(p, r->time);
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  (void)error;
  struct progress *p = state;
  if (!isnan(p->drawn_at)) {
    fputs("\r\033[K", p->stream);
    fflush(p->stream);
  }
  return HSIM_OK;
}

struct sink progress_sink(struct progress *progress) {
  return (struct sink){.state = progress, .record = take_record, .end = finish};
}
