/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the event record against the rules of the modelled world, on its own: it keeps its own
 * books of who holds what and what is done; only the rates are taken from the record. The first
 * broken rule is kept, with job, gang, node, time and round, and comes out of the sink's `end` as
 * HSIM_BUG.
 *
 * What it expects of the stream:
 * - Inside an instant gangs end before others begin on their GPUs; all else may stand in any order,
 *   since changes of a job are compared over the whole instant: what it held before and after.
 *   A call of the policy begins a part of the instant of its own: what a node took away before it
 *   may start again in it.
 * - GANG_BEGIN and GANG_END bracket the segments of a (job, copy), which follow each other
 *   without a gap. At RECORD_END all gangs have ended.
 * - GPUs may stay with a round after their job has ended, but no segment makes progress then.
 * - A job's steps add up when it has finished and its last gang has ended.
 * A record that stops without RECORD_END (a failed run) is judged as far as it goes.
 */
#ifndef HSIM_OUTPUT_AUDITOR_H
#define HSIM_OUTPUT_AUDITOR_H

#include "model/record.h"

struct auditor;

/* `info` and what it points to must outlive the auditor. */
struct auditor *auditor_create(const struct run_info *info);
struct sink auditor_sink(struct auditor *auditor);
void auditor_free(struct auditor *auditor);

#endif
