/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makespan. The linear program divides the work of each class over modes and intervals; the last
 * interval begins with the last arrival and is as long as it has to be:
 *   min L:  sum x = 1 a class,  GPU-seconds <= GPUs * seconds an interval and type,
 *           seconds of running <= seconds of the interval for jobs that are kept apart.
 * Its duals are prices of a GPU-second and, for the jobs apart, of a second of the job's own time.
 */
#include <math.h>
#include <stdlib.h>

#include "bound/parts.h"

enum { INTERVALS = 24, DOUBLINGS = 12, APART = 16, PROGRAMS = 4 };

struct makespan {
  const struct bound_problem *problem;
  struct bound_grid grid; /* up to the last arrival; interval grid.n is the last one */
  struct bound_classes classes;
  struct bound_prices prices; /* a price an interval: `begin` counts */
  double *time_prices;        /* [n classes][grid.n + 1] of jobs that are kept apart */
  double *last_prices;        /* [n_types] of the last interval */
  double unit;                /* seconds, of the program's times */
  int n_intervals;
};

/* ---- intervals ---- */

static int clamp(double value, int most) {
  return value < 0 ? 0 : value > most ? most : (int)value;
}

/* A third of the ends are quantiles of the arrivals, the others come the denser the nearer to job
 * `critical`: the work from some arrival on is what decides the makespan. */
static void make_grid(struct makespan *m, int critical) {
  const struct bound_problem *problem = m->problem;
  int last = problem->n_jobs - 1, n = 0;
  double times[INTERVALS + 1];
  for (int i = 0; i < INTERVALS / 3; i++) {
    double back = (last + 1) * pow(2, -DOUBLINGS * (i + 1.0) / (INTERVALS / 3.0));
    times[n++] = problem->jobs[(int64_t)i * last / (INTERVALS / 3)].arrival_s;
    times[n++] = problem->jobs[clamp(critical - back, last)].arrival_s;
    times[n++] = problem->jobs[clamp(critical + back, last)].arrival_s;
  }
  times[n++] = problem->jobs[critical].arrival_s;
  grid_make(&m->grid, problem->first_arrival_s, problem->jobs[last].arrival_s, times, n);
  m->n_intervals = m->grid.n + 1;
}

/* ---- jobs apart ---- */

static int by_length(const void *left, const void *right) {
  const struct bound_job *a = *(const struct bound_job *const *)left;
  const struct bound_job *b = *(const struct bound_job *const *)right;
  if (a->shortest_s != b->shortest_s)
    return a->shortest_s > b->shortest_s ? -1 : 1;
  return (a > b) - (a < b); /* places in one array: arrival order */
}

/* The longest jobs: their own time may be what is short. */
static bool *choose_apart(const struct bound_problem *problem) {
  size_t n = (size_t)problem->n_jobs;
  bool *apart = mem_zero(n, sizeof *apart);
  if (problem->input->rules.forks)
    return apart;
  const struct bound_job **order = mem_alloc(n, sizeof(struct bound_job *));
  for (size_t j = 0; j < n; j++)
    order[j] = &problem->jobs[j];
  qsort(order, n, sizeof(struct bound_job *), by_length);
  for (size_t i = 0; i < n && i < APART; i++)
    apart[order[i] - problem->jobs] = true;
  free(order);
  return apart;
}

/* ---- the program ---- */

static double length(const struct makespan *m, int i) {
  return (m->grid.at[i + 1] - m->grid.at[i]) / m->unit;
}

/* A row that bounds what is used of interval i by `amount` a second of it. */
static void bound_by_time(const struct makespan *m, struct lp *lp, int row, int i, double amount) {
  bool last = i == m->grid.n;
  lp_row(lp, row, -INFINITY, last ? 0 : amount * length(m, i));
  if (last && amount > 0)
    bound_entry(lp, row, 0, -amount);
}

static int capacity_row(const struct makespan *m, int type, int i) {
  return m->classes.n + type * m->n_intervals + i;
}

static int time_row(const struct makespan *m, int apart, int i) {
  return capacity_row(m, m->problem->cluster->n_types, 0) + apart * m->n_intervals + i;
}

