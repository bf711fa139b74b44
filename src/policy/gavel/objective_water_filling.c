/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Water filling, OSDI'20 section 4.3: max-min fairness for the jobs that are not the poorest, too.
 * All levels rise together, in proportion to the jobs' weights, until some jobs cannot do better;
 * these stay where they are and the others go on. A job's level is t_i = net_i s_i / w_i, as in
 * objective_max_min.c. With entities the weights are divided anew at each step: an entity that is
 * fair gives its own weight to its jobs that still rise, in proportion to theirs; one that is first
 * in, first out gives it to the first of them.
 *
 * Fixed: the jobs that limit a step are those with a positive multiplier, which is exact: they are
 * at their level in every optimum of the step, and there is always one. At the end the levels are
 * the lexicographic optimum, and any shares that keep them are as good.
 *
 * As coded (policies/max_min_fairness_water_filling.py): a job ends its rise unless it is in a
 * largest set of jobs that could gain 0.01 % at once; see filling_raised.c. When that search has no
 * answer, which is the rule for levels below 0.1, all end at once. With pairs Gavel solves one more
 * program at the end; it has the same solutions as the one before.
 */
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/gavel/entities.h"
#include "policy/gavel/filling.h"

/* Of the largest blame of a step: below it may be the simplex method's rounding. Sooner or later
 * each job gets a larger one. */
static const double BLAMED = 1e-9;

static double total_pull(const struct filling_class *class) {
  return (double)class->members * class->weight;
}

/* [n entities] the weights of those of its jobs that still rise; for first in, first out whether
 * there is one. */
static void divide_among_entities(struct filling *filling) {
  const struct entities *entities = filling->problem->by_entity;
  double *rising = mem_zero((size_t)entities->n, sizeof *rising);
  for (int k = 0; k < filling->n_classes; k++) { /* ascending first members: ascending ids */
    struct filling_class *class = &filling->classes[k];
    class->pull = 0.0;
    if (class->final)
      continue;
    if (entities->at[class->entity].mode == ENTITY_FIFO && rising[class->entity] == 0.0)
      class->pull = entities->at[class->entity].weight;
    rising[class->entity] += total_pull(class);
  }
  for (int k = 0; k < filling->n_classes; k++) {
    struct filling_class *class = &filling->classes[k];
    const struct entity *entity = &entities->at[class->entity];
    if (!class->final && entity->mode == ENTITY_FAIRNESS)
      class->pull = entity->weight * (class->weight / rising[class->entity]);
  }
  free(rising);
}

/* Returns how many classes still rise or wait for it. */
static int set_pulls(struct filling *filling) {
  int left = 0;
  for (int k = 0; k < filling->n_classes; k++) {
    struct filling_class *class = &filling->classes[k];
    class->pull = class->final ? 0.0 : class->weight;
    left += !class->final;
  }
  if (filling->problem->by_entity)
    divide_among_entities(filling);
  return left;
}

static void read_blame(const struct filling *filling, const struct lp *lp, double *blame) {
  for (int k = 0; k < filling->n_classes; k++)
    blame[k] = filling->classes[k].pull > 0.0 ? filling_blame(filling, lp, k) : 0.0;
}

/* The classes that limit the step are final. */
static void end_blamed(struct filling *filling, const double *blame) {
  double largest = 0.0;
  for (int k = 0; k < filling->n_classes; k++)
    largest = fmax(largest, blame[k]);
  for (int k = 0; k < filling->n_classes; k++)
    if (filling->classes[k].pull > 0.0 && blame[k] >= BLAMED * largest)
      filling->classes[k].final = true;
}

static enum hsim_status fill(struct filling *filling, struct lp *lp, struct shares_report *report,
                             struct hsim_error *error) {
  double *blame = mem_alloc((size_t)filling->n_classes, sizeof *blame);
  enum hsim_status status = HSIM_OK;
  while (set_pulls(filling) > 0) {
    status = filling_raise(filling, lp, INFINITY, error);
    if (status != HSIM_OK)
      break;
    if (isnan(report->optimum))
      report->optimum = filling_gain(filling, lp);
    read_blame(filling, lp, blame);
    filling_keep(filling, lp);
    end_blamed(filling, blame);
  }
  free(blame);
  return status;
}

/* Gavel's M: the largest net of a job on one type, times its workers. */
static double largest_term(const struct filling *filling) {
  double largest = 0.0;
  for (int k = 0; k < filling->n_classes; k++)
    largest = fmax(largest, filling->classes[k].largest * (double)filling->classes[k].workers);
  return largest;
}

