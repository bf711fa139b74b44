/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/memory.h"

void themis_metric_free(struct themis_metric *metric) {
  free(metric->apps);
  free(metric->tasks);
  free(metric->events);
}

int themis_metric_app(struct themis_metric *metric, int first_job) {
  metric->apps = mem_grow(metric->apps, (size_t)metric->n_apps + 1, &metric->apps_capacity,
                          sizeof *metric->apps);
  metric->apps[metric->n_apps] =
      (struct themis_app){.first_job = first_job, .arrival_s = NAN, .tasks = -1};
  return metric->n_apps++;
}

void themis_metric_tell(struct themis_metric *metric, struct themis_event event) {
  metric->events = mem_grow(metric->events, metric->n_events + 1, &metric->events_capacity,
                            sizeof *metric->events);
  metric->events[metric->n_events++] = event;
}

/* ---- Integrals ---- */

static double load_now(const struct themis_metric *metric) {
  return fmax(1, metric->demand / metric->gpus);
}

static void advance(struct themis_metric *metric, double t) {
  double seconds = t - metric->time;
  if (seconds > 0) {
    metric->crowd += metric->n_active * seconds;
    metric->load += load_now(metric) * seconds;
  }
  metric->time = fmax(t, metric->time);
}

static void add_task(struct themis_metric *metric, struct themis_app *app,
                     const struct themis_event *event) {
  metric->tasks =
      mem_grow(metric->tasks, metric->n_tasks + 1, &metric->tasks_capacity, sizeof *metric->tasks);
  metric->tasks[metric->n_tasks] =
      (struct themis_task_time){event->job, event->divisible_s, event->longest_s, app->tasks};
  app->tasks = (int)metric->n_tasks++;
}

/* An app none of whose jobs finishes keeps the last one's times: its rho is still asked for. */
static void drop_task(struct themis_metric *metric, struct themis_app *app, int job) {
  double divisible_s = 0, longest_s = 0;
  for (int t = app->tasks; t >= 0; t = metric->tasks[t].next) {
    struct themis_task_time *task = &metric->tasks[t];
    if (task->job == job)
      task->divisible_s = task->longest_s = 0;
    divisible_s += task->divisible_s;
    longest_s = fmax(longest_s, task->longest_s);
  }
  if (longest_s > 0) {
    app->divisible_s = divisible_s;
    app->longest_s = longest_s;
  }
}

static void arrives(struct themis_metric *metric, const struct themis_event *event) {
  struct themis_app *app = &metric->apps[event->app];
  if (isnan(app->arrival_s)) {
    app->arrival_s = event->time;
    app->crowd_from = metric->crowd;
    app->load_from = metric->load;
  } else if (app->active == 0) {
    app->away_s += event->time - app->end_s;
  }
  add_task(metric, app, event);
  app->divisible_s += event->divisible_s;
  app->longest_s = fmax(app->longest_s, event->longest_s);
  metric->n_active += app->active++ == 0;
  metric->demand += event->demand;
}

static void leaves(struct themis_metric *metric, const struct themis_event *event) {
  struct themis_app *app = &metric->apps[event->app];
  app->finished = app->finished || event->finished;
  app->end_s = event->time;
  metric->demand -= event->demand;
  if (!event->finished)
    drop_task(metric, app, event->job);
  if (--app->active > 0)
    return;
  metric->n_active--;
  double life = event->time - app->arrival_s;
  app->crowd =
      life > 0 ? (metric->crowd - app->crowd_from + app->away_s) / life : metric->n_active + 1;
  app->load = life > 0 ? (metric->load - app->load_from) / life : load_now(metric);
}

/* At one instant jobs end before others arrive. */
static int by_time(const void *a, const void *b) {
  const struct themis_event *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->arrives != y->arrives)
    return x->arrives - y->arrives;
  return (x->job > y->job) - (x->job < y->job);
}

