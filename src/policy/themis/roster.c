/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/roster.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

void themis_roster_init(struct themis_roster *roster, const struct hsim_view *view, bool per_job,
                        bool elastic) {
  size_t n = (size_t)view->n_jobs;
  roster->cluster = view->cluster;
  roster->per_job = per_job;
  roster->elastic = elastic;
  roster->metric.gpus = view->cluster->n_gpus;
  themis_leases_init(&roster->leases, view->cluster);
  roster->jobs = mem_zero(n, sizeof *roster->jobs);
  roster->sizes = mem_zero(n * (size_t)view->cluster->n_types, sizeof *roster->sizes);
  roster->app_of = mem_zero(n, sizeof *roster->app_of);
  roster->bidder_of = mem_zero(n, sizeof *roster->bidder_of);
}

void themis_roster_free(struct themis_roster *roster) {
  themis_metric_free(&roster->metric);
  themis_leases_free(&roster->leases);
  for (int i = 0; i < roster->n_bidders; i++)
    free(roster->bidders[i].jobs);
  free(roster->bidders);
  free(roster->active);
  free(roster->jobs);
  free(roster->sizes);
  free(roster->app_of);
  free(roster->bidder_of);
  free(roster->hopeless);
}

/* ---- Sizes ---- */

static bool runs(const struct hsim_view *view, const struct hsim_active *active, int type,
                 int workers) {
  if (hsim_rate_on(view->oracle, active, type, workers, HSIM_SPAN_SLOT) <= 0)
    return false;
  return active->job->n_phases == 0 ||
         isfinite(hsim_remaining_s(view, active, type, workers, HSIM_SPAN_SLOT));
}

static struct themis_sizes find_sizes(const struct themis_roster *roster,
                                      const struct hsim_view *view,
                                      const struct hsim_active *active, int type) {
  const struct hsim_job *job = active->job;
  struct themis_sizes sizes = {job->min_workers, job->max_workers};
  if (!roster->elastic) {
    if (job->workers < sizes.least || job->workers > sizes.most)
      return (struct themis_sizes){0, 0};
    sizes.least = sizes.most = job->workers;
  }
  if (sizes.most > view->cluster->type_gpus[type])
    sizes.most = view->cluster->type_gpus[type];
  while (sizes.most >= sizes.least && !runs(view, active, type, sizes.most))
    sizes.most--;
  if (sizes.most < sizes.least)
    return (struct themis_sizes){0, 0};
  while (!runs(view, active, type, sizes.least))
    sizes.least++;
  return sizes;
}

const struct themis_sizes *themis_roster_sizes(struct themis_roster *roster,
                                               const struct hsim_view *view,
                                               const struct hsim_active *active, int type) {
  size_t at = (size_t)active->index * (size_t)roster->cluster->n_types + (size_t)type;
  if (active->job->n_phases > 0) /* what runs where changes as it goes */
    roster->sizes[at] = find_sizes(roster, view, active, type);
  return &roster->sizes[at];
}

/* ---- Jobs come and go ---- */

static int app_of(struct themis_roster *roster, const struct hsim_active *active) {
  if (active->job->app < 0)
    return themis_metric_app(&roster->metric, active->index);
  int *number = &roster->app_of[active->job->app];
  if (*number == 0)
    *number = themis_metric_app(&roster->metric, active->index) + 1;
  return *number - 1;
}

static int bidder_of(struct themis_roster *roster, int app, double arrival_s) {
  if (!roster->per_job && roster->bidder_of[app] > 0)
    return roster->bidder_of[app] - 1;
  int n = roster->n_bidders++;
  roster->bidders =
      mem_grow(roster->bidders, (size_t)n + 1, &roster->bidders_capacity, sizeof *roster->bidders);
  roster->bidders[n] = (struct themis_bidder){.app = roster->per_job ? n : app,
                                              .head = -1,
                                              .type = -1,
                                              .bare_since_s = arrival_s,
                                              .assigned_s = -INFINITY};
  roster->bidder_of[app] = n + 1;
  return n;
}

