/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/progress.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "model/trace.h"

static const double between_s = 0.1;

struct progress {
  int from, to;
  double origin_s;
  double (*clock)(void);
  void (*tell)(void *listener, const struct progress_state *state);
  void *listener;
  struct progress_state state;
  double told_at; /* NaN before */
};

struct progress *progress_create(const struct run_info *info, int from, int to,
                                 double (*clock)(void),
                                 void (*tell)(void *listener, const struct progress_state *state),
                                 void *listener) {
  struct progress *p = mem_zero(1, sizeof *p);
  *p = (struct progress){.from = from,
                         .to = to,
                         .origin_s = info->trace->n_jobs ? info->trace->jobs[0].arrival_s : 0,
                         .clock = clock,
                         .tell = tell,
                         .listener = listener,
                         .told_at = NAN};
  return p;
}

void progress_free(struct progress *progress) {
  free(progress);
}

static void take_record(void *state, const struct record *r) {
  struct progress *p = state;
  bool ends = r->kind == RECORD_FINISH || r->kind == RECORD_REJECT || r->kind == RECORD_DROP ||
              r->kind == RECORD_CANCEL;
  if (ends && r->job >= p->from && r->job < p->to)
    p->state.ended++;
  if (r->kind == RECORD_ROUND)
    p->state.rounds += r->count;
  else if (!ends)
    return;
  double now = p->clock();
  if (now - p->told_at < between_s)
    return;
  p->told_at = now;
  p->state.simulated_s = r->time - p->origin_s;
  p->tell(p->listener, &p->state);
}

struct sink progress_sink(struct progress *progress) {
  return (struct sink){.state = progress, .record = take_record};
}
