/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/mt19937.h"

enum { WORDS = 624, MIDDLE = 397 };

static void seed_from_word(struct mt19937 *mt, uint32_t seed) {
  mt->word[0] = seed;
  for (uint32_t i = 1; i < WORDS; i++) {
    uint32_t before = mt->word[i - 1];
    mt->word[i] = 1812433253u * (before ^ (before >> 30)) + i;
  }
  mt->next = WORDS;
}

/* The published init_by_array; CPython passes the seed's 32-bit words, lowest first. */
static void seed_from_words(struct mt19937 *mt, const uint32_t *key, uint32_t length) {
  seed_from_word(mt, 19650218u);
  uint32_t i = 1, j = 0;
  for (int k = WORDS; k > 0; k--) { /* a key is never longer than the state here */
    uint32_t before = mt->word[i - 1];
    mt->word[i] = (mt->word[i] ^ ((before ^ (before >> 30)) * 1664525u)) + key[j] + j;
    if (++i == WORDS) {
      mt->word[0] = mt->word[WORDS - 1];
      i = 1;
    }
    if (++j == length)
      j = 0;
  }
  for (int k = WORDS - 1; k > 0; k--) {
    uint32_t before = mt->word[i - 1];
    mt->word[i] = (mt->word[i] ^ ((before ^ (before >> 30)) * 1566083941u)) - i;
    if (++i == WORDS) {
      mt->word[0] = mt->word[WORDS - 1];
      i = 1;
    }
  }
  mt->word[0] = 0x80000000u;
}

void mt19937_seed(struct mt19937 *mt, uint64_t seed) {
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  seed_from_words(mt, key, key[1] ? 2 : 1);
}

static void make_words(struct mt19937 *mt) {
  for (int i = 0; i < WORDS; i++) {
    uint32_t y = (mt->word[i] & 0x80000000u) | (mt->word[(i + 1) % WORDS] & 0x7fffffffu);
    mt->word[i] = mt->word[(i + MIDDLE) % WORDS] ^ (y >> 1) ^ ((y & 1u) ? 0x9908b0dfu : 0u);
  }
  mt->next = 0;
}

static uint32_t next_word(struct mt19937 *mt) {
  if (mt->next >= WORDS)
    make_words(mt);
  uint32_t y = mt->word[mt->next++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double mt19937_random(struct mt19937 *mt) {
  uint32_t a = next_word(mt) >> 5;
  uint32_t b = next_word(mt) >> 6;
  return ((double)a * 67108864.0 + (double)b) * (1.0 / 9007199254740992.0);
}

uint32_t mt19937_bits(struct mt19937 *mt, int k) {
  return next_word(mt) >> (32 - k);
}

uint32_t mt19937_below(struct mt19937 *mt, uint32_t n) {
  int k = 1;
  while (k < 32 && n >> k)
    k++;
  uint32_t drawn;
  do
    drawn = mt19937_bits(mt, k);
  while (drawn >= n);
  return drawn;
}

double mt19937_uniform(struct mt19937 *mt, double a, double b) {
  return a + (b - a) * mt19937_random(mt);
}

void mt19937_shuffle(struct mt19937 *mt, int *list, int n) {
  for (int i = n - 1; i > 0; i--) {
    int j = (int)mt19937_below(mt, (uint32_t)i + 1);
    int moved = list[i];
    list[i] = list[j];
    list[j] = moved;
  }
}

void mt19937_sample_two(struct mt19937 *mt, uint32_t n, uint32_t drawn[2]) {
  enum { POOL_LIMIT = 21 }; /* up to here CPython draws from a shrinking pool */
  drawn[0] = mt19937_below(mt, n);
  if (n > POOL_LIMIT) {
    do
      drawn[1] = mt19937_below(mt, n);
    while (drawn[1] == drawn[0]);
    return;
  }
  drawn[1] = mt19937_below(mt, n - 1);
  if (drawn[1] == drawn[0]) /* that place now holds the pool's last element */
    drawn[1] = n - 1;
}
