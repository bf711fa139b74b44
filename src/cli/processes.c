/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/processes.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/memory.h"

struct child {
  pid_t pid;
  int fd; /* -1: not running */
  char *text;
  size_t n, capacity;
};

static void write_all(int fd, const char *text, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, text, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return; /* the parent is gone: nobody is left to tell */
    text += done;
    n -= (size_t)done;
  }
}

_Noreturn static void child_main(size_t i, process_work work, void *state, int fd) {
  dup2(STDERR_FILENO, STDOUT_FILENO); /* what a policy prints is no result */
  char *text = NULL;
  struct hsim_error error = {.status = HSIM_OK};
  enum hsim_status status = work(state, i, &text, &error);
  const char *said = status == HSIM_OK ? text : error.text;
  if (said)
    write_all(fd, said, strlen(said));
  free(text);
  exit((int)status);
}

/* Signals that ask the program to stop are read from a descriptor while children run, so that they
 * are stopped and temporary files go away before the program does. */
struct stopper {
  int fd;
  sigset_t before; /* the mask to return to */
};

static void stopper_open(struct stopper *stopper) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGHUP);
  sigprocmask(SIG_BLOCK, &stop, &stopper->before);
  stopper->fd = signalfd(-1, &stop, SFD_CLOEXEC);
  if (stopper->fd < 0) /* then they end the program at once, as ever */
    sigprocmask(SIG_SETMASK, &stopper->before, NULL);
}

static void stopper_close(struct stopper *stopper) {
  if (stopper->fd >= 0)
    close(stopper->fd);
  sigprocmask(SIG_SETMASK, &stopper->before, NULL);
}

static enum hsim_status start(struct child *children, size_t n, size_t i, process_work work,
                              void *state, struct stopper *stopper, struct hsim_error *error) {
  int ends[2];
  if (pipe(ends) != 0)
    return hsim_fail(error, HSIM_FAILED, "cannot make a pipe: %s", strerror(errno));
  fflush(NULL); /* or the child would write it again */
  pid_t parent = getpid(), pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return hsim_fail(error, HSIM_FAILED, "cannot make a process: %s", strerror(errno));
  }
  if (pid == 0) {
    /* A child does not outlive the program that wants its result. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(HSIM_FAILED);
    stopper_close(stopper);
    close(ends[0]);
    for (size_t k = 0; k < n; k++) { /* the child's copy */
      if (children[k].fd >= 0)
        close(children[k].fd);
      free(children[k].text);
    }
    free(children);
    child_main(i, work, state, ends[1]);
  }
  close(ends[1]);
  children[i].pid = pid;
  children[i].fd = ends[0];
  return HSIM_OK;
}

/* What a child that ended without saying so properly did. */
static void judge(struct child *child, int wait_status, struct process_result *result) {
  if (!child->text)
    child->text = mem_zero(1, 1);
  result->text = child->text;
  child->text = NULL;
  int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
  if (code == HSIM_OK && result->text[0]) {
    result->status = HSIM_OK;
    return;
  }
  if (code > 0 && result->text[0]) {
    result->status = (enum hsim_status)code;
    return;
  }
  free(result->text);
  char text[160];
  if (WIFSIGNALED(wait_status))
    snprintf(text, sizeof text, "crashed: signal %d (%s)", WTERMSIG(wait_status),
             strsignal(WTERMSIG(wait_status)));
  else
    snprintf(text, sizeof text, "ended without a result (exit status %d)", code);
  result->text = mem_text(text);
  result->status = HSIM_FAILED;
}

static void end(struct child *child, struct process_result *result) {
  close(child->fd);
  child->fd = -1;
  int wait_status = 0;
  while (waitpid(child->pid, &wait_status, 0) < 0 && errno == EINTR)
    continue;
  judge(child, wait_status, result);
}

/* Takes what has arrived; false at the end. */
static bool take(struct child *child) {
  char block[65536];
  ssize_t n = read(child->fd, block, sizeof block);
  if (n < 0 && errno == EINTR)
    return true;
  if (n <= 0)
    return false;
  size_t needed = child->n + (size_t)n + 1;
  if (needed > child->capacity)
    child->text = mem_grow(child->text, needed, &child->capacity, 1);
  memcpy(child->text + child->n, block, (size_t)n);
  child->n += (size_t)n;
  child->text[child->n] = '\0';
  return true;
}

static enum hsim_status stopped(struct child *children, size_t n, int fd,
                                struct hsim_error *error) {
  struct signalfd_siginfo info = {0};
  if (read(fd, &info, sizeof info) < (ssize_t)sizeof info)
    return HSIM_OK;
  for (size_t i = 0; i < n; i++)
    if (children[i].fd >= 0)
      kill(children[i].pid, SIGKILL);
  int signal_number = (int)info.ssi_signo;
  return hsim_fail(error, HSIM_FAILED, "stopped by signal %d (%s)", signal_number,
                   strsignal(signal_number));
}

/* Waits until some child has said something or ended, or a signal came. *ended: how many ended. */
static enum hsim_status attend(struct child *children, size_t n, const struct stopper *stopper,
                               struct process_result *results, int *ended,
                               struct hsim_error *error) {
  struct pollfd *ready = mem_alloc(n + 1, sizeof *ready);
  for (size_t i = 0; i < n; i++)
    ready[i] = (struct pollfd){.fd = children[i].fd, .events = POLLIN}; /* fd -1 is ignored */
  ready[n] = (struct pollfd){.fd = stopper->fd, .events = POLLIN};
  enum hsim_status status = HSIM_OK;
  *ended = 0;
  if (poll(ready, (nfds_t)n + 1, -1) > 0) {
    if (ready[n].revents & POLLIN)
      status = stopped(children, n, stopper->fd, error);
    for (size_t i = 0; i < n; i++) {
      if (children[i].fd < 0 || !ready[i].revents || take(&children[i]))
        continue;
      end(&children[i], &results[i]);
      (*ended)++;
    }
  }
  free(ready);
  return status;
}

enum hsim_status processes_run(size_t n, int at_once, process_work work, void *state,
                               struct process_result *results, struct hsim_error *error) {
  struct child *children = mem_zero(n, sizeof *children);
  for (size_t i = 0; i < n; i++)
    children[i].fd = -1;
  struct stopper stopper;
  stopper_open(&stopper);
  enum hsim_status status = HSIM_OK;
  size_t next = 0;
  int running = 0;
  while (running > 0 || (next < n && status == HSIM_OK)) {
    while (next < n && running < at_once && status == HSIM_OK) {
      status = start(children, n, next, work, state, &stopper, error);
      if (status != HSIM_OK)
        break;
      next++;
      running++;
    }
    if (running == 0)
      break;
    int ended;
    enum hsim_status attended = attend(children, n, &stopper, results, &ended, error);
    running -= ended;
    if (attended != HSIM_OK)
      status = attended;
  }
  stopper_close(&stopper);
  free(children);
  return status;
}
