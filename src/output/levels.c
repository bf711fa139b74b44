/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/levels.h"

#include <stdlib.h>

#include "model/memory.h"
#include "model/trace.h"

struct level_job {
  int32_t gangs; /* that it holds */
  bool active;
};

void levels_init(struct levels *levels, const struct run_info *info) {
  *levels = (struct levels){.cluster = info->cluster};
  levels->jobs = mem_zero((size_t)info->trace->n_jobs, sizeof *levels->jobs);
  levels->users = mem_zero((size_t)info->cluster->n_gpus, 1);
}

void levels_free(struct levels *levels) {
  free(levels->jobs);
  free(levels->users);
}

static void set_active(struct levels *levels, struct level_job *job, bool active) {
  if (job->active == active)
    return;
  int change = active ? 1 : -1;
  job->active = active;
  levels->active += change;
  if (job->gangs > 0)
    levels->running += change;
}

static void hold(struct levels *levels, struct level_job *job, const struct hsim_gang *gang) {
  if (job->gangs++ == 0 && job->active)
    levels->running++;
  const int *gpu = gang->gpus;
  for (int s = 0; s < gang->n_shares; s++) {
    int *held = &levels->held[levels->cluster->bays[gang->shares[s].bay].type];
    for (int i = 0; i < gang->shares[s].gpus; i++)
      *held += levels->users[*gpu++]++ == 0;
  }
}

static void let_go(struct levels *levels, struct level_job *job, const struct hsim_gang *gang) {
  if (--job->gangs == 0 && job->active)
    levels->running--;
  const int *gpu = gang->gpus;
  for (int s = 0; s < gang->n_shares; s++) {
    int *held = &levels->held[levels->cluster->bays[gang->shares[s].bay].type];
    for (int i = 0; i < gang->shares[s].gpus; i++)
      *held -= --levels->users[*gpu++] == 0;
  }
}

void levels_record(struct levels *levels, const struct record *r) {
  if (r->job < 0)
    return;
  struct level_job *job = &levels->jobs[r->job];
  switch (r->kind) {
  case RECORD_ARRIVE:
    set_active(levels, job, true);
    break;
  case RECORD_FINISH:
  case RECORD_REJECT:
  case RECORD_DROP:
  case RECORD_CANCEL:
    set_active(levels, job, false);
    break;
  case RECORD_GANG_BEGIN:
    hold(levels, job, r->gang);
    break;
  case RECORD_GANG_END:
    let_go(levels, job, r->gang);
    break;
  default:
    break;
  }
}
