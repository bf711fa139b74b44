/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Water filling: which jobs are equal, and what the variables are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "policy/gavel/entities.h"
#include "policy/gavel/filling.h"

/* As coded, rates are kept in single precision where pairs exist. */
static double precise(const struct shares_problem *problem, double rate) {
  return problem->coded && problem->pairs ? (double)(float)rate : rate;
}

/* Rates of two jobs on the same GPUs, of i first; false when they have none. */
static bool rates_together(const struct shares_problem *problem, int i, int j, int type,
                           double *of_i, double *of_j) {
  int pair = shares_find_pair(problem, i < j ? i : j, i < j ? j : i);
  if (pair < 0)
    return false;
  const double *both = pair_rates_of(problem, pair) + 2 * type;
  *of_i = both[i < j ? 0 : 1];
  *of_j = both[i < j ? 1 : 0];
  return *of_i > 0.0 && *of_j > 0.0;
}

static bool same_together(const struct shares_problem *problem, int i, int j, int other) {
  for (int g = 0; g < problem->n_types; g++) {
    double a = 0, with_a = 0, b = 0, with_b = 0;
    bool one = rates_together(problem, i, other == j ? j : other, g, &a, &with_a);
    bool two = rates_together(problem, j, other == j ? i : other, g, &b, &with_b);
    if (one != two || (one && (a != b || with_a != with_b)))
      return false;
  }
  return true;
}

/* What a job may ask for: its level, or its part in how the levels rise. */
static bool same_claims(const struct shares_problem *problem, const double *levels, int i, int j) {
  if (levels || !problem->by_entity)
    return !levels || levels[i] == levels[j];
  int entity = problem->entities[i];
  return entity == problem->entities[j] &&
         problem->by_entity->at[entity].mode != ENTITY_FIFO; /* which tells its jobs apart */
}

/* Whether the program stays the same when the two swap. */
static bool equal_jobs(const struct shares_problem *problem, const double *levels, int i, int j) {
  if (!same_claims(problem, levels, i, j) || problem->workers[i] != problem->workers[j] ||
      problem->weights[i] != problem->weights[j] ||
      memcmp(rates_of(problem, i), rates_of(problem, j),
             (size_t)problem->n_types * sizeof(double)) != 0)
    return false;
  for (int other = 0; other < problem->n_jobs && problem->n_pairs > 0; other++)
    if (other != i && !same_together(problem, i, j, other))
      return false;
  return true;
}

static void find_classes(struct filling *filling, bool apart, const double *levels) {
  const struct shares_problem *problem = filling->problem;
  for (int i = 0; i < problem->n_jobs; i++) {
    filling->class_of[i] = filling->next_member[i] = -1;
    double average = shares_proportional_rate(problem, i);
    if (!(average > 0.0))
      continue;
    int k = apart ? filling->n_classes : 0;
    while (k < filling->n_classes && !equal_jobs(problem, levels, filling->classes[k].first, i))
      k++;
    filling->class_of[i] = k;
    if (k == filling->n_classes) {
      filling->classes[filling->n_classes++] =
          (struct filling_class){.first = i,
                                 .members = 1,
                                 .workers = problem->workers[i],
                                 .entity = problem->by_entity ? problem->entities[i] : 0,
                                 .weight = problem->weights[i],
                                 .average = average,
                                 .level = levels ? levels[i] : 0.0};
      continue;
    }
    struct filling_class *class = &filling->classes[k];
    class->members++;
    filling->next_member[i] = filling->next_member[class->first];
    filling->next_member[class->first] = i;
  }
}

static void add_column(struct filling *filling, struct filling_column column) {
  struct filling_class *a = &filling->classes[column.a];
  a->largest = fmax(a->largest, column.net_a / column.time_a);
  if (column.b >= 0 && column.b != column.a) {
    struct filling_class *b = &filling->classes[column.b];
    b->largest = fmax(b->largest, column.net_b / column.time_b);
  }
  int at = filling->n_columns++;
  filling->columns = mem_grow(filling->columns, (size_t)filling->n_columns,
                              &filling->columns_capacity, sizeof *filling->columns);
  filling->columns[at] = column;
}

static void add_alone(struct filling *filling, int k) {
  const struct shares_problem *problem = filling->problem;
  const struct filling_class *class = &filling->classes[k];
  for (int g = 0; g < problem->n_types; g++) {
    double rate = precise(problem, rates_of(problem, class->first)[g]);
    if (filling->kinds.gpus[g] > 0.0 && rate > 0.0)
      add_column(filling,
                 (struct filling_column){.a = k,
                                         .b = -1,
                                         .type = g,
                                         .net_a = rate / class->average,
                                         .time_a = 1.0,
                                         .gpus = (double)class->workers * (double)class->members});
  }
}

/* A pair that is no better than its members taking turns on the same GPUs is left out: each would
 * get as much, in less of its time. */
static bool worth_it(double a, double alone_a, double b, double alone_b) {
  return !(alone_a > 0.0) || !(alone_b > 0.0) || a / alone_a + b / alone_b > 1.0;
}

static void add_together(struct filling *filling, int ka, int kb) {
  const struct shares_problem *problem = filling->problem;
  const struct filling_class *a = &filling->classes[ka], *b = &filling->classes[kb];
  int i = a->first, j = ka == kb ? filling->next_member[i] : b->first;
  if (j < 0 || a->workers != b->workers)
    return;
  double of_a = (double)b->members, of_b = (double)a->members; /* partners that a member has */
  if (ka == kb)
    of_a = of_b = (double)a->members - 1.0;
  double pairs = (double)a->members * of_a / (ka == kb ? 2.0 : 1.0);
  for (int g = 0; g < problem->n_types; g++) {
    double rate_a, rate_b;
    if (!(filling->kinds.gpus[g] > 0.0) || !rates_together(problem, i, j, g, &rate_a, &rate_b) ||
        !worth_it(rate_a, rates_of(problem, i)[g], rate_b, rates_of(problem, j)[g]))
      continue;
    add_column(filling,
               (struct filling_column){.a = ka,
                                       .b = kb,
                                       .type = g,
                                       .net_a = of_a * precise(problem, rate_a) / a->average,
                                       .net_b = of_b * precise(problem, rate_b) / b->average,
                                       .time_a = of_a,
                                       .time_b = of_b,
                                       .gpus = pairs * (double)a->workers});
  }
}

void filling_init(struct filling *filling, const struct shares_problem *problem, bool apart,
                  const double *levels) {
  size_t jobs = (size_t)problem->n_jobs;
  *filling = (struct filling){.problem = problem};
  filling->classes = mem_alloc(jobs, sizeof *filling->classes);
  filling->class_of = mem_alloc(jobs, sizeof *filling->class_of);
  filling->next_member = mem_alloc(jobs, sizeof *filling->next_member);
  filling->base = mem_alloc(jobs, sizeof *filling->base);
  filling->rows = mem_alloc(jobs, sizeof *filling->rows);
  filling->values = mem_alloc(jobs, sizeof *filling->values);
  type_kinds_find(problem, &filling->kinds);
  find_classes(filling, apart, levels);
  for (int k = 0; k < filling->n_classes; k++)
    add_alone(filling, k);
  for (int k = 0; k < filling->n_classes && problem->n_pairs > 0; k++)
    for (int l = 0; l <= k; l++)
      add_together(filling, l, k);
}

void filling_free(struct filling *filling) {
  free(filling->classes);
  free(filling->class_of);
  free(filling->next_member);
  free(filling->columns);
  free(filling->base);
  free(filling->rows);
  free(filling->values);
}
