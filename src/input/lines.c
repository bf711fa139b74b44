/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

enum { LONGEST_LINE = 1 << 20 };

static void append(struct lines *lines, const char *text, size_t n) {
  lines->text = mem_grow(lines->text, lines->length + n + 1, &lines->capacity, 1);
  if (n > 0)
    memcpy(lines->text + lines->length, text, n);
  lines->length += n;
  lines->text[lines->length] = '\0';
}

/* Appends up to the line's end; *done when it was found. */
static void take_piece(struct lines *lines, bool *done) {
  const char *end = memchr(lines->block, '\n', lines->left);
  size_t n = end == NULL ? lines->left : (size_t)(end - lines->block);
  append(lines, lines->block, n);
  *done = end != NULL;
  lines->block += n + *done;
  lines->left -= n + *done;
}

static void trim(struct lines *lines) {
  if (lines->length > 0 && lines->text[lines->length - 1] == '\r')
    lines->text[--lines->length] = '\0';
  if (lines->number == 1 && lines->length >= 3 && memcmp(lines->text, "\xef\xbb\xbf", 3) == 0) {
    lines->length -= 3;
    memmove(lines->text, lines->text + 3, lines->length + 1);
  }
}

static enum hsim_status check(const struct lines *lines, struct hsim_error *error) {
  const char *file = source_name(lines->source);
  if (lines->length > LONGEST_LINE)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d: a line of more than %d bytes", file,
                     lines->number, LONGEST_LINE);
  if (memchr(lines->text, '\0', lines->length) != NULL)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d: a zero byte: expected text", file,
                     lines->number);
  if (lines->number == INT_MAX)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: more than %d lines", file, INT_MAX - 1);
  return HSIM_OK;
}

enum hsim_status lines_next(struct lines *lines, bool *more, struct hsim_error *error) {
  lines->length = 0;
  bool done = false;
  *more = !lines->ended;
  if (lines->ended)
    return HSIM_OK;
  lines->number++;
  append(lines, "", 0);
  while (!done) {
    if (lines->left == 0) {
      enum hsim_status status = source_read(lines->source, &lines->block, &lines->left, error);
      if (status != HSIM_OK)
        return status;
      lines->ended = done = lines->left == 0;
    }
    if (!done)
      take_piece(lines, &done);
    enum hsim_status status = check(lines, error);
    if (status != HSIM_OK)
      return status;
  }
  trim(lines);
  *more = !lines->ended || lines->length > 0;
  return HSIM_OK;
}

void lines_free(struct lines *lines) {
  free(lines->text);
  *lines = (struct lines){0};
}
