/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/rates.h"
#include "model/trace.h"
#include "output/fairness.h"
#include "output/ideal.h"
#include "output/outcomes.h"

const char *const group_key_names[N_GROUP_KEYS] = {"", "tenant", "model", "workers"};

/* A job and what it is grouped by. */
struct member {
  const char *name;
  int workers, job;
};

struct groups {
  const struct run_info *info;
  enum group_key key;
  int to; /* of the window */
  struct outcomes outcomes;
  double end_s;
  struct group *at; /* once asked for */
};

struct groups *groups_create(const struct run_info *info, enum group_key key) {
  struct groups *groups = mem_zero(1, sizeof *groups);
  groups->info = info;
  groups->key = key;
  groups->to = info->to < info->trace->n_jobs ? info->to : info->trace->n_jobs;
  outcomes_init(&groups->outcomes, info->trace);
  return groups;
}

void groups_free(struct groups *groups) {
  if (groups == NULL)
    return;
  outcomes_free(&groups->outcomes);
  free(groups->at);
  free(groups);
}

static void take_record(void *state, const struct record *r) {
  struct groups *groups = state;
  outcomes_record(&groups->outcomes, r);
  if (r->kind == RECORD_END)
    groups->end_s = r->time;
}

struct sink groups_sink(struct groups *groups) {
  return (struct sink){.state = groups, .record = take_record};
}

/* ---- who belongs together ---- */

static struct member member_of(const struct groups *groups, int j) {
  const struct hsim_job *job = &groups->info->trace->jobs[j];
  struct member member = {.job = j};
  if (groups->key == GROUP_WORKERS)
    member.workers = job->workers;
  else if (groups->key == GROUP_TENANT && job->tenant >= 0)
    member.name = groups->info->trace->tenants.at[job->tenant];
  else if (groups->key == GROUP_MODEL && job->model >= 0)
    member.name = groups->info->rates->models.at[job->model];
  return member;
}

static int by_group(const struct member *a, const struct member *b) {
  if (a->workers != b->workers)
    return a->workers < b->workers ? -1 : 1;
  if (a->name == NULL || b->name == NULL)
    return (a->name == NULL) - (b->name == NULL);
  return strcmp(a->name, b->name);
}

static int by_group_and_job(const void *x, const void *y) {
  const struct member *a = x, *b = y;
  int order = by_group(a, b);
  return order != 0 ? order : (a->job > b->job) - (a->job < b->job);
}

/* ---- figures ---- */

static struct job_fate fate_of(const void *state, int j) {
  const struct groups *groups = state;
  const struct outcome *outcome = &groups->outcomes.jobs[j];
  return (struct job_fate){outcome->first_start, outcome_end(outcome),
                           outcome->state == OUTCOME_FINISHED};
}

static void count_job(struct figures *f, const struct outcome *outcome) {
  switch ((enum outcome_state)outcome->state) {
  case OUTCOME_FINISHED:
    f->finished++;
    break;
  case OUTCOME_REJECTED:
    f->rejected++;
    break;
  case OUTCOME_DROPPED:
    f->dropped++;
    break;
  case OUTCOME_CANCELLED:
    f->cancelled++;
    break;
  default:
    f->unfinished++;
    break;
  }
}

/* rho of all apps, kept at their first jobs; NaN elsewhere. To be freed. */
static double *rho_by_job(const struct groups *groups, struct ideal *ideal) {
  const struct trace *trace = groups->info->trace;
  size_t n_jobs = (size_t)trace->n_jobs;
  double *rho = mem_alloc(n_jobs, sizeof *rho), *values = mem_alloc(n_jobs, sizeof *values);
  int *first = mem_alloc(n_jobs, sizeof *first);
  struct fairness_input input = {.trace = trace,
                                 .ideal = ideal,
                                 .end_s = groups->end_s,
                                 .from = groups->info->from,
                                 .to = groups->to,
                                 .state = groups,
                                 .job = fate_of};
  size_t n = fairness_rho(&input, values, first);
  for (size_t j = 0; j < n_jobs; j++)
    rho[j] = NAN;
  for (size_t i = 0; i < n; i++)
    rho[first[i]] = values[i];
  free(values);
  free(first);
  return rho;
}

/* The work space of all groups. */
struct space {
  struct ideal ideal;
  double *rho, *values;
  int *jobs;
};

static void fill(const struct groups *groups, const struct member *members, size_t n,
                 struct space *space, struct group *group) {
  struct figures *f = &group->figures;
  size_t n_rho = 0;
  *group = (struct group){.name = members[0].name, .workers = members[0].workers};
  for (size_t i = 0; i < n; i++) {
    const struct outcome *outcome = &groups->outcomes.jobs[members[i].job];
    space->jobs[i] = members[i].job;
    count_job(f, outcome);
    group->gpu_s += outcome->gpu_s;
  }
  struct job_figures jobs = job_figures_of(groups->info->trace, &space->ideal, space->jobs, n,
                                           fate_of, groups, space->values);
  f->jct = jobs.jct;
  f->queueing = jobs.queueing;
  f->slowdown = jobs.slowdown;
  for (size_t i = 0; i < n; i++)
    if (!isnan(space->rho[members[i].job]))
      space->values[n_rho++] = space->rho[members[i].job];
  struct fairness_figures fairness = fairness_figures_of(space->values, n_rho);
  f->rho = fairness.rho;
  f->unfair_fraction = fairness.unfair_fraction;
  f->jain = fairness.jain;
}

const struct group *groups_figures(struct groups *groups, size_t *n) {
  int from = groups->info->from;
  size_t n_members = groups->to > from ? (size_t)(groups->to - from) : 0;
  struct member *members = mem_alloc(n_members, sizeof *members);
  for (size_t i = 0; i < n_members; i++)
    members[i] = member_of(groups, from + (int)i);
  qsort(members, n_members, sizeof *members, by_group_and_job);
  struct space space = {.values = mem_alloc(n_members, sizeof(double)),
                        .jobs = mem_alloc(n_members, sizeof(int))};
  ideal_init(&space.ideal, groups->info->oracle);
  space.rho = rho_by_job(groups, &space.ideal);
  size_t capacity = 0;
  *n = 0;
  free(groups->at);
  groups->at = NULL;
  for (size_t i = 0, end = 0; i < n_members; i = end) {
    while (end < n_members && by_group(&members[i], &members[end]) == 0)
      end++;
    groups->at = mem_grow(groups->at, *n + 1, &capacity, sizeof *groups->at);
    fill(groups, members + i, end - i, &space, &groups->at[(*n)++]);
  }
  ideal_free(&space.ideal);
  free(space.rho);
  free(space.values);
  free(space.jobs);
  free(members);
  return groups->at;
}
