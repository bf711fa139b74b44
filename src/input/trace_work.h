/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last steps from rows to jobs: models for traces that name none, and durations turned into
 * steps. Both work on jobs in arrival order, in the state that trace_reader.h describes.
 */
#ifndef HSIM_INPUT_TRACE_WORK_H
#define HSIM_INPUT_TRACE_WORK_H

#include "input/trace.h"

/* Gives every job a model. One draw of the stream "assign" a job, whatever the job is, so that a
 * job's draw depends on nothing but its place. A job that no model could run at its size gets one
 * all the same (the hadar rule's, or any); the engine then rejects it. */
void work_assign(struct trace *trace, const struct hsim_oracle *oracle, enum assign_rule rule,
                 uint64_t seed);

/*
 * steps = duration * rate at the job's size on the reference type, through its phases; when it
 * cannot run there, on the type of the rates table on which it does most steps in that time. When
 * it can run nowhere at that size, steps = duration: some number has to stand there, and no gang
 * of that size will ever use it. Counts other_reference and derived_rates.
 */
enum hsim_status work_convert(struct trace *trace, const struct hsim_oracle *oracle,
                              const char *reference, struct hsim_error *error);

#endif
