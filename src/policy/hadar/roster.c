/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/roster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/memory.h"

/* Weight of the newest measurement in a rate estimate; Gavel's moving average has the same. */
#define MEASURED_WEIGHT 0.5

void hadar_roster_init(struct hadar_roster *roster, const struct hsim_view *view) {
  roster->records = mem_zero((size_t)view->n_jobs, sizeof *roster->records);
  roster->group_arrival = NAN;
}

void hadar_roster_free(struct hadar_roster *roster) {
  for (size_t i = 0; i < roster->n_profiles; i++) {
    free(roster->profiles[i]->true_copy);
    free(roster->profiles[i]->copy);
    free(roster->profiles[i]);
  }
  free(roster->profiles);
  free(roster->records);
  free(roster->groups);
  free(roster->jobs);
  free(roster->active);
  free(roster->stakes);
  free(roster->seats);
  free(roster->takes);
}

void hadar_roster_arrived(struct hadar_roster *roster, const struct hsim_active *active) {
  if (!(active->job->arrival_s == roster->group_arrival)) {
    roster->groups = mem_grow(roster->groups, roster->n_groups + 1, &roster->groups_capacity,
                              sizeof *roster->groups);
    roster->groups[roster->n_groups++] = 0;
    roster->group_arrival = active->job->arrival_s;
  }
  int group = (int)roster->n_groups - 1;
  roster->groups[group] = ++roster->n_active;
  roster->records[active->index] = (struct hadar_record){.group = group, .reason = -1};
  roster->stale = true;
}

void hadar_roster_finished(struct hadar_roster *roster) {
  roster->n_active--;
  roster->stale = true;
}

/* ---- Kinds ---- */

static void apply_factors(struct hadar_profile *profile, int n_types,
                          const struct hadar_classes *classes) {
  for (int t = 0; t < n_types; t++) {
    profile->kind.one_node[t] = profile->one_node[t] * profile->factor[t];
    profile->kind.spread[t] = profile->spread[t] * profile->factor[t];
    for (int i = 0; profile->copy != NULL && i < profile->kind.largest_copy; i++) {
      int at = t * profile->kind.largest_copy + i;
      profile->copy[at] = profile->true_copy[at] * profile->factor[t];
    }
  }
  hadar_kind_rank(&profile->kind, n_types);
  hadar_kind_fit(&profile->kind, classes);
}

/* The widest span that gangs on several nodes can have: the search does not know racks. */
static enum hsim_span widest_span(const struct hsim_cluster *cluster) {
  for (int n = 0; n < cluster->n_nodes; n++)
    if (cluster->nodes[n].rack < 0 || cluster->nodes[n].rack != cluster->nodes[0].rack)
      return HSIM_SPAN_CLUSTER;
  return HSIM_SPAN_RACK;
}

/* A stream for each estimate, so that none depends on the order in which jobs come. */
static double first_factor(const struct hsim_view *view, const struct hadar_kind *kind, int type,
                           double noise) {
  char purpose[256];
  snprintf(purpose, sizeof purpose, "hadar estimate of %s with %d workers on %s",
           hsim_model_name(view, kind->model), kind->workers, view->cluster->type_names[type]);
  struct hsim_rng rng;
  hsim_rng_init(&rng, view->seed, purpose);
  return 1 + noise * (2 * hsim_rng_uniform(&rng) - 1);
}

/* Rates of copies of every size that a node can hold. A type on which the whole gang cannot run
 * stands for the largest copy that can. */
static void add_copies(struct hadar_profile *profile, const struct hsim_view *view,
                       const struct hsim_active *active) {
  struct hadar_kind *kind = &profile->kind;
  const struct hsim_cluster *cluster = view->cluster;
  for (int n = 0; n < cluster->n_nodes; n++)
    if (cluster->nodes[n].gpus > kind->largest_copy)
      kind->largest_copy = cluster->nodes[n].gpus;
  size_t cells = (size_t)(cluster->n_types * kind->largest_copy);
  profile->true_copy = mem_zero(cells, sizeof *profile->true_copy);
  profile->copy = mem_zero(cells, sizeof *profile->copy);
  kind->copy = profile->copy;
  for (int t = 0; t < cluster->n_types; t++) {
    double *rates = &profile->true_copy[t * kind->largest_copy];
    bool whole = profile->one_node[t] > 0;
    for (int gpus = 1; gpus <= kind->largest_copy; gpus++) {
      rates[gpus - 1] = hsim_rate_on(view->oracle, active, t, gpus, HSIM_SPAN_NODE);
      if (gpus <= kind->workers && rates[gpus - 1] > 0 && !whole)
        profile->one_node[t] = rates[gpus - 1];
    }
  }
}

