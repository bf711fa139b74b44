/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/inspection_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/fits.h"
#include "model/memory.h"
#include "model/work.h"

double *inspection_work(const struct inspection_input *input) {
  const struct trace *trace = input->trace;
  const struct rates *rates = input->rates;
  enum missing_size rule = input->oracle->rules.missing_size;
  double *work = mem_alloc((size_t)trace->n_jobs, sizeof *work);
  for (int i = 0; i < trace->n_jobs; i++) {
    double seconds = work_seconds(rates, rule, &trace->jobs[i], input->reference);
    if (isinf(seconds))
      for (int t = 0; t < rates->types.n; t++)
        seconds = fmin(seconds, work_seconds(rates, rule, &trace->jobs[i], t));
    work[i] = isinf(seconds) ? NAN : seconds;
  }
  return work;
}

/* ---- arrivals ---- */

static int out_of_order(const struct trace *trace) {
  double *by_row = mem_alloc((size_t)trace->rows + 1, sizeof *by_row);
  for (int r = 0; r <= trace->rows; r++)
    by_row[r] = NAN;
  for (int i = 0; i < trace->n_jobs; i++)
    by_row[trace->jobs[i].row] = trace->jobs[i].arrival_s;
  double before = -INFINITY;
  int n = 0;
  for (int r = 0; r <= trace->rows; r++) {
    if (isnan(by_row[r]))
      continue;
    n += by_row[r] < before;
    before = by_row[r];
  }
  free(by_row);
  return n;
}

/* What makes two jobs of one arrival alike. A model that was assigned does not count, and neither
 * do the last bits of a duration that became steps. */
struct likeness {
  double milliseconds;
  double weight, priority;
  int workers, model, tenant, app;
};

static struct likeness likeness_of(const struct trace *trace, const double *work_s, int i) {
  const struct hsim_job *job = &trace->jobs[i];
  return (struct likeness){.milliseconds = isnan(work_s[i]) ? -1 : round(work_s[i] * 1000),
                           .weight = job->weight,
                           .priority = job->priority,
                           .workers = job->workers,
                           .model = trace->assigned != NULL ? -1 : job->model,
                           .tenant = job->tenant,
                           .app = job->app};
}

static int by_double(double a, double b) {
  return (a > b) - (a < b);
}
static int by_int(int a, int b) {
  return (a > b) - (a < b);
}

static int by_likeness(const void *a, const void *b) {
  const struct likeness *x = a, *y = b;
  int order = by_double(x->milliseconds, y->milliseconds);
  order = order != 0 ? order : by_int(x->workers, y->workers);
  order = order != 0 ? order : by_int(x->model, y->model);
  order = order != 0 ? order : by_int(x->tenant, y->tenant);
  order = order != 0 ? order : by_int(x->app, y->app);
  order = order != 0 ? order : by_double(x->weight, y->weight);
  return order != 0 ? order : by_double(x->priority, y->priority);
}

/* Among the jobs first .. first + n - 1, which arrive together. */
static int duplicates_among(const struct trace *trace, const double *work_s, int first, int n) {
  if (n < 2)
    return 0;
  struct likeness *all = mem_alloc((size_t)n, sizeof *all);
  for (int i = 0; i < n; i++)
    all[i] = likeness_of(trace, work_s, first + i);
  qsort(all, (size_t)n, sizeof *all, by_likeness);
  int duplicates = 0;
  for (int i = 1; i < n; i++)
    duplicates += by_likeness(&all[i - 1], &all[i]) == 0;
  free(all);
  return duplicates;
}

struct arrival_figures inspection_arrivals(const struct inspection_input *input,
                                           const double *work_s) {
  const struct trace *trace = input->trace;
  struct arrival_figures figures = {.out_of_order = out_of_order(trace)};
  double *gaps = mem_alloc((size_t)trace->n_jobs, sizeof *gaps);
  int together = 0; /* the first of the jobs that arrive at this time */
  for (int i = 1; i < trace->n_jobs; i++) {
    gaps[i - 1] = trace->jobs[i].arrival_s - trace->jobs[i - 1].arrival_s;
    if (gaps[i - 1] == 0) {
      figures.ties++;
      continue;
    }
    figures.duplicates += duplicates_among(trace, work_s, together, i - together);
    together = i;
  }
  figures.duplicates += duplicates_among(trace, work_s, together, trace->n_jobs - together);
  figures.gaps_s = quantiles_of(gaps, (size_t)trace->n_jobs - 1);
  free(gaps);
  return figures;
}

/* ---- load ---- */

