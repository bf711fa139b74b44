/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine's own state, shared by its files and by nobody else.
 *
 * Time flows through four places: queue (when gangs stop and jobs end), progress.c (how much work a
 * stretch of time is), apply.c (turning a plan into gangs), and run.c with
 * instant.c and rounds.c (the clock, run.h).
 *
 * A *segment* is a stretch in which a job's gangs and their rates stay the same. Work is always
 * computed from the segment's start, so asking in between, or not asking, changes no bit.
 */
#ifndef HSIM_ENGINE_CORE_H
#define HSIM_ENGINE_CORE_H

#include <stdio.h>

#include "engine/engine.h"
#include "engine/faults.h"
#include "engine/free_gpus.h"
#include "engine/queue.h"

struct gang {
  struct hsim_gang pub;
  struct job *job;
  struct gang *next, *prev; /* all gangs, in the order in which they were placed */

  double from;    /* start of the segment */
  double stall;   /* seconds without progress at its start */
  double stop;    /* when it has used up its step budget, infinity when it has none */
  double budget;  /* steps that the plan allows from `from` on, infinity when it says nothing */
  bool stopped;   /* it has stopped, and idles */
  bool failed;    /* whole steps: it completes none that count in this round */
  int shared;     /* whole steps: whom it shares its GPUs with in this round, even if that one ends
                     first; -1 */
  double done;    /* steps of its ended segments */
  double unsaved; /* of these, steps since its last checkpoint */
  uint64_t gone;  /* number of the plan in which it was stopped or replaced */

  double told_from, told_steps; /* what the policy has been told of it */

  int rated_model, rated_partner; /* what pub.rate was asked for */

  struct hsim_share *shares; /* pub.shares and pub.gpus: in the same block, behind the gang */
  int *gpus;
};

/* An active job, or one that left and that the policy has not been told about. */
struct job {
  struct hsim_active pub;
  struct job *next, *prev; /* active jobs in arrival order; pub.next mirrors next */
  struct gang **gangs;     /* [pub.n_gangs]; pub.gangs */
  int gangs_capacity;
  int phase;     /* phases entered */
  double steps;  /* done at the start of the segment */
  double target; /* steps at which the segment ends: next phase or the last step */

  int held;     /* GPUs */
  double since; /* up to when held_gpu_s and run_s are counted */
  double held_gpu_s, run_s;
  double wait_from; /* start of the present stretch of waiting with one reason */
  double wait_s;    /* before it */
  int reason;       /* enum hsim_reason, -1 while nobody has given one */

  double shrunk_at; /* when copies of it were last taken away, and after how many policy calls: what
                       is taken at one moment counts once */
  uint64_t shrunk_call;

  int next_reason; /* given in plan `reasoned`, for when that very plan stops it */
  uint64_t reasoned;
  uint64_t rejected;            /* plan in which it was rejected */
  bool told;                    /* the policy knows of it, or will at its next call */
  bool ended;                   /* finished, rejected or dropped */
  bool finish_held;             /* done, but credited together with its partner */
  uint64_t touched;             /* plan in which it was edited or stopped */
  uint64_t kept;                /* plan in which it was kept */
  size_t first_edit, last_edit; /* index + 1 of its edits in plan `touched`, 0 = none */
};

/* One edit of a plan. */
struct edit {
  struct job *job; /* NULL when a later edit replaced it */
  size_t next;     /* index + 1 of the job's next edit, 0 = none */
  int copy;
  int partner; /* job index, -1 */
  bool second; /* second of a pair: its GPUs are the first one's */
  int size;
  int n_shares;
  struct hsim_share *shares; /* ascending bay; in the plan's arena */
  int *gpus;                 /* [size] ascending; given, or chosen when the plan is applied */
  bool exact;                /* given */
  double max_steps;          /* infinity when none */
  double stall;
  struct gang *old; /* gang of the same copy that it replaces; it ends before this one begins */
  int old_size;     /* of `old`, 0 when there is none */
  double rate;      /* steps per second on these GPUs */
  bool same;        /* on the very GPUs of `old` */
};

