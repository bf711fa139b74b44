/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/one_run.h"

#include <stdlib.h>

#include "cli/run_progress.h"
#include "engine/engine.h"
#include "model/clock.h"
#include "output/auditor.h"
#include "output/metrics.h"
#include "output/progress.h"

enum { SINKS_MAX = 4 + N_OUTPUT_FILES };

/* The run's sinks and what they own. */
struct sinks {
  struct sink at[SINKS_MAX];
  size_t n;
  struct metrics *metrics;
  struct groups *groups; /* NULL: not asked for */
  struct auditor *auditor;
  struct progress *progress;
  struct out outs[N_OUTPUT_FILES];
  bool logging; /* one of them takes what the policy says */
};

static void add(struct sinks *sinks, struct sink sink) {
  sinks->at[sinks->n++] = sink;
}

static void open_parts(struct sinks *sinks, const struct run_info *info,
                       const struct run_parts *parts) {
  for (int i = 0; i < N_OUTPUT_FILES; i++) {
    if (parts->fds[i] < 0)
      continue;
    out_open_fd(&sinks->outs[i], parts->fds[i], parts->paths[i]);
    struct sink sink = output_files[i].sink(info, &sinks->outs[i]);
    sinks->logging |= sink.emit != NULL;
    add(sinks, sink);
  }
}

static void sinks_open(struct sinks *sinks, const struct cli_options *options,
                       const struct run_info *info, const struct run_parts *parts,
                       struct process_self *self) {
  *sinks = (struct sinks){0};
  sinks->metrics = metrics_create(info, options->measure_from, options->measure_to);
  add(sinks, metrics_sink(sinks->metrics));
  if (options->by != GROUP_NONE) {
    sinks->groups = groups_create(info, (enum group_key)options->by);
    add(sinks, groups_sink(sinks->groups));
  }
  if (options->audit)
    add(sinks, auditor_sink(sinks->auditor = auditor_create(info)));
  if (self->news) {
    sinks->progress = progress_create(info, options->measure_from, options->measure_to,
                                      clock_seconds, run_progress_tell, self);
    add(sinks, progress_sink(sinks->progress));
  }
  open_parts(sinks, info, parts);
}

static void sinks_close(struct sinks *sinks) {
  metrics_free(sinks->metrics);
  groups_free(sinks->groups);
  auditor_free(sinks->auditor);
  progress_free(sinks->progress);
  for (size_t i = 0; i < sinks->n; i++)
    if (sinks->at[i].free)
      sinks->at[i].free(sinks->at[i].state);
  for (int i = 0; i < N_OUTPUT_FILES; i++)
    out_discard(&sinks->outs[i]);
}

struct summary_id one_run_id(const struct cli_options *options, const struct inputs *inputs,
                             size_t i, uint64_t seed) {
  const struct hsim_policy *table = &inputs->runs[i].policy.table;
  return (struct summary_id){.policy = options->policies.at[i].name,
                             .options = table->options,
                             .values = inputs->runs[i].values.at,
                             .n_options = table->n_options,
                             .seeded = options->seeds.n > 0,
                             .seed = seed};
}

enum { TIMING_MAX = 6 };

static size_t timing(struct summary_pair out[TIMING_MAX], const struct engine_result *result,
                     const struct figures *figures, double begin, double wall) {
  size_t n = 0;
  out[n++] = (struct summary_pair){"wall_s", wall};
  out[n++] = (struct summary_pair){"policy_s", result->policy_seconds};
  out[n++] = (struct summary_pair){"policy_calls", (double)result->policy_calls};
  out[n++] = (struct summary_pair){"simulated_s_per_wall_s", (result->end_s - begin) / wall};
  out[n++] = (struct summary_pair){"jobs_per_s", (double)figures->finished / wall};
  out[n++] = (struct summary_pair){"rounds_per_s", (double)result->rounds / wall};
  return n;
}

