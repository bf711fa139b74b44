/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A bound that no schedule can beat: the least time in which the jobs could end if gangs could be
 * divided and moved at will and at no cost. With y_jr the seconds of job j on GPU type r, x_jr its
 * rate there, W_j its workers, R_j its steps and C_r the GPUs of the type,
 *   min T:  sum_r y_jr x_jr >= R_j,  sum_j W_j y_jr <= C_r T,  sum_r y_jr <= T.
 * It holds for gangs of mixed types, which run at the pace of their slowest one. Where jobs fork,
 * y_jr are GPU-seconds at the best pace of a GPU, and the last constraint falls.
 */
#ifndef HSIM_POLICY_HADAR_FLUID_H
#define HSIM_POLICY_HADAR_FLUID_H

#include "policy/hadar/candidates.h"

/* Of the jobs that can run; sets *seconds. HSIM_FAILED when the solver fails. */
enum hsim_status hadar_fluid_bound(const struct hadar_classes *classes,
                                   const struct hadar_job *jobs, int n, double *seconds,
                                   struct hsim_error *error);

#endif
