/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small world in memory for tests that run the engine: a cluster, rates, jobs, one run with the
 * auditor on, and the records of that run as text, one a line.
 *
 *   struct world w;
 *   world_init(&w, "v100=2x4,p100=1x2");
 *   world_rate(&w, "v100", "m", 1, 10);
 *   world_job(&w, "a", 0, "m", 1, 3600);
 *   assert_int_equal(world_run(&w, "fifo"), HSIM_OK);
 *   ... world_finish(&w, "a") ...
 *   world_free(&w);
 */
#ifndef HSIM_TESTS_WORLD_H
#define HSIM_TESTS_WORLD_H

#include "engine/engine.h"
#include "policy/options.h"

struct world_event {
  enum record_kind kind;
  double time;
  int job;
  int copy;
  int size;    /* of the gang, 0 without one */
  int gpus[8]; /* the first GPU indices of the gang */
  double rate, steps, stop, from, stall, productive, lost;
  enum hsim_reason reason;
  int moved;
  bool counts;
};

struct world {
  struct cluster cluster;
  struct rates rates;
  bool rates_ready;
  struct trace trace;
  size_t jobs_capacity;
  struct engine_config config; /* change what matters before world_run; costs start at none */
  struct engine_result result;
  struct hsim_error error;
  struct world_event *events;
  size_t n_events, events_capacity;
  size_t stop_after; /* the run is asked to stop when so many events have come; 0: it is not */
  volatile sig_atomic_t stop;
};

/* `spec`: TYPE=NODESxGPUS[,...]; several types in one node: TYPE+TYPE=NODESxGPUS (GPUs of each). */
void world_init(struct world *world, const char *spec);
void world_rate(struct world *world, const char *type, const char *model, int workers, double rate);
void world_spread_rate(struct world *world, const char *type, const char *model, int workers,
                       double rate);
/* Jobs may come in any order of arrival; the returned pointer is good until the next job. */
struct hsim_job *world_job(struct world *world, const char *id, double arrival, const char *model,
                           int workers, double steps);

/* A built-in policy as it is typed, or a table with the given values. The auditor is a sink; what
 * it finds fails the run. */
enum hsim_status world_run(struct world *world, const char *policy);
enum hsim_status world_run_table(struct world *world, const struct hsim_policy *policy,
                                 const struct hsim_value *values);

/* Times of a job, NaN when it has none. */
double world_finish(const struct world *world, const char *id);
double world_start(const struct world *world, const char *id); /* the first */
int world_count(const struct world *world, enum record_kind kind,
                const char *id); /* id NULL: all */
const struct world_event *world_find(const struct world *world, enum record_kind kind,
                                     const char *id, int nth);
void world_print(const struct world *world); /* all events, to stderr */
void world_free(struct world *world);

#endif
