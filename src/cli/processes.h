/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pieces of work as processes of their own, so that several cores are used and one that crashes,
 * hangs or eats memory takes nobody along. Results come back in order, whatever the order of their
 * ends.
 */
#ifndef HSIM_CLI_PROCESSES_H
#define HSIM_CLI_PROCESSES_H

#include "cli/stop_signals.h"
#include "hsim/types.h"

struct process_result {
  enum hsim_status status;
  char *text; /* owned: what the work wrote, or what went wrong with it */
};

/* What a piece of work may take, infinity: as much as it likes. */
struct process_limits {
  double seconds;   /* wall clock */
  double megabytes; /* resident memory of its process, in 10^6 bytes */
};

/* The end of the pipe that the piece of work itself holds. */
struct process_self {
  int fd;
  bool news;                         /* somebody wants to hear how it gets on */
  const volatile sig_atomic_t *stop; /* not 0: end soon, with what there is */
};

enum { PROCESS_NEWS_MAX = 64 };

/* Sends the parent up to PROCESS_NEWS_MAX bytes of news. */
void process_tell(const struct process_self *self, const void *bytes, size_t n);

/* Does piece `i` in a child process: the text for the parent in *text (allocated by malloc), or
 * a status other than HSIM_OK with *error. */
typedef enum hsim_status (*process_work)(void *state, size_t i, struct process_self *self,
                                         char **text, struct hsim_error *error);

struct process_order {
  size_t n;    /* pieces 0..n-1 */
  int at_once; /* at most so many at a time */
  process_work work;
  void *state;
  struct process_limits limits;
  /* News of piece `i`, n = 0: it has ended. May be NULL. */
  void (*news)(void *listener, size_t i, const void *bytes, size_t n);
  /* The user has interrupted the call, for the first time. May be NULL. */
  void (*interrupted)(void *listener);
  void *listener;
};

/* Runs all pieces. A piece that goes beyond a limit is stopped and its result says so. The first
 * SIGINT asks all pieces to end soon: *interrupted. Fails when no process can be made though none
 * is running, with HSIM_INTERRUPTED at a second SIGINT, and when another signal asks to stop; all
 * children have ended then. */
enum hsim_status processes_run(const struct process_order *order, struct stop_signals *signals,
                               struct process_result *results, bool *interrupted,
                               struct hsim_error *error);

#endif
