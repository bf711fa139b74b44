/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The relaxed world that bounds are about: jobs that may be divided and moved at will and at no
 * cost. A *mode* is a way to run: for each second of it the job gets `rate` steps done and takes
 * `gpus` GPUs of one type. Whatever a gang does in a second is a mixture of modes of at most one
 * second in all (docs/bounds.md shows it for each of the rules).
 */
#ifndef HSIM_BOUND_PROBLEM_H
#define HSIM_BOUND_PROBLEM_H

#include "bound/bound.h"
#include "model/memory.h"

struct bound_mode {
  int type;
  double gpus;
  double rate; /* steps per second, > 0 */
};

/* Jobs that may run in the same ways. */
struct bound_kind {
  const struct hsim_job *like; /* one of them */
  const struct bound_mode *modes;
  int n_modes;
  double best_rate; /* of one job on the empty cluster; 0: it cannot run */
};

/* What a job may share GPUs with: jobs of the trace by model and sizes. */
struct bound_partner {
  int model, least, most;
};

struct bound_job {
  int kind;
  double arrival_s, steps;
  double shortest_s; /* at best_rate */
  double ideal_s;    /* NaN: it has no slowdown */
};

struct bound_problem {
  const struct bound_input *input;
  const struct hsim_cluster *cluster;
  struct bound_kind *kinds;
  int n_kinds;
  struct bound_partner *partners; /* with pairs only */
  int n_partners;
  struct bound_job *jobs; /* those that can run, in arrival order */
  int n_jobs;
  double first_arrival_s; /* of the trace */
  double gpus;
  struct arena memory;
  struct bound_mode *scratch;
  size_t scratch_capacity;
};

void problem_init(struct bound_problem *problem, const struct bound_input *input);
void problem_free(struct bound_problem *problem);

/* All of the job's work in one mode: seconds of running, GPU-seconds. The seconds of copies of a
 * job that forks are not bounded, and count 0. */
static inline double mode_seconds(const struct bound_problem *problem, const struct bound_mode *m,
                                  double steps) {
  return problem->input->rules.forks ? 0 : steps / m->rate;
}
static inline double mode_work(const struct bound_mode *m, double steps) {
  return m->gpus * (steps / m->rate);
}

/* By how much rounding, in the engine and here, may have changed a figure of this size that comes
 * from times as late as these. */
double problem_rounding(const struct bound_problem *problem, double figure, double latest_s);

#endif
