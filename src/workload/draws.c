/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/draws.h"

#include <math.h>
#include <stdlib.h>

#include "hsim/view.h"
#include "model/memory.h"

enum { MOST_TRIES = 1000 };

/* ---- hsim's random numbers for GSL ---- */

static void no_seed(void *state, unsigned long seed) {
  (void)state;
  (void)seed;
}

static unsigned long next_whole(void *state) {
  return (unsigned long)(hsim_rng_next(state) >> 32);
}

static double next_uniform(void *state) {
  return hsim_rng_uniform(state);
}

gsl_rng *draws_stream(uint64_t seed, const char *purpose) {
  static const gsl_rng_type type = {.name = "xoshiro256**",
                                    .max = 0xffffffffUL,
                                    .min = 0,
                                    .size = sizeof(struct hsim_rng),
                                    .set = no_seed,
                                    .get = next_whole,
                                    .get_double = next_uniform};
  gsl_set_error_handler_off(); /* it would abort */
  gsl_rng *rng = gsl_rng_alloc(&type);
  if (!rng)
    mem_fail();
  hsim_rng_init(gsl_rng_state(rng), seed, purpose);
  return rng;
}

double to_milliseconds(double seconds) {
  return round(seconds * 1000) / 1000;
}

/* ---- arrivals ---- */

struct arrival_process arrivals_begin(const struct arrivals *arrivals, uint64_t seed) {
  return (struct arrival_process){.arrivals = arrivals,
                                  .rng = draws_stream(seed, "generate.arrivals")};
}

void arrivals_end(struct arrival_process *process) {
  gsl_rng_free(process->rng);
}

static double next_diurnal(struct arrival_process *p) {
  const struct arrivals *a = p->arrivals;
  double t = p->now;
  for (;;) {
    t += gsl_ran_exponential(p->rng, a->gap_s / (1 + a->swing));
    double rate = 1 + a->swing * cos(2 * M_PI * (t - a->peak_s) / a->period_s);
    if (gsl_rng_uniform(p->rng) * (1 + a->swing) < rate)
      return t;
  }
}

static double next_bursty(struct arrival_process *p) {
  const struct arrivals *a = p->arrivals;
  if (p->left_in_burst > 0) {
    p->left_in_burst--;
    return p->now + gsl_ran_exponential(p->rng, a->within_s);
  }
  double pause =
      p->begun ? gsl_ran_exponential(p->rng, a->burst * a->gap_s - (a->burst - 1) * a->within_s)
               : 0;
  p->left_in_burst = gsl_ran_geometric(p->rng, 1 / a->burst) - 1;
  return p->now + pause;
}

double arrivals_next(struct arrival_process *p) {
  double next = 0;
  if (p->arrivals->kind == ARRIVE_BURSTY)
    next = next_bursty(p);
  else if (p->begun && p->arrivals->kind == ARRIVE_POISSON)
    next = p->now + gsl_ran_exponential(p->rng, p->arrivals->gap_s);
  else if (p->begun && p->arrivals->kind == ARRIVE_DIURNAL)
    next = next_diurnal(p);
  p->begun = true;
  p->now = next;
  return to_milliseconds(next);
}

/* ---- durations ---- */

static double draw_once(const struct durations *d, gsl_rng *rng) {
  switch (d->kind) {
  case LAST_EXPONENTIAL:
    return gsl_ran_exponential(rng, d->a);
  case LAST_UNIFORM:
    return gsl_ran_flat(rng, d->least, d->most);
  case LAST_LOGUNIFORM:
    return exp(gsl_ran_flat(rng, log(d->least), log(d->most)));
  case LAST_LOGNORMAL:
    return gsl_ran_lognormal(rng, log(d->a), d->b);
  case LAST_WEIBULL:
    return gsl_ran_weibull(rng, d->a, d->b);
  case LAST_GAVEL:
    return 60 * pow(10, gsl_rng_uniform(rng) < 0.8 ? gsl_ran_flat(rng, 1.5, 3)
                                                   : gsl_ran_flat(rng, 3, 4));
  default:
    return d->a;
  }
}

double draw_duration(const struct durations *durations, gsl_rng *rng) {
  for (int i = 0; i < MOST_TRIES; i++) {
    double seconds = to_milliseconds(draw_once(durations, rng));
    if (seconds >= durations->least && seconds <= durations->most)
      return seconds;
  }
  return NAN;
}

/* ---- by weight ---- */

gsl_ran_discrete_t *draws_prepare(const struct mix *mix) {
  double *weights = mem_alloc(mix->n, sizeof *weights);
  for (size_t i = 0; i < mix->n; i++)
    weights[i] = mix->at[i].weight;
  /* GSL does not look whether it gets its memory (some six values an entry). What is freed here
   * stays with the program, so that it does. */
  free(mem_alloc(16 * ((size_t)mix->n + 16), sizeof(double)));
  gsl_ran_discrete_t *prepared = gsl_ran_discrete_preproc(mix->n, weights);
  if (!prepared)
    mem_fail();
  free(weights);
  return prepared;
}
