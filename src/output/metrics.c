/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/names.h"
#include "model/trace.h"
#include "output/fairness.h"
#include "output/ideal.h"
#include "output/usage.h"

/* More different texts than this are counted as "other": a policy that writes numbers into its
 * reasons shall not fill the summary. */
enum { MAX_REASONS = 16 };

enum job_state { NOT_ARRIVED, ACTIVE, FINISHED, REJECTED, DROPPED, CANCELLED };

struct reasons {
  struct names names;
  struct reason_count counts[MAX_REASONS + 1];
};

struct metrics {
  const struct run_info *info;
  int from, to;
  double *first_start;               /* [n_jobs], NaN before */
  double *end;                       /* [n_jobs], NaN before */
  uint8_t *state;                    /* [n_jobs] enum job_state */
  double first_arrival, last_finish; /* of the window's jobs */
  double end_s;
  struct usage usage;
  uint64_t rounds, starts, restarts, preemptions, migrations, resizes, moved;
  double wait_s[HSIM_N_REASONS];
  struct reasons rejected, dropped;
};

const char *metrics_reason_name(enum hsim_reason reason) {
  static const char *const names[HSIM_N_REASONS] = {
      [HSIM_OUTRANKED] = "outranked",   [HSIM_NO_CAPACITY] = "no_capacity",
      [HSIM_FRAGMENTED] = "fragmented", [HSIM_WRONG_TYPE] = "wrong_type",
      [HSIM_PRICE] = "price",           [HSIM_QUOTA] = "quota",
      [HSIM_LEASE] = "lease",           [HSIM_RESTART] = "restart",
      [HSIM_NEXT_ROUND] = "next_round"};
  return names[reason];
}

struct metrics *metrics_create(const struct run_info *info, int from, int to) {
  const struct trace *trace = info->trace;
  size_t n = (size_t)trace->n_jobs;
  struct metrics *m = mem_zero(1, sizeof *m);
  m->info = info;
  m->from = from < 0 ? 0 : from;
  m->to = to > trace->n_jobs ? trace->n_jobs : to;
  m->first_start = mem_alloc(n, sizeof *m->first_start);
  m->end = mem_alloc(n, sizeof *m->end);
  m->state = mem_zero(n, 1);
  for (size_t j = 0; j < n; j++)
    m->first_start[j] = m->end[j] = NAN;
  m->first_arrival = m->from < m->to ? trace->jobs[m->from].arrival_s : NAN;
  m->last_finish = m->end_s = NAN;
  usage_init(&m->usage, info->cluster, n > 0 ? trace->jobs[0].arrival_s : 0.0);
  return m;
}

void metrics_free(struct metrics *m) {
  if (m == NULL)
    return;
  free(m->first_start);
  free(m->end);
  free(m->state);
  usage_free(&m->usage);
  names_free(&m->rejected.names);
  names_free(&m->dropped.names);
  free(m);
}

static void count_reason(struct reasons *reasons, const char *text) {
  if (text == NULL || text[0] == '\0')
    text = "unknown";
  int i = names_find(&reasons->names, text, strlen(text));
  if (i < 0 && reasons->names.n >= MAX_REASONS)
    text = "other";
  if (i < 0)
    i = names_add(&reasons->names, text, strlen(text));
  reasons->counts[i].text = reasons->names.at[i];
  reasons->counts[i].n++;
}

static void end_job(struct metrics *m, const struct record *r, enum job_state state) {
  m->end[r->job] = r->time;
  m->state[r->job] = (uint8_t)state;
}

/* Records of one job inside the window. */
static void count_job_record(struct metrics *m, const struct record *r) {
  switch (r->kind) {
  case RECORD_START:
    m->starts += r->counts;
    m->restarts += r->counts && !isnan(m->first_start[r->job]);
    break;
  case RECORD_RESIZE:
    m->resizes += r->counts;
    m->moved += (uint64_t)r->moved;
    break;
  case RECORD_MIGRATE:
    m->migrations += r->counts;
    m->moved += (uint64_t)r->moved;
    break;
  case RECORD_PREEMPT:
    m->preemptions += r->counts;
    break;
  case RECORD_FINISH:
    m->last_finish = r->time;
    break;
  case RECORD_REJECT:
    count_reason(&m->rejected, r->detail);
    break;
  case RECORD_DROP:
    count_reason(&m->dropped, r->detail);
    break;
  case RECORD_WAIT:
    m->wait_s[r->reason] += r->time - r->from;
    break;
  default:
    break;
  }
}

