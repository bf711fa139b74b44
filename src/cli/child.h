/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A piece of work in a process of its own, seen from both ends of the pipe between them. The child
 * sends messages, the last of which is its result; what else comes through the pipe (a stray
 * write) is recognised and is no result.
 */
#ifndef HSIM_CLI_CHILD_H
#define HSIM_CLI_CHILD_H

#include <sys/resource.h>
#include <sys/types.h>

#include "cli/processes.h"

enum { CHILD_PIPE_SIZE = 1 << 16 };

enum child_stop { CHILD_RUNS, CHILD_TOO_LONG, CHILD_TOO_LARGE };

struct child {
  pid_t pid;
  int fd;               /* -1: the pipe has ended */
  bool running;         /* not reaped yet */
  double began;         /* clock_seconds() */
  enum child_stop stop; /* why it was killed */
  bool garbled;         /* something else than messages came */
  unsigned char *bytes; /* owned: what has come and is not taken yet */
  size_t n, capacity;
};

/* In the child: does the work, tells the parent, ends the process. */
_Noreturn void child_main(size_t i, process_work work, void *state, struct process_self *self);

/* In the parent. Takes what has arrived, at most what a pipe holds, without waiting; at its end the
 * pipe is closed. */
void child_take(struct child *child);
/* Takes the oldest news that has come; false when there is none. */
bool child_news(struct child *child, unsigned char bytes[PROCESS_NEWS_MAX], size_t *n);
/* Resident memory of the child in bytes; 0 when the system does not say. */
double child_memory(const struct child *child);
/* The child has ended so: what became of its work. Frees what `child` owns. */
void child_judge(struct child *child, int wait_status, const struct rusage *usage,
                 const struct process_limits *limits, struct process_result *result);
/* Forgets it, its result wanted by nobody. */
void child_drop(struct child *child);

#endif
