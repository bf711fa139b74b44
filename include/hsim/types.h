/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The nouns of the modelled world: jobs, clusters, gangs, errors.
 *
 * Everything here is read-only for a policy. Indices run from 0 and are stable during a run:
 * `type` (GPU type), `node`, `bay`, `model`, `job`. A *bay* is all GPUs of one type on one node:
 * most nodes have one; a mixed node has one a type. A placement is a list of shares
 * (bay, number of GPUs), so it says node and type at once.
 *
 * Units: seconds of the trace's own clock, training steps of the whole gang, GPUs.
 * An absent number is NaN, an absent index -1.
 */
#ifndef HSIM_TYPES_H
#define HSIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HSIM_API __attribute__((visibility("default")))
#define HSIM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define HSIM_API
#define HSIM_PRINTF(fmt, args)
#endif

#define HSIM_MAX_TYPES 64 /* GPU types of a cluster */

/* What went wrong; the values are the program's exit codes. */
enum hsim_status {
  HSIM_OK = 0,
  HSIM_BAD_INPUT = 1,    /* wrong data in a file, or no job can run */
  HSIM_BAD_USAGE = 2,    /* wrong command line */
  HSIM_DIFFERS = 3,      /* a figure differs from the baseline */
  HSIM_FAILED = 4,       /* a policy or the solver failed */
  HSIM_BUG = 70,         /* hsim's own fault */
  HSIM_INTERRUPTED = 130 /* by the user, before the end */
};

/* Filled by whoever finds the fault; the text is one line without a final newline. */
struct hsim_error {
  enum hsim_status status;
  char text[1024];
};

/* Sets *error (which may be NULL) and returns `status`, so that a caller can return the call. */
HSIM_API enum hsim_status hsim_fail(struct hsim_error *error, enum hsim_status status,
                                    const char *format, ...) HSIM_PRINTF(3, 4);

/* From step `from_step` on the job's rates are those of `model`. */
struct hsim_phase {
  double from_step;
  int model;
};

/* A job as its trace row states it. Constant during a run. */
struct hsim_job {
  const char *id;                  /* verbatim, unique, never empty */
  double arrival_s;                /* >= 0 */
  double steps;                    /* total work, > 0 */
  double weight;                   /* > 0, 1 by default */
  double priority;                 /* 0 by default */
  double deadline_s;               /* absolute, NaN when none */
  double estimate_s;               /* what its user believed, NaN when none */
  uint64_t gpu_types;              /* bit t set: may run on type t */
  const struct hsim_phase *phases; /* later phases, steps ascending; NULL when n_phases is 0 */
  int32_t n_phases;
  int32_t model;       /* row name of the rates table */
  int32_t workers;     /* rigid gang size, >= 1 */
  int32_t min_workers; /* elastic range, 1 <= min <= max */
  int32_t max_workers;
  int32_t tenant; /* index into the trace's tenant names, -1 when none */
  int32_t app;    /* index into the trace's app names, -1 when the job is its own app */
  int32_t epochs; /* 0 when unknown */
  int32_t row;    /* data row in the file, from 1: the last tie-break */
  int32_t line;   /* line in the file, from 1, for messages */
};

struct hsim_bay {
  int node;
  int type;
  int gpus;      /* >= 1 */
  int first_gpu; /* GPU indices of the cluster: first_gpu .. first_gpu + gpus - 1 */
};

struct hsim_node {
  const char *name;
  int rack;      /* -1 when none */
  int slot_size; /* GPUs that share the fastest link, 0 when none */
  int first_bay; /* bays of the node: first_bay .. first_bay + n_bays - 1 */
  int n_bays;
  int gpus; /* over all its bays; index inside a node = GPU index - bays[first_bay].first_gpu */
};

/* Types are numbered in the order in which the cluster's description first names them. */
struct hsim_cluster {
  const char *name;
  int n_types; /* <= HSIM_MAX_TYPES */
  int n_nodes;
  int n_bays;
  int n_gpus;
  int n_racks;
  const char *const *type_names;
  const int *type_gpus; /* [n_types] GPUs of each type, up or down */
  const struct hsim_node *nodes;
  const struct hsim_bay *bays;
  const char *const *rack_names;
};

/* `gpus` GPUs of one bay. */
struct hsim_share {
  int bay;
  int gpus;
};

/* A gang that holds GPUs now. */
struct hsim_gang {
  int job;     /* job index */
  int copy;    /* 0, or the copy's number (1..) of a forked job */
  int partner; /* job index of the job on the same GPUs, -1 when alone */
  int size;    /* workers = sum of the shares */
  int n_shares;
  const struct hsim_share *shares; /* ascending bay */
  const int *gpus;                 /* [size] GPU indices, ascending */
  double rate;                     /* steps per second while it makes progress */
  double max_steps;                /* step budget of its segment, infinity when none */
};

/* Why a job waits. The order is that of the summary. */
enum hsim_reason {
  HSIM_OUTRANKED,   /* others were preferred */
  HSIM_NO_CAPACITY, /* too few GPUs are free */
  HSIM_FRAGMENTED,  /* enough are free, but not together */
  HSIM_WRONG_TYPE,  /* enough are free, but of types it cannot use */
  HSIM_PRICE,
  HSIM_QUOTA,
  HSIM_LEASE,
  HSIM_RESTART,
  HSIM_NEXT_ROUND, /* the policy has not been asked yet */
  HSIM_N_REASONS
};

/* An active job: arrived, not finished. `next` follows arrival order (arrival, then row). */
struct hsim_active {
  const struct hsim_job *job;
  int index; /* job index: position in arrival order over the whole trace */
  int model; /* row name of the rates table in its present phase */
  int n_gangs;
  const struct hsim_gang *const *gangs; /* [n_gangs], NULL when it holds nothing */
  const struct hsim_active *next;
  double first_start_s; /* NaN before */
  double last_start_s;  /* NaN before */
  double last_stop_s;   /* when it last came to hold nothing, NaN before */
  int starts, preemptions, migrations, resizes;
  int failed_rounds; /* in a row without a step */
};

#endif
