/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Policy `gavel`: options, events, reallocation. */
#include "policy/gavel/gavel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/number.h"
#include "model/rates.h"
#include "policy/policies.h"

static const struct objective *const OBJECTIVES[] = {
    &objective_max_min_fairness_perf,
    &objective_fifo_perf,
};

enum { OPTION_OBJECTIVE, OPTION_COMPAT, OPTION_INTERVAL, OPTION_DEFICITS, N_OPTIONS };
enum { COMPAT_FIXED, COMPAT_CODE };
enum { DEFICITS_TIES, DEFICITS_CARRIED };

/* The choices of `objective` stand in the order of OBJECTIVES. */
static const struct hsim_option OPTIONS[N_OPTIONS] = {
    [OPTION_OBJECTIVE] = {.name = "objective",
                          .kind = HSIM_OPTION_CHOICE,
                          .fallback = "max_min_fairness_perf",
                          .choices = "max_min_fairness_perf|fifo_perf",
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

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  struct gavel *gavel = state;
  gavel->objective = OBJECTIVES[values[OPTION_OBJECTIVE].as.i];
  gavel->coded = values[OPTION_COMPAT].as.i == COMPAT_CODE;
  for (int i = OPTION_INTERVAL; i <= OPTION_DEFICITS; i++)
    if (gavel->coded && values[i].given)
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "the option %s belongs to compat=fixed; compat=code always "
                       "does as Gavel's simulator",
                       OPTIONS[i].name);
  gavel->carry = values[OPTION_DEFICITS].as.i == DEFICITS_CARRIED;
  gavel->interval = gavel->coded ? CODED_INTERVAL : values[OPTION_INTERVAL].as.real;
  gavel->need = true;
  gavel->arrivals_left = true;
  rounds_init(&gavel->rounds, view->cluster->n_types, view->n_jobs, view->round_s);
  gavel->model = mem_zero((size_t)view->n_jobs, sizeof *gavel->model);
  gavel->lp = lp_create();
  sort_by_name(gavel, view->cluster);
  if (gavel->coded)
    gavel_coded_init(gavel, view);
  return HSIM_OK;
}

static void destroy(void *state) {
  struct gavel *gavel = state;
  rounds_free(&gavel->rounds);
  assigner_free(&gavel->assigner);
  lp_destroy(gavel->lp);
  free(gavel->model);
  free(gavel->workers);
  free(gavel->weights);
  free(gavel->rates);
  free(gavel->shares);
  free(gavel->placed);
}

/* Where a gang would stand on the empty cluster. */
static enum hsim_span span_of(const struct hsim_oracle *oracle, int type, int workers) {
  if (workers <= oracle->largest_slot[type])
    return HSIM_SPAN_SLOT;
  if (workers <= oracle->largest_bay[type])
    return HSIM_SPAN_NODE;
  return workers <= oracle->largest_rack[type] ? HSIM_SPAN_RACK : HSIM_SPAN_CLUSTER;
}

void gavel_rates(const struct gavel *gavel, const struct hsim_view *view,
                 const struct hsim_active *active, double rates[HSIM_MAX_TYPES]) {
  int workers = active->job->workers;
  for (int g = 0; g < view->cluster->n_types; g++) {
    enum hsim_span span = gavel->coded ? HSIM_SPAN_NODE : span_of(view->oracle, g, workers);
    rates[g] = hsim_rate_on(view->oracle, active, g, workers, span);
  }
}

static void job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  struct gavel *gavel = state;
  double rates[HSIM_MAX_TYPES];
  gavel_rates(gavel, view, job, rates);
  rounds_admit(&gavel->rounds, job->index, job->job->workers, rates);
  gavel->model[job->index] = job->model;
  gavel->need = true;
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

/* A job in its next phase is another model, with other rates. */
static void follow_phases(struct gavel *gavel, const struct hsim_view *view) {
  for (const struct hsim_active *job = view->first; job; job = job->next) {
    if (gavel->model[job->index] == job->model)
      continue;
    double rates[HSIM_MAX_TYPES] = {0};
    gavel_rates(gavel, view, job, rates);
    struct rounds_cell *cells = rounds_cells(&gavel->rounds, gavel->rounds.alone_of[job->index]);
    for (int g = 0; g < gavel->rounds.n_types; g++)
      cells[g].rate = rates[g];
    gavel->model[job->index] = job->model;
    gavel->need = true;
  }
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  struct gavel *gavel = state;
  rounds_compact(&gavel->rounds);
  follow_phases(gavel, view);
  return gavel->coded ? gavel_coded_schedule(gavel, view, plan, error)
                      : gavel_published_schedule(gavel, view, plan, error);
}

