/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rates ---- */

/* Model of phase i, phase 0 being the job's own. */
static int phase_model(const struct hsim_job *job, int i) {
  return i == 0 ? job->model : job->phases[i - 1].model;
}

static bool phase_matters(const struct hsim_job *job, int i) {
  return i == 0 || job->phases[i - 1].from_step < job->steps;
}

/* The best of all spans: no placement of the gang is faster. */
static double fastest(const struct hsim_oracle *oracle, int model, int type, int workers) {
  double best = 0;
  for (int span = HSIM_SPAN_SLOT; span <= (int)HSIM_SPAN_CLUSTER; span++)
    best = fmax(best, oracle_rate_on(oracle, model, type, workers, (enum hsim_span)span));
  return best;
}

static double alone_rate(const struct bound_problem *problem, const struct hsim_job *job, int type,
                         int workers) {
  double best = 0;
  for (int i = 0; i <= job->n_phases; i++)
    if (phase_matters(job, i))
      best = fmax(best, fastest(problem->input->oracle, phase_model(job, i), type, workers));
  return best;
}

static bool accepts(const struct hsim_job *job, int type) {
  return (job->gpu_types >> type & 1) != 0;
}

/* Sizes that the job may have as one gang. */
static int least_size(const struct bound_problem *problem, const struct hsim_job *job) {
  return problem->input->rules.elastic ? job->min_workers : job->workers;
}

static int most_size(const struct bound_problem *problem, const struct hsim_job *job) {
  return problem->input->rules.elastic ? job->max_workers : job->workers;
}

static int by_partner(const void *left, const void *right) {
  const struct bound_partner *a = left, *b = right;
  if (a->model != b->model)
    return a->model < b->model ? -1 : 1;
  if (a->least != b->least)
    return a->least < b->least ? -1 : 1;
  return (a->most > b->most) - (a->most < b->most);
}

static void find_partners(struct bound_problem *problem) {
  int n = 0, kept = 0;
  for (int k = 0; k < problem->n_kinds; k++)
    n += 1 + problem->kinds[k].like->n_phases;
  struct bound_partner *all = mem_alloc((size_t)n, sizeof *all);
  n = 0;
  for (int k = 0; k < problem->n_kinds; k++) {
    const struct hsim_job *job = problem->kinds[k].like;
    for (int i = 0; i <= job->n_phases; i++)
      all[n++] = (struct bound_partner){phase_model(job, i), least_size(problem, job),
                                        most_size(problem, job)};
  }
  if (n > 1)
    qsort(all, (size_t)n, sizeof *all, by_partner);
  for (int i = 0; i < n; i++)
    if (kept == 0 || by_partner(&all[kept - 1], &all[i]) != 0)
      all[kept++] = all[i];
  problem->partners = all;
  problem->n_partners = kept;
}

/* With the best partner of the trace; both have the same size. */
static double pair_rate_on(const struct bound_problem *problem, int model, int type, int workers) {
  double best = 0, mine, other;
  for (int i = 0; i < problem->n_partners; i++) {
    const struct bound_partner *partner = &problem->partners[i];
    if (workers >= partner->least && workers <= partner->most &&
        oracle_pair_rate(problem->input->oracle, model, partner->model, type, workers, &mine,
                         &other))
      best = fmax(best, mine);
  }
  return best;
}

/* The pair's rates are those of one of the types that it stands on, so with mixed types any. */
static double pair_rate(const struct bound_problem *problem, const struct hsim_job *job, int type,
                        int workers) {
  const struct bound_rules *rules = &problem->input->rules;
  if (!rules->pairs)
    return 0;
  double best = 0;
  for (int t = 0; t < problem->cluster->n_types; t++) {
    if (t != type && !(rules->mixes_types && accepts(job, t)))
      continue;
    for (int i = 0; i <= job->n_phases; i++)
      if (phase_matters(job, i))
        best = fmax(best, pair_rate_on(problem, phase_model(job, i), t, workers));
  }
  return best;
}

/* ---- modes ---- */

static void add_mode(struct bound_problem *problem, int *n, int type, double gpus, double rate) {
  if (rate <= 0)
    return;
  problem->scratch = mem_grow(problem->scratch, (size_t)*n + 1, &problem->scratch_capacity,
                              sizeof *problem->scratch);
  problem->scratch[(*n)++] = (struct bound_mode){type, gpus, rate};
}

