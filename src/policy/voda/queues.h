/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The queues of the two Tiresias algorithms: when a job sinks, and when it is lifted again.
 *
 * Gu et al., "Tiresias", NSDI'19, with two queues: a running job sinks when the GPU-seconds that it
 * got since its last promotion reach the threshold; a waiting job that has run goes back to the
 * first queue when it has waited `promote` times as long as it ran since then, and both counters
 * start anew.
 *
 * As coded in Voda instead: a timer of 5 s gives each interval to whatever the job does at its end;
 * a job sinks when the GPU-seconds since its last start exceed the threshold, and is promoted when
 * the seconds waited since its last halt are `promote` times those run since its last start,
 * whether it waits or runs, and without starting any counter anew.
 */
#ifndef HSIM_POLICY_VODA_QUEUES_H
#define HSIM_POLICY_VODA_QUEUES_H

#include <stdbool.h>

struct voda_queue_rules {
  double threshold; /* GPU-seconds at which the first queue is left */
  double promote;   /* 0: never */
  double tick_s;    /* changes are seen at multiples of it only; 0: at their exact time */
  bool as_coded;    /* with tick_s > 0 */
};

/* What a job got so far. */
struct voda_service {
  double now;
  double gpu_s, run_s; /* GPU-seconds and seconds with GPUs, since its arrival */
  int workers;         /* that it has now */
  double stopped_s;    /* when it last came to hold nothing; not read before it has run */
};

struct voda_clock {
  int queue;
  double from_gpu_s, from_run_s; /* service at the last promotion */
  /* As coded: up to the last tick. */
  double tick_s, run_s, last_run_s, last_wait_s, last_gpu_s;
};

/* `priority` of the trace: 0 (or less) is the highest; what lies behind the last queue goes into
 * it, or as coded into none. */
void voda_clock_start(struct voda_clock *clock, const struct voda_queue_rules *rules, double now,
                      double priority);

/* Brings the queue up to date; true when it changed. */
bool voda_clock_update(struct voda_clock *clock, const struct voda_queue_rules *rules,
                       const struct voda_service *service);

/* When that may next be so if nothing else happens: later than now, infinity when never. */
double voda_clock_next(const struct voda_clock *clock, const struct voda_queue_rules *rules,
                       const struct voda_service *service);

/* As coded: its workers went from none to some; true when this counts as its first start. */
bool voda_clock_began(struct voda_clock *clock);
void voda_clock_halted(struct voda_clock *clock);

#endif
