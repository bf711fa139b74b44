/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HadarE: Sultana et al., arXiv 2503.10918. Hadar that forks: what a job gets of each node is a
 * copy of its own, whose steps add up; nodes that would idle take further copies. A tracker hands
 * out steps to the copies, and each round in which a job has several they lose time to the
 * averaging of their parameters.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/hadar/decision.h"
#include "policy/hadar/forks.h"
#include "policy/hadar/tracker.h"
#include "policy/policies.h"

/* One copy of the job that is being placed. */
struct copy {
  int number; /* 1.. */
  bool fresh; /* was not on this node, at this size, before */
  bool moves; /* was on another one */
};

struct hadare {
  struct hadar hadar; /* first: the shared callbacks take it */
  struct hadar_forks forks;
  struct tracker tracker;
  int *numbers; /* [n_jobs of the trace] number of an active job, from 1; 0: none yet */
  bool *taken;  /* [max_job_count] */
  int64_t most_jobs;
  struct copy *copies;
  double *rates, *steps;
  size_t copies_capacity, rates_capacity, steps_capacity;
  struct hadar_report log; /* its part of the policy log's line */
  double forked;           /* job-rounds with two or more copies */
  double copies_max;       /* of one job */
};

static enum hsim_status hadare_create(void *state, const struct hsim_view *view,
                                      const struct hsim_value *values, struct hsim_error *error) {
  struct hadare *hadare = state;
  struct hadar_settings *settings = &hadare->hadar.settings;
  hadar_settings_read(settings, values, true);
  if (settings->consolidate_s >= view->round_s && settings->max_copies != 1)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "hadare: consolidate_s=%g leaves copies no time in a round of %g s; expected "
                     "less than --round, or max_copies=1",
                     settings->consolidate_s, view->round_s);
  hadare->most_jobs = settings->max_job_count > 0 ? settings->max_job_count : view->n_jobs + 1;
  hadare->numbers = mem_zero((size_t)view->n_jobs, sizeof *hadare->numbers);
  hadare->taken = mem_zero((size_t)hadare->most_jobs, sizeof *hadare->taken);
  return hadar_init(&hadare->hadar, view, error);
}

static void hadare_destroy(void *state) {
  struct hadare *hadare = state;
  hadar_free(&hadare->hadar);
  hadar_forks_free(&hadare->forks);
  tracker_free(&hadare->tracker);
  hadar_report_free(&hadare->log);
  free(hadare->numbers);
  free(hadare->taken);
  free(hadare->copies);
  free(hadare->rates);
  free(hadare->steps);
}

static void hadare_job_finished(void *state, const struct hsim_view *view,
                                const struct hsim_active *job) {
  struct hadare *hadare = state;
  hadare->taken[hadare->numbers[job->index]] = false;
  hadar_job_finished(state, view, job);
}

/* Active jobs that have none yet get the lowest free numbers. */
static enum hsim_status number_jobs(struct hadare *hadare, const struct hsim_view *view,
                                    struct hsim_error *error) {
  if (view->n_active >= hadare->most_jobs)
    return hsim_fail(error, HSIM_FAILED,
                     "hadare: %d jobs at a time, but the ids of copies need fewer than "
                     "max_job_count=%lld",
                     view->n_active, (long long)hadare->most_jobs);
  int next = 1;
  for (const struct hsim_active *job = view->first; job != NULL; job = job->next) {
    if (hadare->numbers[job->index] > 0)
      continue;
    while (hadare->taken[next])
      next++;
    hadare->numbers[job->index] = next;
    hadare->taken[next] = true;
  }
  return HSIM_OK;
}

/* ---- Copies of one job on their nodes ---- */

static const struct hsim_gang *gang_on(const struct hsim_cluster *cluster,
                                       const struct hsim_active *active, int node) {
  for (int g = 0; g < active->n_gangs; g++)
    if (cluster->bays[active->gangs[g]->shares[0].bay].node == node)
      return active->gangs[g];
  return NULL;
}

static bool has_number(const struct copy *copies, int n, int number) {
  for (int i = 0; i < n; i++)
    if (copies[i].number == number)
      return true;
  return false;
}

static bool holds_number(const struct hsim_active *active, int number) {
  for (int g = 0; g < active->n_gangs; g++)
    if (active->gangs[g]->copy == number)
      return true;
  return false;
}

