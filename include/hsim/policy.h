/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scheduling policy is a table of functions. A built-in one is listed in src/policy/registry.c;
 * a shared object exports its table as `hsim_policy` and is loaded with --policy ./mine.so.
 *
 * Ageing: the table starts with the interface's version and its own size and is only ever
 * appended to; what an older table lacks reads as zero (NULL: not wanted).
 *
 * Calls come from one thread, in this order at one instant: round_ended (what ran since the last
 * call), job_finished, job_stopped, node_changed, job_arrived, then one schedule. Only `schedule`
 * is required.
 */
#ifndef HSIM_POLICY_H
#define HSIM_POLICY_H

#include "hsim/plan.h"
#include "hsim/types.h"
#include "hsim/view.h"

#define HSIM_POLICY_VERSION 1

enum hsim_mode {
  HSIM_MODE_ROUND, /* asked every --round seconds while jobs are active */
  HSIM_MODE_EVENT  /* asked after each instant with an arrival, finish, node change or timer */
};

/* What the policy asks of the oracle. */
enum { HSIM_KNOWS_RATES = 1, HSIM_KNOWS_REMAINING = 2 };

enum hsim_option_kind {
  HSIM_OPTION_BOOL, /* 0 or 1 */
  HSIM_OPTION_INT,
  HSIM_OPTION_REAL,
  HSIM_OPTION_CHOICE, /* one of `choices`; value.as.i is its index */
  HSIM_OPTION_TEXT
};

struct hsim_option {
  const char *name;
  enum hsim_option_kind kind;
  const char *fallback; /* the default, as a user would type it */
  double min, max;      /* inclusive range of INT and REAL */
  const char *choices;  /* "a|b|c" for CHOICE */
  const char *help;     /* one line, meaning and unit */
};

struct hsim_value {
  bool given; /* the user typed it (else it is the default) */
  const char *text;
  union {
    int64_t i; /* BOOL, INT, CHOICE */
    double real;
  } as;
};

/* What one gang did since the last call of round_ended. Gangs that ended come first, in the order
 * of their ends, then those that hold GPUs, in the order in which they were placed. */
struct hsim_ran {
  int job;
  int copy;
  int partner; /* -1 when alone */
  int type;    /* GPU type, -1 when mixed */
  int gpus;
  double end_s;   /* when it stopped making progress, or now */
  double seconds; /* what the semantics charge (charge_from), costs included */
  double steps;   /* net: work that was lost (rollback) is taken off, so it may be negative */
  bool failed;    /* whole steps: it completed none that count */
};

struct hsim_policy {
  uint32_t version; /* HSIM_POLICY_VERSION */
  uint32_t size;    /* sizeof(struct hsim_policy) */
  const char *name;
  const char *summary; /* one line */
  enum hsim_mode mode;
  bool elastic;         /* runs jobs at 0 or min_workers..max_workers instead of 0 or workers */
  bool mixes_types;     /* may give one gang several GPU types: decides which jobs can never run */
  bool frees_at_finish; /* round mode: GPUs freed inside a round are offered at once */
  bool forks;           /* may run copies of any size: a job can run wherever one worker can */
  unsigned oracle;      /* HSIM_KNOWS_... */
  size_t state_size;    /* bytes of state; the core allocates, zeroes and frees it */
  const struct hsim_option *options;
  int n_options;

  /* The preset of the semantics that these option values need, or NULL. */
  const char *(*preset)(const struct hsim_value *values);

  /* Once, before the first event; view->now is the first arrival; no job is active. `values` are
   * in the order of `options` and stay for the run. */
  enum hsim_status (*create)(void *state, const struct hsim_view *view,
                             const struct hsim_value *values, struct hsim_error *error);
  /* Once, also after a failed create or run: free what the state owns. */
  void (*destroy)(void *state);

  void (*job_arrived)(void *state, const struct hsim_view *view, const struct hsim_active *job);
  /* The job left: finished, rejected or dropped. It is still readable, no longer in the view. */
  void (*job_finished)(void *state, const struct hsim_view *view, const struct hsim_active *job);
  void (*node_changed)(void *state, const struct hsim_view *view, int node, bool up);
  /* What ran since the last call. */
  void (*round_ended)(void *state, const struct hsim_view *view, const struct hsim_ran *ran,
                      size_t n_ran);

  /* Edit the plan. Anything but HSIM_OK ends the run with *error. */
  enum hsim_status (*schedule)(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                               struct hsim_error *error);

  /* Once, after a run that went well, before destroy: the last chance for hsim_stat. */
  void (*ended)(void *state, const struct hsim_view *view);

  /* Optional: write the state's summary (one line of text) for an error report. */
  void (*dump)(const void *state, char *text, size_t size);

  /* Optional: what option `option`, which the user did not type, really is when others (a profile,
   * a goal) decide it: text as a user would type it, static; NULL: its default stands. `values` are
   * the typed ones and the defaults. Every other callback and the summary see the result. */
  const char *(*settled)(const struct hsim_value *values, int option);

  /* The engine took all GPUs of a job: a node went down, or the job's next phase has no rate there.
   * It waits again. Called before node_changed. */
  void (*job_stopped)(void *state, const struct hsim_view *view, const struct hsim_active *job);

  /* Optional: what the table says of itself (mode, elastic, oracle, ...) may depend on the options.
   * Called before the run on a copy of the table, which holds for the run. */
  void (*configure)(struct hsim_policy *table, const struct hsim_value *values);

  /* Optional: once, after `ended`, unless the user interrupted the run. Anything but HSIM_OK fails
   * the run with *error: its figures are not what they should be. */
  enum hsim_status (*verdict)(void *state, const struct hsim_view *view, struct hsim_error *error);

  /* Promises never to put two jobs on the same GPUs, which the engine then refuses: --bound may
   * take the tighter bounds of policies without pairs. */
  bool never_pairs;
};

#endif