static void list_bidder(struct themis_roster *roster, int bidder) {
  if (roster->bidders[bidder].listed)
    return;
  roster->bidders[bidder].listed = true;
  roster->active = mem_grow(roster->active, (size_t)roster->n_active + 1, &roster->active_capacity,
                            sizeof *roster->active);
  roster->active[roster->n_active++] = bidder;
}

void themis_roster_tidy(struct themis_roster *roster) {
  int kept = 0;
  for (int i = 0; i < roster->n_active; i++) {
    struct themis_bidder *bidder = &roster->bidders[roster->active[i]];
    bidder->listed = bidder->n_jobs > 0 || bidder->held > 0;
    if (bidder->listed)
      roster->active[kept++] = roster->active[i];
  }
  roster->n_active = kept;
}

/* The job's time on the whole cluster (docs/themis.md): sum over the types of thr at its largest
 * size, weighted by the GPUs there are. */
static void measure(struct themis_roster *roster, const struct hsim_view *view,
                    const struct hsim_active *active, struct themis_event *event) {
  const struct hsim_cluster *cluster = view->cluster;
  int most = 0;
  for (int t = 0; t < cluster->n_types; t++) {
    size_t at = (size_t)active->index * (size_t)cluster->n_types + (size_t)t;
    roster->sizes[at] = find_sizes(roster, view, active, t);
    most = roster->sizes[at].most > most ? roster->sizes[at].most : most;
  }
  double rate = 0, share = 0;
  for (int t = 0; t < cluster->n_types && most > 0; t++) {
    double x = (double)cluster->type_gpus[t] / most;
    share += x;
    if ((active->job->gpu_types >> t & 1) != 0 && runs(view, active, t, most))
      rate += x / hsim_remaining_s(view, active, t, most, HSIM_SPAN_SLOT);
  }
  event->demand = most;
  event->divisible_s = rate > 0 ? 1 / rate : 0;
  event->longest_s = rate > 0 ? share / rate : 0;
}

void themis_roster_arrived(struct themis_roster *roster, const struct hsim_view *view,
                           const struct hsim_active *active) {
  int app = app_of(roster, active);
  struct themis_event event = {
      .time = active->job->arrival_s, .job = active->index, .app = app, .arrives = true};
  measure(roster, view, active, &event);
  if (event.demand <= 0) {
    roster->hopeless = mem_grow(roster->hopeless, roster->n_hopeless + 1,
                                &roster->hopeless_capacity, sizeof *roster->hopeless);
    roster->hopeless[roster->n_hopeless++] = active->index;
    roster->jobs[active->index].bidder = -1;
    return;
  }
  themis_metric_tell(&roster->metric, event);
  struct themis_job *job = &roster->jobs[active->index];
  *job = (struct themis_job){.bidder = bidder_of(roster, app, active->job->arrival_s),
                             .app = app,
                             .ran_until_s = NAN,
                             .demand = event.demand,
                             .score = 1,
                             .reason = -1};
  struct themis_bidder *bidder = &roster->bidders[job->bidder];
  if (bidder->n_jobs == 0 && bidder->held == 0)
    bidder->bare_since_s = active->job->arrival_s;
  bidder->jobs = mem_grow(bidder->jobs, (size_t)bidder->n_jobs + 1, &bidder->jobs_capacity,
                          sizeof *bidder->jobs);
  bidder->jobs[bidder->n_jobs++] = active->index;
  bidder->touched = true;
  list_bidder(roster, job->bidder);
}

void themis_roster_finished(struct themis_roster *roster, const struct hsim_view *view,
                            const struct hsim_active *active) {
  struct themis_job *job = &roster->jobs[active->index];
  if (job->bidder < 0) /* it never could run */
    return;
  struct themis_bidder *bidder = &roster->bidders[job->bidder];
  int kept = 0;
  for (int i = 0; i < bidder->n_jobs; i++)
    if (bidder->jobs[i] != active->index)
      bidder->jobs[kept++] = bidder->jobs[i];
  bidder->n_jobs = kept;
  bidder->touched = true;
  job->left = true;
  bool done = hsim_remaining_steps(view, active) <= 1e-9 * active->job->steps;
  double end = done && !isnan(job->ran_until_s) ? job->ran_until_s : view->now;
  themis_metric_tell(&roster->metric, (struct themis_event){.time = end,
                                                            .job = active->index,
                                                            .app = job->app,
                                                            .finished = done,
                                                            .demand = job->demand});
}