struct hsim_plan {
  struct hsim_core *core;
  uint64_t number; /* counts plans: marks of an old one are void */
  bool cleared;
  struct edit *edits;
  size_t n_edits, edits_capacity;
  struct job **touched; /* jobs with an edit or a stop, in order */
  size_t n_touched, touched_capacity;
  struct {
    struct job *job;
    char *why;
  } * rejected;
  size_t n_rejected, rejected_capacity;
  struct arena arena;       /* shares, indices and texts of the edits */
  double valid_until;       /* -infinity: no promise */
  struct hsim_error broken; /* the first rule that an edit broke */
  struct change *changes;   /* apply.c: [n_touched] */
  size_t changes_capacity;
  int *old_gpus, *new_gpus; /* scratch: GPUs of one job before and after */
  size_t old_capacity, new_capacity;
};

/* Whether the simulation gets anywhere: calls since work was last seen to grow. */
struct headway {
  uint64_t calls;
  double most; /* sum over the active jobs of the part of their steps that is done */
};

struct hsim_core {
  const struct engine_config *config;
  const struct hsim_policy *policy;
  struct hsim_oracle oracle;
  struct hsim_view view;
  void *state; /* the policy's */
  struct engine_result *result;
  struct hsim_error *error;

  /* Time */
  double now;
  struct queue queue; /* gang stops and job ends */
  int next_arrival;   /* first job that has not arrived */
  size_t next_node_event, next_cancel;
  struct faults faults;
  double *timers; /* descending: the next one is the last */
  size_t n_timers, timers_capacity;
  bool freed; /* GPUs became free since its last call */
  bool due;   /* an event that the policy hears of happened since its last call */

  /* Rounds */
  double origin;       /* of the grid */
  uint64_t grid_round; /* of the last call, counted from the origin */
  double next_call;    /* infinity: none planned */
  int idle_calls;      /* calls in a row after which nothing ran and nothing was to come */
  int empty_calls;     /* of these in a row without a gang, when the clock jumps to arrivals only */
  struct headway headway;
  double ran_until; /* end of the last round in which something ran, 0 before any */

  /* Jobs */
  struct job **jobs; /* [n_jobs] by index, NULL when not active */
  struct job *first, *last;
  struct job *pool; /* recycled, linked by next */
  struct arena pool_memory;
  struct job **left; /* ended since the last call, in order */
  size_t n_left, left_capacity;
  struct job **stopped; /* lost all their GPUs since the last call, in order */
  size_t n_stopped, stopped_capacity;
  struct job **arrived; /* since the last call, in order */
  size_t n_arrived, arrived_capacity;
  struct job **waiting; /* came to wait since the last call */
  size_t n_waiting, waiting_capacity;
  int measured_left; /* jobs of the measured window that have not ended */
  int n_ended;

  /* Capacity */
  struct free_gpus gpus;
  uint8_t *busy; /* [n_gpus] gangs on it */
  uint8_t *node_up;
  int *type_up;
  struct gang *gangs, *last_gang;
  struct gang **idle_end; /* where the next one is linked */
  struct gang *idle;      /* ended gangs whose GPUs stay until the round's end, linked by next */
  struct node_event *changes; /* since the last call */
  size_t n_changes, changes_capacity;

  struct hsim_plan plan;
  struct hsim_ran *ran; /* since the last call */
  size_t n_ran, ran_capacity;
};

/* record.c: the event record */
void emit_record(struct hsim_core *core, const struct record *record);
void emit_job(struct hsim_core *core, enum record_kind kind, const struct job *job,
              const char *detail);
void emit_gang(struct hsim_core *core, enum record_kind kind, const struct gang *gang);