static struct shares_problem make_problem(struct gavel *gavel, const struct hsim_view *view) {
  size_t jobs = (size_t)view->n_active, types = (size_t)view->cluster->n_types;
  gavel->workers = mem_grow(gavel->workers, jobs, &gavel->workers_capacity, sizeof *gavel->workers);
  gavel->weights = mem_grow(gavel->weights, jobs, &gavel->weights_capacity, sizeof *gavel->weights);
  gavel->rates = mem_grow(gavel->rates, jobs * types, &gavel->rates_capacity, sizeof *gavel->rates);
  gavel->shares =
      mem_grow(gavel->shares, jobs * types, &gavel->shares_capacity, sizeof *gavel->shares);
  memset(gavel->shares, 0, jobs * types * sizeof *gavel->shares);
  size_t i = 0;
  for (const struct hsim_active *job = view->first; job; job = job->next, i++) {
    const struct rounds_cell *cells =
        rounds_cells(&gavel->rounds, gavel->rounds.alone_of[job->index]);
    gavel->workers[i] = job->job->workers;
    gavel->weights[i] = job->job->weight;
    /* As coded, a job gets shares even of a type that has too few GPUs for it. */
    for (size_t g = 0; g < types; g++)
      gavel->rates[i * types + g] =
          gavel->coded || job->job->workers <= view->type_up[g] ? cells[g].rate : 0.0;
  }
  return (struct shares_problem){.n_jobs = view->n_active,
                                 .n_types = view->cluster->n_types,
                                 .type_order = gavel->by_name,
                                 .type_gpus = view->type_up,
                                 .workers = gavel->workers,
                                 .weights = gavel->weights,
                                 .rates = gavel->rates};
}

static void store_shares(struct gavel *gavel, const struct hsim_view *view) {
  size_t types = (size_t)view->cluster->n_types;
  const double *shares = gavel->shares;
  for (const struct hsim_active *job = view->first; job; job = job->next, shares += types) {
    struct rounds_cell *cells = rounds_cells(&gavel->rounds, gavel->rounds.alone_of[job->index]);
    for (size_t g = 0; g < types; g++)
      cells[g].share = shares[g];
  }
}

static void log_reallocation(const struct gavel *gavel, const struct hsim_view *view,
                             const struct shares_report *report, uint64_t iterations) {
  if (!hsim_logging(view))
    return;
  char optimum[NUMBER_SIZE] = "null", text[256];
  if (isfinite(report->optimum))
    number_print(report->optimum, optimum);
  snprintf(text, sizeof text,
           "{\"event\":\"reallocation\",\"objective\":\"%s\",\"jobs\":%d,\"classes\":%d,"
           "\"optimum\":%s,\"iterations\":%llu}",
           gavel->objective->name, view->n_active, report->classes, optimum,
           (unsigned long long)iterations);
  hsim_emit(view, text);
}

enum hsim_status gavel_reallocate(struct gavel *gavel, const struct hsim_view *view,
                                  struct hsim_error *error) {
  rounds_restart(&gavel->rounds, view->now);
  gavel->need = false;
  gavel->allocated = true;
  if (view->n_active == 0)
    return HSIM_OK;
  struct shares_problem problem = make_problem(gavel, view);
  struct shares_report report = {.optimum = NAN};
  uint64_t before = lp_counters(gavel->lp)->iterations;
  enum hsim_status status =
      gavel->objective->allocate(&problem, gavel->lp, gavel->shares, &report, error);
  if (status != HSIM_OK)
    return status;
  store_shares(gavel, view);
  log_reallocation(gavel, view, &report, lp_counters(gavel->lp)->iterations - before);
  hsim_stat(view, "lp_solves", (double)lp_counters(gavel->lp)->solves);
  return HSIM_OK;
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
};
