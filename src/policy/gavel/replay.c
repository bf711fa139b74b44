/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/gavel/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsim/table.h"
#include "model/cluster.h"
#include "model/memory.h"
#include "model/number.h"

struct group {
  double now_s;
  size_t first, n; /* shares */
};

struct replay {
  char *path;
  const struct hsim_cluster *cluster;
  int n_jobs;
  struct replay_share *shares;
  size_t n_shares, shares_capacity;
  struct group *groups;
  size_t n_groups, groups_capacity;
  size_t next;
};

enum { CALL, NOW, JOBS, GPU_TYPE, FRACTION, N_COLUMNS };
static const char *const COLUMNS[N_COLUMNS] = {"call", "now_s", "jobs", "gpu_type", "fraction"};

/* The group that the row belongs to: the last one, or a new one. */
static enum hsim_status find_group(struct replay *replay, const struct hsim_row *row,
                                   struct hsim_error *error) {
  int64_t call;
  double now;
  enum hsim_status status = hsim_row_int(row, CALL, 1, INT64_MAX, &call, error);
  if (status == HSIM_OK)
    status = hsim_row_real(row, NOW, 0, 1e13, &now, error);
  if (status != HSIM_OK)
    return status;
  size_t n = replay->n_groups;
  if (n > 0 && call == (int64_t)n) {
    if (now != replay->groups[n - 1].now_s)
      return hsim_row_bad(row, NOW, error, "the time of the rows before it of the same call");
    return HSIM_OK;
  }
  if (call != (int64_t)n + 1)
    return hsim_row_bad(row, CALL, error, "%zu or %zu: calls are numbered from 1 without a gap",
                        n > 0 ? n : 1, n + 1);
  if (n > 0 && now < replay->groups[n - 1].now_s)
    return hsim_row_bad(row, NOW, error, "a time not before that of the call before");
  replay->groups =
      mem_grow(replay->groups, n + 1, &replay->groups_capacity, sizeof *replay->groups);
  replay->groups[replay->n_groups++] = (struct group){now, replay->n_shares, 0};
  return HSIM_OK;
}

static bool parse_job(const char *text, size_t length, int n_jobs, int *job) {
  int64_t value;
  if (number_parse_int(text, length, &value) != NUMBER_OK || value < 0 || value >= n_jobs)
    return false;
  *job = (int)value;
  return true;
}

static bool parse_jobs(const char *text, int n_jobs, struct replay_share *share) {
  const char *plus = strchr(text, '+');
  share->b = -1;
  if (!plus)
    return parse_job(text, strlen(text), n_jobs, &share->a);
  return parse_job(text, (size_t)(plus - text), n_jobs, &share->a) &&
         parse_job(plus + 1, strlen(plus + 1), n_jobs, &share->b) && share->a < share->b;
}

static enum hsim_status add_row(void *state, const struct hsim_row *row, struct hsim_error *error) {
  struct replay *replay = state;
  enum hsim_status status = find_group(replay, row, error);
  if (status != HSIM_OK)
    return status;
  const char *jobs = hsim_row_text(row, JOBS), *type = hsim_row_text(row, GPU_TYPE);
  if (!*jobs && !*type && !*hsim_row_text(row, FRACTION))
    return HSIM_OK; /* nobody was there */
  struct replay_share share;
  if (!parse_jobs(jobs, replay->n_jobs, &share))
    return hsim_row_bad(row, JOBS, error,
                        "a job's number in 0 to %d, or two ascending ones joined by +",
                        replay->n_jobs - 1);
  share.type = cluster_find_type(replay->cluster, type);
  if (share.type < 0)
    return hsim_row_bad(row, GPU_TYPE, error, "a GPU type of the cluster");
  status = hsim_row_real(row, FRACTION, 0, 1, &share.fraction, error);
  if (status != HSIM_OK)
    return status;
  replay->shares = mem_grow(replay->shares, replay->n_shares + 1, &replay->shares_capacity,
                            sizeof *replay->shares);
  replay->shares[replay->n_shares++] = share;
  replay->groups[replay->n_groups - 1].n++;
  return HSIM_OK;
}

enum hsim_status replay_read(const char *path, const struct hsim_cluster *cluster, int n_jobs,
                             struct replay **replay, struct hsim_error *error) {
  *replay = mem_zero(1, sizeof **replay);
  (*replay)->path = mem_text(path);
  (*replay)->cluster = cluster;
  (*replay)->n_jobs = n_jobs;
  static const struct hsim_table table = {.what = "a file of recorded shares",
                                          .columns = COLUMNS,
                                          .n_columns = N_COLUMNS,
                                          .required = (1u << N_COLUMNS) - 1,
                                          .row = add_row};
  return hsim_read_table(path, &table, *replay, error);
}

void replay_free(struct replay *replay) {
  if (!replay)
    return;
  free(replay->path);
  free(replay->shares);
  free(replay->groups);
  free(replay);
}

enum hsim_status replay_next(struct replay *replay, double now, const struct replay_share **shares,
                             size_t *n, struct hsim_error *error) {
  if (replay->next == replay->n_groups)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "%s: has %zu calls; the run needs another one at %.17g s", replay->path,
                     replay->n_groups, now);
  const struct group *group = &replay->groups[replay->next++];
  if (group->now_s != now)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "%s: call %zu is of %.17g s, but the run needs its shares at %.17g s: "
                     "recorded with another trace, cluster, objective or seed?",
                     replay->path, replay->next, group->now_s, now);
  *shares = replay->shares + group->first;
  *n = group->n;
  return HSIM_OK;
}

size_t replay_left(const struct replay *replay, double *now_s) {
  size_t left = 0;
  for (size_t i = replay->n_groups; i > replay->next; i--)
    if (replay->groups[i - 1].n > 0) {
      left++;
      *now_s = replay->groups[i - 1].now_s;
    }
  return left;
}

const char *replay_path(const struct replay *replay) {
  return replay->path;
}
