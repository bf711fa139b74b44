/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/gavel/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

/* Room that the second step gives to rounding in the first: little, and where that leaves no
 * solution more. The last is ten times the solver's own tolerance. */
static const double SLACKS[] = {1e-12, 1e-10, 1e-8};
enum { N_SLACKS = sizeof SLACKS / sizeof SLACKS[0] };

/* Of a job: 0 where it can run nowhere. */
static double factor_of(const struct shares_problem *problem, int job) {
  double average = shares_proportional_rate(problem, job);
  if (!(average > 0.0))
    return 0.0;
  return (1.0 / problem->weights[job]) * (1.0 / average) * (double)problem->workers[job];
}

/* All that the program knows of a job: rates where there are GPUs, workers, weight, facts. */
struct keys {
  double *of; /* [n_jobs][length] */
  size_t length;
  int *slots; /* hash table of classes, -1: empty */
  size_t n_slots;
};

static void keys_init(struct keys *keys, const struct shares_problem *problem, const double *facts,
                      int n_facts) {
  size_t jobs = (size_t)problem->n_jobs, types = (size_t)problem->n_types;
  size_t extra = (size_t)n_facts;
  *keys = (struct keys){.length = types + 2 + extra, .n_slots = 2 * jobs + 1};
  keys->of = mem_alloc(jobs * keys->length, sizeof *keys->of);
  keys->slots = mem_alloc(keys->n_slots, sizeof *keys->slots);
  for (size_t i = 0; i < keys->n_slots; i++)
    keys->slots[i] = -1;
  for (size_t i = 0; i < jobs; i++) {
    double *key = keys->of + i * keys->length;
    for (size_t g = 0; g < types; g++)
      key[g] = problem->type_gpus[g] > 0 ? problem->rates[i * types + g] : 0.0;
    key[types] = (double)problem->workers[i];
    key[types + 1] = problem->weights[i];
    if (extra > 0)
      memcpy(key + types + 2, facts + i * extra, extra * sizeof *key);
  }
}

static void keys_free(struct keys *keys) {
  free(keys->of);
  free(keys->slots);
}

