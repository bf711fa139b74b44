/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"
#include "model/clock.h"
#include "model/memory.h"

static const double memory_look_s = 0.01; /* between two looks at what children hold */

/* Some programs pass on a SIGINT that has reached the whole group already: so soon after the first
 * one it is the same. */
static const double same_interrupt_s = 0.1;

struct crew {
  const struct process_order *order;
  struct stop_signals *signals;
  struct process_result *results; /* [order->n] */
  struct child *children;         /* [order->n] */
  size_t next;                    /* first one that has not been started */
  int running;
  volatile sig_atomic_t *stop; /* shared with the children */
  double interrupted_at;       /* NaN: not yet */
};

_Noreturn static void become_child(struct crew *crew, size_t i, pid_t parent, int fd) {
  /* A child does not outlive the program that wants its result. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(HSIM_FAILED);
  stop_signals_leave(crew->signals);
  for (size_t k = 0; k < crew->order->n; k++) /* the child's copy */
    child_drop(&crew->children[k]);
  free(crew->children);
  struct process_self self = {.fd = fd, .news = crew->order->news != NULL, .stop = crew->stop};
  child_main(i, crew->order->work, crew->order->state, &self);
}

static enum hsim_status start(struct crew *crew, struct hsim_error *error) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return hsim_fail(error, HSIM_FAILED, "cannot make a pipe: %s", strerror(errno));
  fflush(NULL); /* or the child would write it again */
  pid_t parent = getpid(), pid = fork();
  if (pid < 0) {
    enum hsim_status status =
        hsim_fail(error, HSIM_FAILED, "cannot make a process: %s", strerror(errno));
    close(ends[0]);
    close(ends[1]);
    return status;
  }
  if (pid == 0) {
    close(ends[0]);
    become_child(crew, crew->next, parent, ends[1]);
  }
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  crew->children[crew->next++] =
      (struct child){.pid = pid, .fd = ends[0], .running = true, .began = clock_seconds()};
  crew->running++;
  return HSIM_OK;
}

static void take(struct crew *crew, size_t i) {
  unsigned char bytes[PROCESS_NEWS_MAX];
  size_t n;
  child_take(&crew->children[i]);
  while (child_news(&crew->children[i], bytes, &n))
    if (crew->order->news && n > 0)
      crew->order->news(crew->order->listener, i, bytes, n);
}

/* Sees which children have ended. The pipe tells less: a child may close it and go on, or pass it
 * on to a process of its own. */
static void reap(struct crew *crew) {
  for (size_t i = 0; i < crew->next; i++) {
    struct child *child = &crew->children[i];
    int wait_status;
    struct rusage usage;
    if (!child->running || wait4(child->pid, &wait_status, WNOHANG, &usage) != child->pid)
      continue;
    take(crew, i);
    child_judge(child, wait_status, &usage, &crew->order->limits, &crew->results[i]);
    crew->running--;
    if (crew->order->news)
      crew->order->news(crew->order->listener, i, NULL, 0);
  }
}

static void kill_all(const struct crew *crew) {
  for (size_t i = 0; i < crew->next; i++)
    if (crew->children[i].running)
      kill(crew->children[i].pid, SIGKILL);
}

/* Whether the signal is a wish that the runs end soon, not one to end at once. */
static bool end_soon(struct crew *crew, int signal_number) {
  if (signal_number != SIGINT)
    return false;
  double now = clock_seconds();
  if (!isnan(crew->interrupted_at))
    return now - crew->interrupted_at < same_interrupt_s;
  crew->interrupted_at = now;
  *crew->stop = 1;
  if (crew->order->interrupted)
    crew->order->interrupted(crew->order->listener);
  return true;
}

static enum hsim_status hear(struct crew *crew, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  int signal_number;
  while ((signal_number = stop_signals_take(crew->signals)) != 0) {
    if (signal_number == SIGCHLD) /* whose end it was is seen anyway */
      continue;
    if (end_soon(crew, signal_number))
      continue;
    kill_all(crew);
    status = hsim_fail(error, signal_number == SIGINT ? HSIM_INTERRUPTED : HSIM_FAILED,
                       "stopped by signal %d (%s)", signal_number, strsignal(signal_number));
  }
  return status;
}

