/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A policy to copy and fill in. It runs as it stands: first come, first served on the first GPU
 * type with room. Every callback is here; all but `schedule` may be left out of the table.
 *
 *   cp examples/policy/template.c mine.c
 *   cc -std=c17 -shared -fPIC -I include -o mine.so mine.c
 *   hsim --policy ./mine.so --trace mine.csv
 *
 * What each call may rely on stands in hsim/policy.h; docs/writing-a-policy.md explains it.
 */
#include <stdio.h>

#include "hsim/policy.h"

/* What a user may set: --policy ./mine.so:limit=10. The core checks values against the range. */
enum { OPTION_LIMIT, N_OPTIONS };

static const struct hsim_option options[N_OPTIONS] = {
    [OPTION_LIMIT] = {.name = "limit",
                      .kind = HSIM_OPTION_INT,
                      .fallback = "1000000",
                      .min = 1,
                      .max = 1000000,
                      .help = "most jobs that run at once"},
};

/* All that is remembered between calls. No static variables: several runs may share a process. */
struct template {
  int limit;
  double gpu_seconds; /* that round_ended was told of */
};

/* Which preset of the semantics these options need; NULL: whatever the user chose. */
static const char *preset(const struct hsim_value *values) {
  (void)values;
  return NULL;
}

/* Once, before the first event. The state is zeroed; allocate here what depends on the cluster or
 * on the number of jobs. The values stay valid for the run. */
static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  (void)view;
  (void)error;
  struct template *mine = state;
  mine->limit = (int)values[OPTION_LIMIT].as.i;
  return HSIM_OK;
}

/* Once, also after a create or run that failed: free what the state points to, not the state. */
static void destroy(void *state) {
  (void)state;
}

/* The job is in the view from now on and holds nothing yet. */
static void job_arrived(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)state;
  (void)view;
  (void)job;
}

/* The job finished or was rejected or dropped; this is the last call in which it can be read. */
static void job_finished(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)state;
  (void)view;
  (void)job;
}

/* The engine took all GPUs of the job: a node went down, or its next phase has no rate there. */
static void job_stopped(void *state, const struct hsim_view *view, const struct hsim_active *job) {
  (void)state;
  (void)view;
  (void)job;
}

/* A node went down (what ran on it holds nothing now) or came up. */
static void node_changed(void *state, const struct hsim_view *view, int node, bool up) {
  (void)state;
  (void)view;
  (void)node;
  (void)up;
}

/* What ran since the last call, one entry a gang. */
static void round_ended(void *state, const struct hsim_view *view, const struct hsim_ran *ran,
                        size_t n_ran) {
  (void)view;
  struct template *mine = state;
  for (size_t i = 0; i < n_ran; i++)
    mine->gpu_seconds += ran[i].gpus * ran[i].seconds;
}

/* The decision: edit the plan. Without an edit everything goes on as it is. */
static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  (void)error;
  struct template *mine = state;
  int running = view->n_running;
  for (const struct hsim_active *job = view->first; job && running < mine->limit; job = job->next) {
    if (job->n_gangs > 0)
      continue;
    for (int type = 0; type < view->cluster->n_types; type++) {
      const struct hsim_share *shares;
      int n = hsim_find_gpus(plan, type, job->job->workers, HSIM_PACK_PREFER, &shares);
      if (n == 0 || hsim_rate(view->oracle, job, shares, n) <= 0)
        continue;
      hsim_plan_place(plan, job->index, shares, n);
      running++;
      break;
    }
  }
  return HSIM_OK;
}

/* Once, after a run that went well: the last chance for figures of the summary. */
static void ended(void *state, const struct hsim_view *view) {
  const struct template *mine = state;
  hsim_stat(view, "gpu_hours_seen", mine->gpu_seconds / 3600);
}

/* One line about the state, for the report of an error. */
static void dump(const void *state, char *text, size_t size) {
  const struct template *mine = state;
  snprintf(text, size, "limit %d, %g GPU-seconds seen", mine->limit, mine->gpu_seconds);
}

/* What an option that was not typed is when others decide it; NULL: its default. */
static const char *settled(const struct hsim_value *values, int option) {
  (void)values;
  (void)option;
  return NULL;
}

/* What the table says of itself may depend on the options. */
static void configure(struct hsim_policy *table, const struct hsim_value *values) {
  (void)table;
  (void)values;
}

/* After a run that went well: fails it when its figures are not what they should be. */
static enum hsim_status verdict(void *state, const struct hsim_view *view,
                                struct hsim_error *error) {
  (void)state;
  (void)view;
  (void)error;
  return HSIM_OK;
}

/* The one symbol that hsim looks for. */
HSIM_API const struct hsim_policy hsim_policy = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "template",
    .summary = "First come, first served on the first GPU type with room",
    .mode = HSIM_MODE_EVENT,    /* or HSIM_MODE_ROUND: asked every --round seconds */
    .elastic = false,           /* true: jobs run at min_workers..max_workers */
    .mixes_types = false,       /* true: one gang may stand on several GPU types */
    .frees_at_finish = false,   /* round mode: GPUs of a finished job are offered at once */
    .forks = false,             /* true: runs copies of a job beside each other */
    .never_pairs = true,        /* two jobs never share GPUs */
    .oracle = HSIM_KNOWS_RATES, /* | HSIM_KNOWS_REMAINING for remaining steps */
    .state_size = sizeof(struct template),
    .options = options,
    .n_options = N_OPTIONS,
    .preset = preset,
    .create = create,
    .destroy = destroy,
    .job_arrived = job_arrived,
    .job_finished = job_finished,
    .job_stopped = job_stopped,
    .node_changed = node_changed,
    .round_ended = round_ended,
    .schedule = schedule,
    .ended = ended,
    .dump = dump,
    .settled = settled,
    .configure = configure,
    .verdict = verdict,
};
