/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a source, LF or CRLF, with or without a last newline, without a byte-order mark. */
#ifndef HSIM_INPUT_LINES_H
#define HSIM_INPUT_LINES_H

#include "input/source.h"

/* Set `source`, zero the rest. */
struct lines {
  struct source *source;
  int number; /* of the line read last, from 1 */
  char *text; /* that line, with a NUL; the reader may change it */
  size_t length;
  size_t capacity;
  const char *block;
  size_t left;
  bool ended;
};

/* *more false: there is no further line. A line has no NUL and at most 1 MiB. */
enum hsim_status lines_next(struct lines *lines, bool *more, struct hsim_error *error);

void lines_free(struct lines *lines); /* not the source */

#endif