static struct hadar_profile *new_profile(struct hadar_roster *roster, const struct hsim_view *view,
                                         const struct hadar_classes *classes,
                                         const struct hsim_active *active,
                                         const struct hadar_settings *settings) {
  struct hadar_profile *profile = mem_zero(1, sizeof *profile);
  struct hadar_kind *kind = &profile->kind;
  enum hsim_span wide = widest_span(view->cluster);
  kind->model = active->model;
  kind->workers = active->job->workers;
  kind->types = active->job->gpu_types;
  for (int t = 0; t < view->cluster->n_types; t++) {
    profile->one_node[t] = hsim_rate_on(view->oracle, active, t, kind->workers, HSIM_SPAN_NODE);
    profile->spread[t] = hsim_rate_on(view->oracle, active, t, kind->workers, wide);
    profile->factor[t] = settings->noise > 0 ? first_factor(view, kind, t, settings->noise) : 1;
  }
  if (settings->forks)
    add_copies(profile, view, active);
  apply_factors(profile, view->cluster->n_types, classes);
  roster->profiles = mem_grow(roster->profiles, roster->n_profiles + 1, &roster->profiles_capacity,
                              sizeof *roster->profiles);
  roster->profiles[roster->n_profiles++] = profile;
  return profile;
}

static struct hadar_profile *profile_of(struct hadar_roster *roster, const struct hsim_view *view,
                                        const struct hadar_classes *classes,
                                        const struct hsim_active *active,
                                        const struct hadar_settings *settings) {
  struct hadar_profile *same_rates = NULL;
  for (size_t i = 0; i < roster->n_profiles; i++) {
    struct hadar_profile *profile = roster->profiles[i];
    if (profile->kind.model != active->model || profile->kind.workers != active->job->workers)
      continue;
    if (profile->kind.types == active->job->gpu_types)
      return profile;
    same_rates = profile;
  }
  struct hadar_profile *profile = new_profile(roster, view, classes, active, settings);
  if (same_rates != NULL && settings->noise > 0) {
    for (int t = 0; t < view->cluster->n_types; t++)
      profile->factor[t] = same_rates->factor[t]; /* what was learnt so far */
    apply_factors(profile, view->cluster->n_types, classes);
  }
  return profile;
}

void hadar_roster_refit(struct hadar_roster *roster, const struct hadar_classes *classes) {
  for (size_t i = 0; i < roster->n_profiles; i++)
    hadar_kind_fit(&roster->profiles[i]->kind, classes);
  roster->stale = true;
}

void hadar_roster_measure(struct hadar_roster *roster, const struct hsim_view *view,
                          const struct hadar_classes *classes, const struct hsim_ran *ran,
                          size_t n_ran) {
  for (size_t i = 0; i < n_ran; i++) {
    const struct hadar_profile *measured = roster->records[ran[i].job].profile;
    int type = ran[i].type;
    if (measured == NULL || type < 0 || ran[i].steps <= 0)
      continue;
    int model = measured->kind.model, workers = measured->kind.workers;
    for (size_t p = 0; p < roster->n_profiles; p++) {
      struct hadar_profile *profile = roster->profiles[p];
      if (profile->kind.model != model || profile->kind.workers != workers)
        continue;
      profile->factor[type] += MEASURED_WEIGHT * (1 - profile->factor[type]);
      apply_factors(profile, view->cluster->n_types, classes);
      roster->stale = true;
    }
  }
}

/* ---- The jobs of a round ---- */

/* How much more a job with `duration` to go matters to the last finish: its fourth root. All the
 * same would give the last long jobs slow GPUs; more gives slow ones to jobs that suffer there. */
static double urgency(double duration) {
  return sqrt(sqrt(duration));
}

/* A job's utility is fixed when it is first seen, so that it never rises with time. */
static double worth_of(const struct hadar_roster *roster, const struct hsim_view *view,
                       const struct hsim_active *active, const struct hadar_record *record,
                       enum hadar_utility utility) {
  const struct hsim_job *job = active->job;
  if (utility == HADAR_RAW)
    return job->steps;
  double shortest = job->steps / record->profile->kind.fastest;
  if (utility == HADAR_NORM)
    return shortest;
  if (utility == HADAR_PACE)
    return urgency(shortest) * shortest;
  double share = (double)roster->groups[record->group] * job->workers / view->cluster->n_gpus;
  return shortest * fmax(1, share);
}

static const struct hadar_bay *bay_of_type(const struct hadar_classes *classes, int cls, int type) {
  const struct hadar_bay *bay = &classes->bays[classes->at[cls].first_bay];
  while (bay->type != type)
    bay++;
  return bay;
}

/* Adds a gang's seats, ascending node, to the `n` that are there. Shares come in ascending bay. */
static int list_seats(const struct hadar_classes *classes, const struct hsim_cluster *cluster,
                      const struct hsim_gang *gang, struct hadar_seat *seats, int n) {
  for (int i = 0; i < gang->n_shares; i++) {
    const struct hsim_bay *bay = &cluster->bays[gang->shares[i].bay];
    int cls = classes->class_of_node[bay->node], at = n;
    if (cls < 0)
      continue; /* its node is down */
    while (at > 0 && seats[at - 1].node > bay->node)
      at--;
    if (at == 0 || seats[at - 1].node != bay->node) {
      for (int k = n++; k > at; k--)
        seats[k] = seats[k - 1];
      seats[at++] = (struct hadar_seat){bay->node, 0};
    }
    seats[at - 1].delta +=
        (uint32_t)gang->shares[i].gpus * bay_of_type(classes, cls, bay->type)->radix;
  }
  return n;
}