static int n_columns(const struct makespan *m) {
  int n = 1;
  for (int c = 0; c < m->classes.n; c++) {
    const struct bound_job *mean = &m->classes.at[c].mean;
    n += (m->n_intervals - grid_find(&m->grid, mean->arrival_s)) *
         m->problem->kinds[mean->kind].n_modes;
  }
  return n;
}

static int load_class(const struct makespan *m, struct lp *lp, int c, int apart, int column) {
  const struct bound_class *class = &m->classes.at[c];
  const struct bound_kind *kind = &m->problem->kinds[class->mean.kind];
  lp_row(lp, c, 1, INFINITY);
  for (int i = grid_find(&m->grid, class->mean.arrival_s); i < m->n_intervals; i++)
    for (int k = 0; k < kind->n_modes; k++, column++) {
      const struct bound_mode *mode = &kind->modes[k];
      lp_column(lp, column, 0, INFINITY);
      bound_entry(lp, c, column, 1);
      bound_entry(lp, capacity_row(m, mode->type, i), column,
                  class->n * mode_work(mode, class->mean.steps) / m->unit);
      double seconds = mode_seconds(m->problem, mode, class->mean.steps);
      if (apart >= 0 && seconds > 0)
        bound_entry(lp, time_row(m, apart, i), column, seconds / m->unit);
    }
  return column;
}

static void load(const struct makespan *m, struct lp *lp) {
  const struct hsim_cluster *cluster = m->problem->cluster;
  int n_apart = 0;
  for (int c = 0; c < m->classes.n; c++)
    n_apart += m->classes.at[c].single >= 0;
  lp_begin(lp, time_row(m, n_apart, 0), n_columns(m), LP_MINIMISE);
  lp_column(lp, 0, 0, INFINITY);
  lp_cost(lp, 0, 1);
  for (int i = 0; i < m->n_intervals; i++) {
    for (int type = 0; type < cluster->n_types; type++)
      bound_by_time(m, lp, capacity_row(m, type, i), i, cluster->type_gpus[type]);
    for (int apart = 0; apart < n_apart; apart++)
      bound_by_time(m, lp, time_row(m, apart, i), i, 1);
  }
  int column = 1, apart = 0;
  for (int c = 0; c < m->classes.n; c++)
    column = load_class(m, lp, c, m->classes.at[c].single >= 0 ? apart++ : -1, column);
}

/* ---- the certificate ---- */

static void take_prices(struct makespan *m, const struct lp *lp) {
  int n_types = m->problem->cluster->n_types, apart = 0;
  for (int type = 0; type < n_types; type++) {
    for (int i = 0; i < m->grid.n; i++)
      m->prices.begin[type * m->grid.n + i] = fmax(0, -lp_dual(lp, capacity_row(m, type, i)));
    m->last_prices[type] = fmax(0, -lp_dual(lp, capacity_row(m, type, m->grid.n)));
  }
  for (int c = 0; c < m->classes.n; c++) {
    if (m->classes.at[c].single < 0)
      continue;
    for (int i = 0; i < m->n_intervals; i++)
      m->time_prices[c * m->n_intervals + i] = fmax(0, -lp_dual(lp, time_row(m, apart, i)));
    apart++;
  }
}

static double price(const struct makespan *m, int type, int i) {
  return i == m->grid.n ? m->last_prices[type] : m->prices.begin[type * m->grid.n + i];
}

/* What one second of interval i is worth: of all GPUs and of the jobs apart that are there. A job
 * that arrives inside the interval has only a part of it; counting it whole is on the safe side. */
static double worth(const struct makespan *m, int i) {
  double sum = 0;
  for (int type = 0; type < m->problem->cluster->n_types; type++)
    sum += m->problem->cluster->type_gpus[type] * price(m, type, i);
  for (int c = 0; c < m->classes.n; c++)
    sum += m->time_prices[c * m->n_intervals + i];
  return sum;
}

