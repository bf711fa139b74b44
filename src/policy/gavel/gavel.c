/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Policy `gavel`: options, events, reallocation. */
#include "policy/gavel/gavel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cluster.h"
#include "model/memory.h"
#include "policy/policies.h"

enum {
  OPTION_OBJECTIVE,
  OPTION_COMPAT,
  OPTION_INTERVAL,
  OPTION_DEFICITS,
  OPTION_PRICES,
  OPTION_ENTITIES,
  OPTION_REPLAY,
  OPTION_COMPARE,
  N_OPTIONS
};
enum { COMPAT_FIXED, COMPAT_CODE };
enum { DEFICITS_TIES, DEFICITS_CARRIED };

static const struct hsim_option OPTIONS[N_OPTIONS] = {
    [OPTION_OBJECTIVE] = {.name = "objective",
                          .kind = HSIM_OPTION_CHOICE,
                          .fallback = "max_min_fairness_perf",
                          .choices = OBJECTIVE_CHOICES,
                          .help = "what the time shares are chosen for"},
    [OPTION_COMPAT] = {.name = "compat",
                       .kind = HSIM_OPTION_CHOICE,
                       .fallback = "fixed",
                       .choices = "fixed|code",
                       .help = "fixed: as the paper means it; code: as Gavel's own simulator does "
                               "it, to the last bit (needs the semantics `gavel`)"},
    [OPTION_INTERVAL] = {.name = "realloc_interval",
                         .kind = HSIM_OPTION_REAL,
                         .fallback = "0",
                         .min = 0,
                         .max = 1e9,
                         .help = "least seconds between two reallocations, 0: at each event "
                                 "(compat=code: always 1920)"},
    [OPTION_DEFICITS] = {.name = "deficits",
                         .kind = HSIM_OPTION_CHOICE,
                         .fallback = "ties",
                         .choices = "ties|carried",
                         .help = "time owed at a reallocation breaks ties, or counts on after it "
                                 "(compat=code: always ties)"},
    [OPTION_PRICES] = {.name = "prices",
                       .kind = HSIM_OPTION_TEXT,
                       .fallback = "none",
                       .help = "per GPU and hour: none (all 1), gcp, or a CSV of "
                               "gpu_type,price_per_hour"},
    [OPTION_ENTITIES] = {.name = "entities",
                         .kind = HSIM_OPTION_TEXT,
                         .fallback = "none",
                         .help = "for water filling: a CSV of tenant,weight,mode (fairness or "
                                 "fifo)"},
    [OPTION_REPLAY] = {.name = "replay",
                       .kind = HSIM_OPTION_TEXT,
                       .fallback = "none",
                       .help = "compat=code: shares that a run of Gavel computed, a CSV of "
                               "call,now_s,jobs,gpu_type,fraction"},
    [OPTION_COMPARE] = {.name = "replay_compare",
                        .kind = HSIM_OPTION_BOOL,
                        .fallback = "0",
                        .help = "computes the shares as well and logs what both are worth"},
};

/* Gavel's minimum time between allocation recomputations, which no driver of it changes. */
static const double CODED_INTERVAL = 1920.0;

static const char *preset(const struct hsim_value *values) {
  return values[OPTION_COMPAT].as.i == COMPAT_CODE ? "gavel" : NULL;
}

static void sort_by_name(struct gavel *gavel, const struct hsim_cluster *cluster) {
  for (int g = 0; g < cluster->n_types; g++) { /* few types: insertion */
    int i = g;
    for (; i > 0 && strcmp(cluster->type_names[g], cluster->type_names[gavel->by_name[i - 1]]) < 0;
         i--)
      gavel->by_name[i] = gavel->by_name[i - 1];
    gavel->by_name[i] = g;
  }
}

static bool is_none(const struct hsim_value *value) {
  return strcmp(value->text, "none") == 0;
}

/* Options that only one of the two ways to work understands. */
static enum hsim_status check_options(const struct hsim_value *values, struct hsim_error *error) {
  bool coded = values[OPTION_COMPAT].as.i == COMPAT_CODE;
  for (int i = OPTION_INTERVAL; coded && i <= OPTION_DEFICITS; i++)
    if (values[i].given)
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "the option %s belongs to compat=fixed; compat=code always "
                       "does as Gavel's simulator",
                       OPTIONS[i].name);
  bool replays = !is_none(&values[OPTION_REPLAY]);
  if (replays && !coded)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "the option replay belongs to compat=code: the shares of Gavel's simulator "
                     "are of its own moments");
  if (values[OPTION_COMPARE].as.i && !replays)
    return hsim_fail(error, HSIM_BAD_USAGE, "the option replay_compare needs replay");
  return HSIM_OK;
}

/* What the objective sees in place of rates that it does not know. */
static enum hsim_status set_reference(struct gavel *gavel, const struct hsim_cluster *cluster,
                                      struct hsim_error *error) {
  gavel->reference = cluster_find_type(cluster, "v100");
  if (gavel->coded && gavel->objective->rates == RATES_REFERENCE && gavel->reference < 0)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "objective=%s with compat=code sees the rate on v100 everywhere; the cluster "
                     "has no GPU of type v100",
                     gavel->objective->name);
  return HSIM_OK;
}