/* A copy of the job with this many GPUs that no seat has kept: it moves. */
static const struct hsim_gang *gang_to_move(const struct hsim_active *active,
                                            const struct copy *copies, int n, int gpus) {
  for (int g = 0; g < active->n_gangs; g++)
    if (active->gangs[g]->size == gpus && !has_number(copies, n, active->gangs[g]->copy))
      return active->gangs[g];
  return NULL;
}

static bool is_held(const struct hadar_job *job, const struct hadar_seat *seat) {
  for (int h = 0; h < job->held_nodes; h++)
    if (job->seats[h].node == seat->node)
      return job->seats[h].delta == seat->delta;
  return false;
}

/* A copy that stays on its node keeps its number, one that moves takes it along, new ones get the
 * lowest numbers that the job does not use. */
static void number_copies(struct hadare *hadare, const struct hsim_view *view, int at) {
  struct hadar *hadar = &hadare->hadar;
  const struct hadar_grant *grant = &hadar->board.grants[at];
  const struct hadar_seat *seats = &hadar->board.seats[grant->first_seat];
  const struct hadar_job *job = &hadar->roster.jobs[at];
  const struct hsim_active *active = hadar->roster.active[at];
  struct copy *copies = hadare->copies;
  int n = grant->n_seats;
  for (int i = 0; i < n; i++) {
    copies[i] = (struct copy){.fresh = !is_held(job, &seats[i])};
    if (!copies[i].fresh)
      copies[i].number = gang_on(view->cluster, active, seats[i].node)->copy;
  }
  for (int i = 0; i < n; i++) {
    if (!copies[i].fresh)
      continue;
    int cls = hadar->classes.class_of_node[seats[i].node];
    int gpus = hadar_level_gpus(&hadar->classes, cls, seats[i].delta);
    const struct hsim_gang *moved = gang_to_move(active, copies, n, gpus);
    copies[i].moves = moved != NULL;
    copies[i].number = moved != NULL ? moved->copy : 0;
  }
  int next = 1;
  for (int i = 0; i < n; i++) {
    while (copies[i].number == 0 && (has_number(copies, n, next) || holds_number(active, next)))
      next++;
    if (copies[i].number == 0)
      copies[i].number = next;
  }
}

/* Rates that the tracker counts with: the policy's estimates. */
static void rate_copies(struct hadare *hadare, int at) {
  struct hadar *hadar = &hadare->hadar;
  const struct hadar_grant *grant = &hadar->board.grants[at];
  const struct hadar_kind *kind = hadar->roster.jobs[at].kind;
  for (int i = 0; i < grant->n_seats; i++) {
    const struct hadar_seat *seat = &hadar->board.seats[grant->first_seat + i];
    int cls_at = hadar->classes.class_of_node[seat->node], slowest = 0;
    const struct hadar_class *cls = &hadar->classes.at[cls_at];
    for (int b = cls->first_bay; b < cls->first_bay + cls->n_bays; b++) {
      const struct hadar_bay *bay = &hadar->classes.bays[b];
      if (hadar_bay_gpus(bay, seat->delta) > 0 && kind->rank[bay->type] > slowest)
        slowest = kind->rank[bay->type];
    }
    int gpus = hadar_level_gpus(&hadar->classes, cls_at, seat->delta);
    hadare->rates[i] = hadar_copy_rate(kind, kind->type[slowest], gpus);
  }
}

static void reserve(struct hadare *hadare, int n) {
  size_t count = (size_t)n;
  hadare->copies =
      mem_grow(hadare->copies, count, &hadare->copies_capacity, sizeof *hadare->copies);
  hadare->rates = mem_grow(hadare->rates, count, &hadare->rates_capacity, sizeof *hadare->rates);
  hadare->steps = mem_grow(hadare->steps, count, &hadare->steps_capacity, sizeof *hadare->steps);
}

/* Seconds that the job's copies lose this round. All start together, from the same parameters, so
 * the slowest to start holds the others up. */
static double loss_of(const struct hadare *hadare, const struct hsim_view *view, int at) {
  const struct hadar *hadar = &hadare->hadar;
  int n = hadar->board.grants[at].n_seats;
  bool averages = n > 1 || hadar->roster.jobs[at].held_nodes > 1;
  double loss = averages ? hadar->settings.consolidate_s : 0;
  for (int i = 0; i < n; i++) {
    const struct copy *copy = &hadare->copies[i];
    if (copy->fresh)
      loss = fmax(loss, copy->moves ? hsim_move_cost(view) : hsim_start_cost(view));
  }
  return loss;
}

