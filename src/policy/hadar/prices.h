/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The price of a GPU (Sultana et al., Hadar, IPDPS'24; the scheme is that of Bao et al., OASiS,
 * INFOCOM'18). With g of the c GPUs of type r on a node taken, each costs
 *   k = Umin_r (Umax_r / Umin_r)^(g / c)
 * so an empty node lets any job in, and a full one is worth more than any job. Over the jobs j in
 * the system, with d_r their whole duration on type r, n = max(1, ceil(longest duration / round))
 * their most rounds, W their workers, C all GPUs, and U(d) their utility when they take d seconds:
 *   Umax_r = max_j U_j(d_r) / W_j
 *   Umin   = 1/4 * (1/eta) * min_j U_j(longest) / (n_j W_j),   1/eta = min_j n_j W_j / C
 * Utilities are of the form U(d) = worth / d.
 */
#ifndef HSIM_POLICY_HADAR_PRICES_H
#define HSIM_POLICY_HADAR_PRICES_H

#include "policy/hadar/classes.h"
#include "policy/hadar/kinds.h"
#include "policy/hadar/settings.h"

/* What the bounds need of a job. Jobs whose kind has slowest_up = 0 do not count. */
struct hadar_stake {
  const struct hadar_kind *kind;
  double steps; /* all of its work, done or not */
  double worth; /* utility x duration, steps or seconds */
};

struct hadar_prices {
  double low[HSIM_MAX_TYPES], high[HSIM_MAX_TYPES]; /* Umin, Umax of each type */
  double inverse_eta;
  double alpha; /* max(1, max ln(Umax / Umin)): the competitive ratio is 2 alpha */
  double *at;   /* [classes->n_prices], see hadar_bay.price_at */
  size_t capacity;
};

void hadar_prices_set(struct hadar_prices *prices, const struct hadar_classes *classes,
                      const struct hadar_stake *stakes, int n, double round_s,
                      const struct hadar_settings *settings);
void hadar_prices_free(struct hadar_prices *prices);

/* Price of one GPU of the bay when `unused` of its GPUs are free. */
static inline double hadar_price(const struct hadar_prices *prices, const struct hadar_bay *bay,
                                 int unused) {
  return prices->at[bay->price_at + unused];
}

#endif
