/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the auditor: its books, shared by auditor.c, audit_gangs.c and audit_changes.c only. */
#ifndef HSIM_OUTPUT_AUDIT_STATE_H
#define HSIM_OUTPUT_AUDIT_STATE_H

#include "model/record.h"
#include "model/trace.h"

enum audit_life {
  AUDIT_NOT_ARRIVED,
  AUDIT_ACTIVE,
  AUDIT_FINISHED,
  AUDIT_REJECTED,
  AUDIT_DROPPED,
  AUDIT_CANCELLED
};

/* A gang that holds GPUs. */
struct audit_gang {
  int job, copy;
  int size;
  int next; /* next gang of the same job, -1 after the last; also links unused entries */
  double begin;
  double accounted; /* end of its last segment */
  int *gpus;        /* [size] */
  size_t gpus_capacity;
};

struct audit_job {
  double steps;    /* done so far, net */
  double slack;    /* steps that rounding of the clock may have added or taken in all segments */
  double ended;    /* when it finished or left, NaN before */
  double released; /* when it last came to hold nothing; its arrival before */
  double waited;   /* end of its last wait */
  int first_gang;  /* -1: holds nothing */
  int change;      /* number in the instant's changes, -1: untouched in this instant */
  uint8_t life;
  bool summed; /* its steps have been compared */
};

/* What happened to one job in the present instant. */
struct audit_change {
  int job;
  size_t before, n_before; /* GPUs that it held before: a piece of before_gpus */
  bool forked_before;
  int starts, resizes, migrations, preemptions; /* that count */
  int moved;
};

struct auditor {
  const struct run_info *info;
  double time;
  uint64_t round;
  bool ended;  /* RECORD_END was seen */
  bool broken; /* text says how; nothing is looked at any more */
  char text[900];

  struct audit_job *jobs;
  struct audit_gang *gangs;
  size_t n_gangs, gangs_capacity;
  int free_gang;     /* -1: none */
  int (*holders)[2]; /* [n_gpus] gangs, -1: none; the first is filled first */
  int *node_of;      /* [n_gpus] */
  uint8_t *down;     /* [n_nodes] */

  struct audit_change *changes;
  size_t n_changes, changes_capacity;
  int *before_gpus;
  size_t n_before, before_capacity;
  int *gone_down; /* nodes, in this instant */
  size_t n_gone_down, gone_down_capacity;
  uint32_t *marks;      /* [n_gpus] */
  uint32_t *node_marks; /* [n_nodes] */
  uint32_t mark;        /* a GPU or node is marked when its mark equals this one */
};

/* Whom a complaint is about; -1: not about one. */
struct audit_subject {
  int job, copy, node;
};

/* Notes that a rule is broken, unless one is already. */
void audit_break(struct auditor *a, struct audit_subject subject, const char *rule,
                 const char *format, ...) HSIM_PRINTF(4, 5);

/* audit_gangs.c */
void audit_gang_begin(struct auditor *a, const struct record *r);
void audit_segment(struct auditor *a, const struct record *r);
void audit_gang_end(struct auditor *a, const struct record *r);

/* audit_changes.c */
struct audit_change *audit_touch(struct auditor *a, int job);
void audit_end_instant(struct auditor *a);
uint32_t audit_new_mark(struct auditor *a);

#endif