void themis_roster_ran(struct themis_roster *roster, const struct hsim_ran *ran, size_t n_ran) {
  for (size_t i = 0; i < n_ran; i++) {
    struct themis_job *job = &roster->jobs[ran[i].job];
    job->ran_until_s = ran[i].end_s;
    roster->gpu_seconds += ran[i].gpus * ran[i].seconds;
    roster->good_seconds += ran[i].gpus * ran[i].seconds * job->score;
  }
}

void themis_roster_node(struct themis_roster *roster, int node, bool up, double now) {
  const struct hsim_node *n = &roster->cluster->nodes[node];
  const struct hsim_bay *bays = roster->cluster->bays;
  for (int bay = n->first_bay; bay < n->first_bay + n->n_bays && !up; bay++)
    for (int gpu = bays[bay].first_gpu; gpu < bays[bay].first_gpu + bays[bay].gpus; gpu++)
      if (roster->leases.gpus[gpu].holder >= 0)
        themis_roster_release(roster, roster->leases.gpus[gpu].holder, gpu, now);
  themis_leases_node(&roster->leases, node, up);
}

/* ---- Leases ---- */

void themis_roster_release(struct themis_roster *roster, int bidder, int gpu, double now) {
  struct themis_bidder *b = &roster->bidders[bidder];
  themis_lease_release(&roster->leases, &b->head, gpu);
  b->touched = true;
  if (--b->held == 0)
    b->bare_since_s = now;
}

void themis_roster_grant(struct themis_roster *roster, int bidder, int bay, double end_s,
                         double now) {
  struct themis_bidder *b = &roster->bidders[bidder];
  int gpu = themis_lease_pick(&roster->leases, bay, bidder);
  themis_lease_grant(&roster->leases, &b->head, bidder, gpu, end_s);
  b->touched = true;
  b->held++;
  b->type = roster->cluster->bays[bay].type;
  b->bare_since_s = INFINITY;
  b->assigned_s = now;
}

/* ---- Agents ---- */

static double seconds(const void *context, int task, int workers, enum hsim_span span) {
  const struct themis_context *c = context;
  return hsim_remaining_s(c->view, c->jobs[task], c->type, workers, span);
}

void themis_roster_agent(struct themis_roster *roster, const struct hsim_view *view, int bidder,
                         int type, struct themis_context *context, struct themis_agent *agent) {
  const struct themis_bidder *b = &roster->bidders[bidder];
  context->view = view;
  context->type = type;
  context->jobs =
      mem_grow(context->jobs, (size_t)b->n_jobs + 1, &context->capacity, sizeof *context->jobs);
  themis_agent_begin(agent, roster->cluster, seconds, context);
  agent->app = b->app;
  agent->type = type;
  for (int i = 0; i < b->n_jobs; i++) {
    const struct hsim_active *active = hsim_active_job(view, b->jobs[i]);
    const struct themis_sizes *sizes = themis_roster_sizes(roster, view, active, type);
    if (sizes->most == 0)
      continue;
    context->jobs[agent->n_tasks] = active;
    const struct hsim_gang *gang = active->n_gangs > 0 ? active->gangs[0] : NULL;
    themis_agent_task(agent, active->index, sizes->least, sizes->most, gang ? gang->shares : NULL,
                      gang ? gang->n_shares : 0);
  }
  for (int gpu = b->head; gpu >= 0; gpu = roster->leases.gpus[gpu].next)
    themis_agent_hold(agent, roster->leases.bay_of[gpu], 1);
  themis_agent_finish(agent);
}