static double cheapest(const struct makespan *m, const struct bound_job *job, int class) {
  const struct bound_kind *kind = &m->problem->kinds[job->kind];
  double best = INFINITY;
  for (int i = grid_find(&m->grid, job->arrival_s); i < m->n_intervals; i++) {
    double own = class >= 0 ? m->time_prices[class * m->n_intervals + i] : 0;
    for (int k = 0; k < kind->n_modes; k++) {
      const struct bound_mode *mode = &kind->modes[k];
      best = fmin(best, mode_work(mode, job->steps) * price(m, mode->type, i) +
                            mode_seconds(m->problem, mode, job->steps) * own);
    }
  }
  return best;
}

/* All work costs no more than what there is is worth; the last interval is what is left. */
static double prove(const struct makespan *m, const bool *apart) {
  const struct bound_problem *problem = m->problem;
  double costs = 0, before = 0, last = worth(m, m->grid.n);
  for (int j = 0; j < problem->n_jobs; j++)
    if (!apart[j])
      costs += cheapest(m, &problem->jobs[j], -1);
  for (int c = 0; c < m->classes.n; c++)
    if (m->classes.at[c].single >= 0)
      costs += cheapest(m, &m->classes.at[c].mean, c);
  for (int i = 0; i < m->grid.n; i++)
    before += (m->grid.at[i + 1] - m->grid.at[i]) * worth(m, i);
  double span = m->grid.at[m->grid.n] - m->grid.at[0];
  if (!(last > 0))
    return 0;
  double seconds = costs / last - before / last;
  double rounding = 1e-11 * (costs + before) / last;
  return seconds - rounding > 0 ? span + seconds - rounding : 0;
}

/* At the last interval's prices, the job from whose arrival on the work takes longest. */
static int find_critical(const struct makespan *m) {
  const struct bound_problem *problem = m->problem;
  double costs = 0, worth_last = worth(m, m->grid.n), most = -INFINITY;
  int critical = problem->n_jobs - 1;
  for (int j = problem->n_jobs - 1; j >= 0; j--) {
    const struct bound_job *job = &problem->jobs[j];
    const struct bound_kind *kind = &problem->kinds[job->kind];
    double least = INFINITY;
    for (int k = 0; k < kind->n_modes; k++)
      least =
          fmin(least, mode_work(&kind->modes[k], job->steps) * m->last_prices[kind->modes[k].type]);
    costs += least;
    if (job->arrival_s + costs / worth_last > most) {
      most = job->arrival_s + costs / worth_last;
      critical = j;
    }
  }
  return critical;
}

/* One program; *critical becomes a better one. */
static void improve(struct makespan *m, struct lp *lp, const bool *apart, int *critical,
                    double *makespan_s, struct bound_size *size) {
  const struct bound_problem *problem = m->problem;
  make_grid(m, *critical);
  classes_init(&m->classes, problem, classes_affordable(problem, m->n_intervals), apart);
  prices_init(&m->prices, &m->grid, problem->cluster->n_types);
  m->time_prices = mem_zero((size_t)m->classes.n * (size_t)m->n_intervals, sizeof(double));
  m->last_prices = mem_zero((size_t)problem->cluster->n_types, sizeof(double));
  load(m, lp);
  if (bound_solved(lp, size)) {
    take_prices(m, lp);
    *makespan_s = fmax(*makespan_s, prove(m, apart));
    if (worth(m, m->grid.n) > 0)
      *critical = find_critical(m);
    bound_size_take(size, m->n_intervals, m->classes.n);
  }
  free(m->time_prices);
  free(m->last_prices);
  prices_free(&m->prices);
  classes_free(&m->classes);
  grid_free(&m->grid);
}

void bound_makespan(const struct bound_problem *problem, struct lp *lp, double *makespan_s,
                    struct bound_size *size) {
  struct makespan m = {.problem = problem};
  bool *apart = choose_apart(problem);
  double work = 0;
  for (int j = 0; j < problem->n_jobs; j++)
    work += mode_work(&problem->kinds[problem->jobs[j].kind].modes[0], problem->jobs[j].steps);
  m.unit = work / problem->gpus;
  int critical = problem->n_jobs - 1;
  for (int i = 0; i < PROGRAMS; i++) {
    int before = critical;
    improve(&m, lp, apart, &critical, makespan_s, size);
    if (critical == before)
      break;
  }
  free(apart);
}
