/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "hsim/types.h"

/* Offending values are quoted from files as they stand; a control character among them must not
 * break the promise of one line. Bytes above 127 are left alone: they may be UTF-8. */
static void keep_one_line(char *text) {
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char)*text;
    if (c < 0x20 || c == 0x7f)
      *text = ' ';
  }
}

enum hsim_status hsim_fail(struct hsim_error *error, enum hsim_status status, const char *format,
                           ...) {
  if (error == NULL)
    return status;
  error->status = status;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  if (length < 0)
    error->text[0] = '\0';
  keep_one_line(error->text);
  return status;
}
