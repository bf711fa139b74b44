/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many jobs are active and running and how many GPUs of each type are held, after the records
 * so far. A GPU that two jobs share is held once. GPUs that stay with a round after their job
 * finished are held, by no running job.
 */
#ifndef HSIM_OUTPUT_LEVELS_H
#define HSIM_OUTPUT_LEVELS_H

#include "model/record.h"

struct level_job; /* levels.c */

struct levels {
  const struct hsim_cluster *cluster;
  int active, running; /* jobs; active ones that are not running are queued */
  int held[HSIM_MAX_TYPES];
  struct level_job *jobs;
  uint8_t *users; /* [n_gpus] jobs that hold the GPU */
};

void levels_init(struct levels *levels, const struct run_info *info);
void levels_record(struct levels *levels, const struct record *record);
void levels_free(struct levels *levels);

#endif