static char *describe(const struct cli_options *options, const struct inputs *inputs, size_t i,
                      const struct summary_bound *bound, const struct engine_result *result,
                      const struct figures *figures, struct groups *groups, double wall) {
  const struct planned_run *run = &inputs->runs[i];
  const struct hsim_policy *table = &run->policy.table;
  int n_jobs = inputs->trace.n_jobs;
  struct summary_pair *stats = mem_alloc(result->n_stats, sizeof *stats);
  for (size_t s = 0; s < result->n_stats; s++)
    stats[s] = (struct summary_pair){result->stats[s].name, result->stats[s].value};
  struct summary_pair times[TIMING_MAX];
  double begin = n_jobs ? inputs->trace.jobs[0].arrival_s : 0;
  size_t n_groups = 0;
  const struct group *by_group = groups ? groups_figures(groups, &n_groups) : NULL;
  struct summary_run summary = {
      .id = one_run_id(options, inputs, i, inputs->seed),
      .mode = table->mode,
      .round_s = options->round_s,
      .until_s = options->until,
      .semantics = &run->semantics,
      .costs = &run->costs,
      .oracle = table->oracle,
      .n_jobs = n_jobs,
      .measure_from = options->measure_from,
      .measure_to = options->measure_to < n_jobs ? options->measure_to : n_jobs,
      .interrupted = result->interrupted,
      .cluster = &inputs->cluster.view,
      .figures = figures,
      .by = (enum group_key)options->by,
      .groups = by_group,
      .n_groups = n_groups,
      .bound = bound,
      .stats = stats,
      .n_stats = result->n_stats,
      .timing = times,
      .n_timing = options->timing ? timing(times, result, figures, begin, wall) : 0,
  };
  char *text = summary_run_text(&summary);
  free(stats);
  return text;
}

enum hsim_status one_run(const struct cli_options *options, const struct inputs *inputs, size_t i,
                         const struct run_parts *parts, const struct summary_bound *bound,
                         struct process_self *self, char **text, struct hsim_error *error) {
  const struct planned_run *run = &inputs->runs[i];
  const struct hsim_policy *table = &run->policy.table;
  struct hsim_oracle oracle;
  oracle_init(&oracle, &inputs->rates, &inputs->cluster.view, &run->semantics);
  oracle.node_speed = inputs->outages.node_speed;
  char *typed = policy_spec_text(&options->policies.at[i]);
  struct run_info info = {.policy = typed,
                          .run = parts->run,
                          .from = options->measure_from,
                          .to = options->measure_to,
                          .trace = &inputs->trace,
                          .rates = &inputs->rates,
                          .cluster = &inputs->cluster.view,
                          .oracle = &oracle,
                          .mode = table->mode == HSIM_MODE_ROUND ? RUN_ROUND : RUN_EVENT,
                          .round_s = options->round_s,
                          .seeded = options->seeds.n > 0,
                          .seed = inputs->seed,
                          .elastic = table->elastic,
                          .whole_steps = run->semantics.steps == STEPS_WHOLE &&
                                         table->mode == HSIM_MODE_ROUND};
  struct sinks sinks;
  sinks_open(&sinks, options, &info, parts, self);
  struct engine_config config = {.trace = &inputs->trace,
                                 .cluster = &inputs->cluster.view,
                                 .rates = &inputs->rates,
                                 .semantics = run->semantics,
                                 .costs = run->costs,
                                 .round_s = options->round_s,
                                 .until = options->until,
                                 .seed = inputs->seed,
                                 .measure_from = options->measure_from,
                                 .measure_to = options->measure_to,
                                 .policy = table,
                                 .node_events = inputs->outages.nodes,
                                 .n_node_events = inputs->outages.n_nodes,
                                 .cancels = inputs->outages.cancels,
                                 .n_cancels = inputs->outages.n_cancels,
                                 .faults = inputs->outages.faults,
                                 .node_speed = inputs->outages.node_speed,
                                 .values = run->values.at,
                                 .sinks = sinks.at,
                                 .n_sinks = sinks.n,
                                 .logging = sinks.logging,
                                 .timing = options->timing,
                                 .stop = self->stop};
  struct engine_result result;
  double began = clock_seconds();
  enum hsim_status status = engine_run(&config, &result, error);
  double wall = clock_seconds() - began;
  if (status == HSIM_OK) {
    struct figures figures;
    metrics_figures(sinks.metrics, &figures);
    *text = describe(options, inputs, i, bound, &result, &figures, sinks.groups, wall);
  }
  engine_result_free(&result);
  sinks_close(&sinks);
  free(typed);
  return status;
}
