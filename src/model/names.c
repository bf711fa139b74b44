/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TABLE = 32, LONGEST_GUESS = 128, SHORTEST_PREFIX = 3 };

struct names_key {
  uint64_t hash;
  size_t length;
};

/* A word at a time: names are hashed some ten thousand times while a rates table is read. A
 * multiplication moves entropy upwards only, hence the shifts. */
static uint64_t hash_of(const char *text, size_t length) {
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t hash = length * odd;
  for (; length >= sizeof hash; text += sizeof hash, length -= sizeof hash) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
    hash = (hash ^ word) * odd;
    hash ^= hash >> 32;
  }
  uint64_t tail = 0;
  if (length > 0)
    memcpy(&tail, text, length);
  hash = (hash ^ tail) * odd;
  return hash ^ (hash >> 32);
}

/* The slot of the name, or the empty slot where it belongs. The table is never full. */
static size_t slot_of(const struct names *names, const char *text, size_t length, uint64_t hash) {
  size_t mask = names->table_size - 1;
  size_t slot = (size_t)hash & mask;
  for (;;) {
    int32_t i = names->table[slot];
    if (i < 0)
      return slot;
    const struct names_key *key = &names->keys[i];
    if (key->hash == hash && key->length == length &&
        (length == 0 || memcmp(names->at[i], text, length) == 0))
      return slot;
    slot = (slot + 1) & mask;
  }
}

static void enlarge_table(struct names *names) {
  size_t size = names->table_size == 0 ? FIRST_TABLE : 2 * names->table_size;
  names->table = mem_resize(names->table, size, sizeof *names->table);
  names->table_size = size;
  for (size_t slot = 0; slot < size; slot++)
    names->table[slot] = -1;
  for (int i = 0; i < names->n; i++) {
    size_t slot = (size_t)names->keys[i].hash & (size - 1);
    while (names->table[slot] >= 0)
      slot = (slot + 1) & (size - 1);
    names->table[slot] = i;
  }
}

int names_find(const struct names *names, const char *text, size_t length) {
  if (names->n == 0)
    return -1;
  return names->table[slot_of(names, text, length, hash_of(text, length))];
}

int names_add(struct names *names, const char *text, size_t length) {
  if (2 * ((size_t)names->n + 1) > names->table_size)
    enlarge_table(names);
  uint64_t hash = hash_of(text, length);
  size_t slot = slot_of(names, text, length, hash);
  if (names->table[slot] >= 0)
    return names->table[slot];
  size_t needed = (size_t)names->n + 1;
  if (needed > names->capacity) {
    names->at = mem_grow(names->at, needed, &names->capacity, sizeof *names->at);
    names->keys = mem_resize(names->keys, names->capacity, sizeof *names->keys);
  }
  names->at[names->n] = arena_text(&names->texts, text, length);
  names->keys[names->n] = (struct names_key){.hash = hash, .length = length};
  names->table[slot] = names->n;
  return names->n++;
}

void names_free(struct names *names) {
  free(names->at);
  free(names->keys);
  free(names->table);
  arena_free(&names->texts);
  *names = (struct names){0};
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int least(int a, int b) {
  return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b (the restricted
 * distance of Damerau 1964 and Levenshtein 1966), ASCII case ignored. Both are at most
 * LONGEST_GUESS long. */
static int distance(const char *a, size_t na, const char *b, size_t nb) {
  int rows[3][LONGEST_GUESS + 1];
  int *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= nb; j++)
    above[j] = before[j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    row[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      char x = lower(a[i - 1]), y = lower(b[j - 1]);
      row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
        row[j] = least(row[j], before[j - 2] + 1);
    }
    int *oldest = before;
    before = above;
    above = row;
    row = oldest;
  }
  return above[nb];
}

static bool begins_with(const char *name, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (name[i] == '\0' || lower(name[i]) != lower(text[i]))
      return false;
  return true;
}

const char *names_suggest(const char *const *candidates, size_t n, const char *text) {
  size_t length = strlen(text);
  if (length == 0 || length > LONGEST_GUESS)
    return NULL;
  const char *best = NULL, *longer = NULL;
  int best_distance = 0;
  for (size_t i = 0; i < n; i++) {
    size_t other = strlen(candidates[i]);
    if (longer == NULL && length >= SHORTEST_PREFIX && begins_with(candidates[i], text, length))
      longer = candidates[i];
    if (other > LONGEST_GUESS)
      continue;
    int d = distance(text, length, candidates[i], other);
    int letters = (int)(length > other ? length : other);
    if (3 * d <= letters && (best == NULL || d < best_distance)) {
      best = candidates[i];
      best_distance = d;
    }
  }
  return best != NULL ? best : longer;
}
