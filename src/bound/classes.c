/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/classes.h"

#include <math.h>
#include <stdlib.h>

/* COLUMNS: a class has one for each mode and interval. */
enum { EPOCHS = 8, LARGEST_CHUNK = 64, COLUMNS = 60000, LEAST = 40, MOST = 480 };

struct member {
  const struct bound_job *job;
  int index;
  int epoch; /* of its arrival */
};

/* What members of a class have in common. */
enum likeness { SAME_KIND_AND_EPOCH, SAME_KIND, ANY };

static int by_likeness(const void *left, const void *right) {
  const struct member *a = left, *b = right;
  if (a->job->kind != b->job->kind)
    return a->job->kind < b->job->kind ? -1 : 1;
  if (a->epoch != b->epoch)
    return a->epoch < b->epoch ? -1 : 1;
  if (a->job->steps != b->job->steps)
    return a->job->steps < b->job->steps ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static bool alike(const struct member *a, const struct member *b, enum likeness likeness) {
  if (likeness == ANY)
    return true;
  return a->job->kind == b->job->kind && (likeness == SAME_KIND || a->epoch == b->epoch);
}

/* End of the class that begins with member `from`. */
static int class_end(const struct member *members, int n, int from, int chunk,
                     enum likeness likeness) {
  int end = from + 1;
  while (end < n && end - from < chunk && alike(&members[from], &members[end], likeness))
    end++;
  return end;
}

static int count(const struct member *members, int n, int chunk, enum likeness likeness) {
  int classes = 0;
  for (int i = 0; i < n; i = class_end(members, n, i, chunk, likeness))
    classes++;
  return classes;
}

static int choose_chunk(const struct member *members, int n, int most, enum likeness *likeness) {
  for (*likeness = SAME_KIND_AND_EPOCH; *likeness < ANY; (*likeness)++)
    for (int chunk = 1; chunk <= LARGEST_CHUNK; chunk *= 2)
      if (count(members, n, chunk, *likeness) <= most)
        return chunk;
  return (n + most - 1) / most;
}

static struct bound_class merge(const struct member *members, int from, int end) {
  struct bound_class made = {.mean = *members[from].job, .n = end - from, .single = -1};
  struct bound_job *mean = &made.mean;
  double arrival = 0, steps = 0, shortest = 0, ideal = 0;
  int with_ideal = 0;
  for (int i = from; i < end; i++) {
    const struct bound_job *job = members[i].job;
    arrival += job->arrival_s;
    steps += job->steps / members[from].job->steps;
    shortest += job->shortest_s;
    if (isnan(job->ideal_s))
      continue;
    ideal += job->ideal_s;
    with_ideal++;
  }
  mean->arrival_s = arrival / made.n;
  mean->steps *= steps / made.n;
  mean->shortest_s = shortest / made.n;
  mean->ideal_s = with_ideal > 0 ? ideal / with_ideal : (double)NAN;
  return made;
}

void classes_init(struct bound_classes *classes, const struct bound_problem *problem, int most,
                  const bool *apart) {
  int n = 0, n_apart = 0;
  struct member *members = mem_alloc((size_t)problem->n_jobs, sizeof *members);
  for (int j = 0; j < problem->n_jobs; j++) {
    if (apart && apart[j]) {
      n_apart++;
      continue;
    }
    int epoch = (int)((int64_t)j * EPOCHS / problem->n_jobs);
    members[n++] = (struct member){&problem->jobs[j], j, epoch};
  }
  if (n > 1)
    qsort(members, (size_t)n, sizeof *members, by_likeness);
  enum likeness likeness;
  int chunk = choose_chunk(members, n, most, &likeness);
  classes->at =
      mem_alloc((size_t)(count(members, n, chunk, likeness) + n_apart), sizeof *classes->at);
  classes->n = 0;
  for (int i = 0; i < n;) {
    int end = class_end(members, n, i, chunk, likeness);
    classes->at[classes->n++] = merge(members, i, end);
    i = end;
  }
  for (int j = 0; apart && j < problem->n_jobs; j++)
    if (apart[j])
      classes->at[classes->n++] = (struct bound_class){problem->jobs[j], 1, j};
  free(members);
}

int classes_affordable(const struct bound_problem *problem, int intervals) {
  double modes = 0;
  for (int j = 0; j < problem->n_jobs; j++)
    modes += problem->kinds[problem->jobs[j].kind].n_modes;
  double classes = COLUMNS / (modes / problem->n_jobs * intervals);
  return (int)fmin(fmax(classes, LEAST), MOST);
}

void classes_free(struct bound_classes *classes) {
  free(classes->at);
  *classes = (struct bound_classes){0};
}
