/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The random numbers of CPython's random.Random, on which published Gavel results depend: the
 * Mersenne Twister MT19937 (Matsumoto and Nishimura 1998) and the derived draws of CPython 3.8 to
 * 3.13. Everything else in hsim draws from hsim_rng.
 */
#ifndef HSIM_MODEL_MT19937_H
#define HSIM_MODEL_MT19937_H

#include <stddef.h>
#include <stdint.h>

struct mt19937 {
  uint32_t word[624];
  int next; /* next word to hand out, 624: make new ones */
};

/* random.Random(seed) for a seed >= 0. */
void mt19937_seed(struct mt19937 *mt, uint64_t seed);

double mt19937_random(struct mt19937 *mt);              /* [0, 1), 53 bits */
uint32_t mt19937_bits(struct mt19937 *mt, int k);       /* getrandbits(k), 1 <= k <= 32 */
uint32_t mt19937_below(struct mt19937 *mt, uint32_t n); /* randrange(n), choice: n >= 1 */
double mt19937_uniform(struct mt19937 *mt, double a, double b);
void mt19937_shuffle(struct mt19937 *mt, int *list, int n); /* random.shuffle */
/* random.sample(range(n), 2) in the order of the draws; n >= 2. */
void mt19937_sample_two(struct mt19937 *mt, uint32_t n, uint32_t drawn[2]);

#endif