/* GPUs that a gang with some worker on this type can have. */
static int most_gpus(const struct bound_problem *problem, const struct hsim_job *job, int type) {
  if (!problem->input->rules.mixes_types)
    return problem->cluster->type_gpus[type];
  int together = 0;
  for (int t = 0; t < problem->cluster->n_types; t++)
    if (accepts(job, t))
      together += problem->cluster->type_gpus[t];
  return together;
}

/* A gang that is too large for the type alone also stands on another one, at whose pace it runs. */
static double gang_rate(const struct bound_problem *problem, const struct hsim_job *job, int type,
                        int workers) {
  double rate = alone_rate(problem, job, type, workers), others = 0;
  if (workers <= problem->cluster->type_gpus[type])
    return rate;
  for (int t = 0; t < problem->cluster->n_types; t++)
    if (t != type && accepts(job, t) && problem->cluster->type_gpus[t] > 0)
      others = fmax(others, alone_rate(problem, job, t, workers));
  return fmin(rate, others);
}

static void add_sizes(struct bound_problem *problem, int *n, const struct hsim_job *job, int type) {
  int least = least_size(problem, job), most = most_size(problem, job);
  int room = most_gpus(problem, job, type);
  for (int k = least; k <= most && k <= room; k++) {
    add_mode(problem, n, type, k, gang_rate(problem, job, type, k));
    add_mode(problem, n, type, k / 2.0, pair_rate(problem, job, type, k));
  }
}

/* Above the largest row of the table a rate at best doubles with the size, so that no size there
 * does more a GPU. */
static int largest_row(const struct bound_problem *problem, const struct hsim_job *job) {
  const struct rates *rates = problem->input->oracle->rates;
  int largest = job->workers;
  for (int type = 0; type < rates->types.n; type++)
    for (int i = 0; i <= job->n_phases; i++) {
      const struct rate_rows *rows = &rates->rows[type * rates->models.n + phase_model(job, i)];
      if (rows->n > 0 && rows->at[rows->n - 1].workers > largest)
        largest = rows->at[rows->n - 1].workers;
    }
  for (size_t i = 0; problem->input->rules.pairs && i < rates->pairs.n; i++)
    if (rates->pairs.at[i].workers > largest)
      largest = rates->pairs.at[i].workers;
  return largest;
}

/* Copies of all sizes are as good as single GPUs at the best rate a GPU. */
static void add_copies(struct bound_problem *problem, int *n, const struct hsim_job *job,
                       int type) {
  int room = most_gpus(problem, job, type), largest = largest_row(problem, job);
  double best = 0;
  for (int k = 1; k <= room && k <= largest; k++)
    best = fmax(best,
                fmax(alone_rate(problem, job, type, k), 2 * pair_rate(problem, job, type, k)) / k);
  add_mode(problem, n, type, 1, best);
}

static int by_gpus(const void *left, const void *right) {
  const struct bound_mode *a = left, *b = right;
  if (a->gpus != b->gpus)
    return a->gpus < b->gpus ? -1 : 1;
  return (a->rate > b->rate) - (a->rate < b->rate);
}

/* Whether b lies on or below the line from a (NULL: the origin) to c. */
static bool is_below(const struct bound_mode *a, const struct bound_mode *b,
                     const struct bound_mode *c) {
  double gpus = a ? a->gpus : 0, rate = a ? a->rate : 0;
  return (b->rate - rate) * (c->gpus - gpus) <= (c->rate - rate) * (b->gpus - gpus);
}

/* Modes from `from` on are of one type: keeps those that no mixture of others (and of doing
 * nothing) replaces, which have ever more GPUs and ever more steps. */
static int keep_useful(struct bound_mode *modes, int from, int n) {
  int kept = from;
  if (n - from > 1)
    qsort(&modes[from], (size_t)(n - from), sizeof *modes, by_gpus);
  for (int i = from; i < n; i++) {
    if (kept > from && modes[i].rate <= modes[kept - 1].rate)
      continue;
    while (kept > from &&
           is_below(kept - 1 > from ? &modes[kept - 2] : NULL, &modes[kept - 1], &modes[i]))
      kept--;
    modes[kept++] = modes[i];
  }
  return kept;
}

/* ---- kinds ---- */

