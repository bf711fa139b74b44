/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Made-up workloads: jobs whose arrivals, gang sizes, durations and models are drawn from
 * distributions, and the generators and scenarios of published systems.
 *
 * Each purpose has a random stream of its own (hsim_rng, "generate.arrivals" and so on), so that
 * another distribution of durations leaves arrivals, sizes and models as they were. Times are
 * rounded to milliseconds, so that the last bits of the mathematical library's functions do not
 * show. The presets that equal another program draw as that program does and are not rounded.
 */
#ifndef HSIM_WORKLOAD_WORKLOAD_H
#define HSIM_WORKLOAD_WORKLOAD_H

#include "model/rates.h"
#include "model/trace.h"

/* How jobs (Themis: apps) arrive; the first at 0. `gap_s` is the mean time between two in the long
 * run. */
enum arrival_kind {
  ARRIVE_STATIC,  /* all at 0 */
  ARRIVE_POISSON, /* exponential gaps */
  /* A Poisson process whose rate is (1 + swing cos(2 pi (t - peak) / period)) / gap: a day and a
   * night. Drawn by thinning (Lewis and Shedler 1979). */
  ARRIVE_DIURNAL,
  /* Bursts: a geometric number of jobs, `burst` on average, `within_s` apart on average; between
   * bursts an exponential pause that keeps the mean gap. Needs burst gap > (burst - 1) within. */
  ARRIVE_BURSTY
};
struct arrivals {
  enum arrival_kind kind;
  double gap_s;
  double period_s, peak_s, swing; /* 0 <= swing <= 1 */
  double burst, within_s;         /* burst >= 1 */
};

/* Durations in seconds; a draw outside least..most is drawn again. */
enum duration_kind {
  LAST_FIXED,       /* a */
  LAST_EXPONENTIAL, /* mean a */
  LAST_UNIFORM,     /* between least and most */
  LAST_LOGUNIFORM,  /* its logarithm uniform between those of least and most */
  LAST_LOGNORMAL,   /* median a, standard deviation of the logarithm b */
  LAST_WEIBULL,     /* scale a, shape b */
  LAST_GAVEL /* 60 * 10^x s: x uniform in 1.5..3 (80 %) or 3..4 (Narayanan et al., OSDI'20) */
};
struct durations {
  enum duration_kind kind;
  double a, b;
  double least, most;
};

/* One of a few values by weight. */
struct weighted {
  int value; /* a gang size; a model */
  double weight;
};
struct mix {
  struct weighted *at;
  size_t n, capacity;
};

enum workload_preset {
  PRESET_NONE,
  PRESET_HADAR,  /* job classes of Sultana et al., Hadar, IPDPS'24: uniform over S, M, L, XL, then
                    GPU-hours uniform within 0-1, 1-10, 10-50, 60-100, then the class's model */
  PRESET_THEMIS, /* apps of many one-GPU jobs: quantiles of the workload of Mahajan et al., Themis,
                    NSDI'20, as its public reimplementation has it */
  PRESET_VODA,   /* the 24 jobs of Hsieh, Voda, NTHU 2021 (IC2E'23) */
  PRESET_GAVEL,  /* Gavel's generate_trace.py, draw by draw */
  PRESET_GAVEL_CONTINUOUS /* the jobs of Gavel's simulator without a trace, draw by draw */
};

struct workload_spec {
  uint64_t seed;
  struct arrivals arrivals;
  struct mix gangs;
  struct durations durations;
  struct mix models;   /* of the rates table; empty: all alike */
  double lam_s;        /* Gavel: mean gap, 0: all at 0 */
  double min_h, max_h; /* Gavel's generate_trace.py: the lists of durations */
  double fixed_s;      /* Gavel's simulator: 0: durations are drawn */
  enum workload_preset preset;
  int n_jobs;          /* Themis, Voda: at most */
  int n_durations;     /* Gavel's generate_trace.py */
  int n_apps;          /* Themis */
  bool with_models;    /* else the trace names none */
  bool families;       /* Themis: the ten families of its model table instead of the mix */
  bool hard;           /* Voda: the second of its two patterns */
  bool multi_gpu;      /* Gavel */
  bool multi_priority; /* Gavel's simulator */
  bool slo;            /* Gavel's simulator */
};

struct workload {
  struct trace trace; /* jobs in arrival order; steps are 0 while durations_s stands */
  size_t jobs_capacity;
  double *durations_s; /* seconds on the reference type, NULL: steps are given */
  struct names models; /* hsim_job.model's names */
};

/* `rates` and `reference`, the number of a type of it, say which models can run at a size, and give
 * Gavel's steps. HSIM_BAD_USAGE: what is asked cannot be drawn. On failure *workload is empty. */
enum hsim_status workload_make(const struct workload_spec *spec, const struct rates *rates,
                               int reference, struct workload *workload, struct hsim_error *error);
void workload_free(struct workload *workload);

/* Adds a job with defaults for all that is not given; its id is its number from 0. For the files of
 * this folder. */
struct hsim_job *workload_add(struct workload *workload, double arrival_s, int model, int workers);

/* The parts, one a file. */
enum hsim_status workload_gavel(const struct workload_spec *spec, const struct rates *rates,
                                int reference, struct workload *workload, struct hsim_error *error);
enum hsim_status workload_themis(const struct workload_spec *spec, const struct rates *rates,
                                 int reference, struct workload *workload,
                                 struct hsim_error *error);
void workload_voda(const struct workload_spec *spec, struct workload *workload);

#endif