/* Every copy gets its share of steps; a copy that is alone has no share and simply runs. A copy
 * too slow for one whole step in a round works at one that takes several. */
static void share_steps(struct hadare *hadare, const struct hsim_view *view, int at, double loss) {
  const struct hadar *hadar = &hadare->hadar;
  int n = hadar->board.grants[at].n_seats;
  double left = hadar->roster.jobs[at].remaining;
  bool last =
      tracker_split(&hadare->tracker, hadare->rates, n, view->round_s - loss, left, hadare->steps);
  for (int i = 0; i < n && !last; i++)
    hadare->steps[i] = fmax(1, hadare->steps[i]);
}

static void log_copy(struct hadare *hadare, const struct hsim_view *view, int at, int i,
                     double loss) {
  const struct hadar *hadar = &hadare->hadar;
  const struct hadar_grant *grant = &hadar->board.grants[at];
  const struct hadar_seat *seat = &hadar->board.seats[grant->first_seat + i];
  const struct hsim_active *active = hadar->roster.active[at];
  int cls = hadar->classes.class_of_node[seat->node], number = hadare->copies[i].number;
  struct hadar_copy_line line = {
      .job = active->job->id,
      .copy = number,
      .id = tracker_copy_id(hadare->most_jobs, number, hadare->numbers[active->index]),
      .node = view->cluster->nodes[seat->node].name,
      .gpus = hadar_level_gpus(&hadar->classes, cls, seat->delta),
      .steps = grant->n_seats > 1 ? hadare->steps[i] : 0,
      .stall_s = loss};
  hadar_report_copy(&hadare->log, &line);
}

/* The first copy of a job that runs on as it did. */
static void log_lone(struct hadare *hadare, const struct hsim_view *view, int at) {
  reserve(hadare, 1);
  number_copies(hadare, view, at);
  log_copy(hadare, view, at, 0, 0);
}

static void log_forks(struct hadare *hadare) {
  hadar_report_forks(&hadare->log);
  for (size_t i = 0; i < hadare->forks.n_given; i++) {
    const struct hadar_fork *fork = &hadare->forks.given[i];
    hadar_report_fork(&hadare->log, hadare->hadar.roster.active[fork->job]->job->id, fork->gain);
  }
  hadar_report_copies(&hadare->log);
}

static void add_copies(struct hadare *hadare, const struct hsim_view *view, struct hsim_plan *plan,
                       int at) {
  struct hadar *hadar = &hadare->hadar;
  const struct hadar_grant *grant = &hadar->board.grants[at];
  int n = grant->n_seats;
  reserve(hadare, n);
  number_copies(hadare, view, at);
  double loss = loss_of(hadare, view, at);
  if (n > 1) {
    rate_copies(hadare, at);
    share_steps(hadare, view, at, loss);
  }
  for (int i = 0; i < n; i++) {
    if (n > 1 && hadare->steps[i] <= 0)
      continue; /* fewer steps left than copies */
    int shares =
        hadar_list_shares(hadar, view->cluster, &hadar->board.seats[grant->first_seat + i], 0);
    hsim_plan_add(plan, &(struct hsim_request){.job = hadar->roster.jobs[at].index,
                                               .copy = hadare->copies[i].number,
                                               .at = {.n_shares = shares, .shares = hadar->shares},
                                               .max_steps = n > 1 ? hadare->steps[i] : 0,
                                               .stall_s = loss});
    if (hsim_logging(view))
      log_copy(hadare, view, at, i, loss);
  }
  hadare->forked += n > 1;
  hadare->copies_max = fmax(hadare->copies_max, n);
}

/* Alone before and now, in the same place: it runs on. */
static bool runs_on(const struct hadar *hadar, int at) {
  const struct hsim_active *active = hadar->roster.active[at];
  return active->n_gangs == 1 && isinf(active->gangs[0]->max_steps) &&
         hadar_is_unchanged(&hadar->board, &hadar->roster.jobs[at], at);
}