static bool watches_memory(const struct crew *crew) {
  return crew->order->limits.megabytes < INFINITY;
}

static void check_limits(struct crew *crew) {
  const struct process_limits *limits = &crew->order->limits;
  double now = clock_seconds();
  for (size_t i = 0; i < crew->next; i++) {
    struct child *child = &crew->children[i];
    if (!child->running || child->stop != CHILD_RUNS)
      continue;
    if (now - child->began > limits->seconds)
      child->stop = CHILD_TOO_LONG;
    else if (watches_memory(crew) && child_memory(child) > limits->megabytes * 1e6)
      child->stop = CHILD_TOO_LARGE;
    if (child->stop != CHILD_RUNS)
      kill(child->pid, SIGKILL);
  }
}

/* Milliseconds until some limit has to be looked at, -1: never. */
static int patience(const struct crew *crew) {
  double wait = watches_memory(crew) ? memory_look_s : INFINITY, now = clock_seconds();
  for (size_t i = 0; i < crew->next; i++)
    if (crew->children[i].running && crew->children[i].stop == CHILD_RUNS)
      wait = fmin(wait, crew->children[i].began + crew->order->limits.seconds - now);
  if (wait == INFINITY)
    return -1;
  return (int)ceil(fmin(fmax(wait, 0), 60) * 1000);
}

/* Waits until some child has said something or ended, a limit is reached, or a signal came. */
static enum hsim_status attend(struct crew *crew, struct hsim_error *error) {
  struct pollfd *ready = mem_alloc(crew->next + 1, sizeof *ready);
  for (size_t i = 0; i < crew->next; i++) /* fd -1 is ignored */
    ready[i] = (struct pollfd){.fd = crew->children[i].fd, .events = POLLIN};
  ready[crew->next] = (struct pollfd){.fd = crew->signals->fd, .events = POLLIN};
  poll(ready, (nfds_t)crew->next + 1, patience(crew));
  free(ready);
  enum hsim_status status = hear(crew, error);
  for (size_t i = 0; i < crew->next; i++)
    take(crew, i);
  check_limits(crew);
  reap(crew);
  return status;
}

static enum hsim_status run_crew(struct crew *crew, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  while (crew->running > 0 || (crew->next < crew->order->n && status == HSIM_OK)) {
    while (crew->next < crew->order->n && crew->running < crew->order->at_once &&
           status == HSIM_OK) {
      status = start(crew, error);
      if (status == HSIM_OK)
        continue;
      if (crew->running > 0) /* when one of them has ended there is room again */
        status = HSIM_OK;
      break;
    }
    if (crew->running == 0)
      break;
    struct hsim_error heard = {.status = HSIM_OK};
    enum hsim_status attended = attend(crew, &heard);
    if (attended == HSIM_OK || status != HSIM_OK)
      continue;
    status = attended;
    *error = heard;
  }
  return status;
}

enum hsim_status processes_run(const struct process_order *order, struct stop_signals *signals,
                               struct process_result *results, bool *interrupted,
                               struct hsim_error *error) {
  struct crew crew = {
      .order = order, .signals = signals, .results = results, .interrupted_at = NAN};
  if (watches_memory(&crew) && child_memory(&(struct child){.pid = getpid()}) <= 0)
    return hsim_fail(error, HSIM_FAILED, "--policy-memory needs /proc, which cannot be read here");
  void *shared =
      mmap(NULL, sizeof *crew.stop, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return hsim_fail(error, HSIM_FAILED, "cannot share memory: %s", strerror(errno));
  crew.stop = shared; /* the system has filled it with 0 */
  crew.children = mem_zero(order->n, sizeof *crew.children);
  for (size_t i = 0; i < order->n; i++)
    crew.children[i].fd = -1;
  enum hsim_status status = run_crew(&crew, error);
  *interrupted = !isnan(crew.interrupted_at);
  free(crew.children);
  munmap(shared, sizeof *crew.stop);
  return status;
}