static void take_record(void *state, const struct record *r) {
  struct metrics *m = state;
  usage_record(&m->usage, r);
  if (r->job >= m->from && r->job < m->to)
    count_job_record(m, r);
  switch (r->kind) {
  case RECORD_ROUND:
    m->rounds += r->count;
    break;
  case RECORD_END:
    m->end_s = r->time;
    break;
  case RECORD_ARRIVE:
    m->state[r->job] = ACTIVE;
    break;
  case RECORD_START:
    if (isnan(m->first_start[r->job]))
      m->first_start[r->job] = r->time;
    break;
  case RECORD_FINISH:
    end_job(m, r, FINISHED);
    break;
  case RECORD_REJECT:
    end_job(m, r, REJECTED);
    break;
  case RECORD_DROP:
    end_job(m, r, DROPPED);
    break;
  case RECORD_CANCEL:
    end_job(m, r, CANCELLED);
    break;
  default:
    break;
  }
}

struct sink metrics_sink(struct metrics *metrics) {
  return (struct sink){.state = metrics, .record = take_record};
}

static void count_jobs(const struct metrics *m, struct figures *f) {
  for (int j = m->from; j < m->to; j++) {
    switch (m->state[j]) {
    case FINISHED:
      f->finished++;
      break;
    case REJECTED:
      f->rejected++;
      break;
    case DROPPED:
      f->dropped++;
      break;
    case CANCELLED:
      f->cancelled++;
      break;
    default:
      f->unfinished++;
      break;
    }
  }
}

static struct job_fate fate_of(const void *state, int index) {
  const struct metrics *m = state;
  return (struct job_fate){m->first_start[index], m->end[index], m->state[index] == FINISHED};
}

static void job_figures(const struct metrics *m, struct ideal *ideal, double *values,
                        struct figures *f) {
  size_t n = 0;
  int *jobs = mem_alloc((size_t)m->info->trace->n_jobs, sizeof *jobs);
  for (int j = m->from; j < m->to; j++)
    jobs[n++] = j;
  struct job_figures figures = job_figures_of(m->info->trace, ideal, jobs, n, fate_of, m, values);
  f->jct = figures.jct;
  f->queueing = figures.queueing;
  f->slowdown = figures.slowdown;
  free(jobs);
}

static void fairness(const struct metrics *m, struct ideal *ideal, double *values,
                     struct figures *f) {
  struct fairness_input input = {.trace = m->info->trace,
                                 .ideal = ideal,
                                 .end_s = m->end_s,
                                 .from = m->from,
                                 .to = m->to,
                                 .state = m,
                                 .job = fate_of};
  struct fairness_figures figures = fairness_figures_of(values, fairness_rho(&input, values, NULL));
  f->rho = figures.rho;
  f->unfair_fraction = figures.unfair_fraction;
  f->jain = figures.jain;
}

static void utilisation(const struct metrics *m, struct figures *f) {
  struct usage_fractions u;
  usage_fractions(&m->usage, &u);
  f->held = u.held;
  f->busy = u.busy;
  f->productive = u.productive;
  f->node_mean = u.node_mean;
  f->availability = u.availability;
  f->lost_gpu_s = m->usage.lost;
  memcpy(f->held_by_type, u.held_by_type, sizeof f->held_by_type);
}

void metrics_figures(struct metrics *m, struct figures *f) {
  *f = (struct figures){.end_s = m->end_s,
                        .makespan_s = m->last_finish - m->first_arrival,
                        .rounds = m->rounds,
                        .starts = m->starts,
                        .restarts = m->restarts,
                        .preemptions = m->preemptions,
                        .migrations = m->migrations,
                        .resizes = m->resizes,
                        .moved_workers = m->moved,
                        .rejected_by = m->rejected.counts,
                        .n_rejected_by = m->rejected.names.n,
                        .dropped_by = m->dropped.counts,
                        .n_dropped_by = m->dropped.names.n};
  memcpy(f->wait_s, m->wait_s, sizeof f->wait_s);
  struct ideal ideal;
  ideal_init(&ideal, m->info->oracle);
  double *values = mem_alloc((size_t)m->info->trace->n_jobs, sizeof *values);
  count_jobs(m, f);
  job_figures(m, &ideal, values, f);
  fairness(m, &ideal, values, f);
  utilisation(m, f);
  free(values);
  ideal_free(&ideal);
}
