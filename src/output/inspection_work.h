/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes over the jobs that an inspection makes; only its own files include it. */
#ifndef HSIM_OUTPUT_INSPECTION_WORK_H
#define HSIM_OUTPUT_INSPECTION_WORK_H

#include "output/inspection.h"
#include "output/quantiles.h"

/* Seconds of each job's work [n_jobs]; NaN for one that runs nowhere. To be freed. */
double *inspection_work(const struct inspection_input *input);

struct arrival_figures {
  struct quantiles gaps_s;
  int ties;         /* jobs that arrive at the same time as the job before */
  int out_of_order; /* rows that arrive before the row in front of them */
  int duplicates;   /* jobs like an earlier one in all but the id */
};
struct arrival_figures inspection_arrivals(const struct inspection_input *input,
                                           const double *work_s);

struct load_of_type {
  int jobs;
  double gpu_s;
  int only_here;
  double only_here_gpu_s;
};
struct never {
  int jobs, first; /* how many, and the first of them */
};
struct load_figures {
  double span_s;
  double whole_s; /* time that the whole cluster needs */
  struct load_of_type types[HSIM_MAX_TYPES];
  struct names never; /* reasons of jobs that fit nowhere */
  struct never *why;  /* [never.n] */
  size_t n_why, capacity;
  int never_total;
  int never_unless_mixed; /* of these, those that fit when types are mixed */
};
void inspection_load(const struct inspection_input *input, struct load_figures *load);
void inspection_load_free(struct load_figures *load);

/* Jobs and GPU-hours by a number that each job has. */
struct group {
  int number, jobs;
  double gpu_s;
};
struct groups {
  struct group *at;
  size_t n, capacity;
};
/* Groups in the order asked for; to be freed with free(groups.at). Jobs of number -1 are a group.
 */
enum group_by { BY_WORKERS, BY_MODEL, BY_TENANT };
struct groups inspection_groups(const struct inspection_input *input, const double *work_s,
                                enum group_by by);

#endif
