/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/fairness.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

struct app {
  double end;       /* of its last job; the run's end when one has not ended */
  double mean_apps; /* N; before the app's end the integral at its begin */
  int first_job;    /* its jobs are a list: first_job, next[first_job], ... */
  bool ended, any_finished;
};

struct apps {
  const struct fairness_input *input;
  struct app *at; /* in the order of their first jobs */
  int n;
  int *next; /* [n_jobs] next job of the same app, -1 after the last */
};

static double arrival(const struct apps *apps, int app) {
  return apps->input->trace->jobs[apps->at[app].first_job].arrival_s;
}

static void add_job(struct apps *apps, struct app *app, int j) {
  const struct fairness_input *input = apps->input;
  struct job_fate job = input->job(input->state, j);
  bool open = isnan(job.end);
  /* A job that never arrived keeps its app open beyond the run's end. */
  double end = open ? fmax(input->end_s, input->trace->jobs[j].arrival_s) : job.end;
  app->end = fmax(app->end, end);
  app->ended = app->ended && !open;
  app->any_finished = app->any_finished || job.finished;
}

static void collect(struct apps *apps, const struct fairness_input *input) {
  const struct trace *trace = input->trace;
  size_t n = (size_t)trace->n_jobs, n_names = (size_t)trace->apps.n;
  *apps = (struct apps){.input = input,
                        .at = mem_alloc(n, sizeof *apps->at),
                        .next = mem_alloc(n, sizeof *apps->next)};
  int *of_name = mem_alloc(n_names, sizeof *of_name);
  int *last_job = mem_alloc(n_names, sizeof *last_job);
  for (size_t i = 0; i < n_names; i++)
    of_name[i] = -1;
  for (int j = 0; j < trace->n_jobs; j++) {
    int name = trace->jobs[j].app;
    apps->next[j] = -1;
    int app = name < 0 ? -1 : of_name[name];
    if (app < 0) {
      app = apps->n++;
      apps->at[app] = (struct app){.end = -INFINITY, .first_job = j, .ended = true};
    } else {
      apps->next[last_job[name]] = j;
    }
    if (name >= 0) {
      of_name[name] = app;
      last_job[name] = j;
    }
    add_job(apps, &apps->at[app], j);
  }
  free(of_name);
  free(last_job);
}

static int by_end(const void *a, const void *b, void *state) {
  const struct app *apps = state;
  int x = *(const int *)a, y = *(const int *)b;
  if (apps[x].end != apps[y].end)
    return apps[x].end < apps[y].end ? -1 : 1;
  return (x > y) - (x < y);
}

/* Sweeps over the begins (already ascending) and ends of all apps with the running integral of
 * their number. An app without a life (end = arrival) has N = 1, itself. */
static void count_active(struct apps *apps) {
  int n = apps->n;
  int *order = mem_alloc((size_t)n, sizeof *order);
  for (int i = 0; i < n; i++)
    order[i] = i;
  qsort_r(order, (size_t)n, sizeof *order, by_end, apps->at);
  double integral = 0.0, last = 0.0;
  int begun = 0;
  for (int ended = 0; ended < n;) {
    struct app *ending = &apps->at[order[ended]];
    bool begins = begun < n && arrival(apps, begun) <= ending->end;
    double now = begins ? arrival(apps, begun) : ending->end;
    integral += (begun - ended) * (now - last);
    last = now;
    if (begins) {
      apps->at[begun++].mean_apps = integral;
    } else {
      double life = now - arrival(apps, order[ended]);
      ending->mean_apps = life > 0.0 ? (integral - ending->mean_apps) / life : 1.0;
      ended++;
    }
  }
  free(order);
}

/* T_id, over the jobs that finished. */
static double time_alone(const struct apps *apps, const struct app *app) {
  const struct fairness_input *input = apps->input;
  double divisible = 0.0, longest = 0.0;
  for (int j = app->first_job; j >= 0; j = apps->next[j]) {
    if (!input->job(input->state, j).finished)
      continue;
    const struct hsim_job *job = &input->trace->jobs[j];
    divisible += ideal_share_s(input->ideal, job, app->mean_apps, false);
    longest = fmax(longest, ideal_share_s(input->ideal, job, app->mean_apps, true));
  }
  return fmax(divisible, longest);
}

static double rho_of(const struct apps *apps, int i) {
  const struct app *app = &apps->at[i];
  if (!app->ended || !app->any_finished)
    return NAN;
  double alone = time_alone(apps, app);
  return isfinite(alone) && alone > 0.0 ? (app->end - arrival(apps, i)) / alone : NAN;
}

static void apps_free(struct apps *apps) {
  free(apps->at);
  free(apps->next);
}

size_t fairness_rho(const struct fairness_input *input, double *rho, int *first_job) {
  struct apps apps;
  collect(&apps, input);
  count_active(&apps);
  size_t n = 0;
  for (int i = 0; i < apps.n; i++) {
    int first = apps.at[i].first_job;
    double value = first >= input->from && first < input->to ? rho_of(&apps, i) : NAN;
    if (isnan(value))
      continue;
    if (first_job)
      first_job[n] = first;
    rho[n++] = value;
  }
  apps_free(&apps);
  return n;
}

struct fairness_figures fairness_figures_of(double *rho, size_t n) {
  double sum = 0.0, squares = 0.0;
  size_t unfair = 0;
  for (size_t i = 0; i < n; i++) {
    sum += rho[i];
    squares += rho[i] * rho[i];
    unfair += rho[i] > 1.0;
  }
  return (struct fairness_figures){
      .rho = quantiles_of(rho, n),
      .unfair_fraction = n > 0 ? (double)unfair / (double)n : (double)NAN,
      .jain = squares > 0.0 ? sum * sum / ((double)n * squares) : (double)NAN};
}

void fairness_rho_of_jobs(const struct fairness_input *input, double *rho) {
  struct apps apps;
  collect(&apps, input);
  count_active(&apps);
  for (int i = 0; i < apps.n; i++) {
    double value = rho_of(&apps, i);
    for (int j = apps.at[i].first_job; j >= 0; j = apps.next[j])
      rho[j] = value;
  }
  apps_free(&apps);
}
