/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/prices.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

/* Extremes over the jobs, before they become bounds. */
struct extremes {
  double high[HSIM_MAX_TYPES];
  double highest;     /* on each job's fastest type */
  double low;         /* min U(longest) / (n W) */
  double gpu_rounds;  /* min n W */
  double most_rounds; /* max n */
};

static void add_stake(struct extremes *e, const struct hadar_stake *stake, double round_s) {
  const struct hadar_kind *kind = stake->kind;
  double workers = kind->workers;
  double longest = stake->steps / kind->slowest_up;
  double rounds = fmax(1, ceil(longest / round_s));
  e->low = fmin(e->low, stake->worth / longest / (rounds * workers));
  e->gpu_rounds = fmin(e->gpu_rounds, rounds * workers);
  e->most_rounds = fmax(e->most_rounds, rounds);
  for (int i = 0; i < kind->n_types; i++) {
    int type = kind->type[i];
    double high = stake->worth / (stake->steps / kind->one_node[type]) / workers;
    e->high[type] = fmax(e->high[type], high);
  }
  double high = stake->worth / (stake->steps / kind->fastest_up) / workers;
  e->highest = fmax(e->highest, high);
}

/* The ends are set and not computed, so that they hold to the last bit. */
static void fill_bay(struct hadar_prices *prices, const struct hadar_bay *bay) {
  double low = prices->low[bay->type], high = prices->high[bay->type];
  double *price = &prices->at[bay->price_at];
  double log_low = log(low), step = log(high) - log_low;
  for (int unused = 0; unused <= bay->gpus; unused++)
    price[unused] = exp(log_low + step * (bay->gpus - unused) / bay->gpus);
  price[0] = high;
  price[bay->gpus] = low;
}

void hadar_prices_set(struct hadar_prices *prices, const struct hadar_classes *classes,
                      const struct hadar_stake *stakes, int n, double round_s,
                      const struct hadar_settings *settings) {
  struct extremes e = {.low = INFINITY, .gpu_rounds = INFINITY};
  for (int i = 0; i < n; i++)
    if (stakes[i].kind->slowest_up > 0)
      add_stake(&e, &stakes[i], round_s);
  bool any = e.most_rounds > 0;
  prices->inverse_eta = any ? e.gpu_rounds / classes->n_gpus : 0;
  if (settings->eta_over_rounds && any)
    prices->inverse_eta /= e.most_rounds;
  double low = any ? prices->inverse_eta / 4 * e.low : 1;
  prices->alpha = 1;
  for (int t = 0; t < HSIM_MAX_TYPES; t++) {
    double high = settings->global_cap ? e.highest : e.high[t];
    prices->high[t] = high > 0 ? high : low;
    prices->low[t] = fmin(low, prices->high[t]);
    if (classes->type_gpus[t] > 0)
      prices->alpha = fmax(prices->alpha, log(prices->high[t] / prices->low[t]));
  }
  if (prices->capacity < (size_t)classes->n_prices)
    prices->at =
        mem_grow(prices->at, (size_t)classes->n_prices, &prices->capacity, sizeof *prices->at);
  for (int b = 0; b < classes->n_bays; b++)
    fill_bay(prices, &classes->bays[b]);
}

void hadar_prices_free(struct hadar_prices *prices) {
  free(prices->at);
  *prices = (struct hadar_prices){0};
}
