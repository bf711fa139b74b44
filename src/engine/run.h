/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the engine's files that move time share the work: run.c goes from instant to instant,
 * instant.c lets happen what is due, rounds.c asks the policy and says when it is asked next.
 */
#ifndef HSIM_ENGINE_RUN_H
#define HSIM_ENGINE_RUN_H

#include "engine/core.h"

/* Beyond it the grid's points are no longer distinct doubles. */
#define ROUNDS_MAX 1e15

/* run.c: when something is next, infinity when never */
bool round_mode(const struct hsim_core *core);
bool slowest(const struct hsim_core *core); /* rounds end with their slowest gang */
double arrival_time(const struct hsim_core *core);
double node_time(const struct hsim_core *core);
double cancel_time(const struct hsim_core *core);
double timer_time(const struct hsim_core *core);

/* instant.c */
void run_instant(struct hsim_core *core);
/* Gangs that make no progress in the job's phase would hold their GPUs for ever: they stop. */
void take_stuck(struct hsim_core *core, struct job *job);

/* rounds.c */
void grid_start(struct hsim_core *core);              /* a job arrived at an empty cluster */
void count_skipped(struct hsim_core *core, double t); /* quiet rounds before t */
enum hsim_status maybe_call(struct hsim_core *core);  /* asks the policy if it is due */
void view_update(struct hsim_core *core);
void tell_policy(struct hsim_core *core);         /* all that happened since its last call */
const char *said(const struct hsim_error *error); /* by a callback that failed */
enum hsim_status no_progress(struct hsim_core *core);

#endif
