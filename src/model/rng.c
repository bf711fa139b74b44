/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018), its
 * state filled by splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
 */
#include "hsim/view.h"

static uint64_t splitmix_next(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash_of(const char *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *text != '\0'; text++) {
    hash ^= (unsigned char)*text;
    hash *= UINT64_C(0x100000001b3);
  }
  return hash;
}

static uint64_t rotate_left(uint64_t x, int bits) {
  return (x << bits) | (x >> (64 - bits));
}

void hsim_rng_init(struct hsim_rng *rng, uint64_t seed, const char *purpose) {
  /* The seed is scrambled first: small seeds and names that differ in one bit would otherwise meet
   * in the same state. */
  uint64_t state = splitmix_next(&seed) ^ hash_of(purpose);
  for (int i = 0; i < 4; i++) /* never all zero: splitmix64 gives no value twice in a row */
    rng->s[i] = splitmix_next(&state);
}

uint64_t hsim_rng_next(struct hsim_rng *rng) {
  uint64_t *s = rng->s;
  uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = rotate_left(s[3], 45);
  return result;
}

double hsim_rng_uniform(struct hsim_rng *rng) {
  return (double)(hsim_rng_next(rng) >> 11) * 0x1p-53;
}

uint64_t hsim_rng_below(struct hsim_rng *rng, uint64_t n) {
  /* Below 2^64 mod n the remainders are not equally many; such values are drawn again. */
  uint64_t uneven = (0 - n) % n;
  uint64_t x;
  do {
    x = hsim_rng_next(rng);
  } while (x < uneven);
  return x % n;
}