static enum hsim_status read_files(struct gavel *gavel, const struct hsim_view *view,
                                   const struct hsim_value *values, struct hsim_error *error) {
  enum hsim_status status =
      gavel_read_prices(values[OPTION_PRICES].text, view->cluster, gavel->prices, error);
  if (status == HSIM_OK && !is_none(&values[OPTION_ENTITIES]))
    status = entities_read(values[OPTION_ENTITIES].text, view, &gavel->entities, error);
  if (status == HSIM_OK && !is_none(&values[OPTION_REPLAY]))
    status =
        replay_read(values[OPTION_REPLAY].text, view->cluster, view->n_jobs, &gavel->replay, error);
  return status;
}

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  struct gavel *gavel = state;
  gavel->objective = objective_at((int)values[OPTION_OBJECTIVE].as.i);
  gavel->coded = values[OPTION_COMPAT].as.i == COMPAT_CODE;
  gavel->carry = values[OPTION_DEFICITS].as.i == DEFICITS_CARRIED;
  gavel->interval = gavel->coded ? CODED_INTERVAL : values[OPTION_INTERVAL].as.real;
  gavel->compare = values[OPTION_COMPARE].as.i;
  gavel->need = true;
  gavel->arrivals_left = true;
  rounds_init(&gavel->rounds, view->cluster->n_types, view->n_jobs, view->round_s);
  gavel->rounds.with_pairs = gavel->objective->pairs;
  gavel->model = mem_zero((size_t)view->n_jobs, sizeof *gavel->model);
  gavel->lp = lp_create();
  gavel->memory = mem_zero(1, gavel->objective->state_size + 1);
  sort_by_name(gavel, view->cluster);
  if (gavel->coded)
    gavel_coded_init(gavel, view);
  if (gavel->objective->init)
    gavel->objective->init(gavel->memory,
                           &(struct objective_setup){.n_jobs = view->n_jobs,
                                                     .n_types = view->cluster->n_types,
                                                     .seed = view->seed,
                                                     .coded = gavel->coded});
  enum hsim_status status = check_options(values, error);
  if (status == HSIM_OK)
    status = set_reference(gavel, view->cluster, error);
  return status == HSIM_OK ? read_files(gavel, view, values, error) : status;
}

static void destroy(void *state) {
  struct gavel *gavel = state;
  if (gavel->memory && gavel->objective->free)
    gavel->objective->free(gavel->memory);
  free(gavel->memory);
  rounds_free(&gavel->rounds);
  assigner_free(&gavel->assigner);
  entities_free(&gavel->entities);
  replay_free(gavel->replay);
  lp_destroy(gavel->lp);
  free(gavel->model);
  problem_buffers_free(&gavel->buffers);
  free(gavel->placed);
}

static void job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  struct gavel *gavel = state;
  gavel_admit(gavel, view, job);
  gavel->need = gavel->admitted = true;
}

static void job_finished(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)view;
  struct gavel *gavel = state;
  rounds_remove(&gavel->rounds, job->index);
  gavel->need = true;
}

static void node_changed(void *state, const struct hsim_view *view, int node, bool up) {
  (void)view;
  (void)node;
  (void)up;
  struct gavel *gavel = state;
  gavel->need = true;
}

static void round_ended(void *state, const struct hsim_view *view, const struct hsim_ran *ran,
                        size_t n_ran) {
  struct gavel *gavel = state;
  if (gavel->coded)
    gavel_coded_ran(gavel, view, ran, n_ran);
  else
    rounds_receive(&gavel->rounds, ran, n_ran);
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  struct gavel *gavel = state;
  rounds_compact(&gavel->rounds);
  gavel_follow_phases(gavel, view);
  return gavel->coded ? gavel_coded_schedule(gavel, view, plan, error)
                      : gavel_published_schedule(gavel, view, plan, error);
}

/* A replay that goes on is of another run. */
static enum hsim_status verdict(void *state, const struct hsim_view *view,
                                struct hsim_error *error) {
  (void)view;
  const struct gavel *gavel = state;
  double now;
  size_t left = gavel->replay ? replay_left(gavel->replay, &now) : 0;
  if (left == 0)
    return HSIM_OK;
  return hsim_fail(error, HSIM_BAD_INPUT,
                   "%s: the run ended without the last %zu calls, the first of them at %.17g s: "
                   "recorded with another trace, cluster, objective or seed?",
                   replay_path(gavel->replay), left, now);
}

/* What the run needs to know, and may do, depends on the objective. */
static void configure(struct hsim_policy *table, const struct hsim_value *values) {
  const struct objective *objective = objective_at((int)values[OPTION_OBJECTIVE].as.i);
  if (objective->remaining)
    table->oracle |= HSIM_KNOWS_REMAINING;
  table->never_pairs = !objective->pairs;
}

static void dump(const void *state, char *text, size_t size) {
  const struct gavel *gavel = state;
  if (!gavel->objective) {
    snprintf(text, size, "not created");
    return;
  }
  snprintf(text, size, "objective %s, %d combinations, last reallocation at %.17g%s",
           gavel->objective->name, gavel->rounds.n, gavel->rounds.restarted_s,
           gavel->need ? ", another one due" : "");
}

const struct hsim_policy policy_gavel = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "gavel",
    .summary = "time shares per GPU type that optimise an objective, served in rounds (OSDI'20)",
    .mode = HSIM_MODE_ROUND,
    .oracle = HSIM_KNOWS_RATES,
    .state_size = sizeof(struct gavel),
    .options = OPTIONS,
    .n_options = N_OPTIONS,
    .preset = preset,
    .create = create,
    .destroy = destroy,
    .job_arrived = job_arrived,
    .job_finished = job_finished,
    .node_changed = node_changed,
    .round_ended = round_ended,
    .schedule = schedule,
    .dump = dump,
    .configure = configure,
    .verdict = verdict,
};
