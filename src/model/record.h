/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event record: the only thing that outputs read. The engine appends records in time order;
 * each sink gets each record and keeps what it needs. A record's pointers are valid during the
 * call.
 */
#ifndef HSIM_MODEL_RECORD_H
#define HSIM_MODEL_RECORD_H

#include "hsim/types.h"
#include "hsim/view.h"

enum record_kind {
  /* The clock and the policy */
  RECORD_ROUND, /* the policy is called: `count` rounds since the call before (skipped ones
                   included), 0 in event mode and between two rounds */
  RECORD_END,   /* last record of a run: the clock stops at `time` */

  /* A job's life. These are the rows of the events CSV. */
  RECORD_ARRIVE,
  RECORD_START,   /* its gang(s) begin and the job held nothing before */
  RECORD_RESIZE,  /* another number of GPUs; `moved` GPUs newly held */
  RECORD_MIGRATE, /* same number, at least one other GPU; `moved` GPUs newly held */
  RECORD_PREEMPT, /* not done, holds nothing from now on */
  RECORD_FINISH,
  RECORD_REJECT,
  RECORD_DROP,
  RECORD_CANCEL,
  RECORD_NODE_DOWN,
  RECORD_NODE_UP,

  /* A gang's life. GANG_BEGIN and GANG_END bracket the time in which the same GPUs are held by
   * the same (job, copy). Inside, SEGMENT records account for the work. */
  RECORD_GANG_BEGIN, /* gang */
  RECORD_SEGMENT,    /* gang: work done from `from` to `time`, see below */
  RECORD_GANG_END,   /* gang: its GPUs are free from `time` on */

  /* Waiting */
  RECORD_WAIT /* job waited for `reason` from `from` to `time` */
};

/*
 * A segment is a stretch of one gang at one rate: from `from`, `stall` seconds without progress
 * (costs, stalls of the plan), then progress until `stop`, then idle until `time` (the tail of a
 * round that its GPUs stay with). Checkpoints in between make no progress either.
 *   held       = time - from            (x gang size: GPU-seconds)
 *   busy       = stop - from
 *   productive = busy - stall - checkpoint seconds - seconds whose work was lost
 *   steps      = what it added to its job, after `lost_steps` were taken off
 */
struct record {
  enum record_kind kind;
  double time;
  uint64_t round;
  int job;                      /* -1 when it concerns none */
  const struct hsim_gang *gang; /* NULL when it concerns none */
  int copy;                     /* of a job event: 0, or the copy concerned */
  int node;                     /* NODE_DOWN, NODE_UP */
  double from;                  /* SEGMENT, WAIT */
  double stop;                  /* SEGMENT */
  double stall;                 /* SEGMENT: seconds */
  double productive;            /* SEGMENT: seconds */
  double steps, lost_steps;     /* SEGMENT */
  int moved;                    /* RESIZE, MIGRATE */
  bool counts;                  /* job event: the first row of its change (copies make several) */
  uint64_t count;               /* ROUND */
  enum hsim_reason reason;      /* WAIT */
  const char *detail;           /* REJECT, DROP: why; "" elsewhere */
};

struct trace;
struct rates;

/* What a sink may know about the run, constant while it lasts. */
struct run_info {
  const char *policy; /* as typed, with its options */
  int run;            /* its place among the runs of the call, from 0 */
  int from, to;       /* the jobs that are measured: [from, to) of the arrival order. `to`
                   may be beyond the last job */
  const struct trace *trace;
  const struct rates *rates;
  const struct hsim_cluster *cluster;
  const struct hsim_oracle *oracle;
  enum { RUN_ROUND, RUN_EVENT } mode;
  double round_s;
  bool seeded; /* one of several seeds of its policy: rows of outputs say which */
  uint64_t seed;
  bool elastic;
  bool whole_steps;
};

/* A sink: record for each record, end once. The functions may be NULL. `end` returns what went
 * wrong (an output that cannot be written, a rule that the auditor saw broken). `free` is for
 * whoever holds the sink, after the run; without it the state has another owner. */
struct sink {
  void *state;
  void (*record)(void *state, const struct record *record);
  void (*emit)(void *state, double time, uint64_t round, const char *json); /* policy log line */
  enum hsim_status (*end)(void *state, struct hsim_error *error);
  void (*free)(void *state);
};

#endif