/* M takes the place of a level where a job does not rise, and so limits the step. */
static double limit_of(const struct filling *filling) {
  for (int k = 0; k < filling->n_classes; k++)
    if (!(filling->classes[k].pull > 0.0))
      return largest_term(filling);
  return INFINITY;
}

/* Returns how many became final. */
static int end_not_raised(struct filling *filling, const bool *raised) {
  int n = 0;
  for (int k = 0; k < filling->n_classes; k++) {
    struct filling_class *class = &filling->classes[k];
    if (class->final || raised[k] || !(class->pull > 0.0))
      continue;
    class->final = true;
    n++;
  }
  return n;
}

static enum hsim_status fill_as_coded(struct filling *filling, struct lp *lp,
                                      struct shares_report *report, struct hsim_error *error) {
  double *blame = mem_alloc((size_t)filling->problem->n_jobs, sizeof *blame);
  bool *raised = mem_alloc((size_t)filling->problem->n_jobs, sizeof *raised);
  enum hsim_status status = HSIM_OK;
  int became_final = 1;
  while (became_final > 0 && set_pulls(filling) > 0) {
    status = filling_raise(filling, lp, limit_of(filling), error);
    if (status != HSIM_OK)
      break;
    if (isnan(report->optimum))
      report->optimum = filling_gain(filling, lp);
    read_blame(filling, lp, blame);
    filling_keep(filling, lp);
    filling_find_raised(filling, lp, blame, raised);
    became_final = end_not_raised(filling, raised);
  }
  free(blame);
  free(raised);
  return status;
}

/* Jobs that were apart while their levels rose get the same when they are equal in the end. */
static void join_equal(struct filling *filling) {
  const struct shares_problem *problem = filling->problem;
  double *levels = mem_zero((size_t)problem->n_jobs, sizeof *levels);
  for (int i = 0; i < problem->n_jobs; i++)
    if (filling->class_of[i] >= 0)
      levels[i] = filling->classes[filling->class_of[i]].level;
  filling_free(filling);
  filling_init(filling, problem, false, levels);
  free(levels);
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)state;
  struct filling filling;
  enum hsim_status status = HSIM_OK;
  filling_init(&filling, problem, false, NULL);
  int n = report->classes = filling.n_classes;
  if (n > 0) {
    status = problem->coded ? fill_as_coded(&filling, lp, report, error)
                            : fill(&filling, lp, report, error);
    if (filling.n_classes > n)
      join_equal(&filling);
    if (status == HSIM_OK)
      status = filling_shares(&filling, lp, shares, error);
  }
  filling_free(&filling);
  return status;
}

/* The net of the job at these shares. */
static double net_of(const struct shares_problem *problem, const double *shares, int job) {
  size_t types = (size_t)problem->n_types;
  double throughput = 0.0;
  for (size_t g = 0; g < types; g++)
    throughput += rates_of(problem, job)[g] * shares[(size_t)job * types + g];
  for (int p = 0; p < problem->n_pairs; p++) {
    if (problem->pairs[p].a != job && problem->pairs[p].b != job)
      continue;
    const double *both = pair_rates_of(problem, p) + (problem->pairs[p].b == job);
    const double *mine = shares + ((size_t)problem->n_jobs + (size_t)p) * types;
    for (size_t g = 0; g < types; g++)
      throughput += both[2 * g] * mine[g];
  }
  return throughput / shares_proportional_rate(problem, job);
}

/* What the first step maximises: later ones only add to it. */
static double value(const void *state, const struct shares_problem *problem, const double *shares) {
  (void)state;
  struct filling filling;
  double least = INFINITY;
  filling_init(&filling, problem, true, NULL);
  set_pulls(&filling);
  for (int k = 0; k < filling.n_classes; k++) {
    const struct filling_class *class = &filling.classes[k];
    if (class->pull > 0.0)
      least =
          fmin(least, net_of(problem, shares, class->first) * (double)class->workers / class->pull);
  }
  filling_free(&filling);
  return isinf(least) ? (double)NAN : least;
}

const struct objective objective_max_min_fairness_water_filling = {
    .name = "max_min_fairness_water_filling",
    .rates = RATES_EQUAL,
    .allocate = allocate,
    .value = value};

const struct objective objective_max_min_fairness_water_filling_perf = {
    .name = "max_min_fairness_water_filling_perf",
    .aware = true,
    .allocate = allocate,
    .value = value};

const struct objective objective_max_min_fairness_water_filling_packed = {
    .name = "max_min_fairness_water_filling_packed",
    .aware = true,
    .pairs = true,
    .allocate = allocate,
    .value = value};
