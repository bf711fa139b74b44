/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/stop_signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void add_unless_ignored(sigset_t *set, int signal_number) {
  struct sigaction action;
  if (sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
    return;
  sigaddset(set, signal_number);
}

enum hsim_status stop_signals_open(struct stop_signals *signals, struct hsim_error *error) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGCHLD);
  add_unless_ignored(&stop, SIGTERM);
  add_unless_ignored(&stop, SIGHUP);
  signal(SIGCHLD, SIG_DFL); /* ignored, it would throw away how children ended */
  sigprocmask(SIG_BLOCK, &stop, &signals->before);
  signals->fd = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals->fd >= 0)
    return HSIM_OK;
  enum hsim_status status =
      hsim_fail(error, HSIM_FAILED, "cannot watch for signals: %s", strerror(errno));
  sigprocmask(SIG_SETMASK, &signals->before, NULL);
  return status;
}

int stop_signals_take(const struct stop_signals *signals) {
  struct signalfd_siginfo info = {0};
  if (read(signals->fd, &info, sizeof info) < (ssize_t)sizeof info)
    return 0;
  return (int)info.ssi_signo;
}

void stop_signals_close(struct stop_signals *signals) {
  close(signals->fd);
  signals->fd = -1;
  sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

void stop_signals_leave(struct stop_signals *signals) {
  signal(SIGINT, SIG_IGN);
  stop_signals_close(signals);
}