static void find_modes(struct bound_problem *problem, struct bound_kind *kind) {
  const struct hsim_job *job = kind->like;
  bool forks = problem->input->rules.forks;
  int n = 0;
  for (int type = 0; type < problem->cluster->n_types; type++) {
    if (!accepts(job, type) || problem->cluster->type_gpus[type] == 0)
      continue;
    int from = n;
    if (forks)
      add_copies(problem, &n, job, type);
    else
      add_sizes(problem, &n, job, type);
    n = keep_useful(problem->scratch, from, n);
    if (n == from)
      continue;
    double best = problem->scratch[n - 1].rate;
    kind->best_rate = forks ? kind->best_rate + best * problem->cluster->type_gpus[type]
                            : fmax(kind->best_rate, best);
  }
  struct bound_mode *modes = arena_alloc(&problem->memory, (size_t)n * sizeof *modes);
  if (n > 0)
    memcpy(modes, problem->scratch, (size_t)n * sizeof *modes);
  kind->modes = modes;
  kind->n_modes = n;
}

/* Jobs with phases are of a kind each. */
static int kind_order(const struct hsim_job *a, const struct hsim_job *b) {
  const int64_t one[] = {a->n_phases > 0 ? a->row : 0, a->model, a->workers, a->min_workers,
                         a->max_workers};
  const int64_t other[] = {b->n_phases > 0 ? b->row : 0, b->model, b->workers, b->min_workers,
                           b->max_workers};
  for (int i = 0; i < 5; i++)
    if (one[i] != other[i])
      return one[i] < other[i] ? -1 : 1;
  return (a->gpu_types > b->gpu_types) - (a->gpu_types < b->gpu_types);
}

static int by_kind(const void *left, const void *right) {
  const struct hsim_job *a = *(const struct hsim_job *const *)left;
  const struct hsim_job *b = *(const struct hsim_job *const *)right;
  int order = kind_order(a, b);
  return order != 0 ? order : (a > b) - (a < b); /* places in one array: arrival order */
}

/* kind_of gets the kind of each job of the trace. */
static void find_kinds(struct bound_problem *problem, int *kind_of) {
  const struct trace *trace = problem->input->trace;
  size_t n = (size_t)trace->n_jobs;
  const struct hsim_job **order = mem_alloc(n, sizeof(struct hsim_job *));
  for (size_t j = 0; j < n; j++)
    order[j] = &trace->jobs[j];
  if (n > 1)
    qsort(order, n, sizeof(struct hsim_job *), by_kind);
  problem->kinds = mem_zero(n, sizeof *problem->kinds);
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || kind_order(order[i - 1], order[i]) != 0)
      problem->kinds[problem->n_kinds++].like = order[i];
    kind_of[order[i] - trace->jobs] = problem->n_kinds - 1;
  }
  free(order);
}

void problem_init(struct bound_problem *problem, const struct bound_input *input) {
  const struct trace *trace = input->trace;
  size_t n = (size_t)trace->n_jobs;
  *problem = (struct bound_problem){.input = input,
                                    .cluster = input->oracle->cluster,
                                    .jobs = mem_alloc(n, sizeof *problem->jobs),
                                    .gpus = input->oracle->cluster->n_gpus};
  problem->first_arrival_s = n > 0 ? trace->jobs[0].arrival_s : 0;
  int *kind_of = mem_alloc(n, sizeof *kind_of);
  find_kinds(problem, kind_of);
  find_partners(problem);
  for (int k = 0; k < problem->n_kinds; k++)
    find_modes(problem, &problem->kinds[k]);
  for (int j = 0; j < trace->n_jobs; j++) {
    const struct hsim_job *job = &trace->jobs[j];
    double rate = problem->kinds[kind_of[j]].best_rate;
    if (rate > 0)
      problem->jobs[problem->n_jobs++] = (struct bound_job){.kind = kind_of[j],
                                                            .arrival_s = job->arrival_s,
                                                            .steps = job->steps,
                                                            .shortest_s = job->steps / rate,
                                                            .ideal_s = input->ideal_s[j]};
  }
  free(kind_of);
}

void problem_free(struct bound_problem *problem) {
  free(problem->kinds);
  free(problem->partners);
  free(problem->jobs);
  free(problem->scratch);
  arena_free(&problem->memory);
}

double problem_rounding(const struct bound_problem *problem, double figure, double latest_s) {
  double late = latest_s > 0 ? fmax(problem->first_arrival_s, latest_s) : 0;
  return 1e-9 * figure + 1e-12 * late;
}
