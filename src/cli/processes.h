/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pieces of work as processes of their own, so that several cores are used and one that crashes
 * takes nobody along. Results come back in order, whatever the order of their ends.
 */
#ifndef HSIM_CLI_PROCESSES_H
#define HSIM_CLI_PROCESSES_H

#include "hsim/types.h"

struct process_result {
  enum hsim_status status;
  char *text; /* owned: what the work wrote, or what went wrong with it */
};

/* Does piece `i` in a child process: the text for the parent in *text (allocated by malloc), or
 * a status other than HSIM_OK with *error. */
typedef enum hsim_status (*process_work)(void *state, size_t i, char **text,
                                         struct hsim_error *error);

/* Runs pieces 0..n-1, at most `at_once` at a time. Fails when no process can be made, or when a
 * signal (INT, TERM, HUP) asks to stop; all children have ended then. */
enum hsim_status processes_run(size_t n, int at_once, process_work work, void *state,
                               struct process_result *results, struct hsim_error *error);

#endif