void themis_metric_update(struct themis_metric *metric) {
  if (metric->n_events == 0)
    return;
  qsort(metric->events, metric->n_events, sizeof *metric->events, by_time);
  for (size_t i = 0; i < metric->n_events; i++) {
    const struct themis_event *event = &metric->events[i];
    advance(metric, event->time);
    if (event->arrives)
      arrives(metric, event);
    else
      leaves(metric, event);
  }
  metric->n_events = 0;
}

double themis_metric_crowd(const struct themis_metric *metric, int app, double now, bool instant) {
  double life = now - metric->apps[app].arrival_s;
  if (instant || !(life > 0))
    return metric->n_active;
  double crowd = metric->crowd + metric->n_active * (now - metric->time);
  return (crowd - metric->apps[app].crowd_from + metric->apps[app].away_s) / life;
}

double themis_metric_load(const struct themis_metric *metric, int app, double now, bool instant) {
  double life = now - metric->apps[app].arrival_s;
  if (instant || !(life > 0))
    return load_now(metric);
  double load = metric->load + load_now(metric) * (now - metric->time);
  return (load - metric->apps[app].load_from) / life;
}

/* ---- Readings ---- */

double themis_ideal_s(const struct themis_app *app, enum themis_ideal ideal, double crowd,
                      double load) {
  switch (ideal) {
  case THEMIS_PAPER:
    return crowd * fmax(app->divisible_s, app->longest_s);
  case THEMIS_CONTENTION:
    return load * app->longest_s;
  default:
    return fmax(crowd * app->divisible_s, app->longest_s);
  }
}

double themis_metric_ideal_s(const struct themis_metric *metric, int app, enum themis_ideal ideal,
                             double now, bool instant) {
  return themis_ideal_s(&metric->apps[app], ideal, themis_metric_crowd(metric, app, now, instant),
                        themis_metric_load(metric, app, now, instant));
}

/* ---- Report ---- */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void tell(const struct hsim_view *view, const char *reading, const char *figure,
                 double value) {
  char name[64];
  snprintf(name, sizeof name, "rho_%s_%s", reading, figure);
  hsim_stat(view, name, value);
}

/* The smallest value with at least a fraction q of the values at or below it. */
static double quantile(const double *sorted, int n, double q) {
  int at = (int)ceil(q * n) - 1;
  return sorted[at > 0 ? at : 0];
}

static void report_reading(const struct hsim_view *view, const char *reading, double *rho, int n) {
  double sum = 0, squares = 0;
  int unfair = 0;
  qsort(rho, (size_t)n, sizeof *rho, ascending);
  for (int i = 0; i < n; i++) {
    sum += rho[i];
    squares += rho[i] * rho[i];
    unfair += rho[i] > 1;
  }
  tell(view, reading, "max", rho[n - 1]);
  tell(view, reading, "mean", sum / n);
  tell(view, reading, "p50", quantile(rho, n, 0.5));
  tell(view, reading, "p95", quantile(rho, n, 0.95));
  tell(view, reading, "above_1", (double)unfair / n);
  tell(view, reading, "jain", sum * sum / (n * squares));
}

void themis_metric_report(const struct themis_metric *metric, const struct hsim_view *view) {
  static const char *const readings[THEMIS_N_IDEALS] = {"share", "paper", "contention"};
  double *rho = mem_alloc((size_t)metric->n_apps, sizeof *rho), completion = 0;
  int done = 0;
  for (int r = 0; r < THEMIS_N_IDEALS; r++) {
    int n = 0;
    completion = 0;
    for (int i = 0; i < metric->n_apps; i++) {
      const struct themis_app *app = &metric->apps[i];
      if (isnan(app->arrival_s) || app->active > 0 || !app->finished)
        continue;
      double took = app->end_s - app->arrival_s;
      rho[n++] = took / themis_ideal_s(app, (enum themis_ideal)r, app->crowd, app->load);
      completion += took;
    }
    done = n;
    if (n > 0)
      report_reading(view, readings[r], rho, n);
  }
  free(rho);
  hsim_stat(view, "apps", done);
  if (done > 0)
    hsim_stat(view, "app_completion_mean_s", completion / done);
}