static size_t hash_of(const double *key, size_t length) {
  uint64_t hash = 0x9E3779B97F4A7C15u;
  for (size_t i = 0; i < length; i++) {
    uint64_t bits;
    memcpy(&bits, &key[i], sizeof bits);
    hash = (hash ^ bits) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  return (size_t)hash;
}

/* Where the table has the class of this job, or would have it. */
static int *find_slot(const struct keys *keys, const struct program *program, int job) {
  const double *key = keys->of + (size_t)job * keys->length;
  size_t at = hash_of(key, keys->length) % keys->n_slots;
  for (; keys->slots[at] >= 0; at = (at + 1) % keys->n_slots) {
    size_t other = (size_t)program->classes[keys->slots[at]].job;
    if (memcmp(keys->of + other * keys->length, key, keys->length * sizeof *key) == 0)
      break;
  }
  return &keys->slots[at];
}

static int add_class(struct program *program, int job, double factor) {
  program->classes[program->n_classes] =
      (struct job_class){.job = job, .workers = program->problem->workers[job], .factor = factor};
  return program->n_classes++;
}

/* Classes in the order of their first jobs; without keys each job is one. */
static void find_classes(struct program *program, const struct keys *keys) {
  program->n_classes = 0;
  for (int i = 0; i < program->problem->n_jobs; i++) {
    double factor = factor_of(program->problem, i);
    program->class_of[i] = -1;
    if (factor <= 0.0)
      continue;
    int *slot = keys ? find_slot(keys, program, i) : NULL;
    int k = slot && *slot >= 0 ? *slot : add_class(program, i, factor);
    if (slot)
      *slot = k;
    program->classes[k].members++;
    program->class_of[i] = k;
  }
}

static void add_column(struct program *program, struct share_column column) {
  program->columns = mem_grow(program->columns, (size_t)program->n_columns + 1,
                              &program->columns_capacity, sizeof *program->columns);
  program->columns[program->n_columns++] = column;
}

static void add_alone(struct program *program) {
  const struct shares_problem *problem = program->problem;
  program->n_columns = 0;
  for (int k = 0; k < program->n_classes; k++) {
    const struct job_class *class = &program->classes[k];
    const double *rates = rates_of(problem, class->job);
    program->first_alone[k] = program->n_columns;
    for (int g = 0; g < problem->n_types; g++)
      if (program->kinds.gpus[g] > 0 && rates[g] > 0.0)
        add_column(
            program,
            (struct share_column){
                .type = g, .a = k, .b = -1, .rate_a = rates[g], .total = (double)class->members});
  }
}

static bool pair_runs_on(const struct program *program, const double *rates, int type) {
  return program->kinds.gpus[type] > 0.0 && rates[2 * type] > 0.0 && rates[2 * type + 1] > 0.0;
}

static bool pair_runs(const struct program *program, int pair) {
  const double *rates = pair_rates_of(program->problem, pair);
  for (int g = 0; g < program->problem->n_types; g++)
    if (pair_runs_on(program, rates, g))
      return true;
  return false;
}

/* Which classes the two jobs are of; whether the later job is of the lower class. */
static bool classes_of_pair(const struct program *program, int pair, int *a, int *b) {
  const struct shares_pair *jobs = &program->problem->pairs[pair];
  int of_a = program->class_of[jobs->a], of_b = program->class_of[jobs->b];
  *a = of_a < of_b ? of_a : of_b;
  *b = of_a < of_b ? of_b : of_a;
  return of_a > of_b;
}

/* Whether both pairs of classes a <= b have the same rates, of a and of b. */
static bool same_rates(const struct program *program, int first, int second) {
  const struct shares_problem *problem = program->problem;
  int a, b;
  bool turned = classes_of_pair(program, first, &a, &b) != classes_of_pair(program, second, &a, &b);
  const double *one = pair_rates_of(problem, first), *other = pair_rates_of(problem, second);
  for (int g = 0; g < problem->n_types; g++)
    if (one[2 * g] != other[2 * g + turned] || one[2 * g + 1] != other[2 * g + !turned] ||
        (a == b && one[2 * g] != one[2 * g + 1]))
      return false;
  return true;
}

static void add_together(struct program *program, int pair) {
  const struct shares_problem *problem = program->problem;
  const double *rates = pair_rates_of(problem, pair);
  int a, b;
  bool turned = classes_of_pair(program, pair, &a, &b);
  program->first_together[program->n_pair_classes++] = program->n_columns;
  for (int g = 0; g < problem->n_types; g++)
    if (pair_runs_on(program, rates, g))
      add_column(program, (struct share_column){.type = g,
                                                .a = a,
                                                .b = b,
                                                .rate_a = rates[2 * g + turned],
                                                .rate_b = rates[2 * g + !turned],
                                                .total = 1.0});
}

/* Whether all pairs of the two classes can run, so that all of them may share the time. */
static bool complete(const struct program *program, int pair, int members) {
  int a, b;
  classes_of_pair(program, pair, &a, &b);
  int64_t n = program->classes[a].members, m = program->classes[b].members;
  return members == (a == b ? n * (n - 1) / 2 : n * m);
}

/* False when pairs of the same two classes differ, so that these are no classes. `first`: scratch,
 * the first pair of each two classes. */
static bool find_pair_classes(struct program *program, int *first) {
  const struct shares_problem *problem = program->problem;
  size_t n = (size_t)program->n_classes;
  for (size_t i = 0; i < n * n; i++)
    first[i] = -1;
  program->n_pair_classes = 0;
  for (int p = 0; p < problem->n_pairs; p++) {
    int a, b;
    classes_of_pair(program, p, &a, &b);
    program->pair_class_of[p] = -1;
    if (a < 0 || !pair_runs(program, p))
      continue;
    int *of_both = &first[(size_t)a * n + (size_t)b];
    if (*of_both < 0) {
      *of_both = p;
      program->pair_members[program->n_pair_classes] = 0;
      program->pair_class_of[p] = program->n_pair_classes;
      add_together(program, p);
    }
    if (!same_rates(program, *of_both, p))
      return false;
    program->pair_class_of[p] = program->pair_class_of[*of_both];
    program->pair_members[program->pair_class_of[p]]++;
  }
  for (size_t i = 0; program->n_pair_classes > 0 && i < n * n; i++)
    if (first[i] >= 0 &&
        !complete(program, first[i], program->pair_members[program->pair_class_of[first[i]]]))
      return false;
  return true;
}

/* Jobs with the same rates alone are nearly always of the same model, and then pairs of them are
 * equal as well. Otherwise each job is a class. */
static void find_pairs(struct program *program) {
  size_t pairs = (size_t)program->problem->n_pairs;
  size_t jobs = (size_t)program->problem->n_jobs;
  int *first = mem_alloc(jobs * jobs, sizeof *first);
  program->pair_class_of = mem_alloc(pairs, sizeof *program->pair_class_of);
  program->first_together = mem_alloc(pairs, sizeof *program->first_together);
  program->pair_members = mem_alloc(pairs, sizeof *program->pair_members);
  if (!find_pair_classes(program, first)) {
    find_classes(program, NULL);
    add_alone(program);
    find_pair_classes(program, first);
  }
  free(first);
}

void program_init(struct program *program, const struct shares_problem *problem,
                  enum program_classes classes, const double *facts, int n_facts) {
  size_t jobs = (size_t)problem->n_jobs;
  *program = (struct program){.problem = problem};
  type_kinds_find(problem, &program->kinds);
  program->classes = mem_zero(jobs, sizeof *program->classes);
  program->class_of = mem_alloc(jobs, sizeof *program->class_of);
  program->first_alone = mem_alloc(jobs, sizeof *program->first_alone);
  if (classes == CLASSES_OF_ONE) {
    find_classes(program, NULL);
  } else {
    struct keys keys;
    keys_init(&keys, problem, facts, n_facts);
    find_classes(program, &keys);
    keys_free(&keys);
  }
  add_alone(program);
  if (problem->n_pairs > 0)
    find_pairs(program);
}

void program_free(struct program *program) {
  free(program->classes);
  free(program->class_of);
  free(program->columns);
  free(program->first_alone);
  free(program->pair_class_of);
  free(program->first_together);
  free(program->pair_members);
}

/* What one unit of the variable gives to one member of class k: its throughput and its time. */
static void load_for(const struct program *program, struct lp *lp, int column, int k, double rate,
                     double times) {
  const struct job_class *class = &program->classes[k];
  double time = program->columns[column].total / (double)class->members;
  lp_entry(lp, 2 * k, column, class->factor * rate * time);
  lp_entry(lp, 2 * k + 1, column, times * time);
}

static void load_column(const struct program *program, struct lp *lp, int j) {
  const struct share_column *column = &program->columns[j];
  double workers = (double)program->classes[column->a].workers;
  lp_column(lp, j, 0.0, INFINITY);
  if (column->a == column->b) { /* half of the time of a pair's two members is each one's */
    load_for(program, lp, j, column->a, column->rate_a + column->rate_b, 2.0);
  } else {
    load_for(program, lp, j, column->a, column->rate_a, 1.0);
    if (column->b >= 0)
      load_for(program, lp, j, column->b, column->rate_b, 1.0);
  }
  lp_entry(lp, 2 * program->n_classes + column->type, j, workers * column->total);
}

void program_load(const struct program *program, struct lp *lp, int extra_rows, int extra_columns) {
  const struct shares_problem *problem = program->problem;
  int n = program->n_classes;
  lp_begin(lp, program_extra_row(program) + extra_rows, program->n_columns + extra_columns,
           LP_MAXIMISE);
  for (int j = 0; j < program->n_columns; j++)
    load_column(program, lp, j);
  for (int k = 0; k < n; k++) {
    lp_row(lp, 2 * k, -INFINITY, INFINITY);
    lp_row(lp, 2 * k + 1, -INFINITY, 1.0);
  }
  for (int g = 0; g < problem->n_types; g++)
    lp_row(lp, 2 * n + g, -INFINITY, program->kinds.gpus[g]);
}

void program_throughputs(const struct program *program, const struct lp *lp, double *throughputs) {
  for (int k = 0; k < program->n_classes; k++)
    throughputs[k] = 0.0;
  for (int j = 0; j < program->n_columns; j++) {
    const struct share_column *column = &program->columns[j];
    const struct job_class *a = &program->classes[column->a];
    double time = column->total * lp_value(lp, j);
    throughputs[column->a] += a->factor * column->rate_a * time / (double)a->members;
    if (column->b < 0)
      continue;
    const struct job_class *b = &program->classes[column->b];
    throughputs[column->b] += b->factor * column->rate_b * time / (double)b->members;
  }
}

/* The second step. */
static enum hsim_status settle(const struct program *program, struct lp *lp, double least,
                               struct hsim_error *error) {
  for (int j = 0; j < program->n_columns; j++) {
    const struct share_column *column = &program->columns[j];
    double gain = program->classes[column->a].factor * column->rate_a * column->total;
    if (column->b >= 0)
      gain += program->classes[column->b].factor * column->rate_b * column->total;
    lp_cost(lp, j, gain * (1.0 + SHARE_PREFERENCE * share_preference(j)));
  }
  int t = program_extra_column(program);
  lp_cost(lp, t, 0.0);
  enum hsim_status status = HSIM_FAILED;
  for (int i = 0; i < N_SLACKS && status != HSIM_OK; i++) {
    if (i > 0 && !lp_infeasible(lp))
      return status;
    lp_column(lp, t, least * (1.0 - SLACKS[i]), INFINITY);
    status = lp_solve(lp, LP_PRIMAL, error);
  }
  return status;
}

/* As loaded, without a first step. Where the interior-point method does not converge, in the two
 * steps. */
static enum hsim_status centre(const struct program *program, struct lp *lp,
                               struct hsim_error *error) {
  if (lp_solve_interior(lp, error) == HSIM_OK)
    return HSIM_OK;
  enum hsim_status status = lp_solve(lp, LP_PRIMAL, error);
  if (status != HSIM_OK)
    return status;
  return settle(program, lp, lp_value(lp, program_extra_column(program)), error);
}

static void read_shares(const struct program *program, const struct lp *lp, double *shares) {
  const struct shares_problem *problem = program->problem;
  for (int i = 0; i < problem->n_jobs; i++) {
    int k = program->class_of[i];
    for (int j = k < 0 ? program->n_columns : program->first_alone[k];
         j < program->n_columns && program->columns[j].a == k && program->columns[j].b < 0; j++)
      type_kinds_divide(problem, &program->kinds, program->columns[j].type, lp_value(lp, j),
                        shares_of(problem, shares, i));
  }
  for (int p = 0; p < problem->n_pairs; p++) {
    int c = program->pair_class_of[p];
    if (c < 0)
      continue;
    int end = c + 1 < program->n_pair_classes ? program->first_together[c + 1] : program->n_columns;
    for (int j = program->first_together[c]; j < end; j++)
      type_kinds_divide(problem, &program->kinds, program->columns[j].type,
                        lp_value(lp, j) / (double)program->pair_members[c],
                        shares_of(problem, shares, problem->n_jobs + p));
  }
}

enum hsim_status program_take(const struct program *program, struct lp *lp, double least,
                              program_loader *load, const void *objective,
                              enum program_choice coded_choice, double *shares,
                              struct hsim_error *error) {
  enum hsim_status status;
  if (!program->problem->coded) {
    status = settle(program, lp, least, error);
    if (status == HSIM_OK)
      read_shares(program, lp, shares);
    return status;
  }
  struct program each;
  program_init(&each, program->problem, CLASSES_OF_ONE, NULL, 0);
  load(objective, &each, lp);
  status =
      coded_choice == CHOOSE_VERTEX ? lp_solve(lp, LP_PRIMAL, error) : centre(&each, lp, error);
  if (status == HSIM_OK)
    read_shares(&each, lp, shares);
  program_free(&each);
  return status;
}

void shares_rates(const struct shares_problem *problem, const double *shares, double *rates) {
  size_t types = (size_t)problem->n_types;
  for (int i = 0; i < problem->n_jobs; i++) {
    rates[i] = 0.0;
    for (size_t g = 0; g < types; g++)
      rates[i] += rates_of(problem, i)[g] * *shares++;
  }
  for (int p = 0; p < problem->n_pairs; p++) {
    const struct shares_pair *pair = &problem->pairs[p];
    const double *both = pair_rates_of(problem, p);
    for (size_t g = 0; g < types; g++, shares++) {
      rates[pair->a] += both[2 * g] * *shares;
      rates[pair->b] += both[2 * g + 1] * *shares;
    }
  }
}
