/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/trace_tres.h"

#include <string.h>

#include "model/number.h"

#define GPU "gres/gpu"

static bool add_type(struct tres *tres, const char *name, size_t length) {
  size_t used = strlen(tres->types);
  if (used + length + 2 > sizeof tres->types)
    return false;
  if (used > 0)
    tres->types[used++] = '|';
  memcpy(tres->types + used, name, length);
  tres->types[used + length] = '\0';
  tres->n_typed++;
  return true;
}

/* One NAME=VALUE of `length` bytes. */
static bool take_part(struct tres *tres, const char *text, size_t length, int64_t *total,
                      int64_t *typed) {
  const char *equals = memchr(text, '=', length);
  size_t name = equals == NULL ? 0 : (size_t)(equals - text);
  int64_t n = 0;
  if (name == 0)
    return false;
  if (name < strlen(GPU) || memcmp(text, GPU, strlen(GPU)) != 0)
    return true;
  const char *behind = text + strlen(GPU);
  if (behind != equals && *behind != ':')
    return true; /* another resource whose name begins so */
  if (number_parse_int(equals + 1, length - name - 1, &n) != NUMBER_OK || n < 0 || n > INT32_MAX)
    return false;
  if (behind == equals) {
    bool first = *total < 0;
    *total = n;
    return first;
  }
  *typed += n;
  return n == 0 || add_type(tres, behind + 1, (size_t)(equals - behind - 1));
}

bool tres_parse(const char *text, struct tres *tres) {
  int64_t total = -1, typed = 0;
  *tres = (struct tres){0};
  while (*text != '\0') {
    size_t length = strcspn(text, ",");
    if (!take_part(tres, text, length, &total, &typed))
      return false;
    text += length;
    text += *text == ',';
  }
  if (total < 0)
    total = typed;
  if (typed > total || total > INT32_MAX)
    return false;
  if (typed < total)
    tres->n_typed = 0;
  tres->gpus = (int32_t)total;
  return true;
}
