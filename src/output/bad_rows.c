/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/inspection.h"

enum { MOST_REASONS = 50 };

/* FILE:LINE: in front of a message; the file's name may hold colons. */
static const char *behind_place(const char *message) {
  for (const char *at = strchr(message, ':'); at != NULL; at = strchr(at + 1, ':')) {
    size_t digits = strspn(at + 1, "0123456789");
    if (digits > 0 && at[digits + 1] == ':' && at[digits + 2] == ' ')
      return at + digits + 3;
  }
  return message;
}

/* In a path of JSON, [0].attempts[12] becomes [].attempts[]. */
static void drop_indices(char *text) {
  char *to = text;
  for (const char *at = text; *at != '\0'; at++) {
    size_t digits = *at == '[' ? strspn(at + 1, "0123456789") : 0;
    *to++ = *at;
    if (at[digits + 1] == ']')
      at += digits;
  }
  *to = '\0';
}

/* Indices and `value ...` differ from row to row, and so may what follows a semicolon. */
static char *reason_of(const char *message) {
  static const char before[] = ": value ";
  char *reason = mem_text(behind_place(message));
  char *value = strstr(reason, before);
  bool is_text = value != NULL && value[sizeof before - 1] == '"';
  char *expected = value == NULL ? NULL : strstr(value, is_text ? "\": expected " : ": expected ");
  if (expected != NULL)
    memmove(value, expected + is_text, strlen(expected + is_text) + 1);
  drop_indices(reason);
  reason[strcspn(reason, ";")] = '\0';
  return reason;
}

void bad_rows_add(struct bad_rows *bad, const char *message) {
  char *reason = reason_of(message);
  const char *name = reason;
  int i = names_find(&bad->reasons, name, strlen(name));
  if (i < 0 && bad->reasons.n >= MOST_REASONS)
    name = "other reasons";
  i = names_add(&bad->reasons, name, strlen(name));
  if (i == bad->firsts.n) {
    names_add(&bad->firsts, message, strlen(message));
    bad->counts = mem_grow(bad->counts, (size_t)bad->firsts.n, &bad->capacity, sizeof *bad->counts);
    bad->counts[i] = 0;
  }
  bad->counts[i]++;
  free(reason);
}

void bad_rows_free(struct bad_rows *bad) {
  names_free(&bad->reasons);
  names_free(&bad->firsts);
  free(bad->counts);
  *bad = (struct bad_rows){.counts = NULL};
}
