/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* What roff would take for something else. */
static const char *escaped(char c) {
  switch (c) {
  case '\\':
    return "\\e";
  case '-':
    return "\\-";
  case '\'':
    return "\\(aq";
  case '"':
    return "\\(dq";
  case '^':
    return "\\(ha";
  case '~':
    return "\\(ti";
  case '`':
    return "\\(ga";
  default:
    return NULL;
  }
}

static void put(FILE *out, char c) {
  const char *escape = escaped(c);
  if (escape)
    fputs(escape, out);
  else
    fputc(c, out);
}

void roff_text(FILE *out, const char *text) {
  bool begins = true;
  for (; *text; text++) {
    if (begins && *text == '.')
      fputs("\\&", out);
    begins = *text == '\n';
    put(out, *text);
  }
}

static bool of_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '-';
}

void roff_typed(FILE *out, const char *text) {
  while (*text) {
    if (!of_word(*text)) {
      put(out, *text++);
      continue;
    }
    fputs(isupper((unsigned char)*text) ? "\\fI" : "\\fB", out);
    while (of_word(*text))
      put(out, *text++);
    fputs("\\fR", out);
  }
}