static void fill_plan(struct hadare *hadare, const struct hsim_view *view, struct hsim_plan *plan) {
  struct hadar *hadar = &hadare->hadar;
  hsim_plan_clear(plan);
  log_forks(hadare);
  for (int i = 0; i < hadar->roster.n; i++) {
    if (!runs_on(hadar, i))
      continue;
    hsim_plan_keep(plan, hadar->roster.jobs[i].index);
    if (hsim_logging(view))
      log_lone(hadare, view, i);
  }
  for (int i = 0; i < hadar->roster.n; i++)
    if (hadar->board.grants[i].n_seats > 0 && !runs_on(hadar, i))
      add_copies(hadare, view, plan, i);
  hadar_report_copies_end(&hadare->log);
}

/* Whether the second phase would find a copy on this node with all its GPUs free. */
static bool can_copy_on(const struct hadar_kind *kind, const struct hsim_cluster *cluster, int node,
                        int most) {
  int types[HSIM_MAX_TYPES] = {0}, gpus[HSIM_MAX_TYPES] = {0}, taken[HSIM_MAX_TYPES];
  const struct hsim_bay *bays = &cluster->bays[cluster->nodes[node].first_bay];
  int n = cluster->nodes[node].n_bays;
  for (int b = 0; b < n; b++) {
    types[b] = bays[b].type;
    gpus[b] = bays[b].gpus;
  }
  return hadar_kind_best_copy(kind, n, types, gpus, most, taken) > 0;
}

/* The same on some node, up or down. */
static bool can_copy(const struct hadar_kind *kind, const struct hsim_cluster *cluster,
                     bool whole_nodes) {
  for (int n = 0; n < cluster->n_nodes; n++)
    if (can_copy_on(kind, cluster, n, whole_nodes ? INT_MAX : kind->workers))
      return true;
  return false;
}

/* A gang that runs only when it is spread over nodes is no copy. */
static void reject_unable(const struct hadar *hadar, const struct hsim_view *view,
                          struct hsim_plan *plan) {
  for (int i = 0; i < hadar->roster.n; i++) {
    const struct hadar_job *job = &hadar->roster.jobs[i];
    if (job->kind->best <= 0 && !can_copy(job->kind, view->cluster, hadar->settings.whole_nodes))
      hsim_plan_reject(plan, job->index,
                       "no copy of it can run on one node, whatever its number of workers");
  }
}

static enum hsim_status hadare_schedule(void *state, const struct hsim_view *view,
                                        struct hsim_plan *plan, struct hsim_error *error) {
  struct hadare *hadare = state;
  struct hadar *hadar = &hadare->hadar;
  enum hsim_status status = hadar_prepare(hadar, view, error);
  if (status != HSIM_OK || hadar->roster.n == 0)
    return status;
  status = number_jobs(hadare, view, error);
  if (status == HSIM_OK)
    status = hadar_decide(hadar, error);
  if (status != HSIM_OK)
    return status;
  hadar_fork(&hadare->forks, &hadar->board, &hadar->market, hadar->roster.jobs,
             hadar->settings.whole_nodes);
  hadar_map(&hadar->mapping, &hadar->board, hadar->roster.jobs);
  fill_plan(hadare, view, plan);
  reject_unable(hadar, view, plan);
  hadar_tell_waiting(hadar, plan);
  return hadar_tell_round(hadar, view, hadare->log.text, error);
}

static void hadare_ended(void *state, const struct hsim_view *view) {
  const struct hadare *hadare = state;
  hadar_ended(state, view);
  hsim_stat(view, "forked", hadare->forked);
  hsim_stat(view, "copies_max", hadare->copies_max);
}

const struct hsim_policy policy_hadare = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "hadare",
    .summary = "Hadar with jobs that fork into copies on several nodes (Sultana et al., "
               "arXiv 2503.10918)",
    .mode = HSIM_MODE_ROUND,
    .mixes_types = true,
    .forks = true,
    .never_pairs = true,
    .oracle = HSIM_KNOWS_RATES | HSIM_KNOWS_REMAINING,
    .state_size = sizeof(struct hadare),
    .options = hadar_options,
    .n_options = N_HADARE_OPTIONS,
    .create = hadare_create,
    .destroy = hadare_destroy,
    .job_arrived = hadar_job_arrived,
    .job_finished = hadare_job_finished,
    .node_changed = hadar_node_changed,
    .round_ended = hadar_round_ended,
    .settled = hadare_settled,
    .schedule = hadare_schedule,
    .ended = hadare_ended,
    .dump = hadar_dump,
};