/* The seats' shape, largest delta first, then the lowest class. Returns the number of takes. */
static int list_takes(const struct hadar_classes *classes, const struct hadar_seat *seats, int n,
                      struct hadar_take *takes) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    struct hadar_take take = {classes->class_of_node[seats[i].node], seats[i].delta, 1};
    int at = 0;
    while (at < count && (takes[at].delta > take.delta ||
                          (takes[at].delta == take.delta && takes[at].cls < take.cls)))
      at++;
    if (at < count && takes[at].delta == take.delta && takes[at].cls == take.cls) {
      takes[at].nodes++;
      continue;
    }
    for (int k = count++; k > at; k--)
      takes[k] = takes[k - 1];
    takes[at] = take;
  }
  return count;
}

static void reserve(struct hadar_roster *roster, const struct hsim_view *view) {
  size_t n = (size_t)view->n_active, shares = 0;
  for (const struct hsim_active *a = view->first; a != NULL; a = a->next)
    for (int g = 0; g < a->n_gangs; g++)
      shares += (size_t)a->gangs[g]->n_shares;
  roster->jobs = mem_grow(roster->jobs, n, &roster->jobs_capacity, sizeof *roster->jobs);
  roster->active = mem_grow(roster->active, n, &roster->active_capacity, sizeof *roster->active);
  roster->stakes = mem_grow(roster->stakes, n, &roster->stakes_capacity, sizeof *roster->stakes);
  roster->seats = mem_grow(roster->seats, shares, &roster->seats_capacity, sizeof *roster->seats);
  roster->takes = mem_grow(roster->takes, shares, &roster->takes_capacity, sizeof *roster->takes);
}

static void set_record(struct hadar_roster *roster, const struct hsim_view *view,
                       const struct hadar_classes *classes, const struct hsim_active *active,
                       const struct hadar_settings *settings) {
  struct hadar_record *record = &roster->records[active->index];
  bool first = record->profile == NULL;
  if (!first && record->profile->kind.model == active->model)
    return;
  record->profile = profile_of(roster, view, classes, active, settings);
  roster->stale = true;
  if (first)
    record->worth = worth_of(roster, view, active, record, settings->utility);
}

/* HADAR_PACE looks at the work of one round, so that a move is weighed against the round that it
 * shortens. */
static void look_ahead(struct hadar_job *job, double round_s, enum hadar_utility utility) {
  job->ahead = job->remaining;
  if (utility != HADAR_PACE)
    return;
  job->ahead = fmin(job->remaining, job->kind->fastest * round_s);
  job->worth = urgency(job->remaining / job->kind->fastest) * job->ahead / job->kind->fastest;
  job->age = 0;
}

void hadar_roster_fill(struct hadar_roster *roster, const struct hsim_view *view,
                       const struct hadar_classes *classes, const struct hadar_settings *settings) {
  reserve(roster, view);
  double start_s = hsim_start_cost(view), move_s = hsim_move_cost(view);
  int n = 0, n_seats = 0, n_takes = 0;
  for (const struct hsim_active *active = view->first; active != NULL; active = active->next) {
    set_record(roster, view, classes, active, settings);
    const struct hadar_record *record = &roster->records[active->index];
    const struct hadar_kind *kind = &record->profile->kind;
    struct hadar_job *job = &roster->jobs[n];
    *job = (struct hadar_job){.index = active->index,
                              .kind = kind,
                              .remaining = hsim_remaining_steps(view, active),
                              .age = view->now - active->job->arrival_s,
                              .worth = record->worth,
                              .restart_s = start_s};
    look_ahead(job, view->round_s, settings->utility);
    job->peak = kind->peak > 0 ? job->worth / (job->age + job->ahead / kind->peak) : 0;
    job->forced = settings->age_rounds > 0 && record->waited >= settings->age_rounds;
    if (active->n_gangs > 0) {
      job->restart_s = move_s;
      job->seats = &roster->seats[n_seats];
      job->held = &roster->takes[n_takes];
      for (int g = 0; g < active->n_gangs; g++)
        job->held_nodes = list_seats(classes, view->cluster, active->gangs[g],
                                     &roster->seats[n_seats], job->held_nodes);
      job->n_held = list_takes(classes, job->seats, job->held_nodes, &roster->takes[n_takes]);
      n_seats += job->held_nodes;
      n_takes += job->n_held;
    }
    roster->active[n] = active;
    roster->stakes[n] = (struct hadar_stake){kind, active->job->steps, record->worth};
    n++;
  }
  roster->n = n;
}