/* progress.c: work */
bool whole_rounds(const struct hsim_core *core); /* each round a segment of whole steps */
double gang_steps_at(const struct hsim_core *core, const struct gang *gang, double t);
double job_steps_at(const struct hsim_core *core, const struct job *job, double t);
/* Rate of the job on these GPUs, alone (partner -1) or with another job. */
double placed_rate(const struct hsim_core *core, const struct job *job, int partner,
                   const struct hsim_share *shares, int n_shares, int size);
/* Settles all gangs of the job at now; an interrupted job loses what it has not saved. */
void segment_end(struct hsim_core *core, struct job *job, bool interrupted);
/* The same when a node has failed under one of them, which may lose more. */
void segment_end_failed(struct hsim_core *core, struct gang *gang);
/* Settles one gang at now: its idle tail, or with whole steps its part of the round. */
void gang_settle(struct hsim_core *core, struct gang *gang, double lost);
/* Rates, budgets and the next event of the job's gangs from now on. */
void segment_begin(struct hsim_core *core, struct job *job);
/* Whether the gang makes no progress in the job's present phase. */
bool gang_stuck(struct hsim_core *core, struct gang *gang);
void whole_round_begin(struct hsim_core *core);
void job_reschedule(struct hsim_core *core, struct job *job); /* its next event */
/* When the gang will stop if nothing changes: budget, job's end, or `limit`. */
double gang_stop(const struct hsim_core *core, const struct gang *gang, double limit);

/* jobs.c: the life of jobs and gangs */
struct job *job_arrive(struct hsim_core *core, int index);
void job_end(struct hsim_core *core, struct job *job, enum record_kind kind, const char *why);
/* Its last gang has been taken: it waits again. */
void job_preempted(struct hsim_core *core, struct job *job, const char *why);
void job_recycle(struct hsim_core *core, struct job *job);
void account(struct hsim_core *core, struct job *job, int held); /* from now on it holds so many */
void wait_begin(struct hsim_core *core, struct job *job);
void wait_end(struct hsim_core *core, struct job *job);
void wait_reason(struct hsim_core *core, struct job *job, enum hsim_reason reason);
struct gang *gang_add(struct hsim_core *core, const struct edit *edit, double stall);
/* `give`: its GPUs go back to the free ones; a plan that is applied has seen to that itself. */
void gang_remove(struct hsim_core *core, struct gang *gang, bool give);
void gang_leave_partner(struct hsim_core *core, struct gang *gang);
struct gang *partner_gang(const struct hsim_core *core, const struct gang *gang);
/* The round's end for ended gangs: on all nodes (-1), or on one that goes down. */
void idle_release(struct hsim_core *core, int node);
void tell_ran(struct hsim_core *core, struct gang *gang);
void job_engine_free(struct hsim_core *core);

/* feasible.c: why the job can never run under this policy, written to text; NULL when it can. */
const char *why_never(const struct hsim_core *core, const struct hsim_active *active,
                      char text[256]);
enum hsim_reason default_reason(const struct hsim_core *core, const struct job *job);

/* plan.c, apply.c */
bool gang_in_plan(const struct hsim_plan *plan, const struct gang *gang);
void plan_begin(struct hsim_core *core);
enum hsim_status plan_apply(struct hsim_core *core);
void plan_free(struct hsim_plan *plan);
void plan_touch(struct hsim_plan *plan, struct job *job);
/* The job's edits in the order in which they were made; NULL at the end. */
struct edit *first_edit(struct hsim_plan *plan, const struct job *job);
struct edit *next_edit(struct hsim_plan *plan, const struct edit *edit);
bool node_change(struct hsim_core *core, int node, enum node_state state); /* false: it was so */
/* Whether some share is on the node. */
bool on_node(const struct hsim_core *core, const struct hsim_share *shares, int n, int node);
int bay_of_gpu(const struct hsim_cluster *cluster, int gpu);
void gang_take_away(struct hsim_core *core, struct gang *gang, bool sudden, const char *why);
void plan_broken(struct hsim_plan *plan, int job, int node, const char *rule);

#endif