static void add_never(struct load_figures *load, const struct hsim_oracle *oracle,
                      const struct hsim_job *job, int index) {
  char text[256];
  fits_why_not(oracle, job, job->workers, false, text);
  size_t reason = (size_t)names_add(&load->never, text, strlen(text));
  if (reason == load->n_why) {
    load->why = mem_grow(load->why, ++load->n_why, &load->capacity, sizeof *load->why);
    load->why[reason] = (struct never){0, index};
  }
  load->why[reason].jobs++;
  load->never_total++;
  load->never_unless_mixed += fits(oracle, job, job->workers, true);
}

/* Adds the job to the types that it fits on. */
static void add_to_types(const struct inspection_input *input, const struct hsim_job *job,
                         struct load_figures *load) {
  const struct hsim_cluster *cluster = &input->cluster->view;
  const struct hsim_oracle *oracle = input->oracle;
  double per_second = 0; /* of such jobs, by the whole cluster */
  int n = 0, last = -1;
  double last_gpu_s = 0;
  for (int t = 0; t < cluster->n_types; t++) {
    if ((job->gpu_types >> t & 1) == 0 || job->workers > cluster->type_gpus[t])
      continue;
    double seconds =
        work_seconds(input->rates, oracle->rules.missing_size, job, oracle->type_of[t]);
    if (isinf(seconds))
      continue;
    last = t;
    last_gpu_s = job->workers * seconds;
    n++;
    load->types[t].jobs++;
    load->types[t].gpu_s += last_gpu_s;
    per_second += cluster->type_gpus[t] / last_gpu_s;
  }
  if (n == 1) {
    load->types[last].only_here++;
    load->types[last].only_here_gpu_s += last_gpu_s;
  }
  if (n > 0)
    load->whole_s += 1 / per_second;
}

void inspection_load(const struct inspection_input *input, struct load_figures *load) {
  const struct trace *trace = input->trace;
  *load = (struct load_figures){.span_s = trace->jobs[trace->n_jobs - 1].arrival_s -
                                          trace->jobs[0].arrival_s};
  for (int i = 0; i < trace->n_jobs; i++) {
    const struct hsim_job *job = &trace->jobs[i];
    if (fits(input->oracle, job, job->workers, false))
      add_to_types(input, job, load);
    else
      add_never(load, input->oracle, job, i);
  }
}

void inspection_load_free(struct load_figures *load) {
  names_free(&load->never);
  free(load->why);
  *load = (struct load_figures){.why = NULL};
}

/* ---- groups ---- */

static int number_of(const struct hsim_job *job, enum group_by by) {
  return by == BY_WORKERS ? job->workers : by == BY_MODEL ? job->model : job->tenant;
}

static int by_number(const void *a, const void *b) {
  return by_int(((const struct group *)a)->number, ((const struct group *)b)->number);
}

/* Most GPU-hours first. */
static int by_work(const void *a, const void *b) {
  const struct group *x = a, *y = b;
  return x->gpu_s != y->gpu_s ? by_double(y->gpu_s, x->gpu_s) : by_number(a, b);
}

/* Where each number stands in the groups; numbers that share a slot look for theirs. */
enum { SLOTS = 4096 };

static struct group *group_of(struct groups *groups, int slots[SLOTS], int number) {
  int *slot = &slots[(unsigned)number % SLOTS];
  if (*slot >= 0 && groups->at[*slot].number == number)
    return &groups->at[*slot];
  for (size_t i = 0; i < groups->n && *slot >= 0; i++)
    if (groups->at[i].number == number) {
      *slot = (int)i;
      return &groups->at[i];
    }
  groups->at = mem_grow(groups->at, groups->n + 1, &groups->capacity, sizeof *groups->at);
  *slot = (int)groups->n;
  groups->at[groups->n] = (struct group){.number = number};
  return &groups->at[groups->n++];
}

struct groups inspection_groups(const struct inspection_input *input, const double *work_s,
                                enum group_by by) {
  const struct trace *trace = input->trace;
  struct groups groups = {.at = NULL};
  int *slots = mem_alloc(SLOTS, sizeof *slots);
  for (int i = 0; i < SLOTS; i++)
    slots[i] = -1;
  for (int i = 0; i < trace->n_jobs; i++) {
    const struct hsim_job *job = &trace->jobs[i];
    struct group *group = group_of(&groups, slots, number_of(job, by));
    group->jobs++;
    group->gpu_s += isnan(work_s[i]) ? 0 : work_s[i] * job->workers;
  }
  free(slots);
  qsort(groups.at, groups.n, sizeof *groups.at, by == BY_WORKERS ? by_number : by_work);
  return groups;
}
