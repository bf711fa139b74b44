/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AlloX (Le, Sun, Chowdhury, Liu, EuroSys'20) as Gavel models it: the mean completion time is
 * smallest when jobs are matched to (GPU, place from the end): the job at place k delays k jobs,
 * itself among them, by its own time. Each GPU's first job then keeps the GPU's type until it ends.
 *
 * Gavel's has jobs of one GPU only. A gang counts here by its work, workers x time; which GPU it is
 * matched to says when and on which type it starts, and it takes its GPUs if the type has enough.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/gavel/objective.h"
#include "solver/assignment.h"

/* The first job of a slot. */
struct first {
  int job; /* -1: the slot stays free */
  int type;
  int place; /* from the end, 1.. */
  double cost;
};

struct allox {
  int *type_of;  /* [n_jobs of the trace] by id, -1: none */
  int *unplaced; /* [n_jobs] positions */
  int *column_of;
  double *times; /* [n_jobs][n_types] of the unplaced, in their order */
  struct lap lap;
  int *slot_types; /* [slot_capacity] of each free GPU */
  size_t slot_capacity;
  struct first *firsts; /* [first_capacity] one a slot */
  size_t first_capacity;
};

/* One call. */
struct matching {
  const struct shares_problem *problem;
  const struct allox *allox;
  int n_rows, n_slots;
};

/* Gavel's stand-in for a rate of 0. */
static const double CODED_NO_RATE = 1e-10;

static void init(void *state, const struct objective_setup *setup) {
  struct allox *allox = state;
  size_t jobs = (size_t)setup->n_jobs, types = (size_t)setup->n_types;
  allox->type_of = mem_alloc(jobs, sizeof *allox->type_of);
  allox->unplaced = mem_alloc(jobs, sizeof *allox->unplaced);
  allox->column_of = mem_alloc(jobs, sizeof *allox->column_of);
  allox->times = mem_alloc(jobs * types, sizeof *allox->times);
  for (size_t i = 0; i < jobs; i++)
    allox->type_of[i] = -1;
}

static void release(void *state) {
  struct allox *allox = state;
  free(allox->type_of);
  free(allox->unplaced);
  free(allox->column_of);
  free(allox->times);
  free(allox->slot_types);
  free(allox->firsts);
  lap_free(&allox->lap);
}

static enum hsim_status check_workers(const struct shares_problem *problem,
                                      struct hsim_error *error) {
  for (int i = 0; i < problem->n_jobs && problem->coded; i++)
    if (problem->workers[i] != 1)
      return hsim_fail(error, HSIM_BAD_INPUT,
                       "objective=allox with compat=code knows jobs of one GPU only; job %d of the "
                       "trace (the first is 0) has %d workers",
                       problem->ids[i], problem->workers[i]);
  return HSIM_OK;
}

/* room: [n_types] what placed jobs leave. Placed jobs whose type has no GPUs for them any more are
 * placed anew. */
static void keep_placed(struct allox *allox, const struct shares_problem *problem, int *room) {
  for (int g = 0; g < problem->n_types; g++)
    room[g] = problem->type_gpus[g];
  for (int i = 0; i < problem->n_jobs; i++) {
    int *type = &allox->type_of[problem->ids[i]];
    if (*type < 0)
      continue;
    if (problem->coded || (room[*type] >= problem->workers[i] && rates_of(problem, i)[*type] > 0.0))
      room[*type] -= problem->workers[i];
    else
      *type = -1;
  }
}

/* One slot a free GPU, by type in the order of names. */
static int list_slots(struct allox *allox, const struct shares_problem *problem, const int *room) {
  int n = 0;
  for (int i = 0; i < problem->n_types; i++) {
    int g = problem->type_order[i];
    if (room[g] <= 0)
      continue;
    allox->slot_types = mem_grow(allox->slot_types, (size_t)n + (size_t)room[g],
                                 &allox->slot_capacity, sizeof *allox->slot_types);
    for (int k = 0; k < room[g]; k++)
      allox->slot_types[n++] = g;
  }
  return n;
}

/* Longest waiting first, which is the order in which they stand. Left out are those that no type
 * with free GPUs can run; as coded nobody is. */
static int list_unplaced(struct allox *allox, const struct shares_problem *problem,
                         const int *room) {
  int n = 0;
  for (int i = 0; i < problem->n_jobs; i++) {
    if (allox->type_of[problem->ids[i]] >= 0)
      continue;
    bool can_run = problem->coded;
    double *times = allox->times + (size_t)n * (size_t)problem->n_types;
    for (int g = 0; g < problem->n_types; g++) {
      double rate = rates_of(problem, i)[g];
      double instead = problem->coded ? problem->remaining[i] / CODED_NO_RATE : (double)INFINITY;
      times[g] = rate > 0.0 ? problem->workers[i] * problem->remaining[i] / rate : instead;
      can_run = can_run || (rate > 0.0 && room[g] > 0);
    }
    if (can_run)
      allox->unplaced[n++] = i;
  }
  return n;
}

/* Columns: all slots in place 1 from the end, all in place 2, ... */
static void costs(const void *context, int row, double *into) {
  const struct matching *matching = context;
  const struct allox *allox = matching->allox;
  const double *times = allox->times + (size_t)row * (size_t)matching->problem->n_types;
  double age = matching->problem->age_s[allox->unplaced[row]];
  for (int place = 1; place <= matching->n_rows; place++)
    for (int slot = 0; slot < matching->n_slots; slot++)
      *into++ = place * times[allox->slot_types[slot]] + age;
}

static void find_firsts(struct allox *allox, const struct matching *matching) {
  const struct shares_problem *problem = matching->problem;
  for (int slot = 0; slot < matching->n_slots; slot++)
    allox->firsts[slot] = (struct first){.job = -1};
  for (int row = 0; row < matching->n_rows; row++) {
    int slot = allox->column_of[row] % matching->n_slots;
    int place = allox->column_of[row] / matching->n_slots + 1;
    struct first *first = &allox->firsts[slot];
    if (place <= first->place)
      continue;
    double time =
        allox->times[(size_t)row * (size_t)problem->n_types + (size_t)allox->slot_types[slot]];
    first->job = allox->unplaced[row];
    first->type = allox->slot_types[slot];
    first->place = place;
    first->cost = place * time + problem->age_s[first->job];
  }
}

static int before(const void *left, const void *right) {
  const struct first *x = left, *y = right;
  if (x->place != y->place)
    return x->place > y->place ? -1 : 1;
  if (x->cost != y->cost)
    return x->cost < y->cost ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

/* Matches the unplaced jobs to the slots; the first ones take GPUs. Later ones may still find room
 * where a gang before them did not. */
static enum hsim_status match(struct allox *allox, const struct shares_problem *problem, int *room,
                              struct hsim_error *error) {
  struct matching matching = {.problem = problem,
                              .allox = allox,
                              .n_rows = list_unplaced(allox, problem, room),
                              .n_slots = list_slots(allox, problem, room)};
  if (matching.n_rows == 0 || matching.n_slots == 0)
    return HSIM_OK;
  if (matching.n_rows > INT_MAX / matching.n_slots)
    return hsim_fail(error, HSIM_BAD_INPUT,
                     "objective=allox cannot match %d waiting jobs to %d free GPUs: at most %d in "
                     "their product",
                     matching.n_rows, matching.n_slots, INT_MAX);
  if (!lap_solve(&allox->lap, matching.n_rows, matching.n_rows * matching.n_slots, costs, &matching,
                 allox->column_of))
    return hsim_fail(error, HSIM_FAILED, "objective=allox: the times of jobs overflow");
  allox->firsts = mem_grow(allox->firsts, (size_t)matching.n_slots, &allox->first_capacity,
                           sizeof *allox->firsts);
  find_firsts(allox, &matching);
  qsort(allox->firsts, (size_t)matching.n_slots, sizeof *allox->firsts, before);
  for (int i = 0; i < matching.n_slots; i++) {
    const struct first *first = &allox->firsts[i];
    if (first->job < 0 || room[first->type] < problem->workers[first->job])
      continue;
    room[first->type] -= problem->workers[first->job];
    allox->type_of[problem->ids[first->job]] = first->type;
  }
  return HSIM_OK;
}

static enum hsim_status allocate(void *state, const struct shares_problem *problem, struct lp *lp,
                                 double *shares, struct shares_report *report,
                                 struct hsim_error *error) {
  (void)lp;
  (void)report;
  struct allox *allox = state;
  int room[HSIM_MAX_TYPES];
  enum hsim_status status = check_workers(problem, error);
  if (status != HSIM_OK)
    return status;
  keep_placed(allox, problem, room);
  status = match(allox, problem, room, error);
  for (int i = 0; i < problem->n_jobs; i++) {
    int g = allox->type_of[problem->ids[i]];
    if (g >= 0)
      shares_of(problem, shares, i)[g] = 1.0;
  }
  return status;
}

const struct objective objective_allox = {.name = "allox",
                                          .aware = true,
                                          .remaining = true,
                                          .state_size = sizeof(struct allox),
                                          .init = init,
                                          .free = release,
                                          .allocate = allocate};
