/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that ask the program to stop (INT, TERM, HUP), and CHLD, read from a descriptor instead
 * of ending the program at once, so that children are stopped and temporary files go away first.
 */
#ifndef HSIM_CLI_STOP_SIGNALS_H
#define HSIM_CLI_STOP_SIGNALS_H

#include <signal.h>

#include "hsim/types.h"

struct stop_signals {
  int fd;          /* readable when a signal has come */
  sigset_t before; /* the mask to return to */
};

/* Which signals come: not those that the program was told to ignore (nohup), except INT, which
 * shells ignore for what they run in the background. */
enum hsim_status stop_signals_open(struct stop_signals *signals, struct hsim_error *error);
/* The next signal that has come, 0: none. Does not wait. */
int stop_signals_take(const struct stop_signals *signals);
/* Back to the signals as they were; those that have come meanwhile act now. */
void stop_signals_close(struct stop_signals *signals);
/* The same in a child, which leaves INT to its parent. */
void stop_signals_leave(struct stop_signals *signals);

#endif
